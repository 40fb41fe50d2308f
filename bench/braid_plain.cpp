// The plain C++ hop of the braid: reads a document in one format into plain values and writes them in another.
//
//      braid_plain json msgpack < in > out
#include <cstdio>
#include <string>
#include <string_view>

#include "engine/core/pipe.hpp"
#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"
#include "hosts/plain/build.hpp"
#include "hosts/plain/walk.hpp"

namespace {

using namespace kumihimo;

std::string read_all() {
    std::string all;
    char piece[1 << 16];
    for (std::size_t n; (n = std::fread(piece, 1, sizeof piece, stdin)) > 0;) all.append(piece, n);
    return all;
}

template <class Reader>
errc decode(bytes in, plain::value& out, context& ctx) {
    Reader reader(in, ctx);
    plain::builder builder(ctx);
    KUMIHIMO_TRY(pipe(reader, builder));
    out = builder.take();
    return errc::ok;
}

template <class Writer>
errc encode(const plain::value& value, buffer& to, context& ctx) {
    Writer writer(to, ctx);
    plain::walker walker(value, ctx);
    bytes all;
    return pipe(walker, writer, all);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::fputs("usage: braid_plain json|msgpack json|msgpack < in > out\n", stderr), 2;
    const std::string text = read_all();
    const bytes in{reinterpret_cast<const unsigned char*>(text.data()), text.size()};
    context ctx;
    plain::value value;
    buffer out;
    errc code =
        std::string_view(argv[1]) == "json" ? decode<json::reader>(in, value, ctx) : decode<msgpack::reader>(in, value, ctx);
    if (code == errc::ok)
        code = std::string_view(argv[2]) == "json" ? encode<json::writer>(value, out, ctx)
                                                   : encode<msgpack::writer>(value, out, ctx);
    if (code != errc::ok) return std::fprintf(stderr, "braid_plain: %s: %s\n", name(code), ctx.failure.what), 1;
    std::fwrite(out.data(), 1, out.size(), stdout);
}
