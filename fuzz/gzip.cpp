// gzip files of any bytes: expanded at once and as a stream in small pieces, with the same result.
#include <algorithm>
#include <vector>

#include "extract/gzip.hpp"
#include "extract/source.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bytes file{data, size};
    looks_like_gzip(file);
    gzip_announced(file);
    expansion allowed;
    allowed.size = 1u << 22;

    static inflater how;
    static arena room;
    context ctx;
    bytes whole;
    const errc code = gunzip(file, how, room, allowed, whole, ctx);
    fuzz::expect_told(code, ctx, size);

    context stream_ctx;
    memory_source from(file);
    inflate_source stream(from, inflate_source::wrapper::gzip, allowed);
    std::string text;
    errc streamed = errc::ok;
    char piece[997];
    for (;;) {
        std::size_t got = 0;
        streamed = stream.read(piece, sizeof piece, got, stream_ctx);
        fuzz::expect(got <= sizeof piece, "a piece is longer than its room");
        if (streamed != errc::ok || got == 0) break;
        text.append(piece, got);
        if (text.size() > (1u << 23)) break;
    }
    if (code == errc::ok) {
        fuzz::expect(streamed == errc::ok, "the stream refuses what the whole takes");
        fuzz::expect_equal(fuzz::as_string(whole), text, "the stream's text is another");
    } else if (code != errc::size && code != errc::memory && size != 0) {
        fuzz::expect(streamed != errc::ok, "the stream takes what the whole refuses");
    }
    return 0;
}
