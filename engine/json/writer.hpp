// Writes JSON: verbs become bytes, spelled as a dialect says (json/dialect.hpp).
//
//      buffer out;
//      context ctx;
//      json::writer to(out, ctx, json::compact);
//      KUMIHIMO_TRY(source.feed(to));
//      bytes document;
//      KUMIHIMO_TRY(to.finish(document));
//
// Every value ends with a comma, and a closing bracket is written over the last one:
//
//      [1,2,        end()  ->  [1,2],
//      {            end()  ->  {},             an empty container has no comma to write over
//
// so a value needs not know whether it is the first, and there is no branch to mispredict. finish() takes the last
// comma off. A layout with white space asks before each value instead, out of line.
//
// Whatever the verbs, the bytes that finish() hands out are one valid JSON document (but for the dialects that write
// NaN literals): verbs in a wrong order are errc::misuse, and text is checked. The buffer may hold something before
// the document.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/core/stack.hpp"
#include "engine/json/burst.hpp"
#include "engine/json/dialect.hpp"
#include "engine/json/escape.hpp"
#include "engine/json/number.hpp"
#include "engine/scalar/base64.hpp"
#include "engine/scalar/float_write.hpp"
#include "engine/scalar/integer.hpp"
#include "engine/scalar/time_text.hpp"
#include "engine/scalar/utf8.hpp"

namespace kumihimo::inline v0::json {

/// `B` is where the bytes go (core/buffer.hpp). The dialect must outlive the writer: the named constants do.
template <output B = buffer>
class basic_writer {
public:
    using dialect = json::dialect;

    basic_writer(B& out, context& ctx, const dialect& dialect = json::compact) noexcept
        : out_(out),
          ctx_(ctx),
          dialect_(dialect),
          start_(out.size()),
          plain_escapes_(!dialect.escapes->any_extra),
          comma_(dialect.layout.compact() ? 1 : 0),
          levels_(memory_of(out)) {}
    basic_writer(B&, context&, const dialect&&) = delete;  // it would be gone before the first verb
    basic_writer(const basic_writer&) = delete;
    basic_writer& operator=(const basic_writer&) = delete;

    /// Another document where the buffer now ends, or a lone key() with its colon; what was open is forgotten.
    void begin() noexcept {
        start_ = out_.size();
        due_ = due::value;
        after_ = due::nothing;
        prefixed_ = filled_ = finished_ = false;
        levels_.clear();
    }
    void begin_key() noexcept {
        begin();
        due_ = due::key;
    }

    errc null() { return word("null", 4); }
    errc boolean(bool b) { return b ? word("true", 4) : word("false", 5); }

