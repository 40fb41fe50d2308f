// The MessagePack reader on any bytes, alone and as a stream; and what it reads, written and read again.
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bytes document{data, size};
    std::string lines;
    const bool read = fuzz::trace<msgpack::reader>(document, lines);
    std::string raw_lines;
    const bool raw = fuzz::trace<msgpack::reader>(document, raw_lines, msgpack::raw_read);
    fuzz::expect(!read || raw, "a dialect refuses what the default takes");
    if (read) fuzz::expect_equal(lines, raw_lines, "a dialect changes a good document");

    if (read) {
        // Known counts, and, through the trace without counts, late ones: the same bytes.
        std::string known;
        fuzz::expect(fuzz::convert<msgpack::reader, msgpack::writer>(document, known, msgpack::exact) == errc::ok,
                     "the writer refuses what was read");
        // Only a float 32 grows, into the double it is.
        const bool floats = lines.find("f64") != std::string::npos;
        fuzz::expect(floats || known.size() <= size, "the smallest encoding is larger than another");
        context ctx;
        buffer out;
        trace_source from(lines, ctx);
        msgpack::writer to(out, ctx);
        bytes late;
        fuzz::expect(pipe(from, to, late) == errc::ok, "the writer refuses what was read");
        const bool nan = lines.find(" nan\n") != std::string::npos;  // the trace knows one NaN, MessagePack all
        if (!nan) fuzz::expect_equal(known, fuzz::as_string(late), "late counts give another document");
        std::string again;
        fuzz::expect(fuzz::trace<msgpack::reader>(late, again), "what was written is not read again");
        fuzz::expect_equal(lines, again, "written and read again, the document changed");
    }

    context stream;
    msgpack::reader from(document, stream);
    null_sink nothing;
    while (from.more()) {
        const std::size_t before = from.position();
        if (from.next(nothing) != errc::ok) break;
        fuzz::expect(from.position() > before, "the stream does not move on");
    }
    return 0;
}
