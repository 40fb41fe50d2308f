// The table of formats: one row each. Here, and nowhere else, a new format is named.
#pragma once
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "engine/cbor/format.hpp"
#include "engine/core/format.hpp"
#include "engine/json/format.hpp"
#include "engine/msgpack/format.hpp"
#include "engine/tagged/format.hpp"

namespace kumihimo::inline v0 {

template <format... F>
struct format_list {};

/// In the order in which a document without a mark is tried.
using formats = format_list<json::format, msgpack::format, tagged::format, cbor::format>;

/// The name of the first: the format of calls that are told none, where they do not look at the bytes.
inline constexpr std::string_view usual_format = []<format First, format... Rest>(format_list<First, Rest...>) {
    return First::name;
}
(formats{});

namespace detail {
template <class Visit, format... F>
constexpr void each_format(Visit& visit, format_list<F...>) {
    (visit(F{}), ...);
}
template <class Test, class Visit, format... F>
constexpr bool first_format(Test& test, Visit& visit, format_list<F...>) {
    return ((test(F{}) && (static_cast<void>(visit(F{})), true)) || ...);
}
}  // namespace detail

/// Calls visit(row) for each format, in order.
template <class Visit>
constexpr void each_format(Visit visit) {
    detail::each_format(visit, formats{});
}

/// Calls visit(row) for the first format that passes test(row); false where none does.
template <class Test, class Visit>
constexpr bool first_format(Test test, Visit visit) {
    return detail::first_format(test, visit, formats{});
}

/// visit(row) for the format of that name; false where there is none.
template <class Visit>
constexpr bool visit_format(std::string_view name, Visit visit) {
    return first_format([name](auto f) { return decltype(f)::name == name; }, visit);
}

/// The name of the format that a document's first bytes tell; empty where they tell none.
inline std::string_view format_of(bytes document) noexcept {
    std::string_view name;
    for (const likeness wanted : {likeness::certain, likeness::possible}) {
        const auto test = [&](auto f) { return decltype(f)::resembles(document) == wanted; };
        if (first_format(test, [&](auto f) { name = decltype(f)::name; })) break;
    }
    return name;
}

/// The name of the format with this media type, which may have parameters behind it ("application/json;
/// charset=utf-8"), in any case; empty where there is none.
std::string_view format_of_media_type(std::string_view type) noexcept;

/// The name of the format whose ending the path has, in any case; empty where there is none.
std::string_view format_of_path(std::string_view path) noexcept;

/// Whether the path's ending says, in any case, that the file has a document a line.
bool lines_by_path(std::string_view path) noexcept;

}  // namespace kumihimo::inline v0
