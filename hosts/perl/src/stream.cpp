// Documents out of a stream: bytes come in pieces, documents lie one behind the other in them and may be cut anywhere.
//
//      {"a":1}\n{"a":2}\n{"a"      :3}\n\n[4]
//      piece ------------------    piece -----
//
// A document inside one piece is read where it lies; only what a piece's end cuts is kept. lib/Kumihimo/Stream.pm asks
// for one document after the other, so that the documents before a broken one have all been handed on, and that a
// callback may leave as it likes. Pieces of a stream in a frame are unpacked first (engine/frame/plain_stream.hpp).
#include <algorithm>
#include <cstddef>
#include <new>
#include <string_view>

#include "engine/frame/plain_stream.hpp"

#include "any_row.hpp"
#include "module.hpp"
#include "partial.hpp"

namespace kumihimo::inline v0::perl {
namespace {

struct stream {
    ~stream() {
        dTHX;
        SvREFCNT_dec(pushed);
        SvREFCNT_dec(cut);
        SvREFCNT_dec(fields);
        if (begun) format->ends.release(state);
    }
    const format_row* format = nullptr;
    const void* dialect = nullptr;     // of the row
    const own_reading* own = nullptr;  // or a module's own way to read its format
    boundary_state state;
    bool begun = false;  // there is something in it
    value_options options;
    SV* fields = nullptr;  // a Kumihimo::Partial
    SV* pushed = nullptr;  // what came last, which `plain` looks at
    frame::plain_stream plain;
    bytes text;         // what it gave last, as far as it is not done
    SV* cut = nullptr;  // the beginning of a document whose end has not come yet
    std::size_t largest = 0;
    bool ended = false;
    bool broken = false;
    stream_place place;

    // What is in `pushed` now.
    void push() noexcept {
        text = {};
        plain.push({reinterpret_cast<const unsigned char*>(SvPVX_const(pushed)), SvCUR(pushed)});
    }
    std::size_t next(const char* p, std::size_t n) { return format->ends.next(state, p, n); }
    bool complete() const noexcept { return format->ends.complete(state); }
    bool started() const noexcept { return format->ends.started(state); }
    void restart() noexcept {
        if (begun) format->ends.release(state);
        format->ends.restart(state);
        begun = true;
    }
    // Moves the place behind what was passed.
    void pass(const char* p, std::size_t n) noexcept {
        const std::string_view passed(p, n);
        place.offset += n;
        if (!format->text) return;
        const std::size_t last = passed.rfind('\n');
        if (last == passed.npos) {
            place.columns += n;
        } else {
            place.lines += static_cast<std::size_t>(std::count(passed.begin(), passed.end(), '\n'));
            place.columns = n - 1 - last;
        }
    }
};

constexpr const char* class_name = "Kumihimo::Stream";
stream& stream_of(pTHX_ SV* self) { return native<stream>::of(aTHX_ self, class_name); }

// ---- the formats

// _formats(): their names.
XSPROTO(names_of_formats) {
    dXSARGS;
    if (items != 0) croak_xs_usage(cv, "");
    SP -= items;
    each_format([&](auto f) {
        constexpr std::string_view name = decltype(f)::name;
        XPUSHs(sv_2mortal(newSVpvn(name.data(), name.size())));
    });
    PUTBACK;
}

// ---- a stream

// _open($self): the options are in its hash.
XSPROTO(open_stream) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "self");
    HV* const hv = reinterpret_cast<HV*>(SvRV(ST(0)));
    stream* const s = new (std::nothrow) stream;
    if (s == nullptr) Perl_croak(aTHX_ "out of memory");
    native<stream>::attach(aTHX_ SvRV(ST(0)), s);
    s->cut = newSVpvs("");
    s->format = &format_option(aTHX_ hv);
    s->dialect = dialect_option(aTHX_ hv, *s->format);
    s->restart();
    if (!hv_exists(hv, "dialect", 7)) s->own = s->format->own;
    s->options.bignums = s->own == nullptr;
    (s->own != nullptr ? s->own->options : stream_options)(aTHX_ ST(0), s->options);
    if (SV** const keep = hv_fetchs(hv, "keep_binary", 0); keep != nullptr) s->options.keep_binary = SvTRUE(*keep);
    if (SV** const fields = hv_fetchs(hv, "partial", 0); fields != nullptr) {
        const partial& p = native<partial>::of(aTHX_ * fields, "Kumihimo::Partial");
        if (p.format != s->format)
            Perl_croak(aTHX_ "the paths are for %.*s, the stream is %.*s", static_cast<int>(p.format->name.size()),
                       p.format->name.data(), static_cast<int>(s->format->name.size()), s->format->name.data());
        s->fields = newSVsv(*fields);
    }
    s->largest = static_cast<std::size_t>(SvUV(*hv_fetchs(hv, "max_document", 1)));
    XSRETURN_EMPTY;
}

