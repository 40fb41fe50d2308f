// Reads JSON: bytes become verbs. A template over the sink, so that the sink's verbs inline into the walk.
//
//      context ctx;
//      json::reader from(document, ctx);
//      if (from.feed(sink) != errc::ok) report(ctx.failure);       offset, line, column, path, sentence
//
// A stream of documents, one behind the other with or without white space between them:
//
//      while (from.more()) KUMIHIMO_TRY(from.next(sink));
//
// Two walks give the same verbs and verdicts. The one in this file goes byte by byte with 16-byte string scans: it
// serves small documents, streams and relaxed dialects. The one in json/index_walk.hpp runs over the index of tokens
// that a kernel of engine/simd made, a chunk ahead, and serves the rest. Both ask json/value.hpp what a value is.
// Neither words its errors: after a "no", json/diagnose.hpp looks again.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/located.hpp"
#include "engine/core/null.hpp"
#include "engine/core/source.hpp"
#include "engine/json/diagnose.hpp"
#include "engine/json/dialect.hpp"
#include "engine/json/duplicates.hpp"
#include "engine/json/index.hpp"
#include "engine/json/number.hpp"
#include "engine/json/scan.hpp"
#include "engine/json/string.hpp"

namespace kumihimo::inline v0::json {

/// The sentence for a number that overflow::refuse refuses; a host may know the remedy and say it better.
inline constexpr char beyond_double[] = "a number is larger than a double can hold";

class reader {
public:
    using dialect = read_dialect;

    /// The document must outlive the reader; strings without escapes are passed on as views of it.
    reader(bytes document, context& ctx, const read_dialect& granted = rfc8259) noexcept
        : document_(document),
          begin_(reinterpret_cast<const char*>(document.data())),
          end_(begin_ + document.size()),
          at_(begin_),
          ctx_(ctx),
          granted_(granted) {}
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;

    /// Feeds the one document that the bytes are. errc::trailing when something but white space follows it.
    template <sink K>
    errc feed(K& to) {
        const errc e = attempt(to);
        if (e != errc::ok) [[unlikely]]
            return explain(e, extent::whole);
        return errc::ok;
    }

    /// feed() without the search for what is wrong: for a caller who has another reading to try. After a "no" that it
    /// wants explained, explain().
    template <sink K>
    errc attempt(K& to) {
        at_ = begin_;
        KUMIHIMO_TRY(start());
        bool located = false;
        if constexpr (located_sink<K>) located = to.wants_places();
        if (const char* const end = located ? nullptr : indexable(); end != nullptr) {
            bool declined = false;
            const errc e = walk_index(to, end, declined);
            if (!declined) return e;
        }
        KUMIHIMO_TRY(walk(to, at_, 0));
        if (!skip_space(at_) || at_ != end_) [[unlikely]]
            return errc::trailing;
        return errc::ok;
    }

    /// The failure of attempt() in the context, with its place; returns its code.
    errc explain(errc e) { return explain(e, extent::whole); }

    /// Feeds the next document of a stream and stops behind it.
    template <sink K>
    errc next(K& to) {
        KUMIHIMO_TRY(start());
        const errc e = walk(to, at_, 0);
        if (e != errc::ok) [[unlikely]]
            return explain(e, extent::first);
        return errc::ok;
    }

    /// Whether anything but white space is left; skips the white space.
    bool more() noexcept {
        const char* p = at_;
        if (!skip_space(p)) return true;  // a broken comment is next()'s to refuse
        at_ = p;
        return at_ != end_;
    }

    /// Offset of the first byte that was not read yet.
    std::size_t position() const noexcept { return static_cast<std::size_t>(at_ - begin_); }

private:
    // The kinds of the open containers, innermost last. More than `room` of them lie in a buffer of the reader's, so
    // that a walk holds nothing: a host may leave it by a jump.
    class nesting {
    public:
        explicit nesting(buffer& more) noexcept : more_(more) {}
        bool push(bool map) noexcept {
            if (depth_ == capacity_) [[unlikely]] {
                if (!grow()) return false;
            }
            kinds_[depth_++] = map;
            return true;
        }
        void pop() noexcept { --depth_; }
        std::size_t depth() const noexcept { return depth_; }
        bool top_is_map() const noexcept { return kinds_[depth_ - 1] != 0; }

