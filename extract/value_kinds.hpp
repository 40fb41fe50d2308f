// The kinds of values that an expression may give, besides null: a set that is known before any document is read.
// Where none of them is of use, the expression is refused, and not each row.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "extract/expression_text.hpp"

namespace kumihimo::inline v0::extract {

namespace kinds {
using set = std::uint8_t;
inline constexpr set number = 1, text = 2, boolean = 4, container = 8;  // an array or an object
inline constexpr set any = number | text | boolean | container;

/// Of a path's value. What is no number is an error where it is taken for one.
constexpr set of(value_as as) noexcept { return as == value_as::number ? number : as == value_as::text ? text : any; }

inline std::string name(set of) {
    constexpr std::pair<set, const char*> all[] = {
        {number, "a number"}, {text, "a text"}, {boolean, "true or false"}, {container, "a list of values"}};
    std::string out;
    for (const auto& [kind, said] : all)
        if ((of & kind) != 0) out += (out.empty() ? "" : " or ") + std::string(said);
    return out;
}
}  // namespace kinds

}  // namespace kumihimo::inline v0::extract
