// Projection on every kernel and level, held to two oracles that are written here once more, the slow way: a parser
// that keeps the place of every value, and the structural level's promise byte by byte.
#include "engine/json/project.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/frames.hpp"
#include "engine/json/kernels.hpp"
#include "engine/simd/dispatch.hpp"

using namespace kumihimo;
using json::level;
using json::path;
using json::slice;
using json::step;

namespace {

constexpr std::size_t depth_limit = 24;

// ---- the first oracle: a document as a tree

struct node {
    char kind = 0;  // { [ or anything else
    std::size_t begin = 0, end = 0;
    std::vector<std::pair<std::string, node>> members;
    std::vector<node> elements;
};

struct reader {
    const std::string& s;
    std::size_t at = 0;

    bool more() const { return at < s.size(); }
    void space() {
        while (more() && std::string_view(" \t\r\n").find(s[at]) != std::string_view::npos) ++at;
    }
    bool take(char c) {
        if (!more() || s[at] != c) return false;
        ++at;
        return true;
    }
    bool hex(unsigned& out) {
        out = 0;
        for (int i = 0; i < 4; ++i, ++at) {
            if (!more() || !std::isxdigit(static_cast<unsigned char>(s[at]))) return false;
            out = out * 16 + static_cast<unsigned>(std::stoi(std::string(1, s[at]), nullptr, 16));
        }
        return true;
    }
    static void put(std::string& to, unsigned c) {
        if (c < 0x80) {
            to += static_cast<char>(c);
            return;
        }
        char tail[4];
        int n = 0;
        unsigned top = 0x3F;
        while (c > top) {
            tail[n++] = static_cast<char>(0x80 | (c & 0x3F));
            c >>= 6;
            top >>= 1;
        }
        to += static_cast<char>(static_cast<unsigned char>(~top << 1) | c);
        while (n > 0) to += tail[--n];
    }
    bool string(std::string& out) {
        out.clear();
        if (!take('"')) return false;
        while (more()) {
            const char c = s[at++];
            if (c == '"') return true;
            if (static_cast<unsigned char>(c) < 0x20) return false;
            if (c != '\\') {
                out += c;
                continue;
            }
            if (!more()) return false;
            const char e = s[at++];
            const std::size_t known = std::string_view("\"\\/bfnrt").find(e);
            if (known != std::string_view::npos) {
                out += "\"\\/\b\f\n\r\t"[known];
            } else {
                unsigned high, low;
                if (e != 'u' || !hex(high) || (high >= 0xDC00 && high < 0xE000)) return false;
                if (high >= 0xD800 && high < 0xE000) {
                    if (!take('\\') || !take('u') || !hex(low) || low < 0xDC00 || low >= 0xE000) return false;
                    high = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                }
                put(out, high);
            }
        }
        return false;
    }
    bool digits() {
        const std::size_t from = at;
        while (more() && s[at] >= '0' && s[at] <= '9') ++at;
        return at != from;
    }
    bool value(node& n, std::size_t depth) {
        if (!more()) return false;
        n.begin = at;
        n.kind = s[at];
        if (n.kind == '{' || n.kind == '[') {
            if (depth == depth_limit) return false;
            ++at;
            space();
            const char close = n.kind == '{' ? '}' : ']';
            if (!take(close)) {
                do {
                    space();
                    node child;
                    std::string key;
                    if (n.kind == '{') {
                        if (!string(key)) return false;
                        space();
                        if (!take(':')) return false;
                        space();
                    }
                    if (!value(child, depth + 1)) return false;
                    if (n.kind == '{')
                        n.members.emplace_back(key, std::move(child));
                    else
                        n.elements.push_back(std::move(child));
                    space();
                } while (take(','));
                if (!take(close)) return false;
            }
        } else if (n.kind == '"') {
            std::string ignored;
            if (!string(ignored)) return false;
        } else if (n.kind == 't' || n.kind == 'f' || n.kind == 'n') {
            const std::string word = n.kind == 't' ? "true" : n.kind == 'f' ? "false" : "null";
            if (s.compare(at, word.size(), word) != 0) return false;
            at += word.size();
        } else {
            take('-');
            if (!take('0') && !digits()) return false;
            if (take('.') && !digits()) return false;
            if (more() && (s[at] == 'e' || s[at] == 'E')) {
                ++at;
                if (!take('+')) take('-');
                if (!digits()) return false;
            }
        }
        n.end = at;
        return true;
    }
};

bool valid_utf8(const std::string& s) {
    return simd::available()[0]->utf8(s.data(), s.size());
}  // dispatch_test has its oracle

std::optional<node> decode(const std::string& s) {
    if (!valid_utf8(s)) return {};
    reader r{s};
    node n;
    r.space();
    if (!r.value(n, 0)) return {};
    r.space();
    if (r.more()) return {};
    return n;
}

const node* child(const node& n, const step& st) {
    if (n.kind == '{' && (st.type == step::kind::key || st.type == step::kind::either)) {
        for (auto m = n.members.rbegin(); m != n.members.rend(); ++m)
            if (m->first == st.key) return &m->second;
    }
    if (n.kind == '[' && (st.type == step::kind::index || st.type == step::kind::either) && st.index < n.elements.size())
        return &n.elements[st.index];
    return nullptr;
}

void gather(const node* n, const path& p, std::size_t i, std::size_t last, std::vector<slice>& out) {
    for (; i < p.size() && n != nullptr && p[i].type != step::kind::each; ++i) n = child(*n, p[i]);
    if (i == p.size() || n == nullptr) {
        if (last == p.size())
            out.push_back(n == nullptr ? slice{} : slice{n->begin, n->end - n->begin});
        else if (i > last)
            out.back() = n == nullptr ? slice{} : slice{n->begin, n->end - n->begin};
        return;
    }
    if (n->kind != '[') return;
    for (const node& e : n->elements) {
        if (i == last) out.push_back({});
        gather(&e, p, i + 1, last, out);
    }
}

std::vector<slice> expected(const node& n, const path& p) {
    std::size_t last = p.size();
    for (std::size_t i = 0; i < p.size(); ++i)
        if (p[i].type == step::kind::each) last = i;
    std::vector<slice> out;
    gather(&n, p, 0, last, out);
    return out;
}

bool repeats(const node& n) {
    for (std::size_t i = 0; i < n.members.size(); ++i) {
        if (repeats(n.members[i].second)) return true;
        for (std::size_t j = 0; j < i; ++j)
            if (n.members[i].first == n.members[j].first) return true;
    }
    for (const node& e : n.elements)
        if (repeats(e)) return true;
    return false;
}

// ---- the second oracle: what the structural level accepts

bool structural(const std::string& s, const std::vector<path>& paths) {
    reader r{s};
    r.space();
    if (!r.more()) return false;
    const bool object = s[r.at] == '{';
    bool whole = !object && s[r.at] != '[';
    for (const path& p : paths)
        whole =
            whole || p.empty() ||
            (!object && (p[0].type == step::kind::each || p[0].type == step::kind::index || p[0].type == step::kind::either));
    if (whole) return decode(s).has_value();
    if (!valid_utf8(s)) return false;
    std::size_t depth = 0;
    for (std::size_t i = r.at; i < s.size(); ++i) {
        const char c = s[i];
        if (c == '{' || c == '[') {
            if (++depth > depth_limit) return false;
        } else if (c == '}' || c == ']') {
            if (--depth == 0) return s.find_first_not_of(" \t\r\n", i + 1) == std::string::npos;
        } else if (c == '\\') {
            return false;
        } else if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') {
            return false;
        } else if (c == '"') {
            // Escapes have to be well-formed; halves of surrogate pairs pass unless the string names a wanted member.
            std::size_t e = i + 1;
            for (; e < s.size() && s[e] != '"'; ++e) {
                if (static_cast<unsigned char>(s[e]) < 0x20) return false;
                if (s[e] != '\\') continue;
                if (++e == s.size() || std::string_view("\"\\/bfnrtu").find(s[e]) == std::string_view::npos) return false;
                if (s[e] != 'u') continue;
                for (int k = 0; k < 4; ++k)
                    if (++e == s.size() || !std::isxdigit(static_cast<unsigned char>(s[e]))) return false;
            }
            if (e >= s.size()) return false;
            if (object && depth == 1) {
                reader name{s, i};
                std::string text;
                reader value{s, e + 1};
                value.space();
                if (name.string(text) && value.take(':')) {
                    bool wanted = false;
                    for (const path& p : paths)
                        wanted =
                            wanted || ((p[0].type == step::kind::key || p[0].type == step::kind::either) && p[0].key == text);
                    if (wanted) {
                        value.space();
                        node n;
                        if (!value.value(n, 1)) return false;
                        value.space();
                        if (!value.more() || (s[value.at] != ',' && s[value.at] != '}')) return false;
                    }
                }
            }
            i = e;
        }
    }
    return false;
}

