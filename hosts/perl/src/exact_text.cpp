#include "engine/scalar/float_read.hpp"
#include "engine/scalar/utf8.hpp"

#include "exact_text.hpp"

namespace kumihimo::inline v0::perl {

namespace {

bool blank(unsigned char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool digit(unsigned char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }

int hex_digit(unsigned char c) noexcept {
    if (digit(c)) return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// `n` digits of a base that is a power of two, or -1. Reads within [p, end).
template <unsigned Bits>
long digits_at(const char* p, const char* end, int n) noexcept {
    if (end - p < n) return -1;
    long value = 0;
    for (int i = 0; i < n; ++i) {
        const int d = hex_digit(static_cast<unsigned char>(p[i]));
        if (d < 0 || d >= 1 << Bits) return -1;
        value = value << Bits | d;
    }
    return value;
}

bool high_surrogate(long c) noexcept { return (c & 0xFC00) == 0xD800; }
bool low_surrogate(long c) noexcept { return (c & 0xFC00) == 0xDC00; }
bool surrogate(long c) noexcept { return (c & 0xF800) == 0xD800; }
char32_t paired(long high, long low) noexcept {
    return static_cast<char32_t>(0x10000 + (high - 0xD800) * 0x400 + (low - 0xDC00));
}

/// What a one-letter escape stands for, or 0.
char simple_escape(unsigned char c) noexcept {
    switch (c) {
        case '"':
        case '\\':
        case '/': return static_cast<char>(c);
        case 'b': return '\b';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        default: return 0;
    }
}

/// The characters of one string, in the scratch scalar.
class collected {
public:
    collected(pTHX_ exact_input& in) : in_(in) {
        if (in.scratch == nullptr) in.scratch = sv_2mortal(newSV(256));
        begin_ = SvPVX(in.scratch);
        at_ = begin_;
        limit_ = begin_ + SvLEN(in.scratch);
    }
    void add(pTHX_ const char* p, const char* e) {
        const auto n = static_cast<std::size_t>(e - p);
        room(aTHX_ n);
        std::memcpy(at_, p, n);
        at_ += n;
    }
    void add(pTHX_ char32_t c) {
        room(aTHX_ 4);
        at_ = scalar::encode_utf8(at_, c);
    }
    /// Code points up to U+00FF as one byte each, where there are no others.
    text as_bytes() noexcept {
        char* to = begin_;
        for (const char* from = begin_; from != at_; ++from, ++to) {
            if (static_cast<unsigned char>(*from) < 0x80) {
                *to = *from;
            } else {
                *to = static_cast<char>((from[0] & 0x03) << 6 | (from[1] & 0x3F));
                ++from;
            }
        }
        return {begin_, static_cast<std::size_t>(to - begin_), encoding::latin1};
    }
    text get(bool ascii) const noexcept {
        return {begin_, static_cast<std::size_t>(at_ - begin_), ascii ? encoding::ascii : encoding::utf8};
    }

private:
    void room(pTHX_ std::size_t n) {
        if (static_cast<std::size_t>(limit_ - at_) >= n) return;
        const auto used = static_cast<std::size_t>(at_ - begin_);
        if (n > static_cast<std::size_t>(-1) / 4 - used) Perl_croak(aTHX_ "the text is larger than memory");
        const std::size_t want = (used + n) * 2;
        SvCUR_set(in_.scratch, used);  // what is kept where the memory moves
        begin_ = SvGROW(in_.scratch, want);
        at_ = begin_ + used;
        limit_ = begin_ + want;
    }

    exact_input& in_;
    char* begin_;
    char* at_;
    char* limit_;
};

void warn_of_noncharacter(pTHX_ const exact_input& in, char32_t c) {
    if (!in.cpanel() || in.o.relaxed) return;
    if ((c & 0xFFFE) != 0xFFFE && (c < 0xFDD0 || c > 0xFDEF)) return;
    Perl_ck_warner_d(aTHX_ packWARN(WARN_NONCHAR),
                     "Unicode non-character U+%04" UVXf " is not recommended for open interchange", static_cast<UV>(c));
}

/// The four digits of \u, and of the second half where they are the first of a pair. `p` is behind the u.
bool unicode_escape(pTHX_ exact_input& in, const char*& p, char32_t& c) {
    const long first = digits_at<4>(p, in.end, 4);
    if (first < 0) return in.fail_at(p, "exactly four hexadecimal digits expected");
    p += 4;
    if (in.o.binary) return in.fail_at(p, "illegal unicode character in binary string");
    if (!surrogate(first)) {
        c = static_cast<char32_t>(first);
        warn_of_noncharacter(aTHX_ in, c);
        return true;
    }
    if (low_surrogate(first)) return in.fail_at(p, "missing high surrogate character in surrogate pair");
    if (in.end - p < 2 || p[0] != '\\' || p[1] != 'u')
        return in.fail_at(p, "missing low surrogate character in surrogate pair");
    p += 2;
    const long second = digits_at<4>(p, in.end, 4);
    if (second < 0) return in.fail_at(p, "exactly four hexadecimal digits expected");
    p += 4;
    if (!low_surrogate(second)) return in.fail_at(p, "surrogate pair expected");
    c = paired(first, second);
    warn_of_noncharacter(aTHX_ in, c);
    return true;
}

/// \xHH and \OOO, which binary strings have; `p` is behind the backslash.
bool binary_escape(exact_input& in, const char*& p, char32_t& c) noexcept {
    const bool hex = *p == 'x';
    if (!in.o.binary)
        return in.fail_at(p,
                          hex ? "illegal hex character in non-binary string" : "illegal octal character in non-binary string");
    p += hex;
    const long value = hex ? digits_at<4>(p, in.end, 2) : digits_at<3>(p, in.end, 3);
    if (value < 0)
        return in.fail_at(p, hex ? "exactly two hexadecimal digits expected" : "exactly three octal digits expected");
    // The module keeps the low eight bits of \400 and up: another character than was written.
    if (value > 0xFF) return in.fail_at(p, "octal escape beyond \\377 in binary string", errc::range);
    p += hex ? 2 : 3;
    c = static_cast<char32_t>(value);
    return true;
}

// Of a character that begins with ED.
bool is_surrogate(const char* p) { return (static_cast<unsigned char>(p[1]) & 0xE0) == 0xA0; }

bool read_module_string(pTHX_ exact_input& in, char quote, text& to) {
    const char* p = in.at;
    const char* run = p;  // what is not collected yet begins here
    collected* out = nullptr;
    alignas(collected) unsigned char room[sizeof(collected)];
    bool wide = false;   // a character beyond ASCII that is not a binary escape
    bool bytes = false;  // a binary escape beyond ASCII
    for (;;) {
        const auto c = p < in.end ? static_cast<unsigned char>(*p) : 0;
        if (c == static_cast<unsigned char>(quote)) break;
        if (c == '\\') {
            if (out == nullptr) out = new (room) collected(aTHX_ in);
            out->add(aTHX_ run, p);
            ++p;
            const auto e = p < in.end ? static_cast<unsigned char>(*p) : 0;
            char32_t made = 0;
            if (const char simple = simple_escape(e); simple != 0) {
                ++p;
                made = static_cast<char32_t>(simple);
            } else if (e == '\'' && in.o.allow_singlequote && in.cpanel_since(aTHX_ cpanel_single_quote_escape)) {
                ++p;
                made = '\'';
            } else if (e == 'u') {
                ++p;
                if (!unicode_escape(aTHX_ in, p, made)) return false;
                wide = wide || made >= 0x80;
            } else if ((in.cpanel() || in.o.binary) && (e == 'x' || (e >= '0' && e <= '7'))) {
                if (!binary_escape(in, p, made)) return false;
                bytes = bytes || made >= 0x80;
            } else {
                return in.fail_at(p - 1, "illegal backslash escape sequence in string");
            }
            out->add(aTHX_ made);
            run = p;
        } else if (c >= 0x80) {
            const std::size_t n = character(in, p);
            if (n == 0 || (c == 0xED && is_surrogate(p) && in.cpanel_since(aTHX_ cpanel_refuses_surrogates)))
                return in.fail_at(p, "malformed UTF-8 character in JSON string", errc::encoding);
            wide = true;
            p += n;
        } else if (c >= 0x20 || (c == '\t' && in.o.relaxed)) {
            ++p;
        } else if (c == 0) {
            return in.fail_at(p, "unexpected end of string while parsing JSON string", errc::truncated);
        } else {
            return in.fail_at(p, "invalid character encountered while parsing JSON string");
        }
    }
    in.at = p + 1;
    if (out == nullptr) {
        to = {run, static_cast<std::size_t>(p - run), wide ? encoding::utf8 : encoding::ascii};
        return true;
    }
    out->add(aTHX_ run, p);
    to = bytes && !wide ? out->as_bytes() : out->get(!wide && !bytes);
    return true;
}

/// Mojo finds the end of the string first and looks at surrogates afterwards.
bool read_mojo_string(pTHX_ exact_input& in, text& to) {
    const char* const begin = in.at;
    const char* p = begin;
    bool escapes = false;
    bool has_u = false;  // a \u, which makes characters of all
    bool ascii = true;
    while (p < in.end && *p != '"') {
        const auto c = static_cast<unsigned char>(*p);
        if (c == '\\') {
            const auto e = in.end - p > 1 ? static_cast<unsigned char>(p[1]) : 0;
            const bool known = simple_escape(e) != 0 || (e == 'u' && digits_at<4>(p + 2, in.end, 4) >= 0);
            if (!known) break;
            escapes = true;
            has_u = has_u || e == 'u';
            p += e == 'u' ? 6 : 2;
        } else if (c < 0x20) {
            break;
        } else {
            ascii = ascii && c < 0x80;
            ++p;
        }
    }
    if (p >= in.end) return in.fail_mojo(p, "Unterminated string", errc::truncated);
    if (*p != '"') return in.fail_mojo(p, "Unexpected character or invalid escape while parsing string");
    in.at = p + 1;
    const bool as_bytes = in.keep_bytes && !has_u;
    if (!escapes && !(as_bytes && !ascii)) {
        to = {begin, static_cast<std::size_t>(p - begin),
              as_bytes ? encoding::latin1
              : ascii  ? encoding::ascii
                       : encoding::utf8};
        return true;
    }
    collected out(aTHX_ in);
    const char* run = begin;
    for (const char* q = begin; q != p;) {
        if (*q != '\\') {
            ++q;
            continue;
        }
        out.add(aTHX_ run, q);
        if (q[1] != 'u') {
            out.add(aTHX_ static_cast<char32_t>(simple_escape(static_cast<unsigned char>(q[1]))));
            q += 2;
        } else {
            const long first = digits_at<4>(q + 2, p, 4);
            q += 6;
            char32_t c = static_cast<char32_t>(first);
            if (low_surrogate(first)) return in.fail_mojo(q, "Missing high-surrogate");
            if (high_surrogate(first)) {
                const long second = p - q >= 6 && q[0] == '\\' && q[1] == 'u' ? digits_at<4>(q + 2, p, 4) : -1;
                if (!low_surrogate(second)) return in.fail_mojo(q, "Missing low-surrogate");
                c = paired(first, second);
                q += 6;
            }
            ascii = ascii && c < 0x80;
            out.add(aTHX_ c);
        }
        run = q;
    }
    out.add(aTHX_ run, p);
    to = as_bytes ? out.as_bytes() : out.get(ascii && !in.keep_bytes);
    return true;
}

/// The value of a run of digits; false where it is beyond 64 bits.
bool small_integer(const char* p, const char* end, std::uint64_t& value) noexcept {
    value = 0;
    for (; p != end; ++p) {
        const auto d = static_cast<std::uint64_t>(*p - '0');
        if (value > (~std::uint64_t{0} - d) / 10) return false;
        value = value * 10 + d;
    }
    return true;
}

void whole(json::number& to, std::uint64_t magnitude, bool negative) noexcept {
    constexpr std::uint64_t top = std::uint64_t{1} << 63;
    if (negative || magnitude < top) {
        to.kind = json::number_kind::i64;
        to.i = static_cast<std::int64_t>(negative ? ~magnitude + 1 : magnitude);
    } else {
        to.kind = json::number_kind::u64;
        to.u = magnitude;
    }
}

/// What `0 + $digits` gives in Perl: an integer where the text has none but digits and they fit, and where it has an
/// exponent and its value is one; else a double.
void mojo_value(json::number& to, double x, bool exponent) noexcept {
    if (exponent && x == std::floor(x) && x >= -0x1p63 && x < 0x1p64) {
        return whole(to, static_cast<std::uint64_t>(std::fabs(x)), x < 0);
    }
    to.kind = json::number_kind::f64;
    to.f = x + 0.0;  // 0 + -0.0 is 0
}

}  // namespace

bool exact_input::fail_mojo(const char* place, const char* sentence, errc reason) noexcept {
    at = place;
    while (at < end && blank(static_cast<unsigned char>(*at))) ++at;
    at_end = at == end && at != place;
    return fail(sentence, reason);
}

void exact_input::skip() noexcept {
    for (;;) {
        while (at < end && blank(static_cast<unsigned char>(*at))) ++at;
        if (at == end || *at != '#' || !o.relaxed || mojo()) return;
        while (at < end && *at != '\n' && *at != '\r' && *at != '\0') ++at;
        // Cpanel::JSON::XS passes whatever ended the comment; JSON::XS finds that a byte 0 starts no value.
        if (at < end && (*at != '\0' || cpanel())) ++at;
    }
}

std::size_t character(const exact_input& in, const char* p) noexcept {
    if (in.o.utf8) return scalar::decode_utf8(p, in.end).length;
    const auto* const s = reinterpret_cast<const U8*>(p);
    const auto* const e = reinterpret_cast<const U8*>(in.end);
#ifdef isUTF8_CHAR
    const std::size_t n = isUTF8_CHAR(s, e);
#else
    const std::size_t n = is_utf8_char_buf(s, e);
#endif
    if (n >= 4 && in.cpanel() && !in.o.relaxed && (s[0] > 0xF4 || (s[0] == 0xF4 && s[1] >= 0x90))) return 0;
    return n;
}

bool read_string(pTHX_ exact_input& in, char quote, text& to) {
    return in.mojo() ? read_mojo_string(aTHX_ in, to) : read_module_string(aTHX_ in, quote, to);
}

bool read_number(pTHX_ exact_input& in, json::number& to) {
    const char* const begin = in.at;
    const bool negative = *begin == '-';
    const char* const digits = begin + negative;
    in.at = digits;
    if (!digit(in.peek())) {
        if (in.mojo()) return in.fail_mojo(begin, "Expected string, array, object, number, boolean or null");
        return in.fail("malformed number (no digits after initial minus)");
    }
    if (*in.at == '0') {
        ++in.at;
        if (!in.mojo() && digit(in.peek()))
            return in.fail("malformed number (leading zero must not be followed by another digit)");
    } else {
        while (digit(in.peek())) ++in.at;
    }
    const char* const digits_end = in.at;
    bool fraction = false;
    bool bare_point = false;  // Mojo takes "1." for a number
    if (in.peek() == '.') {
        ++in.at;
        fraction = true;
        if (!digit(in.peek())) {
            if (!in.mojo()) return in.fail("malformed number (no digits after decimal point)");
            bare_point = true;
        }
        while (digit(in.peek())) ++in.at;
    }
    bool exponent = false;
    const char* const before = in.at;
    if ((in.peek() | 0x20) == 'e') {
        ++in.at;
        if (in.peek() == '-' || in.peek() == '+') ++in.at;
        exponent = digit(in.peek());
        while (digit(in.peek())) ++in.at;
        if (!exponent) {
            if (!in.mojo()) return in.fail("malformed number (no digits after exp sign)");
            in.at = before;  // not part of the number then
        }
    }
    if (!fraction && !exponent) {
        std::uint64_t magnitude;
        if (small_integer(digits, digits_end, magnitude) && (!negative || magnitude <= std::uint64_t{1} << 63)) {
            whole(to, magnitude, negative);
        } else if (in.mojo()) {
            mojo_value(to, scalar::scan_number(begin, in.at).value(), false);
        } else {
            to.kind = json::number_kind::big;
        }
        return true;
    }
    if (in.o.allow_bignum && !in.mojo()) {
        to.kind = json::number_kind::big;
        return true;
    }
    double x;
    if (bare_point && exponent) {
        collected without(aTHX_ in);
        without.add(aTHX_ begin, digits_end);
        without.add(aTHX_ before, in.at);
        const text t = without.get(true);
        x = scalar::scan_number(t.view().data(), t.view().data() + t.size).value();
    } else {
        x = scalar::scan_number(begin, bare_point ? digits_end : in.at).value();
    }
    if (in.mojo()) {
        mojo_value(to, x, exponent);
    } else {
        to.kind = json::number_kind::f64;
        to.f = x;
    }
    return true;
}

}  // namespace kumihimo::inline v0::perl
