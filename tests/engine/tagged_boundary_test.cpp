// Where tagged documents end in a stream, against the reader, which reads them; in pieces of every size.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "engine/core/null.hpp"
#include "engine/tagged/boundary.hpp"
#include "engine/tagged/reader.hpp"
#include "engine/tagged/writer.hpp"
#include "hosts/plain/walk.hpp"
#include "tests/engine/helpers.hpp"
#include "tests/engine/random_value.hpp"

using namespace kumihimo;
using namespace helpers;

namespace {

std::vector<std::size_t> ends_by_reader(const std::string& stream) {
    context ctx;
    tagged::reader from(as_bytes(stream), ctx);
    null_sink nothing;
    std::vector<std::size_t> ends;
    while (from.more()) {
        REQUIRE(from.next(nothing) == errc::ok);
        ends.push_back(from.position());
    }
    return ends;
}

std::vector<std::size_t> ends_by_boundary(const std::string& stream, std::size_t piece) {
    tagged::boundary state;
    std::vector<std::size_t> ends;
    for (std::size_t at = 0; at < stream.size();) {
        // A copy of exactly these bytes, so that a sanitizer sees a read behind the end.
        const std::vector<char> part(stream.begin() + static_cast<std::ptrdiff_t>(at),
                                     stream.begin() + static_cast<std::ptrdiff_t>(at + std::min(piece, stream.size() - at)));
        CHECK(state.started() == (at != (ends.empty() ? 0 : ends.back())));
        const std::size_t used = state.next(part.data(), part.size());
        REQUIRE(used <= part.size());
        at += used;
        if (state.complete) {
            ends.push_back(at);
            state = {};
        } else {
            REQUIRE(used == part.size());
            REQUIRE(state.started());
        }
    }
    CHECK(!state.started());
    return ends;
}

}  // namespace

TEST_CASE("random documents of both layouts, whole and in pieces") {
    std::mt19937_64 random(20161225);
    for (int round = 0; round < 400; ++round) {
        std::string stream;
        for (int i = 0, n = 1 + static_cast<int>(random() % 6); i < n; ++i) {
            context ctx;
            buffer out;
            const bool study = random() % 2 == 0;
            tagged::writer to(out, ctx, study ? tagged::study : tagged::safe);
            const plain::value v = random_value(random, {.json_only = study, .unique_keys = study});
            plain::walker from(v, ctx);
            REQUIRE(from.feed(to) == errc::ok);
            bytes document;
            if (to.finish(document) == errc::ok) stream += as_string(document);  // no empty map in the layout study
        }
        const auto ends = ends_by_reader(stream);
        for (const std::size_t piece : {std::max<std::size_t>(stream.size(), 1), std::size_t{1}, std::size_t{2}, std::size_t{3},
                                        std::size_t{1} + random() % 40})
            CHECK(ends_by_boundary(stream, piece) == ends);
    }
}

TEST_CASE("every vector, cut everywhere") {
    std::string all;
    std::vector<std::size_t> ends;
    std::vector<std::filesystem::path> files;
    for (const auto& f : std::filesystem::recursive_directory_iterator(std::filesystem::path(KUMIHIMO_VECTORS) / "tagged"))
        if (f.path().extension() == ".in" && f.path().filename().string().starts_with("ok-")) files.push_back(f.path());
    std::sort(files.begin(), files.end());
    REQUIRE(files.size() > 50);
    for (const auto& path : files) {
        std::ifstream in(path, std::ios::binary);
        const std::string document(std::istreambuf_iterator<char>(in), {});
        if (document.size() > 1000) continue;
        ends.push_back((all += document).size());
    }
    CHECK(ends_by_reader(all) == ends);
    for (std::size_t piece = 1; piece <= 80; ++piece) CHECK(ends_by_boundary(all, piece) == ends);
    CHECK(ends_by_boundary(all, all.size()) == ends);
}

TEST_CASE("what never ends, and what is no document") {
    tagged::boundary state;
    const std::string open = "\xc1\xfe\x54\xc4\xc5\xa1";
    CHECK(state.next(open.data(), open.size()) == open.size());
    CHECK(!state.complete);
    CHECK(state.started());
    const std::string long_text("\x07\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 13);
    state = {};
    CHECK(state.next(long_text.data(), long_text.size()) == long_text.size());
    CHECK(!state.complete);
    // A wrong beginning is a document all the same: the reader says what is wrong with it.
    state = {};
    CHECK(state.next("\xc1\xfe\x55", 3) == 2);
    CHECK(state.complete);
    state = {};
    CHECK(state.next("\xc1", 1) == 1);
    CHECK(!state.complete);
    CHECK(state.next("\x01", 1) == 0);
    CHECK(state.complete);
    state = {};
    CHECK(state.next("\x0c\0\0\0\x01", 5) == 4);
    CHECK(state.complete);
    state = {};
    CHECK(state.next("\xc1\xfe\x54\xc6\x01", 5) == 4);
    CHECK(state.complete);
}
