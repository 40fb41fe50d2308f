#include "engine/scalar/utf8.hpp"
#include "engine/simd/dispatch.hpp"

#include "finish.hpp"

namespace kumihimo::inline v0::perl {
namespace {

bool valid(const char* p, std::size_t n) { return n < 64 ? scalar::utf8_valid_prefix(p, n) == n : simd::active().utf8(p, n); }

// One character of Perl's utf8: UTF-8's form for values up to U+7FFFFFFFFFFFFFFF. 0 bytes: malformed.
struct character {
    UV value;
    std::size_t size;
};
character next(pTHX_ const char* p, const char* end) {
    const auto* const s = reinterpret_cast<const U8*>(p);
    const auto left = static_cast<STRLEN>(end - p);
    STRLEN size = 0;
    const UV c = utf8n_to_uvchr(s, left, &size, UTF8_CHECK_ONLY);
    if (size == static_cast<STRLEN>(-1) || size == 0) return {0, 0};
    return {c, size};
}

constexpr char hex[] = "0123456789abcdef";

void escape_unit(pTHX_ SV* to, UV unit) {
    const char text[] = {'\\', 'u', hex[unit >> 12 & 15], hex[unit >> 8 & 15], hex[unit >> 4 & 15], hex[unit & 15]};
    sv_catpvn(to, text, sizeof text);
}
void escape_byte(pTHX_ SV* to, unsigned byte) {
    const char text[] = {'\\', 'x', hex[byte >> 4 & 15], hex[byte & 15]};
    sv_catpvn(to, text, sizeof text);
}

unsigned from_hex(char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10); }

// Cpanel's binary: every byte beyond ASCII, and every control character without a short escape, by its number. The
// writer has escaped the latter as \u00..; a backslash of the text stands there twice.
SV* binary(pTHX_ const char* p, std::size_t n) {
    SV* const to = sv_2mortal(newSV(n + n / 8 + 16));
    SvPOK_only(to);
    SvCUR_set(to, 0);
    const char* const end = p + n;
    const char* clean = p;
    const auto flush = [&] { sv_catpvn(to, clean, static_cast<STRLEN>(p - clean)); };
    while (p != end) {
        if (*p == '\\' && p[1] == 'u') {
            flush();
            escape_byte(aTHX_ to, from_hex(p[4]) << 4 | from_hex(p[5]));
            clean = p += 6;
        } else if (*p == '\\') {
            p += 2;
        } else if (static_cast<unsigned char>(*p) >= 0x80) {
            flush();
            escape_byte(aTHX_ to, static_cast<unsigned char>(*p));
            clean = ++p;
        } else {
            ++p;
        }
    }
    flush();
    return to;
}

// Names the text from the malformed character on, as far as its string goes.
[[noreturn]] void refuse_text(pTHX_ const char* p, const char* end) {
    int n = 0;
    while (n < 11 && p + n != end && p[n] != '"') ++n;
    Perl_croak(aTHX_ "malformed or illegal unicode character in string [%.*s], cannot convert to JSON", n, p);
    std::abort();
}

// The document again, character by character: for broken text, and for the narrow encodings.
SV* rewritten(pTHX_ const char* p, std::size_t n, const json_options& o) {
    SV* const to = sv_2mortal(newSV(n + n / 8 + 16));
    SvPOK_only(to);
    SvCUR_set(to, 0);
    const UV limit = o.ascii ? 0x80 : o.latin1 ? 0x100 : ~UV{0};
    const char* const end = p + n;
    const char* clean = p;
    const auto flush = [&] { sv_catpvn(to, clean, static_cast<STRLEN>(p - clean)); };
    while (p != end) {
        p += scalar::ascii_prefix(p, static_cast<std::size_t>(end - p));
        if (p == end) break;
        const character c = next(aTHX_ p, end);
        if (o.follows == rules::cpanel && c.value >= 0xD800 && c.value < 0xE000 &&
            interpreter::here(aTHX).cpanel_since(cpanel_refuses_surrogates))
            refuse_text(aTHX_ p, end);
        // Beyond Unicode is malformed to Cpanel::JSON::XS, unless it is relaxed.
        if (c.size == 0 || (c.value > 0x10FFFF && o.follows == rules::cpanel && !o.relaxed)) {
            if (o.follows != rules::mojo) refuse_text(aTHX_ p, end);
            flush();
            sv_catpvs(to, "\xEF\xBF\xBD");
            clean = ++p;
            continue;
        }
        if (c.value > 0x10FFFF && o.follows != rules::mojo)
            Perl_croak(aTHX_ "out of range codepoint (0x%lx) encountered, unrepresentable in JSON",
                       static_cast<unsigned long>(c.value));
        if (c.value >= limit) {
            flush();
            if (c.value >= 0x10000) {
                escape_unit(aTHX_ to, 0xD7C0 + (c.value >> 10));
                escape_unit(aTHX_ to, 0xDC00 | (c.value & 0x3FF));
            } else {
                escape_unit(aTHX_ to, c.value);
            }
            clean = p += c.size;
        } else if (o.latin1) {
            flush();
            const char byte = static_cast<char>(c.value);
            sv_catpvn(to, &byte, 1);
            clean = p += c.size;
        } else if (o.utf8 && ((c.value >= 0xD800 && c.value < 0xE000) || c.value > 0x10FFFF)) {
            flush();
            sv_catpvs(to, "\xEF\xBF\xBD");
            clean = p += c.size;
        } else {
            p += c.size;
        }
    }
    flush();
    return to;
}

// JSON::PP's narrow encodings: whatever perl's utf8 can hold gets an escape, with as many digits as it takes;
// Latin-1's own characters become bytes, or are encoded after all.
SV* rewritten_pp(pTHX_ const char* p, std::size_t n, const json_options& o) {
    SV* const to = sv_2mortal(newSV(n + n / 8 + 16));
    SvPOK_only(to);
    SvCUR_set(to, 0);
    const UV limit = o.ascii ? 0x80 : 0x100;
    const char* const end = p + n;
    while (p != end) {
        const std::size_t clean = scalar::ascii_prefix(p, static_cast<std::size_t>(end - p));
        sv_catpvn(to, p, clean);
        p += clean;
        if (p == end) break;
        const character c = next(aTHX_ p, end);
        if (c.size == 0) Perl_croak(aTHX_ "Malformed UTF-8 string in a text that is encoded");
        if (c.value >= 0x10000) {
            const UV above = c.value - 0x10000;
            Perl_sv_catpvf(aTHX_ to, "\\u%" UVxf "\\u%" UVxf, above / 0x400 + 0xD800, above % 0x400 + 0xDC00);
        } else if (c.value >= limit) {
            escape_unit(aTHX_ to, c.value);
        } else if (o.utf8) {
            sv_catpvn(to, p, c.size);
        } else {
            const char byte = static_cast<char>(c.value);
            sv_catpvn(to, &byte, 1);
        }
        p += c.size;
    }
    return to;
}

// JSON::PP looks at no text; its flag is that of the pieces, or is set at the end, by release.
SV* finished_pp(pTHX_ scalar_output& out, const json_options& o, bool wide) {
    const bool narrow = o.ascii || o.latin1;
    if (narrow && scalar::ascii_prefix(out.data(), out.size()) != out.size())
        return rewritten_pp(aTHX_ out.data(), out.size(), o);
    SV* const sv = out.take();
    if (narrow || o.utf8) return sv;
    SvUTF8_on(sv);
    if (o.flags_characters ? o.shrink : !wide) sv_utf8_downgrade(sv, TRUE);
    return sv;
}

}  // namespace

SV* finished(pTHX_ scalar_output& out, const json_options& o, bool wide) {
    if (o.follows == rules::pp) return finished_pp(aTHX_ out, o, wide);
    const char* const p = out.data();
    const std::size_t n = out.size();
    SV* sv;
    const bool narrow = o.ascii || o.latin1 || o.binary;
    if (o.binary && (scalar::ascii_prefix(p, n) != n || std::memchr(p, '\\', n) != nullptr)) [[unlikely]]
        sv = binary(aTHX_ p, n);
    else if ((narrow && scalar::ascii_prefix(p, n) != n) || (wide && !narrow && !valid(p, n))) [[unlikely]]
        sv = rewritten(aTHX_ p, n, o);
    else
        sv = out.take();
    if (!narrow && !o.utf8) {
        SvUTF8_on(sv);
        // Mojo::JSON's text is what its pieces make of it; the modules say that theirs is characters.
        if (o.follows == rules::mojo && !wide) sv_utf8_downgrade(sv, TRUE);
    }
    if (o.shrink) {
        sv_utf8_downgrade(sv, TRUE);
        SvPV_shrink_to_cur(sv);
    }
    return sv;
}

}  // namespace kumihimo::inline v0::perl
