#include "engine/json/path.hpp"

#include "engine/core/path_text.hpp"
#include "engine/json/string.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/simd/dispatch.hpp"

namespace kumihimo::inline v0::json {
namespace {

bool digits_only(std::string_view s) {
    for (char c : s)
        if (c < '0' || c > '9') return false;
    return !s.empty() && (s.size() == 1 || s[0] != '0');
}

bool to_index(std::string_view s, std::uint64_t& out) {
    std::uint64_t v = 0;
    for (char c : s) {
        const auto d = static_cast<std::uint64_t>(c - '0');
        if (v > (UINT64_MAX - d) / 10) return false;
        v = v * 10 + d;
    }
    out = v;
    return true;
}

struct parser {
    std::string_view s;
    path& out;
    context& ctx;
    bool all;
    std::size_t at = 0;

    errc fail(const char* what) { return ctx.fail(errc::syntax, at, what); }

    // What \uXXXX at `i` says, or something negative.
    int unit_at(std::size_t i) const {
        if (s.size() < 6 || i > s.size() - 6 || s[i] != '\\' || s[i + 1] != 'u') return -1;
        return detail::four_hex(s.data() + i + 2);
    }

    // s[at] is the opening quote; leaves `at` behind the closing one.
    errc quoted() {
        const char quote = s[at++];
        step one;
        for (;;) {
            if (at == s.size()) return fail("a quoted name in a path is not closed");
            const char c = s[at];
            if (c == quote) break;
            if (c != '\\') {
                one.key += c;
                ++at;
                continue;
            }
            if (at + 1 == s.size()) return fail("a path ends inside an escape");
            switch (s[at + 1]) {
                case '"': one.key += '"'; break;
                case '\'': one.key += '\''; break;
                case '\\': one.key += '\\'; break;
                case '/': one.key += '/'; break;
                case 'b': one.key += '\b'; break;
                case 'f': one.key += '\f'; break;
                case 'n': one.key += '\n'; break;
                case 'r': one.key += '\r'; break;
                case 't': one.key += '\t'; break;
                case 'u': {
                    const int unit = unit_at(at);
                    if (unit < 0) return fail("\\u in a path needs four hexadecimal digits");
                    auto c = static_cast<char32_t>(unit);
                    if ((unit & 0xF800) == 0xD800) {
                        const int low = unit_at(at + 6);
                        if (unit >= 0xDC00 || low < 0xDC00 || low > 0xDFFF) return fail("half a surrogate pair in a path");
                        c = 0x10000 + (static_cast<char32_t>(unit & 0x3FF) << 10) + static_cast<char32_t>(low & 0x3FF);
                        at += 6;
                    }
                    char utf8[4];
                    one.key.append(utf8, scalar::encode_utf8(utf8, c));
                    at += 4;
                    break;
                }
                default: return fail("an unknown escape in a path");
            }
            at += 2;
        }
        ++at;
        out.push_back(std::move(one));
        return errc::ok;
    }

    errc bracket() {
        ++at;
        if (at == s.size()) return fail("a path ends inside brackets");
        if (s[at] == '"' || s[at] == '\'') {
            KUMIHIMO_TRY(quoted());
        } else if (s[at] == '*') {
            out.push_back({step::kind::each, {}, 0});
            ++at;
        } else {
            const bool from_end = all && s[at] == '-';
            at += from_end;
            const std::size_t from = at;
            while (at < s.size() && s[at] >= '0' && s[at] <= '9') ++at;
            const std::string_view number = s.substr(from, at - from);
            if (number.empty()) return fail("brackets in a path hold a number from 0, *, or a quoted name");
            std::uint64_t n = 0;
            if (!digits_only(number) || !to_index(number, n)) {
                at = from;
                return fail("an index in a path has a leading zero or is too large");
            }
            if (from_end && n == 0) {
                at = from;
                return fail("the last element of an array is [-1]; there is no [-0]");
            }
            out.push_back({from_end ? step::kind::from_end : step::kind::index, {}, n});
        }
        if (at == s.size() || s[at] != ']') return fail("a bracket in a path is not closed");
        ++at;
        return errc::ok;
    }

