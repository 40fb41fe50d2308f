// MessagePack without the writer's checks, the cursor in registers: what engine/json/burst.hpp is for JSON, with the
// same verbs. A value that it has no verb for goes through a fresh writer on the same buffer, between stop() and
// resume().
//
// Every count is known when a container opens, so nothing is filled in afterwards. Long integers and text are not
// checked: the source vouches for valid UTF-8 of less than 4 GiB.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/core/big_endian.hpp"
#include "engine/core/burst_cursor.hpp"
#include "engine/msgpack/dialect.hpp"

namespace kumihimo::inline v0::msgpack {

template <output B>
class burst : public burst_cursor<B> {
public:
    static constexpr bool any_double = true;
    static constexpr bool keys_are_values = true;
    static constexpr std::size_t trailing = 0;

    static constexpr bool suits(const dialect&) noexcept { return true; }

    /// `most`: bytes in the buffer, looked at whenever more room is asked for.
    burst(B& out, const dialect&, std::size_t most = static_cast<std::size_t>(-1)) noexcept : cursor(out, most) {}
    burst(const burst&) = default;
    burst& operator=(const burst&) = delete;

    // False: memory is out, the limit is passed, or the value is none of the burst's; nothing was written.
    [[gnu::always_inline]] bool null() noexcept { return byte(0xc0); }
    [[gnu::always_inline]] bool boolean(bool b) noexcept { return byte(b ? 0xc3 : 0xc2); }
    [[gnu::always_inline]] bool i64(std::int64_t n) noexcept {
        if (!room(16)) [[unlikely]]
            return false;
        if (n >= -32 && n < 128) {
            *at_++ = static_cast<char>(n);
            return true;
        }
        if (n >= 0) {
            const auto u = static_cast<std::uint64_t>(n);
            return wide(u, u <= UINT8_MAX ? 0 : u <= UINT16_MAX ? 1 : u <= UINT32_MAX ? 2 : 3, 0xcc);
        }
        return wide(static_cast<std::uint64_t>(n), n >= INT8_MIN ? 0 : n >= INT16_MIN ? 1 : n >= INT32_MIN ? 2 : 3, 0xd0);
    }
    [[gnu::always_inline]] bool f64(double x) noexcept {
        if (!room(16)) [[unlikely]]
            return false;
        return wide(std::bit_cast<std::uint64_t>(x), 3, 0xc8);  // cb
    }
    [[gnu::always_inline]] bool str(const char* s, std::size_t n) noexcept {
        if (n < 32) [[likely]] {
            if (!room(40)) [[unlikely]]
                return false;
            *at_++ = static_cast<char>(0xa0 | n);
        } else {
            if (n > UINT32_MAX || !room(n + 16)) [[unlikely]]
                return false;
            wide(n, n <= UINT8_MAX ? 0 : n <= UINT16_MAX ? 1 : 2, 0xd9);
        }
        copy(s, n);
        return true;
    }
    [[gnu::always_inline]] bool key(const char* s, std::size_t n) noexcept { return str(s, n); }

    [[gnu::always_inline]] bool open(bool map, std::size_t n) noexcept {
        if (n > UINT32_MAX || !room(16)) [[unlikely]]
            return false;
        if (n < 16) [[likely]] {
            *at_++ = static_cast<char>((map ? 0x80 : 0x90) | n);
            return true;
        }
        return wide(n, n <= UINT16_MAX ? 1 : 2, map ? 0xdd : 0xdb);  // de df, dc dd
    }
    [[gnu::always_inline]] bool close(bool) noexcept { return true; }

    // What MessagePack has beyond the verbs that every burst has.
    bool u64(std::uint64_t n) noexcept {
        if (n <= INT64_MAX) return i64(static_cast<std::int64_t>(n));
        return room(16) && wide(n, 3, 0xcc);
    }
    bool bin(const char* s, std::size_t n) noexcept {
        if (n > UINT32_MAX || !room(n + 16)) return false;
        wide(n, n <= UINT8_MAX ? 0 : n <= UINT16_MAX ? 1 : 2, 0xc4);
        copy(s, n);
        return true;
    }
    /// type: -128 to 127.
    bool ext(int type, const char* s, std::size_t n) noexcept {
        if (n > UINT32_MAX || !room(n + 16)) return false;
        if (n != 0 && n <= 16 && std::has_single_bit(n)) {
            *at_++ = static_cast<char>(0xd4 + std::countr_zero(n));
        } else {
            wide(n, n <= UINT8_MAX ? 0 : n <= UINT16_MAX ? 1 : 2, 0xc7);
        }
        *at_++ = static_cast<char>(type);
        copy(s, n);
        return true;
    }
    /// Of clocks other than UTC the dialect decides.
    bool time(const instant& t) noexcept {
        return t.clock == instant::kind::utc && t.nanoseconds < 1'000'000'000 && timestamp(t.seconds, t.nanoseconds);
    }
    /// nanoseconds: below 1,000,000,000.
    bool timestamp(std::int64_t seconds, std::uint32_t nanoseconds) noexcept {
        if (!room(32)) return false;
        const auto s = static_cast<std::uint64_t>(seconds);
        *at_ = static_cast<char>(0xc7);
        at_[1] = 12;
        if (s >> 34 == 0) {
            const std::uint64_t packed = std::uint64_t{nanoseconds} << 34 | s;
            const unsigned width = packed <= UINT32_MAX ? 2 : 3;
            *at_++ = static_cast<char>(0xd4 + width);
            return wide(packed, width, 0xff - width);
        }
        at_ += 2;
        wide(nanoseconds, 2, 0xff - 2);
        at_ = big_endian::store(at_, s);
        return true;
    }

private:
    /// The lowest 1 << width bytes of n, big-endian, behind the code first + width. Writes 9 bytes; there is room for
    /// 16.
    [[gnu::always_inline]] bool wide(std::uint64_t n, unsigned width, unsigned first) noexcept {
        *at_ = static_cast<char>(first + width);
        big_endian::store(at_ + 1, n << (64 - (8u << width)));
        at_ += 1 + (std::size_t{1} << width);
        return true;
    }
    using cursor = burst_cursor<B>;
    using cursor::at_, cursor::byte, cursor::copy, cursor::room;
};
static_assert(kumihimo::burst<burst<buffer>, buffer, dialect>);

}  // namespace kumihimo::inline v0::msgpack
