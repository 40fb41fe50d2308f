// multipart/form-data: bodies of any bytes against a search byte by byte for the boundary's lines; and parts written
// as a browser does, read again as the same. The first line of the input is the Content-Type, the rest the body.
#include <algorithm>

#include "../library/multipart.hpp"
#include "ruby.hpp"

using namespace fuzz;

namespace {

constexpr std::string_view usual = "multipart/form-data; boundary=X";

struct part {
    std::string_view head, body;
};

// Where a line of the boundary's begins at `at`, and what is behind it.
bool line_at(std::string_view body, std::string_view boundary, std::size_t at, bool first, std::size_t& behind, bool& last) {
    const std::string line = (first ? "--" : "\r\n--") + std::string(boundary);
    if (body.substr(at, line.size()) != line) return false;
    at += line.size();
    last = body.substr(at, 2) == "--";
    if (last) at += 2;
    while (at < body.size() && (body[at] == ' ' || body[at] == '\t')) ++at;
    if (body.substr(at, 2) == "\r\n") return behind = at + 2, true;
    return behind = at, last && at == body.size();
}

bool next_line(std::string_view body, std::string_view boundary, std::size_t from, std::size_t& at, std::size_t& behind,
               bool& last) {
    if (from == 0 && line_at(body, boundary, 0, true, behind, last)) return at = 0, true;
    for (at = from; at < body.size(); ++at) {
        if (line_at(body, boundary, at, false, behind, last)) return true;
    }
    return false;
}

// The parts until one is wrong in its boundaries; heads are not looked into.
std::vector<part> parts_of(std::string_view body, std::string_view boundary, bool& whole) {
    std::vector<part> parts;
    std::size_t at, behind;
    bool last;
    whole = false;
    if (!next_line(body, boundary, 0, at, behind, last)) return parts;
    while (!last) {
        const std::string_view rest = body.substr(behind);
        const std::size_t head = rest.substr(0, 2) == "\r\n" ? 0 : rest.find("\r\n\r\n");
        if (head == rest.npos) return parts;
        const std::size_t begin = behind + head + (head == 0 ? 2 : 4);
        if (!next_line(body, boundary, begin - 2, at, behind, last)) return parts;
        parts.push_back({rest.substr(0, head), body.substr(begin, std::max(at, begin) - begin)});
    }
    whole = true;
    return parts;
}

std::string plain_text(std::string_view s, bool is_filename) {
    std::string out;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const std::string_view three = s.substr(i, 3);
        const bool escaped = s[i] == '\\' && i + 1 < s.size() && (s[i + 1] == '"' || s[i + 1] == '\\');
        const char named = three == "%22" ? '"' : three == "%0D" ? '\r' : three == "%0A" ? '\n' : '\0';
        out += escaped ? s[i + 1] : named != '\0' ? named : s[i];
        i += escaped ? 1 : named != '\0' ? 2 : 0;
    }
    return is_filename ? out.substr(out.find_last_of("/\\") + 1) : out;
}

std::string text(std::string_view s, bool is_filename) {
    std::string out(s.size(), '\0');
    const char* const end = mruby::multipart_text(s, is_filename, out.data());
    expect(end <= out.data() + out.size(), "longer than it was");
    out.resize(static_cast<std::size_t>(end - out.data()));
    return out;
}

// Through mruby, what the reader gave before.
void expect_in_ruby(ruby& in, std::string_view type, std::string_view body, const std::vector<mruby::multipart_part>& parts,
                    bool good) {
    mrb_value list, fields;
    const bool through = in.call(list, "Multipart::Error", "Multipart", "parts", in.string(body), in.string(type));
    expect(through == good, "mruby and the reader disagree");
    in.call(fields, "Multipart::Error Query::LimitError Query::ParameterTypeError", "Multipart", "parse_nested",
            in.string(body), in.string(type));
    const bool all = in.call(fields, "Multipart::Error", "Multipart", "parse_all", in.string(body), in.string(type));
    expect(all == good, "parts are read, and fields are not");
    if (!good) return;
    expect(RARRAY_LEN(list) == static_cast<mrb_int>(parts.size()), "another number of parts");
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const mruby::multipart_part& p = parts[i];
        const mrb_value made = RARRAY_PTR(list)[i], filename = in.get(made, "filename");
        expect_equal(text_of(in.get(made, "name")), plain_text(p.name, false), "another name");
        expect_equal(text_of(in.get(made, "head")), p.head, "another head");
        expect_equal(text_of(in.get(made, "body")), p.body, "another body");
        expect(mrb_nil_p(filename) == (p.filename.data() == nullptr), "a file name from nowhere, or lost");
        if (!mrb_nil_p(filename)) expect_equal(text_of(filename), plain_text(p.filename, true), "another file name");
        const mrb_value same = mrb_hash_get(in.state(), fields, in.get(made, "name"));
        expect(mrb_array_p(same) && RARRAY_LEN(same) > 0, "a part is no field");
    }
}

