// Text into documents: what layout a text has, where its documents are, and that pieces make no difference.
#include "extract/split.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

using texts = std::vector<std::string>;

bytes as_bytes(std::string_view s) { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }
std::string as_text(bytes b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

layout of(std::string_view s, bool whole = true) { return sniff_layout(as_bytes(s), whole); }

class drip final : public byte_source {
public:
    drip(std::string_view s, std::size_t n, bool fails = false) : rest_(as_bytes(s)), n_(n), fails_(fails) {}
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override {
        KUMIHIMO_TRY(rest_.read(to, std::min(room, n_), got, ctx));
        return got == 0 && fails_ ? ctx.fail(errc::host, 77, "the line went dead") : errc::ok;
    }
    std::uint64_t consumed() const noexcept override { return rest_.consumed(); }

private:
    memory_source rest_;
    std::size_t n_;
    bool fails_;
};

// All documents of pieces, with their offsets checked against the text.
struct cut_result {
    texts documents;
    errc code = errc::ok;
    failure why;
    bool in_text = true;
};

cut_result collect(text_cutter& cut, std::string_view all, std::size_t want) {
    cut_result r;
    bool first = true;
    for (;;) {
        piece p;
        context ctx;
        r.code = cut.next(want, p, ctx);
        if (r.code != errc::ok) {
            r.why = ctx.failure;
            r.in_text = cut.in_text();
            // Nothing comes behind an error.
            piece q;
            context c;
            CHECK(cut.next(want, q, c) == errc::ok);
            CHECK(q.text.empty());
            return r;
        }
        if (p.text.empty()) return r;
        CHECK(p.first == first);
        first = false;
        CHECK(as_text(p.text) == all.substr(p.offset, p.text.size()));
        if (p.text_layout == layout::lines) {
            scanner s(layout::lines);
            std::size_t at = 0;
            span_of d;
            context c;
            while (s.next(p.text, at, true, d, c) == scanner::found::document)
                r.documents.push_back(as_text(p.text.subspan(d.offset, d.length)));
        } else {
            for (const span_of d : p.documents) r.documents.push_back(as_text(p.text.subspan(d.offset, d.length)));
        }
    }
}

// The same text at hand and streamed, in pieces of many sizes, must give the same documents.
void expect(const std::string& text, const texts& want, layout as = layout::automatic) {
    CAPTURE(text);
    for (const std::size_t size : {1, 2, 3, 5, 8, 13, 64, 1 << 20}) {
        CAPTURE(size);
        text_cutter at_hand(as_bytes(text), as, 1 << 20);
        const cut_result a = collect(at_hand, text, size);
        CHECK(a.code == errc::ok);
        CHECK(a.documents == want);
        for (const std::size_t step : {1, 3, 1000}) {
            drip from(text, step);
            text_cutter streamed(from, as, 1 << 20);
            const cut_result b = collect(streamed, text, size);
            CHECK(b.code == errc::ok);
            CHECK(b.documents == want);
        }
    }
}

}  // namespace

