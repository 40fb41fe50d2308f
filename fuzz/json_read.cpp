// The JSON reader on any bytes: no crash, every refusal complete, and the same verdict from reader, check and the slow
// pass.
#include "engine/json/check.hpp"
#include "engine/json/reader.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bytes document{data, size};
    std::string lines;
    const bool read = fuzz::trace<json::reader>(document, lines);

    context ctx;
    const errc checked = json::check(document, ctx);
    fuzz::expect_told(checked, ctx, size);
    fuzz::expect(read == (checked == errc::ok), "reader and check disagree");
    context slow;
    fuzz::expect((json::diagnose(document, slow) == errc::ok) == read, "reader and the slow pass disagree");

    for (const json::read_dialect* granted : {&json::relaxed, &json::python_read, &json::exact_decimals, &json::unique_keys}) {
        std::string granted_lines;
        const bool ok = fuzz::trace<json::reader>(document, granted_lines, *granted);
        // A dialect that only grants more takes whatever the default takes.
        if (granted != &json::unique_keys) fuzz::expect(!read || ok, "a dialect refuses what the default takes");
        if (granted == &json::relaxed && read) fuzz::expect_equal(lines, granted_lines, "a dialect changes a strict document");
        if (granted == &json::unique_keys && ok) fuzz::expect_equal(lines, granted_lines, "unique_keys changes a document");
    }

    // As a stream: documents one behind the other, until one is refused; every step moves on.
    context stream;
    json::reader from(document, stream);
    null_sink nothing;
    while (from.more()) {
        const std::size_t before = from.position();
        if (from.next(nothing) != errc::ok) break;
        fuzz::expect(from.position() > before, "the stream does not move on");
    }
    return 0;
}
