// Tagged becomes values. header.hpp has the bytes of the layout `safe`, study.hpp those of `study`; a document's first
// byte says which it is: c1 begins no tag of the other.
//
// Counts are unknown, and nothing is believed before it is seen: no sink makes room for what a hostile header
// promises.
#pragma once
#include <bit>
#include <cstdint>

#include "engine/core/context.hpp"
#include "engine/core/located.hpp"
#include "engine/core/source.hpp"
#include "engine/core/stack.hpp"
#include "engine/json/number.hpp"
#include "engine/tagged/dialect.hpp"
#include "engine/tagged/header.hpp"
#include "engine/tagged/study_reader.hpp"

namespace kumihimo::inline v0::tagged {

class reader : private input {
public:
    using dialect = read_dialect;

    reader(bytes all, context& ctx, const read_dialect& granted = standard_read) noexcept
        : input(all, ctx), layouts_(granted.layouts) {}

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
        if (all > sizeof mark && at_[0] == mark[0] && at_[1] == mark[1] && at_[2] == mark[2] && last_ - at_ > 3 &&
            layouts_ != accepted::study) [[likely]] {
            return walk(to);
        }
        return other(to);
    }

    /// Whether there is another document.
    bool more() const noexcept { return at_ != end_; }
    /// Where the next document begins: bytes from the start of the input.
    std::size_t position() const noexcept { return static_cast<std::size_t>(at_ - begin_); }

private:
    /// What the next piece must be.
    enum class due : std::uint8_t {
        element,  // a value, and behind it another one
        key,
        item,      // a key's value
        odd_key,   // a value that is a key
        nothing,   // the document is whole
        document,  // its one value
    };
    static due behind(due d) noexcept {
        switch (d) {
            case due::item: return due::key;
            case due::odd_key: return due::item;
            case due::document: return due::nothing;
            default: return d;
        }
    }

    /// The layout study, or no document at all.
    template <sink K>
    [[gnu::noinline]] errc other(K& to) {
        if (at_ != last_ && *at_ == mark[0]) {
            if (layouts_ == accepted::study) return stop(errc::syntax, at_, "the document is of the layout safe");
            for (std::size_t i = 0; i < sizeof mark; ++i) {
                if (at_ + i == last_) return cut(at_);
                if (at_[i] != mark[i]) return stop(errc::syntax, at_, "a document begins with the bytes c1 fe 54");
            }
            return cut(at_ + sizeof mark);
        }
        if (at_ == last_) return cut(at_);
        if (layouts_ == accepted::safe) return stop(errc::syntax, at_, "a document begins with the bytes c1 fe 54");
        return study_walk(*this).walk(to, at_);
    }

    template <class K>
    void place(K& to, const unsigned char* from, const unsigned char* until) noexcept {
        if constexpr (located_sink<K>) to.at(offset(from), offset(until));
    }
    /// The place of the piece at p, before what it holds is known.
    template <class K>
    void place(K& to, const unsigned char* p) noexcept {
        if constexpr (located_sink<K>) {
            const header h = read_header(p, last_);  // of a cut one nothing is sent
            to.at(offset(p), offset(p) + h.size + static_cast<std::size_t>(h.payload));
        }
    }

