#include "pattern_translator.hpp"
// mruby's headers last
#include "../mruby/stack.hpp"

namespace kumihimo::inline v0::mruby::made {

std::string translator::set(int depth) {
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

void translator::inside_bracket(side& now, int depth) {
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

void translator::settle(side& now) {
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
        now.plain += "\\x08";
        at_ += 2;
        return;
    }
    if (c >= '1' && c <= '7') {  // no groups here: octal
        std::uint32_t scalar = 0;
        ++at_;
        for (int i = 0; i < 3 && peek() >= '0' && peek() <= '7'; ++i)
            scalar = scalar * 8 + static_cast<unsigned>(in_[at_++] - '0');
        return literal(now.plain, scalar & 0xff, true);
    }
    if (escaped_character(now.plain, true)) return;
    at_ += 2;
    if (names_set(c) || c == 'p' || c == 'P') {
        settle(now);
        if (names_set(c))
            members(now.sets, c);
        else
            named_property(now.sets, c);
        return after_set(now);
    }
    if (c == 'R' || c == 'X') return fail("\\R and \\X have no meaning in a class");
    if (!is_letter(c) && !is_digit(c) && static_cast<unsigned char>(c) < 0x80) now.plain += '\\';
    if (static_cast<unsigned char>(c) >= 0x80) to_.needs_utf8 = true;
    now.plain += c;
}

}  // namespace kumihimo::inline v0::mruby::made