    private:
        [[gnu::cold, gnu::noinline]] bool grow() noexcept {
            char* p = more_.reserve(capacity_ * 2);
            if (p == nullptr) return false;
            if (kinds_ == inline_) std::memcpy(p, inline_, depth_);  // else realloc moved them along
            kinds_ = reinterpret_cast<unsigned char*>(p);
            capacity_ *= 2;
            return true;
        }
        static constexpr std::size_t room = 256;
        std::size_t depth_ = 0;
        std::size_t capacity_ = room;
        unsigned char* kinds_ = inline_;
        buffer& more_;
        unsigned char inline_[room];
    };

    errc start() noexcept {
        from_ = at_;
        refused_ = nullptr;
        if (document_.size() > ctx_.limits.size) [[unlikely]]
            return explain(errc::size, extent::whole);
        if (granted_.byte_order_mark && at_ == begin_ && end_ - at_ >= 3 && std::memcmp(at_, "\xEF\xBB\xBF", 3) == 0) at_ += 3;
        if (granted_.duplicates != duplicate_keys::keep) [[unlikely]]
            return look_for_duplicates();
        return errc::ok;
    }

    [[gnu::cold, gnu::noinline]] errc look_for_duplicates() noexcept {
        duplicates_ = {};
        const errc e = find_duplicates(document_, position(), granted_, duplicates_);
        if (e != errc::ok) return ctx_.fail(e, failure::nowhere, "out of memory while looking for keys that come twice");
        dropped_ = 0;
        if (granted_.duplicates == duplicate_keys::error)
            duplicates_.overridden.clear();
        else
            duplicates_.first_again = static_cast<std::size_t>(-1);
        watch_ = duplicates_.first_again != static_cast<std::size_t>(-1) || !duplicates_.overridden.empty();
        return errc::ok;
    }

    // What a walk returned becomes what the caller gets. A sink's own error (refused_ says where) keeps its code and
    // gains the place; everything else is diagnosed from scratch.
    [[gnu::cold, gnu::noinline]] errc explain(errc e, extent wanted) {
        if (refused_ != nullptr) {
            if (e == errc::host) return e;
            if (ctx_.failure.code == errc::ok) ctx_.fail(e, failure::nowhere, "the receiver refused this value");
            if (ctx_.failure.offset == failure::nowhere)
                describe(document_, ctx_, granted_, static_cast<std::size_t>(from_ - begin_),
                         static_cast<std::size_t>(refused_ - begin_));
            return e;
        }
        if (e == errc::memory) return ctx_.fail(e, failure::nowhere, "out of memory while reading");
        const errc found = diagnose(document_, ctx_, granted_, wanted, static_cast<std::size_t>(from_ - begin_));
        if (found != errc::ok) return found;
        // The walk and the diagnosis must agree; if they ever do not, the document is refused all the same.
        return ctx_.fail(e, position(), "the document is not valid JSON");
    }

    // Moves p over white space, and over comments where they are granted. False: a comment is broken.
    bool skip_space(const char*& p) const noexcept {
        for (;;) {
            p = json::skip_space(p, end_);
            if (!granted_.comments || p == end_ || *p != '/') [[likely]]
                return true;
            if (!skip_comment(p)) return false;
        }
    }
    [[gnu::cold, gnu::noinline]] bool skip_comment(const char*& p) const noexcept {
        const char* const open = p;
        const char* const until = comment_end(p, end_, granted_);
        if (until == nullptr) return false;
        p = until;
        const auto n = static_cast<std::size_t>(until - open);
        return granted_.any_bytes || scalar::utf8_valid_prefix(open, n) == n;
    }

    // Whether the container that opens at p is one that the depth does not count.
    [[gnu::cold, gnu::noinline]] bool flat(const char* p, char closer) const noexcept {
        ++p;
        // A broken comment goes on, too: it is the earlier fault.
        return granted_.flat_empty && (!skip_space(p) || (p != end_ && *p == closer));
    }