    errc i64(std::int64_t n) {
        if (!simple()) [[unlikely]]
            return number_slowly([n](char* p) { return scalar::write_i64(p, n); });
        char* const p = out_.reserve(scalar::integer_room + quotes);
        if (p == nullptr) [[unlikely]]
            return no_memory();
        return followed(scalar::write_i64(p, n));
    }
    errc u64(std::uint64_t n) {
        if (!simple()) [[unlikely]]
            return number_slowly([n](char* p) { return scalar::write_u64(p, n); });
        char* const p = out_.reserve(scalar::integer_room + quotes);
        if (p == nullptr) [[unlikely]]
            return no_memory();
        return followed(scalar::write_u64(p, n));
    }
    errc f64(double x) {
        if (!std::isfinite(x)) [[unlikely]]
            return not_finite(x);
        if (!simple()) [[unlikely]]
            return number_slowly([this, x](char* p) { return scalar::write_f64(p, x, dialect_.floats); });
        char* const p = out_.reserve(scalar::float_room + quotes);
        if (p == nullptr) [[unlikely]]
            return no_memory();
        return followed(scalar::write_f64(p, x, dialect_.floats));
    }
    errc big(text t) {
        if (!is_number(t)) return fail(errc::misuse, "a big number is not in JSON's number grammar");
        if (dialect_.big == big_number::text && !naming()) return str(t);
        if (due_ != due::value || comma_ == 0) [[unlikely]]
            KUMIHIMO_TRY(before());
        char* p = out_.reserve(t.size + quotes);
        if (p == nullptr) return no_memory();
        p = quote(p);
        std::memcpy(p, t.data, t.size);
        return done(quote(p + t.size));
    }
    errc str(text t) {
        if (simple() && t.size < simd::lanes::width && t.charset != encoding::utf16) [[likely]] {
            if (char* const p = short_text(t); p != nullptr) [[likely]]
                return followed(p);
        }
        return str_slowly(t);
    }
    errc bin(bytes b) {
        if (dialect_.binary == binary::refuse)
            return fail(errc::unsupported, "bytes that are not text: JSON has none, and this dialect does not encode them");
        if (due_ != due::value || comma_ == 0) [[unlikely]]
            KUMIHIMO_TRY(before());
        const auto alphabet =
            dialect_.binary == binary::base64 ? scalar::base64_alphabet::standard : scalar::base64_alphabet::url;
        if (b.size() > ctx_.limits.size) return too_large();
        // Of base64's characters only the slash has another spelling in some dialects.
        const bool slashes = dialect_.binary == binary::base64 && dialect_.escapes->action['/'] != escape_set::copy;
        char* p = out_.reserve(scalar::base64_size(b.size(), alphabet) * (slashes ? 2 : 1) + quotes);
        if (p == nullptr) return no_memory();
        *p++ = '"';
        char* const begin = p;
        p = scalar::base64_encode(b.data(), b.size(), p, alphabet);
        if (slashes) [[unlikely]]
            p = escape_slashes(begin, p);
        *p++ = '"';
        return done(p);
    }
    errc time(const instant& t) {
        if (dialect_.time == moment::refuse)
            return fail(errc::unsupported, "a moment: JSON has none, and this dialect does not write them");
        if (dialect_.time == moment::epoch) return epoch(t);
        char line[scalar::time_room];
        const char* const e = scalar::write_time(line, t, dialect_.time_layout);
        if (e == nullptr) return fail(errc::range, "a moment outside the years 0000 to 9999");
        return str(text(line, static_cast<std::size_t>(e - line), encoding::ascii));
    }
    errc ext(int type, bytes b) {
        // As wide as the loads that read them: the compiler sees these, and would warn.
        static constexpr char type_key[16] = "type", data_key[16] = "data";
        if (naming()) return fail(errc::unsupported, "an extension as a key: JSON's keys are text");
        switch (dialect_.extension) {
            case extension::refuse: break;
            case extension::data: return bin(b);
            case extension::object:
                KUMIHIMO_TRY(map(count{2}));
                KUMIHIMO_TRY(key(text(type_key, 4, encoding::ascii)));
                KUMIHIMO_TRY(i64(type));
                KUMIHIMO_TRY(key(text(data_key, 4, encoding::ascii)));
                KUMIHIMO_TRY(bin(b));
                return end();
        }
        return fail(errc::unsupported, "an extension: JSON has none, and this dialect does not lower them");
    }

    /// A value that is JSON already, as it is; the caller answers for it. Beyond the verbs: only this format has it.
    errc raw(bytes value) {
        if (naming()) return fail(errc::unsupported, "a fragment of JSON as a key: keys are text");
        if (due_ != due::value || comma_ == 0) [[unlikely]]
            KUMIHIMO_TRY(before());
        if (value.size() > ctx_.limits.size) return too_large();
        char* const p = out_.reserve(value.size() + quotes);
        if (p == nullptr) return no_memory();
        if (!value.empty()) std::memcpy(p, value.data(), value.size());
        return done(p + value.size());
    }