void read(std::string_view type, std::string_view body) {
    mruby::multipart_boundary boundary;
    const char* const refused = mruby::find_boundary(type, boundary);
    if (refused != nullptr) {
        expect(refused[0] != '\0', "refused without a word");
        type = usual;
        expect(mruby::find_boundary(type, boundary) == nullptr, "the usual Content-Type is refused");
    }
    const std::string_view line(boundary.text, boundary.size);
    expect(!line.empty() && line.size() <= mruby::multipart_boundary::most, "a boundary of no size");
    for (const char c : line) expect(c >= 0x20 && c < 0x7f, "a boundary of control characters");
    bool whole = false;
    const std::vector<part> plain = parts_of(body, line, whole);
    std::vector<mruby::multipart_part> parts;
    mruby::multipart_reader reader(body, boundary);
    for (mruby::multipart_part p; reader.next(p); parts.push_back(p)) {
        for (const std::string_view s : {p.head, p.name, p.filename, p.type, p.body}) expect_within(s, body);
        expect(parts.size() < plain.size(), "more parts");
        expect_equal(p.head, plain[parts.size()].head, "another head");
        expect_equal(p.body, plain[parts.size()].body, "another body");
        for (const std::string_view s : {p.name, p.filename, p.type}) {
            expect(s.empty() || (s.data() >= p.head.data() && s.data() + s.size() <= p.head.data() + p.head.size()),
                   "a name from another part");
        }
        expect_equal(text(p.name, false), plain_text(p.name, false), "another name");
        expect_equal(text(p.filename, true), plain_text(p.filename, true), "another file name");
        expect(text(p.filename, true).find_first_of("/\\") == std::string::npos, "a file name with folders");
    }
    const bool good = reader.error() == nullptr;
    expect(!good || (whole && parts.size() == plain.size()), "read to an end that is not there");
    // The search knows nothing of heads, but all of boundaries.
    const std::string_view error = good ? "" : reader.error();
    if (error == "the body does not hold the boundary" || error == "the body ends before its last boundary" ||
        error == "a part's header lines do not end") {
        expect(!whole && parts.size() == plain.size(), reader.error());
    }
    mruby::multipart_part after;
    expect(!reader.next(after), "a part behind the end");
    ruby in(body.size() % 3 == 0);
    expect_in_ruby(in, type, body, parts, good);
}

// What browsers send: quotes and line ends of names by their numbers, bodies as they are.
void write(std::string_view input) {
    const auto fields = split(input, '\0', 9);
    std::string body;
    std::vector<std::string> names, files;
    const auto quoted = [](std::string_view s) {
        std::string out;
        for (const char c : s) {
            if (c == '"' || c == '\r' || c == '\n') {
                out += c == '"' ? "%22" : c == '\r' ? "%0D" : "%0A";
            } else if ((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '\\') || c == '\t') {
                out += c;
            }
        }
        return out;
    };
    for (std::size_t i = 0; i + 2 < fields.size(); i += 3) {
        if (fields[i + 2].find("--Boundary") != std::string_view::npos) return;  // behind the head too, it ends the part
        names.push_back(quoted(fields[i]));
        files.push_back(quoted(fields[i + 1]));
        body += "--Boundary\r\nContent-Disposition: form-data; name=\"" + names.back() + "\"";
        if (!files.back().empty()) body += "; filename=\"" + files.back() + "\"\r\nContent-Type: text/plain";
        body += "\r\n\r\n" + std::string(fields[i + 2]) + "\r\n";
    }
    body += "--Boundary--\r\n";
    ruby in(input.size() % 3 == 0);
    const mrb_value list = in.must("Multipart", "parts", in.string(body), in.string("multipart/form-data; boundary=Boundary"));
    expect(RARRAY_LEN(list) == static_cast<mrb_int>(names.size()), "another number of parts than was written");
    for (std::size_t i = 0; i < names.size(); ++i) {
        const mrb_value made = RARRAY_PTR(list)[i], filename = in.get(made, "filename");
        expect_equal(text_of(in.get(made, "name")), plain_text(names[i], false), "another name than was written");
        expect_equal(text_of(in.get(made, "body")), fields[3 * i + 2], "another body than was written");
        expect(mrb_nil_p(filename) == files[i].empty(), "a file name from nowhere, or lost");
        if (!files[i].empty())
            expect_equal(text_of(filename), plain_text(files[i], true), "another file name than was written");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    if (size > 12'000) return 0;  // less than any limit
    const auto two = split(all, '\n', 2);
    read(two[0], two[two.size() - 1]);
    write(all);
    return 0;
}