    template <sink K>
    errc walk(K& to) {
        const unsigned char* p = at_ + sizeof mark;
        const unsigned char* const e = last_;
        outer_.clear();
        names_.clear();
        due now = due::document;
        const auto left = [&] { return static_cast<std::uint64_t>(e - p); };

        for (;;) {
            if (p == e) [[unlikely]]
                return cut(p);
            const unsigned char* const start = p;
            const unsigned c = *p++;
            errc code = errc::ok;
            place(to, start);

            if (now == due::key) {
                if (c - code::name < 0x40u) [[likely]] {
                    if (c - code::name >= names_.size()) [[unlikely]]
                        return no_name(start);
                    code = to.key(names_[c - code::name]);
                    now = due::item;
                } else if (c - code::lone_name < 0x20u) {
                    text t{p, c & 31u, encoding::ascii};
                    if (t.size > left()) [[unlikely]]
                        return cut(start);
                    p += t.size;
                    if (!simd::classify(t)) [[unlikely]]
                        return not_utf8(t);
                    code = to.key(t);
                    now = due::item;
                } else if (c != code::end) {
                    KUMIHIMO_TRY(other_key(to, start, p, now));
                    continue;
                } else {
                    code = close(to, now);
                    if (now == due::nothing && code == errc::ok) {
                        at_ = p;
                        return errc::ok;
                    }
                }
                if (code != errc::ok) [[unlikely]]
                    return refused(code, start);
                continue;
            }

            if (c < 0x40) {
                code = to.i64(static_cast<std::int64_t>(c));
            } else if (c - code::str < 0x20u || c - code::long_str < 4u) {
                std::uint64_t n = c & 31u;
                if (c >= code::long_str) {
                    const unsigned width = 1u << (c & 3u);
                    if (left() < width) [[unlikely]]
                        return cut(start);
                    n = load_wide(p, c & 3u);
                    p += width;
                }
                if (n > left()) [[unlikely]]
                    return cut(start);
                text t{p, static_cast<std::size_t>(n), encoding::ascii};
                p += n;
                if (!simd::classify(t)) [[unlikely]]
                    return not_utf8(t);
                code = to.str(t);
            } else if (c == code::f64) {
                if (left() < 8) [[unlikely]]
                    return cut(start);
                code = to.f64(std::bit_cast<double>(load<std::uint64_t>(p)));
                p += 8;
            } else {
                switch (c) {
                    case code::null: code = to.null(); break;
                    case code::no: code = to.boolean(false); break;
                    case code::yes: code = to.boolean(true); break;
                    case code::array:
                    case code::map: {
                        if (outer_.size() >= ctx_.limits.depth) [[unlikely]]
                            return too_deep(start);
                        code = c == code::map ? to.map({}) : to.array({});
                        if (code != errc::ok) [[unlikely]]
                            return refused(code, start);
                        if (!outer_.push(behind(now))) [[unlikely]]
                            return no_memory(start);
                        now = c == code::map ? due::key : due::element;
                        continue;
                    }
                    case code::end: {
                        if (now != due::element) return stop(errc::syntax, start, "a container ends where a value is due");
                        code = close(to, now);
                        if (code != errc::ok) [[unlikely]]
                            return refused(code, start);
                        if (now != due::nothing) continue;
                        at_ = p;
                        return errc::ok;
                    }
                    case code::above:
                    case code::above + 1:
                    case code::above + 2:
                    case code::above + 3: {
                        const unsigned width = 1u << (c & 3u);
                        if (left() < width) [[unlikely]]
                            return cut(start);
                        const std::uint64_t n = load_wide(p, c & 3u);
                        p += width;
                        code = n <= INT64_MAX ? to.i64(static_cast<std::int64_t>(n)) : to.u64(n);
                        break;
                    }
                    case code::below:
                    case code::below + 1:
                    case code::below + 2:
                    case code::below + 3: {
                        const unsigned bits = 8u << (c & 3u);
                        if (left() < bits / 8) [[unlikely]]
                            return cut(start);
                        const std::uint64_t n = load_wide(p, c & 3u);
                        p += bits / 8;
                        code = to.i64(static_cast<std::int64_t>(n << (64 - bits)) >> (64 - bits));
                        break;
                    }
                    default:
                        if (c - code::minus < 16u) {
                            code = to.i64(static_cast<std::int64_t>(c) - 0xf0);
                            break;
                        }
                        KUMIHIMO_TRY(rare(to, start, p));
                }
            }
            if (code != errc::ok) [[unlikely]]
                return refused(code, start);
            if (now == due::element) continue;
            if (now == due::document) {
                at_ = p;
                return errc::ok;
            }
            now = behind(now);
        }
    }

    /// Ends the innermost container.
    template <class K>
    errc close(K& to, due& now) noexcept(noexcept(to.end())) {
        now = outer_.top();
        outer_.pop();
        return to.end();
    }

