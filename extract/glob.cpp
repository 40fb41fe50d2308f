#include "extract/glob.hpp"

#include <cstddef>

#include "engine/scalar/utf8.hpp"

namespace kumihimo::inline v0::extract {
namespace {

// The length of the UTF-8 character at s; a broken one counts as one byte.
std::size_t character(std::string_view s) {
    const std::size_t n = static_cast<unsigned char>(s[0]) < 0xc0 ? 1 : scalar::utf8_sequence_size(s[0]);
    return n <= s.size() ? n : 1;
}

// Matches the set at p[0] == '[' against the character c. Sets `used` to the set's length in the pattern, 0 when it is
// not closed (then [ is an ordinary character).
bool in_set(std::string_view p, std::string_view c, std::size_t& used) {
    std::size_t i = 1;
    bool negated = false, found = false;
    if (i < p.size() && (p[i] == '!' || p[i] == '^')) {
        negated = true;
        ++i;
    }
    for (bool first = true;; first = false) {
        if (i >= p.size()) {
            used = 0;
            return false;
        }
        if (p[i] == ']' && !first) break;
        if (p[i] == '\\' && i + 1 < p.size()) ++i;
        const std::size_t n = character(p.substr(i));
        const std::string_view low = p.substr(i, n);
        i += n;
        if (i + 1 < p.size() && p[i] == '-' && p[i + 1] != ']') {
            ++i;
            if (p[i] == '\\' && i + 1 < p.size()) ++i;
            const std::size_t m = character(p.substr(i));
            const std::string_view high = p.substr(i, m);
            i += m;
            // UTF-8 compares like code points, byte by byte, and string_view compares bytes without sign.
            found = found || (low <= c && c <= high);
        } else {
            found = found || low == c;
        }
    }
    used = i + 1;
    return found != negated;
}

// Iterative, with one point to go back to for * and one for **: linear in practice, never exponential. Going back to
// an outer
// ** makes an inner * of no use, as it could only have matched less.
bool match(std::string_view p, std::string_view s) {
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t i = 0, j = 0;
    std::size_t star_p = none, star_s = 0;  // after the last *, and where it gave up in s
    std::size_t deep_p = none, deep_s = 0;  // after the last **
    const auto retry = [&] {
        if (star_p != none && star_s < s.size() && s[star_s] != '/') {
            j = ++star_s;
            i = star_p;
            return true;
        }
        if (deep_p != none && deep_s < s.size()) {
            // "**/" resumes only behind a slash.
            ++deep_s;
            if (p[deep_p - 1] == '/')
                while (deep_s < s.size() && s[deep_s - 1] != '/') ++deep_s;
            if (deep_s >= s.size() && p[deep_p - 1] == '/' && deep_p < p.size() && s[deep_s - 1] != '/') return false;
            j = deep_s;
            i = deep_p;
            star_p = none;
            return true;
        }
        return false;
    };
    for (;;) {
        if (i == p.size()) {
            if (j == s.size()) return true;
            if (!retry()) return false;
            continue;
        }
        if (p[i] == '*') {
            if (i + 1 < p.size() && p[i + 1] == '*') {
                while (i < p.size() && p[i] == '*') ++i;
                if (i < p.size() && p[i] == '/') ++i;
                deep_p = i;
                deep_s = j;
                star_p = none;
            } else {
                star_p = ++i;
                star_s = j;
            }
            continue;
        }
        bool same = false;
        std::size_t pattern_step = 1, text_step = 1;
        if (j < s.size()) {
            if (p[i] == '?') {
                text_step = character(s.substr(j));
                same = s[j] != '/';
            } else if (p[i] == '[') {
                text_step = character(s.substr(j));
                same = s[j] != '/' && in_set(p.substr(i), s.substr(j, text_step), pattern_step);
                if (s[j] == '/') pattern_step = 1;
                if (pattern_step == 0) {
                    pattern_step = text_step = 1;
                    same = s[j] == '[';
                }
            } else {
                if (p[i] == '\\' && i + 1 < p.size()) pattern_step = 2;
                same = p[i + pattern_step - 1] == s[j];
            }
        }
        if (same) {
            i += pattern_step;
            j += text_step;
        } else if (!retry()) {
            return false;
        }
    }
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view path) noexcept {
    if (pattern.find('/') == std::string_view::npos && pattern.find("**") == std::string_view::npos) {
        const std::size_t slash = path.rfind('/');
        if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
    }
    return match(pattern, path);
}

bool glob_any(const std::vector<std::string>& patterns, std::string_view path) noexcept {
    if (patterns.empty()) return true;
    for (const std::string& p : patterns)
        if (glob_matches(p, path)) return true;
    return false;
}

}  // namespace kumihimo::inline v0::extract
