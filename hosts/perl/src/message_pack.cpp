// MessagePack: the methods pack and unpack as Data::MessagePack has them, and the reading: extensions, timestamps,
// text.
#include <string>

#include "engine/msgpack/boundary.hpp"
#include "engine/msgpack/reader.hpp"

#include "message_pack.hpp"
#include "module.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::perl {
namespace {

struct here;
using message_builder = any_builder_of<here>;

SV* message_of(pTHX_ const context& ctx, errc code) {
    const char* const kind = code == errc::truncated  ? "insufficient bytes"
                             : code == errc::trailing ? "extra bytes"
                                                      : "parse error";
    const failure& f = ctx.failure;
    SV* const message = newSVpvf("Kumihimo::MessagePack: %s: %s", kind, f.what);
    if (f.offset != failure::nowhere) sv_catpvf(message, ", at byte %lu", static_cast<unsigned long>(f.offset));
    if (!f.path.empty() && f.path != "$") {
        sv_catpvf(message, " (%s)", f.path.c_str());
        sv_utf8_decode(message);
    }
    return message;
}

}  // namespace

// A frame of its own: what has a destructor is gone when it returns, and the caller may croak.
outcome read_message(pTHX_ const char* p, std::size_t n, const value_options& o) {
    prepare_values(aTHX);
    outcome out;
    context ctx;
    ctx.limits.depth = o.build.max_depth;
    message_builder to(aTHX_ ctx, o);
    msgpack::reader from(bytes(reinterpret_cast<const unsigned char*>(p), n), ctx, msgpack::raw_read);
    const errc e = from.feed(to);
    if (e == errc::ok) out.made = to.take();
    if (out.made == nullptr) out.error = message_of(aTHX_ ctx, e);
    builder::release(aTHX_ & to);
    return out;
}

namespace {

// ---- what Perl calls

bool option(pTHX_ HV* hv, const char* name, I32 n) {
    SV** const found = hv_fetch(hv, name, n, 0);
    return found != nullptr && SvTRUE(*found);
}

// The hash of an object's options; null for a class.
HV* options_hash(SV* self) {
    if (!SvROK(self) || SvTYPE(SvRV(self)) != SVt_PVHV) return nullptr;
    return reinterpret_cast<HV*>(SvRV(self));
}

// Levels, as few as none: a scalar is one.
std::uint32_t depth_of(pTHX_ SV* sv) {
    const IV n = SvIV(sv);
    return n < 0 ? 0 : n > IV{UINT32_MAX} ? UINT32_MAX : static_cast<std::uint32_t>(n);
}

void read_pack_options(pTHX_ SV* self, pack_options& o) {
    HV* const hv = options_hash(self);
    if (hv == nullptr) return;
    o.utf8 = option(aTHX_ hv, STR_WITH_LEN("utf8"));
    o.canonical = option(aTHX_ hv, STR_WITH_LEN("canonical"));
    o.prefer_integer = option(aTHX_ hv, STR_WITH_LEN("prefer_integer"));
    if (HvUSEDKEYS(hv) > 0) {
        o.text = option(aTHX_ hv, STR_WITH_LEN("text"));
        o.core_booleans = option(aTHX_ hv, STR_WITH_LEN("core_booleans"));
        if (SV** const depth = hv_fetchs(hv, "max_depth", 0); depth != nullptr && SvOK(*depth))
            o.max_depth = depth_of(aTHX_ * depth);
    }
}

}  // namespace

void read_unpack_options(pTHX_ SV* self, value_options& o) {
    o.build.max_depth = 512;
    HV* const hv = options_hash(self);
    if (hv == nullptr) return;
    o.utf8 = option(aTHX_ hv, STR_WITH_LEN("utf8"));
    if (SV** const depth = hv_fetchs(hv, "max_depth", 0); depth != nullptr && SvOK(*depth))
        o.build.max_depth = depth_of(aTHX_ * depth);
    o.build.keep_order = option(aTHX_ hv, STR_WITH_LEN("keep_order"));
    SV** const f = hv_fetchs(hv, "false", 0);
    SV** const t = hv_fetchs(hv, "true", 0);
    if (f != nullptr && t != nullptr) {
        o.build.v_false = *f;
        o.build.v_true = *t;
    }
}

