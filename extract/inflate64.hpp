// Deflate64, the method 9 of Zips ("Enhanced Deflating"): deflate (RFC 1951) with a window of 64 KB. What is other:
//
//                            deflate             Deflate64
//      length, code 285      258, no bits        3 to 65538, 16 bits
//      distance, code 30     not used            32769 to 49152, 14 bits
//      distance, code 31     not used            49153 to 65536, 14 bits
//
// Neither zlib and libdeflate nor libarchive read it. The Explorer of Windows writes it when a file has 2 GB and more.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/core/context.hpp"
#include "extract/expansion.hpp"
#include "extract/source.hpp"

namespace kumihimo::inline v0::extract {

/// A prefix code as deflate's headers say it: by the lengths of its words alone, which are numbered in order.
class deflate_code {
public:
    static constexpr unsigned longest = 15, most = 288;
    static constexpr unsigned none = 0;

    /// False: no such code. As zlib, it takes one that leaves words over only if it has one word, or none.
    bool build(const std::uint8_t* lengths, unsigned n) noexcept;
    /// The symbol that the bits begin with, the first one lowest, as `symbol << 4 | length`; none: no word.
    unsigned find(std::uint64_t bits) const noexcept {
        const unsigned quick = quick_[bits & (quick_size - 1)];
        return quick != none ? quick : find_long(bits);
    }

private:
    static constexpr unsigned quick_bits = 10, quick_size = 1u << quick_bits;

    unsigned find_long(std::uint64_t bits) const noexcept;

    std::array<std::uint16_t, quick_size> quick_{};  // by the next bits, of words that are not longer
    // By length: behind its last word, in 15 bits and the first one highest; and what is added to such a word's number
    // for its place among the symbols.
    std::array<std::uint32_t, longest + 1> end_{};
    std::array<std::int32_t, longest + 1> place_{};
    std::array<std::uint16_t, most> symbols_{};  // by word
};

/// A stream on top of another.
class inflate64_source final : public expanding_source {
public:
    inflate64_source(byte_source& from, const expansion& allowed) noexcept;
    inflate64_source(const inflate64_source&) = delete;
    inflate64_source& operator=(const inflate64_source&) = delete;

    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override;
    std::uint64_t consumed() const noexcept override { return from_->consumed(); }
    std::uint64_t produced() const noexcept override { return produced_; }
    std::uint64_t proven() const noexcept override { return 0; }
    std::uint64_t taken() const noexcept override { return fed_ - (end_ - at_) - bits_ / 8; }

private:
    static constexpr std::size_t window = 65536, piece = 32768;
    enum class step : std::uint8_t { header, stored, symbols, end };
    // Why there is no more. `source`: the one below failed.
    enum class trouble : std::uint8_t { none, damaged, cut, source };

    void fill();
    bool take(unsigned n, unsigned& value);
    bool symbol(const deflate_code& by, unsigned& value);
    bool begin_block();
    bool read_codes();
    bool copy_stored(char* to, std::size_t room, std::size_t& got);
    bool expand(char* to, std::size_t room, std::size_t& got);
    void repeat(char* to, std::size_t room, std::size_t& got) noexcept;
    void put(unsigned char c, char* to, std::size_t& got) noexcept;
    bool fail(trouble why) noexcept {
        if (trouble_ == trouble::none) trouble_ = why;
        return false;
    }

    byte_source* from_;
    expansion allowed_;
    std::unique_ptr<unsigned char[]> window_, input_;
    std::size_t at_ = 0, end_ = 0;  // of the input
    std::uint64_t hold_ = 0;        // bits that come next, the first one lowest
    unsigned bits_ = 0;             // so many
    bool ended_ = false;            // the input
    step step_ = step::header;
    bool last_ = false;           // the block at hand is the last one
    std::uint32_t left_ = 0;      // of a stored block, or of a repetition
    std::uint32_t distance_ = 0;  // of the repetition
    std::uint64_t fed_ = 0, produced_ = 0;
    trouble trouble_ = trouble::none;
    context below_;
    deflate_code lengths_, distances_;
};

}  // namespace kumihimo::inline v0::extract
