#include "format_options.hpp"

#include "message_pack.hpp"

namespace kumihimo::inline v0::perl {
namespace {

outcome read_as_message(pTHX_ const char* p, std::size_t n, const value_options& o, const stream_place& place) {
    outcome out = read_message(aTHX_ p, n, o);
    if (out.error != nullptr) {
        out.error = newSVpvf("in the document at byte %lu: %" SVf, static_cast<unsigned long>(place.offset),
                             SVfARG(sv_2mortal(out.error)));
    }
    return out;
}
outcome read_as_json(pTHX_ const char* p, std::size_t n, const value_options& o, const stream_place& place) {
    return read_document(aTHX_ p, n, o.build, place);
}

}  // namespace

const own_reading json_stream{stream_options, read_as_json};
const own_reading message_stream{read_unpack_options, read_as_message};

void stream_options(pTHX_ SV* self, value_options& to) {
    HV* const hv = reinterpret_cast<HV*>(SvRV(self));
    read_value_options(aTHX_ hv, to);
    if (SV** const utf8 = hv_fetchs(hv, "utf8", 0); utf8 != nullptr) to.utf8 = SvTRUE(*utf8);
}

}  // namespace kumihimo::inline v0::perl
