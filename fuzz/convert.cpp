// Across formats: the first byte chooses the direction. What comes back is what JSON and MessagePack both can say.
#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const bytes document{data + 1, size - 1};
    std::string there, back, lines;
    if (data[0] % 2 == 0) {
        if (!fuzz::trace<json::reader>(document, lines)) return 0;
        fuzz::expect(fuzz::convert<json::reader, msgpack::writer>(document, there, msgpack::big_text) == errc::ok,
                     "MessagePack refuses a JSON document");
        std::string packed_lines;
        fuzz::expect(fuzz::trace<msgpack::reader>(fuzz::as_bytes(there), packed_lines), "MessagePack cannot read its own");
        if (lines.find("\nbig ") == std::string::npos && !lines.starts_with("big ")) {
            fuzz::expect_equal(lines, packed_lines, "a JSON document changed in MessagePack");
        }
        fuzz::expect(
            fuzz::convert<msgpack::reader, json::writer>(fuzz::as_bytes(there), back, json::python_compact) == errc::ok,
            "JSON refuses what came from JSON");
    } else {
        if (fuzz::convert<msgpack::reader, json::writer>(document, there, json::lenient) != errc::ok) return 0;
        fuzz::expect(fuzz::trace<json::reader>(fuzz::as_bytes(there), lines), "the JSON writer wrote what its reader refuses");
        fuzz::expect(fuzz::convert<json::reader, msgpack::writer>(fuzz::as_bytes(there), back, msgpack::big_text) == errc::ok,
                     "MessagePack refuses a JSON document");
    }
    return 0;
}