// ---- random documents

struct maker {
    std::mt19937_64 random;

    std::size_t below(std::size_t n) { return random() % n; }

    std::string key() {
        static const char* const names[] = {"a",
                                            "b",
                                            "ab",
                                            "abc",
                                            "price",
                                            "",
                                            "é",
                                            "a.b",
                                            "0",
                                            "1",
                                            "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
                                            "k\"q",
                                            "k\\q",
                                            "a[0]",
                                            "\n"};
        return names[below(std::size(names))];
    }
    std::string written(const std::string& s) {
        std::string out = "\"";
        const bool fancy = below(6) == 0;
        for (const char c : s) {
            const auto u = static_cast<unsigned char>(c);
            if (u < 0x20 || (fancy && u < 0x80 && below(2) == 0)) {
                char hex[8];
                std::snprintf(hex, sizeof hex, below(2) == 0 ? "\\u%04x" : "\\u%04X", u);
                out += hex;
            } else if (c == '"' || c == '\\') {
                out += std::string("\\") + c;
            } else {
                out += c;
            }
        }
        return out + "\"";
    }
    std::string space() {
        switch (below(pretty ? 3 : 40)) {
            case 0: return " ";
            case 1: return pretty ? "\n    " : "\t";
            case 2: return below(8) == 0 ? std::string(below(90), ' ') : "";
            default: return "";
        }
    }
    std::string scalar() {
        static const char* const some[] = {"0",
                                           "-1",
                                           "12.5",
                                           "1e-08",
                                           "true",
                                           "false",
                                           "null",
                                           "\"\"",
                                           "\"x\"",
                                           "\"}]{[,:\"",
                                           "\"\\\"\\\\\"",
                                           "\"漢字 é 😀\"",
                                           "\"\\ud83d\\ude00\\n\"",
                                           "107910.0",
                                           "\"a\"",
                                           "\"price\"",
                                           "\"2016-12-25 01:53:10.602955\"",
                                           "\"\\/\\b\\f\\r\\t\\u00e9\\\\\""};
        return some[below(std::size(some))];
    }
    std::string value(std::size_t depth) {
        const std::size_t what = depth == 0 ? 2 + below(6) : below(depth > 5 ? 2 : 6);
        if (what < 2) return scalar();
        std::string s;
        const std::size_t n = below(depth < 2 ? 9 : 4);
        if (what > 3) {
            s = "{" + space();
            for (std::size_t i = 0; i < n; ++i)
                s += (i != 0 ? "," : "") + space() + written(key()) + space() + ":" + space() + value(depth + 1) + space();
            return s + "}";
        }
        s = "[" + space();
        for (std::size_t i = 0; i < n; ++i) s += (i != 0 ? "," : "") + space() + value(depth + 1) + space();
        return s + "]";
    }
    std::string document() {
        pretty = below(3) == 0;
        return space() + value(below(20) == 0 ? 7 : 0) + space();
    }
    path wanted() {
        path p;
        for (std::size_t i = 0, n = below(12) == 0 ? 0 : 1 + below(4); i < n; ++i) {
            switch (below(6)) {
                case 0: p.push_back({step::kind::each, {}, 0}); break;
                case 1: p.push_back({step::kind::index, {}, below(3)}); break;
                case 2: p.push_back({step::kind::either, "0", 0}); break;
                default: p.push_back({step::kind::key, key(), 0});
            }
        }
        return p;
    }
    std::string damaged(std::string s) {
        static const std::string bytes =
            "\"\\{}[],: \n\t\x01"
            "0123456789.eE+-truefalsn/u\xc3\xa9\xe6\xf0\x80\xff";
        for (std::size_t i = 0, n = 1 + below(3); i < n && !s.empty(); ++i) {
            const std::size_t at = below(s.size());
            switch (below(4)) {
                case 0: s.erase(at, 1 + below(3)); break;
                case 1: s.insert(at, 1, bytes[below(bytes.size())]); break;
                case 2: s[at] = bytes[below(bytes.size())]; break;
                default: s = below(4) == 0 ? s.substr(0, at) : s.substr(0, at) + s.substr(below(s.size())); break;
            }
        }
        return s;
    }
    bool pretty = false;
};

