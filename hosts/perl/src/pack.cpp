// A Perl value -> one MessagePack document.
#include "pack_walk.hpp"

namespace kumihimo::inline v0::perl {
namespace {

[[gnu::noinline]] bool pack_into(pTHX_ scalar_output& out, SV* value, const pack_options& o, bool careful) {
    msgpack_emit to(out);
    key_order& order = interpreter::here(aTHX).order;
    const bool whole =
        careful ? pack_walk<true>(aTHX_ to, o, order).value(value) : pack_walk<false>(aTHX_ to, o, order).value(value);
    to.finish();
    return whole;
}

}  // namespace

SV* packed(pTHX_ SV* value, const pack_options& o) {
    char here[4096];
    scalar_output out(aTHX_ here, sizeof here);
    if (!pack_into(aTHX_ out, value, o, false)) {
        out.clear();
        pack_into(aTHX_ out, value, o, true);
    }
    return out.take();
}

}  // namespace kumihimo::inline v0::perl
