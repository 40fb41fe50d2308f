// JSON without the writer's checks, the cursor in registers: the burst (core/burst.hpp) of this format.
//
//      burst b(out, as)
//      b.open(true, 1)  b.key(k)  b.i64(7)  b.close(true)          {"id":7},
//
// As in json::basic_writer every value ends with a comma and a closing bracket is written over the last one; the
// document's own last comma is the caller's to take off. A value that the burst has no verb for goes through a fresh
// writer on the same buffer, between stop() and resume(): that leaves the same bytes, value and comma. Only for
// compact dialects whose escapes are `Escapes` (`suits`), a set known when the program is compiled: the scan for what
// must be escaped is then a few constants.
//
// Why: a verb of the writer loads and stores the cursor and what is due, and a container costs the writer's own open
// and end, with its stack. On documents of many small containers that was more than half of the time (Python, 20,000
// empty lists: 11 ns each through the verbs, 2 through a burst).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/core/burst.hpp"
#include "engine/json/dialect.hpp"
#include "engine/json/escape.hpp"
#include "engine/scalar/float_write.hpp"
#include "engine/scalar/integer.hpp"

namespace kumihimo::inline v0::json {

/// `Behind`: bytes that are there behind every value and key, for what a layout writes there
/// (json/laid_out_burst.hpp).
template <output B, const escape_set& Escapes = rfc8259_escapes, std::size_t Behind = 0>
class burst {
public:
    static constexpr bool any_double = false;
    static constexpr bool keys_are_values = false;
    static constexpr std::size_t trailing = 1;  // the last value's comma

    static bool suits(const dialect& dialect) noexcept { return dialect.layout.compact() && has_escapes(dialect); }

    /// `most`: bytes in the buffer, looked at whenever more room is asked for.
    burst(B& out, const dialect& dialect, std::size_t most = static_cast<std::size_t>(-1)) noexcept
        : out_(out), dialect_(dialect), most_(most) {
        resume();
    }
    burst(B&, const dialect&&, std::size_t = 0) = delete;  // the dialect must outlive it
    burst(const burst&) = default;
    burst& operator=(const burst&) = delete;

    /// Hands the bytes over to the buffer. Call it before anything else touches the buffer, and at the end.
    [[gnu::always_inline]] void stop() noexcept {
        if (now_.at != nullptr) [[likely]]
            out_.commit(now_.at);
    }
    /// After stop(), when the buffer was written to: goes on behind that.
    [[gnu::always_inline]] void resume() noexcept {
        now_.at = out_.reserve(chunk);
        now_.limit = now_.at == nullptr ? nullptr : now_.at + chunk;
    }

    /// stop(), and every verb is false until resume().
    void suspend() noexcept {
        stop();
        now_ = {};
    }

    // False: memory is out, or the limit is passed; nothing was written.
    [[gnu::always_inline]] bool null() noexcept { return word("null,", 5); }
    [[gnu::always_inline]] bool boolean(bool b) noexcept { return b ? word("true,", 5) : word("false,", 6); }
    [[gnu::always_inline]] bool i64(std::int64_t n) noexcept {
        if (!room(scalar::integer_room + 1 + Behind)) [[unlikely]]
            return false;
        char* p = scalar::write_i64(now_.at, n);
        *p = ',';
        now_.at = p + 1;
        return true;
    }
    /// Finite ones only; the rest is the writer's.
    [[gnu::always_inline]] bool f64(double x) noexcept {
        if (!room(scalar::float_room + 1 + Behind)) [[unlikely]]
            return false;
        char* p = scalar::write_f64(now_.at, x, dialect_.floats);
        *p = ',';
        now_.at = p + 1;
        return true;
    }
    /// Text that is known to be ASCII or valid UTF-8.
    [[gnu::always_inline]] bool str(const char* s, std::size_t n) noexcept { return quoted(s, n, ','); }
    [[gnu::always_inline]] bool key(const char* s, std::size_t n) noexcept { return quoted(s, n, ':'); }

