// Streams that may be in a frame: the text whatever the cut, in pieces of bounded size, and what comes before a fault.
#include "engine/frame/plain_stream.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "tests/engine/helpers.hpp"

using namespace kumihimo;
using frame::codec;
using frame::plain_stream;
using helpers::as_bytes;

namespace {

struct result {
    errc code = errc::ok;
    std::string text;
    std::size_t largest = 0;  // piece of text
};

void take(plain_stream& from, result& r) {
    bytes text;
    while ((r.code = from.next(text)) == errc::ok && !text.empty()) {
        r.text.append(reinterpret_cast<const char*>(text.data()), text.size());
        r.largest = std::max(r.largest, text.size());
    }
}

result streamed(plain_stream& from, std::string_view packed, std::size_t piece) {
    result r;
    for (std::size_t at = 0; at < packed.size() && r.code == errc::ok; at += piece) {
        from.push(as_bytes(packed.substr(at, piece)));
        take(from, r);
    }
    if (r.code != errc::ok) return r;
    from.end();
    take(from, r);
    return r;
}

std::string packed(const codec& as, std::string_view text) {
    context ctx;
    buffer out;
    REQUIRE(frame::pack(as, as_bytes(text), out, frame::usual_level, ctx) == errc::ok);
    return {out.data(), out.size()};
}

}  // namespace

TEST_CASE("a stream in no frame comes as it is, however short and however it is cut") {
    for (const std::string& text : {std::string(), std::string("1"), std::string("\x1f\x8b"), std::string("[1]"),
                                    std::string("(\xb5/"), std::string(1000, 'x'), std::string(1 << 20, 'y')}) {
        for (const std::size_t piece : {1, 2, 3, 5, 700, 1 << 21}) {
            if (text.size() / piece > 2000) continue;
            plain_stream from;
            const result r = streamed(from, text, piece);
            CHECK(r.code == errc::ok);
            CHECK((r.text == text));
            CHECK(r.largest <= plain_stream::piece);
            CHECK(from.found() == nullptr);
        }
    }
}

TEST_CASE("no byte is kept back that can be the beginning of no frame") {
    plain_stream from;
    bytes text;
    from.push(as_bytes("1\n"));
    CHECK(from.next(text) == errc::ok);
    CHECK(text.size() == 2);
    plain_stream packed;
    packed.push(as_bytes("\x1f\x8b"));
    CHECK(packed.next(text) == errc::ok);
    CHECK(text.empty());
}

TEST_CASE("a stream in a frame comes without it, whole and byte by byte, several members too") {
    std::string text;
    for (int i = 0; i < 3000; ++i) text += std::to_string(i * 7919);
    for (const codec* const as : frame::all()) {
        const std::string two = packed(*as, text) + packed(*as, "behind");
        for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{777}, two.size()}) {
            CAPTURE(as->name);
            CAPTURE(piece);
            plain_stream from;
            const result r = streamed(from, two, piece);
            CHECK(r.code == errc::ok);
            CHECK((r.text == text + "behind"));
            CHECK(from.found() == as);
        }
    }
}

TEST_CASE("a skippable frame first, byte by byte: what tells zstd from lz4 is not at hand, and zstd is tried") {
    const std::string skipped("\x50\x2a\x4d\x18\x02\0\0\0ab", 10);
    plain_stream whole, cut;
    CHECK(streamed(whole, skipped + packed(frame::lz4, "text"), 1000).text == "text");
    CHECK(streamed(cut, skipped + packed(frame::zstd, "text"), 1).text == "text");
}

TEST_CASE("a bomb comes in pieces of bounded size") {
    const std::string text(64 << 20, ' ');
    for (const codec* const as : frame::all()) {
        CAPTURE(as->name);
        const std::string bomb = packed(*as, text);
        plain_stream from;
        bytes some;
        from.push(as_bytes(bomb));
        std::size_t all = 0, largest = 0;
        errc code = errc::ok;
        while ((code = from.next(some)) == errc::ok && !some.empty()) {
            all += some.size();
            largest = std::max(largest, some.size());
        }
        CHECK(largest <= plain_stream::piece);
        // lz4 ends at 255 to one; gzip and zstd pack blanks beyond the ratio that is allowed.
        CHECK(code == (as == &frame::lz4 ? errc::ok : errc::size));
        CHECK((all == text.size()) == (as == &frame::lz4));
        CHECK(from.next(some) == code);
    }
}

TEST_CASE("text before a fault is given before the fault is told, and then it is told for good") {
    for (const codec* const as : frame::all()) {
        CAPTURE(as->name);
        const std::string good = packed(*as, "good");
        for (const std::string& bad : {good + "what is this", good + good.substr(0, good.size() - 1)}) {
            plain_stream from;
            const result r = streamed(from, bad, bad.size());
            CHECK(r.text.substr(0, 4) == "good");
            CHECK((r.code == errc::trailing || r.code == errc::truncated));
            CHECK(from.said().failure.code == r.code);
            bytes text;
            CHECK(from.next(text) == r.code);
            CHECK(text.empty());
        }
    }
}
