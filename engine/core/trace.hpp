// The trace: verbs as text, one line each. It is the reference notation of the data model: conformance vectors are
// written in it, and every host and every other implementation of Kumihimo is held to it. tests/vectors/README.md
// defines it.
//
//      {"id": 7, "tags": ["a"]}   ->   map | key "id" | i64 7 | key "tags" | array | str "a" | end | end
//
// A count is written if known. Vectors leave counts out (dialect counts = false).
#pragma once
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "engine/core/buffer.hpp"
#include "engine/core/order.hpp"
#include "engine/core/source.hpp"

namespace kumihimo::inline v0 {

struct trace_dialect {
    bool counts = true;  // write known counts
};

namespace trace_text {

constexpr char digits[] = "0123456789abcdef";
constexpr const char* kinds[] = {"utc", "offset", "local", "date", "naive"};
constexpr std::uint64_t nan_bits = 0x7ff8000000000000;

/// ECMAScript's Number::toString, with -0 kept apart. At most 25 characters. Slow and independent of the engine's own
/// float text on purpose: a reference that shared it could not find its faults.
inline char* number(char* to, double x) noexcept {
    if (x != x) return static_cast<char*>(std::memcpy(to, "nan", 3)) + 3;
    if (std::signbit(x)) {
        *to++ = '-';
        x = -x;
    }
    if (x == 0) return *to++ = '0', to;
    if (x > 1.7976931348623157e308) return static_cast<char*>(std::memcpy(to, "inf", 3)) + 3;
    char form[40];  // d.ddde+xx
    const char* form_end = std::to_chars(form, form + sizeof form, x, std::chars_format::scientific).ptr;
    char d[24];
    int k = 0;
    const char* p = form;
    for (; *p != 'e'; ++p) {
        if (*p != '.') d[k++] = *p;
    }
    int n = 0;
    std::from_chars(p + (p[1] == '+' ? 2 : 1), form_end, n);
    ++n;  // the value is 0.ddd * 10^n
    const auto put = [&to](const char* from, int count) {
        for (int i = 0; i < count; ++i) *to++ = from[i];
    };
    const auto zeros = [&to](int count) {
        for (int i = 0; i < count; ++i) *to++ = '0';
    };
    if (k <= n && n <= 21) {
        put(d, k);
        zeros(n - k);
    } else if (0 < n && n <= 21) {
        put(d, n);
        *to++ = '.';
        put(d + n, k - n);
    } else if (-6 < n && n <= 0) {
        put("0.", 2);
        zeros(-n);
        put(d, k);
    } else {
        *to++ = d[0];
        if (k > 1) *to++ = '.';
        put(d + 1, k - 1);
        *to++ = 'e';
        *to++ = n > 0 ? '+' : '-';
        to = std::to_chars(to, to + 4, n > 0 ? n - 1 : 1 - n).ptr;
    }
    return to;
}

/// The code point at p (at least one byte), and how many bytes it takes; 0 if the bytes there are not UTF-8. Apart
/// from engine/scalar's, which readers and writers use: the trace judges them.
inline int decode(const unsigned char* p, const unsigned char* e, std::uint32_t& c) noexcept {
    c = p[0];
    if (c < 0x80) return 1;
    const int n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (c < 0xc2 || c > 0xf4 || e - p < n) return 0;
    c &= 0x7fu >> n;
    for (int i = 1; i < n; ++i) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (p[i] & 0x3fu);
    }
    if (n == 3 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) return 0;
    if (n == 4 && (c < 0x10000 || c > 0x10ffff)) return 0;
    return n;
}

inline char* encode(char* to, std::uint32_t c) noexcept {
    if (c < 0x80) {
        *to++ = static_cast<char>(c);
        return to;
    }
    const int n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    *to++ = static_cast<char>((0xf00u >> n & 0xf0u) | c >> 6 * (n - 1));
    for (int i = n - 2; i >= 0; --i) *to++ = static_cast<char>(0x80 | (c >> 6 * i & 0x3f));
    return to;
}

}  // namespace trace_text

