// The CBOR reader on any bytes: its dialects against each other, against the check, the boundary and a stream.
#include "engine/cbor/boundary.hpp"
#include "engine/cbor/check.hpp"
#include "engine/cbor/reader.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bytes document{data, size};
    std::string lines, other;
    const bool read = fuzz::trace<cbor::reader>(document, lines);
    const bool raw = fuzz::trace<cbor::reader>(document, other, cbor::raw_read);
    fuzz::expect(!read || raw, "a dialect refuses what the default takes");
    if (read) fuzz::expect_equal(lines, other, "a dialect changes a good document");
    fuzz::trace<cbor::reader>(document, other, cbor::plain_read);
    fuzz::trace<cbor::reader>(document, other, cbor::last_key);
    const bool unique = fuzz::trace<cbor::reader>(document, other, cbor::unique_keys);
    fuzz::expect(read || !unique, "a dialect takes what the default refuses");
    if (unique) fuzz::expect_equal(lines, other, "a dialect changes a good document");

    // What the strictest reader takes, all others take.
    const bool preferred = fuzz::trace<cbor::reader>(document, other, cbor::preferred_read);
    const bool deterministic = fuzz::trace<cbor::reader>(document, other, cbor::deterministic_read);
    fuzz::expect((!deterministic || preferred) && (!preferred || read), "an insisting reader takes what others refuse");

    const unsigned char* p = data;
    cbor::fault found;
    const errc checked = cbor::check(p, data + size, {}, found);
    fuzz::expect(!read || (checked == errc::ok && p == data + size), "the check refuses what was read");
    fuzz::expect(checked == errc::ok || found.at <= data + size, "the fault is outside the input");

    context stream;
    cbor::reader from(document, stream);
    null_sink nothing;
    while (from.more()) {
        const std::size_t before = from.position();
        if (from.next(nothing) != errc::ok) break;
        fuzz::expect(from.position() > before, "the stream does not move on");
        cbor::boundary whole, pieces;
        const char* const begin = reinterpret_cast<const char*>(data) + before;
        fuzz::expect(whole.next(begin, size - before) == from.position() - before && whole.complete,
                     "the boundary is elsewhere");
        std::size_t at = 0;
        while (!pieces.complete) at += pieces.next(begin + at, 1);
        fuzz::expect(at == from.position() - before, "the boundary is elsewhere in pieces");
    }
    return 0;
}
