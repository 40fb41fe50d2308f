// Deflate64. Any bytes as a stream: the same at once, and out of small pieces into small rooms. Any bytes as
// instructions to a plain writer: what it wrote comes out.
#include <algorithm>
#include <string>

#include "extract/inflate64.hpp"
#include "extract/source.hpp"
#include "fuzz/deflate64.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

// Four windows. A repetition has up to 64 KB, so that few bytes make as many as there may be: with 4 MB 29 inputs were
// tried in a second.
constexpr std::size_t most = std::size_t{1} << 18;

class few final : public byte_source {
public:
    few(bytes data, std::size_t n) noexcept : all_(data), n_(n) {}
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override {
        return all_.read(to, std::min(room, n_), got, ctx);
    }
    std::uint64_t consumed() const noexcept override { return all_.consumed(); }

private:
    memory_source all_;
    std::size_t n_;
};

errc expand(bytes data, std::size_t piece, std::size_t room, std::string& text) {
    few from(data, piece);
    inflate64_source s(from, expansion{.floor = most * 2});
    std::string block(room, 0);
    for (;;) {
        context ctx;
        std::size_t got = 0;
        const errc code = s.read(block.data(), room, got, ctx);
        fuzz::expect(got <= room, "a piece is longer than its room");
        fuzz::expect_told(code, ctx, data.size());
        fuzz::expect(s.taken() <= data.size(), "more was taken than there is");
        text.append(block, 0, got);
        if (code != errc::ok || got == 0 || text.size() > most) return code;
    }
}

void written(bytes how) {
    deflate64::encoder w;
    std::size_t at = 0;
    const auto next = [&] { return at < how.size() ? how[at++] : 0u; };
    bool open = false;
    while (at < how.size() && w.text().size() < most / 2) {
        const unsigned what = next();
        if (what < 8) {
            if (open) w.end();
            open = false;
            const std::size_t n = std::min<std::size_t>(next(), how.size() - at);
            w.stored({reinterpret_cast<const char*>(how.data()) + at, n}, false);
            at += n;
            continue;
        }
        if (!open) w.begin(false);
        open = true;
        if (what < 128 || w.text().empty()) {
            w.literal(static_cast<unsigned char>(next()));
        } else {
            const unsigned length = 3 + (what < 192 ? next() : next() << 8 | next()), distance = next() << 8 | next();
            w.match(length, 1 + distance % static_cast<unsigned>(std::min<std::size_t>(65536, w.text().size())));
        }
    }
    if (open) w.end();
    w.stored("", true);
    const std::string packed = w.finish();
    std::string text;
    fuzz::expect(expand(fuzz::as_bytes(packed), 4096, 10'000, text) == errc::ok, "what was written is refused");
    fuzz::expect_equal(text, w.text(), "what was written comes out as another text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const bytes rest{data + 1, size - 1};
    if (data[0] % 2 != 0) {
        written(rest);
        return 0;
    }
    std::string whole, parts;
    const errc code = expand(rest, most, most + 1, whole), other = expand(rest, 61, 997, parts);
    if (whole.size() > most || parts.size() > most) return 0;
    fuzz::expect(code == other, "the pieces end in another way");
    fuzz::expect_equal(whole, parts, "the pieces have another text");
    return 0;
}