/// Writes the trace into an output, and refuses verbs in a wrong order.
template <output Out>
class basic_trace_sink {
public:
    using dialect = trace_dialect;

    basic_trace_sink(Out& out, context& ctx, trace_dialect dialect = {}) noexcept
        : out_(out), ctx_(ctx), order_(ctx, memory_of(out)), dialect_(dialect), start_(out.size()) {}

    errc null() { return value("null"); }
    errc boolean(bool b) { return value(b ? "boolean true" : "boolean false"); }
    errc i64(std::int64_t n) { return value("i64 ", n); }
    errc u64(std::uint64_t n) { return value("u64 ", n); }
    errc f64(double x) {
        const std::uint64_t bits = x != x ? trace_text::nan_bits : std::bit_cast<std::uint64_t>(x);
        char line[64] = "f64 0x";
        char* p = line + 6;
        for (int shift = 60; shift >= 0; shift -= 4) *p++ = trace_text::digits[bits >> shift & 15];
        *p++ = ' ';
        p = trace_text::number(p, x);
        return value({line, static_cast<std::size_t>(p - line)});
    }
    errc big(text lexeme) { return value("big ", lexeme, false); }
    errc str(text t) { return value("str ", t, true); }
    errc bin(bytes b) {
        KUMIHIMO_TRY(order_.value());
        return put("bin 0x") && put_hex(b) && put("\n") ? errc::ok : no_memory();
    }
    errc time(const instant& t) {
        KUMIHIMO_TRY(order_.value());
        const auto kind = static_cast<std::size_t>(t.clock);
        if (kind > 4) return ctx_.fail(errc::misuse, failure::nowhere, "an instant of no known kind");
        return put("time ") && put(trace_text::kinds[kind]) && put(" ") && put_number(t.seconds) && put(" ") &&
                       put_number(t.nanoseconds) && put(" ") && put_number(t.offset) && put("\n")
                   ? errc::ok
                   : no_memory();
    }
    errc ext(int type, bytes b) {
        KUMIHIMO_TRY(order_.value());
        return put("ext ") && put_number(type) && put(" 0x") && put_hex(b) && put("\n") ? errc::ok : no_memory();
    }
    errc array(count n) { return open("array", false, n); }
    errc map(count n) { return open("map", true, n); }
    errc key(text t) {
        KUMIHIMO_TRY(order_.key());
        return put("key ") && put_text(t, true) && put("\n") ? errc::ok : no_memory();
    }
    errc key(next_value) {
        KUMIHIMO_TRY(order_.key_is_next());
        return put("key\n") ? errc::ok : no_memory();
    }
    errc end() {
        order_frame closed;
        KUMIHIMO_TRY(order_.end(closed));
        return put("end\n") ? errc::ok : no_memory();
    }

    errc finish(bytes& out) {
        KUMIHIMO_TRY(order_.finish());
        out = {reinterpret_cast<const unsigned char*>(out_.data()) + start_, out_.size() - start_};
        return errc::ok;
    }

