#include "engine/core/null.hpp"
#include "engine/scalar/utf8.hpp"

#include "exact_read.hpp"

namespace kumihimo::inline v0::perl {

namespace {

std::size_t characters(const char* p, const char* end) noexcept {
    std::size_t n = 0;
    for (; p != end; ++p) n += (static_cast<unsigned char>(*p) & 0xC0) != 0x80;
    return n;
}

/// Up to 20 characters of [p, end) as a Perl string would be written.
SV* shown(pTHX_ const char* p, const char* end) {
    SV* const to = sv_newmortal();
    // Malformed text makes the function warn; what it is called for says the same better.
    COP silent = *PL_curcop;
    silent.cop_warnings = pWARN_NONE;
    ENTER;
    SAVEVPTR(PL_curcop);
    PL_curcop = &silent;
    pv_uni_display(to, reinterpret_cast<const U8*>(p), static_cast<STRLEN>(end - p), 20, UNI_DISPLAY_QQ);
    LEAVE;
    return to;
}

/// Mojo's place: " at line 2, offset 7". It counts lines as Perl's split makes them, which drops empty ones at the
/// end, and takes a line that is just "0" for an empty one.
void add_line(pTHX_ SV* to, const char* begin, const char* at) {
    while (at != begin && at[-1] == '\n') --at;
    const char* line = at;
    while (line != begin && line[-1] != '\n') --line;
    std::size_t number = at == begin ? 0 : 1;
    for (const char* p = begin; p != line; ++p) number += *p == '\n';
    const bool zero = at - line == 1 && *line == '0';
    Perl_sv_catpvf(aTHX_ to, " at line %" UVuf ", offset %" UVuf, static_cast<UV>(number),
                   static_cast<UV>(zero ? 0 : characters(line, at)));
}

SV* mojo_message(pTHX_ const exact_result& r, const char* begin, const char* end) {
    SV* const to = sv_2mortal(newSVpvf(r.placed ? "Malformed JSON: %s" : "%s", r.what));
    if (!r.placed) return to;
    if (r.at_end)
        sv_catpvs(to, " before end of data");
    else
        add_line(aTHX_ to, begin, begin + std::min(r.offset, static_cast<std::size_t>(end - begin)));
    return to;
}

/// Of a sink that refused, without a sentence.
const char* sentence_of(errc code) noexcept {
    switch (code) {
        case errc::memory: return "out of memory";
        case errc::duplicate: return "Duplicate keys not allowed";
        default: return "this value cannot be made here";
    }
}

/// Whether the text was read by the grammar that all rule sets have in common.
bool is_plain(const json_options& o) noexcept {
    return !o.relaxed && !o.allow_singlequote && !o.allow_barekey && !o.allow_tags && !o.binary;
}

SV* clear_message(pTHX_ const exact_result& r, const char* begin, const char* end, const json_options& o) {
    if (end - begin >= 3 && std::memcmp(begin, "\xEF\xBB\xBF", 3) == 0) begin += 3;
    const bool grammar = r.code == errc::syntax || r.code == errc::truncated || r.code == errc::trailing ||
                         r.code == errc::encoding || r.code == errc::depth;
    if (grammar && is_plain(o)) {
        json_options mojo;
        mojo.follows = rules::mojo;
        mojo.utf8 = o.utf8;
        mojo.max_depth = o.max_depth;
        null_sink nowhere;
        const exact_result again = exact_read(aTHX_ begin, end, mojo, false, nowhere);
        if (again.code != errc::ok) return mojo_message(aTHX_ again, begin, end);
    }
    // Mojo would have read it: its form around the other's words.
    SV* const to = sv_2mortal(newSVpvf("Malformed JSON: %s", r.what));
    char& first = *(SvPVX(to) + std::strlen("Malformed JSON: "));
    if (first >= 'a' && first <= 'z') first = static_cast<char>(first - 'a' + 'A');
    add_line(aTHX_ to, begin, begin + std::min(r.offset, static_cast<std::size_t>(end - begin)));
    return to;
}

[[noreturn]] void croak_mark(pTHX_ const char* encoding, std::size_t offset) {
    Perl_croak(aTHX_ "malformed %s character in JSON text, at byte offset %" UVuf, encoding, static_cast<UV>(offset));
}

/// UTF-16 or UTF-32 behind its mark, as UTF-8.
SV* transcoded(pTHX_ const char* begin, const char* end, unsigned width, bool big_endian) {
    const char* const encoding = width == 2 ? "UTF-16" : "UTF-32";
    const auto bytes = static_cast<std::size_t>(end - begin);
    SV* const to = sv_2mortal(newSV(bytes * 2 + 1));  // U+0800 and up: two bytes become three
    char* out = SvPVX(to);
    const auto unit = [&](std::size_t offset) {
        char32_t c = 0;
        for (unsigned i = 0; i < width; ++i)
            c = c << 8 | static_cast<unsigned char>(begin[offset + (big_endian ? i : width - 1 - i)]);
        return c;
    };
    for (std::size_t offset = width; offset < bytes; offset += width) {
        if (bytes - offset < width) croak_mark(aTHX_ encoding, offset);
        char32_t c = unit(offset);
        if (width == 2 && (c & 0xFC00) == 0xD800 && bytes - offset >= 4 && (unit(offset + 2) & 0xFC00) == 0xDC00) {
            offset += 2;
            c = 0x10000 + ((c - 0xD800) << 10) + (unit(offset) - 0xDC00);
        }
        if ((c & 0xFFFFF800) == 0xD800 || c > 0x10FFFF) croak_mark(aTHX_ encoding, offset);
        out = scalar::encode_utf8(out, c);
    }
    *out = '\0';
    SvCUR_set(to, out - SvPVX(to));
    SvPOK_only(to);
    SvUTF8_on(to);
    return to;
}

}  // namespace

SV* read_message(pTHX_ const exact_result& r, SV* text, const json_options& o) {
    const char* const begin = SvPVX(text);
    const char* const end = begin + SvCUR(text);
    exact_result said = r;
    if (said.what == nullptr) said.what = sentence_of(r.code);
    if (o.follows == rules::mojo) return mojo_message(aTHX_ said, begin, end);
    if (!said.placed) return sv_2mortal(newSVpv(said.what, 0));
    if (o.clear_messages) return clear_message(aTHX_ said, begin, end, o);
    const std::size_t size = SvCUR(text);
    const char* const at = begin + std::min(said.offset, size);
    const std::size_t index = (SvUTF8(text) ? characters(begin, at) : said.offset) + (SvUTF8(text) && said.offset > size);
    SV* const to = sv_2mortal(newSVpvf("%s, at character offset %" UVuf, said.what, static_cast<UV>(index)));
    if (at != end)
        Perl_sv_catpvf(aTHX_ to, " (before \"%" SVf "\")", SVfARG(shown(aTHX_ at, end)));
    else if (o.follows == rules::xs)
        sv_catpvs(to, " (before \"(end of string)\")");
    return to;
}

void croak_read(pTHX_ const exact_result& r, SV* text, const json_options& o) {
    SV* const message = read_message(aTHX_ r, text, o);
    // Mojo::JSON dies by Carp, which names the place and no file that is being read.
    if (o.follows == rules::mojo)
        Perl_sv_catpvf(aTHX_ message, " at %s line %lu.\n", CopFILE(PL_curcop), static_cast<unsigned long>(CopLINE(PL_curcop)));
    croak_sv(message);
    abort();
}

void check_size(pTHX_ std::size_t size, const json_options& o) {
    if (o.max_size == 0 || size <= o.max_size) return;
    Perl_croak(aTHX_ "attempted decode of JSON text of %lu bytes size, but max_size is set to %lu",
               static_cast<unsigned long>(size), static_cast<unsigned long>(o.max_size));
}

SV* without_mark(pTHX_ SV* text, const json_options& o) {
    const char* const begin = SvPVX(text);
    const std::size_t size = SvCUR(text);
    const char* const end = begin + size;
    const auto starts = [&](const char* mark, std::size_t n) { return size >= n && std::memcmp(begin, mark, n) == 0; };
    if (size < 3) return nullptr;
    if (starts("\xEF\xBB\xBF", 3)) {
        if (SvUTF8(text) && !o.utf8) return nullptr;
        SV* const octets = sv_2mortal(newSVpvn(begin, size));
        SvUTF8_on(octets);
        return octets;
    }
    if (SvUTF8(text)) return nullptr;
    if (starts("\xFF\xFE\0\0", 4)) return transcoded(aTHX_ begin, end, 4, false);
    if (starts("\0\0\xFE\xFF", 4)) return transcoded(aTHX_ begin, end, 4, true);
    if (starts("\xFF\xFE", 2)) return transcoded(aTHX_ begin, end, 2, false);
    if (starts("\xFE\xFF", 2)) return transcoded(aTHX_ begin, end, 2, true);
    return nullptr;
}

}  // namespace kumihimo::inline v0::perl
