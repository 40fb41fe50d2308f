// A sink whose key() takes text alone: MessagePack and Python have other keys, so it must say what it does with them.
// expect: next_value
#include "engine/core/null.hpp"
#include "engine/core/pipe.hpp"
#include "engine/msgpack/reader.hpp"

using namespace kumihimo;

struct text_keys : null_sink {
    errc key(text) { return errc::ok; }  // hides the other form
#ifdef REPAIRED
    using null_sink::key;
#endif
};

errc read(bytes document, context& ctx) {
    msgpack::reader from(document, ctx);
    text_keys to;
    return pipe(from, to);
}
