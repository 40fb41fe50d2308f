#include <string_view>
#include <vector>

#include "engine/tape/partial.hpp"

#include "frames.hpp"
#include "module.hpp"
#include "partial.hpp"

namespace kumihimo::inline v0::perl {
namespace {

constexpr const char* class_name = "Kumihimo::Partial";

partial& partial_of(pTHX_ SV* self) { return native<partial>::of(aTHX_ self, class_name); }
HV* hash_of(SV* self) { return reinterpret_cast<HV*>(SvRV(self)); }

// ---- compiling

// Null, and the sentence of why not: a frame of its own, with everything that has a destructor.
[[gnu::noinline]] partial* compiled(pTHX_ AV* paths, json::level level, const format_row& format, const void* dialect, bool raw,
                                    SV*& error) {
    try {
        std::vector<std::string_view> views;
        for (SSize_t i = 0; i <= av_len(paths); ++i) {
            STRLEN n;
            const char* const p = SvPVutf8(*av_fetch(paths, i, 0), n);
            views.emplace_back(p, n);
        }
        context ctx;
        std::unique_ptr<partial> made(new partial);
        if (json::projection::compile(views, made->wanted, ctx) != errc::ok) {
            error = newSVpvf("the path \"%s\" is not valid: %s", ctx.failure.path.c_str(), ctx.failure.what);
            if (ctx.failure.offset != failure::nowhere)
                sv_catpvf(error, ", at byte %lu of it", static_cast<unsigned long>(ctx.failure.offset));
            sv_utf8_decode(error);
            return nullptr;
        }
        made->format = &format;
        made->level = level;
        made->dialect = dialect;
        made->raw = raw;
        made->search = format.search(made->wanted, level, dialect, raw);
        return made.release();
    } catch (const std::bad_alloc&) {
        error = newSVpvs("out of memory");
        return nullptr;
    }
}

// _compile($self, level): the rest is in the hash, where lib/Kumihimo/Partial.pm has put it in order.
XSPROTO(compile) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "self, level");
    HV* const self = hash_of(ST(0));
    AV* const paths = reinterpret_cast<AV*>(SvRV(*hv_fetchs(self, "paths", 0)));
    // What they are in UTF-8 is made before anything needs a destructor.
    for (SSize_t i = 0; i <= av_len(paths); ++i) (void)SvPVutf8_nolen(*av_fetch(paths, i, 0));
    SV* error = nullptr;
    const format_row& format = format_option(aTHX_ self);
    const void* const dialect = dialect_option(aTHX_ self, format);
    SV** const raw = hv_fetchs(self, "raw", 0);
    partial* const made =
        compiled(aTHX_ paths, static_cast<json::level>(SvIV(ST(1))), format, dialect, raw != nullptr && SvTRUE(*raw), error);
    if (made == nullptr) Perl_croak(aTHX_ "%" SVf, SVfARG(sv_2mortal(error)));
    native<partial>::attach(aTHX_ SvRV(ST(0)), made);
    const bool by_dialect = hv_exists(self, "dialect", 7);
    if (!by_dialect) made->document = format.document;
    made->options.bignums = by_dialect || format.bignums;
    made->options.any_text = format.any_text(dialect);
    made->named = hv_exists(self, "names", 5);
    made->missing = hv_exists(self, "missing", 7);
    read_value_options(aTHX_ self, made->options);
    XSRETURN_EMPTY;
}

// ---- reading

// What was found in one document becomes Perl values.
struct reading {
    reading(pTHX_ partial& p, HV* self, context& ctx) : p(p), self(self), from(*p.search), ctx(ctx) {
#ifdef MULTIPLICITY
        this->my_perl = aTHX;
#endif
    }

    // The values, or why one of them is not what it should be.
    outcome results(const stream_place& place) {
        partial_builder to(aTHX_ ctx, p.options);
        const std::size_t n = p.wanted.size();
        AV* const av = p.named ? nullptr : newAV();
        HV* const hv = p.named ? newHV() : nullptr;
        AV* const names = p.named ? reinterpret_cast<AV*>(SvRV(*hv_fetchs(self, "names", 0))) : nullptr;
        if (av != nullptr) av_extend(av, static_cast<SSize_t>(n) - 1);
        bool whole = true;
        for (std::size_t i = 0; i < n && whole; ++i) {
            const std::size_t length = from.count(i);
            SV* value;
            if (!p.wanted.wild(i)) {
                value = length == 0 ? absent() : one(i, 0, to);
                whole = value != nullptr;
            } else {
                AV* const list = newAV();
                for (std::size_t k = 0; k < length; ++k) {
                    SV* const item = one(i, k, to);
                    whole = item != nullptr;
                    if (!whole) break;
                    av_push(list, item);
                }
                value = newRV_noinc(reinterpret_cast<SV*>(list));
            }
            if (value == nullptr) break;
            if (hv != nullptr)
                (void)hv_store_ent(hv, *av_fetch(names, static_cast<SSize_t>(i), 0), value, 0);
            else
                av_push(av, value);
        }
        outcome out;
        out.bigs = to.take_bigs();
        builder::release(aTHX_ & to);
        SV* const rv = newRV_noinc(hv != nullptr ? reinterpret_cast<SV*>(hv) : reinterpret_cast<SV*>(av));
        if (whole) {
            out.made = rv;
            return out;
        }
        SvREFCNT_dec(rv);
        SvREFCNT_dec(reinterpret_cast<SV*>(out.bigs));
        out.bigs = nullptr;
        out.error = sentence_of(aTHX_ ctx, place);
        return out;
    }
    SV* absent() {
        if (!p.missing) return newSV(0);
        return newSVsv(*hv_fetchs(self, "missing", 0));
    }
    SV* one(std::size_t i, std::size_t k, partial_builder& to) {
        if (from.absent(i, k)) return absent();
        if (p.raw) {
            const bytes b = from.raw(i, k);
            return newSVpvn(reinterpret_cast<const char*>(b.data()), b.size());
        }
        unguarded always;
        return from.give(i, k, to, ctx, always) == errc::ok ? to.take() : nullptr;
    }

