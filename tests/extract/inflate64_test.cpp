// Deflate64: streams of a plain writer and of zlib, in rooms and pieces of every size; what is damaged or cut off;
// entries of Zips.
#include "extract/inflate64.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <cstdlib>
#include <random>
#include <string>
#include <utility>

#include "archives.hpp"
#include "fuzz/deflate64.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;
using deflate64::encoder;

namespace {

bytes as_bytes(const std::string& s) { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }

class drip final : public byte_source {
public:
    drip(const std::string& s, std::size_t n) : rest_(as_bytes(s)), n_(n) {}
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override {
        return rest_.read(to, std::min(room, n_), got, ctx);
    }
    std::uint64_t consumed() const noexcept override { return rest_.consumed(); }

private:
    memory_source rest_;
    std::size_t n_;
};

struct answer {
    errc code = errc::ok;
    std::string text;
    std::uint64_t taken = 0;
};

answer expanded(const std::string& packed, std::size_t room = std::size_t{1} << 20, std::size_t step = std::size_t{1} << 20,
                const expansion& allowed = {}) {
    drip from(packed, step);
    inflate64_source s(from, allowed);
    answer a;
    std::string block(room, 0);
    for (;;) {
        context ctx;
        std::size_t got = 0;
        a.code = s.read(block.data(), room, got, ctx);
        if (got > room || (a.code == errc::ok) != (ctx.failure.code == errc::ok)) FAIL("more than its room, or no reason");
        a.taken = s.taken();
        if (a.code != errc::ok || got == 0) return a;
        a.text.append(block, 0, got);
    }
}

// The packed text must come out in rooms and out of pieces of any size.
void check(const std::string& packed, const std::string& text) {
    constexpr std::size_t much = std::size_t{1} << 20;
    const std::pair<std::size_t, std::size_t> ways[] = {{much, much}, {997, 7}, {65536, 1}};
    for (const auto& [room, step] : ways) {
        const answer a = expanded(packed, room, step);
        CHECK(a.code == errc::ok);
        CHECK(a.text == text);
        CHECK(a.taken == packed.size());
    }
}

std::string zlib(const std::string& text, int level, int strategy) {
    z_stream z{};
    REQUIRE(deflateInit2(&z, level, Z_DEFLATED, -15, 9, strategy) == Z_OK);
    std::string out(deflateBound(&z, text.size()), 0);
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

std::string lines(std::size_t count) {
    std::mt19937 some(7);
    std::string s;
    for (std::size_t i = 0; i < count; ++i) s += "{\"a\":" + std::to_string(i) + ",\"b\":\"" + std::to_string(some()) + "\"}\n";
    return s;
}

// `count` documents as one stream, with repetitions of every kind.
encoder documents(std::size_t count) {
    encoder w;
    std::mt19937 some(3);
    w.begin(false);
    for (std::size_t i = 0; i < count; ++i) {
        for (const char c : "{\"a\":" + std::to_string(i) + ",\"pad\":\"") w.literal(static_cast<unsigned char>(c));
        w.literal('x');
        w.match(3 + some() % 3000, 1);
        for (const char c : std::string("\"}\n")) w.literal(static_cast<unsigned char>(c));
    }
    w.end();
    w.stored("{\"a\":-1}\n", true);
    return w;
}

}  // namespace

TEST_CASE("every length and distance at the ends of its code's range") {
    encoder w;
    std::mt19937 some(1);
    w.begin(true);
    for (unsigned i = 0; i < 70'000; ++i) w.literal(static_cast<unsigned char>(some()));
    for (unsigned n = 3; n <= 300; ++n) w.match(n, 1 + some() % 65536);
    for (const unsigned n : {511u, 512u, 32768u, 32769u, 65535u, 65536u, 65537u, 65538u}) w.match(n, 1 + some() % 65536);
    for (unsigned d = 1; d <= 65536; d = d < 300 ? d + 1 : d * 2)
        for (const unsigned near : {d - 1, d, d + 1})
            if (near >= 1 && near <= 65536) w.match(3 + some() % 40, near);
    w.match(65538, 65536), w.match(65538, 1), w.match(3, 65535);
    w.end();
    check(w.finish(), w.text());
}

TEST_CASE("stored blocks, empty ones, and one behind the other") {
    encoder w;
    w.stored("", false), w.stored(std::string(65535, 'a'), false);
    w.begin(false), w.literal('b'), w.match(65538, 60000), w.end();
    w.begin(false), w.end();
    w.stored("the end", true);
    check(w.finish(), w.text());
}

TEST_CASE("codes of its own in each block, as zlib writes them where it repeats no 258 bytes") {
    const std::string text = lines(30'000);
    for (const int level : {1, 6, 9}) check(zlib(text, level, Z_DEFAULT_STRATEGY), text);
    check(zlib(text, 6, Z_HUFFMAN_ONLY), text);
    check(zlib(std::string(1000, 'a'), 6, Z_HUFFMAN_ONLY), std::string(1000, 'a'));
    check(zlib("", 6, Z_DEFAULT_STRATEGY), "");
}

TEST_CASE("what is cut off says so, and gives what came before") {
    encoder w = documents(3);
    for (const std::string& whole : {w.finish(), zlib(lines(20), 6, Z_DEFAULT_STRATEGY)})
        for (std::size_t n = 0; n < whole.size(); ++n) {
            CAPTURE(n);
            const answer a = expanded(whole.substr(0, n));
            CHECK(a.code == errc::truncated);
            CHECK(a.text == expanded(whole).text.substr(0, a.text.size()));
        }
}

TEST_CASE("what is damaged") {
    const auto refused = [](auto make) {
        encoder w;
        make(w);
        for (int i = 0; i < 10; ++i) w.bits(0, 32);
        return expanded(w.finish()).code == errc::syntax;
    };
    CHECK(refused([](encoder& w) { w.bits(7, 3); }));                                           // no such block
    CHECK(refused([](encoder& w) { w.bits(1, 3), w.align(), w.bits(5, 16), w.bits(5, 16); }));  // two lengths
    CHECK(refused([](encoder& w) { w.begin(true), w.bits(0x63, 8); }));                         // 286, which is no symbol
    CHECK(refused([](encoder& w) { w.begin(true), w.literal('a'), w.bits(0x40, 7), w.bits(2, 5); }));  // before the text
    const auto header = [](encoder& w, unsigned lengths, unsigned distances, unsigned order) {
        w.bits(5, 3), w.bits(lengths, 5), w.bits(distances, 5), w.bits(order, 4);
    };
    CHECK(refused([&](encoder& w) { header(w, 30, 0, 0); }));                              // 287 symbols
    CHECK(refused([&](encoder& w) { header(w, 0, 0, 0), w.bits(0x249, 12); }));            // four words of one bit
    CHECK(refused([&](encoder& w) { header(w, 0, 0, 0), w.bits(1, 12), w.bits(0, 8); }));  // again, and nothing before
    CHECK(refused([&](encoder& w) { header(w, 0, 0, 0), w.bits(0x200, 12); }));            // nothing ends the block
    // No crash, and no more than was allowed, whatever is flipped.
    encoder w = documents(20);
    const std::string whole = w.finish();
    std::mt19937 some(5);
    const char* const count = std::getenv("KUMIHIMO_COUNT");
    for (int i = 0; i < (count != nullptr ? std::atoi(count) : 500); ++i) {
        std::string bad = whole;
        for (unsigned k = some() % 4 + 1; k != 0; --k) bad[some() % bad.size()] ^= static_cast<char>(1 << some() % 8);
        const answer one = expanded(bad, 1 << 20), other = expanded(bad, 313, 11);
        CHECK(one.code == other.code);
        CHECK(one.text == other.text);
    }
}

TEST_CASE("a bomb ends where the limit is") {
    encoder w;
    w.begin(true), w.literal('a');
    for (int i = 0; i < 400; ++i) w.match(65538, 1);
    w.end();
    const std::string packed = w.finish();
    CHECK(expanded(packed).code == errc::size);
    CHECK(expanded(packed, 1 << 20, 1 << 20, {.ratio = 50'000}).text == w.text());
}

TEST_CASE("entries of Zips: small ones as a whole, large ones as streams") {
    archives::folder f;
    for (const std::size_t count : {std::size_t{30}, std::size_t{16'000}}) {
        CAPTURE(count);
        encoder w = documents(count);
        const std::string packed = w.finish(), text = w.text();
        std::string want;
        for (std::size_t i = 0; i < count; ++i) want += std::to_string(i) + "\n";
        want += "-1\n";
        const auto read = [&](const archives::member& m, policy on_error = policy::skip, unsigned jobs = 3) {
            return archives::extract({f.write("x.zip", archives::zip({m}))}, {"a:json"},
                                     {.jobs = jobs, .on_error = on_error, .out = form::csv});
        };
        const archives::member good{.name = "a.ndjson", .content = text, .method = 9, .packed = packed};
        for (const policy on_error : {policy::skip, policy::stop})
            for (const unsigned jobs : {1u, 4u}) CHECK(read(good, on_error, jobs).text == want);
        // Without the directory, and with lengths behind the data.
        auto later = good;
        later.descriptor = true;
        const std::string whole = archives::zip({later});
        CHECK(archives::extract({f.write("x.zip", whole.substr(0, whole.find("PK\1\2")))}, {"a:json"},
                                {.jobs = 1, .on_error = policy::skip, .out = form::csv})
                  .text == want);
        auto bad = good;
        bad.crc = 1;
        CHECK(read(bad).reports.at(0).message.find("checksum") != std::string::npos);
        CHECK(read(bad).text.empty());
        bad = good;
        bad.packed = packed.substr(0, packed.size() - 3);
        CHECK(read(bad).text.empty());
        CHECK(read(bad).reports.size() == 1);
        bad = good;
        bad.size = static_cast<std::uint32_t>(text.size() - 1);
        CHECK(read(bad).reports.at(0).message.find("more than the archive says") != std::string::npos);
        if (count > 100) continue;
        bad = good;
        bad.packed = packed + "x";
        CHECK(read(bad).reports.at(0).message.find("not as long as the archive says") != std::string::npos);
    }
}
