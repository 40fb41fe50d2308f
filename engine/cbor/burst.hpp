// CBOR without the writer's checks, the cursor in registers: what engine/json/burst.hpp is for JSON, with the same verbs. A
// value that it has no verb for goes through a fresh writer on the same buffer, between stop() and resume().
//
// Every count is known when a container opens, so nothing is settled afterwards; dialects that sort keys cannot be written so.
// Text is not checked: the source vouches for valid UTF-8.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/cbor/dialect.hpp"
#include "engine/cbor/floats.hpp"
#include "engine/cbor/header.hpp"
#include "engine/core/burst.hpp"

namespace kumihimo::inline v0::cbor {

template <output B>
class burst {
public:
    static constexpr bool any_double = true;
    static constexpr bool keys_are_values = true;
    static constexpr std::size_t trailing = 0;

    static constexpr bool suits(const dialect& as) noexcept { return !as.sorts(); }

    /// `most`: bytes in the buffer, looked at whenever more room is asked for.
    burst(B& out, const dialect& as, std::size_t most = static_cast<std::size_t>(-1)) noexcept
        : out_(out), most_(most), shortest_(as.floats == float_width::shortest), epoch_(as.moments == clock::epoch) {
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
        if (!epoch_ || t.as != instant::kind::utc || t.nanoseconds != 0 || !room(32)) return false;
        *at_++ = static_cast<char>(0xc1);
        return i64(t.seconds);
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
        // As in msgpack/burst.hpp: more at a time as the document grows, not too much for a host that others wait for.
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
    [[gnu::always_inline]] void copy(const char* s, std::size_t n) noexcept {
        if (n >= 32) {
            std::memcpy(at_, s, n);
        } else if (n >= 16) {
            ends<16>(s, n);
        } else if (n >= 8) {
            ends<8>(s, n);
        } else if (n >= 4) {
            ends<4>(s, n);
        } else {
            for (std::size_t i = 0; i < n; ++i) at_[i] = s[i];
        }
        at_ += n;
    }
    /// Two loads that overlap, both before the first store.
    template <std::size_t width>
    [[gnu::always_inline]] void ends(const char* s, std::size_t n) noexcept {
        char first[width], last[width];
        std::memcpy(first, s, width);
        std::memcpy(last, s + n - width, width);
        std::memcpy(at_, first, width);
        std::memcpy(at_ + n - width, last, width);
    }

    B& out_;
    std::size_t most_;
    bool shortest_;
    bool epoch_;
    char* at_;
    char* limit_;
};
static_assert(kumihimo::burst<burst<buffer>, buffer, dialect>);

}  // namespace kumihimo::inline v0::cbor