    /// A short text that is ready, its comma or colon with it: n bytes at s, where `ready_room` may be read.
    static constexpr std::size_t ready_room = 32;
    [[gnu::always_inline]] bool ready(const char* s, std::size_t n) noexcept {
        if (!room(ready_room + Behind)) [[unlikely]]
            return false;
        std::memcpy(now_.at, s, ready_room);
        now_.at += n;
        return true;
    }

    /// A container of n values or pairs, and its end. The caller knows which is open.
    [[gnu::always_inline]] bool open(bool map, std::size_t) noexcept {
        if (!room(3)) [[unlikely]]  // "[],": the end of an empty one, which may follow at once, then fits as well
            return false;
        *now_.at++ = map ? '{' : '[';
        return true;
    }
    [[gnu::always_inline]] bool close(bool map) noexcept {
        if (!room(2)) [[unlikely]]
            return false;
        char* p = now_.at;
        p -= p[-1] == ',';
        p[0] = map ? '}' : ']';
        p[1] = ',';
        now_.at = p + 2;
        return true;
    }

protected:
    struct window {
        char* at;
        char* limit;
    };
    static constexpr std::size_t chunk = 256;

    static bool has_escapes(const dialect& dialect) noexcept {
        return dialect.escapes == &Escapes || (Escapes.only_required() && dialect.escapes->only_required());
    }