    /// A value in pieces: prefix() what stands in front of a value inside it, suffix() what stands behind one, `more`
    /// when another value follows. The caller answers for the text, which does not end with a comma in front. Beyond
    /// the verbs.
    ///
    ///     prefix("(tag)[")  i64 1  suffix(",", true)  str "a"  suffix("]", false)         (tag)[1,"a"]
    errc prefix(bytes b) {
        if (naming()) return fail(errc::unsupported, "a fragment of JSON as a key: keys are text");
        if (due_ != due::value || comma_ == 0) [[unlikely]]
            KUMIHIMO_TRY(before());
        prefixed_ = comma_ == 0;
        return append({reinterpret_cast<const char*>(b.data()), b.size()});
    }
    errc suffix(bytes b, bool more) {
        char* p = out_.reserve(b.size() + 1);
        if (p == nullptr) return no_memory();
        if (comma_ != 0 && p[-1] == ',') --p;
        std::memcpy(p, b.data(), b.size());
        p += b.size();
        prefixed_ = more && comma_ == 0;
        if (!more) return done(p);
        out_.commit(p);
        due_ = due::value;
        return errc::ok;
    }

    errc array(count) { return open(false); }
    errc map(count) { return open(true); }
    /// Directly behind array() or map(): lays the container out as if it held something, though it will not. Beyond
    /// the verbs; older generators of Ruby break an empty array's and object's line.
    errc open_line() {
        if (comma_ != 0) return errc::ok;
        filled_ = true;
        return after_ == due::key ? errc::ok : append(newline());
    }

    errc key(text t) {
        if (due_ == due::key && comma_ != 0 && t.size < simd::lanes::width && t.charset != encoding::utf16) [[likely]] {
            if (char* const p = short_text(t); p != nullptr) [[likely]] {
                *p = ':';
                out_.commit(p + 1);
                due_ = due::value;
                return errc::ok;
            }
        }
        return key_slowly(t);
    }
    errc key(next_value) {
        if (due_ != due::key) return fail(errc::misuse, "a key where no key is due");
        if (dialect_.keys == other_keys::refuse)
            return fail(errc::unsupported, "a key that is not text: this dialect takes text keys only");
        due_ = due::name;
        return errc::ok;
    }

    errc end() {
        if (levels_.empty() || due_ != after_) [[unlikely]] {
            return fail(errc::misuse,
                        levels_.empty() ? "an end without its start" : "an object ends between a key and its value");
        }
        const char closer = after_ == due::key ? '}' : ']';
        if (comma_ == 0) [[unlikely]]
            KUMIHIMO_TRY(white_end());
        levels_.pop();
        after_ = levels_.empty() ? due::nothing : levels_.top();
        char* p = out_.reserve(2);
        if (p == nullptr) [[unlikely]]
            return no_memory();
        // A branch: mostly there is a comma, and the place of what comes next does not wait for the byte just written.
        if (comma_ != 0 && p[-1] == ',') [[likely]]
            p[-1] = closer;
        else
            *p++ = closer;
        if (out_.size() - start_ > ctx_.limits.size) [[unlikely]]
            return too_large();
        return done(p);
    }

    /// The bytes of the whole document; they live as long as the buffer, and until it is written to again.
    errc finish(bytes& document) {
        if (due_ != due::nothing) return fail(errc::misuse, "the document is not whole: a value or an end is missing");
        if (!finished_ && comma_ != 0) {
            char* p = out_.reserve(0);
            if (p == nullptr) return no_memory();
            out_.commit(p - 1);
        }
        finished_ = true;
        if (out_.size() - start_ > ctx_.limits.size) return too_large();
        document = bytes(reinterpret_cast<const unsigned char*>(out_.data()) + start_, out_.size() - start_);
        return errc::ok;
    }

