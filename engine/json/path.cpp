#include "engine/json/path.hpp"

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

void put_utf8(std::string& to, std::uint32_t c) {
    if (c < 0x80) {
        to += static_cast<char>(c);
    } else if (c < 0x800) {
        to += static_cast<char>(0xC0 | c >> 6);
        to += static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        to += static_cast<char>(0xE0 | c >> 12);
        to += static_cast<char>(0x80 | (c >> 6 & 0x3F));
        to += static_cast<char>(0x80 | (c & 0x3F));
    } else {
        to += static_cast<char>(0xF0 | c >> 18);
        to += static_cast<char>(0x80 | (c >> 12 & 0x3F));
        to += static_cast<char>(0x80 | (c >> 6 & 0x3F));
        to += static_cast<char>(0x80 | (c & 0x3F));
    }
}

bool hex4(std::string_view s, std::size_t at, std::uint32_t& out) {
    if (at + 4 > s.size()) return false;
    out = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
        const char c = s[i];
        std::uint32_t d;
        if (c >= '0' && c <= '9')
            d = static_cast<std::uint32_t>(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            d = static_cast<std::uint32_t>((c | 0x20) - 'a' + 10);
        else
            return false;
        out = out << 4 | d;
    }
    return true;
}

struct parser {
    std::string_view s;
    path& out;
    context& ctx;
    std::size_t at = 0;

    errc fail(const char* what) { return ctx.fail(errc::syntax, at, what); }

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
                    std::uint32_t c1 = 0, c2 = 0;
                    if (!hex4(s, at + 2, c1)) return fail("\\u in a path needs four hexadecimal digits");
                    if (c1 >= 0xD800 && c1 < 0xE000) {
                        if (c1 >= 0xDC00 || at + 7 >= s.size() || s[at + 6] != '\\' || s[at + 7] != 'u' ||
                            !hex4(s, at + 8, c2) || c2 < 0xDC00 || c2 >= 0xE000)
                            return fail("half a surrogate pair in a path");
                        c1 = 0x10000 + ((c1 - 0xD800) << 10) + (c2 - 0xDC00);
                        at += 6;
                    }
                    put_utf8(one.key, c1);
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
            const std::size_t from = at;
            while (at < s.size() && s[at] >= '0' && s[at] <= '9') ++at;
            const std::string_view number = s.substr(from, at - from);
            if (number.empty()) return fail("brackets in a path hold a number from 0, *, or a quoted name");
            std::uint64_t n = 0;
            if (!digits_only(number) || !to_index(number, n)) {
                at = from;
                return fail("an index in a path has a leading zero or is too large");
            }
            out.push_back({step::kind::index, {}, n});
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
            if (s[at] == '[') {
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
            if (digits_only(s.substr(from, at - from)) && to_index(one.key, one.index)) one.as = step::kind::either;
            out.push_back(std::move(one));
        }
        return errc::ok;
    }
};

}  // namespace

errc parse(std::string_view text, path& out, context& ctx) {
    out.clear();
    if (!simd::active().utf8(text.data(), text.size())) return ctx.fail(errc::encoding, 0, "a path is not valid UTF-8");
    if (text.empty()) return errc::ok;
    parser p{text, out, ctx};
    return text[0] == '/' ? p.pointer() : p.dotted();
}

std::string print(const path& p) {
    std::string out = "$";
    for (const step& one : p) {
        switch (one.as) {
            case step::kind::index: out += '[' + std::to_string(one.index) + ']'; break;
            case step::kind::each: out += "[*]"; break;
            case step::kind::key:
            case step::kind::either: {
                bool bare = !one.key.empty() && one.key != "*";
                for (char c : one.key) bare = bare && c != '.' && c != '[' && c != ']' && c != '"' && c != '\\';
                if (bare) {
                    out += '.' + one.key;
                    break;
                }
                out += "[\"";
                for (char c : one.key) {
                    if (c == '"' || c == '\\') out += '\\';
                    out += c;
                }
                out += "\"]";
                break;
            }
        }
    }
    return out;
}

}  // namespace kumihimo::inline v0::json