// The sentence goes into {error}: Stream.pm says it at its caller's line.
bool refuse(pTHX_ stream& s, SV* self, SV* sentence) {
    s.broken = true;
    (void)hv_stores(reinterpret_cast<HV*>(SvRV(self)), "error", sentence);
    return false;
}
bool refuse_large(pTHX_ stream& s, SV* self, const char* p, std::size_t n) {
    // White space before a document counts with it.
    if (SvCUR(s.cut) != 0) {
        p = SvPVX_const(s.cut);
        n = SvCUR(s.cut);
    }
    SV* const text = newSVpvs("a document at ");
    if (s.format->text) {
        s.pass(p, std::min(n, std::string_view(p, n).find_first_not_of(" \t\r\n")));
        sv_catpvf(text, "line %lu, ", static_cast<unsigned long>(s.place.lines + 1));
    }
    sv_catpvf(text, "byte %lu is larger than max_document: %lu bytes", static_cast<unsigned long>(s.place.offset),
              static_cast<unsigned long>(s.largest));
    return refuse(aTHX_ s, self, text);
}

// The value of a whole document into the caller's variable.
bool hand_over(pTHX_ stream& s, SV* self, SV* to, const char* p, std::size_t n) {
    s.restart();
    outcome out;
    if (s.fields != nullptr)
        out = read_partial(aTHX_ native<partial>::of(aTHX_ s.fields, "Kumihimo::Partial"),
                           reinterpret_cast<HV*>(SvRV(s.fields)), p, n, s.place);
    else if (s.own != nullptr)
        out = s.own->read(aTHX_ p, n, s.options, s.place);
    else
        out = s.format->read(aTHX_ p, n, s.dialect, s.options, s.place);
    if (out.error != nullptr) return refuse(aTHX_ s, self, out.error);
    s.pass(p, n);
    sv_setsv_mg(to, settled(aTHX_ out));
    return true;
}

bool last_of_cut(pTHX_ stream& s, SV* self, SV* to) {
    const bool made = hand_over(aTHX_ s, self, to, SvPVX_const(s.cut), SvCUR(s.cut));
    SvCUR_set(s.cut, 0);
    return made;
}

// More text of what was pushed; false where there is none, or no more can be had.
bool more_text(pTHX_ stream& s, SV* self) {
    if (s.plain.next(s.text) != errc::ok) return refuse(aTHX_ s, self, sentence_of(aTHX_ s.plain.said()));
    return !s.text.empty();
}

bool next_document(pTHX_ stream& s, SV* self, SV* to) {
    while (!s.text.empty() || more_text(aTHX_ s, self)) {
        const char* const p = reinterpret_cast<const char*>(s.text.data());
        const std::size_t used = s.next(p, s.text.size());
        const bool whole = s.complete();
        s.text = s.text.subspan(used);
        if (!whole && !s.started()) {
            s.pass(p, used);
            continue;
        }
        if (SvCUR(s.cut) + used > s.largest) return refuse_large(aTHX_ s, self, p, used);
        if (whole && SvCUR(s.cut) == 0) return hand_over(aTHX_ s, self, to, p, used);
        sv_catpvn(s.cut, p, used);
        if (whole) return last_of_cut(aTHX_ s, self, to);
    }
    return !s.broken && s.ended && s.started() && last_of_cut(aTHX_ s, self, to);
}

