// The calls for a few values of a document of any format, by its projector or off a tape. The first line holds paths,
// ';' between them; the rest is a document, which is tried in every format, by every read dialect and level. What a
// document that is taken gives out raw lies in it, and can be read; a level takes what strict takes, and finds the
// same.
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/null.hpp"
#include "engine/formats.hpp"
#include "engine/tape/partial.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;

namespace {

// What is found of each path, as offsets and lengths; empty where the document is refused.
template <format F>
std::string found_by(const json::projection& wanted, json::level level, const typename F::reader::dialect& granted,
                     bytes document) {
    tape::partial<F> by(wanted, level, granted, true);
    context ctx;
    const errc code = by.run(document, ctx);
    fuzz::expect_told(code, ctx, document.size());
    std::string out;
    if (code != errc::ok) return out;
    for (std::size_t i = 0; i != wanted.size(); ++i) {
        out += "path\n";
        for (std::size_t k = 0; k != by.count(i); ++k) {
            if (by.absent(i, k)) {
                out += "absent\n";
                continue;
            }
            const bytes raw = by.raw(i, k);
            fuzz::expect(raw.data() >= document.data() && raw.data() + raw.size() <= document.data() + document.size(),
                         "a value's bytes are not the document's");
            out += std::to_string(raw.data() - document.data()) + " " + std::to_string(raw.size()) + "\n";
            null_sink nothing;
            fuzz::expect(by.give(i, k, nothing, ctx) == errc::ok, "a value is given out raw, and refused");
        }
    }
    by.forget();
    fuzz::expect(by.projects() || by.memory() <= (std::size_t{64} << 10), "what a document needed stays");
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t stop = input.find('\n');
    if (stop == input.npos) return 0;
    // The document in memory of its own size, so that a read behind its end is seen.
    const std::vector<std::uint8_t> document(data + stop + 1, data + size);
    std::vector<std::string_view> paths;
    for (std::string_view rest = input.substr(0, stop); paths.size() < 8;) {
        const std::size_t semicolon = rest.find(';');
        paths.push_back(rest.substr(0, semicolon));
        if (semicolon == rest.npos) break;
        rest.remove_prefix(semicolon + 1);
    }
    context ctx;
    json::projection wanted;
    if (json::projection::compile(paths, wanted, ctx) != errc::ok) return 0;
    each_format([&](auto row) {
        using F = decltype(row);
        for (const auto& granted : F::read_dialects) {
            const std::string strict = found_by<F>(wanted, json::level::strict, *granted.dialect, document);
            const std::string structural = found_by<F>(wanted, json::level::structural, *granted.dialect, document);
            const std::string trusted = found_by<F>(wanted, json::level::trusted, *granted.dialect, document);
            if (strict.empty()) continue;
            fuzz::expect(structural == strict, "structural finds something else than strict");
            fuzz::expect(!trusted.empty(), "trusted refuses what strict takes");
        }
    });
    return 0;
}
