// Documents out of a stream: bytes come in pieces, documents lie one behind the other in them and may be cut anywhere.
//
//      {"a":1}\n{"a":2}\n{"a"      :3}\n\n[4]
//      piece ------------------    piece -----
//
// A document inside one piece is read where it lies; only what a piece's end cuts is kept. lib/Kumihimo/Stream.pm asks for one
// document after the other, so that the documents before a broken one have all been handed on, and that a callback may leave
// as it likes.
#include <algorithm>
#include <cstddef>
#include <new>
#include <string_view>
#include <type_traits>

#include "engine/json/boundary.hpp"
#include "engine/msgpack/boundary.hpp"

#include "message_pack.hpp"
#include "module.hpp"
#include "partial.hpp"

namespace kumihimo::inline v0::perl {
namespace {

struct stream;

/// Where the document under way ends: the state of a format's boundary (engine/<format>/boundary.hpp), whichever it is.
struct boundary_state {
    alignas(std::max_align_t) unsigned char of[64];
};
struct boundary_verbs {
    void (*restart)(boundary_state&) noexcept;
    std::size_t (*next)(boundary_state&, const char* p, std::size_t n);
    bool (*complete)(const boundary_state&) noexcept;
    bool (*started)(const boundary_state&) noexcept;
};
template <class Boundary>
constexpr boundary_verbs verbs_of() {
    static_assert(sizeof(Boundary) <= sizeof(boundary_state) && std::is_trivially_destructible_v<Boundary>);
    return {[](boundary_state& s) noexcept { new (s.of) Boundary; },
            [](boundary_state& s, const char* p, std::size_t n) {
                return std::launder(reinterpret_cast<Boundary*>(s.of))->next(p, n);
            },
            [](const boundary_state& s) noexcept -> bool {
                return std::launder(reinterpret_cast<const Boundary*>(s.of))->complete;
            },
            [](const boundary_state& s) noexcept -> bool {
                return std::launder(reinterpret_cast<const Boundary*>(s.of))->started();
            }};
}

/// What a format is to a stream; `formats` has a row of each.
struct format {
    const char* name;
    bool text;  // it has lines, and white space between documents
    boundary_verbs ends;
    void (*options)(pTHX_ SV* self, value_options& to);
    /// A whole document. An error names its place in the stream.
    outcome (*read)(pTHX_ const stream& s, const char* p, std::size_t n);
    /// The same, but only what the paths of {partial} lead to; null where paths are not for the format.
    outcome (*fields)(pTHX_ const stream& s, const char* p, std::size_t n);
};

struct stream {
    ~stream() {
        dTHX;
        SvREFCNT_dec(piece);
        SvREFCNT_dec(cut);
        SvREFCNT_dec(fields);
    }
    const format* as = nullptr;
    boundary_state state;
    value_options options;
    SV* fields = nullptr;  // a Kumihimo::Partial
    SV* piece = nullptr;   // what came last
    std::size_t at = 0;    // how much of it is done
    SV* cut = nullptr;     // the beginning of a document whose end has not come yet
    std::size_t largest = 0;
    bool ended = false;
    bool broken = false;
    stream_place place;

