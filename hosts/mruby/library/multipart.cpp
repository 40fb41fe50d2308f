#include "multipart.hpp"

#include <algorithm>
#include <cstring>

#include "../src/characters.hpp"
#include "token.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr std::size_t none = std::string_view::npos;

// Takes one "; name=value" off a header's value. The value is without its quotes, with its backslashes. False: no
// more, or no parameter, which `wrong` says.
bool parameter(std::string_view& rest, std::string_view& name, std::string_view& value, bool& wrong) noexcept {
    rest = trimmed(rest);
    while (!rest.empty() && rest.front() == ';') rest = trimmed(rest.substr(1));
    wrong = false;
    if (rest.empty()) return false;
    const std::size_t equals = rest.find_first_of("=;");
    wrong = equals == none || rest[equals] != '=';
    if (wrong) return false;
    name = trimmed(rest.substr(0, equals));
    rest = trimmed(rest.substr(equals + 1));
    wrong = !is_token(name);
    if (wrong) return false;
    if (rest.empty() || rest.front() != '"') {
        value = trimmed(rest.substr(0, rest.find(';')));
        rest.remove_prefix(std::min(rest.find(';'), rest.size()));
        return true;
    }
    std::size_t i = 1;
    // Some clients do not escape what their file names hold: a backslash counts before a quote and a backslash only.
    while (i < rest.size() && rest[i] != '"')
        i += rest[i] == '\\' && i + 1 < rest.size() && (rest[i + 1] == '"' || rest[i + 1] == '\\') ? 2 : 1;
    wrong = i >= rest.size();
    if (wrong) return false;
    value = rest.substr(1, i - 1);
    rest = trimmed(rest.substr(i + 1));
    wrong = !rest.empty() && rest.front() != ';';
    return !wrong;
}

}  // namespace

const char* find_boundary(std::string_view content_type, multipart_boundary& out) noexcept {
    out.size = 0;
    std::string_view rest = content_type;
    const std::string_view type = trimmed(rest.substr(0, rest.find(';')));
    if (!same_but_for_case(type, "multipart/form-data")) return "the Content-Type is not multipart/form-data";
    rest.remove_prefix(std::min(rest.find(';'), rest.size()));
    std::string_view name, value;
    bool wrong;
    while (parameter(rest, name, value, wrong)) {
        if (!same_but_for_case(name, "boundary")) continue;
        if (out.size != 0) return "the Content-Type has two boundaries";
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (value[i] == '\\' && i + 1 < value.size()) ++i;
            const char c = value[i];
            // A space is allowed within, by the grammar; what RFC 2046 does not list, some clients send all the same.
            if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f)
                return "the boundary holds a control character";
            if (out.size == multipart_boundary::most) return "the boundary is longer than 70 characters";
            out.text[out.size++] = c;
        }
        if (out.size == 0) return "the boundary is empty";
        if (out.text[out.size - 1] == ' ') return "the boundary ends in a space";
    }
    if (wrong) return "the Content-Type's parameters are malformed";
    return out.size == 0 ? "the Content-Type names no boundary" : nullptr;
}

multipart_reader::multipart_reader(std::string_view body, const multipart_boundary& b, const multipart_limits& limits) noexcept
    : body_(body), limits_(limits), line_size_(b.size + 4) {
    std::memcpy(line_, "\r\n--", 4);
    std::memcpy(line_ + 4, b.text, b.size);
}

bool multipart_reader::fail(const char* why) noexcept {
    error_ = why;
    ended_ = true;
    return false;
}

// The next line that is the boundary's, from `from` on: where its CRLF begins; none if there is none. One at the very
// beginning of the body needs no CRLF.
std::size_t multipart_reader::delimiter(std::size_t from, std::size_t& behind, bool& last) const noexcept {
    const std::string_view line(line_, line_size_);
    std::size_t at = from;
    bool bare = from == 0 && body_.starts_with(line.substr(2));
    for (;; bare = false) {
        if (!bare) {
            if (at >= body_.size()) return none;
            const void* const found = memmem(body_.data() + at, body_.size() - at, line.data(), line.size());
            if (found == nullptr) return none;
            at = static_cast<std::size_t>(static_cast<const char*>(found) - body_.data());
        }
        std::size_t i = at + line.size() - (bare ? 2 : 0);
        last = body_.substr(i).starts_with("--");
        if (last) i += 2;
        while (i < body_.size() && is_blank(body_[i])) ++i;
        const std::string_view end = body_.substr(i);
        // The last one may end the body.
        if (end.starts_with("\r\n") || (last && end.empty())) {
            behind = i + std::min<std::size_t>(2, end.size());
            return at;
        }
        at = bare ? 0 : at + 2;
    }
}

