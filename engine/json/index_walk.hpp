// The reader's second walk: from token to token of an index (json/index.hpp), one chunk ahead. Included by
// json/reader.hpp.
//
// At every `more` there are at least `ahead` entries to read, or the rest of the document; no step takes more before
// it asks again, so the steps in between look at nothing but the tokens. Behind the last entry stand copies of it: a
// broken document may make the walk read them, which is harmless, and it fails at the next `more`.
//
// The document ends in a bracket (the reader made sure), so a number and a word always have a byte behind them, and a
// value always a token.
#pragma once
#include "engine/json/kernels.hpp"
#include "engine/json/reader.hpp"

namespace kumihimo::inline v0::json {

class reader::index_cursor {
public:
    static constexpr std::size_t ahead = 8;

    index_cursor(const char* begin, const char* from, const char* end) noexcept
        : index_(active_kernels().index),
          begin_(begin),
          at_(static_cast<std::size_t>(from - begin)),
          size_(static_cast<std::size_t>(end - begin)) {}

    /// The first entries, or null. The walk keeps `next` itself; `safe` is where it must call refill.
    const std::uint32_t* start() noexcept {
        end_ = entries_;
        return refill(entries_);
    }

    /// Makes room and indexes on, so that there are entries behind `next` again. Returns where `next` is now; null:
    /// the kernel refused the document, or it ends too early.
    [[gnu::noinline]] const std::uint32_t* refill(const std::uint32_t* next) noexcept {
        if (last_) return next < end_ ? next : nullptr;  // `safe` is the end already
        std::size_t kept = static_cast<std::size_t>(end_ - next);
        if (kept != 0) std::memmove(entries_, next, kept * sizeof *entries_);
        end_ = entries_ + kept;
        do {
            const std::size_t left = size_ - at_;
            last_ = left <= token_index::chunk;
            const std::size_t to = last_ ? size_ : at_ + token_index::chunk;
            end_ = index_(carried_, begin_, at_, to, last_, end_);
            if (end_ == nullptr) return nullptr;
            at_ = to;
        } while (!last_ && static_cast<std::size_t>(end_ - entries_) < 2 * ahead);
        if (last_) {
            if (end_ == entries_) return nullptr;
            for (std::size_t i = 0; i < ahead; ++i) end_[i] = static_cast<std::uint32_t>(size_ - 1);
        }
        safe = last_ ? end_ : end_ - ahead;
        return entries_;
    }

    /// Whether the start of a large document is mostly numbers, by a look at its first tokens. Such a document is read
    /// faster byte by byte: the digits have to be looked at anyway, and there is little between them to jump over
    /// (canada.json: 1.33 ms against 1.59 ms with AVX-512, 1.34 against 1.77 with AVX2).
    bool mostly_numbers() const noexcept {
        constexpr std::size_t large = 65536, sample = 1024;
        if (size_ - at_ < large) return false;
        std::size_t quotes = 0, numbers = 0;
        for (std::size_t i = 0; i < sample && entries_ + i < end_; ++i) {
            const char c = begin_[entries_[i] & token_index::offset];
            quotes += c == '"';
            numbers += detail::digit_at(&c) || c == '-';
        }
        return quotes * 4 < numbers;
    }

    /// Whether `next` is behind the last token of the document.
    bool finished(const std::uint32_t* next) const noexcept { return last_ && next == end_; }

    const std::uint32_t* safe = nullptr;

private:
    std::uint32_t* (*index_)(token_index&, const char*, std::size_t, std::size_t, bool, std::uint32_t*);
    const char* begin_;
    std::size_t at_;
    std::size_t size_;
    bool last_ = false;
    std::uint32_t* end_ = nullptr;
    token_index carried_;
    std::uint32_t entries_[token_index::chunk + 2 * ahead + token_index::slack];
};

// What the walk over an index knows of a value; json/value.hpp says what each member is. No sink that asks for places
// comes here.
struct reader::by_index {
    reader& from;
    const std::uint32_t*& next;  // the token behind the value's first

