// MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md) becomes values. The layout is in writer.hpp.
//
// What a type arrives as: integers as i64 where they fit, whatever width they were written in; float 32 and 64 as f64
// (float 32 widens exactly); ext -1 of 4, 8 or 12 bytes as time, kind utc, other lengths of it as ext; text keys by
// key(text), all others by key(next_value) and a value. Encodings longer than need be are accepted, as the
// specification says.
//
// Nothing is believed before it is seen: a count or length beyond the bytes that are left is errc::truncated at its
// header, so that no sink makes room for what a hostile header promises.
#pragma once
#include <bit>
#include <cstdint>

#include "engine/core/context.hpp"
#include "engine/core/declining.hpp"
#include "engine/core/located.hpp"
#include "engine/core/source.hpp"
#include "engine/core/stack.hpp"
#include "engine/msgpack/dialect.hpp"
#include "engine/msgpack/header.hpp"
#include "engine/msgpack/locate.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/simd/text.hpp"

namespace kumihimo::inline v0::msgpack {

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
        outer_.clear();
        return walk(to);
    }

    /// Whether there is another document.
    bool more() const noexcept { return at_ != end_; }
    /// Where the next document begins: bytes from the start of the input.
    std::size_t position() const noexcept { return static_cast<std::size_t>(at_ - begin_); }

