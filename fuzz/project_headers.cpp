// Projection by headers against the reader. The first line holds paths, ';' between them; the rest is a document,
// which is tried in every format that has such a projector. Strict must say what the reader says, and every level must
// find what is found in the document as JSON.
#include "fuzz/project_headers.hpp"

#include "engine/formats.hpp"

using namespace kumihimo;

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
    each_format([&](auto f) {
        if constexpr (header_projecting_format<decltype(f)>) fuzz::judge_projector<decltype(f)>(document, wanted);
    });
    return 0;
}
