// Values become CBOR (RFC 8949). Integers, lengths and tags always take their shortest form; floats, moments, keys and
// counts as the dialect says.
//
// A count that is not known yet is a 9-byte hole, filled in by finish() (core/backpatch.hpp); where keys are sorted, a
// byte that is widened at the container's end (sort.hpp), since sorted keys are compared as they will be.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#include "engine/cbor/check.hpp"
#include "engine/cbor/dialect.hpp"
#include "engine/cbor/floats.hpp"
#include "engine/cbor/header.hpp"
#include "engine/cbor/numeral.hpp"
#include "engine/cbor/sort.hpp"
#include "engine/cbor/tagged.hpp"
#include "engine/core/append.hpp"
#include "engine/core/backpatch.hpp"
#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/order.hpp"
#include "engine/core/sink.hpp"
#include "engine/scalar/converted_text.hpp"
#include "engine/scalar/time_text.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/simd/text.hpp"

namespace kumihimo::inline v0::cbor {

/// A sink that appends one document to `out`. When it is whole, finish() fills the counts in and gives its bytes.
///
/// B may be a host's string; as counts are filled in, commit() goes back to an earlier place of what was already
/// committed.
template <output B = buffer>
class basic_writer {
public:
    using dialect = cbor::dialect;

    basic_writer(B& out, context& ctx, const cbor::dialect& dialect = preferred) noexcept
        : out_(out), ctx_(ctx), dialect_(dialect), sorts_(dialect.sorts()), order_(ctx), start_(out.size()) {}

    /// Another document where the buffer now ends, or a lone key(); what was open is forgotten.
    void begin() noexcept {
        order_.clear();
        holes_.clear();
        sorter_.clear();
        start_ = out_.size();
    }
    void begin_key() noexcept {
        begin();
        order_.begin_key();
    }

    errc null() { return one_byte(0xf6); }
    errc boolean(bool b) { return one_byte(b ? 0xf5 : 0xf4); }

    errc i64(std::int64_t n) {
        const auto sign = static_cast<std::uint64_t>(n >> 63);
        return put_head(n < 0 ? major::negative : major::natural, static_cast<std::uint64_t>(n) ^ sign);
    }
    errc u64(std::uint64_t n) { return put_head(major::natural, n); }

    errc f64(double x) {
        KUMIHIMO_TRY(order_.value());
        char* to = room(longest_header);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        out_.commit(put_float(to, x, dialect_.floats == float_width::shortest));
        return errc::ok;
    }

    errc big(text lexeme) {
        if (dialect_.big == big_number::text) return str(lexeme);
        if (dialect_.big == big_number::refuse)
            return ctx_.fail(errc::unsupported, failure::nowhere, "a number beyond 64 bits, which the dialect refuses");
        encoded_number number;
        const char* what = "";
        if (const errc code = number.read(lexeme, dialect_.floats == float_width::shortest, what); code != errc::ok)
            return ctx_.fail(code, failure::nowhere, what);
        KUMIHIMO_TRY(order_.value());
        return put_raw(number.bytes, number.size);
    }

    errc str(text t) {
        KUMIHIMO_TRY(order_.value());
        return put_text(t.data, t.size, t.charset);
    }

    errc bin(bytes b) {
        KUMIHIMO_TRY(order_.value());
        return put_bytes(b);
    }

    errc time(const instant& t) {
        using kind = instant::kind;
        if (t.nanoseconds > 999'999'999)
            return ctx_.fail(errc::range, failure::nowhere, "an instant's nanoseconds are 1,000,000,000 or more");
        const bool zoned = t.clock == kind::offset || t.clock == kind::local;
        if (zoned ? dialect_.zoned == zoned_time::refuse : t.clock == kind::naive && dialect_.naive == naive_time::refuse)
            return ctx_.fail(errc::unsupported, failure::nowhere, "a clock other than UTC, which the dialect refuses");
        char item[scalar::time_room + 16];
        const char* const end = t.clock == kind::date                         ? put_date(item, t)
                                : t.clock == kind::naive                      ? put_time_text(item, t, false)
                                : zoned && dialect_.zoned == zoned_time::text ? put_time_text(item, t, true)
                                                                              : put_moment(item, t);
        if (end == nullptr)
            return ctx_.fail(errc::range, failure::nowhere, "an instant outside the years 0000 to 9999 has no text");
        KUMIHIMO_TRY(order_.value());
        return put_raw(item, static_cast<std::size_t>(end - item));
    }

    errc ext(int type, bytes b) {
        KUMIHIMO_TRY(order_.value());
        if (type < INT8_MIN || type > INT8_MAX)
            return ctx_.fail(errc::range, failure::nowhere, "an extension's type is not within -128 and 127");
        if (type == ext_item && is_item(b)) return put_raw(b.data(), b.size());
        char* to = room(b.size() + 2 * longest_header);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        to = head(to, major::tag, tags::typed | static_cast<std::uint8_t>(type));
        to = head(to, major::bytes, b.size());
        out_.commit(append(to, b.data(), b.size()));
        return errc::ok;
    }

