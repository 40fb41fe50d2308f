// Lazy: a document that was read and checked, and becomes Perl values only where it is touched (engine/tape).
//
//      Kumihimo::Lazy  ----+
//      Kumihimo::Lazy  ----+-->  document:  its text (a scalar of ours), its tape
//      Kumihimo::Lazy  ----+     a Lazy is a place on the tape; scalars are made when they are asked for
//
// A place shows itself as a hash or an array by a tied one, whose other end is a place of its own: no circle keeps it
// alive.
#include <bit>
#include <charconv>
#include <string>
#include <string_view>

#include "engine/core/path_text.hpp"
#include "engine/json/format.hpp"

#include "frames.hpp"
#include "lazy_document.hpp"
#include "module.hpp"
#include "native.hpp"

#ifndef G_LIST
#define G_LIST G_ARRAY  // its name before perl 5.36
#endif

namespace kumihimo::inline v0::perl {
namespace {

struct here;
using lazy_builder = any_builder_of<here>;

struct lazy {
    lazy(lazy_document* d, tape::cursor c) noexcept : document(d), at(c) { ++document->users; }
    lazy(const lazy&) = delete;
    lazy& operator=(const lazy&) = delete;
    ~lazy() {
        dTHX;
        SvREFCNT_dec(shown);
        if (--document->users == 0) delete document;
    }
    lazy_document* document;
    tape::cursor at;
    SV* shown = nullptr;         // the tied hash or array, once somebody asked for it
    tape::cursor step;           // of a walk over the keys
    std::size_t last_index = 0;  // the element that was asked for last, and its place
    tape::cursor last;
};

constexpr const char* class_name = "Kumihimo::Lazy";
lazy& lazy_of(pTHX_ SV* self) { return native<lazy>::of(aTHX_ self, class_name); }

bool is_map(tape::cursor c) { return c.is(tape::kind::map); }
bool is_array(tape::cursor c) { return c.is(tape::kind::array); }

// ---- where a place is

/// "$.asks[3]": a mortal. Looked for from the root: only errors and path() ask.
[[gnu::noinline]] SV* path_of(pTHX_ const lazy_document& d, std::size_t wanted, bool pointer) {
    std::string path;
    try {
        if (!pointer) path = "$";
        tape::cursor c(d.view);
        while (c && c.index() != wanted) {
            const bool map = is_map(c);
            std::size_t i = 0;
            tape::cursor child = c.first();
            for (; child; child = child.next(), ++i) {
                char room[scalar::integer_room];
                const text key = map ? text_of_key(d, child, room) : text();
                if (map) child = child.next();
                const tape::node& n = d.view.nodes[child.index()];
                const std::size_t last = n.container() ? static_cast<std::size_t>(n.payload) : child.index();
                if (wanted > last) continue;
                if (pointer) {
                    path += '/';
                    if (map) {
                        for (const char b : key.view()) {
                            if (b == '~' || b == '/')
                                path += b == '~' ? "~0" : "~1";
                            else
                                path += b;
                        }
                    } else {
                        path += std::to_string(i);
                    }
                } else if (map) {
                    add_key(path, key.view());
                } else {
                    add_index(path, i);
                }
                break;
            }
            c = child;
        }
    } catch (const std::bad_alloc&) {
        path.clear();  // without a place rather than without a word
    }
    SV* const sv = sv_2mortal(newSVpvn(path.data(), path.size()));
    sv_utf8_decode(sv);
    return sv;
}

[[noreturn]] void refuse(pTHX_ const lazy_document& d, tape::cursor at, const char* wanted) {
    const bool vowel = is_map(at) || is_array(at);
    Perl_croak(aTHX_ "%" SVf " is %s %s, not %s", SVfARG(path_of(aTHX_ d, at.index(), false)), vowel ? "an" : "a",
               tape::name_of(at.is()), wanted);
    abort();
}
void want_map(pTHX_ const lazy& l) {
    if (!is_map(l.at)) refuse(aTHX_ * l.document, l.at, "an object");
}
void want_array(pTHX_ const lazy& l) {
    if (!is_array(l.at)) refuse(aTHX_ * l.document, l.at, "an array");
}
void want_container(pTHX_ const lazy& l) {
    if (!is_map(l.at) && !is_array(l.at)) refuse(aTHX_ * l.document, l.at, "an object or an array");
}

// ---- places to Perl values

// A frame of its own: what has a destructor is gone when it returns, and built() may croak.
[[gnu::noinline]] outcome play(pTHX_ const lazy_document& d, tape::cursor at) {
    context ctx;
    lazy_builder to(aTHX_ ctx, d.options);
    tape::player from = at.play();
    return to.result(from.feed(to));
}
SV* built(pTHX_ const lazy_document& d, tape::cursor at) {
    const outcome out = play(aTHX_ d, at);
    if (out.bigs != nullptr) {
        // Perl code may let go of the document: nothing of it is needed any more.
        SV* const made = settled(aTHX_ out);
        return SvREFCNT_inc_simple_NN(made);
    }
    if (out.made != nullptr) return out.made;
    Perl_croak(aTHX_ "%" SVf ": %" SVf, SVfARG(path_of(aTHX_ d, at.index(), false)), SVfARG(sv_2mortal(out.error)));
    abort();
}

SV* place(pTHX_ lazy_document* d, tape::cursor at, const char* package) {
    lazy* const l = new (std::nothrow) lazy(d, at);
    if (l == nullptr) Perl_croak(aTHX_ "out of memory");
    SV* const referent = newSV_type(SVt_PVMG);
    native<lazy>::attach(aTHX_ referent, l);
    SV* const rv = newRV_noinc(referent);
    sv_bless(rv, gv_stashpv(package, GV_ADD));
    return rv;
}

/// The caller's to count.
SV* shown(pTHX_ const lazy& l, tape::cursor at) {
    if (!at) return newSV(0);
    return is_map(at) || is_array(at) ? place(aTHX_ l.document, at, class_name) : built(aTHX_ * l.document, at);
}

/// The caller's to count.
SV* key_of(pTHX_ const lazy_document& d, tape::cursor key) {
    char room[scalar::integer_room];
    text t = text_of_key(d, key, room);
    if (t.data == nullptr) {
        if (!key.is(tape::kind::f64)) refuse(aTHX_ d, key, "a key that Perl's hashes can have");
        SV* const made = sv_2mortal(built(aTHX_ d, key));
        STRLEN n;
        const char* const p = SvPV_const(made, n);
        return newSVpvn(p, n);
    }
    return newSVpvn_flags(static_cast<const char*>(t.data), t.size, t.charset == encoding::utf8 ? SVf_UTF8 : 0);
}

// ---- finding

/// Of equal keys the last.
tape::cursor named(pTHX_ const lazy_document& d, tape::cursor at, std::string_view name) {
    if (!d.other_keys) [[likely]]
        return at[name];
    tape::cursor found;
    for (tape::cursor k = at.first(); k; k = k.next().next()) {
        if (is_map(k) || is_array(k) || k.is(tape::kind::time) || k.is(tape::kind::ext)) continue;
        SV* const key = sv_2mortal(key_of(aTHX_ d, k));
        STRLEN n;
        const char* const p = SvPVutf8(key, n);
        if (name == std::string_view(p, n)) found = k.next();
    }
    return found;
}
tape::cursor member(pTHX_ const lazy_document& d, tape::cursor at, SV* key) {
    STRLEN n;
    const char* const p = SvPVutf8(SvUTF8(key) && SvPOK(key) ? key : sv_2mortal(newSVsv(key)), n);
    return named(aTHX_ d, at, std::string_view(p, n));
}

// An array is usually walked forwards, by index too: `hint`, where there is one, goes on from where the last one was
// found.
tape::cursor element(lazy_document& d, tape::cursor at, IV i, lazy* hint) {
    const auto n = static_cast<IV>(at.size());
    if (i < 0) i += n;
    if (i < 0 || i >= n) return {};
    const auto wanted = static_cast<std::size_t>(i);
    tape::cursor c;
    if (hint != nullptr && hint->last && hint->last_index <= wanted &&
        wanted - hint->last_index <= tape::element_marks::every) {
        c = hint->last;
        for (std::size_t k = hint->last_index; k < wanted; ++k) c = c.next();
    } else {
        c = d.marks.find(d.view, at, wanted);
    }
    if (hint != nullptr) {
        hint->last = c;
        hint->last_index = wanted;
    }
    return c;
}

tape::cursor find(pTHX_ lazy_document& d, tape::cursor at, SV* step, lazy* hint = nullptr) {
    if (is_map(at)) return member(aTHX_ d, at, step);
    if (!is_array(at)) refuse(aTHX_ d, at, "an object or an array");
    if (!looks_like_number(step)) {
        Perl_croak(aTHX_ "%" SVf " is an array: an index is needed, not \"%" SVf "\"",
                   SVfARG(path_of(aTHX_ d, at.index(), false)), SVfARG(step));
    }
    return element(d, at, SvIV(step), hint);
}

// To be said before arguments are asked for their text, which may run Perl code that lets go of the document.
void keep(pTHX_ SV* self) {
    if (SvROK(self)) sv_2mortal(SvREFCNT_inc_simple_NN(SvRV(self)));
}

// get(key or index, ...): undef where there is none.
XSPROTO(get) {
    dXSARGS;
    if (items < 2) croak_xs_usage(cv, "self, key or index, ...");
    for (I32 i = 1; i < items; ++i)
        if (SvROK(ST(i)) || SvGMAGICAL(ST(i))) keep(aTHX_ ST(0));
    lazy& start = lazy_of(aTHX_ ST(0));
    tape::cursor at = find(aTHX_ * start.document, start.at, ST(1), &start);
    // null on the way is as good as an end.
    for (I32 i = 2; i < items && at && !at.is(tape::kind::null); ++i) at = find(aTHX_ * start.document, at, ST(i));
    ST(0) = sv_2mortal(shown(aTHX_ start, at));
    XSRETURN(1);
}

// at(pointer): RFC 6901, "" is the value itself; undef where there is none.
XSPROTO(at_pointer) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "self, pointer");
    keep(aTHX_ ST(0));
    const lazy& l = lazy_of(aTHX_ ST(0));
    STRLEN n;
    const char* p = SvPVutf8(sv_2mortal(newSVsv(ST(1))), n);
    const char* const end = p + n;
    if (n != 0 && *p != '/')
        Perl_croak(aTHX_ "a JSON Pointer is empty or begins with a slash, not \"%" SVf "\"", SVfARG(ST(1)));
    tape::cursor c = l.at;
    SV* const token = sv_2mortal(newSV(n + 1));
    while (p != end && c) {
        ++p;
        char* to = SvPVX(token);
        for (; p != end && *p != '/'; ++p) {
            if (*p != '~') {
                *to++ = *p;
            } else if (p + 1 != end && (p[1] == '0' || p[1] == '1')) {
                *to++ = *++p == '0' ? '~' : '/';
            } else {
                Perl_croak(aTHX_ "in a JSON Pointer ~ stands before 0 or 1 only: \"%" SVf "\"", SVfARG(ST(1)));
            }
        }
        const std::string_view name(SvPVX(token), static_cast<std::size_t>(to - SvPVX(token)));
        if (is_map(c)) {
            c = named(aTHX_ * l.document, c, name);
        } else if (is_array(c)) {
            std::size_t i = 0;
            const auto [stop, bad] = std::from_chars(name.data(), name.data() + name.size(), i);
            const bool index = bad == std::errc() && stop == name.data() + name.size() && !name.empty() &&
                               (name[0] != '0' || name.size() == 1);
            c = index ? l.document->marks.find(l.document->view, c, i) : tape::cursor();
        } else {
            c = {};
        }
    }
    ST(0) = sv_2mortal(shown(aTHX_ l, c));
    XSRETURN(1);
}