// JSON Pointer where a step is `either`: the only notation that says it.
std::string spelled(const path& p) {
    bool pointer = false, dotted = false;
    for (const step& s : p) {
        pointer = pointer || s.type == step::kind::either;
        dotted = dotted || s.type == step::kind::each || s.type == step::kind::index;
    }
    if (!pointer || dotted) return json::print(p);
    std::string out;
    for (const step& s : p) {
        out += '/';
        for (char c : s.key) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
    return out;
}

struct run_result {
    bool good = false;
    std::vector<std::vector<slice>> values;
    friend bool operator==(const run_result&, const run_result&) = default;
};

run_result run(const json::kernels& k, level how, const json::projection& what, const std::string& s) {
    static thread_local json::harvest h;
    h.depth_limit = depth_limit;
    const auto kernel = how == level::strict       ? k.project_strict
                        : how == level::structural ? k.project_structural
                                                   : k.project_trusted;
    run_result r;
    // A copy of the exact size, so that a sanitizer sees reads behind it.
    const std::vector<char> copy(s.begin(), s.end());
    r.good = kernel(what.plan(), copy.data(), copy.size(), h);
    if (r.good)
        for (std::size_t i = 0; i < what.size(); ++i) r.values.emplace_back(h.slices(i).begin(), h.slices(i).end());
    return r;
}

json::projection compiled(const std::vector<std::string>& texts) {
    std::vector<std::string_view> views(texts.begin(), texts.end());
    json::projection out;
    context ctx;
    REQUIRE(json::projection::compile(views, out, ctx) == errc::ok);
    return out;
}

// Everything about one document and one set of paths.
void judge(const std::string& s, const std::vector<path>& paths, const json::projection& what) {
    const auto tree = decode(s);
    run_result right;
    right.good = tree.has_value();
    if (tree)
        for (const path& p : paths) right.values.push_back(expected(*tree, p));
    const bool framed = structural(s, paths);
    std::optional<run_result> first;
    for (const auto* k : json::available_kernels()) {
        const std::string name = k->name;
        CAPTURE(name);
        CAPTURE(s);
        const run_result strict = run(*k, level::strict, what, s);
        CHECK(strict.good == right.good);
        CHECK((strict == right));
        const run_result structural_result = run(*k, level::structural, what, s);
        CHECK(structural_result.good == framed);
        if (right.good) CHECK((structural_result == right));
        if (!first) first = structural_result;
        CHECK((structural_result == *first));
        const run_result trusted = run(*k, level::trusted, what, s);
        if (right.good) CHECK(trusted.good);
        if (right.good && !repeats(*tree)) CHECK((trusted == right));
        for (const auto& list : trusted.values)
            for (const slice& v : list) CHECK(v.offset + v.length <= s.size());
    }
}

// Where only the openings of values are asked, they begin at the same places.
void judge_openings(const std::string& s, const std::vector<std::string>& spelt, const json::projection& whole) {
    const std::vector<std::string_view> views(spelt.begin(), spelt.end());
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < spelt.size(); ++i) all.push_back(i);
    json::projection openings;
    context ctx;
    REQUIRE(json::projection::compile(views, openings, ctx, all) == errc::ok);
    for (const auto* k : json::available_kernels()) {
        const run_result want = run(*k, level::strict, whole, s), got = run(*k, level::strict, openings, s);
        CAPTURE(s);
        CHECK(got.good == want.good);
        if (!got.good) continue;
        for (std::size_t i = 0; i < spelt.size(); ++i) {
            REQUIRE(got.values[i].size() == want.values[i].size());
            for (std::size_t n = 0; n < got.values[i].size(); ++n) {
                const slice a = got.values[i][n], b = want.values[i][n];
                CHECK(a.offset == b.offset);
                CHECK((a.length == 0) == (b.length == 0));
                CHECK(a.length <= b.length);
            }
        }
    }
}