    errc array(count n) { return open(n, false); }
    errc map(count n) { return open(n, true); }

    errc key(text t) {
        KUMIHIMO_TRY(order_.key());
        if (sorts_ && !sorter_.key(out_.size())) [[unlikely]]
            return no_memory();
        return put_text(t.data, t.size, t.charset);
    }
    errc key(next_value) {
        KUMIHIMO_TRY(order_.key_is_next());
        if (sorts_ && !sorter_.key(out_.size())) [[unlikely]]
            return no_memory();
        return errc::ok;
    }

    errc end() {
        order::frame closed;
        KUMIHIMO_TRY(order_.end(closed));
        if (closed.expected != order::unknown && !sorts_) return errc::ok;
        const std::uint64_t n = closed.map ? closed.seen / 2 : closed.seen;
        if (sorts_) return end_sorted(closed, n);
        if (dialect_.counts == late_count::filled_in) {
            holes_.close(closed.note, n);
            return errc::ok;
        }
        char* const to = room(1);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        *to = static_cast<char>(0xff);
        out_.commit(to + 1);
        return errc::ok;
    }

    /// Ends the document: `out` is its bytes, in the writer's buffer. The writer is then ready for a next one behind
    /// it.
    errc finish(bytes& out) {
        KUMIHIMO_TRY(order_.finish());
        if (!holes_.empty()) {
            char* const data = out_.reserve(0) - out_.size();
            out_.commit(data + holes_.join_pieces(data, out_.size(), longest_header, [](char* to, const backpatch::hole& h) {
                return head(to, h.tag != 0 ? major::map : major::array, h.count);
            }));
        }
        out = {reinterpret_cast<const unsigned char*>(static_cast<const char*>(out_.data())) + start_, out_.size() - start_};
        begin();
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
            stopped_ = no_memory();
        return to;
    }
    [[gnu::cold, gnu::noinline]] errc no_memory() noexcept {
        return ctx_.fail(errc::memory, failure::nowhere, "out of memory");
    }

    errc one_byte(unsigned c) noexcept {
        KUMIHIMO_TRY(order_.value());
        char* to = room(1);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        *to++ = static_cast<char>(c);
        out_.commit(to);
        return errc::ok;
    }

    errc put_head(major m, std::uint64_t n) noexcept {
        KUMIHIMO_TRY(order_.value());
        char* to = room(longest_header);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        out_.commit(head(to, m, n));
        return errc::ok;
    }

    errc put_raw(const void* data, std::size_t n) noexcept {
        char* to = room(n);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        out_.commit(append(to, data, n));
        return errc::ok;
    }

    errc put_bytes(bytes b) noexcept {
        char* to = room(b.size() + longest_header);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        to = bytes_head(to, b.size());
        out_.commit(append(to, b.data(), b.size()));
        return errc::ok;
    }

    /// A text's fields one by one: given as an object of 24 bytes, which goes through memory, short strings took twice
    /// as long to write.
    errc put_text(const void* data, std::size_t n, encoding charset) noexcept {
        if (charset != encoding::utf8 && charset != encoding::ascii) return put_converted({data, n, charset});
        const char* const s = static_cast<const char*>(data);
        if (charset == encoding::utf8 && !simd::valid_utf8(s, n)) [[unlikely]] {
            if (dialect_.invalid == invalid_text::bin) return put_bytes({reinterpret_cast<const unsigned char*>(s), n});
            if (dialect_.invalid == invalid_text::refuse)
                return ctx_.fail(errc::encoding, failure::nowhere, "a string is not valid UTF-8");
        }
        char* to = room(n + longest_header);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        out_.commit(append(head(to, major::text, n), s, n));
        return errc::ok;
    }

    errc put_converted(text t) noexcept {
        const std::size_t n = scalar::utf8_size_of(t);
        char* const to = room(n + longest_header);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        char* const behind = head(to, major::text, n);
        errc said = errc::ok;
        const auto other = [&]() -> char* {
            if (dialect_.invalid != invalid_text::refuse)
                return dialect_.invalid == invalid_text::bin ? bytes_head(to, n) : behind;
            said = ctx_.fail(errc::encoding, failure::nowhere, "a string holds half a surrogate pair");
            return nullptr;
        };
        scalar::put_converted(
            t, behind, [&](char* end) { out_.commit(end); }, other);
        return said;
    }

    /// Text of a moment, with or without tag 0; nullptr where the year has no text.
    static char* put_time_text(char* to, const instant& t, bool tagged) noexcept {
        char digits[scalar::time_room];
        const char* const end = scalar::write_time(digits, t);
        if (end == nullptr) return nullptr;
        const auto n = static_cast<std::size_t>(end - digits);
        if (tagged) to = head(to, major::tag, tags::date_time);
        return append(head(to, major::text, n), digits, n);
    }