    /// A key that is no short name, or what is no key. p: behind its first byte.
    template <class K>
    [[gnu::noinline]] errc other_key(K& to, const unsigned char* start, const unsigned char*& p, due& now) {
        const header h = read_header(start, last_);
        using kind = header::kind;
        if (h.is == kind::cut) return cut(start);
        if (h.is == kind::name) {
            if (h.number >= names_.size()) return no_name(start);
            p = start + h.size;
            now = due::item;
            const errc code = to.key(names_[h.number]);
            return code == errc::ok ? code : refused(code, start);
        }
        if (h.is == kind::key) {
            now = due::odd_key;
            const errc code = to.key(next_value{});
            return code == errc::ok ? code : refused(code, start);
        }
        if (h.is != kind::new_name && h.is != kind::lone_name) {
            return h.is == kind::reserved ? bad_byte(start) : stop(errc::syntax, start, "a value stands where a key is due");
        }
        p = start + h.size;
        if (h.payload > static_cast<std::uint64_t>(last_ - p)) return cut(start);
        text t{p, static_cast<std::size_t>(h.payload), encoding::ascii};
        p += t.size;
        if (!simd::classify(t)) return not_utf8(t);
        if (h.is == kind::new_name) {
            if (names_.size() == most_names) return too_many_names(start);
            if (!names_.push(t)) return no_memory(start);
        }
        now = due::item;
        const errc code = to.key(t);
        return code == errc::ok ? code : refused(code, start);
    }

    /// Values that are seldom: bin, big, ext, time; and what is no value. p: behind its first byte.
    template <class K>
    [[gnu::noinline]] errc rare(K& to, const unsigned char* start, const unsigned char*& p) {
        const unsigned c = *start;
        const header h = read_header(start, last_);
        using kind = header::kind;
        if (h.is == kind::cut) return cut(start);
        if (h.is == kind::reserved) return bad_byte(start);
        if (h.is != kind::scalar) return stop(errc::syntax, start, "a key stands where a value is due");
        p = start + h.size;
        if (h.payload > static_cast<std::uint64_t>(last_ - p)) return cut(start);
        const bytes b{p, static_cast<std::size_t>(h.payload)};
        p += b.size();
        errc code = errc::ok;
        bool broken = false;
        std::uint64_t n = 0;
        if (c < code::big) {
            code = to.bin(b);
        } else if (c == code::big) {
            const char* const s = reinterpret_cast<const char*>(b.data());
            if (json::number_end(s, s + b.size()) != s + b.size()) {
                return stop(errc::syntax, start, "a number's digits break JSON's grammar");
            }
            code = to.big({s, b.size(), encoding::ascii});
        } else if (c == code::ext) {
            load_varint(start + 1, last_, n, broken);
            const std::int64_t type = unzigzag(n);
            if (type != static_cast<std::int32_t>(type)) {
                return stop(errc::range, start, "an extension's type is beyond 32 bits");
            }
            code = to.ext(static_cast<int>(type), b);
        } else {
            if (start[1] > static_cast<unsigned>(instant::kind::naive)) {
                return stop(errc::syntax, start, "a time is of no kind");
            }
            instant t;
            t.clock = static_cast<instant::kind>(start[1]);
            const unsigned char* from = load_varint(start + 2, last_, n, broken);
            t.seconds = unzigzag(n);
            from = load_varint(from, last_, n, broken);
            if (n > 999'999'999) return stop(errc::range, start, "a time's nanoseconds are 1,000,000,000 or more");
            t.nanoseconds = static_cast<std::uint32_t>(n);
            if (t.clock == instant::kind::offset || t.clock == instant::kind::local) {
                load_varint(from, last_, n, broken);
                t.offset = static_cast<std::int32_t>(unzigzag(n));
                if (t.offset != unzigzag(n)) return stop(errc::range, start, "a time's offset is beyond 32 bits");
            }
            code = to.time(t);
        }
        return code == errc::ok ? code : refused(code, start);
    }

    [[gnu::cold, gnu::noinline]] errc bad_byte(const unsigned char* at) noexcept {
        return stop(errc::syntax, at, "no piece of a document begins so");
    }
    [[gnu::cold, gnu::noinline]] errc no_name(const unsigned char* at) noexcept {
        return stop(errc::syntax, at, "no name has had this number yet");
    }
    [[gnu::cold, gnu::noinline]] errc too_many_names(const unsigned char* at) noexcept {
        return stop(errc::syntax, at, "a document has 4160 names with numbers at most");
    }

    accepted layouts_;
    stack<due, 64> outer_;
    stack<text, 32> names_;
};
static_assert(kumihimo::reader<reader>);

}  // namespace kumihimo::inline v0::tagged