// By hand: the texts of the values, "-" where absent.
std::string texts(const std::string& s, std::vector<std::string> wanted, level how = level::strict) {
    const json::projection what = compiled(wanted);
    std::string all;
    for (const auto* k : json::available_kernels()) {
        const run_result r = run(*k, how, what, s);
        std::string mine;
        if (!r.good) mine = "refused";
        for (const auto& list : r.values) {
            if (&list != &r.values.front()) mine += " | ";
            for (std::size_t i = 0; i < list.size(); ++i)
                mine +=
                    (i != 0 ? "; " : "") + (list[i].length == 0 ? std::string("-") : s.substr(list[i].offset, list[i].length));
        }
        if (all.empty()) all = mine;
        CHECK(mine == all);
    }
    return all;
}

}  // namespace

TEST_CASE("values by hand, at every level") {
    for (const level how : {level::strict, level::structural, level::trusted}) {
        CHECK(texts(R"({"a":1})", {"a"}, how) == "1");
        CHECK(texts(R"( { "a" : "x y" , "b":[ 1 , 2 ] } )", {"b", "a", "c", "b[1]", "b[2]"}, how) ==
              R"([ 1 , 2 ] | "x y" | - | 2 | -)");
        CHECK(texts(R"({"\u0070rice":1,"pr\u0069ce2":2})", {"price", "price2"}, how) == "1 | 2");
        CHECK(texts(R"({"a":{"a":{"a":1}}})", {"a", "a.a", "a.a.a", "$"}, how) ==
              R"({"a":{"a":1}} | {"a":1} | 1 | {"a":{"a":{"a":1}}})");
        CHECK(texts(R"({"t":[{"p":1,"q":2},{"q":3},{"p":4}]})", {"t[*].p", "t[*].q", "t[*]", "t[1].q"}, how) ==
              R"(1; -; 4 | 2; 3; - | {"p":1,"q":2}; {"q":3}; {"p":4} | 3)");
        CHECK(texts(R"({"m":[[1,2],[],[3]]})", {"m[*][*]", "m[*]", "m[0][*]", "m[*][0]"}, how) ==
              "1; 2; 3 | [1,2]; []; [3] | 1; 2 | 1; -; 3");
        CHECK(texts(R"([{"p":1},{"p":2}])", {"[*].p", "/1/p", "[0]"}, how) == R"(1; 2 | 2 | {"p":1})");
        CHECK(texts(R"({"":1,"a.b":2,"\"":3,"0":4})", {"/", "[\"a.b\"]", R"(["\""])", "/0"}, how) == "1 | 2 | 3 | 4");
        CHECK(texts(R"({"x":"price","price":7})", {"price"}, how) == "7");
        CHECK(texts(R"({"x":{"price":1},"y":["price"],"price":7})", {"price"}, how) == "7");
        CHECK(texts("12", {"a", "$", "[0]"}, how) == "- | 12 | -");
        CHECK(texts("[]", {"a", "[*]"}, how) == "- | ");
        CHECK(texts("{}", {"a"}, how) == "-");
        CHECK(texts(R"({"a":1})", {"a", "a"}, how) == "1 | 1");
    }
}

