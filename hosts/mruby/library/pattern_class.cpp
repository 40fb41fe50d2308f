#include <cstdio>

#include "pattern_translator.hpp"
// mruby's headers last
#include "../vm/stack.hpp"

namespace kumihimo::inline v0::mruby::made {

namespace {

// In a text of bytes, what is none of a class's characters is a whole character, or a byte that belongs to none.
constexpr char character_of_bytes[] =
    "(?!(?<=[\\xc2-\\xdf])[\\x80-\\xbf]|(?<=[\\xe0-\\xef])[\\x80-\\xbf]{2}|(?<=[\\xe0-\\xef][\\x80-\\xbf])[\\x80-\\xbf]"
    "|(?<=[\\xf0-\\xf4])[\\x80-\\xbf]{3}|(?<=[\\xf0-\\xf4][\\x80-\\xbf])[\\x80-\\xbf]{2}"
    "|(?<=[\\xf0-\\xf4][\\x80-\\xbf]{2})[\\x80-\\xbf])"
    "(?:[\\xc2-\\xdf][\\x80-\\xbf]|[\\xe0-\\xef][\\x80-\\xbf]{2}|[\\xf0-\\xf4][\\x80-\\xbf]{3}|(?s:.))";

}  // namespace

std::string translator::set(int depth, bool& wide) {
    if (depth == most_nested_classes || !machine_stack::has_room())
        return fail("character classes are nested too deeply"), std::string();
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
        } else if (c == '-') {
            if (first || now.plain.empty()) now.plain += '\\';
            now.plain += c;
            ++at_;
        } else if (static_cast<unsigned char>(c) < 0x80) {
            now.put(static_cast<unsigned char>(c), in_.substr(at_, 1));
            ++at_;
        } else {
            member(now, plain_character());
        }
    }
    for (const side& s : sides) {
        if (s.sets.empty() && s.plain.empty() && s.inner.empty()) return fail("empty char-class"), std::string();
    }
    if (sides.size() == 1 && sides[0].inner.empty()) {
        return (negative ? "[^" : "[") + sides[0].sets + sides[0].plain + "]";
    }
    // The last takes the character; in bytes, the one that knows how long it is.
    for (side& s : sides) {
        if (!s.wide) continue;
        wide = true;
        std::swap(s, sides.back());
    }
    std::string all;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const bool last = i + 1 == sides.size();
        all += last ? sides[i].text() : "(?=" + sides[i].text() + ")";
    }
    if (!negative) return "(?:" + all + ")";
    return "(?:(?!" + all + ")" + (wide ? character_of_bytes : "(?s:.)") + ")";
}

void translator::inside_bracket(side& now, int depth) {
    if (peek(1) == ':') {
        const std::size_t end = in_.find(":]", at_ + 2);
        if (end != std::string_view::npos && in_.substr(at_, end - at_).find_first_of("]\\") == std::string_view::npos) {
            escape_last_dash(now);
            now.sets += in_.substr(at_, end + 2 - at_);
            at_ = end + 2;
            return after_set(now);
        }
    }
    ++at_;
    escape_last_dash(now);
    now.inner.push_back(set(depth + 1, now.wide));
}

void translator::escape_last_dash(side& now) {
    if (now.plain.size() > 1 && now.plain.back() == '-' && now.plain[now.plain.size() - 2] != '\\') {
        now.plain.back() = '\\';
        now.plain += '-';
    }
}

void translator::after_set(side& now) {
    if (peek() != '-' || peek(1) == ']') return;
    now.plain += "\\-";
    ++at_;
}