bool multipart_reader::next(multipart_part& part) noexcept {
    if (ended_) return false;
    bool last = false;
    if (!begun_) {
        begun_ = true;
        std::size_t behind = 0;
        if (delimiter(0, behind, last) == none) return fail("the body does not hold the boundary");
        at_ = behind;
        if (last) {
            ended_ = true;
            return false;
        }
    }
    if (parts_++ == limits_.parts) return fail("there are too many parts");
    // A part without header lines has its empty line at once.
    part = {};
    const std::string_view rest = body_.substr(at_);
    const std::string_view bounded = rest.substr(0, limits_.head > rest.size() ? rest.size() : limits_.head + 4);
    std::size_t head = rest.starts_with("\r\n") ? 0 : bounded.find("\r\n\r\n");
    if (head == none) {
        return fail(bounded.size() < rest.size() ? "a part's header lines are too long" : "a part's header lines do not end");
    }
    part.head = rest.substr(0, head);
    if (!read_head(part.head, part)) return false;
    const std::size_t begin = at_ + (head == 0 ? 2 : head + 4);
    // An empty body's boundary begins with the CRLF that ended the head.
    std::size_t behind = 0;
    const std::size_t end = delimiter(begin - 2, behind, last);
    if (end == none) return fail("the body ends before its last boundary");
    part.body = end < begin ? std::string_view(body_.data() + begin, 0) : body_.substr(begin, end - begin);
    if (part.body.size() > (part.filename.data() == nullptr ? limits_.field : limits_.file)) return fail("a part is too large");
    at_ = behind;
    ended_ = last;
    return true;
}

bool multipart_reader::read_head(std::string_view head, multipart_part& part) noexcept {
    bool disposed = false;
    while (!head.empty()) {
        const std::string_view line = head.substr(0, head.find("\r\n"));
        head.remove_prefix(std::min(line.size() + 2, head.size()));
        const std::size_t colon = line.find(':');
        if (colon == none || !is_token(line.substr(0, colon))) return fail("a part's header line is malformed");
        for (const char c : line) {
            if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f)
                return fail("a part's header line holds a control character");
        }
        const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
        if (same_but_for_case(name, "content-type")) {
            part.type = value;
            if (value.size() >= 10 && same_but_for_case(value.substr(0, 10), "multipart/"))
                return fail("a part is itself multipart, which forms do not allow");
        } else if (same_but_for_case(name, "content-transfer-encoding")) {
            if (!same_but_for_case(value, "7bit") && !same_but_for_case(value, "8bit") && !same_but_for_case(value, "binary"))
                return fail("a part has a Content-Transfer-Encoding, which forms do not allow");
        } else if (same_but_for_case(name, "content-disposition")) {
            if (disposed) return fail("a part has two Content-Dispositions");
            disposed = true;
            std::string_view rest = value, key, text;
            const std::string_view kind = trimmed(rest.substr(0, rest.find(';')));
            if (!same_but_for_case(kind, "form-data")) return fail("a part's Content-Disposition is not form-data");
            rest.remove_prefix(std::min(rest.find(';'), rest.size()));
            bool wrong;
            while (parameter(rest, key, text, wrong)) {
                std::string_view* const to = same_but_for_case(key, "name")       ? &part.name
                                             : same_but_for_case(key, "filename") ? &part.filename
                                                                                  : nullptr;
                if (to == nullptr) continue;
                if (to->data() != nullptr) return fail("a part's Content-Disposition says the same twice");
                *to = text.data() == nullptr ? std::string_view("") : text;
            }
            if (wrong) return fail("a part's Content-Disposition is malformed");
        }
    }
    if (!disposed) return fail("a part has no Content-Disposition");
    if (part.name.data() == nullptr) return fail("a part has no name");
    return true;
}

char* multipart_text(std::string_view s, bool is_filename, char* const to) noexcept {
    char* end = to;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const std::string_view rest = s.substr(i);
        if (rest[0] == '\\' && rest.size() > 1 && (rest[1] == '"' || rest[1] == '\\')) {
            *end++ = rest[1];
            ++i;
        } else if (rest.starts_with("%22")) {
            *end++ = '"';
            i += 2;
        } else if (rest.starts_with("%0D") || rest.starts_with("%0A")) {
            *end++ = rest[2] == 'D' ? '\r' : '\n';
            i += 2;
        } else {
            *end++ = rest[0];
        }
    }
    if (!is_filename) return end;
    char* name = end;
    while (name != to && name[-1] != '/' && name[-1] != '\\') --name;
    std::memmove(to, name, static_cast<std::size_t>(end - name));
    return to + (end - name);
}

}  // namespace kumihimo::inline v0::mruby
