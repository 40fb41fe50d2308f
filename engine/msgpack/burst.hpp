// MessagePack without the writer's checks, the cursor in registers: what engine/json/burst.hpp is for JSON, with the same
// verbs. A value that it has no verb for goes through a fresh writer on the same buffer, between stop() and resume().
//
// Every count is known when a container opens, so nothing is settled afterwards. Long integers and text are not checked: the
// source vouches for valid UTF-8 of less than 4 GiB.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/core/burst.hpp"
#include "engine/msgpack/dialect.hpp"

namespace kumihimo::inline v0::msgpack {

template <output B>
class burst {
public:
    static constexpr bool any_double = true;
    static constexpr bool keys_are_values = true;
    static constexpr std::size_t trailing = 0;

    static constexpr bool suits(const dialect&) noexcept { return true; }

    /// `most`: bytes in the buffer, looked at whenever more room is asked for.
    burst(B& out, const dialect&, std::size_t most = static_cast<std::size_t>(-1)) noexcept : out_(out), most_(most) {
        resume();
    }
    burst(const burst&) = default;
    burst& operator=(const burst&) = delete;

    /// Hands the bytes over to the buffer. Call it before anything else touches the buffer, and at the end.
    [[gnu::always_inline]] void stop() noexcept {
        if (at_ != nullptr) [[likely]]
            out_.commit(at_);
    }
    /// After stop(), when the buffer was written to: goes on behind that.
    [[gnu::always_inline]] void resume() noexcept {
        at_ = out_.reserve(chunk);
        limit_ = at_ == nullptr ? nullptr : at_ + chunk;
    }

    /// stop(), and every verb that writes is false until resume().
    void suspend() noexcept {
        stop();
        at_ = limit_ = nullptr;
    }

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
        return t.as == instant::kind::utc && t.nanoseconds < 1'000'000'000 && timestamp(t.seconds, t.nanoseconds);
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
        big_endian(at_, s);
        at_ += 8;
        return true;
    }

private:
    static constexpr std::size_t chunk = 256;
    struct window {
        char* at;
        char* limit;
    };

    // By value in and out, so that the cursor itself can stay in registers.
    [[gnu::cold, gnu::noinline]] static window more(B& out, window w, std::size_t n, std::size_t most) noexcept {
        if (w.at == nullptr || n > static_cast<std::size_t>(-1) / 2) return {w.at, w.at};
        out.commit(w.at);
        if (out.size() > most) return {nullptr, nullptr};
        if constexpr (pausing_output<B>)
            if (out.pauses()) return {nullptr, nullptr};
        // More at a time as the document grows, so that a long one comes here seldom; not too much, because a host looks here
        // whether somebody else waits. For outputs that never pause see json/burst.hpp.
        const std::size_t share = chunk + std::min({out.size() / 8, most - out.size(), std::size_t{1} << 15});
        const std::size_t want = n < share ? share : n;
        char* p = out.reserve(want);
        if (p == nullptr) return {nullptr, nullptr};
        return {p, p + want};
    }
    [[gnu::always_inline]] bool room(std::size_t n) noexcept {
        if (static_cast<std::size_t>(limit_ - at_) >= n) [[likely]]
            return true;
        const window w = more(out_, {at_, limit_}, n, most_);
        at_ = w.at;
        limit_ = w.limit;
        return static_cast<std::size_t>(limit_ - at_) >= n;
    }
    [[gnu::always_inline]] bool byte(unsigned c) noexcept {
        if (!room(1)) [[unlikely]]
            return false;
        *at_++ = static_cast<char>(c);
        return true;
    }
    /// The lowest 1 << width bytes of n, big-endian, behind the code first + width. Writes 9 bytes; there is room for 16.
    [[gnu::always_inline]] bool wide(std::uint64_t n, unsigned width, unsigned first) noexcept {
        *at_ = static_cast<char>(first + width);
        big_endian(at_ + 1, n << (64 - (8u << width)));
        at_ += 1 + (std::size_t{1} << width);
        return true;
    }
    [[gnu::always_inline]] static void big_endian(char* to, std::uint64_t n) noexcept {
        if constexpr (std::endian::native == std::endian::little) n = __builtin_bswap64(n);
        std::memcpy(to, &n, 8);
    }
    [[gnu::always_inline]] void copy(const char* s, std::size_t n) noexcept {
        if (n >= 32) {
            std::memcpy(at_, s, n);
        } else if (n >= 16) {
            char a[16], b[16];
            std::memcpy(a, s, 16);
            std::memcpy(b, s + n - 16, 16);
            std::memcpy(at_, a, 16);
            std::memcpy(at_ + n - 16, b, 16);
        } else if (n >= 8) {
            std::uint64_t a, b;
            std::memcpy(&a, s, 8);
            std::memcpy(&b, s + n - 8, 8);
            std::memcpy(at_, &a, 8);
            std::memcpy(at_ + n - 8, &b, 8);
        } else if (n >= 4) {
            std::uint32_t a, b;
            std::memcpy(&a, s, 4);
            std::memcpy(&b, s + n - 4, 4);
            std::memcpy(at_, &a, 4);
            std::memcpy(at_ + n - 4, &b, 4);
        } else {
            for (std::size_t i = 0; i < n; ++i) at_[i] = s[i];
        }
        at_ += n;
    }

    B& out_;
    std::size_t most_;
    char* at_;
    char* limit_;
};
static_assert(kumihimo::burst<burst<buffer>, buffer, dialect>);

}  // namespace kumihimo::inline v0::msgpack