    partial& p;
    HV* self;
    partial_search& from;
    context& ctx;
#ifdef MULTIPLICITY
    PerlInterpreter* my_perl;
#endif
};

[[noreturn]] void refuse(pTHX_ SV* error, IV index) {
    sv_2mortal(error);
    if (index >= 0) Perl_croak(aTHX_ "document %" IVdf ": %" SVf, index, SVfARG(error));
    Perl_croak(aTHX_ "%" SVf, SVfARG(error));
    abort();
}

// Mortal.
SV* read_one(pTHX_ SV* self, SV* source, IV index) {
    SV* error = nullptr;
    SV* const text = unframed(aTHX_ octets(aTHX_ source, partial_of(aTHX_ self).document), error);
    if (text == nullptr) refuse(aTHX_ error, index);
    const outcome out = read_partial(aTHX_ partial_of(aTHX_ self), hash_of(self), SvPVX_const(text), SvCUR(text));
    if (out.error != nullptr) refuse(aTHX_ out.error, index);
    return settled(aTHX_ out);
}

// decode($json); _decode($json, index) for many().
XSPROTO(decode) {
    dXSARGS;
    if (items != 2 && items != 3) croak_xs_usage(cv, "self, json");
    SV* const made = read_one(aTHX_ ST(0), ST(1), items == 3 ? SvIV(ST(2)) : -1);
    ST(0) = made;
    XSRETURN(1);
}

// _many(\@documents): with a callback the loop is Perl's, so that it can be left.
XSPROTO(many) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "self, documents");
    SV* const self = ST(0);
    AV* const documents = reinterpret_cast<AV*>(SvRV(ST(1)));
    AV* const results = newAV();
    SV* const rv = sv_2mortal(newRV_noinc(reinterpret_cast<SV*>(results)));
    for (SSize_t i = 0; i <= av_len(documents); ++i) {
        ENTER;
        SAVETMPS;
        SV** const found = av_fetch(documents, i, 0);
        SV* const made = read_one(aTHX_ self, found == nullptr ? &PL_sv_undef : *found, i);
        av_push(results, SvREFCNT_inc_simple_NN(made));
        FREETMPS;
        LEAVE;
    }
    ST(0) = rv;
    XSRETURN(1);
}

}  // namespace

partial* partial::copied() const noexcept {
    try {
        std::unique_ptr<partial> made(new partial);
        made->format = format;
        made->wanted = wanted;
        made->level = level;
        made->dialect = dialect;
        made->search = format->search(made->wanted, level, dialect, raw);
        made->document = document;
        made->options = options;
        made->raw = raw;
        made->named = named;
        made->missing = missing;
        return made.release();
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

// A frame of its own, with everything that has a destructor.
outcome read_partial(pTHX_ partial& p, HV* self, const char* text, std::size_t n, const stream_place& place) {
    prepare_values(aTHX);
    context ctx;
    ctx.limits.depth = p.options.build.max_depth;
    errc e;
    try {
        e = p.search->run(bytes(reinterpret_cast<const unsigned char*>(text), n), ctx);
    } catch (const std::bad_alloc&) {
        e = ctx.fail(errc::memory, failure::nowhere, "out of memory");
    }
    outcome out;
    if (e == errc::ok) {
        out = reading(aTHX_ p, self, ctx).results(place);
    } else {
        ctx.fail(e, failure::nowhere, "the document is not whole");
        out.error = sentence_of(aTHX_ ctx, place);
    }
    p.search->forget();
    return out;
}

void init_partial(pTHX) {
    newXS("Kumihimo::Partial::_compile", compile, __FILE__);
    newXS("Kumihimo::Partial::decode", decode, __FILE__);
    newXS("Kumihimo::Partial::_decode", decode, __FILE__);
    newXS("Kumihimo::Partial::_many", many, __FILE__);
}

}  // namespace kumihimo::inline v0::perl
