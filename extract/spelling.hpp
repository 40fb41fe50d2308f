// Fields, types and rows as users write them: blanks around a part mean nothing, and sentences show it in quotes.
#pragma once
#include <string>
#include <string_view>

namespace kumihimo::inline v0::extract {

inline std::string quote(std::string_view s) { return '"' + std::string(s) + '"'; }

inline std::string_view trim_left(std::string_view s) noexcept {
    while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    return s;
}
inline std::string_view trim_right(std::string_view s) noexcept {
    while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
    return s;
}
inline std::string_view trim(std::string_view s) noexcept { return trim_left(trim_right(s)); }

}  // namespace kumihimo::inline v0::extract