    /// What has arrived so far, whole or not.
    std::string_view view() const noexcept { return {out_.data() + start_, out_.size() - start_}; }

private:
    bool put(std::string_view s) noexcept {
        if (s.empty()) return true;  // an empty buffer has no place to point to yet
        char* const to = out_.reserve(s.size());
        if (to == nullptr) return false;
        std::memcpy(to, s.data(), s.size());
        out_.commit(to + s.size());
        return true;
    }
    template <class N>
    bool put_number(N n) noexcept {
        char d[24];
        return put({d, static_cast<std::size_t>(std::to_chars(d, d + sizeof d, n).ptr - d)});
    }
    bool put_hex(bytes b) noexcept {
        if (b.size() > static_cast<std::size_t>(PTRDIFF_MAX) / 2) return false;
        char* to = out_.reserve(b.size() * 2);
        if (to == nullptr) return false;
        for (const unsigned char c : b) {
            *to++ = trace_text::digits[c >> 4];
            *to++ = trace_text::digits[c & 15];
        }
        out_.commit(to);
        return true;
    }
    bool put_byte(unsigned c) noexcept {
        const char s[] = {'\\', 'x', trace_text::digits[c >> 4 & 15], trace_text::digits[c & 15]};
        return put({s, 4});
    }
    bool put_code_point(std::uint32_t c) noexcept {
        if (c == '"' || c == '\\') {
            const char s[] = {'\\', static_cast<char>(c)};
            return put({s, 2});
        }
        if (c >= 0x20 && c < 0x7f) {
            const char s = static_cast<char>(c);
            return put({&s, 1});
        }
        char s[16] = "\\u{";
        char* e = std::to_chars(s + 3, s + 12, c, 16).ptr;
        *e++ = '}';
        return put({s, static_cast<std::size_t>(e - s)});
    }
    bool put_text(text t, bool quoted) noexcept {
        if (quoted && !put("\"")) return false;
        if (t.charset == encoding::utf16) {
            const unsigned char* p = static_cast<const unsigned char*>(t.data);
            const auto unit = [p](std::size_t i) {
                std::uint16_t u;
                std::memcpy(&u, p + 2 * i, 2);
                return static_cast<std::uint32_t>(u);
            };
            for (std::size_t i = 0; i < t.size; ++i) {
                const std::uint32_t c = unit(i);
                if (c < 0xd800 || c > 0xdfff) {
                    if (!put_code_point(c)) return false;
                } else if (c < 0xdc00 && i + 1 < t.size && unit(i + 1) >> 10 == 0x37) {
                    if (!put_code_point(0x10000 + ((c & 0x3ff) << 10) + (unit(++i) & 0x3ff))) return false;
                } else if (!put_byte(0xed) || !put_byte(0x80 | (c >> 6 & 0x3f)) || !put_byte(0x80 | (c & 0x3f))) {
                    return false;
                }
            }
        } else {
            const unsigned char* p = static_cast<const unsigned char*>(t.data);
            const unsigned char* const e = p + t.size;
            while (p != e) {
                std::uint32_t c = *p;
                int n = 1;
                if (t.charset != encoding::latin1) n = trace_text::decode(p, e, c);
                if (!(n != 0 ? put_code_point(c) : put_byte(*p))) return false;
                p += n != 0 ? n : 1;
            }
        }
        return !quoted || put("\"");
    }

    errc value(std::string_view line) noexcept {
        KUMIHIMO_TRY(order_.value());
        return put(line) && put("\n") ? errc::ok : no_memory();
    }
    template <class N>
    errc value(std::string_view verb, N n) noexcept {
        KUMIHIMO_TRY(order_.value());
        return put(verb) && put_number(n) && put("\n") ? errc::ok : no_memory();
    }
    errc value(std::string_view verb, text t, bool quoted) noexcept {
        KUMIHIMO_TRY(order_.value());
        return put(verb) && put_text(t, quoted) && put("\n") ? errc::ok : no_memory();
    }
    errc open(std::string_view verb, bool map, count n) noexcept {
        KUMIHIMO_TRY(order_.value());
        KUMIHIMO_TRY(order_.open(map, n));
        const bool put_count = dialect_.counts && n.known();
        return put(verb) && (!put_count || (put(" ") && put_number(n.n))) && put("\n") ? errc::ok : no_memory();
    }
    errc no_memory() noexcept { return ctx_.fail(errc::memory, failure::nowhere, "out of memory"); }

    Out& out_;
    context& ctx_;
    basic_order<memory_for<Out>> order_;
    trace_dialect dialect_;
    std::size_t start_;
};
using trace_sink = basic_trace_sink<buffer>;
static_assert(writer<trace_sink>);

/// Reads a trace back: the verbs of one document, which must be the whole text. Only what trace_sink writes is taken;
/// but the text behind an f64's bits is not looked at.
class trace_source {
public:
    using dialect = trace_dialect;

    trace_source(std::string_view trace, context& ctx) noexcept : begin_(trace.data()), rest_(trace), ctx_(ctx) {}