TEST_CASE("layouts by content") {
    CHECK(of("") == layout::lines);
    CHECK(of("{\"a\":1}") == layout::lines);
    CHECK(of("{\"a\":1}\n{\"a\":2}\n") == layout::lines);
    CHECK(of("\xef\xbb\xbf\n\n{\"a\":1}\r\n{\"a\":2}\r\n") == layout::lines);
    CHECK(of("1\n2\n") == layout::lines);
    CHECK(of("{}{}") == layout::concatenated);
    CHECK(of("{} {}\n{}") == layout::concatenated);
    CHECK(of("1 2 3") == layout::concatenated);
    CHECK(of("{\n  \"a\": 1\n}\n") == layout::concatenated);
    CHECK(of("{\"a\":[\n[1,2],\n[3,4]\n]}\n{}") == layout::concatenated);
    CHECK(of("\x1e{\"a\":1}\n\x1e{\"a\":2}\n") == layout::concatenated);
    CHECK(of("[1,2,3]") == layout::array);
    CHECK(of("[{\"a\":1},\n{\"a\":2}]") == layout::array);
    CHECK(of("[\n1\n]\n") == layout::array);
    // One missing comma does not make it another thing; documents that are arrays, one of them damaged, are.
    CHECK(of("[{\"a\":1},\n{\"a\":2} {\"a\":3},\n{\"a\":4},\n{\"a\":5}]") == layout::array);
    CHECK(of("[{\"a\":1},\n{\"a\":2} {\"a\":3}]") == layout::array);
    CHECK(of("[{\"a\":1},,{\"a\":2}]") == layout::array);
    CHECK(of("[{\"a\":1},,{\"a\":2}]\n[3]\n") == layout::lines);
    CHECK(of("[1 2\n[3,4] [5,6]\n[7,8] [9]\n") == layout::concatenated);
    CHECK(of("[1,,\n2]\n[3,\n4]\n[5,\n6]\n") == layout::concatenated);
    CHECK(of("[1,2]\n[3,4]\n") == layout::lines);
    CHECK(of("[1,2]\n") == layout::array);
    // A first line that is broken does not hide that these are lines.
    CHECK(of("{\"a\":[1\n{\"a\":2}\n{\"a\":3}\n") == layout::lines);
    CHECK(of("{\"a\":\"open\n{\"a\":2}\n{\"a\":3}\n") == layout::lines);
    CHECK(of("{\"a\":tru}\n{\"a\":2}\n") == layout::lines);
    // A document longer than the window: brackets tell.
    CHECK(of("{\"a\":\"" + std::string(1000, 'x'), false) == layout::concatenated);
    CHECK(of("{\"a\":1}\n{\"a\":", false) == layout::lines);
}

TEST_CASE("lines: CRLF, blank lines, white space, no newline at the end") {
    expect("{\"a\":1}\n{\"a\":2}\n", {"{\"a\":1}", "{\"a\":2}"});
    expect("{\"a\":1}\r\n\r\n  {\"a\":2}\t\r\n\n\n[3]", {"{\"a\":1}", "{\"a\":2}", "[3]"});
    expect("\xef\xbb\xbf{\"a\":1}\n{\"a\":2}", {"{\"a\":1}", "{\"a\":2}"});
    expect("\n\n\n", {});
    expect("", {});
    expect("\xef\xbb\xbf", {});
    expect("{\"a\":1}\nnot json at all\n{\"a\":2}\n", {"{\"a\":1}", "not json at all", "{\"a\":2}"});
    expect("{\"a\":1}\n{\"a\":\"open\n{\"a\":2}\n", {"{\"a\":1}", "{\"a\":\"open", "{\"a\":2}"});
}

TEST_CASE("concatenated and pretty-printed documents") {
    expect("{}{}", {"{}", "{}"});
    expect("{\"a\":\"}{\"}[1]{\"b\":\"\\\"\"}", {"{\"a\":\"}{\"}", "[1]", "{\"b\":\"\\\"\"}"});
    expect("{\n \"a\": [\n  1\n ]\n}\n{\n \"a\": 2\n}\n", {"{\n \"a\": [\n  1\n ]\n}", "{\n \"a\": 2\n}"});
    expect("1 2  \"x\" true\nnull", {"1", "2", "\"x\"", "true", "null"});
    expect("\x1e{\"a\":1}\n\x1e{\"a\":2}\n", {"{\"a\":1}", "{\"a\":2}"});
    // A document that is cut off is one, for the reader to refuse.
    expect("{} {\"a\":[1,2", {"{}", "{\"a\":[1,2"});
    // What no document begins with is a bad document up to the end of its line.
    expect("{} {} ]oops\n{}", {"{}", "{}", "]oops", "{}"});
}

TEST_CASE("the elements of an array") {
    expect("[]", {});
    expect(" [ ] ", {});
    expect("[1]", {"1"});
    expect("[ {\"a\":1} , {\"a\":[2,3]},\n\"x,]\",-1.5e3 ,true,null,[ ] ]\n",
           {"{\"a\":1}", "{\"a\":[2,3]}", "\"x,]\"", "-1.5e3", "true", "null", "[ ]"});
    expect("\xef\xbb\xbf[{},{}]", {"{}", "{}"});
}

