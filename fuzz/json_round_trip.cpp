// JSON read, written in several dialects, and read again: the same verbs.
#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bytes document{data, size};
    // Digits as they are: a double's text may look like a long integer in one layout and not in another.
    std::string lines;
    const bool read = fuzz::trace<json::reader>(document, lines, json::exact_decimals);
    if (lines.find("f64 0x8000000000000000 -0\n") != std::string::npos) return 0;  // ECMAScript writes -0 as 0
    for (const json::dialect* as : {&json::compact, &json::pretty, &json::ascii_only, &json::html_safe, &json::script_safe}) {
        context ctx;
        buffer out;
        json::reader from(document, ctx, json::exact_decimals);
        json::writer to(out, ctx, *as);
        bytes written;
        const errc code = pipe(from, to, written);
        fuzz::expect((code == errc::ok) == read, "a writer refuses what was read");
        if (!read) continue;
        std::string again;
        fuzz::expect(fuzz::trace<json::reader>(written, again, json::exact_decimals), "what was written is not read again");
        fuzz::expect_equal(lines, again, "written and read again, the document changed");
    }

    // With doubles as doubles: writing and reading twice changes nothing any more.
    std::string once, twice;
    if (fuzz::convert<json::reader, json::writer>(document, once, json::python_compact) == errc::ok) {
        fuzz::expect(fuzz::convert<json::reader, json::writer>(fuzz::as_bytes(once), twice, json::python_compact) == errc::ok,
                     "what was written is not read again");
        fuzz::expect_equal(once, twice, "written twice, the document changed");
        std::string values, values_again;
        fuzz::trace<json::reader>(document, values);
        fuzz::trace<json::reader>(fuzz::as_bytes(once), values_again);
        fuzz::expect_equal(values, values_again, "doubles changed on the way");
    }
    return 0;
}