    // The refinement of core/burst.hpp: the one value that is due may be written without verbs.
    bool bursts() const noexcept { return simple() && json::burst<B>::suits(dialect_); }
    json::burst<B> start_burst() noexcept {
        constexpr auto all = static_cast<std::size_t>(-1);
        return {out_, dialect_, ctx_.limits.size > all - start_ ? all : start_ + ctx_.limits.size};
    }
    errc end_burst() {
        due_ = after_;
        return out_.size() - start_ - comma_ > ctx_.limits.size ? too_large() : errc::ok;  // the comma may go yet
    }
    /// What the burst has no verb for: `send` gets a writer that leaves its bytes, and the comma, in the buffer. The
    /// burst is stopped.
    template <class F>
    [[gnu::noinline]] errc value_aside(F send) {
        if (out_.size() - start_ > ctx_.limits.size) return too_large();
        basic_writer one(out_, ctx_, dialect_);
        return send(one);
    }
    /// The same for a key, which is followed by its colon.
    template <class F>
    [[gnu::noinline]] errc key_aside(F send) {
        if (out_.size() - start_ > ctx_.limits.size) return too_large();
        basic_writer one(out_, ctx_, dialect_);
        one.begin_key();
        return send(one);
    }

private:
    // What may come next. In an array a value is due after a value, in a map a key, and nothing after the document.
    enum class due : unsigned char {
        value,
        key,
        name,  // a value that is to be a key
        nothing,
    };
    static constexpr std::size_t quotes = 4;  // two quotes, and the comma or colon behind

    bool naming() const noexcept { return due_ == due::name; }

    char* quote(char* p) const noexcept {
        if (naming()) [[unlikely]]
            *p++ = '"';
        return p;
    }

    // A value is due, and nothing but the value is to be written.
    bool simple() const noexcept { return due_ == due::value && comma_ != 0; }
    errc followed(char* p) {
        *p = ',';
        out_.commit(p + 1);
        due_ = after_;
        return errc::ok;
    }

    // Text of less than one load, in quotes, if it is ASCII with nothing to escape; null if it is not. Most keys are
    // this, and many values.
    [[gnu::always_inline]] char* short_text(text t) {
        using simd::lanes;
        if (!plain_escapes_) [[unlikely]]
            return nullptr;
        char* const p = out_.reserve(lanes::width + quotes);
        if (p == nullptr || t.size == 0) [[unlikely]]
            return nullptr;
        const lanes v = simd::load_part(t.data, t.size);
        *p = '"';
        v.store(p + 1);
        const std::uint64_t hits = (v.eq('"') | v.eq('\\') | v.below(0x20) | v.high()).bits();
        if ((hits & lanes::under(t.size)) != 0) [[unlikely]]
            return nullptr;
        p[1 + t.size] = '"';
        return p + 2 + t.size;
    }
    [[gnu::noinline]] errc str_slowly(text t) {
        if (!simple()) KUMIHIMO_TRY(before());
        char* p;
        KUMIHIMO_TRY(quoted(t, p));
        return done(p);
    }
    [[gnu::noinline]] errc key_slowly(text t) {
        if (due_ != due::key) return fail(errc::misuse, "a key where no key is due");
        if (comma_ == 0) KUMIHIMO_TRY(white(true));
        char* p;
        KUMIHIMO_TRY(quoted(t, p));
        return named(p);
    }
    template <class F>
    [[gnu::noinline]] errc number_slowly(F digits) {
        KUMIHIMO_TRY(before());
        char* p = out_.reserve(scalar::float_room + quotes);
        if (p == nullptr) return no_memory();
        return done(quote(digits(quote(p))));
    }

    // Behind a value: its comma, and what comes next. A value that was a key gets its colon instead.
    errc done(char* p) {
        if (naming()) [[unlikely]]
            return named(p);
        *p = ',';
        out_.commit(p + comma_);
        due_ = after_;
        return errc::ok;
    }
    errc named(char* p) {
        due_ = due::value;
        if (comma_ != 0) [[likely]] {
            *p = ':';
            out_.commit(p + 1);
            return errc::ok;
        }
        out_.commit(p);
        return append(dialect_.layout.key);
    }

