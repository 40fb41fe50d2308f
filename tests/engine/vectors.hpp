// The files of tests/vectors (its README says what is in there), for the tests that run them.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/null.hpp"
#include "engine/simd/dispatch.hpp"
#include "tests/engine/helpers.hpp"

namespace vectors {
using namespace kumihimo;
namespace fs = std::filesystem;

constexpr trace_dialect no_counts{.counts = false};

inline std::string load(const fs::path& p) {
    std::ifstream in(p, std::ios::binary);
    REQUIRE_MESSAGE(in.good(), p);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Everything below the folder whose name ends so, in order.
inline std::vector<fs::path> files(std::string_view folder, std::string_view ending) {
    std::vector<fs::path> found;
    for (const auto& f : fs::recursive_directory_iterator(fs::path(KUMIHIMO_VECTORS) / folder)) {
        if (f.path().filename().string().ends_with(ending)) found.push_back(f.path());
    }
    std::sort(found.begin(), found.end());
    REQUIRE(!found.empty());
    return found;
}

/// The file beside this one, whose name has `ending` in place of its own.
inline fs::path beside(fs::path file, std::string_view ending) { return file.replace_extension(ending); }

/// What a vector's name says must happen: "ok", "err", "any".
inline std::string expectation(const fs::path& file) {
    const std::string name = file.filename().string();
    return name.substr(0, name.find('-'));
}

/// "code offset path" of a failure, or "ok": the line of an .error file.
inline std::string said(errc code, const failure& of) {
    std::string line = name(code);
    if (of.offset != failure::nowhere) line += " " + std::to_string(of.offset);
    if (!of.path.empty()) line += " " + of.path;
    if (code != errc::ok) CHECK(std::string_view(of.what) != "");
    return line + "\n";
}

/// Whether a failure is the one in an .error file, whose line may leave out path and offset.
inline bool agrees(const std::string& said, const std::string& expected) {
    if (std::count(expected.begin(), expected.end(), ' ') >= 2) return said == expected;
    const std::size_t n = expected.size() - 1;
    return said.size() > n && said.substr(0, n) == expected.substr(0, n) && (said[n] == ' ' || said[n] == '\n');
}

/// The failure of a reader over a document, as said().
template <class Reader>
std::string failure_of(std::string_view document, const typename Reader::dialect& granted = {}) {
    context ctx;
    Reader from(helpers::as_bytes(document), ctx, granted);
    null_sink nothing;
    const errc code = from.feed(nothing);
    return said(code, ctx.failure);
}

/// Calls visit() once on each kernel that the machine has.
template <class Visit>
void on_every_kernel(Visit visit) {
    const std::string best(simd::active().name);
    for (const auto* k : simd::available()) {
        CAPTURE(std::string(k->name));
        REQUIRE(simd::use(k->name));
        visit();
    }
    simd::use(best);
}

}  // namespace vectors
