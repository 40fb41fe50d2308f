// CBOR (RFC 8949) becomes values. The layout is in header.hpp.
//
// What an item arrives as: integers as i64 where they fit, then u64, then big, whatever width they were written in;
// floats of all widths as f64; strings of indefinite length in one piece; undefined as null; text keys by key(text),
// all others by key(next_value) and a value. Tags 0, 1, 100, 1001 and 1004 as time, 2 and 3 as integers, 4 as big, 5
// as f64 or big; tag 55799 says nothing. All other tags, and simple values without a meaning, as ext 24 (ext_item):
// the encoded item, as it stands. Ours (tags::typed) as the ext that it was.
//
// Nothing is believed before it is seen: a count or length beyond the bytes that are left is errc::truncated at its
// header, so that no sink makes room for what a hostile header promises.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "engine/cbor/check.hpp"
#include "engine/cbor/dialect.hpp"
#include "engine/cbor/duplicates.hpp"
#include "engine/cbor/floats.hpp"
#include "engine/cbor/header.hpp"
#include "engine/cbor/locate.hpp"
#include "engine/cbor/tagged.hpp"
#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/located.hpp"
#include "engine/core/null.hpp"
#include "engine/core/source.hpp"
#include "engine/core/stack.hpp"
#include "engine/scalar/integer.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/simd/text.hpp"

namespace kumihimo::inline v0::cbor {

class reader {
public:
    using dialect = read_dialect;

    reader(bytes input, context& ctx, const read_dialect& granted = standard_read) noexcept
        : begin_(input.data()), end_(input.data() + input.size()), at_(begin_), ctx_(ctx), granted_(granted) {}

    /// The whole input as one document. Bytes behind it are errc::trailing.
    template <sink K>
    errc feed(K& to) {
        at_ = begin_;
        KUMIHIMO_TRY(next(to));
        if (at_ != end_) return stop(errc::trailing, at_, "there are bytes after the document");
        return errc::ok;
    }

    /// The next document of a stream, one behind the other: while (from.more()) KUMIHIMO_TRY(from.next(sink)).
    template <sink K>
    errc next(K& to) {
        first_ = at_;
        const std::size_t all = static_cast<std::size_t>(end_ - at_);
        last_ = all > ctx_.limits.size ? at_ + ctx_.limits.size : end_;
        through_ = nullptr;
        outer_.clear();
        ends_.clear();
        if (granted_.insist != insist_on::anything || granted_.duplicates != key_twice::keep) {
            KUMIHIMO_TRY(look_ahead());
            if (granted_.duplicates == key_twice::last) return walk<true>(to);
        }
        return walk<false>(to);
    }

    /// Whether there is another document.
    bool more() const noexcept { return at_ != end_; }
    /// Where the next document begins: bytes from the start of the input.
    std::size_t position() const noexcept { return static_cast<std::size_t>(at_ - begin_); }

private:
    using byte = unsigned char;
    struct frame {
        std::uint64_t left;  // items to come; in a map keys and values, so an even number means that a key is due
        std::uint64_t is;    // a set of the bits below; as wide as a register, so that frames are stored and loaded alike

        bool map() const noexcept { return (is & no_map) == 0; }
        bool key_due() const noexcept { return ((left | is) & 1) == 0; }
    };
    static constexpr std::uint64_t no_map = 1;
    static constexpr std::uint64_t open_ended = 2;  // of indefinite length: `left` is even and never counted down to 0
    static constexpr std::uint64_t embeds = 4;      // the one item within a byte string
    static constexpr std::uint64_t endless = ~std::uint64_t{1};

