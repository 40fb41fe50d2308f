#include "pattern.hpp"

#include <cstdint>
#include <cstdio>
#include <vector>

#include "engine/scalar/utf8.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr int most_nested_classes = 32;
constexpr std::size_t most_groups_open = 200;

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
int hex_of(char c) noexcept {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The members of a class of Ruby's, as ranges for the inside of brackets. `others` are its complement up to U+7F; what follows
// up to the last character is the same for all.
struct ascii_class {
    char name;
    const char *members, *others;
};
constexpr ascii_class ascii_classes[] = {
    {'d', "0-9", R"(\x00-\x2f\x3a-\x7f)"},
    {'h', "0-9a-fA-F", R"(\x00-\x2f\x3a-\x40\x47-\x60\x67-\x7f)"},
    {'s', R"(\x09-\x0d\x20)", R"(\x00-\x08\x0e-\x1f\x21-\x7f)"},
    {'w', "0-9A-Za-z_", R"(\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f)"},
};

// Ruby's names of properties that PCRE2 does not have.
struct property {
    const char *ruby, *pcre2;
};
constexpr property properties[] = {
    {"alnum", "Xan"}, {"alpha", "L"},  {"digit", "Nd"}, {"lower", "Ll"}, {"punct", "P"},
    {"space", "Xsp"}, {"upper", "Lu"}, {"word", "Xwd"}, {"cntrl", "Cc"},
};

class translator {
public:
    translator(std::string_view in, unsigned options, bool utf8, translation& out)
        : in_(in), utf8_(utf8), to_(out), out_(out.text), extended_((options & regexp_extended) != 0) {}

    bool run() {
        while (at_ < in_.size() && to_.error == nullptr) step();
        if (to_.error == nullptr && !groups_.empty()) fail("end pattern with unmatched parenthesis");
        if (to_.error == nullptr) out_.append(closers_, ')');
        return to_.error == nullptr;
    }

private:
    struct group {
        std::size_t begin;  // in out_
        unsigned closers;   // that the enclosing group needs
        bool extended;      // outside
    };

    void fail(const char* why) {
        if (to_.error == nullptr) to_.error = why;
    }
    bool more(std::size_t n = 1) const noexcept { return in_.size() - at_ >= n; }
    char peek(std::size_t n = 0) const noexcept { return at_ + n < in_.size() ? in_[at_ + n] : '\0'; }
    bool ahead(std::string_view s) const noexcept { return in_.substr(at_).starts_with(s); }
    // What a quantifier that follows applies to begins here.
    void atom() noexcept { atom_ = out_.size(); }

    void step() {
        const char c = in_[at_];
        switch (c) {
            case '\\': atom(); return escape();
            case '[': {
                atom();
                ++at_;
                out_ += set(0);
                return;
            }
            case '(': return open();
            case ')': return close();
            case '{': return interval();
            case '#':
                if (!extended_) break;
                while (more() && in_[at_] != '\n') ++at_;
                return;
            default: break;
        }
        const bool quantifier = c == '*' || c == '+' || c == '?';
        if (!quantifier && !(extended_ && (c == ' ' || c == '\n' || c == '\t' || c == '\r'))) {
            // A character of several bytes is one atom.
            if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) atom();
            if (static_cast<unsigned char>(c) >= 0x80) to_.needs_utf8 = true;
        }
        out_ += c;
        ++at_;
    }

    void interval() {
        std::size_t i = at_ + 1;
        const std::size_t low = i;
        while (i < in_.size() && is_digit(in_[i])) ++i;
        const bool has_low = i > low;
        bool has_high = false, comma = false;
        if (i < in_.size() && in_[i] == ',') {
            comma = true;
            const std::size_t high = ++i;
            while (i < in_.size() && is_digit(in_[i])) ++i;
            has_high = i > high;
        }
        if (i >= in_.size() || in_[i] != '}' || !(has_low || (comma && has_high))) {
            atom();
            out_ += "\\{";
            ++at_;
            return;
        }
        const bool nested = i + 1 < in_.size() && in_[i + 1] == '+';
        if (nested) out_.insert(atom_, "(?:");
        out_ += '{';
        if (!has_low) out_ += '0';
        out_ += in_.substr(at_ + 1, i - at_);
        if (nested) out_ += ')';
        at_ = i + 1;
    }

    // --- groups -------------------------------------------------------------------------------------------------------------

    void push() {
        if (groups_.size() == most_groups_open) return fail("groups are nested too deeply");
        groups_.push_back({out_.size(), closers_, extended_});
        closers_ = 0;
    }

    void open() {
        if (ahead("(*")) return fail("target of repeat operator is not specified");
        if (!ahead("(?")) {
            push();
            out_ += '(';
            ++at_;
            return;
        }
        if (ahead("(?#")) {
            while (more() && in_[at_] != ')') at_ += in_[at_] == '\\' ? 2 : 1;
            if (!more()) return fail("end pattern in group");
            ++at_;
            return;
        }
        for (std::string_view same : {"(?<=", "(?<!", "(?=", "(?!", "(?>", "(?:"}) {
            if (!ahead(same)) continue;
            push();
            out_ += same;
            at_ += same.size();
            return;
        }
        if (ahead("(?<") || ahead("(?'")) {
            const char end = peek(2) == '<' ? '>' : '\'';
            at_ += 3;
            const std::string_view name = name_until(end);
            if (to_.error != nullptr) return;
            push();
            to_.names_groups = true;
            out_ += "(?<";
            out_ += name;
            out_ += '>';
            return;
        }
        if (ahead("(?(")) {
            const std::size_t end = in_.find(')', at_ + 3);
            if (end == std::string_view::npos) return fail("invalid conditional pattern");
            const std::string_view what = in_.substr(at_ + 3, end - at_ - 3);
            for (const char c : what) {
                if (!is_digit(c) && !is_letter(c) && c != '_' && c != '<' && c != '>' && c != '\'') {
                    return fail("invalid conditional pattern");
                }
            }
            push();
            out_ += "(?(";
            out_ += what;
            out_ += ')';
            at_ = end + 1;
            return;
        }
        if (ahead("(?~")) return fail("the absence operator (?~ ) is not supported");
        flags();
    }

    std::string_view name_until(char end) {
        const std::size_t begin = at_;
        while (more() && in_[at_] != end) ++at_;
        const std::string_view name = in_.substr(begin, at_ - begin);
        if (!more()) return fail("invalid group name <>"), name;
        ++at_;
        bool good = !name.empty() && name.size() <= 32 && !is_digit(name.front());
        for (const char c : name) good = good && (is_digit(c) || is_letter(c) || c == '_');
        if (!good) fail("invalid group name (letters, digits and _, 32 at most)");
        return name;
    }

    // (?imx-imx) and (?imx-imx:
    void flags() {
        at_ += 2;
        std::string on = "(?";
        bool off = false, extended = extended_;
        for (; more(); ++at_) {
            const char c = in_[at_];
            if (c == '-') {
                if (off) return fail("undefined group option");
                off = true;
                on += '-';
            } else if (c == 'i') {
                on += 'i';
            } else if (c == 'm') {
                on += 's';
            } else if (c == 'x') {
                on += 'x';
                extended = !off;
            } else if (c != 'a' && c != 'u' && c != 'd') {
                break;
            }
        }
        if (!more()) return fail("end pattern in group");
        if (on.back() == '-') on.pop_back();
        if (in_[at_] == ':') {
            push();
            out_ += on;
            out_ += ':';
        } else if (in_[at_] == ')') {
            out_ += on;
            out_ += ':';
            ++closers_;
        } else {
            return fail("undefined group option");
        }
        extended_ = extended;
        ++at_;
    }

    void close() {
        if (groups_.empty()) return fail("unmatched close parenthesis");
        out_.append(closers_, ')');
        out_ += ')';
        ++at_;
        atom_ = groups_.back().begin;
        closers_ = groups_.back().closers;
        extended_ = groups_.back().extended;
        groups_.pop_back();
    }

    // --- escapes ------------------------------------------------------------------------------------------------------------

    void escape() {
        if (!more(2)) return fail("too short escape sequence");
        const char c = peek(1);
        std::uint32_t scalar;
        if (character(scalar)) return literal(out_, scalar);
        if (to_.error != nullptr) return;
        at_ += 2;
        switch (c) {
            case 'd':
            case 'D':
            case 's':
            case 'S':
            case 'w':
            case 'W':
                if (!utf8_) break;
                [[fallthrough]];
            case 'h':
            case 'H':
                out_ += '[';
                members(out_, c);
                out_ += ']';
                return;
            case 'G': to_.anchored_search = true; break;
            case 'A':
            case 'Z':
            case 'z':
            case 'b':
            case 'B':
            case 'K':
            case 'R':
            case 'X': break;
            case 'p':
            case 'P': return named_property(out_, c);
            case 'k':
            case 'g': return reference(c);
            default:
                if (is_digit(c)) {
                    out_ += '\\';
                    out_ += c;
                    while (more() && is_digit(in_[at_])) out_ += in_[at_++];
                    return;
                }
                if (is_letter(c)) {
                    out_ += c;
                    return;
                }
                if (static_cast<unsigned char>(c) >= 0x80) {
                    to_.needs_utf8 = true;
                    out_ += c;
                    return;
                }
        }
        out_ += '\\';
        out_ += c;
    }

    void reference(char c) {
        const char begin = peek();
        if (begin != '<' && begin != '\'') {
            out_ += c;
            return;
        }
        ++at_;
        const char end = begin == '<' ? '>' : '\'';
        const std::size_t close = in_.find(end, at_);
        if (close == std::string_view::npos || close == at_) return fail("invalid backref number/name");
        const std::string_view name = in_.substr(at_, close - at_);
        std::size_t digits = name.front() == '-' || name.front() == '+';
        const std::size_t first = digits;
        while (digits < name.size() && is_digit(name[digits])) ++digits;
        const bool number = digits == name.size() && digits > first;
        if (!number) {
            name_until(end);
            if (to_.error != nullptr) return;
        }
        at_ = close + 1;
        if (c == 'k' && number) {
            out_ += "\\g{";
            out_ += name;
            out_ += '}';
            return;
        }
        out_ += '\\';
        out_ += c;
        out_ += '<';
        out_ += name;
        out_ += '>';
    }

    // \n \x41 \u00e9 \u{e9} \001 \cA \C-a: one character. \u{61 62} leaves the further ones where they are.
    bool character(std::uint32_t& scalar) {
        const char c = peek(1);
        switch (c) {
            case 'a': scalar = 7; break;
            case 'e': scalar = 27; break;
            case 'f': scalar = 12; break;
            case 'n': scalar = 10; break;
            case 'r': scalar = 13; break;
            case 't': scalar = 9; break;
            case 'v': scalar = 11; break;
            case '0': {
                scalar = 0;
                std::size_t i = 2;
                for (; i < 4 && peek(i) >= '0' && peek(i) <= '7'; ++i)
                    scalar = scalar * 8 + static_cast<unsigned>(peek(i) - '0');
                at_ += i;
                return true;
            }
            case 'c': return control(2, scalar);
            case 'C':
                if (peek(2) != '-') return fail("too short control sequence"), false;
                return control(3, scalar);
            case 'M': return fail("\\M- is not supported: write \\xHH"), false;
            case 'x': return byte_escape(scalar);
            case 'u': return unicode_escape(scalar);
            default: return false;
        }
        at_ += 2;
        return true;
    }

    bool control(std::size_t skip, std::uint32_t& scalar) {
        if (!more(skip + 1)) return fail("too short control sequence"), false;
        const auto c = static_cast<unsigned char>(peek(skip));
        scalar = c == '?' ? 0x7f : c & 0x1f;
        at_ += skip + 1;
        return true;
    }

    bool byte_escape(std::uint32_t& scalar) {
        const auto one = [&](std::size_t from, unsigned& value) -> std::size_t {
            const int high = hex_of(peek(from));
            if (high < 0) return 0;
            const int low = hex_of(peek(from + 1));
            value = static_cast<unsigned>(low < 0 ? high : high * 16 + low);
            return low < 0 ? 1 : 2;
        };
        unsigned value = 0;
        const std::size_t n = one(2, value);
        if (n == 0) return fail("invalid hex escape"), false;
        scalar = value;
        if (value < 0x80 || !utf8_) {
            at_ += 2 + n;
            return true;
        }
        // Its bytes may be a character's, one escape each.
        char bytes[4] = {static_cast<char>(value)};
        std::size_t size = 1, i = 2 + n;
        while (size < 4 && peek(i) == '\\' && peek(i + 1) == 'x') {
            const std::size_t m = one(i + 2, value);
            if (m == 0 || (value & 0xC0) != 0x80) break;
            bytes[size++] = static_cast<char>(value);
            i += 2 + m;
        }
        const auto d = scalar::decode_utf8(bytes, bytes + size);
        if (d.length == 0 || d.length != size) {
            to_.needs_bytes = true;
            at_ += 2 + n;
            return true;
        }
        scalar = d.scalar;
        at_ += i;
        return true;
    }

    bool unicode_escape(std::uint32_t& scalar) {
        scalar = 0;
        std::size_t i = 2;
        const bool braces = peek(2) == '{';
        if (braces) {
            ++i;
            while (peek(i) == ' ') ++i;
        }
        const std::size_t begin = i;
        while (hex_of(peek(i)) >= 0 && i - begin < (braces ? 6u : 4u)) {
            scalar = scalar * 16 + static_cast<unsigned>(hex_of(peek(i)));
            ++i;
        }
        if (i == begin || (!braces && i - begin != 4)) return fail("invalid Unicode escape"), false;
        if (scalar > 0x10FFFF || (scalar >= 0xD800 && scalar <= 0xDFFF)) return fail("invalid Unicode range"), false;
        if (scalar >= 0x80) to_.needs_utf8 = true;
        if (braces) {
            while (peek(i) == ' ') ++i;
            if (peek(i) != '}') return fail("\\u{...} takes one character here"), false;
            ++i;
        }
        at_ += i;
        return true;
    }

    // A character by its number, outside or inside brackets.
    void literal(std::string& to, std::uint32_t scalar, bool inside = false) {
        char text[16];
        if (utf8_ || scalar < 0x100) {
            to.append(text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "\\x{%x}", scalar)));
            return;
        }
        char bytes[4];
        const char* const end = scalar::encode_utf8(bytes, scalar);
        if (!inside) to += "(?:";
        for (const char* p = bytes; p != end; ++p) {
            to.append(text,
                      static_cast<std::size_t>(std::snprintf(text, sizeof text, "\\x%02x", static_cast<unsigned char>(*p))));
        }
        if (!inside) to += ')';
    }

    void members(std::string& to, char name) {
        const bool others = name < 'a';
        for (const ascii_class& c : ascii_classes) {
            if (c.name != (name | 0x20)) continue;
            to += others ? c.others : c.members;
            if (others) to += utf8_ ? R"(\x{80}-\x{10ffff})" : R"(\x80-\xff)";
        }
    }

    // Behind \p or \P.
    void named_property(std::string& to, char c) {
        if (peek() != '{') return fail("invalid character property name {p}");
        const std::size_t end = in_.find('}', at_);
        if (end == std::string_view::npos) return fail("invalid character property name");
        std::string_view name = in_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        bool negative = c == 'P';
        if (name.starts_with('^')) {
            negative = !negative;
            name.remove_prefix(1);
        }
        std::string plain;
        for (const char l : name) {
            if (l == ' ' || l == '-' || l == '_') continue;
            if (!is_letter(l) && !is_digit(l)) return fail("invalid character property name");
            plain += static_cast<char>(l | 0x20);
        }
        to += negative ? "\\P{" : "\\p{";
        bool known = false;
        for (const property& p : properties) {
            if (plain != p.ruby) continue;
            to += p.pcre2;
            known = true;
        }
        if (!known) to += name;
        to += '}';
    }

    // --- classes ------------------------------------------------------------------------------------------------------------

    // One side of &&: plain members, and classes within.
    struct side {
        std::string sets;  // \w and the like, which no range can begin or end with
        std::string plain;
        std::vector<std::string> inner;

        std::string text() const {
            std::string own;
            if (!sets.empty() || !plain.empty()) own = "[" + sets + plain + "]";
            if (inner.empty()) return own;
            std::string all = "(?:" + own;
            for (std::size_t i = 0; i < inner.size(); ++i) {
                if (i != 0 || !own.empty()) all += '|';
                all += inner[i];
            }
            return all + ")";
        }
    };

    // A whole class, behind its bracket; an expression for one character.
    std::string set(int depth) {
        if (depth == most_nested_classes) return fail("character classes are nested too deeply"), std::string();
        bool negative = false;
        if (peek() == '^') {
            negative = true;
            ++at_;
        }
        std::vector<side> sides(1);
        bool first = true;
        for (;; first = false) {
            if (to_.error != nullptr) return {};
            if (!more()) return fail("premature end of char-class"), std::string();
            side& now = sides.back();
            const char c = in_[at_];
            if (c == ']') {
                if (first && in_.find(']', at_ + 1) == std::string_view::npos) return fail("empty char-class"), std::string();
                ++at_;
                if (!first) break;
                now.plain += "\\]";
            } else if (c == '[') {
                inside_bracket(now, depth);
            } else if (c == '&' && peek(1) == '&') {
                at_ += 2;
                sides.emplace_back();
            } else if (c == '\\') {
                inside_escape(now);
            } else {
                if (static_cast<unsigned char>(c) >= 0x80) to_.needs_utf8 = true;
                if (c == '-' && (first || now.plain.empty())) now.plain += '\\';
                now.plain += c;
                ++at_;
            }
        }
        for (const side& s : sides) {
            if (s.sets.empty() && s.plain.empty() && s.inner.empty()) return fail("empty char-class"), std::string();
        }
        if (sides.size() == 1 && sides[0].inner.empty()) {
            return (negative ? "[^" : "[") + sides[0].sets + sides[0].plain + "]";
        }
        std::string all;
        for (std::size_t i = 0; i < sides.size(); ++i) {
            const bool last = i + 1 == sides.size();
            all += last ? sides[i].text() : "(?=" + sides[i].text() + ")";
        }
        return negative ? "(?:(?!" + all + ")(?s:.))" : "(?:" + all + ")";
    }

    void inside_bracket(side& now, int depth) {
        if (peek(1) == ':') {
            const std::size_t end = in_.find(":]", at_ + 2);
            if (end != std::string_view::npos && in_.substr(at_, end - at_).find_first_of("]\\") == std::string_view::npos) {
                settle(now);
                now.sets += in_.substr(at_, end + 2 - at_);
                at_ = end + 2;
                return after_set(now);
            }
        }
        ++at_;
        settle(now);
        now.inner.push_back(set(depth + 1));
    }

    // A dash before or behind a set is a dash.
    static void settle(side& now) {
        if (now.plain.size() > 1 && now.plain.back() == '-' && now.plain[now.plain.size() - 2] != '\\') {
            now.plain.back() = '\\';
            now.plain += '-';
        }
    }
    void after_set(side& now) {
        if (peek() != '-' || peek(1) == ']') return;
        now.plain += "\\-";
        ++at_;
    }

    void inside_escape(side& now) {
        if (!more(2)) return fail("premature end of char-class");
        const char c = peek(1);
        std::uint32_t scalar;
        if (c == 'b') {
            now.plain += "\\x08";
            at_ += 2;
            return;
        }
        if (c >= '1' && c <= '7') {  // no groups here: octal
            scalar = 0;
            ++at_;
            for (int i = 0; i < 3 && peek() >= '0' && peek() <= '7'; ++i)
                scalar = scalar * 8 + static_cast<unsigned>(in_[at_++] - '0');
            return literal(now.plain, scalar & 0xff, true);
        }
        if (character(scalar)) return literal(now.plain, scalar, true);
        if (to_.error != nullptr) return;
        at_ += 2;
        switch (c) {
            case 'd':
            case 'D':
            case 's':
            case 'S':
            case 'w':
            case 'W':
            case 'h':
            case 'H':
                settle(now);
                members(now.sets, c);
                return after_set(now);
            case 'p':
            case 'P':
                settle(now);
                named_property(now.sets, c);
                return after_set(now);
            case 'R':
            case 'X': return fail("\\R and \\X have no meaning in a class");
            default:
                if (!is_letter(c) && !is_digit(c) && static_cast<unsigned char>(c) < 0x80) now.plain += '\\';
                if (static_cast<unsigned char>(c) >= 0x80) to_.needs_utf8 = true;
                now.plain += c;
        }
    }

    std::string_view in_;
    std::size_t at_ = 0;
    bool utf8_;
    translation& to_;
    std::string& out_;
    bool extended_;
    std::size_t atom_ = 0;
    unsigned closers_ = 0;  // groups that flags have opened here
    std::vector<group> groups_;
};

}  // namespace

bool translate(std::string_view ruby, unsigned options, bool utf8, translation& out) {
    out = {};
    return translator(ruby, options, utf8, out).run();
}

}  // namespace kumihimo::inline v0::mruby
