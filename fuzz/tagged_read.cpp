// The tagged reader on any bytes, both layouts, alone and as a stream; boundaries against it, in one piece and byte by
// byte; and what it reads, written as `safe` and read again.
#include <algorithm>
#include <vector>

#include "engine/tagged/boundary.hpp"
#include "engine/tagged/reader.hpp"
#include "engine/tagged/writer.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;

namespace {

/// Where the first document ends by its headers; 0 where it does not.
std::size_t first_end(bytes all, std::size_t piece) {
    tagged::boundary state;
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t n = std::min(piece, all.size() - at);
        const std::vector<unsigned char> part(all.begin() + static_cast<std::ptrdiff_t>(at),
                                              all.begin() + static_cast<std::ptrdiff_t>(at + n));
        at += state.next(reinterpret_cast<const char*>(part.data()), n);
        if (state.complete) return at;
    }
    return 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bytes document{data, size};
    std::string lines, asked;
    const bool read = fuzz::trace<tagged::reader>(document, lines);
    const bool safe = fuzz::trace<tagged::reader>(document, asked, tagged::safe_read);
    const bool study = fuzz::trace<tagged::reader>(document, asked, tagged::study_read);
    fuzz::expect(read == (safe || study) && !(safe && study), "the layouts are not told apart");

    const std::size_t end = first_end(document, size == 0 ? 1 : size);
    fuzz::expect(end == first_end(document, 1), "a boundary depends on the pieces");
    context stream;
    tagged::reader from(document, stream);
    null_sink nothing;
    for (bool first = true; from.more(); first = false) {
        const std::size_t before = from.position();
        if (from.next(nothing) != errc::ok) break;
        fuzz::expect(from.position() > before, "the stream does not move on");
        fuzz::expect(!first || from.position() == end, "the boundary is not where the reader's document ends");
    }

    if (read) {
        std::string written, again;
        fuzz::expect(fuzz::convert<tagged::reader, tagged::writer>(document, written, tagged::safe) == errc::ok,
                     "the writer refuses what was read");
        fuzz::expect(fuzz::trace<tagged::reader>(fuzz::as_bytes(written), again), "what was written is not read again");
        fuzz::expect_equal(lines, again, "written and read again, the document changed");
    }
    return 0;
}