XSPROTO(exists) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "self, key or index");
    lazy& l = lazy_of(aTHX_ ST(0));
    ST(0) = boolSV(static_cast<bool>(find(aTHX_ * l.document, l.at, ST(1), &l)));
    XSRETURN(1);
}

// ---- all of it

XSPROTO(length) {
    dXSARGS;
    if (items < 1) croak_xs_usage(cv, "self");
    const lazy& l = lazy_of(aTHX_ ST(0));
    want_container(aTHX_ l);
    ST(0) = sv_2mortal(newSVuv(l.at.size()));
    XSRETURN(1);
}
XSPROTO(keys) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "self");
    const lazy& l = lazy_of(aTHX_ ST(0));
    want_map(aTHX_ l);
    if (GIMME_V != G_LIST) {
        ST(0) = sv_2mortal(newSVuv(l.at.size()));
        XSRETURN(1);
    }
    SP -= items;
    EXTEND(SP, static_cast<SSize_t>(l.at.size()));
    for (tape::cursor k = l.at.first(); k; k = k.next().next()) PUSHs(sv_2mortal(key_of(aTHX_ * l.document, k)));
    PUTBACK;
}
XSPROTO(values) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "self");
    keep(aTHX_ ST(0));
    const lazy& l = lazy_of(aTHX_ ST(0));
    want_container(aTHX_ l);
    if (GIMME_V != G_LIST) {
        ST(0) = sv_2mortal(newSVuv(l.at.size()));
        XSRETURN(1);
    }
    SP -= items;
    EXTEND(SP, static_cast<SSize_t>(l.at.size()));
    for (tape::cursor c = l.at.first(); c; c = c.next()) {
        if (is_map(l.at)) c = c.next();
        PUTBACK;  // a big number's class is Perl code, with a stack of its own above this one
        SV* const one = sv_2mortal(shown(aTHX_ l, c));
        SPAGAIN;
        XPUSHs(one);
    }
    PUTBACK;
}
XSPROTO(value) {
    dXSARGS;
    if (items < 1) croak_xs_usage(cv, "self");
    const lazy& l = lazy_of(aTHX_ ST(0));
    ST(0) = sv_2mortal(built(aTHX_ * l.document, l.at));
    XSRETURN(1);
}
XSPROTO(type) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "self");
    ST(0) = sv_2mortal(newSVpv(tape::name_of(lazy_of(aTHX_ ST(0)).at.is()), 0));
    XSRETURN(1);
}
XSPROTO(path) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "self");
    const lazy& l = lazy_of(aTHX_ ST(0));
    ST(0) = path_of(aTHX_ * l.document, l.at.index(), true);
    XSRETURN(1);
}

