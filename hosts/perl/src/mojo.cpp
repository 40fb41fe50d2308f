// Mojo::JSON's functions as XSUBs. Which answers they give is a number in the CV, so that one XSUB serves all
// profiles, and a function that is in everybody's hands changes its profile in place.
#include "callback.hpp"
#include "decode.hpp"
#include "encode.hpp"
#include "module.hpp"
#include "options.hpp"
#include "replace.hpp"

namespace kumihimo::inline v0::perl {
namespace {

// How a function behaves, as the number in its CV. Perl's side (Kumihimo::Mojo) makes it from the versions present.
enum behaviour : unsigned {
    pure = 1,           // Mojo::JSON's own rules; else Cpanel::JSON::XS's with the options that Mojo sets
    clear = 2,          // errors of decode in Mojo's words, whatever the rules
    core_booleans = 4,  // perl's own booleans are true and false
    null_objects = 8,   // an object without TO_JSON and without "" is null
    deep = 16,          // decode without Mojo's limit of the depth
    scalar_j = 32,      // j gives undef for wrong JSON in list context too
    stock = 64,         // not replaced at the moment: calls the copy of Mojo's function
};

enum function : unsigned { encode_json, to_json, decode_json, from_json, j, function_count };
constexpr const char* names[function_count] = {"encode_json", "to_json", "decode_json", "from_json", "j"};

// Where Mojo::JSON has no limit: what perl, which lets go of nested hashes by recursion, still can let go of.
constexpr std::uint32_t deepest = 10'000;

constexpr json_options options_of(unsigned behaviour, bool utf8, bool decoding) {
    json_options o;
    o.follows = (behaviour & pure) != 0 ? rules::mojo : rules::cpanel;
    o.clear_messages = (behaviour & clear) != 0;
    o.utf8 = utf8;
    o.canonical = o.allow_nonref = o.allow_unknown = o.allow_blessed = o.convert_blessed = o.escape_slash = o.allow_dupkeys =
        true;
    o.non_finite = infnan::string;
    o.core_booleans = (behaviour & core_booleans) != 0;
    o.null_objects = (behaviour & null_objects) != 0;
    if ((behaviour & pure) != 0) o.max_depth = !decoding ? unlimited_depth : (behaviour & deep) != 0 ? deepest : 512;
    return o;
}

// All that there are, so that a call finds its own without making it.
constexpr unsigned table_bits = 5;
constexpr auto table = [] {
    std::array<json_options, (4U << table_bits)> made{};
    for (unsigned i = 0; i < made.size(); ++i) made[i] = options_of(i >> 2, (i & 2) != 0, (i & 1) != 0);
    return made;
}();

inline const json_options& options_for(unsigned behaviour, bool utf8, bool decoding) {
    return table[(behaviour & ((1U << table_bits) - 1)) << 2 | (utf8 ? 2U : 0U) | (decoding ? 1U : 0U)];
}

inline unsigned behaviour_of(CV* cv) { return static_cast<unsigned>(CvXSUBANY(cv).any_i32); }

/// Calls Mojo's function with this call's arguments, in this call's context. What it leaves on the stack is our
/// answer.
[[gnu::cold, gnu::noinline]] void forward(pTHX_ function f, I32 ax, I32 items) {
    answer_by(aTHX_ sv_2mortal(newSVpvf("Kumihimo::Mojo::Stock::%s", names[f])), ax, items);
}

template <function F>
void call(pTHX_ CV* cv) {
    constexpr bool utf8 = F == encode_json || F == decode_json || F == j;
    constexpr bool decoding = F == decode_json || F == from_json;
    dXSARGS;
    const unsigned behaviour = behaviour_of(cv);
    if (behaviour & stock) [[unlikely]]
        return forward(aTHX_ F, ax, items);
    SV* const given = items > 0 ? ST(0) : &PL_sv_undef;
    if (items == 0) EXTEND(SP, 1);
    SV* answer;
    if constexpr (decoding) {
        answer = decode(aTHX_ given, options_for(behaviour, utf8, true));
    } else {
        answer = encode(aTHX_ given, options_for(behaviour, utf8, false));
    }
    // Perl may have moved its stack; ST() looks it up.
    ST(0) = answer;
    XSRETURN(1);
}

/// What `ref $_[0] eq 'ARRAY' || ref $_[0] eq 'HASH'` says.
bool plain_container(pTHX_ SV* v) {
    if (!SvROK(v)) return false;
    SV* const to = SvRV(v);
    if (!SvOBJECT(to)) return SvTYPE(to) == SVt_PVAV || SvTYPE(to) == SVt_PVHV;
    const char* const name = sv_reftype(to, 1);
    return std::strcmp(name, "ARRAY") == 0 || std::strcmp(name, "HASH") == 0;
}

void call_j(pTHX_ CV* cv) {
    dXSARGS;
    const unsigned behaviour = behaviour_of(cv);
    if (behaviour & stock) [[unlikely]]
        return forward(aTHX_ j, ax, items);
    SV* const given = items > 0 ? ST(0) : &PL_sv_undef;
    if (items == 0) EXTEND(SP, 1);
    SvGETMAGIC(given);
    if (plain_container(aTHX_ given)) {
        ST(0) = encode(aTHX_ given, options_for(behaviour, true, false));
        XSRETURN(1);
    }
    // As in `eval { decode_json($_[0]) }`: $@ is empty afterwards, or it is the error, and $SIG{__DIE__} has seen
    // that.
    if (SV* const quiet = decode_quietly(aTHX_ given, options_for(behaviour, true, true)); quiet != nullptr) [[likely]] {
        CLEAR_ERRSV();
        ST(0) = quiet;
        XSRETURN(1);
    }
    SP = PL_stack_base + ax - 1;
    PUSHMARK(SP);
    EXTEND(SP, 2);
    PUSHs(given);
    mPUSHu(behaviour);
    PUTBACK;
    call_pv("Kumihimo::Mojo::_decode", G_SCALAR | G_EVAL);
    // In list context, eval has no value when it fails: Mojo::JSON passed that on for years.
    if (SvTRUE(ERRSV) && !(behaviour & scalar_j) && GIMME_V == G_ARRAY) PL_stack_sp = PL_stack_base + ax - 1;
}

constexpr XSUBADDR_t bodies[function_count] = {call<encode_json>, call<to_json>, call<decode_json>, call<from_json>, call_j};

CV* code_of(pTHX_ SV* v) {
    if (!SvROK(v) || SvTYPE(SvRV(v)) != SVt_PVCV) croak("Kumihimo: not a reference to a function");
    return reinterpret_cast<CV*>(SvRV(v));
}
unsigned function_of(pTHX_ SV* v) {
    const UV n = SvUV(v);
    if (n >= function_count) croak("Kumihimo: no such function of Mojo::JSON: %" UVuf, n);
    return static_cast<unsigned>(n);
}
bool ours(CV* code) {
    return CvISXSUB(code) && std::find(std::begin(bodies), std::end(bodies), CvXSUB(code)) != std::end(bodies);
}

/// _decode($text, $behaviour): what j evaluates.
void xs_decode(pTHX_ CV* cv) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "text, behaviour");
    ST(0) = decode(aTHX_ ST(0), options_for(static_cast<unsigned>(SvUV(ST(1))), true, true));
    XSRETURN(1);
}