    /// Dropping: keys that come again are skipped, and no map's count is known.
    template <bool Dropping, sink K>
    errc walk(K& to) {
        // p stays in a register as long as nobody takes its address: what moves it gets a copy.
        const byte* p = at_;
        const byte* e = last_;
        frame now{1, no_map};
        const auto left = [&] { return static_cast<std::uint64_t>(e - p); };

        for (;;) {
            if (p == e) [[unlikely]]
                return cut(p, e);
            const byte* const start = p;
            const unsigned c = *p++;
            const bool key = now.key_due();
            errc code = errc::ok;
            std::uint64_t n = c & 31u;
            if constexpr (Dropping) {
                if (key && dropped(start)) {
                    // Well-formed: it was looked at.
                    const byte* behind = start;
                    skip(behind, e);
                    skip(behind, e);
                    p = behind;
                    now.left -= 2;
                    goto behind;
                }
            }
            if constexpr (located_sink<K>) {
                if (c != 0xff && c - 0xc0u >= 0x20u) place(start, e, to);
            }

            // The most frequent first, and in each what is most frequent: what begins a string or is a value by itself
            // does without a look at the width of an argument.
            if (c - 0x60u < 0x20u) {
                if (n >= 24 && !argument(c, p, e, n)) [[unlikely]]
                    return misfit(c, start, e);
                text t{p, static_cast<std::size_t>(n), encoding::ascii};
                if (c == 0x7f) [[unlikely]] {
                    const byte* behind = p;
                    KUMIHIMO_TRY(join(start, behind, e, t));
                    p = behind;
                } else {
                    if (n > left()) [[unlikely]]
                        return cut(start, e);
                    p += n;
                }
                --now.left;
                if (!simd::classify(t)) [[unlikely]] {
                    code = broken_text(start, p, e, t, key, to);
                } else {
                    code = key ? to.key(t) : to.str(t);
                }
            } else if (c < 0x60) {
                if (key) [[unlikely]] {
                    if (const errc k = to.key(next_value{}); k != errc::ok) return refused(k, start);
                }
                --now.left;
                if (c < 24) {
                    code = to.i64(static_cast<std::int64_t>(c));
                } else if (n >= 24 && !argument(c, p, e, n)) [[unlikely]] {
                    return misfit(c, start, e);
                } else if (c < 0x20) {
                    code = n <= INT64_MAX ? to.i64(static_cast<std::int64_t>(n)) : to.u64(n);
                } else if (c < 0x40) {
                    code = n <= INT64_MAX ? to.i64(static_cast<std::int64_t>(~n)) : below(n, to);
                } else {
                    text t{p, static_cast<std::size_t>(n), encoding::ascii};
                    if (c == 0x5f) [[unlikely]] {
                        const byte* behind = p;
                        KUMIHIMO_TRY(join(start, behind, e, t));
                        p = behind;
                    } else {
                        if (n > left()) [[unlikely]]
                            return cut(start, e);
                        p += n;
                    }
                    code = to.bin({static_cast<const byte*>(t.data), t.size});
                }
            } else if (c < 0xc0) {
                if (key) [[unlikely]] {
                    if (const errc k = to.key(next_value{}); k != errc::ok) return refused(k, start);
                }
                --now.left;
                const std::uint64_t map = c >> 5 & 1, open = n == 31;
                if (n >= 24 && !argument(c, p, e, n)) [[unlikely]]
                    return misfit(c, start, e);
                if (outer_.size() >= ctx_.limits.depth) [[unlikely]]
                    return stop(errc::depth, start, "containers are nested deeper than the limit");
                count known;
                std::uint64_t values = endless;
                if (!open) [[likely]] {
                    if (n > left() >> map) [[unlikely]]
                        return last_ != end_ || e != last_
                                   ? cut(start, e)
                                   : stop(errc::truncated, start,
                                          "a container announces more values than there are bytes left");
                    values = n << map;
                    if (!Dropping || map == 0) known.n = static_cast<std::int64_t>(n);
                }
                code = map != 0 ? to.map(known) : to.array(known);
                if (code != errc::ok) [[unlikely]]
                    return refused(code, start);
                if (!outer_.push(now)) [[unlikely]]
                    return stop(errc::memory, start, "out of memory");
                now = {values, (map ^ no_map) | open * open_ended};
            } else if (c >= 0xe0 && c != 0xff) {
                if (key) [[unlikely]] {
                    if (const errc k = to.key(next_value{}); k != errc::ok) return refused(k, start);
                }
                --now.left;
                if (c >= 0xf9 && c <= 0xfb && left() >= 8) {
                    const std::uint64_t bits = big_endian::load<std::uint64_t>(p);
                    if (c == 0xfb) {
                        code = to.f64(std::bit_cast<double>(bits));
                        p += 8;
                    } else {
                        // Half or single cannot be foretold.
                        code = to.f64(narrow_float(bits, c - 0xf9));
                        p += 2 * (c - 0xf8);
                    }
                } else if (c == 0xf6) {
                    code = to.null();
                } else if (c == 0xf4 || c == 0xf5) {
                    code = to.boolean(c == 0xf5);
                } else {
                    if (n >= 24 && !argument(c, p, e, n)) return misfit(c, start, e);
                    if (c >= 0xf9) {
                        code = to.f64(float_value(n, 1u << (c - 0xf8)));
                    } else if (c == 0xf7 && granted_.undefined == undefined_value::null) {
                        code = to.null();
                    } else if (c == 0xf7 && granted_.undefined == undefined_value::refuse) {
                        return stop(errc::unsupported, start, "the value undefined, which the dialect refuses");
                    } else if (c == 0xf8 && n < 32) {
                        return stop(errc::syntax, start, "these bytes begin no CBOR item");
                    } else {
                        code = to.ext(ext_item, {start, static_cast<std::size_t>(p - start)});
                    }
                }
            } else if (c == 0xff) {
                if ((now.is & open_ended) == 0 || through_ == start) [[unlikely]]
                    return stop(errc::syntax, start, "a break where no container of indefinite length can end");
                if (now.map() && !key) [[unlikely]]
                    return stop(errc::syntax, start, "a map ends after a key without a value");
                now = outer_.top();
                outer_.pop();
                if constexpr (located_sink<K>)
                    to.at(static_cast<std::size_t>(start - begin_), static_cast<std::size_t>(p - begin_));
                code = to.end();
            } else {
                if (n >= 24 && !argument(c, p, e, n)) [[unlikely]]
                    return misfit(c, start, e);
                passage goes = passage::whole;
                const byte* inside = nullptr;
                const byte* behind = p;
                KUMIHIMO_TRY(tag(n, start, behind, e, inside, key, to, goes));
                p = behind;
                if (goes == passage::through) {
                    through_ = p;
                    continue;
                }
                --now.left;
                if (goes == passage::inside) {
                    if (!outer_.push(now) || !ends_.push(e)) [[unlikely]]
                        return stop(errc::memory, start, "out of memory");
                    e = p;
                    p = inside;
                    now = {1, embeds | no_map};
                }
            }
            if (code != errc::ok) [[unlikely]]
                return refused(code, start);

            [[maybe_unused]] behind : if (now.left != 0) [[likely]] continue;
            do {
                if (outer_.empty()) {
                    at_ = p;
                    return errc::ok;
                }
                const bool embedded = (now.is & embeds) != 0;
                now = outer_.top();
                outer_.pop();
                if (embedded) [[unlikely]] {
                    if (p != e) return stop(errc::syntax, p, "there are bytes after an embedded item");
                    e = ends_.top();
                    ends_.pop();
                    continue;
                }
                if constexpr (located_sink<K>)
                    to.at(static_cast<std::size_t>(p - begin_), static_cast<std::size_t>(p - begin_));
                if (const errc k = to.end(); k != errc::ok) [[unlikely]]
                    return refused(k, start);
            } while (now.left == 0);
        }
    }