// ---- the text of a place

XSPROTO(raw) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "self");
    const lazy& l = lazy_of(aTHX_ ST(0));
    const tape::span s = span_of_place(*l.document, l.at.index());
    if (s.end == s.begin) Perl_croak(aTHX_ "out of memory");
    ST(0) = sv_2mortal(newSVpvn(SvPVX_const(l.document->text) + s.begin, static_cast<STRLEN>(s.end - s.begin)));
    XSRETURN(1);
}

// ---- as a hash and as an array

SV* tied(pTHX_ lazy& l, SV* container) {
    SV* const other_end = sv_2mortal(place(aTHX_ l.document, l.at, "Kumihimo::Lazy::Tie"));
    sv_magic(container, other_end, PERL_MAGIC_tied, nullptr, 0);
    return l.shown = newRV_noinc(container);
}
XSPROTO(as_hash) {
    dXSARGS;
    if (items < 1) croak_xs_usage(cv, "self");
    lazy& l = lazy_of(aTHX_ ST(0));
    want_map(aTHX_ l);
    ST(0) = l.shown != nullptr ? l.shown : tied(aTHX_ l, reinterpret_cast<SV*>(newHV()));
    XSRETURN(1);
}
XSPROTO(as_array) {
    dXSARGS;
    if (items < 1) croak_xs_usage(cv, "self");
    lazy& l = lazy_of(aTHX_ ST(0));
    want_array(aTHX_ l);
    ST(0) = l.shown != nullptr ? l.shown : tied(aTHX_ l, reinterpret_cast<SV*>(newAV()));
    XSRETURN(1);
}
XSPROTO(first_key) {
    dXSARGS;
    if (items < 1) croak_xs_usage(cv, "self");
    lazy& l = lazy_of(aTHX_ ST(0));
    l.step = l.at.first();
    ST(0) = l.step ? sv_2mortal(key_of(aTHX_ * l.document, l.step)) : &PL_sv_undef;
    XSRETURN(1);
}
XSPROTO(next_key) {
    dXSARGS;
    if (items < 1) croak_xs_usage(cv, "self");
    lazy& l = lazy_of(aTHX_ ST(0));
    if (l.step) l.step = l.step.next().next();
    ST(0) = l.step ? sv_2mortal(key_of(aTHX_ * l.document, l.step)) : &PL_sv_undef;
    XSRETURN(1);
}
XSPROTO(read_only) {
    dXSARGS;
    if (items < 1) croak_xs_usage(cv, "self");
    const lazy& l = lazy_of(aTHX_ ST(0));
    Perl_croak(aTHX_ "%" SVf " cannot be changed: a lazy document is for reading; ->value gives a copy",
               SVfARG(path_of(aTHX_ * l.document, l.at.index(), false)));
}

