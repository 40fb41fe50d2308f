// The plain C++ hops of the braid: reads a document in one format, in a frame or not, into plain values, and writes
// them in another.
//
//      braid_plain json cbor gzip < in > out
#include <cstdio>
#include <string>
#include <string_view>

#include "engine/core/pipe.hpp"
#include "engine/formats.hpp"
#include "engine/frame/frame.hpp"
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

bytes as_bytes(const char* data, std::size_t size) { return {reinterpret_cast<const unsigned char*>(data), size}; }

template <format F>
errc decode(bytes in, plain::value& out, context& ctx) {
    typename F::reader reader(in, ctx, *dialect_of(F::read_dialects, ""));
    plain::builder builder(ctx);
    KUMIHIMO_TRY(pipe(reader, builder));
    out = builder.take();
    return errc::ok;
}

template <format F>
errc encode(const plain::value& value, buffer& to, context& ctx) {
    typename F::template writer<buffer> writer(to, ctx, *dialect_of(F::write_dialects, ""));
    plain::walker walker(value, ctx);
    bytes all;
    return pipe(walker, writer, all);
}

errc carry(bytes in, std::string_view source, std::string_view target, const frame::codec* as, buffer& out, context& ctx) {
    buffer text, document;
    if (const frame::codec* const framed = frame::recognise(in); framed != nullptr) {
        KUMIHIMO_TRY(frame::unpack(*framed, in, text, ctx));
        in = as_bytes(text.data(), text.size());
    }
    plain::value value;
    errc code = errc::unsupported;
    visit_format(source, [&](auto f) { code = decode<decltype(f)>(in, value, ctx); });
    KUMIHIMO_TRY(code);
    buffer& to = as == nullptr ? out : document;
    code = errc::unsupported;
    visit_format(target, [&](auto f) { code = encode<decltype(f)>(value, to, ctx); });
    KUMIHIMO_TRY(code);
    return as == nullptr ? errc::ok
                         : frame::pack(*as, as_bytes(document.data(), document.size()), out, frame::usual_level, ctx);
}

}  // namespace

int main(int argc, char** argv) {
    const frame::codec* const as = argc == 4 ? frame::by_name(argv[3]) : nullptr;
    if (argc < 3 || argc > 4 || (argc == 4 && as == nullptr))
        return std::fputs("usage: braid_plain FORMAT FORMAT [FRAME] < in > out\n", stderr), 2;
    const std::string in = read_all();
    context ctx;
    buffer out;
    if (const errc code = carry(as_bytes(in.data(), in.size()), argv[1], argv[2], as, out, ctx); code != errc::ok)
        return std::fprintf(stderr, "braid_plain: %s: %s\n", name(code), ctx.failure.what), 1;
    std::fwrite(out.data(), 1, out.size(), stdout);
}