TEST_CASE("an array's own mistakes are refused where they are, behind the elements before") {
    struct {
        const char* text;
        std::size_t good, offset;
        errc code;
    } const cases[] = {{"[1,]", 1, 3, errc::syntax},     {"[,1]", 0, 1, errc::syntax},    {"[1 2]", 1, 3, errc::syntax},
                       {"[1,,2]", 1, 3, errc::syntax},   {"[1}", 0, 0, errc::ok},         {"[1,2", 1, 4, errc::truncated},
                       {"[1,2,", 2, 5, errc::truncated}, {"[", 0, 1, errc::truncated},    {"[1] x", 1, 4, errc::trailing},
                       {"[1],", 1, 3, errc::trailing},   {"[{}]]", 1, 4, errc::trailing}, {"[{}\n:1]", 1, 4, errc::syntax}};
    for (const auto& c : cases) {
        CAPTURE(c.text);
        for (const std::size_t size : {1, 4, 1000}) {
            text_cutter cut(as_bytes(c.text), layout::array, 1000);
            const cut_result r = collect(cut, c.text, size);
            if (c.code == errc::ok) continue;  // "1}" is an element, which the reader refuses; then the array is not closed
            CHECK(r.code == c.code);
            CHECK(r.why.offset == c.offset);
            CHECK(r.in_text);
            CHECK(r.why.line >= 1);
            // An unfinished scalar at the end counts as an element: only the array is known to be cut off.
            CHECK(r.documents.size() >= c.good);
        }
    }
}

TEST_CASE("half a surrogate pair does not say where documents end") {
    // Lines in it look like documents of their own, before the half and behind it.
    const auto document = [](int at) {
        std::string all = "{";
        for (int i = 0; i < 3; ++i)
            all += "\"s" + std::to_string(i) + "\":" + (i == at ? "\"\\ud800\"" : "\"x\"") +
                   ",\"list\":[\n{\"x\":1}\n,\n{\"x\":2}\n],";
        return all + "\"t\":0}";
    };
    const std::string good = document(-1);
    for (int at = 0; at < 3; ++at) {
        const std::string bad = document(at);
        expect(bad + "\n" + good + "\n" + bad, {bad, good, bad});
        expect("[\n" + bad + ",\n" + good + "\n]", {bad, good});
    }
    const std::string line = "{\"s\":\"\\ud800\"}";
    expect(line + "\n{\"s\":1}\n", {line, "{\"s\":1}"});
    // What is no text at all is no document.
    expect("{\"s\":\n\"\xff\",\n\"t\":\n{\"a\":1}\n", {"{\"s\":\n\"\xff\",\n\"t\":", "{\"a\":1}"});
}

TEST_CASE("reading that fails: whole documents before it, then the failure") {
    for (const std::string text :
         {"{\"a\":1}\n{\"a\":2}\n{\"a\":", "{\"a\":1}{\"a\":2}{\"a\":", "[{\"a\":1},{\"a\":2},{\"a\":"}) {
        for (const std::size_t size : {1, 10, 1000}) {
            drip from(text, 5, true);
            text_cutter cut(from, layout::automatic, 1000);
            const cut_result r = collect(cut, text, size);
            CHECK(r.documents == texts{"{\"a\":1}", "{\"a\":2}"});
            CHECK(r.code == errc::host);
            CHECK(r.why.offset == 77);
            CHECK_FALSE(r.in_text);
        }
    }
}

TEST_CASE("a document beyond the limit is refused, not gathered") {
    for (const std::string head : {"{}\n", "{}{}", "[{},"}) {
        const std::string text = head + "{\"a\":\"" + std::string(5000, 'x') + "\"}\n";
        for (const bool stream : {false, true}) {
            drip from(text, 100);
            text_cutter a(as_bytes(text), layout::automatic, 1000), b(from, layout::automatic, 1000);
            const cut_result r = collect(stream ? b : a, text, 10);
            CHECK(r.code == errc::size);
            CHECK(r.in_text);
            CHECK(r.documents.size() >= 1);
        }
    }
}

TEST_CASE("a long document does not cost more than its length") {
    // Windows double, and brackets are not counted anew: 8 MB in windows from 1 byte on end in no time, or this test
    // does not end.
    const std::string text = "{\"a\":[" + std::string(8 << 20, ' ') + "]}";
    drip from(text, 1 << 16);
    text_cutter cut(from, layout::concatenated, 1 << 30);
    CHECK(collect(cut, text, 1).documents == texts{text});
}

