#include <cstdio>

#include "engine/scalar/utf8.hpp"
#include "pattern_translator.hpp"

namespace kumihimo::inline v0::mruby::made {

namespace {

// The members of a class of Ruby's, as ranges for the inside of brackets. `others` are its complement up to U+7F; what
// follows up to the last character is the same for all.
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
// Those that are several of PCRE2's: the inside of a class.
constexpr property sums[] = {
    {"graph", R"(\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Co})"},
    {"print", R"(\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Co}\p{Zs})"},
    {"blank", R"(\x09\p{Zs})"},
    {"xdigit", "0-9A-Fa-f"},
};

}  // namespace

void translator::escape() {
    if (!more(2)) return fail("too short escape sequence");
    const char c = peek(1);
    if (static_cast<unsigned char>(c) >= 0x80) {
        ++at_;
        return step();
    }
    atom(std::string_view("ABGKZbz").find(c) != std::string_view::npos);
    std::uint32_t scalar;
    if (character(scalar)) return literal(out_, scalar);
    if (to_.error != nullptr) return;
    at_ += 2;
    if (names_set(c) && (utf8_ || c == 'h' || c == 'H')) {
        out_ += '[';
        members(out_, c);
        out_ += ']';
        return;
    }
    if (c == 'p' || c == 'P') return named_property(out_, c);
    if (c == 'k' || c == 'g') return reference(c);
    if (c == 'G') to_.anchored_search = true;
    // PCRE2 has these by the same letters, and gives others a meaning that Ruby's do not have.
    constexpr std::string_view same = "ABGKRXZbzdDsSwW";
    const bool plain = is_letter(c) && same.find(c) == std::string_view::npos;
    if (!plain) out_ += '\\';
    out_ += c;
    while (is_digit(c) && more() && is_digit(in_[at_])) out_ += in_[at_++];
}

void translator::reference(char c) {
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
    if (c == 'k') return named_reference(name);
    out_ += "\\g<";
    out_ += name;
    out_ += '>';
}

// Of several groups of one name, the last that matches here is meant.
void translator::named_reference(std::string_view name) {
    std::string all;
    std::size_t count = 0;
    for (std::size_t i = names_.size(); i-- > 0;) {
        if (names_[i] != name) continue;
        if (count++ != 0) all += '|';
        all += "\\g{" + std::to_string(i + 1) + "}";
    }
    if (count > 1) {
        out_ += "(?>" + all + ")";
    } else {
        out_ += "\\k<";
        out_ += name;
        out_ += '>';
    }
}

std::uint32_t translator::plain_character() {
    const char* const begin = in_.data() + at_;
    const auto d = scalar::decode_utf8(begin, in_.data() + in_.size());
    if (d.length == 0) {
        to_.needs_bytes = true;
        ++at_;
        return static_cast<unsigned char>(*begin) | raw_byte;
    }
    if (d.scalar >= 0x80) to_.needs_utf8 = true;
    at_ += d.length;
    return d.scalar;
}

bool translator::character(std::uint32_t& scalar) {
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
            for (; i < 4 && peek(i) >= '0' && peek(i) <= '7'; ++i) scalar = scalar * 8 + static_cast<unsigned>(peek(i) - '0');
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

bool translator::control(std::size_t skip, std::uint32_t& scalar) {
    if (!more(skip + 1)) return fail("too short control sequence"), false;
    const auto c = static_cast<unsigned char>(peek(skip));
    scalar = c == '?' ? 0x7f : c & 0x1f;
    at_ += skip + 1;
    return true;
}

bool translator::byte_escape(std::uint32_t& scalar) {
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
    if (value < 0x80) {
        at_ += 2 + n;
        return true;
    }
    // Its bytes may be a character's, one escape each.
    char bytes[4] = {static_cast<char>(value)};
    std::size_t size = 1, i = 2 + n;
    while (size < 4 && peek(i) == '\\' && peek(i + 1) == 'x') {
        const std::size_t m = one(i + 2, value);
        if (m == 0 || !is_continuation(static_cast<char>(value))) break;
        bytes[size++] = static_cast<char>(value);
        i += 2 + m;
    }
    const auto d = scalar::decode_utf8(bytes, bytes + size);
    if (d.length == 0 || d.length != size) {
        to_.needs_bytes = true;
        scalar |= raw_byte;
        at_ += 2 + n;
        return true;
    }
    to_.needs_utf8 = true;
    scalar = d.scalar;
    at_ += i;
    return true;
}

bool translator::unicode_escape(std::uint32_t& scalar) {
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

void translator::literal(std::string& to, std::uint32_t scalar) {
    char text[16];
    const bool raw = (scalar & raw_byte) != 0;
    scalar &= ~raw_byte;
    if (utf8_ || raw || scalar < 0x80) {
        to.append(text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "\\x{%x}", scalar)));
        return;
    }
    char bytes[4];
    const char* const end = scalar::encode_utf8(bytes, scalar);
    to += "(?:";
    for (const char* p = bytes; p != end; ++p) {
        to.append(text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "\\x%02x", static_cast<unsigned char>(*p))));
    }
    to += ')';
}

void translator::members(std::string& to, char name) {
    const bool others = name < 'a';
    for (const ascii_class& c : ascii_classes) {
        if (c.name != (name | 0x20)) continue;
        to += others ? c.others : c.members;
        if (others) to += utf8_ ? R"(\x{80}-\x{10ffff})" : R"(\x80-\xff)";
    }
}

void translator::named_property(std::string& to, char c, std::vector<std::string>* alternatives) {
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
        if (!is_letter_or_digit(l)) return fail("invalid character property name");
        plain += static_cast<char>(l | 0x20);
    }
    for (const property& p : sums) {
        if (plain != p.ruby) continue;
        const std::string all = (negative ? "[^" : "[") + std::string(p.pcre2) + "]";
        if (alternatives == nullptr)
            to += all;
        else if (negative)
            alternatives->push_back(all);
        else
            to += p.pcre2;
        return;
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

}  // namespace kumihimo::inline v0::mruby::made