TEST_CASE("a repeated key: the last one counts, with all that it holds") {
    for (const level how : {level::strict, level::structural}) {
        CHECK(texts(R"({"a":1,"a":2})", {"a"}, how) == "2");
        CHECK(texts(R"({"a":{"x":1},"a":{"y":2}})", {"a.x", "a.y"}, how) == "- | 2");
        CHECK(texts(R"({"a":[{"x":1},{"x":2}],"a":[{"x":3}]})", {"a[*].x"}, how) == "3");
        CHECK(texts(R"({"a":[{"x":1}],"a":0})", {"a[*].x", "a"}, how) == " | 0");
        CHECK(texts(R"({"a":[{"b":[1,2],"b":[3]},{"b":[4]}]})", {"a[*].b[*]"}, how) == "3; 4");
        CHECK(texts(R"({"a":1,"\u0061":2})", {"a"}, how) == "2");
        CHECK(texts(R"({"\u0061":1,"a":2})", {"a"}, how) == "2");
    }
}

TEST_CASE("what the levels refuse") {
    const auto verdicts = [](const std::string& s, std::vector<std::string> wanted = {"w"}) {
        std::string v;
        for (const level how : {level::strict, level::structural}) v += texts(s, wanted, how) == "refused" ? 'n' : 'y';
        return v;
    };
    CHECK(verdicts(R"({"a":nul,"w":1})") == "ny");
    CHECK(verdicts(R"({"a" 1,"w":1})") == "ny");
    CHECK(verdicts(R"({"a":[1},"w":1})") == "ny");
    CHECK(verdicts(R"({"a":"\ud800","w":1})") == "ny");
    CHECK(verdicts(R"({"w":01})") == "nn");
    CHECK(verdicts(R"({"w":[1,]})") == "nn");
    CHECK(verdicts(R"({"w":"\ud800"})") == "nn");
    CHECK(verdicts(R"({"w":1 2})") == "nn");
    CHECK(verdicts(R"({"a":"\x","w":1})") == "nn");
    CHECK(verdicts(R"({"a":"\u12g4","w":1})") == "nn");
    CHECK(verdicts("{\"a\":\"\n\",\"w\":1}") == "nn");
    CHECK(verdicts("{\"a\":\x01,\"w\":1}") == "nn");
    CHECK(verdicts("{\"a\":\"\xff\",\"w\":1}") == "nn");
    CHECK(verdicts("{\"a\":\"\xed\xa0\x80\",\"w\":1}") == "nn");
    CHECK(verdicts(R"({"a":1,"w":1)") == "nn");
    CHECK(verdicts(R"({"a":1,"w":1}})") == "nn");
    CHECK(verdicts(R"({"a":1,"w":1} x)") == "nn");
    CHECK(verdicts(R"({"a":"1,"w":1})") == "nn");
    CHECK(verdicts("") == "nn");
    CHECK(verdicts("  ") == "nn");
    CHECK(verdicts("\xef\xbb\xbf{}") == "nn");
    CHECK(verdicts("nul") == "nn");
    CHECK(verdicts("{\"a\":" + std::string(depth_limit - 1, '[') + std::string(depth_limit - 1, ']') + "}") == "yy");
    CHECK(verdicts("{\"a\":" + std::string(depth_limit, '[') + std::string(depth_limit, ']') + "}") == "nn");
    CHECK(verdicts("{\"w\":" + std::string(depth_limit, '[') + std::string(depth_limit, ']') + "}") == "nn");
}

