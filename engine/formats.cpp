#include "engine/formats.hpp"

#include <algorithm>

namespace kumihimo::inline v0 {

namespace {

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool same(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

bool ends_in(std::string_view path, std::string_view ending) noexcept {
    return path.size() > ending.size() && same(path.substr(path.size() - ending.size()), ending);
}

}  // namespace

std::string_view format_of_media_type(std::string_view type) noexcept {
    type = type.substr(0, type.find(';'));
    while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.remove_suffix(1);
    while (!type.empty() && (type.front() == ' ' || type.front() == '\t')) type.remove_prefix(1);
    std::string_view name;
    const auto test = [type](auto f) {
        return std::ranges::any_of(decltype(f)::media_types, [type](std::string_view m) { return same(m, type); });
    };
    first_format(test, [&](auto f) { name = decltype(f)::name; });
    return name;
}

std::string_view format_of_path(std::string_view path) noexcept {
    std::string_view name;
    const auto test = [path](auto f) {
        return std::ranges::any_of(decltype(f)::endings, [path](std::string_view e) { return ends_in(path, e); });
    };
    first_format(test, [&](auto f) { name = decltype(f)::name; });
    return name;
}

bool lines_by_path(std::string_view path) noexcept {
    const auto test = [path](auto f) {
        if constexpr (requires { decltype(f)::endings_of_lines; })
            return std::ranges::any_of(decltype(f)::endings_of_lines, [path](std::string_view e) { return ends_in(path, e); });
        else
            return false;
    };
    return first_format(test, [](auto) {});
}

}  // namespace kumihimo::inline v0