void translator::inside_escape(side& now) {
    if (!more(2)) return fail("premature end of char-class");
    const char c = peek(1);
    if (c == 'b') {
        now.put(8, "\\x08");
        at_ += 2;
        return;
    }
    if (c >= '1' && c <= '7') {  // no groups here: octal
        std::uint32_t scalar = 0;
        ++at_;
        for (int i = 0; i < 3 && peek() >= '0' && peek() <= '7'; ++i)
            scalar = scalar * 8 + static_cast<unsigned>(in_[at_++] - '0');
        scalar &= 0xff;
        return member(now, scalar < 0x80 ? scalar : scalar | raw_byte);
    }
    if (static_cast<unsigned char>(c) >= 0x80) {
        ++at_;
        return member(now, plain_character());
    }
    std::uint32_t scalar;
    if (character(scalar)) return member(now, scalar);
    if (to_.error != nullptr) return;
    at_ += 2;
    if (names_set(c) || c == 'p' || c == 'P') {
        escape_last_dash(now);
        if (names_set(c))
            members(now.sets, c);
        else
            named_property(now.sets, c, &now.inner);
        return after_set(now);
    }
    if (c == 'R' || c == 'X') return fail("\\R and \\X have no meaning in a class");
    const char text[] = {'\\', c};
    const std::size_t skip = is_letter_or_digit(c) ? 1 : 0;
    now.put(static_cast<unsigned char>(c), {text + skip, 2 - skip});
}

void translator::member(side& now, std::uint32_t scalar) {
    if (!utf8_ && scalar >= 0x80 && (scalar & raw_byte) == 0) return wide_member(now, scalar);
    char text[16];
    const int n = std::snprintf(text, sizeof text, "\\x{%x}", scalar & ~raw_byte);
    now.put(scalar, {text, static_cast<std::size_t>(n)});
}

namespace {

void put_byte(std::string& to, unsigned byte) {
    char text[8];
    to.append(text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "\\x%02x", byte)));
}

// Byte `i` of the n that a character takes.
unsigned byte_of(std::uint32_t scalar, int i, int n) noexcept {
    const unsigned low = scalar >> (6 * (n - 1 - i));
    return i != 0 ? 0x80 | (low & 0x3f) : (0xff00 >> n & 0xff) | low;
}

// The characters of a range as alternatives of bytes:
//
//      U+00E0-U+08FF   \xc3[\xa0-\xbf]   [\xc4-\xdf][\x80-\xbf]   \xe0[\xa0-\xa3][\x80-\xbf]
void put_range(std::vector<std::string>& to, std::uint32_t low, std::uint32_t high) {
    for (const std::uint32_t last : {0x7ffu, 0xffffu}) {
        if (low > last || high <= last) continue;
        put_range(to, low, last);
        return put_range(to, last + 1, high);
    }
    const int n = high <= 0x7ff ? 2 : high <= 0xffff ? 3 : 4;
    for (int i = 1; i < n; ++i) {
        const std::uint32_t rest = (1u << (6 * i)) - 1;
        if ((low & ~rest) == (high & ~rest)) continue;
        if ((low & rest) != 0) {
            put_range(to, low, low | rest);
            return put_range(to, (low | rest) + 1, high);
        }
        if ((high & rest) != rest) {
            put_range(to, low, (high & ~rest) - 1);
            return put_range(to, high & ~rest, high);
        }
    }
    std::string bytes;
    for (int i = 0; i < n; ++i) {
        const unsigned from = byte_of(low, i, n), until = byte_of(high, i, n);
        if (from == until) {
            put_byte(bytes, from);
            continue;
        }
        bytes += '[';
        put_byte(bytes, from);
        bytes += '-';
        put_byte(bytes, until);
        bytes += ']';
    }
    to.push_back(std::move(bytes));
}

}  // namespace

void translator::wide_member(side& now, std::uint32_t scalar) {
    now.wide = true;
    if (now.begins_range()) {
        if ((now.low & raw_byte) != 0) return fail("empty range in char class");
        const std::uint32_t low = now.low;
        now.plain.resize(now.low_at);
        put_byte(now.plain, low);
        now.plain += R"(-\x7f)";
        now.low_end = 0;
        return put_range(now.inner, 0x80, scalar);
    }
    std::uint32_t high = scalar;
    // A dash before a set, or before the end, is a dash.
    if (peek() == '-' && more(2) && peek(1) != ']' && peek(1) != '[' && !(peek(1) == '&' && peek(2) == '&')) {
        const std::size_t dash = at_++;
        if (peek() != '\\') {
            high = plain_character();
        } else if (!character(high)) {
            if (to_.error != nullptr) return;
            at_ = dash;
            high = scalar;
        }
        if (high < scalar || (high & raw_byte) != 0) return fail("empty range in char class");
    }
    put_range(now.inner, scalar, high);
}

}  // namespace kumihimo::inline v0::mruby::made