namespace {

// A pipe whose other side is silent behind each chunk.
class halting final : public byte_source {
public:
    explicit halting(texts chunks) : chunks_(std::move(chunks)) {}
    errc read(char* to, std::size_t room, std::size_t& got, context&) override {
        if (rest_.empty() && taken < chunks_.size()) rest_ = chunks_[taken++];
        got = std::min(room, rest_.size());
        std::memcpy(to, rest_.data(), got);
        rest_.remove_prefix(got);
        return errc::ok;
    }
    bool ready(int) noexcept override { return !rest_.empty(); }
    std::uint64_t consumed() const noexcept override { return 0; }
    std::size_t taken = 0;

private:
    texts chunks_;
    std::string_view rest_;
};

// After how many chunks each document was handed out.
std::vector<std::pair<std::string, std::size_t>> arrivals(texts chunks, layout as = layout::automatic) {
    halting from(std::move(chunks));
    text_cutter cut(from, as, 1 << 20);
    std::vector<std::pair<std::string, std::size_t>> out;
    for (;;) {
        piece p;
        context ctx;
        REQUIRE(cut.next(1 << 16, p, ctx) == errc::ok);
        if (p.text.empty()) return out;
        if (p.text_layout == layout::lines) {
            scanner s(layout::lines);
            span_of where;
            for (std::size_t at = 0; s.next(p.text, at, true, where, ctx) == scanner::found::document;)
                out.emplace_back(as_text(p.text.subspan(where.offset, where.length)), from.taken);
        }
        for (const span_of& d : p.documents) out.emplace_back(as_text(p.text.subspan(d.offset, d.length)), from.taken);
    }
}

using seen = std::vector<std::pair<std::string, std::size_t>>;

}  // namespace

TEST_CASE("what is whole when the source falls silent is handed out") {
    CHECK(arrivals({"1\n2\n3", "4\n", "\n", "5"}) == seen{{"1", 1}, {"2", 1}, {"34", 2}, {"5", 4}});
    CHECK(arrivals({"{}\n", "{", "}", "\n[", "]"}) == seen{{"{}", 1}, {"{}", 4}, {"[]", 5}});
    CHECK(arrivals({"{\"a\":1}{}", "{", "\n}", " {}"}, layout::concatenated) ==
          seen{{"{\"a\":1}", 1}, {"{}", 1}, {"{\n}", 3}, {"{}", 4}});
    // Two documents on the first line: perhaps a damaged one, so the next sixteen are looked at.
    std::string more;
    for (int i = 0; i < 16; ++i) more += "{}{}\n";
    CHECK(arrivals({"{}{}\n", more, "{}"}).front() == std::pair<std::string, std::size_t>{"{}", 2});
    CHECK(arrivals({"[\n{},", "{", "}\n", "]"}) == seen{{"{}", 1}, {"{}", 3}});
    CHECK(arrivals({"\x1e{}\n", "\x1e{}\n"}) == seen{{"{}", 1}, {"{}", 2}});
    CHECK(arrivals({"\xef", "\xbb\xbf{}\n", "{}\n"}) == seen{{"{}", 2}, {"{}", 3}});
    CHECK(arrivals({"1\n", "2\n"}, layout::lines) == seen{{"1", 2}, {"2", 2}});
    CHECK(arrivals({"{}", "{}"}, layout::document) == seen{{"{}{}", 2}});
}

TEST_CASE("silence does not change what a text is") {
    // One array alone has its elements as rows, several are lines: the first line does not say which it is.
    CHECK(arrivals({"[1,2]\n"}) == seen{{"1", 1}, {"2", 1}});
    CHECK(arrivals({"[1,2]\n", "[3]\n"}) == seen{{"[1,2]", 2}, {"[3]", 2}});
    CHECK(arrivals({"{", "\n\"a\":", "1\n}\n"}) == seen{{"{\n\"a\":1\n}", 3}});
    // A broken first line of NDJSON is told from a document on several lines by what follows.
    CHECK(arrivals({"{\"a\":\n", "{}\n", "{}\n"}) == seen{{"{\"a\":", 3}, {"{}", 3}, {"{}", 3}});
    for (const std::string_view all :
         {"{}\n{}\n", "[1]", "[[1]\n,2]", "{\n}{\n}", "[1]\n[2]\n", "\n\n{}", "1 2\n", "x\n{}\n"}) {
        texts single;
        for (const char c : all) single.emplace_back(1, c);
        texts slow, fast;
        for (const auto& [d, n] : arrivals(single)) slow.push_back(d);
        for (const auto& [d, n] : arrivals({std::string(all)})) fast.push_back(d);
        CHECK(slow == fast);
    }
}
