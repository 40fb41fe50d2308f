// Projection by headers: every format that has it, every level, held to the reader and to JSON's projector
// (fuzz/project_headers.hpp is the judge). Documents of the usual kinds, broken in every way: cut at each byte, and
// with bytes changed.
#include "fuzz/project_headers.hpp"

#include <doctest/doctest.h>

#include <random>

#include "bench/frames.hpp"
#include "engine/formats.hpp"

using namespace kumihimo;

namespace {

template <class Visit>
void each_projecting_format(Visit visit) {
    each_format([&](auto f) {
        if constexpr (header_projecting_format<decltype(f)>) {
            CAPTURE(decltype(f)::name);
            visit(f);
        }
    });
}

template <format F>
std::string packed(std::string_view text) {
    context ctx;
    buffer out;
    typename F::template writer<buffer> to(out, ctx, *F::write_dialects[0].dialect);
    json::reader from(fuzz::as_bytes(text), ctx);
    bytes b;
    to.begin();
    REQUIRE(pipe(from, to, b) == errc::ok);
    return fuzz::as_string(b);
}

json::projection wants(std::vector<std::string_view> paths) {
    json::projection p;
    context ctx;
    REQUIRE(json::projection::compile(paths, p, ctx) == errc::ok);
    return p;
}

const std::vector<std::vector<std::string_view>> path_sets = {
    {"a.b", "c"},           {"t[*].v", "t[1]"},  {"$"},     {"t[0].v", "a", "a.b"},
    {"g[*][*]", "g[1][0]"}, {"absent.x", "[0]"}, {"[*].a"}, {"c"},
};

const char* const documents[] = {
    R"({"a":{"b":1,"x":[1,2,3]},"c":"text","t":[{"v":1},{"v":2.5},{"w":0},{"v":null},{"v":"e"},{"v":[7]}]})",
    R"({"g":[[1,2],[3,4],[5,6],[7,8],[9,10]],"a":{"b":{"deep":[[[[[]]]]]}},"a":{"b":"again"}})",
    R"([{"a":1},{"a":2},{"a":3},{"a":4},{"a":5},{"b":6}])",
    R"({"t":["one","two","six","ten","né","abc"],"c":[1.5,2.5,3.5,4.5,5.5,-1],"a":5})",
    R"({"a":null,"c":{},"t":[]})",
    R"("alone")",
    R"([[[[1,2,3,4,5],[1,2,3,4,5],[1,2,3,4,"x"],[1,2,3,4,5],[1,2,3,4,5]]]])",
};

}  // namespace

TEST_CASE("the values of usual documents, and documents cut at every byte") {
    each_projecting_format([](auto f) {
        using F = decltype(f);
        for (const auto& paths : path_sets) {
            const json::projection wanted = wants(paths);
            for (const char* const text : documents) {
                const std::string whole = packed<F>(text);
                for (std::size_t n = 0; n <= whole.size(); ++n) {
                    // In memory of its own size, so that a sanitizer sees a read behind its end.
                    const std::vector<unsigned char> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
                    fuzz::judge_projector<F>(part, wanted);
                }
            }
        }
    });
}

TEST_CASE("documents with bytes changed") {
    std::mt19937 random(11);
    each_projecting_format([&](auto f) {
        using F = decltype(f);
        for (const auto& paths : path_sets) {
            const json::projection wanted = wants(paths);
            for (const char* const text : documents) {
                const std::string whole = packed<F>(text);
                for (int turn = 0; turn < 400; ++turn) {
                    std::vector<unsigned char> changed(whole.begin(), whole.end());
                    for (unsigned k = random() % 3 + 1; k != 0; --k)
                        changed[random() % changed.size()] = static_cast<unsigned char>(random());
                    fuzz::judge_projector<F>(changed, wanted, fuzz::as_bytes(whole));
                }
            }
        }
    });
}

TEST_CASE("frames of an exchange") {
    const json::projection wanted = wants({"last_price.price", "timestamp", "trades[*].price", "asks[3][1]"});
    each_projecting_format([&](auto f) {
        using F = decltype(f);
        std::mt19937 random(5);
        for (const auto& frame : bench::frames(20, 20, bench::frame_maker::order::any)) {
            const std::string whole = packed<F>(frame.text);
            std::vector<unsigned char> changed(whole.begin(), whole.end());
            fuzz::judge_projector<F>(changed, wanted);
            for (int turn = 0; turn < 100; ++turn) {
                changed.assign(whole.begin(), whole.end());
                changed[random() % changed.size()] = static_cast<unsigned char>(random());
                fuzz::judge_projector<F>(changed, wanted, fuzz::as_bytes(whole));
            }
        }
    });
}

