// Runs tests/vectors/frames, streams and detect: what compressed bytes unpack to, where the documents of a stream end,
// and which format or frame is told by bytes, media types and names.
#include <doctest/doctest.h>

#include <sstream>

#include "engine/formats.hpp"
#include "engine/frame/frame.hpp"
#include "tests/engine/vectors.hpp"

using namespace vectors;
using helpers::as_bytes;

namespace {

constexpr std::size_t whole = static_cast<std::size_t>(-1);

std::string unpacked(const frame::codec& as, const std::string& packed, errc& code, context& ctx) {
    buffer out;
    code = frame::unpack(as, as_bytes(packed), out, ctx);
    return {out.data() == nullptr ? "" : out.data(), out.size()};
}

std::string streamed(const frame::codec& as, const std::string& packed, std::size_t piece, errc& code, context& ctx) {
    buffer out;
    frame::unpacker from(as, ctx);
    code = errc::ok;
    for (std::size_t at = 0; at < packed.size() && code == errc::ok; at += std::min(piece, packed.size()))
        code = from.feed(as_bytes(std::string_view(packed).substr(at, piece)), out);
    if (code == errc::ok) code = from.finish();
    return {out.data() == nullptr ? "" : out.data(), out.size()};
}

/// What a stream's documents are: their traces, where they end, and the first fault with the place where its document
/// begins.
struct told {
    std::string traces, ends, error = "ok\n", start;
};

// The stream comes in pieces of so many bytes, as it does from a file.
template <class Row>
told documents(const std::string& stream, std::size_t piece) {
    told all;
    std::string at_hand;
    std::size_t before = 0, seen = 0, given = 0;  // of the stream: where at_hand begins; of at_hand: what the boundary has seen
    typename Row::boundary where;
    for (;;) {
        if (Row::is_text && seen == 0) {
            const std::size_t blank = std::min(at_hand.find_first_not_of(" \t\r\n"), at_hand.size());
            at_hand.erase(0, blank);
            before += blank;
        }
        bool last = false;
        if (seen == at_hand.size()) {
            if (given < stream.size()) {
                const std::string_view more = std::string_view(stream).substr(given, piece);
                at_hand += more;
                given += more.size();
                continue;
            }
            if (!where.started()) return all;
            last = true;
        } else {
            seen += where.next(at_hand.data() + seen, at_hand.size() - seen);
            if (!where.complete) continue;
        }
        const std::vector<char> document(at_hand.begin(), at_hand.begin() + static_cast<std::ptrdiff_t>(seen));
        context ctx;
        buffer out;
        typename Row::reader from(as_bytes({document.data(), document.size()}), ctx);
        trace_sink to(out, ctx, no_counts);
        bytes lines;
        const errc code = from.feed(to);
        if (code != errc::ok) {
            all.error = said(code, ctx.failure);
            all.start = std::to_string(before) + "\n";
            return all;
        }
        REQUIRE(to.finish(lines) == errc::ok);
        all.traces += helpers::as_string(lines);
        before += seen;
        all.ends += std::to_string(before) + "\n";
        at_hand.erase(0, seen);
        seen = 0;
        where = {};
        if (last) return all;
    }
}

template <class Row>
void run() {
    for (const fs::path& in : files("streams/" + std::string(Row::name), ".in")) {
        CAPTURE(in);
        const std::string stream = load(in);
        for (const std::size_t piece :
             {whole, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{64}, std::size_t{100}}) {
            CAPTURE(piece);
            const told got = documents<Row>(stream, piece);
            CHECK(got.traces == load(beside(in, ".trace")));
            CHECK(got.ends == load(beside(in, ".ends")));
            if (expectation(in) == "ok") {
                CHECK(got.error == "ok\n");
            } else {
                REQUIRE(expectation(in) == "err");
                CHECK(got.error == load(beside(in, ".error")));
                CHECK(got.start == load(beside(in, ".start")));
            }
        }
    }
}

std::string or_none(std::string_view name) { return name.empty() ? "none" : std::string(name); }

}  // namespace

TEST_CASE("frames, as whole buffers and as streams") {
    for (const frame::codec* as : frame::all()) {
        CAPTURE(as->name);
        for (const fs::path& in : files("frames/" + std::string(as->name), ".in")) {
            CAPTURE(in);
            const std::string packed = load(in);
            const auto check = [&](const std::string& text, errc code, const context& ctx, bool all_or_nothing) {
                if (expectation(in) == "ok") {
                    CHECK(said(code, ctx.failure) == "ok\n");
                    CHECK((text == load(beside(in, ".out"))));
                    return;
                }
                REQUIRE(expectation(in) == "err");
                const std::string got = said(code, ctx.failure), expected = load(beside(in, ".error"));
                CHECK_MESSAGE(agrees(got, expected), got << expected);
                if (all_or_nothing) CHECK(text.empty());
            };
            context ctx;
            errc code = errc::ok;
            const std::string text = unpacked(*as, packed, code, ctx);
            check(text, code, ctx, true);
            if (expectation(in) == "ok") {
                CHECK(frame::recognise(as_bytes(packed)) == as);
                buffer out;
                context again;
                REQUIRE(frame::pack(*as, as_bytes(text), out, frame::usual_level, again) == errc::ok);
                CHECK((unpacked(*as, {out.data(), out.size()}, code, again) == text));
            }
            for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, std::size_t{4096}}) {
                CAPTURE(piece);
                context of_stream;
                const std::string got = streamed(*as, packed, piece, code, of_stream);
                check(got, code, of_stream, false);
            }
        }
    }
}

TEST_CASE("the documents of a stream") {
    on_every_kernel([] { run<json::format>(); });
    each_format([](auto row) {
        if constexpr (!decltype(row)::is_text) run<decltype(row)>();
    });
}

TEST_CASE("formats and frames told by first bytes") {
    for (const fs::path& in : files("detect/format", ".in")) {
        CAPTURE(in);
        CHECK(or_none(format_of(as_bytes(load(in)))) == expectation(in));
    }
    for (const fs::path& in : files("detect/frame", ".in")) {
        CAPTURE(in);
        const frame::codec* const as = frame::recognise(as_bytes(load(in)));
        CHECK(or_none(as == nullptr ? "" : as->name) == expectation(in));
    }
}

TEST_CASE("formats told by media types, formats and frames by names") {
    std::istringstream types(load(fs::path(KUMIHIMO_VECTORS) / "detect" / "media-types"));
    for (std::string line; std::getline(types, line);) {
        CAPTURE(line);
        const std::size_t tab = line.find('\t');
        CHECK(or_none(format_of_media_type(std::string_view(line).substr(tab + 1))) == line.substr(0, tab));
    }
    std::istringstream names(load(fs::path(KUMIHIMO_VECTORS) / "detect" / "names"));
    for (std::string line; std::getline(names, line);) {
        CAPTURE(line);
        const std::size_t tab = line.find('\t'), second = line.find('\t', tab + 1);
        const std::string name = line.substr(second + 1);
        const frame::codec* const as = frame::by_ending(name);
        CHECK(or_none(format_of_path(name)) == line.substr(0, tab));
        CHECK(or_none(as == nullptr ? "" : as->name) == line.substr(tab + 1, second - tab - 1));
    }
}
