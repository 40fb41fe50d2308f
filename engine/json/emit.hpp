// Verbs that cannot fail, for hosts where everything fails by a jump (Ruby, Perl): where a sink's verbs return a code, these
// call what the host raises with, at once; a walk over host objects then needs no code to pass on.
//
//      compact JSON      emit_burst<Out, Escapes>     a burst of the format, straight into the host's own string
//      any other JSON    emit_writer<Out, Raise>      the writer, whose layout and escapes are the caller's options
//
// Out is an output (core/buffer.hpp) that also has size(), rewind(size) and a static out_of_memory() that does not return.
// Raise is called with the context and the code, and does not return either.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/json/burst.hpp"
#include "engine/json/writer.hpp"

namespace kumihimo::inline v0::json {

template <output Out, const escape_set& Escapes>
class emit_burst {
public:
    emit_burst(Out& out, const dialect& as) : out_(out), b_(out, as) {}

    void null() { sure(b_.null()); }
    void boolean(bool b) { sure(b_.boolean(b)); }
    void i64(std::int64_t n) { sure(b_.i64(n)); }
    void f64(double x) { sure(b_.f64(x)); }  // finite
    void str(const char* s, std::size_t n) { sure(b_.str(s, n)); }
    void key(const char* s, std::size_t n) { sure(b_.key(s, n)); }
    /// A key that was escaped before, quotes and colon with it: n bytes, where ready_room may be read.
    static constexpr std::size_t ready_room = burst<Out, Escapes>::ready_room;
    void ready_key(const char* s, std::size_t n) { sure(b_.ready(s, n)); }
    [[gnu::always_inline]] void open(bool map, std::size_t n) { sure(b_.open(map, n)); }
    [[gnu::always_inline]] void close(bool map) { sure(b_.close(map)); }
    /// A value's own text, as it is: digits, a moment in its quotes, a fragment.
    void raw(const char* s, std::size_t n) { piece(s, n, ','); }
    void raw_key(const char* s, std::size_t n) { piece(s, n, ':'); }
    /// An array of n values behind a text that belongs to it: Perl's tag of an object. next_tagged() stands between two values.
    void open_tagged(const char* s, std::size_t size, std::size_t n) {
        b_.stop();
        char* const p = out_.reserve(size);
        std::memcpy(p, s, size);
        out_.commit(p + size);
        b_.resume();
        open(false, n);
    }
    void next_tagged() {}
    void close_tagged() { close(false); }
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
    /// The document is whole: without its last comma.
    void finish() {
        b_.stop();
        out_.rewind(out_.size() - 1);
    }

private:
    void sure(bool done) {
        if (!done) [[unlikely]]
            Out::out_of_memory();
    }
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

    Out& out_;
    burst<Out, Escapes> b_;
};

/// The writer has a destructor: it lives outside the host's barrier against jumps, this inside.
template <output Out, auto Raise>
class emit_writer {
public:
    using writer = basic_writer<Out>;
    emit_writer(writer& to, context& ctx) : to_(to), ctx_(ctx) {}

    /// An empty container has its brackets on lines of their own, as older json gems have it.
    bool opened_when_empty = false;

    void null() { sure(to_.null()); }
    void boolean(bool b) { sure(to_.boolean(b)); }
    void i64(std::int64_t n) { sure(to_.i64(n)); }
    void f64(double x) { sure(to_.f64(x)); }
    void str(const char* s, std::size_t n) { sure(to_.str(text(s, n, encoding::utf8))); }
    void key(const char* s, std::size_t n) { sure(to_.key(text(s, n, encoding::utf8))); }
    void open(bool map, std::size_t n) {
        sure(map ? to_.map(count{}) : to_.array(count{}));
        if (n == 0 && opened_when_empty) sure(to_.open_line());
    }
    void close(bool) { sure(to_.end()); }
    void raw(const char* s, std::size_t n) { sure(to_.raw({reinterpret_cast<const unsigned char*>(s), n})); }
    // On one line, whatever the layout.
    void open_tagged(const char* s, std::size_t size, std::size_t) {
        sure(to_.prefix({reinterpret_cast<const unsigned char*>(s), size}));
        sure(to_.prefix({reinterpret_cast<const unsigned char*>("["), 1}));
    }
    void next_tagged() { sure(to_.suffix({reinterpret_cast<const unsigned char*>(","), 1}, true)); }
    void close_tagged() { sure(to_.suffix({reinterpret_cast<const unsigned char*>("]"), 1}, false)); }
    void finish() {
        bytes document;
        sure(to_.finish(document));
    }

private:
    void sure(errc e) {
        if (e != errc::ok) [[unlikely]]
            Raise(ctx_, e);
    }
    writer& to_;
    context& ctx_;
};

}  // namespace kumihimo::inline v0::json
