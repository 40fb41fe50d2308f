// Frames of any bytes, by each library: at once, in small pieces, and with room for little text: the same text and the
// same refusals. What is refused by none is packed again and unpacked.
#include <algorithm>

#include "engine/frame/frame.hpp"
#include "engine/frame/library.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;

namespace {

limits small() {
    limits l;
    l.size = 1u << 22;
    l.window = 1u << 23;
    return l;
}

void one(const frame::codec& as, bytes file) {
    context ctx;
    ctx.limits = small();
    buffer whole;
    const errc code = frame::unpack(as, file, whole, ctx);
    fuzz::expect_told(code, ctx, file.size());
    fuzz::expect(code == errc::ok || whole.size() == 0, "a failure left text behind");
    as.announced(file);

    context stream_ctx;
    stream_ctx.limits = small();
    buffer text;
    frame::unpacker from(as, stream_ctx);
    errc streamed = errc::ok;
    for (std::size_t at = 0, n = 1; at < file.size() && streamed == errc::ok; at += n, n = n * 3 % 257 + 1)
        streamed = from.feed(file.subspan(at, std::min(n, file.size() - at)), text);
    if (streamed == errc::ok) streamed = from.finish();
    fuzz::expect_told(streamed, stream_ctx, file.size());

    context pulled_ctx;
    pulled_ctx.limits = small();
    frame::unpacker again(as, pulled_ctx);
    bytes in = file;
    std::string pulled;
    char room[997];
    errc said = errc::ok;
    for (std::size_t got = sizeof room; said == errc::ok && got == sizeof room;) {
        said = again.expand(in, room, sizeof room, got);
        fuzz::expect(got <= sizeof room, "a piece is longer than its room");
        pulled.append(room, got);
    }
    if (said == errc::ok) said = again.finish();
    fuzz::expect_told(said, pulled_ctx, file.size());

    if (code == errc::ok) {
        const std::string_view all(whole.data() == nullptr ? "" : whole.data(), whole.size());
        fuzz::expect(streamed == errc::ok || streamed == errc::size, "the stream refuses what the whole takes");
        fuzz::expect(said == errc::ok || said == errc::size, "small rooms refuse what the whole takes");
        if (streamed == errc::ok)
            fuzz::expect_equal(all, {text.data() == nullptr ? "" : text.data(), text.size()}, "the stream's text is another");
        if (said == errc::ok) fuzz::expect_equal(all, pulled, "the text in small rooms is another");
        fuzz::expect(from.taken() == file.size() || streamed != errc::ok, "not all bytes were taken");
        if (as.compress == nullptr) return;
        context pack_ctx;
        buffer packed, back;
        fuzz::expect(frame::pack(as, fuzz::as_bytes(all), packed, frame::usual_level, pack_ctx) == errc::ok, "packing failed");
        fuzz::expect(frame::unpack(as, fuzz::as_bytes({packed.data(), packed.size()}), back, pack_ctx) == errc::ok,
                     "what was packed is refused");
        fuzz::expect_equal(all, {back.data() == nullptr ? "" : back.data(), back.size()}, "there and back is another text");
    } else if (code != errc::size && code != errc::memory) {
        fuzz::expect(streamed != errc::ok && said != errc::ok, "a stream takes what the whole refuses");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bytes file{data, size};
    frame::recognise(file);
    for (const frame::codec* as : frame::readable()) one(*as, file);
    frame::pretend_missing(frame::library::libdeflate, true);
    one(frame::gzip, file);
    frame::pretend_missing(frame::library::libdeflate, false);
    return 0;
}