    std::size_t next(const char* p, std::size_t n) { return as->ends.next(state, p, n); }
    bool complete() const noexcept { return as->ends.complete(state); }
    bool started() const noexcept { return as->ends.started(state); }
    void restart() noexcept { as->ends.restart(state); }
    // Moves the place behind what was passed.
    void pass(const char* p, std::size_t n) noexcept {
        const std::string_view passed(p, n);
        place.offset += n;
        if (!as->text) return;
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
stream& of(pTHX_ SV* self) { return native<stream>::of(aTHX_ self, class_name); }

// ---- the formats

void json_options_of(pTHX_ SV* self, value_options& to) {
    read_value_options(aTHX_ reinterpret_cast<HV*>(SvRV(self)), to.build);
}
outcome read_json(pTHX_ const stream& s, const char* p, std::size_t n) {
    return read_document(aTHX_ p, n, s.options.build, s.place);
}
outcome read_json_fields(pTHX_ const stream& s, const char* p, std::size_t n) {
    return read_partial(aTHX_ native<partial>::of(aTHX_ s.fields, "Kumihimo::Partial"), reinterpret_cast<HV*>(SvRV(s.fields)),
                        p, n, s.place);
}
outcome read_msgpack(pTHX_ const stream& s, const char* p, std::size_t n) {
    outcome out = read_message(aTHX_ p, n, s.options);
    if (out.error != nullptr) {
        out.error = newSVpvf("in the document at byte %lu: %" SVf, static_cast<unsigned long>(s.place.offset),
                             SVfARG(sv_2mortal(out.error)));
    }
    return out;
}

constexpr format formats[] = {
    {"json", true, verbs_of<json::boundary>(), json_options_of, read_json, read_json_fields},
    {"msgpack", false, verbs_of<msgpack::boundary>(), read_unpack_options, read_msgpack, nullptr},
};

// _formats(): each format's name, and whether paths are for it.
XSPROTO(names_of_formats) {
    dXSARGS;
    if (items != 0) croak_xs_usage(cv, "");
    SP -= items;
    EXTEND(SP, static_cast<SSize_t>(2 * std::size(formats)));
    for (const format& f : formats) {
        PUSHs(sv_2mortal(newSVpv(f.name, 0)));
        PUSHs(boolSV(f.fields != nullptr));
    }
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
    const char* const name = SvPV_nolen(*hv_fetchs(hv, "format", 1));
    for (const format& f : formats)
        if (strEQ(name, f.name)) s->as = &f;
    if (s->as == nullptr) Perl_croak(aTHX_ "%s is no format", name);
    s->restart();
    s->as->options(aTHX_ ST(0), s->options);
    if (SV** const fields = hv_fetchs(hv, "partial", 0); fields != nullptr) {
        if (s->as->fields == nullptr) Perl_croak(aTHX_ "partial is not for %s", name);
        (void)native<partial>::of(aTHX_ * fields, "Kumihimo::Partial");
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
    if (s.as->text) {
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
    const outcome out = (s.fields != nullptr ? s.as->fields : s.as->read)(aTHX_ s, p, n);
    if (out.error != nullptr) return refuse(aTHX_ s, self, out.error);
    s.pass(p, n);
    sv_setsv_mg(to, sv_2mortal(out.made));
    return true;
}

bool last_of_cut(pTHX_ stream& s, SV* self, SV* to) {
    const bool made = hand_over(aTHX_ s, self, to, SvPVX_const(s.cut), SvCUR(s.cut));
    SvCUR_set(s.cut, 0);
    return made;
}

bool next_document(pTHX_ stream& s, SV* self, SV* to) {
    while (s.piece != nullptr && s.at < SvCUR(s.piece)) {
        const char* const p = SvPVX_const(s.piece) + s.at;
        const std::size_t used = s.next(p, SvCUR(s.piece) - s.at);
        const bool whole = s.complete();
        s.at += used;
        if (!whole && !s.started()) {
            s.pass(p, used);
            continue;
        }
        if (SvCUR(s.cut) + used > s.largest) return refuse_large(aTHX_ s, self, p, used);
        if (whole && SvCUR(s.cut) == 0) return hand_over(aTHX_ s, self, to, p, used);
        sv_catpvn(s.cut, p, used);
        if (whole) return last_of_cut(aTHX_ s, self, to);
    }
    return s.ended && s.started() && last_of_cut(aTHX_ s, self, to);
}

// _take($self, $value): the next document that is whole; false: there is an {error}, or another piece is needed, or, after
// _end, there is none.
XSPROTO(take) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "self, value");
    stream& s = of(aTHX_ ST(0));
    ST(0) = boolSV(!s.broken && next_document(aTHX_ s, ST(0), ST(1)));
    XSRETURN(1);
}

// _push($self, $piece): bytes, once _take has said no.
XSPROTO(push_piece) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "self, piece");
    stream& s = of(aTHX_ ST(0));
    STRLEN n;
    const char* const p = SvPVbyte(ST(1), n);
    if (s.piece == nullptr) s.piece = newSV(n + 1);
    sv_setpvn(s.piece, p, n);
    s.at = 0;
    XSRETURN_EMPTY;
}

XSPROTO(end_stream) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "self");
    of(aTHX_ ST(0)).ended = true;
    XSRETURN_EMPTY;
}

// _fill($self, $handle, size): a piece out of a handle with PerlIO's layers; false at its end. What a pipe or a socket has now
// is enough: documents are handed on as they come. Layers that say their bytes are characters have UTF-8 in their buffers.
XSPROTO(fill) {
    dXSARGS;
    if (items != 3) croak_xs_usage(cv, "self, handle, size");
    stream& s = of(aTHX_ ST(0));
    const auto size = static_cast<std::size_t>(SvUV(ST(2)));
    PerlIO* const io = IoIFP(sv_2io(ST(1)));
    if (io == nullptr) {
        refuse(aTHX_ s, ST(0), newSVpvs("the handle is not open for reading"));
        XSRETURN_NO;
    }
    if (s.piece == nullptr) s.piece = newSV(size + 1);
    SvUPGRADE(s.piece, SVt_PV);
    char* const to = SvGROW(s.piece, size + 1);
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
    SvPOK_only(s.piece);
    SvCUR_set(s.piece, static_cast<STRLEN>(n));
    s.at = 0;
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
