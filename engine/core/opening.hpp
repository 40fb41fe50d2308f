// What a value's first bytes say about it, to a walk that looks for values and not at them.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kumihimo::inline v0 {

struct opening {
    enum class kind : std::uint8_t { map, array, null, other };
    kind is = kind::other;
    bool open_ended = false;  // a container whose end is marked and not counted
    std::size_t size = 0;     // of a container: the bytes before its first key or element
    std::uint64_t count = 0;  // pairs or elements
};

}  // namespace kumihimo::inline v0