TEST_CASE("a failure says what and where, through the whole interface") {
    const json::projection what = compiled({"a"});
    const std::string s = "{\n  \"a\": 1,\n  \"b\": tru\n}";
    json::projector p(what);
    context ctx;
    CHECK(p.run(bytes(reinterpret_cast<const unsigned char*>(s.data()), s.size()), ctx) != errc::ok);
    CHECK(ctx.failure.line == 3);
    CHECK(std::string_view(ctx.failure.what) != "");
    ctx.clear();
    json::projector q(what, level::structural);
    REQUIRE(q.run(bytes(reinterpret_cast<const unsigned char*>(s.data()), s.size()), ctx) == errc::ok);
    CHECK(q.value(0) == slice{9, 1});
    ctx.limits.size = 3;
    CHECK(q.run(bytes(reinterpret_cast<const unsigned char*>(s.data()), s.size()), ctx) == errc::size);
    context wrong;
    json::projection none;
    const std::string_view bad[] = {"ok", "a..b"};
    CHECK(json::projection::compile(bad, none, wrong) == errc::syntax);
    CHECK(wrong.failure.path == "a..b");
    CHECK(wrong.failure.offset == 2);
}

TEST_CASE("paths that would need too many states are refused, many paths are not") {
    std::vector<std::string> texts;
    for (int i = 0; i < 24; ++i) {
        std::string s;
        for (int j = 0; j < 24; ++j) s += i == j ? "[0]" : "[*]";
        texts.push_back(s);
    }
    std::vector<std::string_view> views(texts.begin(), texts.end());
    json::projection what;
    context ctx;
    CHECK(json::projection::compile(views, what, ctx) == errc::size);

    std::vector<std::string> many;
    std::string s = "{";
    std::string right;
    for (int i = 0; i < 200; ++i) {
        many.push_back("field_" + std::to_string(i * 7 % 200));
        s += (i != 0 ? ", \"field_" : "\"field_") + std::to_string(i) + "\": " + std::to_string(i);
        right += (i != 0 ? " | " : "") + std::to_string(i * 7 % 200);
    }
    s += "}";
    for (const level how : {level::strict, level::structural, level::trusted}) CHECK(::texts(s, many, how) == right);
}