    template <sink K>
    errc feed(K& to) {
        order o(ctx_);
        while (!o.whole()) {
            if (rest_.empty()) return fail(errc::truncated, "the trace ends inside a document");
            const std::size_t stop = rest_.find('\n');
            if (stop == std::string_view::npos) return fail(errc::truncated, "the trace's last line is not ended");
            ++line_;
            std::string_view line = rest_.substr(0, stop);
            if (const errc code = verb(line, o, to); code != errc::ok) [[unlikely]]
                return refused(code);
            rest_.remove_prefix(stop + 1);
        }
        if (!rest_.empty()) return fail(errc::trailing, "the trace goes on after its document");
        return errc::ok;
    }

private:
    template <sink K>
    errc verb(std::string_view line, order& o, K& to) {
        const std::size_t space = line.find(' ');
        const std::string_view name = line.substr(0, space);
        std::string_view rest = space == std::string_view::npos ? std::string_view{} : line.substr(space + 1);
        const bool bare = space == std::string_view::npos;

        if (name == "key") {
            if (bare) {
                KUMIHIMO_TRY(o.key_is_next());
                return to.key(next_value{});
            }
            text t;
            KUMIHIMO_TRY(quoted(rest, t));
            KUMIHIMO_TRY(o.key());
            return to.key(t);
        }
        if (name == "end" && bare) {
            order::frame closed;
            KUMIHIMO_TRY(o.end(closed));
            return to.end();
        }
        KUMIHIMO_TRY(o.value());
        if (name == "array" || name == "map") {
            count n;
            if (!bare && (!number(rest, n.n) || n.n < 0 || !rest.empty())) return broken();
            KUMIHIMO_TRY(o.open(name == "map", n));
            return name == "map" ? to.map(n) : to.array(n);
        }
        if (name == "null" && bare) return to.null();
        if (name == "boolean" && (rest == "true" || rest == "false")) return to.boolean(rest == "true");
        if (name == "i64") {
            std::int64_t n;
            return number(rest, n) && rest.empty() ? to.i64(n) : broken();
        }
        if (name == "u64") {
            std::uint64_t n;
            return number(rest, n) && rest.empty() ? to.u64(n) : broken();
        }
        if (name == "f64") {
            std::uint64_t bits = 0;
            if (rest.size() < 20 || !rest.starts_with("0x") || rest[18] != ' ') return broken();
            for (const char c : rest.substr(2, 16)) {
                if (digit(c) < 0) return broken();
                bits = bits << 4 | static_cast<unsigned>(digit(c));
            }
            return to.f64(std::bit_cast<double>(bits));
        }
        if (name == "big" && !rest.empty() && rest.find_first_not_of("0123456789+-.eE") == std::string_view::npos) {
            return to.big({rest, encoding::ascii});
        }
        if (name == "str") {
            text t;
            KUMIHIMO_TRY(quoted(rest, t));
            return to.str(t);
        }
        if (name == "bin") {
            bytes b;
            KUMIHIMO_TRY(hex(rest, b));
            return to.bin(b);
        }
        if (name == "ext") {
            int type;
            if (!number(rest, type) || !skip(rest, ' ')) return broken();
            bytes b;
            KUMIHIMO_TRY(hex(rest, b));
            return to.ext(type, b);
        }
        if (name == "time") {
            instant t;
            const std::string_view kind = rest.substr(0, rest.find(' '));
            int i = 0;
            while (i < 5 && kind != trace_text::kinds[i]) ++i;
            if (i == 5) return broken();
            t.clock = static_cast<instant::kind>(i);
            rest.remove_prefix(kind.size());
            if (!skip(rest, ' ') || !number(rest, t.seconds) || !skip(rest, ' ') || !number(rest, t.nanoseconds) ||
                !skip(rest, ' ') || !number(rest, t.offset) || !rest.empty()) {
                return broken();
            }
            return to.time(t);
        }
        return broken();
    }