namespace {

[[noreturn]] void usage(pTHX_ const char* call) {
    Perl_croak(aTHX_ "Usage: %s", call);
    abort();
}

// One argument: a function, of text. More: a method.
XSPROTO(pack) {
    dXSARGS;
    pack_options o;
    if (items == 1 && !(SvROK(ST(0)) && sv_derived_from(ST(0), "Kumihimo::MessagePack"))) {
        o.text = o.core_booleans = true;
    } else if (items == 2 || items == 3) {
        read_pack_options(aTHX_ ST(0), o);
        if (items == 3 && SvOK(ST(2))) o.max_depth = depth_of(aTHX_ ST(2));
    } else {
        usage(aTHX_ "$msgpack->pack($data [, $max_depth]), or pack($data)");
    }
    SV* const made = packed(aTHX_ items == 1 ? ST(0) : ST(1), o);
    ST(0) = made;
    XSRETURN(1);
}

XSPROTO(unpack) {
    dXSARGS;
    value_options o;
    if (items == 2 || items == 3) {
        read_unpack_options(aTHX_ ST(0), o);
    } else if (items == 1) {
        o.build.max_depth = 512;
    } else {
        usage(aTHX_ "$msgpack->unpack($bytes), or unpack($bytes)");
    }
    SV* const source = octets(aTHX_ items == 1 ? ST(0) : ST(1), "MessagePack");
    const outcome out = read_message(aTHX_ SvPVX_const(source), SvCUR(source), o);
    if (out.error != nullptr) Perl_croak(aTHX_ "%" SVf, SVfARG(sv_2mortal(out.error)));
    ST(0) = sv_2mortal(out.made);
    XSRETURN(1);
}

// _extent($state, $bytes, $offset): how many of the bytes from the offset on belong to the document under way, and
// whether it ends there. The state, a string, is the caller's: empty before a document.
XSPROTO(extent) {
    dXSARGS;
    if (items != 3) usage(aTHX_ "_extent($state, $bytes, $offset)");
    SV* const state = ST(0);
    STRLEN n;
    const char* const p = SvPVbyte(ST(1), n);
    const UV offset = SvUV(ST(2));
    if (offset > n) Perl_croak(aTHX_ "offset (%" UVuf ") is bigger than data buffer size (%" UVuf ")", offset, UV{n});
    msgpack::boundary b;
    STRLEN known;
    const char* const kept = SvPVbyte(state, known);
    if (known == sizeof b) std::memcpy(static_cast<void*>(&b), kept, sizeof b);
    const std::size_t used = b.next(p + offset, n - offset);
    sv_setpvn(state, reinterpret_cast<const char*>(&b), b.complete ? 0 : sizeof b);
    EXTEND(SP, 2);
    ST(0) = sv_2mortal(newSVuv(used));
    ST(1) = boolSV(b.complete);
    XSRETURN(2);
}

}  // namespace

void init_message_pack(pTHX) {
    for (const char* const name :
         {"Kumihimo::MessagePack::pack", "Kumihimo::MessagePack::encode", "Kumihimo::MessagePack::encode_msgpack"})
        newXS(name, pack, __FILE__);
    for (const char* const name :
         {"Kumihimo::MessagePack::unpack", "Kumihimo::MessagePack::decode", "Kumihimo::MessagePack::decode_msgpack"})
        newXS(name, unpack, __FILE__);
    newXS("Kumihimo::MessagePack::Unpacker::_extent", extent, __FILE__);
}

}  // namespace kumihimo::inline v0::perl
