// A host's buffer that does not tell its size cannot be written into.
// expect: c.size()
#include "engine/msgpack/writer.hpp"

using namespace kumihimo;

struct blind {
    char* reserve(std::size_t) { return nullptr; }
    void commit(char*) {}
    const char* data() const { return nullptr; }
#ifdef REPAIRED
    std::size_t size() const { return 0; }
#endif
};

errc write(blind& out, context& ctx) {
    msgpack::basic_writer<blind> to(out, ctx);
    return to.null();
}