/// _keep($name, $code, $function, $behaviour): the function of that name has our body and is the same CV; false: it is
/// another.
void xs_keep(pTHX_ CV* cv) {
    dXSARGS;
    if (items != 4) croak_xs_usage(cv, "name, code, function, behaviour");
    const unsigned f = function_of(aTHX_ ST(2));
    const IV behaviour = SvIV(ST(3));
    const char* const name = SvPV_nolen(ST(0));
    const bool kept = replace_body(aTHX_ name, code_of(aTHX_ ST(1)), bodies[f]);
    CvXSUBANY(get_cv(name, 0)).any_i32 = static_cast<I32>(behaviour);
    ST(0) = boolSV(kept);
    XSRETURN(1);
}

/// _bind($code, $behaviour): one of ours behaves differently from now on.
void xs_bind(pTHX_ CV* cv) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "code, behaviour");
    CV* const code = code_of(aTHX_ ST(0));
    if (!ours(code)) croak("Kumihimo: not one of its functions");
    CvXSUBANY(code).any_i32 = static_cast<I32>(SvIV(ST(1)));
    XSRETURN_EMPTY;
}

/// _make($function, $behaviour): one of ours without a name.
void xs_make(pTHX_ CV* cv) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "function, behaviour");
    CV* const made = newXS(nullptr, bodies[function_of(aTHX_ ST(0))], __FILE__);
    CvXSUBANY(made).any_i32 = static_cast<I32>(SvIV(ST(1)));
    ST(0) = sv_2mortal(newRV_noinc(reinterpret_cast<SV*>(made)));
    XSRETURN(1);
}

/// _owner($code): the package that a function in Perl was compiled in; undef for an XSUB.
void xs_owner(pTHX_ CV* cv) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "code");
    CV* const code = code_of(aTHX_ ST(0));
    HV* const stash = CvISXSUB(code) ? nullptr : CvSTASH(code);
    ST(0) = stash != nullptr && HvNAME_get(stash) != nullptr ? sv_2mortal(newSVhek(HvNAME_HEK(stash))) : &PL_sv_undef;
    XSRETURN(1);
}

/// _runs($code)
void xs_runs(pTHX_ CV* cv) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "code");
    ST(0) = boolSV(runs(aTHX_ code_of(aTHX_ ST(0))));
    XSRETURN(1);
}

}  // namespace

void init_mojo(pTHX) {
    newXS("Kumihimo::Mojo::_decode", xs_decode, __FILE__);
    newXS("Kumihimo::Mojo::_keep", xs_keep, __FILE__);
    newXS("Kumihimo::Mojo::_bind", xs_bind, __FILE__);
    newXS("Kumihimo::Mojo::_make", xs_make, __FILE__);
    newXS("Kumihimo::Mojo::_owner", xs_owner, __FILE__);
    newXS("Kumihimo::Mojo::_runs", xs_runs, __FILE__);
}

}  // namespace kumihimo::inline v0::perl
