#include "incremental.hpp"

#include "decode.hpp"

namespace kumihimo::inline v0::perl {

namespace {

using mode = incremental::mode;

void refuse_while_busy(pTHX_ const incremental& s) {
    if (s.busy) Perl_croak(aTHX_ "a callback of the incremental parser cannot use the same parser");
}

void begin_again(incremental& s) noexcept {
    s.at = 0;
    s.nest = 0;
    s.inside = mode::blank;
}

// The modules' own idea of what may stand between values: all control characters, and all bytes beyond ASCII.
bool blank(char c) noexcept { return static_cast<signed char>(c) <= 0x20; }
bool in_word(char c) noexcept { return c != '\0' && std::strchr("alrsue", c) != nullptr; }
bool in_number(char c) noexcept { return (c >= '0' && c <= '9') || (c != '\0' && std::strchr("+-.eE", c) != nullptr); }

/// Goes on until a value has ended or the text has, or to a NUL, which the modules take for the text's end. Croaks
/// when too much is open; nothing has moved then.
void scan(pTHX_ incremental& s, const json_options& o) {
    const char* const begin = SvPVX_const(s.text);
    const char* const end = begin + SvCUR(s.text);
    const char* p = begin + s.at;
    const auto more = [&] { return p != end && *p != '\0'; };
    std::int64_t nest = s.nest;
    mode in = s.inside;
    const bool scalars = o.follows != rules::cpanel;
    bool ended = false;
    while (!ended) {
        switch (in) {
            case mode::blank:
                while (more() && blank(*p)) ++p;
                if (!more())
                    ended = true;
                else
                    in = *p == '#' ? mode::comment_before : mode::json;
                break;
            case mode::comment_before:
            case mode::comment:
                while (more() && *p != '\n') ++p;
                if (!more())
                    ended = true;
                else
                    in = in == mode::comment_before ? mode::blank : mode::json;
                break;
            case mode::backslash:
                if (!more()) {
                    ended = true;
                    break;
                }
                ++p;
                in = mode::string;
                [[fallthrough]];
            case mode::string:
                while (more() && *p != '"' && *p != '\\') ++p;
                if (!more()) {
                    ended = true;
                } else if (*p++ == '\\') {
                    in = mode::backslash;
                } else {
                    in = mode::json;
                    ended = nest <= 0;
                }
                break;
            case mode::word:
                while (more() && in_word(*p)) ++p;
                in = mode::json;
                ended = nest <= 0;
                break;
            case mode::number:
                while (more() && in_number(*p)) ++p;
                in = mode::json;
                ended = nest <= 0;
                break;
            case mode::json:
                if (!more()) {
                    ended = true;
                    break;
                }
                switch (const char c = *p++; c) {
                    case ' ':
                    case '\t':
                    case '\n':
                    case '\r':
                        if (nest <= 0) {
                            --p;  // the next value's
                            ended = true;
                        }
                        break;
                    case 't':
                    case 'f':
                    case 'n':
                        if (scalars) in = mode::word;
                        break;
                    case '"': in = mode::string; break;
                    case '[':
                    case '{':
                    case '(':
                        if (++nest > static_cast<std::int64_t>(o.max_depth))
                            Perl_croak(aTHX_
                                       "json text or perl structure exceeds maximum nesting level (max_depth set too low?)");
                        break;
                    case ']':
                    case '}': ended = --nest <= 0; break;
                    case ')': --nest; break;
                    case '#': in = mode::comment; break;
                    default:
                        if (scalars && (c == '-' || (c >= '0' && c <= '9'))) in = mode::number;
                }
        }
    }
    s.at = static_cast<STRLEN>(p - begin);
    s.nest = nest;
    s.inside = in;
}

/// The text as a plain string of its own: incr_text may have been assigned anything.
void make_plain(pTHX_ incremental& s) {
    if (s.text == nullptr) s.text = newSVpvs("");
    if (!SvOK(s.text)) sv_setpvs(s.text, "");
    STRLEN n;
    (void)SvPV_force(s.text, n);
    if (s.at > n) begin_again(s);
}

/// Bytes or characters, as `o` says now. The place moves along.
void recode(pTHX_ incremental& s, const json_options& o) {
    const auto* const begin = reinterpret_cast<const U8*>(SvPVX_const(s.text));
    const U8* const stop = begin + s.at;
    const bool octets = o.utf8;
    if (octets == !SvUTF8(s.text)) return;
    STRLEN moved = 0;
    if (octets) {
        for (const U8* p = begin; p != stop; ++p) moved += (*p & 0xC0) != 0x80;
        sv_utf8_downgrade(s.text, FALSE);
    } else {
        moved = s.at;
        for (const U8* p = begin; p != stop; ++p) moved += *p >= 0x80;
        sv_utf8_upgrade(s.text);
    }
    s.at = moved;
}

void append(pTHX_ incremental& s, SV* piece) {
    if (SvGMAGICAL(piece) || !SvPOK(piece)) {
        // Perl code may run, and reset the object.
        SvGETMAGIC(piece);
        STRLEN n;
        const char* const p = SvPV_nomg_const(piece, n);
        piece = newSVpvn_flags(p, n, SVs_TEMP | (SvUTF8(piece) ? SVf_UTF8 : 0));
        if (s.text == nullptr) s.text = newSVpvs("");
    }
    if (SvUTF8(piece) && !SvUTF8(s.text)) {
        SV* const octets = sv_newmortal();
        sv_setsv_nomg(octets, piece);
        sv_utf8_downgrade(octets, FALSE);
        piece = octets;
    }
    sv_catsv_nomg(s.text, piece);  // grows by a part of what is there: many small pieces stay linear
}

/// The value and what an error shows behind it. decode() reads a copy, as Perl code that it runs could get at the
/// text; copies of all that is left, one for each value, would not be linear.
SV* own_copy(pTHX_ const incremental& s) {
    constexpr STRLEN shown = 20 * UTF8_MAXBYTES;
    const STRLEN left = SvCUR(s.text) - s.at;
    SV* const copy = sv_2mortal(newSVpvn(SvPVX_const(s.text), s.at + (left < shown ? left : shown)));
    if (SvUTF8(s.text)) SvUTF8_on(copy);
    return copy;
}

bool begins_with_mark(const incremental& s) {
    const auto* const p = reinterpret_cast<const unsigned char*>(SvPVX_const(s.text));
    return SvCUR(s.text) != 0 && (*p >= 0xEF || *p == 0);
}

}  // namespace

I32 incr_parse(pTHX_ incremental& s, const json_options& o, SV* piece, U8 gimme) {
    refuse_while_busy(aTHX_ s);
    make_plain(aTHX_ s);
    recode(aTHX_ s, o);
    if (piece != nullptr) append(aTHX_ s, piece);
    if (gimme == G_VOID) return 0;
    json_options one = o;
    one.max_size = 0;  // of a value, not of all that has arrived
    I32 pushed = 0;
    do {
        if (!s.whole()) {
            scan(aTHX_ s, o);
            if (o.max_size != 0 && s.at > o.max_size)
                Perl_croak(aTHX_ "attempted decode of JSON text of %lu bytes size, but max_size is set to %lu",
                           static_cast<unsigned long>(s.at), static_cast<unsigned long>(o.max_size));
            if (!s.whole()) {
                // White space alone is not kept.
                if (s.inside == mode::blank && s.at != 0) {
                    begin_again(s);
                    SvCUR_set(s.text, 0);
                    *SvPVX(s.text) = '\0';
                }
                break;
            }
        }
        // A byte order mark belongs before a file, not between the values of a stream: refused, by the rules that know
        // none.
        one.follows = o.follows == rules::cpanel && begins_with_mark(s) ? rules::xs : o.follows;
        std::size_t used = 0;
        ENTER;
        SAVETMPS;
        SAVEBOOL(s.busy);
        s.busy = true;
        SV* const value = decode(aTHX_ own_copy(aTHX_ s), one, &used);
        SvREFCNT_inc_simple_void_NN(value);
        FREETMPS;
        LEAVE;
        dSP;
        XPUSHs(sv_2mortal(value));
        PUTBACK;
        ++pushed;
        begin_again(s);
        sv_chop(s.text, SvPVX_const(s.text) + used);
    } while (gimme == G_ARRAY);
    return pushed;
}

SV* incr_text(pTHX_ incremental& s) {
    if (s.at != 0) Perl_croak(aTHX_ "incr_text can not be called when the incremental parser already started parsing");
    return s.text != nullptr ? s.text : &PL_sv_undef;
}

void incr_skip(pTHX_ incremental& s) {
    refuse_while_busy(aTHX_ s);
    if (s.at == 0) return;
    make_plain(aTHX_ s);
    sv_chop(s.text, SvPVX_const(s.text) + s.at);
    begin_again(s);
}

void incr_reset(pTHX_ incremental& s) {
    refuse_while_busy(aTHX_ s);
    SvREFCNT_dec(s.text);
    s.text = nullptr;
    begin_again(s);
}

}  // namespace kumihimo::inline v0::perl