    // The string whose opening quote is behind p; p moves behind the closing one.
    bool read_string(const char*& p, text& out) {
        const char* const b = p;
        const scanned s = scan_string(p, end_, granted_.control_characters);
        if (s.end == nullptr) [[unlikely]]
            return false;
        p = s.end + 1;
        const auto n = static_cast<std::size_t>(s.end - b);
        if (!s.ascii && scalar::utf8_valid_prefix(b, n) != n && !granted_.any_bytes) [[unlikely]]
            return false;
        if (!s.escaped) [[likely]] {
            out = text(b, n, s.ascii ? encoding::ascii : encoding::utf8);
            return true;
        }
        text plain;  // of its own, so that `out` can stay in registers
        if (!take_escapes(b, s.end, s.ascii, plain)) return false;
        out = plain;
        return true;
    }

    // [b, e) with its escapes taken out, in scratch memory that lives until the next call.
    [[gnu::noinline]] bool take_escapes(const char* b, const char* e, bool ascii, text& out) {
        const auto n = static_cast<std::size_t>(e - b);
        char* to = scratch(n + unescape_slack);
        if (to == nullptr) return out_of_memory_ = true, false;
        const unescaped u = unescape(b, e, end_, to, half_pair_of(granted_.surrogates), unknown_escape_of(granted_));
        if (u.end == nullptr) return false;
        if (u.half && !ascii && granted_.any_bytes && scalar::utf8_valid_prefix(b, n) != n) [[unlikely]] {
            // Bytes that are no UTF-8 have no place in UTF-16; half pairs have one among them.
            const unescaped kept = unescape(b, e, end_, to, half_pair::bytes, unknown_escape_of(granted_));
            out = text(to, static_cast<std::size_t>(kept.end - to), encoding::utf8);
            return true;
        }
        if (u.half) [[unlikely]] {
            char* wide = scratch(n * 2);
            if (wide == nullptr) return out_of_memory_ = true, false;
            char16_t* const units = reinterpret_cast<char16_t*>(wide);
            out = text(units, static_cast<std::size_t>(unescape_utf16(b, e, units) - units), encoding::utf16);
            return true;
        }
        out = text(to, static_cast<std::size_t>(u.end - to), ascii && u.ascii ? encoding::ascii : encoding::utf8);
        return true;
    }

    char* scratch(std::size_t n) noexcept {
        if (n <= sizeof small_) return small_;
        large_.clear();
        return large_.reserve(n);
    }

    // The number at p, in a document that may end right behind it: through a copy of it alone (a broken document has
    // many of these) that ends in a byte no number contains.
    [[gnu::cold, gnu::noinline]] number last_number(const char* p) noexcept {
        number out;
        out.kind = number_kind::broken;
        out.end = p;
        const char* const until = number_end(p, end_);
        if (until == nullptr || (until != end_ && detail::digit_at(until))) return out;  // a digit: 0 does not begin a number
        const auto n = static_cast<std::size_t>(until - p);
        char* copy = scratch(n + 1);
        if (copy == nullptr) return out_of_memory_ = true, out;
        std::memcpy(copy, p, n);
        copy[n] = ' ';
        out = read_number(copy, copy + n + 1);
        out.end = until;
        return out;
    }

    // Numbers stop by themselves before the last of these bytes; a document's last byte is one in every valid
    // container.
    static bool ends_numbers(char c) noexcept { return c == ']' || c == '}' || c == '"' || is_space(c); }

    template <sink K>
    errc give(K& to, const number& n, const char* at) {
        switch (n.kind) {
            case number_kind::i64: return to.i64(n.i);
            case number_kind::u64: return to.u64(n.u);
            case number_kind::f64:
                if (granted_.decimal_digits) [[unlikely]]
                    break;
                return to.f64(n.f);
            case number_kind::minus_zero: return granted_.integer_zero ? to.i64(0) : to.f64(n.f);
            default:
                if (refuses(n, at)) [[unlikely]]
                    return ctx_.fail(errc::range, failure::nowhere, beyond_double);
                break;
        }
        return to.big(text(at, static_cast<std::size_t>(n.end - at), encoding::ascii));
    }

