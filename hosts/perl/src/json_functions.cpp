#include "booleans.hpp"
#include "decode.hpp"
#include "encode.hpp"
#include "interpreter.hpp"
#include "json.hpp"

namespace kumihimo::inline v0::perl {
namespace {

json_options utf8_defaults_of(rules follows) {
    json_options o = json_defaults(follows);
    o.utf8 = true;
    return o;
}

// By rule set: for JSON in characters and in UTF-8.
const json_options character_defaults[] = {json_defaults(rules::xs), json_defaults(rules::cpanel)};
const json_options utf8_defaults[] = {utf8_defaults_of(rules::xs), utf8_defaults_of(rules::cpanel)};

// ---- booleans

XSPROTO(constant_boolean) {
    dXSARGS;
    PERL_UNUSED_VAR(items);
    SV* const value = sv_2mortal(newRV_inc(interpreter::here(aTHX).boolean(aTHX_ XSANY.any_i32 != 0)));
    EXTEND(SP, 1);
    ST(0) = value;
    XSRETURN(1);
}
// As a function or as a method. XSANY: perl's own booleans are ones too.
XSPROTO(is_bool) {
    dXSARGS;
    if (items < 1 || items > 2) croak_xs_usage(cv, "value");
    SV* const value = ST(items - 1);
    SvGETMAGIC(value);
    bool is = false;
    if (SvROK(value)) {
        is = SvOBJECT(SvRV(value)) && (is_boolean_class(SvSTASH(SvRV(value))) || sv_derived_from(value, "JSON::PP::Boolean") ||
                                       sv_derived_from(value, "Types::Serialiser::Boolean"));
    } else if (XSANY.any_i32 != 0) {
        is = is_core_boolean(aTHX_ value);
    }
    ST(0) = boolSV(is);
    XSRETURN(1);
}

// ---- functions: XSANY is the rule set, and 2 for the ones of characters

const json_options& function_options(I32 any) { return (any & 2) != 0 ? character_defaults[any & 1] : utf8_defaults[any & 1]; }
// The same with what a call may change.
json_options cpanel_function_options(pTHX_ I32 any) {
    json_options o = function_options(any);
    o.core_booleans = interpreter::here(aTHX).cpanel_core_booleans;
    return o;
}

XSPROTO(function_encode) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "value");
    SV* const text = encode(aTHX_ ST(0), function_options(XSANY.any_i32));
    ST(0) = text;
    XSRETURN(1);
}
XSPROTO(function_decode) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "text");
    SV* const value = decode(aTHX_ ST(0), function_options(XSANY.any_i32));
    ST(0) = value;
    XSRETURN(1);
}
XSPROTO(cpanel_function_encode) {
    dXSARGS;
    if (items < 1 || items > 2) croak_xs_usage(cv, "value, type = undef");
    const json_options o = cpanel_function_options(aTHX_ XSANY.any_i32);
    SV* const text = encode(aTHX_ ST(0), o, items > 1 && SvOK(ST(1)) ? ST(1) : nullptr);
    ST(0) = text;
    XSRETURN(1);
}
XSPROTO(cpanel_function_decode) {
    dXSARGS;
    if (items < 1 || items > 3) croak_xs_usage(cv, "text, allow_nonref = 0, type = undef");
    json_options o = cpanel_function_options(aTHX_ XSANY.any_i32);
    o.allow_nonref = items > 1 && SvTRUE(ST(1));
    SV* const value = decode(aTHX_ ST(0), o, nullptr, items > 2 ? ST(2) : nullptr);
    ST(0) = value;
    XSRETURN(1);
}
// _as_release($hundredths, $core_booleans): whose answers Kumihimo::JSON::Cpanel gives.
XSPROTO(as_release) {
    dXSARGS;
    if (items != 2) croak_xs_usage(cv, "release, core_booleans");
    interpreter& here = interpreter::here(aTHX);
    here.cpanel_release = static_cast<unsigned>(SvUV(ST(0)));
    here.cpanel_core_booleans = SvTRUE(ST(1));
    XSRETURN_EMPTY;
}

}  // namespace

void init_json_functions(pTHX) {
    add_xsub(aTHX_ "Kumihimo::JSON::true", constant_boolean, 1, "");
    add_xsub(aTHX_ "Kumihimo::JSON::false", constant_boolean, 0, "");
    add_xsub(aTHX_ "Kumihimo::JSON::is_bool", is_bool, 1, "$");
    add_xsub(aTHX_ "Kumihimo::JSON::Cpanel::is_bool", is_bool, 0, "$");
    add_xsub(aTHX_ "Kumihimo::JSON::encode_json", function_encode, 0, "$");
    add_xsub(aTHX_ "Kumihimo::JSON::decode_json", function_decode, 0, "$");
    add_xsub(aTHX_ "Kumihimo::JSON::to_json", function_encode, 2, "$");
    add_xsub(aTHX_ "Kumihimo::JSON::from_json", function_decode, 2, "$");
    add_xsub(aTHX_ "Kumihimo::JSON::Cpanel::_as_release", as_release, 0);
    add_xsub(aTHX_ "Kumihimo::JSON::Cpanel::encode_json", cpanel_function_encode, 1, "$;$");
    add_xsub(aTHX_ "Kumihimo::JSON::Cpanel::decode_json", cpanel_function_decode, 1, "$;$$");
    add_xsub(aTHX_ "Kumihimo::JSON::Cpanel::to_json", cpanel_function_encode, 3, "$;$");
    add_xsub(aTHX_ "Kumihimo::JSON::Cpanel::from_json", cpanel_function_decode, 3, "$;$$");
}

}  // namespace kumihimo::inline v0::perl
