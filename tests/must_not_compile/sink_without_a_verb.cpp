// A sink that forgot big(): fed by a reader, the compiler must name the verb.
// expect: k.big(t)
#include "engine/core/pipe.hpp"
#include "engine/msgpack/reader.hpp"

using namespace kumihimo;

struct forgetful {
    errc null() { return errc::ok; }
    errc boolean(bool) { return errc::ok; }
    errc i64(std::int64_t) { return errc::ok; }
    errc u64(std::uint64_t) { return errc::ok; }
    errc f64(double) { return errc::ok; }
#ifdef REPAIRED
    errc big(text) { return errc::ok; }
#endif
    errc str(text) { return errc::ok; }
    errc bin(bytes) { return errc::ok; }
    errc time(const instant&) { return errc::ok; }
    errc ext(int, bytes) { return errc::ok; }
    errc array(count) { return errc::ok; }
    errc map(count) { return errc::ok; }
    errc key(text) { return errc::ok; }
    errc key(next_value) { return errc::ok; }
    errc end() { return errc::ok; }
};

errc read(bytes document, context& ctx) {
    msgpack::reader from(document, ctx);
    forgetful to;
    return pipe(from, to);
}