// _take($self, $value): the next document that is whole; false: there is an {error}, or another piece is needed, or,
// after _end, there is none.
XSPROTO(take) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "self, value");
    stream& s = stream_of(aTHX_ ST(0));
    ST(0) = boolSV(!s.broken && next_document(aTHX_ s, ST(0), ST(1)));
    XSRETURN(1);
}

// _push($self, $piece): bytes, once _take has said no.
XSPROTO(push_piece) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "self, piece");
    stream& s = stream_of(aTHX_ ST(0));
    STRLEN n;
    const char* const p = SvPVbyte(ST(1), n);
    if (s.pushed == nullptr) s.pushed = newSV(n + 1);
    sv_setpvn(s.pushed, p, n);
    s.push();
    XSRETURN_EMPTY;
}

XSPROTO(end_stream) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "self");
    stream& s = stream_of(aTHX_ ST(0));
    s.ended = true;
    s.plain.end();
    XSRETURN_EMPTY;
}

// _fill($self, $handle, size): a piece out of a handle with PerlIO's layers; false at its end. What a pipe or a socket
// has now is enough: documents are handed on as they come. Layers that say their bytes are characters have UTF-8 in
// their buffers.
XSPROTO(fill) {
    dXSARGS;
    if (items != 3) croak_xs_usage(cv, "self, handle, size");
    stream& s = stream_of(aTHX_ ST(0));
    const auto size = static_cast<std::size_t>(SvUV(ST(2)));
    PerlIO* const io = IoIFP(sv_2io(ST(1)));
    if (io == nullptr) {
        refuse(aTHX_ s, ST(0), newSVpvs("the handle is not open for reading"));
        XSRETURN_NO;
    }
    if (s.pushed == nullptr) s.pushed = newSV(size + 1);
    SvUPGRADE(s.pushed, SVt_PV);
    char* const to = SvGROW(s.pushed, size + 1);
    const int fd = PerlIO_fileno(io);
    Stat_t st;
    SSize_t n = 0;
    if (fd < 0 || (PerlLIO_fstat(fd, &st) == 0 && S_ISREG(st.st_mode))) {
        n = PerlIO_read(io, to, size);
    } else {
        errno = 0;
        const int first = PerlIO_getc(io);
        if (first != EOF) {
            to[n++] = static_cast<char>(first);
            const SSize_t ready = PerlIO_get_cnt(io);
            if (ready > 0) n += std::max<SSize_t>(0, PerlIO_read(io, to + 1, std::min<std::size_t>(ready, size - 1)));
        }
    }
    if (n < 0 || (n == 0 && PerlIO_error(io) != 0)) {
        refuse(aTHX_ s, ST(0), newSVpvf("cannot read: %s", Strerror(errno)));
        XSRETURN_NO;
    }
    SvPOK_only(s.pushed);
    SvCUR_set(s.pushed, static_cast<STRLEN>(n));
    s.push();
    ST(0) = boolSV(n > 0);
    XSRETURN(1);
}

}  // namespace

void init_stream(pTHX) {
    newXS("Kumihimo::Stream::_formats", names_of_formats, __FILE__);
    newXS("Kumihimo::Stream::_open", open_stream, __FILE__);
    newXS("Kumihimo::Stream::_take", take, __FILE__);
    newXS("Kumihimo::Stream::_push", push_piece, __FILE__);
    newXS("Kumihimo::Stream::_end", end_stream, __FILE__);
    newXS("Kumihimo::Stream::_fill", fill, __FILE__);
}

}  // namespace kumihimo::inline v0::perl
