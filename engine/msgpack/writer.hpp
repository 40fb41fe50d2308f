// Values become MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md), each in its smallest encoding:
//
//      c0 nil   c2 false   c3 true          00-7f, e0-ff one-byte integers   cc-cf uint 8-64   d0-d3 int 8-64   cb float 64
//      a0-bf, d9-db str     c4-c6 bin       90-9f, dc, dd array              80-8f, de, df map
//      d4-d8 fixext 1-16    c7-c9 ext       ext -1 timestamp: 4, 8 or 12 bytes
//
// Numbers are big-endian. A count that is not known yet is a 5-byte hole, filled in by finish() (core/backpatch.hpp).
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#include "engine/core/append.hpp"
#include "engine/core/backpatch.hpp"
#include "engine/core/big_endian.hpp"
#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/order.hpp"
#include "engine/core/sink.hpp"
#include "engine/msgpack/dialect.hpp"
#include "engine/scalar/converted_text.hpp"
#include "engine/scalar/time_text.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/simd/text.hpp"

namespace kumihimo::inline v0::msgpack {

/// The sentence for a number that the dialect does not lower; a host may know the remedy and say it better.
inline constexpr char no_such_number[] = "MessagePack has no number of this size";

/// A sink that appends one document to `out`. When it is whole, finish() fills the counts in and gives its bytes.
///
/// B may be a host's string; as counts are filled in, commit() goes back to an earlier place of what was already
/// committed.
template <output B = buffer>
class basic_writer {
public:
    using dialect = msgpack::dialect;

    basic_writer(B& out, context& ctx, const msgpack::dialect& dialect = standard) noexcept
        : out_(out), ctx_(ctx), dialect_(dialect), order_(ctx, memory_of(out)), holes_(memory_of(out)), start_(out.size()) {}

    /// Another document where the buffer now ends, or a lone key(); what was open is forgotten.
    void begin() noexcept {
        order_.clear();
        holes_.clear();
        start_ = out_.size();
    }
    void begin_key() noexcept {
        begin();
        order_.begin_key();
    }

    errc null() { return byte(0xc0); }
    errc boolean(bool b) { return byte(b ? 0xc3 : 0xc2); }

    errc i64(std::int64_t n) {
        if (n >= 0) return u64(static_cast<std::uint64_t>(n));
        KUMIHIMO_TRY(order_.value());
        char* to = room(9);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        if (n >= -32) {
            *to++ = static_cast<char>(n);
        } else if (n >= INT8_MIN) {
            *to++ = static_cast<char>(0xd0);
            *to++ = static_cast<char>(n);
        } else if (n >= INT16_MIN) {
            *to++ = static_cast<char>(0xd1);
            to = big_endian::store(to, static_cast<std::uint16_t>(n));
        } else if (n >= INT32_MIN) {
            *to++ = static_cast<char>(0xd2);
            to = big_endian::store(to, static_cast<std::uint32_t>(n));
        } else {
            *to++ = static_cast<char>(0xd3);
            to = big_endian::store(to, static_cast<std::uint64_t>(n));
        }
        out_.commit(to);
        return errc::ok;
    }

    errc u64(std::uint64_t n) {
        KUMIHIMO_TRY(order_.value());
        char* to = room(9);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        if (n < 0x80) {
            *to++ = static_cast<char>(n);
        } else if (n <= UINT8_MAX) {
            *to++ = static_cast<char>(0xcc);
            *to++ = static_cast<char>(n);
        } else if (n <= UINT16_MAX) {
            *to++ = static_cast<char>(0xcd);
            to = big_endian::store(to, static_cast<std::uint16_t>(n));
        } else if (n <= UINT32_MAX) {
            *to++ = static_cast<char>(0xce);
            to = big_endian::store(to, static_cast<std::uint32_t>(n));
        } else {
            *to++ = static_cast<char>(0xcf);
            to = big_endian::store(to, n);
        }
        out_.commit(to);
        return errc::ok;
    }

    errc f64(double x) {
        KUMIHIMO_TRY(order_.value());
        char* to = room(9);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        *to++ = static_cast<char>(0xcb);
        out_.commit(big_endian::store(to, std::bit_cast<std::uint64_t>(x)));
        return errc::ok;
    }

    errc big(text lexeme) {
        if (dialect_.big == big_number::refuse) {
            return ctx_.fail(errc::unsupported, failure::nowhere, no_such_number);
        }
        return str(lexeme);
    }

    errc str(text t) {
        KUMIHIMO_TRY(order_.value());
        return put_text(t);
    }

    errc bin(bytes b) {
        KUMIHIMO_TRY(order_.value());
        return put_bin(b);
    }