    errc name() {
        if (at < s.size() && s[at] == '"') return quoted();
        const std::size_t from = at;
        while (at < s.size() && s[at] != '.' && s[at] != '[') {
            if (s[at] == ']' || s[at] == '"') return fail("a name with ] or \" in a path must be quoted: [\"...\"]");
            ++at;
        }
        if (at == from) return fail("an empty name in a path must be quoted: [\"\"]");
        const std::string_view text = s.substr(from, at - from);
        if (all && (text == "*" || text == "~")) {
            if (text == "~" && !out.empty() && out.back().type != step::kind::members) {
                at = from;
                return fail("~ is the key of a member, *.~; a member of that name must be quoted: [\"~\"]");
            }
            out.push_back({text == "*" ? step::kind::members : step::kind::name, {}, 0});
            return errc::ok;
        }
        if (text == "*") {
            at = from;
            return fail("* in a path stands in brackets, [*]; a member of that name must be quoted: [\"*\"]");
        }
        out.push_back({step::kind::key, std::string(text), 0});
        return errc::ok;
    }

    errc dotted() {
        bool first = true;
        if (s[0] == '$' && (s.size() == 1 || s[1] == '.' || s[1] == '[')) {
            at = 1;
            first = false;
        }
        while (at < s.size()) {
            if (!out.empty() && out.back().type == step::kind::name) return fail("a key has no members: ~ is the last step");
            if (all && !first && s.substr(at).starts_with("..")) {
                at += 2;
                out.push_back({step::kind::descend, {}, 0});
                if (at == s.size()) return fail(".. stands before a name, * or a bracket: $..price");
                if (s[at] == '.') return fail("more than two dots in a path");
                KUMIHIMO_TRY(s[at] == '[' ? bracket() : name());
                if (out.back().type == step::kind::name) return fail("~ is the key of a member, *.~");
            } else if (s[at] == '[') {
                KUMIHIMO_TRY(bracket());
            } else if (first) {
                KUMIHIMO_TRY(name());
            } else if (s[at] == '.') {
                ++at;
                KUMIHIMO_TRY(name());
            } else {
                return fail("a step of a path begins with . or [");
            }
            first = false;
        }
        return errc::ok;
    }

    errc pointer() {
        while (at < s.size()) {
            ++at;  // the slash
            const std::size_t from = at;
            step one;
            while (at < s.size() && s[at] != '/') {
                if (s[at] == '~') {
                    if (at + 1 == s.size() || (s[at + 1] != '0' && s[at + 1] != '1'))
                        return fail("~ in a JSON Pointer is followed by 0 (for ~) or 1 (for /)");
                    one.key += s[at + 1] == '0' ? '~' : '/';
                    at += 2;
                } else {
                    one.key += s[at++];
                }
            }
            if (digits_only(s.substr(from, at - from)) && to_index(one.key, one.index)) one.type = step::kind::either;
            out.push_back(std::move(one));
        }
        return errc::ok;
    }
};

}  // namespace

errc parse(std::string_view text, path& out, context& ctx, path_steps allowed) {
    out.clear();
    if (!simd::active().utf8(text.data(), text.size())) return ctx.fail(errc::encoding, 0, "a path is not valid UTF-8");
    if (text.empty()) return errc::ok;
    parser p{text, out, ctx, allowed == path_steps::all};
    return text[0] == '/' ? p.pointer() : p.dotted();
}

std::string print(const path& p) {
    std::string out = "$";
    bool deep = false;  // behind two dots a name has none of its own
    for (const step& one : p) {
        const std::size_t had = out.size();
        switch (one.type) {
            case step::kind::index: add_index(out, one.index); break;
            case step::kind::each: out += "[*]"; break;
            case step::kind::key:
            case step::kind::either: add_key(out, one.key); break;
            case step::kind::from_end: out += "[-" + std::to_string(one.index) + ']'; break;
            case step::kind::members: out += ".*"; break;
            case step::kind::descend: out += ".."; break;
            case step::kind::name: out += ".~"; break;
        }
        if (deep && out[had] == '.') out.erase(had, 1);
        deep = one.type == step::kind::descend;
    }
    return out;
}

}  // namespace kumihimo::inline v0::json
