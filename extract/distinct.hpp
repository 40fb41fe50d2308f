// Rows that are the first with their values in some columns; the others are taken out. It sees all rows in input
// order.
//
// What was seen is kept whole, not as a hash, so that no row is lost to a collision; memory is bounded.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/buffer.hpp"
#include "engine/core/errc.hpp"
#include "extract/batch.hpp"

namespace kumihimo::inline v0::extract {

class distinct_rows {
public:
    /// `most`: bytes that what was seen may take.
    distinct_rows(std::vector<std::string> columns, std::size_t most) : names_(std::move(columns)), most_(most) {}

    /// Takes the other rows out of the batch, and what comes behind its first `limit` new ones. Two values are the
    /// same when they have the same bytes in their column, null is one of its own. errc::size: memory's bound was
    /// passed. Throws std::bad_alloc.
    errc filter(batch& rows, std::uint64_t limit);

    /// Why there cannot be distinct rows in these columns; empty: there can.
    static std::string refusal(const std::vector<std::string>& columns, const schema& of);

private:
    struct slot {
        std::uint64_t hash = 0;
        std::uint64_t at = 0;  // in keys_, counted from 1; 0: empty
        std::uint32_t size = 0;
    };
    void bind(const schema& of);
    void make_key(const batch& rows, std::size_t row);
    bool add(std::uint64_t hash);
    bool grow();

    std::vector<std::string> names_;
    std::size_t most_;
    std::vector<std::size_t> columns_;
    const schema* bound_ = nullptr;
    buffer text_;       // of a list or a struct
    std::string key_;   // of the row at hand
    std::string keys_;  // all, one behind the other
    std::vector<slot> slots_;
    std::size_t count_ = 0;
    std::vector<std::uint32_t> kept_;
    bool full_ = false;
};

}  // namespace kumihimo::inline v0::extract