    errc time(const instant& t) {
        if (t.nanoseconds > 999'999'999) {
            return ctx_.fail(errc::range, failure::nowhere, "an instant's nanoseconds are 1,000,000,000 or more");
        }
        const bool zoned = t.clock == instant::kind::offset || t.clock == instant::kind::local;
        if (t.clock != instant::kind::utc) {
            if (zoned ? dialect_.zoned == zoned_time::refuse : dialect_.unzoned == unzoned_time::refuse) {
                return ctx_.fail(errc::unsupported, failure::nowhere,
                                 "MessagePack's timestamp is UTC, and the dialect refuses other clocks");
            }
            if (!zoned || dialect_.zoned == zoned_time::text) return time_as_text(t);
        }
        KUMIHIMO_TRY(order_.value());
        char* to = room(15);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        const auto seconds = static_cast<std::uint64_t>(t.seconds);
        if (seconds >> 34 == 0) {
            const std::uint64_t packed = std::uint64_t{t.nanoseconds} << 34 | seconds;
            const bool small = packed <= UINT32_MAX;
            *to++ = static_cast<char>(small ? 0xd6 : 0xd7);
            *to++ = static_cast<char>(-1);
            to = small ? big_endian::store(to, static_cast<std::uint32_t>(packed)) : big_endian::store(to, packed);
        } else {
            *to++ = static_cast<char>(0xc7);
            *to++ = 12;
            *to++ = static_cast<char>(-1);
            to = big_endian::store(big_endian::store(to, t.nanoseconds), seconds);
        }
        out_.commit(to);
        return errc::ok;
    }

    errc ext(int type, bytes b) {
        KUMIHIMO_TRY(order_.value());
        if (type < INT8_MIN || type > INT8_MAX) {
            return ctx_.fail(errc::range, failure::nowhere, "an extension's type is not within -128 and 127");
        }
        const std::size_t n = b.size();
        if (n > UINT32_MAX) return too_long();
        char* to = room(n + 6);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        if (n != 0 && n <= 16 && std::has_single_bit(n)) {
            *to++ = static_cast<char>(0xd4 + std::countr_zero(n));
        } else {
            to = sized(to, n, 0xc7, 0xc8, 0xc9);
        }
        *to++ = static_cast<char>(type);
        out_.commit(append(to, b.data(), n));
        return errc::ok;
    }

    errc array(count n) { return open(n, false); }
    errc map(count n) { return open(n, true); }

    errc key(text t) {
        KUMIHIMO_TRY(order_.key());
        return put_text(t);
    }
    errc key(next_value) { return order_.key_is_next(); }

    errc end() {
        order_frame closed;
        KUMIHIMO_TRY(order_.end(closed));
        if (closed.expected != order::unknown) return errc::ok;
        const std::uint64_t n = closed.map ? closed.seen / 2 : closed.seen;
        if (n > UINT32_MAX) return too_many();
        holes_.close(closed.note, n);
        return errc::ok;
    }

    /// Ends the document: `out` is its bytes, in the writer's buffer. The writer is then ready for a next one behind
    /// it.
    errc finish(bytes& out) {
        KUMIHIMO_TRY(order_.finish());
        if (!holes_.empty()) {
            char* const data = out_.reserve(0) - out_.size();
            out_.commit(data + holes_.join_pieces(data, out_.size(), 5, [](char* to, const backpatch_hole& h) {
                return header(to, h.count, h.tag != 0);
            }));
        }
        out = {reinterpret_cast<const unsigned char*>(static_cast<const char*>(out_.data())) + start_, out_.size() - start_};
        order_.clear();
        start_ = out_.size();
        return errc::ok;
    }

private:
    /// n writable bytes, or nullptr and the reason in stopped_.
    char* room(std::size_t n) noexcept {
        if (out_.size() - start_ + n > ctx_.limits.size) [[unlikely]] {
            // What is reserved is a little more than what is used, so that a document may be refused some bytes early.
            stopped_ = ctx_.fail(errc::size, failure::nowhere, "the document is larger than the limit");
            return nullptr;
        }
        char* to = out_.reserve(n);
        if (to == nullptr) [[unlikely]]
            stopped_ = ctx_.fail(errc::memory, failure::nowhere, "out of memory");
        return to;
    }

    static char* sized(char* to, std::size_t n, unsigned c8, unsigned c16, unsigned c32) noexcept {
        if (n <= UINT8_MAX) {
            *to++ = static_cast<char>(c8);
            *to++ = static_cast<char>(n);
            return to;
        }
        *to++ = static_cast<char>(n <= UINT16_MAX ? c16 : c32);
        return n <= UINT16_MAX ? big_endian::store(to, static_cast<std::uint16_t>(n))
                               : big_endian::store(to, static_cast<std::uint32_t>(n));
    }