    char* put_date(char* to, const instant& t) const noexcept {
        const std::int64_t days = t.seconds / 86400 - (t.seconds % 86400 < 0);
        char digits[scalar::time_room];
        const char* const end = dialect_.moments == clock::text ? scalar::write_date(digits, days) : nullptr;
        if (end != nullptr) {
            const auto n = static_cast<std::size_t>(end - digits);
            return append(head(head(to, major::tag, tags::date), major::text, n), digits, n);
        }
        return integer(head(to, major::tag, tags::days), days);
    }

    /// A moment in UTC: seconds, as a double where that one is read as the same moment, else text, which every reader
    /// knows; and where the year has no text, extended time.
    char* put_moment(char* to, const instant& t) const noexcept {
        instant utc = t;
        utc.clock = instant::kind::utc;
        utc.offset = 0;
        char* text = nullptr;
        if (dialect_.moments == clock::text && (text = put_time_text(to, utc, true)) != nullptr) return text;
        char* const number = head(to, major::tag, tags::epoch);
        if (t.nanoseconds == 0) return integer(number, t.seconds);
        // Both counted from zero, so that nothing is lost just before 1970: second -1 and 999,999,999 is -0.000000001.
        const bool before = t.seconds < 0;
        const double part = before ? static_cast<double>(t.nanoseconds) - 1e9 : static_cast<double>(t.nanoseconds);
        const double x = static_cast<double>(t.seconds + before) + part / 1e9;
        instant back;
        if (moment_of(x, back) && back.seconds == t.seconds && back.nanoseconds == t.nanoseconds)
            return put_float(number, x, dialect_.floats == float_width::shortest);
        if ((text = put_time_text(to, utc, true)) != nullptr) return text;
        to = head(head(to, major::tag, tags::extended_time), major::map, 2);
        to = integer(integer(to, 1), t.seconds);
        return integer(integer(to, -9), t.nanoseconds);
    }

    static char* integer(char* to, std::int64_t n) noexcept {
        const auto sign = static_cast<std::uint64_t>(n >> 63);
        return head(to, n < 0 ? major::negative : major::natural, static_cast<std::uint64_t>(n) ^ sign);
    }

    /// Whether these are one item that a reader gives as ext 24, in the form that the dialect writes.
    bool is_item(bytes b) const noexcept {
        const unsigned char* p = b.data();
        const unsigned char* const e = p + b.size();
        if (!carried(p, e)) return false;
        fault ignored;
        const insist_on form = dialect_.keys == key_order::bytewise       ? insist_on::deterministic
                               : dialect_.keys == key_order::length_first ? insist_on::preferred
                                                                          : insist_on::anything;
        const check_rules rules{form, dialect_.invalid == invalid_text::refuse, ctx_.limits.depth - order_.depth()};
        return check(p, e, rules, ignored) == errc::ok && p == e;
    }

    errc open(count n, bool map) noexcept {
        KUMIHIMO_TRY(order_.value());
        char* to = room(longest_header);
        if (to == nullptr) [[unlikely]]
            return stopped_;
        KUMIHIMO_TRY(order_.open(map, n, holes_.size()));
        if (sorts_ && !sorter_.open(out_.size())) [[unlikely]]
            return no_memory();
        if (n.known()) {
            out_.commit(head(to, map ? major::map : major::array, static_cast<std::uint64_t>(n.n)));
            return errc::ok;
        }
        if (sorts_ || dialect_.counts == late_count::indefinite) {
            *to = static_cast<char>(map ? 0xbf : 0x9f);
            out_.commit(to + 1);
            return errc::ok;
        }
        if (!holes_.open(out_.size(), map)) return no_memory();
        std::memset(to, 0, longest_header);
        out_.commit(to + longest_header);
        return errc::ok;
    }

    [[gnu::noinline]] errc end_sorted(const order::frame& closed, std::uint64_t n) noexcept {
        const major m = closed.map ? major::map : major::array;
        char* data = const_cast<char*>(static_cast<const char*>(out_.data()));
        if (closed.expected == order::unknown) {
            const unsigned wider = width_of(n);
            if (room(wider) == nullptr) return stopped_;
            data = out_.reserve(wider) - out_.size();
            sorter_.widen(data, out_.size(), m, n, wider);
            out_.commit(data + out_.size() + wider);
        }
        const errc code = sorter_.close(data, out_.size(), dialect_.keys == key_order::length_first);
        if (code == errc::duplicate)
            return ctx_.fail(code, failure::nowhere, "a key comes twice in a map, which the dialect refuses");
        return code == errc::ok ? code : no_memory();
    }

    B& out_;
    context& ctx_;
    cbor::dialect dialect_;
    bool sorts_;
    order order_;
    backpatch holes_;
    sorter sorter_;
    std::size_t start_;
    errc stopped_ = errc::ok;
};

using writer = basic_writer<buffer>;
static_assert(kumihimo::writer<writer>);

}  // namespace kumihimo::inline v0::cbor