    [[gnu::always_inline]] const char* string(const char* at, text& out) {
        const std::uint32_t close = *next++;
        const char* const b = at + 1;
        const char* const e = from.begin_ + (close & token_index::offset);
        out =
            text(b, static_cast<std::size_t>(e - b), (close & token_index::not_ascii) != 0 ? encoding::utf8 : encoding::ascii);
        if ((close & token_index::escaped) != 0) {
            text plain;  // of its own: only what has an address leaves the registers, and is stored and loaded again
            if (!from.take_escapes(b, e, (close & token_index::not_ascii) == 0, plain)) [[unlikely]]
                return nullptr;
            out = plain;
        }
        return e + 1;
    }
    [[gnu::always_inline]] number read(const char* at) { return read_number(at, from.end_); }
    bool ends_at(const char* p) const noexcept { return p == from.begin_ + *next || is_space(*p); }
    template <class K>
    void place(K&, const char*, const char*) noexcept {}
    void behind(const char*) noexcept {}
};

template <sink K>
errc reader::walk_index(K& to, const char* end, bool& declined) {
#define KUMIHIMO_GIVE(call, where)                                 \
    do {                                                           \
        if (const errc e_ = (call); e_ != errc::ok) [[unlikely]] { \
            refused_ = (where);                                    \
            return e_;                                             \
        }                                                          \
    } while (false)
#define KUMIHIMO_MORE()                         \
    do {                                        \
        if (next >= cursor.safe) [[unlikely]] { \
            next = cursor.refill(next);         \
            if (next == nullptr) [[unlikely]]   \
                return errc::syntax;            \
        }                                       \
    } while (false)

    index_cursor cursor(begin_, at_, end);
    const std::uint32_t* next = cursor.start();
    if (next == nullptr) return errc::syntax;
    if (cursor.mostly_numbers()) {
        declined = true;
        return errc::ok;
    }
    const char* const begin = begin_;
    const std::size_t limit = ctx_.limits.depth;
    nesting open(deep_);
    errc code = errc::ok;
    const char* at = begin + *next++;
    if (*at == '{') goto map;
    if (*at != '[') return errc::syntax;

array:
    if (open.depth() >= limit && !flat(at, ']')) [[unlikely]]
        return errc::depth;
    if (!open.push(false)) [[unlikely]]
        return errc::memory;
    KUMIHIMO_GIVE(to.array(count{}), at);
    KUMIHIMO_MORE();
    if (begin[*next] == ']') {
        at = begin + *next++;
        goto close;
    }
element:
    at = begin + *next++;
    switch (value_at(by_index{*this, next}, to, at, code)) {
        case step::scalar: break;
        case step::map: goto map;
        case step::array: goto array;
        case step::refused: return code;
        case step::broken: return out_of_memory_ ? errc::memory : errc::syntax;
    }
after_element:
    at = begin + *next++;
    if (*at == ',') [[likely]] {
        KUMIHIMO_MORE();
        if (granted_.trailing_commas && begin[*next] == ']') [[unlikely]] {
            at = begin + *next++;
            goto close;
        }
        goto element;
    }
    if (*at != ']') [[unlikely]]
        return errc::syntax;

close:
    KUMIHIMO_GIVE(to.end(), at);
    open.pop();
    if (open.depth() == 0) {
        at_ = end;
        return cursor.finished(next) ? errc::ok : errc::trailing;
    }
    KUMIHIMO_MORE();
    if (open.top_is_map()) goto after_member;
    goto after_element;

map:
    if (open.depth() >= limit && !flat(at, '}')) [[unlikely]]
        return errc::depth;
    if (!open.push(true)) [[unlikely]]
        return errc::memory;
    KUMIHIMO_GIVE(to.map(count{}), at);
    KUMIHIMO_MORE();
    if (begin[*next] == '}') {
        at = begin + *next++;
        goto close;
    }
member:
    at = begin + *next;
    if (*at != '"' || begin[next[2]] != ':') [[unlikely]]
        return errc::syntax;
    {
        const std::uint32_t quote = next[1];
        const char* const b = at + 1;
        const char* const e = begin + (quote & token_index::offset);
        text s(b, static_cast<std::size_t>(e - b), (quote & token_index::not_ascii) != 0 ? encoding::utf8 : encoding::ascii);
        if ((quote & token_index::escaped) != 0) [[unlikely]] {
            text plain;
            if (!take_escapes(b, e, (quote & token_index::not_ascii) == 0, plain))
                return out_of_memory_ ? errc::memory : errc::syntax;
            s = plain;
        }
        KUMIHIMO_GIVE(to.key(s), at);
    }
    at = begin + next[3];
    next += 4;
    switch (value_at(by_index{*this, next}, to, at, code)) {
        case step::scalar: break;
        case step::map: goto map;
        case step::array: goto array;
        case step::refused: return code;
        case step::broken: return out_of_memory_ ? errc::memory : errc::syntax;
    }
after_member:
    at = begin + *next++;
    if (*at == ',') [[likely]] {
        KUMIHIMO_MORE();
        if (granted_.trailing_commas && begin[*next] == '}') [[unlikely]] {
            at = begin + *next++;
            goto close;
        }
        goto member;
    }
    if (*at != '}') [[unlikely]]
        return errc::syntax;
    goto close;
#undef KUMIHIMO_GIVE
#undef KUMIHIMO_MORE
}

}  // namespace kumihimo::inline v0::json
