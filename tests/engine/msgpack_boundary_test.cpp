// Where MessagePack documents end in a stream, against the reader, which reads them; in pieces of every size.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "engine/core/null.hpp"
#include "engine/msgpack/boundary.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"
#include "hosts/plain/walk.hpp"
#include "tests/engine/helpers.hpp"
#include "tests/engine/random_value.hpp"

using namespace kumihimo;
using namespace helpers;
namespace mp = kumihimo::msgpack;

namespace {

std::vector<std::size_t> ends_by_reader(const std::string& stream) {
    context ctx;
    mp::reader from(as_bytes(stream), ctx, mp::ruby_read);
    null_sink nothing;
    std::vector<std::size_t> ends;
    while (from.more()) {
        REQUIRE(from.next(nothing) == errc::ok);
        ends.push_back(from.position());
    }
    return ends;
}

std::vector<std::size_t> ends_by_boundary(const std::string& stream, std::size_t piece) {
    mp::boundary state;
    std::vector<std::size_t> ends;
    for (std::size_t at = 0; at < stream.size();) {
        const std::size_t n = std::min(piece, stream.size() - at);
        CHECK(state.started() == (at != (ends.empty() ? 0 : ends.back())));
        const std::size_t used = state.next(stream.data() + at, n);
        REQUIRE(used <= n);
        at += used;
        if (state.complete) {
            ends.push_back(at);
            state = {};
        } else {
            REQUIRE(used == n);
            REQUIRE(state.started());
        }
    }
    CHECK(!state.started());
    return ends;
}

}  // namespace

TEST_CASE("random documents, whole and in pieces") {
    std::mt19937_64 random(20161225);
    for (int round = 0; round < 400; ++round) {
        std::string stream;
        for (int i = 0, n = 1 + static_cast<int>(random() % 6); i < n; ++i) {
            context ctx;
            buffer out;
            mp::writer to(out, ctx);
            const plain::value v = random_value(random, {.utc_only = true, .small_ext = true, .no_big = true});
            plain::walker from(v, ctx);
            REQUIRE(from.feed(to) == errc::ok);
            bytes document;
            REQUIRE(to.finish(document) == errc::ok);
            stream += as_string(document);
        }
        const auto ends = ends_by_reader(stream);
        for (const std::size_t piece :
             {stream.size(), std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{1} + random() % 40})
            CHECK(ends_by_boundary(stream, piece) == ends);
    }
}

TEST_CASE("every kind of header, cut everywhere") {
    using namespace std::string_literals;
    const std::string values[] = {
        "\x00"s,
        "\xff"s,
        "\xc0"s,
        "\xc2"s,
        "\x80"s,
        "\x90"s,
        "\xa0"s,
        "\xa3"
        "abc"s,
        "\xcc\x80"s,
        "\xcd\x80\x00"s,
        "\xce\x80\x00\x00\x00"s,
        "\xcf\x80\x00\x00\x00\x00\x00\x00\x00"s,
        "\xca\x00\x00\x00\x00"s,
        "\xcb\x00\x00\x00\x00\x00\x00\x00\x00"s,
        "\xd4\x05"
        "a"s,
        "\xd8\x05"
        "0123456789abcdef"s,
        "\xc7\x00\x05"s,
        "\xc8\x00\x01\x05"
        "a"s,
        "\xc9\x00\x00\x00\x02\x05"
        "ab"s,
        "\xc4\x01"
        "a"s,
        "\xc5\x00\x01"
        "a"s,
        "\xc6\x00\x00\x00\x01"
        "a"s,
        "\xd9\x01"
        "a"s,
        "\xda\x00\x01"
        "a"s,
        "\xdb\x00\x00\x00\x01"
        "a"s,
        "\x91\x91\x90"s,
        "\xdc\x00\x02\x01\x02"s,
        "\xdd\x00\x00\x00\x01\xc0"s,
        "\x81\x01\x81\x02\x03"s,
        "\xde\x00\x01\x01\x02"s,
        "\xdf\x00\x00\x00\x01\x01\x90"s,
    };
    std::string all;
    std::vector<std::size_t> ends;
    for (const std::string& value : values) ends.push_back((all += value).size());
    CHECK(ends_by_reader(all) == ends);
    for (std::size_t piece = 1; piece <= all.size(); ++piece) CHECK(ends_by_boundary(all, piece) == ends);
}

TEST_CASE("what never ends") {
    mp::boundary state;
    const std::string many = "\xdf\xff\xff\xff\xff\xdd\xff\xff\xff\xff";
    CHECK(state.next(many.data(), many.size()) == many.size());
    CHECK(!state.complete);
    CHECK(state.started());
    // A byte that begins no value is one all the same: the reader says what is wrong with it.
    state = {};
    CHECK(state.next("\xc1\xc0", 2) == 1);
    CHECK(state.complete);
}
