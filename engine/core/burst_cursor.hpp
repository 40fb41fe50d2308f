// What the bursts (core/burst.hpp) of binary formats share: the cursor into the buffer, in registers, and room before
// it.
#pragma once
#include <algorithm>
#include <cstddef>

#include "engine/core/append.hpp"
#include "engine/core/burst.hpp"

namespace kumihimo::inline v0 {

template <output B>
class burst_cursor {
public:
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

protected:
    /// `most`: bytes in the buffer, looked at whenever more room is asked for.
    burst_cursor(B& out, std::size_t most) noexcept : out_(out), most_(most) { resume(); }
    burst_cursor(const burst_cursor&) = default;
    burst_cursor& operator=(const burst_cursor&) = delete;

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
    [[gnu::always_inline]] void copy(const char* s, std::size_t n) noexcept { at_ = append(at_, s, n); }

    char* at_;

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
        // More at a time as the document grows, so that a long one comes here seldom; not too much, because a host
        // looks here whether somebody else waits. For outputs that never pause see json/burst.hpp.
        const std::size_t share = chunk + std::min({out.size() / 8, most - out.size(), std::size_t{1} << 15});
        const std::size_t want = n < share ? share : n;
        char* p = out.reserve(want);
        if (p == nullptr) return {nullptr, nullptr};
        return {p, p + want};
    }

    B& out_;
    std::size_t most_;
    char* limit_;
};

}  // namespace kumihimo::inline v0
