// The emitters (core/emit.hpp) of JSON, with what only JSON has: fragments, keys that are escaped already, values in
// pieces.
//
//      compact JSON      emit_burst<Out, Escapes, Raise>    a burst of the format, straight into the host's own string
//      indented JSON     emit_laid_out<Out, Escapes, Raise> the same
//      any other JSON    emit_writer<Out, Raise>            the writer, whose layout and escapes are the caller's options
//
// For the first, Out is an output that also has size() and rewind(size).
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/core/emit.hpp"
#include "engine/json/burst.hpp"
#include "engine/json/laid_out_burst.hpp"
#include "engine/json/writer.hpp"

namespace kumihimo::inline v0::json {

namespace detail {

/// What both bursts' emitters have besides the verbs.
template <class Burst, output Out, auto Raise>
class emit_json_burst : public kumihimo::emit_burst<Burst, basic_writer<Out>, Out, Raise> {
    using base = kumihimo::emit_burst<Burst, basic_writer<Out>, Out, Raise>;

protected:
    using base::b_;
    using base::out_;

    void append(const char* s, std::size_t n) {
        char* const p = out_.reserve(n);
        if (n != 0) std::memcpy(p, s, n);
        out_.commit(p + n);
    }

public:
    using base::base;

    /// A key that was escaped before: n bytes, where ready_room may be read. Its text ends in compact JSON's colon; a
    /// layout puts its own in that one's place.
    static constexpr std::size_t ready_room = Burst::ready_room;
    void ready_key(const char* s, std::size_t n) {
        if (!b_.ready(s, n)) [[unlikely]]
            Raise(errc::memory, "out of memory");
    }
};

}  // namespace detail

template <output Out, const escape_set& Escapes, auto Raise>
class emit_burst : public detail::emit_json_burst<burst<Out, Escapes>, Out, Raise> {
    using base = detail::emit_json_burst<burst<Out, Escapes>, Out, Raise>;
    using base::b_;
    using base::out_;

public:
    using base::base;

    /// A value's own text, as it is: digits, a moment in its quotes, a fragment.
    void raw(const char* s, std::size_t n) { piece(s, n, ','); }
    void raw_key(const char* s, std::size_t n) { piece(s, n, ':'); }
    /// An array of n values behind a text that belongs to it: Perl's tag of an object. next_tagged() stands between
    /// two values.
    void open_tagged(const char* s, std::size_t size, std::size_t n) {
        b_.stop();
        char* const p = out_.reserve(size);
        std::memcpy(p, s, size);
        out_.commit(p + size);
        b_.resume();
        this->open(false, n);
    }
    void next_tagged() {}
    void close_tagged() { this->close(false); }
    /// The same text escaped again, as a replacement over the whole output would have done.
    void raw_escaped(const char* s, std::size_t n) { escaped_piece(s, n, ','); }
    void raw_escaped_key(const char* s, std::size_t n) { escaped_piece(s, n, ':'); }

    /// Where the output stands, to come back to.
    std::size_t mark() {
        b_.stop();
        return out_.size();
    }
    void rewind(std::size_t mark) {
        b_.stop();
        out_.rewind(mark);
        b_.resume();
    }

private:
    void piece(const char* s, std::size_t n, char after) {
        b_.stop();
        append(s, n, after);
        b_.resume();
    }
    void escaped_piece(const char* s, std::size_t n, char after) {
        b_.stop();
        if constexpr (Escapes.any_extra) {
            for (const char* const e = s + n; s != e;) {
                char* const p = out_.reserve(8);
                const auto c = static_cast<unsigned char>(*s);
                // What RFC 8259 requires is part of the text already: only the set's own bytes are new.
                if (c < 0x20 || c == '"' || c == '\\' || Escapes.action[c] == escape_set::copy) {
                    *p = *s++;
                    out_.commit(p + 1);
                } else {
                    out_.commit(detail::write_special(p, s, e, Escapes));
                }
            }
            append(s, 0, after);
        } else {
            append(s, n, after);
        }
        b_.resume();
    }
    void append(const char* s, std::size_t n, char after) {
        char* const p = out_.reserve(n + 1);
        std::memcpy(p, s, n);
        p[n] = after;
        out_.commit(p + n + 1);
    }
};

template <output Out, const escape_set& Escapes, auto Raise>
class emit_laid_out : public detail::emit_json_burst<laid_out_burst<Out, Escapes>, Out, Raise> {
    using base = detail::emit_json_burst<laid_out_burst<Out, Escapes>, Out, Raise>;
    using base::append;
    using base::b_;
    using base::dialect_;

public:
    using base::base;

    /// A value's own text, as it is.
    void raw(const char* s, std::size_t n) {
        b_.stop();
        append(s, n);
        b_.resume();
        b_.value_aside();
    }
    void raw_key(const char* s, std::size_t n) {
        b_.stop();
        append(s, n);
        append(dialect_.layout.key.data(), dialect_.layout.key.size());
        b_.resume();
    }
};

template <output Out, auto Raise>
class emit_writer : public emit_sink<basic_writer<Out>, Raise> {
    using base = emit_sink<basic_writer<Out>, Raise>;
    using base::sure;
    using base::to_;

public:
    using writer = basic_writer<Out>;
    using base::base;

    /// An empty container has its brackets on lines of their own, as older json gems have it.
    bool opened_when_empty = false;

    void open(bool map, std::size_t n) {
        base::open(map, n);
        if (n == 0 && opened_when_empty) sure(to_.open_line());
    }
    void raw(const char* s, std::size_t n) { sure(to_.raw(kumihimo::detail::as_bytes(s, n))); }
    // On one line, whatever the layout.
    void open_tagged(const char* s, std::size_t size, std::size_t) {
        sure(to_.prefix(kumihimo::detail::as_bytes(s, size)));
        sure(to_.prefix(kumihimo::detail::as_bytes("[", 1)));
    }
    void next_tagged() { sure(to_.suffix(kumihimo::detail::as_bytes(",", 1), true)); }
    void close_tagged() { sure(to_.suffix(kumihimo::detail::as_bytes("]", 1), false)); }
};

}  // namespace kumihimo::inline v0::json