    // Before a value that is not simply due: refuses it, or writes the white space of the layout.
    [[gnu::cold, gnu::noinline]] errc before() {
        if (due_ == due::key) return fail(errc::misuse, "a value in an object before its key");
        if (due_ == due::nothing) return fail(errc::misuse, "a value after the end of the document");
        if (comma_ != 0) return errc::ok;
        return white(due_ == due::name || after_ != due::key);
    }
    [[gnu::noinline]] errc white(bool item) {
        if (prefixed_) {
            prefixed_ = false;
            return errc::ok;
        }
        if (item && !levels_.empty()) {
            if (filled_) KUMIHIMO_TRY(append(dialect_.layout.item));
            KUMIHIMO_TRY(append(newline()));
            KUMIHIMO_TRY(indent(levels_.size()));
        }
        filled_ = true;
        return errc::ok;
    }
    [[gnu::noinline]] errc white_end() {
        if (filled_ && !newline().empty()) {
            KUMIHIMO_TRY(append(newline()));
            KUMIHIMO_TRY(indent(levels_.size() - 1));
        }
        filled_ = true;
        return errc::ok;
    }
    std::string_view newline() const noexcept {
        return dialect_.layout.arrays_differ && after_ != due::key ? dialect_.layout.array_newline : dialect_.layout.newline;
    }
    errc indent(std::size_t level) {
        if (dialect_.layout.indent.empty()) return errc::ok;
        for (level += dialect_.layout.level; level != 0; --level) KUMIHIMO_TRY(append(dialect_.layout.indent));
        return errc::ok;
    }
    errc append(std::string_view s) {
        char* p = out_.reserve(s.size());
        if (p == nullptr) return no_memory();
        if (!s.empty()) std::memcpy(p, s.data(), s.size());
        out_.commit(p + s.size());
        return errc::ok;
    }

    [[gnu::always_inline]] errc word(const char* w, std::size_t n) {
        if (!simple()) [[unlikely]]
            return number_slowly([w, n](char* p) { return static_cast<char*>(std::memcpy(p, w, n)) + n; });
        char* p = out_.reserve(8 + quotes);
        if (p == nullptr) [[unlikely]]
            return no_memory();
        std::memcpy(p, w, n);
        return followed(p + n);
    }

    errc open(bool map) {
        if (due_ != due::value || comma_ == 0) [[unlikely]] {
            if (naming()) return fail(errc::unsupported, "a container as a key: JSON's keys are text");
            KUMIHIMO_TRY(before());
        }
        if (levels_.size() >= ctx_.limits.depth) [[unlikely]]
            return fail(errc::depth, "nested deeper than the depth limit");
        char* p = out_.reserve(2);
        if (p == nullptr) [[unlikely]]
            return no_memory();
        after_ = map ? due::key : due::value;
        if (!levels_.push(after_)) [[unlikely]]
            return no_memory();
        *p = map ? '{' : '[';
        out_.commit(p + 1);
        due_ = after_;
        filled_ = false;
        return errc::ok;
    }

    // A string with its quotes. On return p is behind the closing quote, with room for `quotes` more bytes, not
    // committed.
    errc quoted(text t, char*& p) {
        if (t.charset > encoding::utf8 || t.charset == encoding::latin1 || t.size > piece ||
            (dialect_.escapes->ascii && t.charset == encoding::utf8)) [[unlikely]]
            return quoted_slowly(t, p);
        p = out_.reserve(escaped_bound(t.size) + quotes);
        if (p == nullptr) [[unlikely]]
            return no_memory();
        *p++ = '"';
        bool high = false;
        p = write_escaped(p, static_cast<const char*>(t.data), t.size, *dialect_.escapes, high);
        *p++ = '"';
        if (high && t.charset == encoding::utf8 && dialect_.invalid != invalid_text::keep && !valid(t)) [[unlikely]]
            return quoted_slowly(t, p);
        return errc::ok;
    }

    static bool valid(text t) noexcept { return scalar::utf8_valid_prefix(static_cast<const char*>(t.data), t.size) == t.size; }