    /// The argument behind an initial byte whose lower bits are 24 or more; for the lengths that are indefinite
    /// nothing. False where the input ends, or the byte begins no item.
    [[gnu::always_inline]] static bool argument(unsigned c, const byte*& p, const byte* e, std::uint64_t& n) noexcept {
        if (n >= 28) [[unlikely]]
            return n == 31 && c != 0x1f && c != 0x3f && c != 0xdf;
        const unsigned width = 1u << (n - 24);
        if (static_cast<std::size_t>(e - p) < width) [[unlikely]]
            return false;
        n = load(p, width, e);
        p += width;
        return true;
    }
    [[gnu::cold, gnu::noinline]] errc misfit(unsigned c, const byte* start, const byte* e) noexcept {
        return (c & 31) < 28 ? cut(start, e) : stop(errc::syntax, start, "these bytes begin no CBOR item");
    }

    enum class passage : std::uint8_t {
        whole,    // the tag and its content were handed on, p is behind them
        through,  // the tag says nothing, p is at its content
        inside,   // the content is an encoded item, from `inside` to p
    };

    /// A tag, p behind its header.
    template <sink K>
    [[gnu::noinline]] errc tag(std::uint64_t n, const byte* start, const byte*& p, const byte* e, const byte*& inside, bool key,
                               K& to, passage& goes) {
        fault found;
        content in(p, e, found, !std::is_same_v<K, null_sink>);
        instant t;
        bool good = true, known = true;
        const byte* const after = p;
        // Where all of it was read: a tag's end is not looked for, since tags may stand in tags.
        const auto name = [&] {
            if constexpr (located_sink<K>)
                to.at(static_cast<std::size_t>(start - begin_), static_cast<std::size_t>(p - begin_));
            return key ? to.key(next_value{}) : errc::ok;
        };
        switch (n) {
            case tags::self_described: goes = passage::through; return errc::ok;
            case tags::natural:
            case tags::negative:
            case tags::decimal:
            case tags::bigfloat: {
                numeral number;
                good = n <= tags::negative ? in.bignum(n == tags::negative, number) : in.fraction(n == tags::decimal, number);
                if (!good) return stop(found, start, e);
                errc code = name();
                if (code == errc::ok) code = send(number, to);
                return code == errc::ok ? code : refused(code, start);
            }
            case tags::date_time: good = in.date_time(t); break;
            case tags::epoch: good = in.epoch(t); break;
            case tags::days: good = in.days(t); break;
            case tags::date: good = in.date(t); break;
            case tags::extended_time: good = in.extended_time(t, known); break;
            default: known = false;
        }
        if (!good) return stop(found, start, e);
        if (known) {
            errc code = name();
            if (code == errc::ok) code = to.time(t);
            return code == errc::ok ? code : refused(code, start);
        }
        if (n >> 8 == tags::typed >> 8) {
            const header h = read_header(p, e);
            if (h.is == header::kind::bytes && !h.indefinite && h.argument <= static_cast<std::uint64_t>(e - p) - h.size) {
                p += h.size + h.argument;
                errc code = name();
                if (code == errc::ok)
                    code = to.ext(static_cast<std::int8_t>(n & 255), {p - h.argument, static_cast<std::size_t>(h.argument)});
                return code == errc::ok ? code : refused(code, start);
            }
        }
        if (n == tags::embedded && granted_.embedded == embedded_item::open) {
            const header h = read_header(p, e);
            if (h.is == header::kind::bytes && !h.indefinite && h.argument <= static_cast<std::uint64_t>(e - p) - h.size) {
                if (outer_.size() >= ctx_.limits.depth)
                    return stop(errc::depth, start, "containers are nested deeper than the limit");
                inside = p + h.size;
                p = inside + h.argument;
                goes = passage::inside;
                const errc code = name();
                return code == errc::ok ? code : refused(code, start);
            }
        }
        if (granted_.tags == unknown_tag::drop) {
            goes = passage::through;
            return errc::ok;
        }
        p = after;
        if (check(p, e, rules(insist_on::anything), found) != errc::ok) return stop(found, start, e);
        if (granted_.tags == unknown_tag::refuse)
            return stop(errc::unsupported, start, "a tag without a meaning here, which the dialect refuses");
        errc code = name();
        if (code == errc::ok) code = to.ext(ext_item, {start, static_cast<std::size_t>(p - start)});
        return code == errc::ok ? code : refused(code, start);
    }

