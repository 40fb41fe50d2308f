// A value of the data model in C++: what a document is when nobody has a better idea. The readable reference of a host.
//
// Maps keep their order, their duplicates, and keys of any kind. Copying, comparing and destroying recurse with the nesting:
// limits.depth (default 1024) bounds it.
#pragma once
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/core/sink.hpp"

namespace kumihimo::inline v0::plain {

struct value;
struct member;

struct null {
    friend bool operator==(null, null) = default;
};
/// A number in its own digits.
struct big {
    std::string digits;
    friend bool operator==(const big&, const big&) = default;
};
using bin = std::vector<unsigned char>;
struct ext {
    int type = 0;
    bin data;
    friend bool operator==(const ext&, const ext&) = default;
};
/// A double, equal to another when the bits are: a NaN equals itself, and -0.0 is not 0.0.
struct real {
    double x = 0;
    friend bool operator==(real a, real b) { return std::bit_cast<std::uint64_t>(a.x) == std::bit_cast<std::uint64_t>(b.x); }
};
using array = std::vector<value>;
using map = std::vector<member>;

/// One value. Integers are int64_t where they fit, uint64_t above; build one from the right C++ type: value{std::int64_t{7}}.
struct value {
    std::variant<null, bool, std::int64_t, std::uint64_t, real, big, std::string, bin, instant, ext, array, map> is;

    template <class T>
    const T* as() const noexcept {
        return std::get_if<T>(&is);
    }
    template <class T>
    T* as() noexcept {
        return std::get_if<T>(&is);
    }
    /// The value of a text key: of duplicates the last. nullptr if there is none, or this is no map.
    const value* find(std::string_view key) const noexcept;

    friend bool operator==(const value&, const value&) = default;
};

/// One pair of a map.
struct member {
    value key;
    value item;
    friend bool operator==(const member&, const member&) = default;
};

inline const value* value::find(std::string_view key) const noexcept {
    const map* const m = as<map>();
    if (m == nullptr) return nullptr;
    for (auto at = m->rbegin(); at != m->rend(); ++at) {
        const std::string* const name = at->key.as<std::string>();
        if (name != nullptr && *name == key) return &at->item;
    }
    return nullptr;
}

}  // namespace kumihimo::inline v0::plain