    static bool skip(std::string_view& s, char c) noexcept {
        if (!s.starts_with(c)) return false;
        s.remove_prefix(1);
        return true;
    }
    template <class N>
    static bool number(std::string_view& s, N& n) noexcept {
        const auto r = std::from_chars(s.data(), s.data() + s.size(), n);
        if (r.ec != std::errc{} || (s[0] == '0' && r.ptr != s.data() + 1) || s.starts_with("-0")) return false;
        s.remove_prefix(static_cast<std::size_t>(r.ptr - s.data()));
        return true;
    }
    static int digit(char c) noexcept { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

    errc hex(std::string_view s, bytes& out) noexcept {
        if (!s.starts_with("0x") || s.size() % 2 != 0) return broken();
        scratch_.clear();
        char* to = scratch_.reserve(s.size());
        if (to == nullptr) return no_memory();
        for (std::size_t i = 2; i < s.size(); i += 2) {
            const int high = digit(s[i]), low = digit(s[i + 1]);
            if (high < 0 || low < 0) return broken();
            *to++ = static_cast<char>(high << 4 | low);
        }
        scratch_.commit(to);
        out = {reinterpret_cast<const unsigned char*>(scratch_.data()), scratch_.size()};
        return errc::ok;
    }

    errc quoted(std::string_view s, text& out) noexcept {
        if (s.size() < 2 || s.front() != '"' || s.back() != '"') return broken();
        s = s.substr(1, s.size() - 2);
        scratch_.clear();
        char* to = scratch_.reserve(s.size() + 1);  // no escape is shorter than what it says
        if (to == nullptr) return no_memory();
        bool ascii = true;
        while (!s.empty()) {
            const char c = s.front();
            s.remove_prefix(1);
            if (c == '"' || c < 0x20 || c > 0x7e) return broken();
            if (c != '\\') {
                *to++ = c;
            } else if (s.starts_with('"') || s.starts_with('\\')) {
                *to++ = s.front();
                s.remove_prefix(1);
            } else if (s.starts_with('x') && s.size() >= 3 && digit(s[1]) >= 0 && digit(s[2]) >= 0) {
                *to++ = static_cast<char>(digit(s[1]) << 4 | digit(s[2]));
                ascii = false;
                s.remove_prefix(3);
            } else if (s.starts_with("u{")) {
                std::uint32_t code = 0;
                const auto r = std::from_chars(s.data() + 2, s.data() + s.size(), code, 16);
                if (r.ec != std::errc{} || r.ptr == s.data() + s.size() || *r.ptr != '}') return broken();
                if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000) || (code >= 0x20 && code < 0x7f)) return broken();
                for (const char* d = s.data() + 2; d != r.ptr; ++d) {
                    if (digit(*d) < 0 || (*d == '0' && d == s.data() + 2 && d + 1 != r.ptr)) return broken();
                }
                ascii = ascii && code < 0x80;
                to = trace_text::encode(to, code);
                s.remove_prefix(static_cast<std::size_t>(r.ptr + 1 - s.data()));
            } else {
                return broken();
            }
        }
        scratch_.commit(to);
        out = {scratch_.data(), scratch_.size(), ascii ? encoding::ascii : encoding::utf8};
        return errc::ok;
    }

    /// The order of verbs, or the sink, said no to this line: they do not know where it stands.
    errc refused(errc code) noexcept {
        ctx_.fail(code, failure::nowhere, "the receiver refused this verb");
        if (ctx_.failure.offset == failure::nowhere) {
            ctx_.failure.offset = static_cast<std::size_t>(rest_.data() - begin_);
            ctx_.failure.line = line_;
            ctx_.failure.column = 1;
        }
        return code;
    }
    errc broken() noexcept { return fail(errc::syntax, "this line is not a verb of the trace notation"); }
    errc no_memory() noexcept { return ctx_.fail(errc::memory, failure::nowhere, "out of memory"); }
    errc fail(errc code, const char* what) noexcept {
        ctx_.fail(code, static_cast<std::size_t>(rest_.data() - begin_), what);
        if (ctx_.failure.what == what) {
            ctx_.failure.line = line_;
            ctx_.failure.column = 1;
        }
        return code;
    }

    const char* begin_;
    std::string_view rest_;
    context& ctx_;
    std::size_t line_ = 0;
    buffer scratch_;
};
static_assert(reader<trace_source>);

}  // namespace kumihimo::inline v0