    template <sink K>
    static errc send(const numeral& n, K& to) {
        switch (n.is) {
            case numeral::kind::i64: return to.i64(n.i64);
            case numeral::kind::u64: return to.u64(n.u64);
            case numeral::kind::f64: return to.f64(n.f64);
            default: return to.big({n.digits, n.size, encoding::ascii});
        }
    }

    /// -1 - n, below -2^63.
    template <sink K>
    [[gnu::cold, gnu::noinline]] static errc below(std::uint64_t n, K& to) {
        char digits[scalar::integer_room + 4] = {'-'};
        if (n == UINT64_MAX) return to.big({"-18446744073709551616", 21, encoding::ascii});
        const char* const end = scalar::write_u64(digits + 1, n + 1);
        return to.big({digits, static_cast<std::size_t>(end - digits), encoding::ascii});
    }

    template <sink K>
    [[gnu::cold, gnu::noinline]] errc broken_text(const byte* start, const byte* p, const byte* e, text t, bool key, K& to) {
        if (granted_.invalid == invalid_text::refuse) {
            // The chunk that is broken, where there are several.
            fault found;
            const byte* again = start;
            if (check(again, p, rules(insist_on::anything), found) == errc::encoding) return stop(found, start, e);
            return stop(errc::encoding, start, "a text string is not valid UTF-8");
        }
        if (granted_.invalid == invalid_text::keep) {
            t.charset = encoding::utf8;
            return key ? to.key(t) : to.str(t);
        }
        if (key) KUMIHIMO_TRY(to.key(next_value{}));
        return to.bin({static_cast<const byte*>(t.data), t.size});
    }

    /// The chunks of a string of indefinite length in one piece; p is behind its header.
    [[gnu::cold, gnu::noinline]] errc join(const byte* start, const byte*& p, const byte* e, text& out) noexcept {
        fault found;
        const header h = read_header(start, e);
        const bool checked = h.is == header::kind::text && granted_.invalid == invalid_text::refuse;
        joined_.clear();
        const errc code = pieces(p, e, h, found, [&](const byte* b, std::size_t n) {
            // Each chunk must be text by itself.
            text chunk{b, n, encoding::ascii};
            if (checked && !simd::classify(chunk)) {
                found = {errc::encoding, b + scalar::utf8_valid_prefix(reinterpret_cast<const char*>(b), n),
                         "a text string is not valid UTF-8"};
            } else if (!joined_.append(b, n)) {
                found = {errc::memory, b, "out of memory"};
            }
            return found.code;
        });
        if (code != errc::ok) return stop(found, start, e);
        out = {joined_.data(), joined_.size(), encoding::ascii};
        return errc::ok;
    }