    static char* header(char* to, std::uint64_t n, bool map) noexcept {
        if (n < 16) {
            *to++ = static_cast<char>((map ? 0x80 : 0x90) | n);
            return to;
        }
        const unsigned c = map ? 0xde : 0xdc;
        *to++ = static_cast<char>(n <= UINT16_MAX ? c : c + 1);
        return n <= UINT16_MAX ? big_endian::store(to, static_cast<std::uint16_t>(n))
                               : big_endian::store(to, static_cast<std::uint32_t>(n));
    }

    static char* bin_header(char* to, std::size_t n) noexcept { return sized(to, n, 0xc4, 0xc5, 0xc6); }
    static char* str_header(char* to, std::size_t n) noexcept {
        if (n >= 32) return sized(to, n, 0xd9, 0xda, 0xdb);
        *to++ = static_cast<char>(0xa0 | n);
        return to;
    }

    errc byte(unsigned c) noexcept {
        KUMIHIMO_TRY(order_.value());
        char* to = room(1);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        *to++ = static_cast<char>(c);
        out_.commit(to);
        return errc::ok;
    }

    errc put_bin(bytes b) noexcept {
        if (b.size() > UINT32_MAX) return too_long();
        char* to = room(b.size() + 5);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        out_.commit(append(bin_header(to, b.size()), b.data(), b.size()));
        return errc::ok;
    }

    errc put_text(text t) noexcept {
        if (t.charset != encoding::utf8 && t.charset != encoding::ascii) return put_converted(t);
        const char* s = static_cast<const char*>(t.data);
        if (t.charset == encoding::utf8 && !simd::valid_utf8(s, t.size)) [[unlikely]] {
            if (dialect_.invalid == invalid_text::bin) return put_bin({reinterpret_cast<const unsigned char*>(s), t.size});
            if (dialect_.invalid == invalid_text::refuse)
                return ctx_.fail(errc::encoding, failure::nowhere, "a string is not valid UTF-8");
        }
        if (t.size > UINT32_MAX) return too_long();
        char* to = room(t.size + 5);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        out_.commit(append(str_header(to, t.size), s, t.size));
        return errc::ok;
    }

    errc put_converted(text t) noexcept {
        const std::size_t n = scalar::utf8_size_of(t);
        if (n > UINT32_MAX) return too_long();
        char* const to = room(n + 5);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        char* const behind = str_header(to, n);
        errc said = errc::ok;
        const auto other = [&]() -> char* {
            if (dialect_.invalid != invalid_text::refuse)
                return dialect_.invalid == invalid_text::bin ? bin_header(to, n) : behind;
            said = ctx_.fail(errc::encoding, failure::nowhere, "a string holds half a surrogate pair");
            return nullptr;
        };
        scalar::put_converted(
            t, behind, [&](char* end) { out_.commit(end); }, other);
        return said;
    }

    errc time_as_text(const instant& t) noexcept {
        char digits[scalar::time_room];
        const char* const end = scalar::write_time(digits, t);
        if (end == nullptr) {
            return ctx_.fail(errc::range, failure::nowhere, "an instant outside the years 0000 to 9999 has no text");
        }
        return str({digits, static_cast<std::size_t>(end - digits), encoding::ascii});
    }

    errc open(count n, bool map) noexcept {
        KUMIHIMO_TRY(order_.value());
        if (n.n > std::int64_t{UINT32_MAX}) return too_many();
        char* to = room(5);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        KUMIHIMO_TRY(order_.open(map, n, holes_.size()));
        if (n.known()) {
            out_.commit(header(to, static_cast<std::uint64_t>(n.n), map));
            return errc::ok;
        }
        if (!holes_.open(out_.size(), map)) return ctx_.fail(errc::memory, failure::nowhere, "out of memory");
        std::memset(to, 0, 5);
        out_.commit(to + 5);
        return errc::ok;
    }

    [[gnu::cold, gnu::noinline]] errc too_long() noexcept {
        return ctx_.fail(errc::size, failure::nowhere, "a string, bin or ext is longer than MessagePack's 4 GiB");
    }
    [[gnu::cold, gnu::noinline]] errc too_many() noexcept {
        return ctx_.fail(errc::size, failure::nowhere, "a container holds more than MessagePack's 4,294,967,295 values");
    }

    B& out_;
    context& ctx_;
    msgpack::dialect dialect_;
    basic_order<memory_for<B>> order_;
    basic_backpatch<memory_for<B>> holes_;
    std::size_t start_;
    errc stopped_ = errc::ok;
};

using writer = basic_writer<buffer>;
static_assert(kumihimo::writer<writer>);

}  // namespace kumihimo::inline v0::msgpack
