// CBOR read, written in several dialects, and read again: the same verbs.
#include "engine/cbor/reader.hpp"
#include "engine/cbor/writer.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bytes document{data, size};
    std::string lines;
    if (!fuzz::trace<cbor::reader>(document, lines, cbor::exact_read)) return 0;
    const bool minus_zero = lines.find("big -0") != std::string::npos;

    for (const cbor::dialect* as : {&cbor::preferred, &cbor::streaming, &cbor::doubles, &cbor::time_text}) {
        // Counts as they were read, and, through the trace without counts, late ones.
        std::string again;
        context known, late;
        buffer out, out_late;
        cbor::reader from(document, known, cbor::exact_read);
        cbor::writer to(out, known, *as);
        bytes written, written_late;
        const errc code = pipe(from, to, written);
        trace_source replay(lines, late);
        cbor::writer to_late(out_late, late, *as);
        fuzz::expect(pipe(replay, to_late, written_late) == code, "late counts change what can be written");
        // A moment of an offset whose text leaves the years 0000 to 9999; digits that a bigfloat has and a decimal has
        // not.
        if (code == errc::range || code == errc::size) continue;
        fuzz::expect(code == errc::ok, "the writer refuses what was read");
        // The trace knows one NaN, doubles keep all.
        if (as == &cbor::preferred)
            fuzz::expect_equal(fuzz::as_string(written), fuzz::as_string(written_late), "late counts give another document");
        fuzz::expect(fuzz::trace<cbor::reader>(written, again, cbor::exact_read), "what was written is not read again");
        if (!minus_zero) fuzz::expect_equal(lines, again, "written and read again, the document changed");
        if (as == &cbor::preferred) {
            std::string same;
            fuzz::expect(fuzz::convert<cbor::reader, cbor::writer>(written, same, cbor::preferred) == errc::ok,
                         "what was written is not written again");
        }
    }

    std::string sorted;
    const errc code = fuzz::convert<cbor::reader, cbor::writer>(document, sorted, cbor::deterministic);
    if (code == errc::ok) {
        std::string again, twice;
        fuzz::expect(fuzz::trace<cbor::reader>(fuzz::as_bytes(sorted), again, cbor::deterministic_read),
                     "the deterministic form is none");
        fuzz::expect(fuzz::convert<cbor::reader, cbor::writer>(fuzz::as_bytes(sorted), twice, cbor::deterministic) == errc::ok,
                     "the deterministic form is not written again");
        fuzz::expect_equal(sorted, twice, "the deterministic form is not stable");
    }
    return 0;
}
