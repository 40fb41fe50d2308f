// Text that does not change once it is made: UTF-8, in 16 bytes up to 14 bytes long, longer ones in memory of their
// own.
//
// As it cannot change, what is known about it stays known: whether it is ASCII, and whether it is valid, is looked at
// once, when it is made, and no writer looks again.
#pragma once
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "engine/core/sink.hpp"
#include "engine/scalar/utf8.hpp"

namespace kumihimo::inline v0::plain {

/// What a value is. From `str` on it owns memory, or may.
enum class kind : std::uint8_t { null, boolean, i64, u64, real, str, array, map, big, bin, time, ext, none };

/// A size in 6 bytes: more than an address space holds.
inline std::size_t size48(const char* from) noexcept {
    std::uint16_t low;
    std::uint32_t high;
    std::memcpy(&low, from, 2);
    std::memcpy(&high, from + 2, 4);
    return static_cast<std::size_t>(std::uint64_t{high} << 16 | low);
}
inline void put_size48(char* to, std::size_t n) noexcept {
    const auto low = static_cast<std::uint16_t>(n);
    const auto high = static_cast<std::uint32_t>(std::uint64_t{n} >> 16);
    std::memcpy(to, &low, 2);
    std::memcpy(to + 2, &high, 4);
}

class string {
public:
    /// What is known of its bytes. `broken` is not valid UTF-8: a value may hold it, writers refuse or repair it.
    enum class content : std::uint8_t { ascii, utf8, broken };

    string() noexcept { std::memset(here_, 0, sizeof here_); }
    explicit string(std::string_view s) : string(s, content_of(s)) {}
    string(std::string_view s, content c) {
        char* to = here_;
        if (s.size() > inside) {
            to = static_cast<char*>(::operator new(s.size()));
            put_size48(here_, s.size());
            std::memcpy(here_ + 6, &to, sizeof to);
        }
        state_ = static_cast<std::uint8_t>((s.size() > inside ? outside : s.size()) | static_cast<unsigned>(c) << 4);
        if (!s.empty()) std::memcpy(to, s.data(), s.size());
    }
    string(const string& o) : string(o.view(), o.known()) {}
    string(string&& o) noexcept : state_(std::exchange(o.state_, 0)) { std::memcpy(here_, o.here_, sizeof here_); }
    string& operator=(string o) noexcept {
        std::swap(state_, o.state_);
        std::swap(here_, o.here_);
        return *this;
    }
    ~string() {
        if (is_outside()) ::operator delete(const_cast<char*>(data()));
    }

    const char* data() const noexcept {
        if (!is_outside()) return here_;
        char* p;
        std::memcpy(&p, here_ + 6, sizeof p);
        return p;
    }
    std::size_t size() const noexcept { return is_outside() ? size48(here_) : state_ & 15; }
    std::string_view view() const noexcept { return {data(), size()}; }
    content known() const noexcept { return static_cast<content>(state_ >> 4); }
    bool valid() const noexcept { return state_ >> 4 != static_cast<unsigned>(content::broken); }
    /// For a sink.
    text as_text() const noexcept { return {data(), size(), known() == content::ascii ? encoding::ascii : encoding::utf8}; }

    friend bool operator==(const string& a, const string& b) noexcept { return a.view() == b.view(); }
    friend bool operator==(const string& a, std::string_view b) noexcept { return a.view() == b; }

private:
    static content content_of(std::string_view s) noexcept {
        unsigned char all = 0;
        for (const char c : s) all |= static_cast<unsigned char>(c);
        if (all < 0x80) return content::ascii;
        return scalar::utf8_valid_prefix(s.data(), s.size()) == s.size() ? content::utf8 : content::broken;
    }
    bool is_outside() const noexcept { return (state_ & 15) == outside; }

    static constexpr std::size_t inside = 14;
    static constexpr unsigned outside = 15;

    alignas(8) kind as_ = kind::str;
    std::uint8_t state_ = 0;  // the size, or `outside`; what is known above it
    char here_[inside];       // the text; or its size and its address
};
static_assert(sizeof(string) == 16 && sizeof(char*) <= 8);

}  // namespace kumihimo::inline v0::plain
