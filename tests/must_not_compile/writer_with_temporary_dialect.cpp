// A JSON writer keeps its dialect by reference: one that dies at the end of the statement must not get in.
// expect: deleted
#include "engine/json/writer.hpp"

using namespace kumihimo;

errc write(context& ctx, buffer& out, bytes& document) {
#ifdef REPAIRED
    constexpr json::dialect as{.non_finite = json::non_finite::null};
    json::writer to(out, ctx, as);
#else
    json::writer to(out, ctx, json::dialect{.non_finite = json::non_finite::null});
#endif
    if (const errc e = to.f64(1.5); e != errc::ok) return e;
    return to.finish(document);
}
