// CBOR without the writer's checks, the cursor in registers: what engine/json/burst.hpp is for JSON, with the same
// verbs. A value that it has no verb for goes through a fresh writer on the same buffer, between stop() and resume().
//
// Every count is known when a container opens, so nothing is filled in afterwards; dialects that sort keys cannot be
// written so. Text is not checked: the source vouches for valid UTF-8.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/cbor/dialect.hpp"
#include "engine/cbor/floats.hpp"
#include "engine/cbor/header.hpp"
#include "engine/core/burst_cursor.hpp"

namespace kumihimo::inline v0::cbor {

template <output B>
class burst : public burst_cursor<B> {
public:
    static constexpr bool any_double = true;
    static constexpr bool keys_are_values = true;
    static constexpr std::size_t trailing = 0;

    static constexpr bool suits(const dialect& dialect) noexcept { return !dialect.sorts(); }

    /// `most`: bytes in the buffer, looked at whenever more room is asked for.
    burst(B& out, const dialect& dialect, std::size_t most = static_cast<std::size_t>(-1)) noexcept
        : cursor(out, most), shortest_(dialect.floats == float_width::shortest), epoch_(dialect.moments == clock::epoch) {}
    burst(const burst&) = default;
    burst& operator=(const burst&) = delete;

    // False: memory is out, the limit is passed, or the value is none of the burst's; nothing was written.
    [[gnu::always_inline]] bool null() noexcept { return byte(0xf6); }
    [[gnu::always_inline]] bool boolean(bool b) noexcept { return byte(b ? 0xf5 : 0xf4); }
    [[gnu::always_inline]] bool i64(std::int64_t n) noexcept {
        const auto sign = static_cast<std::uint64_t>(n >> 63);
        return room(16) && put_head(static_cast<major>(sign & 1), static_cast<std::uint64_t>(n) ^ sign);
    }
    [[gnu::always_inline]] bool f64(double x) noexcept {
        if (!room(16)) [[unlikely]]
            return false;
        at_ = put_float(at_, x, shortest_);
        return true;
    }
    [[gnu::always_inline]] bool str(const char* s, std::size_t n) noexcept { return string(major::text, s, n); }
    [[gnu::always_inline]] bool key(const char* s, std::size_t n) noexcept { return string(major::text, s, n); }

    [[gnu::always_inline]] bool open(bool map, std::size_t n) noexcept {
        return room(16) && put_head(map ? major::map : major::array, n);
    }
    [[gnu::always_inline]] bool close(bool) noexcept { return true; }

    // What CBOR has beyond the verbs that every burst has.
    bool u64(std::uint64_t n) noexcept { return room(16) && put_head(major::natural, n); }
    bool bin(const char* s, std::size_t n) noexcept { return string(major::bytes, s, n); }
    /// type: -128 to 127, but the one that may carry an item.
    bool ext(int type, const char* s, std::size_t n) noexcept {
        if (type == ext_item || n > static_cast<std::size_t>(-1) / 2 || !room(n + 32)) return false;
        put_head(major::tag, tags::typed | static_cast<std::uint8_t>(type));
        put_head(major::bytes, n);
        copy(s, n);
        return true;
    }
    /// Of clocks other than UTC, and of parts of a second, the dialect decides.
    bool time(const instant& t) noexcept {
        if (!epoch_ || t.clock != instant::kind::utc || t.nanoseconds != 0 || !room(32)) return false;
        *at_++ = static_cast<char>(0xc1);
        return i64(t.seconds);
    }

private:
    [[gnu::always_inline]] bool put_head(major m, std::uint64_t n) noexcept {
        at_ = head(at_, m, n);
        return true;
    }
    [[gnu::always_inline]] bool string(major m, const char* s, std::size_t n) noexcept {
        if (n > static_cast<std::size_t>(-1) / 2 || !room(n + 16)) [[unlikely]]
            return false;
        at_ = m == major::bytes ? bytes_head(at_, n) : head(at_, m, n);
        copy(s, n);
        return true;
    }
    using cursor = burst_cursor<B>;
    using cursor::at_, cursor::byte, cursor::copy, cursor::room;

    bool shortest_;
    bool epoch_;
};
static_assert(kumihimo::burst<burst<buffer>, buffer, dialect>);

}  // namespace kumihimo::inline v0::cbor