private:
    struct frame {
        std::uint64_t left;  // values to come; in a map keys and values, so an even number means that a key is due
        bool map;
    };

    template <sink K>
    errc walk(K& to) {
        const unsigned char* p = at_;
        const unsigned char* const e = last_;
        frame now{1, false};
        const auto left = [&] { return static_cast<std::uint64_t>(e - p); };

        for (;;) {
            if (p == e) [[unlikely]]
                return cut(p);
            const unsigned char* const start = p;
            const unsigned c = *p++;
            const bool key = now.map && (now.left & 1) == 0;
            --now.left;
            errc code = errc::ok;
            if constexpr (declining_sink<K>) {
                if (!key && to.declines()) {
                    p = skip(start, e);
                    if (p == nullptr) return cut(start);
                    code = to.passed_over();
                    if (code != errc::ok) return refused(code, start);
                    goto behind;
                }
            }
            if constexpr (located_sink<K>) {
                const header h = read_header(start, e);  // of a cut one nothing is sent
                const std::size_t whole = h.size + static_cast<std::size_t>(h.payload);
                to.at(static_cast<std::size_t>(start - begin_), static_cast<std::size_t>(start - begin_) + whole);
            }

            if (c - 0xa0u < 0x20u || c - 0xd9u < 3u) {
                std::uint64_t n = c & 31u;
                if (c >= 0xd9) {
                    const unsigned width = 1u << (c - 0xd9u);
                    if (left() < width) [[unlikely]]
                        return cut(start);
                    n = width == 1 ? *p : width == 2 ? big_endian::load<std::uint16_t>(p) : big_endian::load<std::uint32_t>(p);
                    p += width;
                }
                if (n > left()) [[unlikely]]
                    return cut(start);
                text t{p, static_cast<std::size_t>(n), encoding::ascii};
                p += n;
                if (!simd::classify(t)) [[unlikely]] {
                    if (granted_.invalid == invalid_text::refuse) {
                        const auto good = scalar::utf8_valid_prefix(static_cast<const char*>(t.data), t.size);
                        return stop(errc::encoding, static_cast<const unsigned char*>(t.data) + good,
                                    "a str is not valid UTF-8");
                    }
                    if (granted_.invalid == invalid_text::keep) {
                        t.charset = encoding::utf8;
                        code = key ? to.key(t) : to.str(t);
                    } else {
                        if (key) code = to.key(next_value{});
                        if (code == errc::ok) code = to.bin({static_cast<const unsigned char*>(t.data), t.size});
                    }
                } else {
                    code = key ? to.key(t) : to.str(t);
                }
                if (code != errc::ok) [[unlikely]]
                    return refused(code, start);
            } else {
                if (key) [[unlikely]] {
                    if (const errc k = to.key(next_value{}); k != errc::ok) return refused(k, start);
                }
                if (c < 0x80) {
                    code = to.i64(static_cast<std::int64_t>(c));
                } else if (c >= 0xe0) {
                    code = to.i64(static_cast<std::int8_t>(c));
                } else if (c < 0xa0 || c >= 0xdc) {
                    std::uint64_t n = c & 15u;
                    const bool map = c < 0xa0 ? c < 0x90 : c >= 0xde;
                    if (c >= 0xdc) {
                        const unsigned width = 2u << (c & 1);
                        if (left() < width) [[unlikely]]
                            return cut(start);
                        n = width == 2 ? big_endian::load<std::uint16_t>(p) : big_endian::load<std::uint32_t>(p);
                        p += width;
                    }
                    if (outer_.size() >= ctx_.limits.depth) [[unlikely]] {
                        return stop(errc::depth, start, "containers are nested deeper than the limit");
                    }
                    if ((map ? 2 * n : n) > left()) [[unlikely]] {
                        return last_ != end_ ? cut(start)
                                             : stop(errc::truncated, start,
                                                    "a container announces more values than there are bytes left");
                    }
                    const count known{static_cast<std::int64_t>(n)};
                    code = map ? to.map(known) : to.array(known);
                    if (code != errc::ok) [[unlikely]]
                        return refused(code, start);
                    if (!outer_.push(now)) [[unlikely]]
                        return stop(errc::memory, start, "out of memory");
                    now = {map ? 2 * n : n, map};
                } else {
                    switch (c) {
                        case 0xc0: code = to.null(); break;
                        case 0xc2: code = to.boolean(false); break;
                        case 0xc3: code = to.boolean(true); break;
                        case 0xcc: {
                            if (left() < 1) return cut(start);
                            code = to.i64(*p++);
                            break;
                        }
                        case 0xcd: {
                            if (left() < 2) return cut(start);
                            code = to.i64(big_endian::load<std::uint16_t>(p));
                            p += 2;
                            break;
                        }
                        case 0xce: {
                            if (left() < 4) return cut(start);
                            code = to.i64(big_endian::load<std::uint32_t>(p));
                            p += 4;
                            break;
                        }
                        case 0xcf: {
                            if (left() < 8) return cut(start);
                            const auto n = big_endian::load<std::uint64_t>(p);
                            code = n <= INT64_MAX ? to.i64(static_cast<std::int64_t>(n)) : to.u64(n);
                            p += 8;
                            break;
                        }
                        case 0xd0: {
                            if (left() < 1) return cut(start);
                            code = to.i64(static_cast<std::int8_t>(*p++));
                            break;
                        }
                        case 0xd1: {
                            if (left() < 2) return cut(start);
                            code = to.i64(static_cast<std::int16_t>(big_endian::load<std::uint16_t>(p)));
                            p += 2;
                            break;
                        }
                        case 0xd2: {
                            if (left() < 4) return cut(start);
                            code = to.i64(static_cast<std::int32_t>(big_endian::load<std::uint32_t>(p)));
                            p += 4;
                            break;
                        }
                        case 0xd3: {
                            if (left() < 8) return cut(start);
                            code = to.i64(static_cast<std::int64_t>(big_endian::load<std::uint64_t>(p)));
                            p += 8;
                            break;
                        }
                        case 0xca: {
                            if (left() < 4) return cut(start);
                            code = to.f64(std::bit_cast<float>(big_endian::load<std::uint32_t>(p)));
                            p += 4;
                            break;
                        }
                        case 0xcb: {
                            if (left() < 8) return cut(start);
                            code = to.f64(std::bit_cast<double>(big_endian::load<std::uint64_t>(p)));
                            p += 8;
                            break;
                        }
                        case 0xc1: return stop(errc::syntax, start, "the byte c1 begins no MessagePack value");
                        default: {  // bin c4-c6, ext c7-c9, fixext d4-d8
                            const header h = read_header(start, e);
                            if (h.is == header::kind::cut || h.payload + h.size > static_cast<std::uint64_t>(e - start)) {
                                return cut(start);
                            }
                            p = start + h.size;
                            const bytes b{p, static_cast<std::size_t>(h.payload)};
                            p += h.payload;
                            if (h.is == header::kind::bin) {
                                code = to.bin(b);
                                break;
                            }
                            const int type = static_cast<std::int8_t>(start[h.size - 1]);
                            instant t;
                            if (type != -1 || !timestamp(b, t)) {
                                code = to.ext(type, b);
                            } else if (t.nanoseconds > 999'999'999) {
                                return stop(errc::range, start, "a timestamp's nanoseconds are 1,000,000,000 or more");
                            } else {
                                code = to.time(t);
                            }
                        }
                    }
                }
                if (code != errc::ok) [[unlikely]]
                    return refused(code, start);
            }

            [[maybe_unused]] behind : if (now.left != 0) [[likely]] continue;
            do {
                if (outer_.empty()) {
                    at_ = p;
                    return errc::ok;
                }
                now = outer_.top();
                outer_.pop();
                if constexpr (located_sink<K>)
                    to.at(static_cast<std::size_t>(p - begin_), static_cast<std::size_t>(p - begin_));
                if (const errc k = to.end(); k != errc::ok) [[unlikely]]
                    return refused(k, start);
            } while (now.left == 0);
        }
    }

    /// The byte behind the value at p, by headers alone; nullptr where the bytes end in it.
    static const unsigned char* skip(const unsigned char* p, const unsigned char* e) noexcept {
        for (std::uint64_t to_come = 1; to_come != 0; --to_come) {
            const header h = read_header(p, e);
            if (h.is == header::kind::cut || h.payload + h.size > static_cast<std::uint64_t>(e - p)) return nullptr;
            p += h.size + h.payload;
            to_come += h.values;
        }
        return p;
    }

    static bool timestamp(bytes b, instant& t) noexcept {
        if (b.size() == 4) {
            t.seconds = big_endian::load<std::uint32_t>(b.data());
        } else if (b.size() == 8) {
            const auto packed = big_endian::load<std::uint64_t>(b.data());
            t.seconds = static_cast<std::int64_t>(packed & ((std::uint64_t{1} << 34) - 1));
            t.nanoseconds = static_cast<std::uint32_t>(packed >> 34);
        } else if (b.size() == 12) {
            t.nanoseconds = big_endian::load<std::uint32_t>(b.data());
            t.seconds = static_cast<std::int64_t>(big_endian::load<std::uint64_t>(b.data() + 4));
        } else {
            return false;
        }
        return true;
    }

    [[gnu::cold, gnu::noinline]] errc cut(const unsigned char* at) noexcept {
        if (last_ != end_) return stop(errc::size, at, "the document is larger than the limit");
        return stop(errc::truncated, at, at == end_ ? "the input ends where a value is due" : "the input ends inside a value");
    }

    /// The failure at a byte of the input.
    [[gnu::cold, gnu::noinline]] errc stop(errc code, const unsigned char* at, const char* what) noexcept {
        ctx_.fail(code, static_cast<std::size_t>(at - begin_), what);
        locate({begin_, static_cast<std::size_t>(end_ - begin_)}, ctx_, static_cast<std::size_t>(first_ - begin_));
        return code;
    }

    /// The sink said no to the value at this byte; it knows why, but not where.
    [[gnu::cold, gnu::noinline]] errc refused(errc code, const unsigned char* at) noexcept {
        if (code == errc::host) return code;
        ctx_.fail(code, failure::nowhere, "the receiver refused this value");
        if (ctx_.failure.offset == failure::nowhere) {
            ctx_.failure.offset = static_cast<std::size_t>(at - begin_);
            locate({begin_, static_cast<std::size_t>(end_ - begin_)}, ctx_, static_cast<std::size_t>(first_ - begin_));
        }
        return code;
    }

    const unsigned char* begin_;
    const unsigned char* end_;
    const unsigned char* at_;
    const unsigned char* first_ = nullptr;  // of the document under way
    const unsigned char* last_ = nullptr;   // where limits.size or the input ends it
    context& ctx_;
    read_dialect granted_;
    stack<frame, 16> outer_;
};
static_assert(kumihimo::reader<reader>);

}  // namespace kumihimo::inline v0::msgpack