    /// Within the containers that are open now.
    check_rules rules(insist_on form) const noexcept {
        return {form, granted_.invalid == invalid_text::refuse, ctx_.limits.depth - outer_.size()};
    }

    /// What the dialect wants to know before the first verb.
    [[gnu::cold, gnu::noinline]] errc look_ahead() noexcept {
        fault found;
        const byte* p = at_;
        if (check(p, last_, rules(granted_.insist), found) != errc::ok) return stop(found, at_, last_);
        if (granted_.duplicates == key_twice::keep) return errc::ok;
        twice_.overridden.clear();
        twice_.first_again = static_cast<std::size_t>(-1);
        passed_ = 0;
        if (find_duplicates(begin_, p, static_cast<std::size_t>(at_ - begin_), twice_) != errc::ok)
            return stop(errc::memory, at_, "out of memory");
        if (granted_.duplicates == key_twice::error && twice_.first_again != static_cast<std::size_t>(-1))
            return stop(errc::duplicate, begin_ + twice_.first_again, "a key comes twice in a map");
        return errc::ok;
    }

    /// Whether the key at this place comes again later.
    bool dropped(const byte* at) noexcept {
        const auto offset = static_cast<std::size_t>(at - begin_);
        while (passed_ < twice_.overridden.size() && twice_.overridden[passed_] < offset) ++passed_;
        return passed_ < twice_.overridden.size() && twice_.overridden[passed_] == offset;
    }
    void skip(const byte*& p, const byte* e) const noexcept {
        fault ignored;
        check(p, e, {.text = false, .depth = static_cast<std::size_t>(-1)}, ignored);
    }

    template <located_sink K>
    void place(const byte* start, const byte* e, K& to) const {
        const header h = read_header(start, e);
        const byte* p = start + h.size;
        if (h.string()) skip(p = start, e);
        to.at(static_cast<std::size_t>(start - begin_), static_cast<std::size_t>(p - begin_));
    }

    [[gnu::cold, gnu::noinline]] errc cut(const byte* at, const byte* e) noexcept {
        if (e != last_) return stop(errc::syntax, at, "an embedded item is longer than the string that holds it");
        if (last_ != end_) return stop(errc::size, at, "the document is larger than the limit");
        return stop(errc::truncated, at, at == end_ ? "the input ends where a value is due" : "the input ends inside a value");
    }

    /// What was found in the item at `start`.
    [[gnu::cold, gnu::noinline]] errc stop(const fault& found, const byte* start, const byte* e) noexcept {
        if (found.code == errc::truncated && (e != last_ || last_ != end_)) return cut(start, e);
        return stop(found.code, found.at == nullptr ? start : found.at, found.what);
    }

    /// The failure at a byte of the input.
    [[gnu::cold, gnu::noinline]] errc stop(errc code, const byte* at, const char* what) noexcept {
        ctx_.fail(code, static_cast<std::size_t>(at - begin_), what);
        locate({begin_, static_cast<std::size_t>(end_ - begin_)}, ctx_, static_cast<std::size_t>(first_ - begin_));
        return code;
    }

    /// The sink said no to the value at this byte; it knows why, but not where.
    [[gnu::cold, gnu::noinline]] errc refused(errc code, const byte* at) noexcept {
        if (code == errc::host) return code;
        ctx_.fail(code, failure::nowhere, "the receiver refused this value");
        if (ctx_.failure.offset == failure::nowhere) {
            ctx_.failure.offset = static_cast<std::size_t>(at - begin_);
            locate({begin_, static_cast<std::size_t>(end_ - begin_)}, ctx_, static_cast<std::size_t>(first_ - begin_));
        }
        return code;
    }

    const byte* begin_;
    const byte* end_;
    const byte* at_;
    const byte* first_ = nullptr;    // of the document under way
    const byte* last_ = nullptr;     // where limits.size or the input ends it
    const byte* through_ = nullptr;  // where the content of the last tag that said nothing must begin
    context& ctx_;
    read_dialect granted_;
    stack<frame, 16> outer_;
    stack<const byte*> ends_;  // of what is around each open embedded item
    buffer joined_;            // of a string of indefinite length
    duplicates twice_;         // keys to be dropped
    std::size_t passed_ = 0;
};
static_assert(kumihimo::reader<reader>);

}  // namespace kumihimo::inline v0::cbor