TEST_CASE("a projector keeps its limit of memory, and goes on behind it") {
    const std::string_view paths[] = {"[*]", "[*][*]", "[1]"};
    json::projection wanted;
    context compiling;
    REQUIRE(json::projection::compile(paths, wanted, compiling) == errc::ok);
    std::string wide = "[[2],3", deep(600, '[');
    for (int i = 0; i < 5000; ++i) wide += ",[1]";
    wide += ']';
    deep += std::string(600, ']');
    const auto run = [](json::projector& p, std::string_view s) {
        context ctx;
        return p.run({reinterpret_cast<const unsigned char*>(s.data()), s.size()}, ctx);
    };
    for (const level how : {level::strict, level::structural, level::trusted}) {
        json::projector p(wanted, how);
        p.limit_memory(8192);
        for (int i = 0; i < 3; ++i) {
            CHECK(run(p, wide) == errc::memory);
            CHECK(run(p, deep) == errc::memory);
            CHECK(p.memory() <= 8192);
            REQUIRE(run(p, "[[2], 3]") == errc::ok);
            CHECK(p.values(0).size() == 2);
            CHECK(p.values(1).size() == 1);
            CHECK(p.value(2) == slice{6, 1});
        }
        p.limit_memory(std::size_t{1} << 20);
        REQUIRE(run(p, wide) == errc::ok);
        CHECK(p.values(0).size() == 5002);
        CHECK(p.memory() > 5002 * sizeof(slice));
    }
}

TEST_CASE("frames, with their traps") {
    const json::projection what = compiled({"last_price.price", "timestamp", "trades[*].currency_pair", "bids[0]"});
    std::vector<path> paths(4);
    context ctx;
    REQUIRE(json::parse("last_price.price", paths[0], ctx) == errc::ok);
    REQUIRE(json::parse("timestamp", paths[1], ctx) == errc::ok);
    REQUIRE(json::parse("trades[*].currency_pair", paths[2], ctx) == errc::ok);
    REQUIRE(json::parse("bids[0]", paths[3], ctx) == errc::ok);
    maker m{std::mt19937_64(21)};
    for (const auto order : {bench::frame_maker::order::usual, bench::frame_maker::order::any})
        for (const auto& f : bench::frames(12, 9, order)) {
            judge(f.text, paths, what);
            for (int i = 0; i < 12; ++i) judge(m.damaged(f.text), paths, what);
        }
}

TEST_CASE("random documents, random paths, random damage") {
    maker m{std::mt19937_64(std::getenv("KUMIHIMO_SEED") != nullptr ? std::strtoull(std::getenv("KUMIHIMO_SEED"), nullptr, 10)
                                                                    : 1)};
    const int rounds = std::getenv("KUMIHIMO_LONG") != nullptr ? 200000 : 8000;
    for (int round = 0; round < rounds; ++round) {
        std::vector<path> paths(1 + m.below(5));
        std::vector<std::string> spelt;
        for (path& p : paths) {
            p = m.wanted();
            spelt.push_back(spelled(p));
            context ctx;
            REQUIRE(json::parse(spelt.back(), p, ctx) == errc::ok);  // print() makes keys of `either` steps beside [*]
        }
        const json::projection what = compiled(spelt);
        const std::string s = m.document();
        judge(s, paths, what);
        judge_openings(s, spelt, what);
        for (int i = 0; i < 3; ++i) judge(m.damaged(s), paths, what);
    }
}

TEST_CASE("of openings a value ends anywhere, unless another path leads there or further") {
    const std::string s = R"({"a": [1, {"b": 2}], "c": {"a": 3}, "\u0064": [4], "a": [5, 6]})";
    judge_openings(s, {"a", "c", "d", "e"}, compiled({"a", "c", "d", "e"}));
    constexpr std::string_view paths[] = {"a", "a[1]", "c", "c"};
    constexpr std::uint32_t openings[] = {0, 2};
    json::projection mixed;
    context ctx;
    REQUIRE(json::projection::compile(paths, mixed, ctx, openings) == errc::ok);
    for (const auto* k : json::available_kernels()) {
        const run_result r = run(*k, level::strict, mixed, s);
        REQUIRE(r.good);
        CHECK(s.substr(r.values[0][0].offset, r.values[0][0].length) == "[5, 6]");
        CHECK(s.substr(r.values[1][0].offset, r.values[1][0].length) == "6");
        CHECK(s.substr(r.values[2][0].offset, r.values[2][0].length) == R"({"a": 3})");
    }
}