// ---- opening

// _open($document, \%options)
XSPROTO(open_lazy) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "document, options");
    HV* const given = reinterpret_cast<HV*>(SvRV(ST(1)));
    const format_row& format = format_option(aTHX_ given);
    const bool named = hv_exists(given, "dialect", 7);
    SV* const text = unframed(aTHX_ octets(aTHX_ ST(0), named ? "document" : format.document));
    const void* const dialect = dialect_option(aTHX_ given, format);
    value_options options;
    options.bignums = named || format.bignums;
    options.any_text = format.any_text(dialect);
    read_value_options(aTHX_ given, options);
    prepare_values(aTHX);
    SV* const kept = newSVsv(text);
    lazy_document* const d = new (std::nothrow) lazy_document;
    if (d == nullptr) Perl_croak(aTHX_ "out of memory");
    d->text = kept;
    d->format = &format;
    d->dialect = dialect;
    d->options = options;
    d->ctx.limits.depth = options.build.max_depth;
    if (SV* const error = record(aTHX_ * d); error != nullptr) {
        delete d;
        Perl_croak(aTHX_ "%" SVf, SVfARG(sv_2mortal(error)));
    }
    ST(0) = sv_2mortal(place(aTHX_ d, tape::cursor(d->view), class_name));
    XSRETURN(1);
}

}  // namespace