TEST_CASE("hostile headers") {
    const json::projection wanted = wants({"a.b", "c[*]", "[1]"});
    std::vector<std::string> inputs;
    for (int c = 0; c < 256; ++c) {
        for (const int fill : {0x00, 0x01, 0x7f, 0xff})
            for (const std::size_t n : {1u, 2u, 3u, 5u, 9u, 12u, 40u}) {
                std::string s(n, static_cast<char>(fill));
                s[0] = static_cast<char>(c);
                inputs.push_back(s);
                // ... as a value of a map's only pair, and as an array's second element.
                inputs.push_back(
                    "\x81\xa1"
                    "c" +
                    s);
                inputs.push_back(
                    "\xa1\x61"
                    "c" +
                    s);
                inputs.push_back("\x92\x01" + s);
                inputs.push_back("\x82\x01" + s);
            }
    }
    // Nesting up to and beyond the limit.
    for (const std::size_t depth : {1023u, 1024u, 1025u, 40000u}) {
        for (const char open : {'\x91', '\x81', '\x9f', '\xbf'}) inputs.push_back(std::string(depth, open) + '\x01');
        std::string maps;
        for (std::size_t i = 0; i < depth; ++i) maps += "\x81\x01";
        inputs.push_back(maps + '\x01');
        // Within what is passed over.
        inputs.push_back("\x92" + std::string(depth, '\x91') + '\x01' + "\x02");
        inputs.push_back("\x82" + std::string(depth, '\x81') + '\x01' + "\x02");
        // As many containers that are not nested.
        inputs.push_back("\xdc\x75\x30" + std::string(30000, '\x90'));
        inputs.push_back("\x99\x75\x30" + std::string(30000, '\x80'));
    }
    each_projecting_format([&](auto f) {
        for (const std::string& s : inputs) {
            const std::vector<unsigned char> exact(s.begin(), s.end());
            fuzz::judge_projector<decltype(f)>(exact, wanted);
        }
    });
}

TEST_CASE("what CBOR has besides: open ends, chunks, tags") {
    using F = cbor::format;
    const json::projection wanted = wants({"a.b", "c[*]", "t[1]", "$"}), some = wants({"a.b", "c[*]", "t[1]"});
    const std::string inputs[] = {
        std::string("\xbf\x61"
                    "a\xbf\x61"
                    "b\x01\xff\x61"
                    "c\x9f\x01\x02\xff\xff"),
        std::string("\xd9\xd9\xf7\xd9\xd9\xf7\xa1\x61"
                    "a\xd9\xd9\xf7\xa1\x61"
                    "b\x18\x20"),
        std::string("\xa1\xd9\xd9\xf7\x61"
                    "a\xa1\x7f\x61"
                    "b\xff\x05"),
        std::string("\xa2\x61"
                    "a\xc1\x1a\x51\x4b\x67\xb0\x61"
                    "c\x83\xc1\x01\xc1\x02\xc2\x41\x05"),
        std::string("\xa2\x61"
                    "t\x85\x7f\x61"
                    "x\xff\x7f\x61"
                    "x\xff\x7f\x61"
                    "x\xff\x01\x02\x61"
                    "c\xf7"),
        std::string("\xa2\x61"
                    "t\x9f\xff\x61"
                    "c\xa1\x9f\x01\xff\x02"),
        std::string("\xa1\x61"
                    "x\x85\xc0\x61"
                    "1\xc0\x61"
                    "2\xc0\x61"
                    "3\x01\x01"),
        std::string("\xbf\x61"
                    "a\xff",
                    4),
        std::string("\x9f\x9f\x9f\xff\xff"),
        std::string("\x84\xf8\x20\xf8\x21\xf8\x10\xf8\x22"),
    };
    for (const std::string& s : inputs)
        for (std::size_t n = 0; n <= s.size(); ++n) {
            const std::vector<unsigned char> exact(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(n));
            fuzz::judge_projector<F>(exact, wanted);
            fuzz::judge_projector<F>(exact, some);
        }
}

