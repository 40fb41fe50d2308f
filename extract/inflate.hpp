// Inflate for data whose bytes are all there: whole buffers by libdeflate, one decompressor per worker. Streams:
// gzip.hpp.
//
// Slack. libdeflate leaves its fast loop some 300 bytes before the end of the output and some 30 before the end of the
// input; for entries of a few KB that tail costs 14 % of the time. So both buffers are announced longer than they need
// to be (the input only up to the end of the file it lies in), and two size tests afterwards require what the archive
// announced:
//
//      input     ...|==== packed ====|-- 64: the next entry's header --|...
//      output       |======== size ========|------- 320 spare -------|
//
// An entry that runs on into its neighbour, or is longer or shorter than announced, fails these tests.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"

struct libdeflate_decompressor;

namespace kumihimo::inline v0::extract {

/// CRC-32 as Zip and gzip use it; start with 0 and feed the result back in for the next piece.
std::uint32_t crc32(std::uint32_t so_far, bytes data) noexcept;

/// Memory for one entry after the other. Grows to what the largest needs and is given back by trim(), so that one huge
/// entry does not stay in every worker; at the usual size it lives in the cache.
class arena {
public:
    static constexpr std::size_t slack = 320;

    /// Room for n bytes and the slack; nullptr when memory is out. What was there before is lost unless `keep` bytes
    /// of it are asked for.
    char* room(std::size_t n, std::size_t keep = 0) noexcept;
    char* data() noexcept { return memory_.get(); }
    std::size_t capacity() const noexcept { return capacity_; }
    void trim(std::size_t above) noexcept {
        if (capacity_ > above) {
            memory_.reset();
            capacity_ = 0;
        }
    }

private:
    struct release {
        void operator()(char* p) const noexcept;
    };
    std::unique_ptr<char[], release> memory_;
    std::size_t capacity_ = 0;  // without the slack
};

class inflater {
public:
    static constexpr std::size_t input_slack = 64;

    inflater() noexcept;
    ~inflater();
    inflater(const inflater&) = delete;
    inflater& operator=(const inflater&) = delete;

    /// Expands `packed`, which must be one deflate stream and nothing else, to exactly `size` bytes at `to`, where
    /// size + arena::slack bytes are writable. `readable` bytes from packed.data() on may be read (at least
    /// packed.size()). The failure's offset is `at`.
    errc exact(bytes packed, std::size_t readable, char* to, std::size_t size, std::uint64_t at, context& ctx) noexcept;

    enum class outcome : std::uint8_t { ok, damaged, more_room, no_memory };
    /// Expands one deflate stream at the start of `packed` into at most `room` bytes; says how much it read and wrote.
    outcome any(bytes packed, char* to, std::size_t room, std::size_t& read, std::size_t& written) noexcept;

private:
    libdeflate_decompressor* libdeflate_;
};

}  // namespace kumihimo::inline v0::extract