    bool refuses(const number& n, const char* at) const noexcept {
        return n.kind == number_kind::big && granted_.overflows == overflow::refuse && is_overflow(n, at);
    }
    // Of a number that is `big`: whether it is one by its magnitude, and no integer.
    [[gnu::cold, gnu::noinline]] bool is_overflow(const number& n, const char* at) const noexcept {
        if (granted_.decimal_digits) return false;
        for (; at != n.end; ++at)
            if (*at == '.' || *at == 'e' || *at == 'E') return true;
        return false;
    }

    // The end of the document without white space, if the walk over an index is the one for it: a container of some
    // size, in a dialect whose strings and spaces are the ones that the kernels know. Null if not.
    const char* indexable() const noexcept {
        const auto n = static_cast<std::size_t>(end_ - at_);
        if (n < index_from || n > token_index::largest || granted_.comments || granted_.control_characters ||
            granted_.any_bytes || watch_)
            return nullptr;
        const char* e = end_;
        while (e != at_ && is_space(e[-1])) --e;
        return e != at_ && (e[-1] == ']' || e[-1] == '}') ? e : nullptr;
    }
    // Below this size the first walk is quicker (by 10 ns at 50 bytes; from 110 bytes the index wins).
    static constexpr std::size_t index_from = 128;

    // What the walk byte by byte knows of a value; json/value.hpp says what each member is.
    struct by_bytes {
        reader& from;
        const char*& p;
        bool safe_end;  // of the document: a number stops by itself

        [[gnu::always_inline]] const char* string(const char* at, text& out) {
            const char* q = at + 1;
            return from.read_string(q, out) ? q : nullptr;
        }
        [[gnu::always_inline]] number read(const char* at) {
            return safe_end ? read_number(at, from.end_) : from.last_number(at);
        }
        bool ends_at(const char*) const noexcept { return true; }  // what follows a value is looked at behind it
        template <class K>
        void place(K& to, const char* at, const char* until) {
            if constexpr (located_sink<K>)
                to.at(static_cast<std::size_t>(at - from.begin_), static_cast<std::size_t>(until - from.begin_));
        }
        void behind(const char* until) noexcept { p = until; }
    };

    class index_cursor;
    struct by_index;
    enum class step : unsigned char;
    template <class In, sink K>
    step value_at(In in, K& to, const char* at, errc& code);
    template <sink K>
    errc walk_index(K& to, const char* end, bool& declined);

    // One value from p on, p moves behind it. `depth` containers are open around it already.
    template <sink K>
    errc walk(K& to, const char*& cursor, std::size_t depth);

    bytes document_;
    const char* begin_;
    const char* end_;
    const char* at_;
    const char* from_ = nullptr;     // where the document at hand starts
    const char* refused_ = nullptr;  // the value that the sink did not take
    context& ctx_;
    read_dialect granted_;
    bool out_of_memory_ = false;
    bool watch_ = false;  // duplicates_ names keys to look out for
    std::size_t dropped_ = 0;
    duplicates duplicates_;
    buffer large_;
    buffer deep_;  // of the walk that a caller started; a walk inside it, which calls no host, has its own
    alignas(16) char small_[256];
};

}  // namespace kumihimo::inline v0::json

#include "engine/json/value.hpp"