    // Long text, text to convert and text to repair, piece by piece through valid UTF-8.
    [[gnu::noinline]] errc quoted_slowly(text t, char*& p) {
        if (t.size > ctx_.limits.size) return too_large();
        KUMIHIMO_TRY(append("\""));
        switch (t.charset) {
            case encoding::ascii:
            case encoding::utf8:
                KUMIHIMO_TRY(utf8(static_cast<const char*>(t.data), t.size, t.charset == encoding::ascii));
                break;
            case encoding::latin1: KUMIHIMO_TRY(latin1(static_cast<const char*>(t.data), t.size)); break;
            case encoding::utf16: KUMIHIMO_TRY(utf16(static_cast<const char16_t*>(t.data), t.size)); break;
        }
        if (out_.size() - start_ > ctx_.limits.size) return too_large();
        p = out_.reserve(1 + quotes);
        if (p == nullptr) return no_memory();
        *p++ = '"';
        return errc::ok;
    }
    errc utf8(const char* s, std::size_t n, bool known) {
        while (n != 0) {
            std::size_t good = known || dialect_.invalid == invalid_text::keep ? n : scalar::utf8_valid_prefix(s, n);
            const bool broken = good != n;
            n -= good;
            while (good != 0) {
                std::size_t take = good < piece ? good : piece;
                while (take != good && (static_cast<unsigned char>(s[take]) & 0xC0) == 0x80) --take;
                KUMIHIMO_TRY(escaped(s, take));
                s += take;
                good -= take;
            }
            if (!broken) break;
            if (dialect_.invalid == invalid_text::refuse) return fail(errc::encoding, "text that is not valid UTF-8");
            // One U+FFFD for the longest start of a sequence, as the Unicode standard recommends (chapter 3, U+FFFD
            // substitution).
            std::size_t skip = 1;
            while (skip < n && skip < 3 && starts_sequence(s, skip + 1)) ++skip;
            s += skip;
            n -= skip;
            KUMIHIMO_TRY(escaped("\xEF\xBF\xBD", 3));
        }
        return errc::ok;
    }
    // Whether the n bytes at s, 2 or 3, are the start of a longer valid sequence.
    static bool starts_sequence(const char* s, std::size_t n) noexcept {
        char whole[4] = {s[0], s[1], n > 2 ? s[2] : '\x80', '\x80'};
        const std::size_t length = scalar::utf8_sequence_size(s[0]);
        return length > n && scalar::decode_utf8(whole, whole + length).length != 0;
    }
    errc latin1(const char* s, std::size_t n) {
        char part[2 * 1024];
        while (n != 0) {
            const std::size_t take = n < 1024 ? n : 1024;
            const char* const e = scalar::latin1_to_utf8(s, take, part);
            KUMIHIMO_TRY(escaped(part, static_cast<std::size_t>(e - part)));
            s += take;
            n -= take;
        }
        return errc::ok;
    }
    errc utf16(const char16_t* s, std::size_t n) {
        char part[3 * 1024];
        while (n != 0) {
            std::size_t take = n < 1024 ? n : 1024;
            if (take != n && (s[take - 1] & 0xFC00) == 0xD800 && (s[take] & 0xFC00) == 0xDC00) --take;
            std::size_t written = 0;
            const errc e = scalar::utf16_to_utf8(s, take, part, written);
            KUMIHIMO_TRY(escaped(part, written));
            if (e != errc::ok) {
                if (dialect_.invalid == invalid_text::refuse) return fail(errc::encoding, "text that is not valid UTF-16");
                take = scalar::utf16_size(part, written) + 1;
                KUMIHIMO_TRY(escaped("\xEF\xBF\xBD", 3));
            }
            s += take;
            n -= take;
        }
        return errc::ok;
    }
    errc escaped(const char* s, std::size_t n) {
        char* p = out_.reserve(escaped_bound(n));
        if (p == nullptr) return no_memory();
        bool high = false;
        const bool by_kernel = n >= long_text && dialect_.escapes->only_required();
        out_.commit(by_kernel ? write_long(p, s, n) : write_escaped(p, s, n, *dialect_.escapes, high));
        return errc::ok;
    }

