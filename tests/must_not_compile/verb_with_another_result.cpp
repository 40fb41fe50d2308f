// A verb that returns bool: true would mean an error to nobody and success to nobody.
// expect: k.null()
#include "engine/core/null.hpp"
#include "engine/core/pipe.hpp"
#include "engine/msgpack/reader.hpp"

using namespace kumihimo;

struct boolean_results : null_sink {
#ifndef REPAIRED
    bool null() { return true; }
#endif
};

errc read(bytes document, context& ctx) {
    msgpack::reader from(document, ctx);
    boolean_results to;
    return pipe(from, to);
}
