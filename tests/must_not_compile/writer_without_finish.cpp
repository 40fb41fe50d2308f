// A writer that cannot be finished has no bytes to give.
// expect: w.finish(out)
#include "engine/core/null.hpp"
#include "engine/core/pipe.hpp"
#include "engine/msgpack/reader.hpp"

using namespace kumihimo;

struct endless : null_sink {
    using dialect = int;
#ifdef REPAIRED
    errc finish(bytes&) { return errc::ok; }
#endif
};

errc convert(bytes document, context& ctx, bytes& out) {
    msgpack::reader from(document, ctx);
    endless to;
    return pipe(from, to, out);
}