namespace {

// MessagePack, but that nothing is passed over.
template <bool Starved>
struct refusing_headers : msgpack::headers {
    static const unsigned char* skip(const unsigned char*, const unsigned char*, molds&, bool& starved) noexcept {
        starved = Starved;
        return nullptr;
    }
    static const unsigned char* pass(const unsigned char* p, const unsigned char* e, std::size_t, molds& known,
                                     bool& starved) noexcept {
        return skip(p, e, known, starved);
    }
};

}  // namespace

TEST_CASE("a document that is refused for want of memory, and one that is refused but reads well") {
    const std::string whole = packed<msgpack::format>(documents[0]);
    const json::projection wanted = wants({"c"});
    for (const json::level how : {json::level::strict, json::level::structural, json::level::trusted}) {
        for (const json::given as : {json::given::document, json::given::stream}) {
            context ctx;
            json::header_projector<refusing_headers<true>> starved(wanted, how);
            CHECK(starved.run(fuzz::as_bytes(whole), as, ctx) == errc::memory);
            CHECK(std::string(ctx.failure.what) == "out of memory while projecting");
            ctx.clear();
            json::header_projector<refusing_headers<false>> refused(wanted, how);
            CHECK(refused.run(fuzz::as_bytes(whole), as, ctx) == errc::syntax);
            CHECK(std::string(ctx.failure.what) == "the document was refused, but reads well: please report this as a defect");
        }
    }
}

TEST_CASE("of a key that comes twice the same value, whatever is given") {
    struct one {
        std::vector<std::string_view> paths;
        const char *last, *trusted;  // the first path's value: at strict and structural, and at trusted
    };
    const one all[] = {
        {{"a", "b"}, "4", "1"},       // at b nothing is wanted any more
        {{"a"}, "4", "1"},            // nor is it at once
        {{"a", "absent"}, "4", "4"},  // to the end
        {{"a", "c"}, "4", "3"},      {{"o.x", "o.y"}, "7", "5"}, {{"$"}, nullptr, nullptr},
    };
    const char* const text =
        R"({"a":1,"b":2,"a":3,"c":[[1,{"d":[]}],{"e":"f"}],"o":{"x":5,"z":[{}],"y":6,"x":7},"l":[0,{}],"a":4})";
    each_projecting_format([&](auto f) {
        using F = decltype(f);
        const std::string whole = packed<F>(text), two = whole + whole;
        for (const one& w : all)
            for (const json::level how : {json::level::strict, json::level::structural, json::level::trusted}) {
                CAPTURE(w.paths[0]);
                CAPTURE(static_cast<int>(how));
                typename F::projector alone(wants(w.paths), how), first(wants(w.paths), how);
                context ctx;
                REQUIRE(alone.run(fuzz::as_bytes(whole), json::given::document, ctx) == errc::ok);
                REQUIRE(first.run(fuzz::as_bytes(two), json::given::stream, ctx) == errc::ok);
                CHECK(alone.size() == whole.size());
                CHECK(first.size() == whole.size());
                for (std::size_t i = 0; i < w.paths.size(); ++i) {
                    CHECK(alone.value(i).offset == first.value(i).offset);
                    CHECK(alone.value(i).length == first.value(i).length);
                }
                if (w.last != nullptr)
                    CHECK(fuzz::as_json<F>(alone, alone.value(0), ctx) == (how == json::level::trusted ? w.trusted : w.last));
            }
    });
    // Containers of open end, which are left where they close, and a stream that ends inside of one.
    const std::string open(
        "\xbf\x61"
        "a\x01\x61"
        "c\x9f\xbf\xff\x9f\xff\xff\x61"
        "a\x02\xff",
        16);
    for (const bool cut : {false, true}) {
        cbor::format::projector p(wants({"a"}), json::level::trusted);
        context ctx;
        const std::string input = cut ? open.substr(0, open.size() - 1) : open + open;
        const errc said = p.run(fuzz::as_bytes(input), json::given::stream, ctx);
        CHECK(said == (cut ? errc::truncated : errc::ok));
        if (!cut) CHECK(p.size() == open.size());
        if (!cut) CHECK(fuzz::as_json<cbor::format>(p, p.value(0), ctx) == "1");
    }
}
