// A Perl value -> one MessagePack document.
#include "rules_pack.hpp"

namespace kumihimo::inline v0::perl {

SV* packed(pTHX_ SV* value, const pack_options& o) {
    using emit = msgpack::emit_burst<scalar_output, croak_pack>;
    static_assert(emitting_walker<pack_walk<emit>, emit, SV*>);
    char here[4096];
    scalar_output out(aTHX_ here, sizeof here);
    emit to(out);
    pack_walk<emit>(aTHX_ to, o, interpreter::here(aTHX).order).document(value);
    to.finish();
    return out.take();
}

}  // namespace kumihimo::inline v0::perl
