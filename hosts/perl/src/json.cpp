#include "decode.hpp"
#include "encode.hpp"
#include "module.hpp"

namespace kumihimo::inline v0::perl {
namespace {

const json_options function_options = [] {
    json_options o;
    o.utf8 = true;
    return o;
}();

XSPROTO(encode_json) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "value");
    SV* const text = encode(aTHX_ ST(0), function_options);
    SPAGAIN;
    ST(0) = text;
    XSRETURN(1);
}
XSPROTO(decode_json) {
    dXSARGS;
    if (items != 1) croak_xs_usage(cv, "text");
    SV* const value = decode(aTHX_ ST(0), function_options);
    SPAGAIN;
    ST(0) = value;
    XSRETURN(1);
}

}  // namespace

void init_json(pTHX) {
    newXS("Kumihimo::JSON::encode_json", encode_json, __FILE__);
    newXS("Kumihimo::JSON::decode_json", decode_json, __FILE__);
}

}  // namespace kumihimo::inline v0::perl