namespace kumihimo::inline v0::json {

template <sink K>
errc reader::walk(K& to, const char*& cursor, std::size_t outer) {
// A verb for the bytes [where, until), and a sink's refusal with the place of the value for the report.
#define KUMIHIMO_GIVE(call, where, until)                                                              \
    do {                                                                                               \
        if constexpr (located_sink<K>)                                                                 \
            to.at(static_cast<std::size_t>((where)-begin_), static_cast<std::size_t>((until)-begin_)); \
        if (const errc e_ = (call); e_ != errc::ok) [[unlikely]] {                                     \
            refused_ = (where);                                                                        \
            return e_;                                                                                 \
        }                                                                                              \
    } while (false)

    const char* p = cursor;
    const char* const end = end_;
    const std::size_t limit = ctx_.limits.depth;
    const bool safe_end = begin_ != end && ends_numbers(end[-1]);
    buffer inner;
    nesting open(outer == 0 ? deep_ : inner);
    bool map = false;
    text s;

value:
    if (!skip_space(p) || p == end) [[unlikely]]
        return errc::syntax;
    {
        const char* const at = p;
        errc code = errc::ok;
        switch (value_at(by_bytes{*this, p, safe_end}, to, at, code)) {
            case step::scalar: break;
            case step::map:
                if (outer + open.depth() >= limit && !flat(p, '}')) [[unlikely]]
                    return errc::depth;
                if (!open.push(true)) [[unlikely]]
                    return errc::memory;
                KUMIHIMO_GIVE(to.map(count{}), at, at + 1);
                map = true;
                ++p;
                if (!skip_space(p) || p == end) [[unlikely]]
                    return errc::syntax;
                if (*p == '}') goto close;
                goto key;
            case step::array:
                if (outer + open.depth() >= limit && !flat(p, ']')) [[unlikely]]
                    return errc::depth;
                if (!open.push(false)) [[unlikely]]
                    return errc::memory;
                KUMIHIMO_GIVE(to.array(count{}), at, at + 1);
                map = false;
                ++p;
                if (!skip_space(p) || p == end) [[unlikely]]
                    return errc::syntax;
                if (*p == ']') goto close;
                goto value;
            case step::refused: return code;
            case step::broken: return out_of_memory_ ? errc::memory : errc::syntax;
        }
    }

after:
    if (open.depth() == 0) {
        // A word or number that runs into the next one (1a, truefalse) is no end of a document, not even in a stream.
        if (p != end && runs_on(static_cast<unsigned char>(*p))) [[unlikely]] {
            if (p[-1] != '"' && p[-1] != ']' && p[-1] != '}') return errc::syntax;
        }
        cursor = p;
        return errc::ok;
    }
    if (!skip_space(p) || p == end) [[unlikely]]
        return errc::syntax;
    if (*p == ',') {
        ++p;
        if (granted_.trailing_commas) [[unlikely]] {
            if (!skip_space(p) || p == end) return errc::syntax;
            if (*p == (map ? '}' : ']')) goto close;
        }
        if (!map) goto value;
        if (!skip_space(p) || p == end) [[unlikely]]
            return errc::syntax;
        goto key;
    }
    if (*p != (map ? '}' : ']')) [[unlikely]]
        return errc::syntax;

close:
    KUMIHIMO_GIVE(to.end(), p, p + 1);
    ++p;
    open.pop();
    if (open.depth() != 0) map = open.top_is_map();
    goto after;

key:
    if (*p != '"') [[unlikely]]
        return errc::syntax;
    {
        const char* const at = p++;
        // In a value that is dropped every key is, whatever else it is: the walk over that needs no walks inside it.
        if (watch_ && outer == 0) [[unlikely]] {
            const auto offset = static_cast<std::size_t>(at - begin_);
            if (offset == duplicates_.first_again) return errc::duplicate;
            const auto& gone = duplicates_.overridden;
            while (dropped_ < gone.size() && gone[dropped_] < offset) ++dropped_;
            if (dropped_ < gone.size() && gone[dropped_] == offset) {
                null_sink nowhere;
                if (!read_string(p, s)) return out_of_memory_ ? errc::memory : errc::syntax;
                if (!skip_space(p) || p == end || *p != ':') return errc::syntax;
                ++p;
                KUMIHIMO_TRY(walk(nowhere, p, outer + open.depth()));
                goto after;
            }
        }
        if (!read_string(p, s)) [[unlikely]]
            return out_of_memory_ ? errc::memory : errc::syntax;
        KUMIHIMO_GIVE(to.key(s), at, p);
    }
    if (p == end || *p != ':') [[unlikely]] {
        if (!skip_space(p) || p == end || *p != ':') return errc::syntax;
    }
    ++p;
    goto value;
#undef KUMIHIMO_GIVE
}

}  // namespace kumihimo::inline v0::json

#include "engine/json/index_walk.hpp"

namespace kumihimo::inline v0::json {
static_assert(kumihimo::reader<reader>);
}  // namespace kumihimo::inline v0::json