    // By value in and out, so that the window itself can stay in registers.
    [[gnu::cold, gnu::noinline]] static window more(B& out, window w, std::size_t n, std::size_t most,
                                                    bool may_pause = true) noexcept {
        if (w.at == nullptr) return w;
        out.commit(w.at);
        if (out.size() > most) return {nullptr, nullptr};
        if constexpr (pausing_output<B>)
            if (may_pause && out.pauses()) return {nullptr, nullptr};
        if (n > static_cast<std::size_t>(-1) / 2) return {w.at, w.at};
        // More at a time as the document grows, so that a long one comes here seldom; not too much, because a host
        // looks here whether somebody else waits. For an output that never pauses it made no difference (127 MB of
        // small objects).
        const std::size_t share = chunk + std::min({out.size() / 8, most - out.size(), std::size_t{1} << 15});
        const std::size_t want = n < share ? share : n;
        char* p = out.reserve(want);
        if (p == nullptr) return {nullptr, nullptr};
        return {p, p + want};
    }
    [[gnu::always_inline]] bool room(std::size_t n) noexcept {
        if (static_cast<std::size_t>(now_.limit - now_.at) >= n) [[likely]]
            return true;
        now_ = more(out_, now_, n, most_);
        return static_cast<std::size_t>(now_.limit - now_.at) >= n;
    }

private:
    /// Inside of a text, where a pause would mean to begin again.
    bool more_room(std::size_t n) noexcept {
        if (static_cast<std::size_t>(now_.limit - now_.at) < n) now_ = more(out_, now_, n, most_, false);
        return static_cast<std::size_t>(now_.limit - now_.at) >= n;
    }
    [[gnu::always_inline]] bool word(const char* w, std::size_t n) noexcept {
        if (!room(8 + Behind)) [[unlikely]]
            return false;
        std::memcpy(now_.at, w, n);
        now_.at += n;
        return true;
    }
    [[gnu::always_inline]] bool quoted(const char* s, std::size_t n, char after) noexcept {
        using simd::lanes;
        char* p;
        if (n <= lanes::width) [[likely]] {
            // One vector: almost every key and most strings.
            if (!room(escaped_bound(lanes::width) + 3 + Behind)) [[unlikely]]
                return false;
            p = now_.at;
            *p = '"';
            if (n != 0) {
                const lanes v = n == lanes::width ? lanes::load(s) : simd::load_part(s, n);
                v.store(p + 1);
                const std::uint64_t hits = stops(v).bits() & under(n);
                if (hits == 0) [[likely]]
                    p += n + 1;
                else
                    p = escaped(p + 1, s, n);
            } else {
                ++p;
            }
        } else if (n >= long_text) [[unlikely]] {
            return n > piece ? quoted_in_pieces(s, n, after) : quoted_long(s, n, after);
        } else {
            if (!room(escaped_bound(n) + 3 + Behind)) [[unlikely]]
                return false;
            p = now_.at;
            *p++ = '"';
            // Whole vectors, the last one overlapping the one before. Most text has nothing to escape; what has starts
            // again.
            lanes hits = stops(lanes::load(s));
            lanes::load(s).store(p);
            std::size_t i = lanes::width;
            for (; i + lanes::width < n; i += lanes::width) {
                const lanes v = lanes::load(s + i);
                v.store(p + i);
                hits = hits | stops(v);
            }
            const lanes last = lanes::load(s + n - lanes::width);
            last.store(p + n - lanes::width);
            hits = hits | stops(last);
            if (hits.bits() == 0) [[likely]]
                p += n;
            else
                p = escaped(p, s, n);
        }
        p[0] = '"';
        p[1] = after;
        now_.at = p + 2;
        return true;
    }
    [[gnu::noinline]] bool quoted_long(const char* s, std::size_t n, char after) noexcept {
        if (!room(escaped_bound(n) + 3 + Behind)) return false;
        *now_.at++ = '"';
        now_.at = escaped_long(now_.at, s, n);
        *now_.at++ = '"';
        *now_.at++ = after;
        return true;
    }
    // A long string would reserve six times its length; in pieces it reserves little more than it takes.
    [[gnu::noinline]] bool quoted_in_pieces(const char* s, std::size_t n, char after) noexcept {
        if (!room(1)) return false;
        out_.commit(now_.at);
        const std::size_t start = out_.size();
        *now_.at++ = '"';
        if constexpr (!Escapes.any_extra) {
            const auto escape = active_kernels().escape;
            for (const char* const end = s + n; n >= 128; n = static_cast<std::size_t>(end - s)) {
                if (!more_room(n + piece)) return take_back(start);
                escape(now_.at, now_.limit, s, end);
            }
        }
        while (n != 0) {
            std::size_t take = n < piece ? n : piece;
            while (take != n && (static_cast<unsigned char>(s[take]) & 0xC0) == 0x80) --take;
            if (!more_room(escaped_bound(take) + 3 + Behind)) return take_back(start);
            now_.at = escaped(now_.at, s, take);
            s += take;
            n -= take;
        }
        if (!more_room(2 + Behind)) return take_back(start);
        *now_.at++ = '"';
        *now_.at++ = after;
        return true;
    }
    [[gnu::cold]] bool take_back(std::size_t start) noexcept {
        now_ = {};
        // A host's buffer that could not grow may have lost what it had.
        if (start <= out_.size()) out_.commit(const_cast<char*>(out_.data()) + start);
        return false;
    }

    using escapes = detail::fixed_escapes<Escapes>;
    [[gnu::always_inline]] static simd::lanes stops(simd::lanes v) noexcept { return escapes::stops(v); }
    static std::uint64_t under(std::size_t n) noexcept {
        return n == simd::lanes::width ? ~std::uint64_t{0} : simd::lanes::under(n);
    }
    static char* escaped(char* p, const char* s, std::size_t n) noexcept { return escapes::write(p, s, n); }
    static char* escaped_long(char* p, const char* s, std::size_t n) noexcept {
        if constexpr (Escapes.any_extra)
            return escaped(p, s, n);
        else
            return write_long(p, s, n);
    }

    static constexpr std::size_t piece = 4096;

protected:
    B& out_;
    const dialect& dialect_;
    std::size_t most_;
    window now_{};
};
static_assert(kumihimo::burst<burst<buffer>, buffer, dialect>);

}  // namespace kumihimo::inline v0::json
