// Where rows of a document's arrays stand: the elements that lie behind, of each array that is under way.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace kumihimo::inline v0::extract {

struct row_position {
    static constexpr std::size_t most = 4;  // arrays inside of one another
    static constexpr std::size_t no_array = static_cast<std::size_t>(-1);

    bool begun = false;            // else the document's first row is to come, and what follows means nothing
    std::size_t depth = no_array;  // of the innermost array that is under way, counted from 0
    std::array<std::uint64_t, most> behind{};
    std::uint64_t rows = 0;  // that lie behind
};

}  // namespace kumihimo::inline v0::extract