void init_lazy(pTHX) {
    const struct {
        const char* name;
        XSUBADDR_t body;
    } all[] = {{"_open", open_lazy}, {"get", get},       {"at", at_pointer},  {"exists", exists}, {"length", length},
               {"keys", keys},       {"values", values}, {"value", value},    {"type", type},     {"path", path},
               {"raw", raw},         {"_hash", as_hash}, {"_array", as_array}};
    char name[64];
    for (const auto& one : all) {
        std::snprintf(name, sizeof name, "Kumihimo::Lazy::%s", one.name);
        newXS(name, one.body, __FILE__);
    }
    const struct {
        const char* name;
        XSUBADDR_t body;
    } ties[] = {{"FETCH", get},          {"EXISTS", exists},       {"FETCHSIZE", length}, {"SCALAR", length},
                {"FIRSTKEY", first_key}, {"NEXTKEY", next_key},    {"STORE", read_only},  {"DELETE", read_only},
                {"CLEAR", read_only},    {"STORESIZE", read_only}, {"PUSH", read_only},   {"POP", read_only},
                {"SHIFT", read_only},    {"UNSHIFT", read_only},   {"SPLICE", read_only}, {"EXTEND", read_only}};
    for (const auto& one : ties) {
        std::snprintf(name, sizeof name, "Kumihimo::Lazy::Tie::%s", one.name);
        newXS(name, one.body, __FILE__);
    }
}

}  // namespace kumihimo::inline v0::perl