    [[gnu::cold]] errc not_finite(double x) {
        const std::string_view name = x != x ? "NaN" : x > 0 ? "Infinity" : "-Infinity";
        switch (dialect_.non_finite) {
            case non_finite::refuse: break;
            case non_finite::null: return word("null", 4);
            case non_finite::literal:
                if (naming()) return str(text(name, encoding::ascii));
                KUMIHIMO_TRY(before());
                KUMIHIMO_TRY(append(name));
                if (char* p = out_.reserve(quotes); p != nullptr) return done(p);
                return no_memory();
            case non_finite::text: return str(text(name, encoding::ascii));
        }
        return fail(errc::unsupported, "NaN or an infinity: JSON has none, and this dialect does not replace them");
    }

    /// A backslash before each slash of [b, e), in place, from the end on; returns the new end.
    [[gnu::noinline]] static char* escape_slashes(char* b, char* e) noexcept {
        char* to = e + std::count(b, e, '/');
        char* const end = to;
        while (to != e) {
            *--to = *--e;
            if (*to == '/') *--to = '\\';
        }
        return end;
    }

    errc epoch(const instant& t) {
        if (t.nanoseconds > 999999999) return fail(errc::range, "a moment with more nanoseconds than a second has");
        if (t.nanoseconds == 0) return i64(t.seconds);
        // Seconds count down to the past and nanoseconds up from them: -1.5 is -2 seconds and half a second.
        char line[scalar::integer_room + 16];
        char* p = line;
        std::uint64_t whole = static_cast<std::uint64_t>(t.seconds);
        std::uint32_t part = t.nanoseconds;
        if (t.seconds < 0) {
            *p++ = '-';
            whole = ~whole;  // -(seconds + 1)
            part = 1000000000 - part;
        }
        p = scalar::write_u64(p, whole);
        *p++ = '.';
        for (std::uint32_t unit = 100000000; part != 0; unit /= 10) {
            *p++ = static_cast<char>('0' + part / unit);
            part %= unit;
        }
        if (due_ != due::value || comma_ == 0) [[unlikely]]
            KUMIHIMO_TRY(before());
        const auto n = static_cast<std::size_t>(p - line);
        char* to = out_.reserve(n + quotes);
        if (to == nullptr) return no_memory();
        to = quote(to);
        std::memcpy(to, line, n);
        return done(quote(to + n));
    }

    static bool is_number(text t) noexcept {
        if (t.charset == encoding::utf16 || t.size == 0) return false;
        const char* const p = static_cast<const char*>(t.data);
        return number_end(p, p + t.size) == p + t.size;
    }

    errc fail(errc code, const char* what) noexcept { return ctx_.fail(code, failure::nowhere, what); }
    [[gnu::cold]] errc no_memory() noexcept { return fail(errc::memory, "out of memory while writing"); }
    [[gnu::cold]] errc too_large() noexcept { return fail(errc::size, "the document is larger than the size limit"); }

    // Text is escaped in pieces of this many bytes at most, so that the worst case reserved for it stays small.
    static constexpr std::size_t piece = 4096;

    B& out_;
    context& ctx_;
    const dialect& dialect_;
    std::size_t start_;   // the document's first byte in the buffer
    bool plain_escapes_;  // nothing beyond what RFC 8259 requires is escaped
    std::size_t comma_;   // 1: compact, every value is followed by its comma; 0: white() writes what stands between
    due due_ = due::value;
    due after_ = due::nothing;  // what is due behind a value of the innermost container
    bool prefixed_ = false;     // the white space before the value that is due is written; for those layouts too
    bool filled_ = false;       // the innermost container holds something; kept for layouts with white space only
    bool finished_ = false;
    stack<due, 16, memory_for<B>> levels_;
};

using writer = basic_writer<buffer>;
static_assert(kumihimo::writer<writer> && kumihimo::bursting_writer<writer>);

}  // namespace kumihimo::inline v0::json
