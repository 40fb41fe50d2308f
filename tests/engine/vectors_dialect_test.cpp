// Runs tests/vectors/read: what each read dialect makes of a document. JSON's on every kernel, and by check, which
// must agree.
#include <doctest/doctest.h>

#include <optional>

#include "engine/formats.hpp"
#include "engine/json/check.hpp"
#include "tests/engine/vectors.hpp"
#include "tests/engine/vectors_fields.hpp"

using namespace vectors;
using helpers::as_bytes;

namespace {

/// The dialect of a row that a file names, or nothing.
template <class Row>
std::optional<typename Row::reader::dialect> named_by(const std::string& name) {
    if constexpr (Row::is_text) {
        if (name.starts_with('+')) return read_fields(name);
    }
    if (const auto* const d = dialect_of(Row::read_dialects, name); d != nullptr) return *d;
    return std::nullopt;
}

template <class Reader>
std::string traced(std::string_view document, const typename Reader::dialect& granted) {
    context ctx;
    Reader from(as_bytes(document), ctx, granted);
    // The trace's own limit is no part of what is asked: a dialect may let in more.
    context of_trace;
    of_trace.limits.depth = 4096;
    buffer out;
    trace_sink to(out, of_trace, no_counts);
    const errc code = from.feed(to);
    bytes lines;
    return code == errc::ok && to.finish(lines) == errc::ok ? helpers::as_string(lines) : said(code, ctx.failure);
}

template <class Row>
void run() {
    using reader = typename Row::reader;
    const fs::path folder = fs::path(KUMIHIMO_VECTORS) / "read" / Row::name;
    std::size_t compared = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const fs::path& file = entry.path();
        const std::string stem = file.stem().string(), ending = file.extension().string();
        if (ending == ".in") continue;
        CAPTURE(file);
        const std::size_t dot = stem.find('.');
        const std::string document = load(folder / (stem.substr(0, dot) + ".in")), expected = load(file);
        const auto granted = named_by<Row>(stem.substr(dot + 1));
        REQUIRE_MESSAGE(granted.has_value(), "no such dialect");
        // A copy of its own size, so that a sanitizer sees a read behind the end.
        const std::vector<char> exact(document.begin(), document.end());
        const std::string_view in(exact.data(), exact.size());
        ++compared;
        if (ending == ".trace") {
            CHECK(traced<reader>(in, *granted) == expected);
            // The same behind and before so much white space that the other walk of JSON reads it.
            if constexpr (Row::is_text) CHECK(traced<reader>(document + std::string(1 << 14, ' '), *granted) == expected);
        } else {
            REQUIRE(ending == ".error");
            CHECK(failure_of<reader>(in, *granted) == expected);
        }
        if constexpr (Row::is_text) {
            context ctx;
            const errc code = json::check(as_bytes(in), ctx, *granted);
            CHECK(said(code, ctx.failure) == (ending == ".trace" ? "ok\n" : expected));
        }
    }
    CHECK(compared > 5);
}

}  // namespace

TEST_CASE("the read dialects of JSON, on every kernel") {
    on_every_kernel([] { run<json::format>(); });
}

TEST_CASE("the read dialects of every binary format") {
    each_format([](auto row) {
        CAPTURE(decltype(row)::name);
        if constexpr (!decltype(row)::is_text) run<decltype(row)>();
    });
}

TEST_CASE("every read dialect has vectors") {
    each_format([](auto row) {
        const std::string folder = "read/" + std::string(decltype(row)::name);
        for (const auto& d : decltype(row)::read_dialects) {
            CAPTURE(d.name);
            std::size_t n = 0;
            for (const char* ending : {".trace", ".error"}) {
                for (const fs::path& file : files(folder, ending))
                    n += file.stem().string().ends_with("." + std::string(d.name));
            }
            CHECK(n > 2);
        }
    });
}
