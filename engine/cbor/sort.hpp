// Maps whose keys are sorted, and containers that get their count when they end, both where they lie: for the writer's
// dialects with an order of keys. Inner containers are done before outer ones, so that keys are compared as they will
// be, whatever they are.
//
// A byte moves at most twice for each container around it that is out of order (or has more than 23 values and came
// without their number); limits.depth bounds that. A document in order costs a look at its keys.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/cbor/header.hpp"
#include "engine/core/errc.hpp"
#include "engine/core/stack.hpp"

namespace kumihimo::inline v0::cbor {

class sorter {
public:
    // Places are offsets in the writer's buffer. False: memory is out.
    bool open(std::size_t offset) noexcept { return levels_.push({offset, keys_.size()}); }  // where the header will be
    bool key(std::size_t offset) noexcept { return keys_.push({offset, 0}); }                // where a pair begins
    void clear() noexcept {
        levels_.clear();
        keys_.clear();
    }

    /// Gives the innermost container, whose header is one byte so far, a header of 1 + wider bytes; data has room for
    /// them behind its `size` bytes.
    void widen(char* data, std::size_t size, major m, std::uint64_t n, unsigned wider) noexcept;
    /// Closes the innermost container, which ends where the data end, and sorts its pairs. errc::duplicate,
    /// errc::memory.
    errc close(char* data, std::size_t size, bool length_first) noexcept;

private:
    struct level {
        std::size_t header;
        std::size_t first;  // of its keys
    };
    struct entry {
        std::size_t offset;
        std::size_t size;  // of a key that is a container, so that it is not measured again for each map around it; else 0
    };
    std::size_t length(const entry& key, const unsigned char* data, std::size_t end) const noexcept;

    stack<level> levels_;
    stack<entry> keys_;
};

}  // namespace kumihimo::inline v0::cbor
