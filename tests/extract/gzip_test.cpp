// gzip, whole and streamed: the two ways must give the same text and refuse the same files.
#include "extract/gzip.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <random>
#include <string>

#include "archives.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

bytes as_bytes(const std::string& s) { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }

struct answer {
    errc code = errc::ok;
    std::string text, what;
};

answer whole(const std::string& file, const expansion& allowed = {}) {
    inflater how;
    arena room;
    bytes out;
    context ctx;
    answer a;
    a.code = gunzip(as_bytes(file), how, room, allowed, out, ctx);
    if (a.code == errc::ok) a.text.assign(reinterpret_cast<const char*>(out.data()), out.size());
    a.what = ctx.failure.what;
    return a;
}

// A source that gives a few bytes at a time.
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

answer streamed(const std::string& file, std::size_t step = 1 << 20, std::size_t room = 1000, const expansion& allowed = {}) {
    drip from(file, step);
    inflate_source s(from, inflate_source::wrapper::gzip, allowed);
    answer a;
    std::string block(room, 0);
    for (;;) {
        context ctx;
        std::size_t got = 0;
        a.code = s.read(block.data(), room, got, ctx);
        a.what = ctx.failure.what;
        if (a.code != errc::ok || got == 0) return a;
        a.text.append(block.data(), got);
    }
}

std::string sample(std::size_t n) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::string s;
    while (s.size() < n) s += "{\"a\":" + std::to_string(random() % 1000) + "}\n";
    return s;
}

}  // namespace

TEST_CASE("one member, with every header field") {
    const std::string text = sample(5000);
    for (int flags = 0; flags < 32; flags += 2) {
        CAPTURE(flags);
        const std::string file = archives::gzip(text, flags);
        CHECK(whole(file).text == text);
        CHECK(streamed(file).text == text);
    }
    CHECK(whole(archives::gzip("")).text.empty());
    CHECK(whole(archives::gzip("")).code == errc::ok);
    CHECK(streamed(archives::gzip("")).code == errc::ok);
}

TEST_CASE("many members, of very different sizes, and padding") {
    const std::string small = "{}\n", large = sample(700000);
    const std::string want = small + large + small;
    const std::string file = archives::gzip(small) + archives::gzip(large, 8) + archives::gzip("") + archives::gzip(small);
    CHECK(whole(file).text == want);
    for (const std::size_t step : {1, 7, 1000, 1 << 20}) CHECK(streamed(file, step).text == want);
    const std::string padded = file + std::string(513, 0);
    CHECK(whole(padded).text == want);
    for (const std::size_t step : {1, 1000, 1 << 20}) CHECK(streamed(padded, step).text == want);
}

TEST_CASE("what follows and is not gzip is refused") {
    const std::string file = archives::gzip("{}");
    for (const std::string& tail : {std::string("x"), std::string("\0x", 2), std::string("PK\3\4"), std::string(20, 'y')}) {
        CHECK(whole(file + tail).code == errc::trailing);
        CHECK(streamed(file + tail).code == errc::trailing);
        CHECK(streamed(file + tail, 1).code == errc::trailing);
    }
}

TEST_CASE("every cut is refused") {
    const std::string file = archives::gzip(sample(300), 8 + 2);
    for (std::size_t n = 1; n < file.size(); ++n) {
        CAPTURE(n);
        CHECK(whole(file.substr(0, n)).code != errc::ok);
        CHECK(streamed(file.substr(0, n)).code == errc::truncated);
        CHECK(streamed(file.substr(0, n), 3).code == errc::truncated);
    }
}

TEST_CASE("every changed bit of data, checksum and length is refused") {
    const std::string text = sample(300), file = archives::gzip(text);
    for (std::size_t at = 10; at < file.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            std::string broken = file;
            broken[at] = static_cast<char>(broken[at] ^ 1 << bit);
            const answer a = whole(broken), b = streamed(broken);
            // Only the unused bits behind the end of the deflate data make no difference.
            CHECK((a.code != errc::ok || a.text == text));
            CHECK((b.code != errc::ok || b.text == text));
            CHECK(a.what.empty() == (a.code == errc::ok));
            CHECK(b.what.empty() == (b.code == errc::ok));
            CHECK((at < file.size() - 8 || a.code != errc::ok));
            CHECK((at < file.size() - 8 || b.code != errc::ok));
        }
    }
    std::string sum = file;
    sum[file.size() - 8] ^= 1;
    CHECK(whole(sum).what.find("checksum") != std::string::npos);
    CHECK(streamed(sum).what.find("checksum") != std::string::npos);
}

TEST_CASE("a stream gives what came before the damage") {
    const std::string text = sample(3'000'000);
    std::string file = archives::gzip(text);
    for (std::size_t i = file.size() / 2; i < file.size() / 2 + 50; ++i) file[i] = static_cast<char>(0xff);
    const answer a = streamed(file);
    CHECK(a.code != errc::ok);
    CHECK(a.text.size() > 500'000);
    CHECK(text.compare(0, 500'000, a.text, 0, 500'000) == 0);
}

TEST_CASE("bombs: ratio beyond the floor, and the size limit") {
    const std::string bomb = archives::gzip(std::string(8 << 20, ' '));
    expansion allowed;
    allowed.ratio = 100;
    CHECK(whole(bomb, allowed).code == errc::ok);  // below the floor
    allowed.floor = 1 << 20;
    CHECK(whole(bomb, allowed).code == errc::size);
    const answer s = streamed(bomb, 1 << 20, 1000, allowed);
    CHECK(s.code == errc::size);
    CHECK(s.text.size() < (3 << 20));
    allowed = {};
    allowed.size = 1 << 20;
    CHECK(whole(bomb, allowed).code == errc::size);
    CHECK(whole(archives::gzip(std::string(1 << 20, ' ')), allowed).code == errc::ok);
    CHECK(whole(archives::gzip(std::string((1 << 20) + 1, ' ')), allowed).code == errc::size);
}

TEST_CASE("an announced length is a hint, not a promise") {
    // A small last member behind a large one announces far too little.
    const std::string text = sample(2'000'000);
    CHECK(whole(archives::gzip(text) + archives::gzip("\n")).text == text + "\n");
    // And far too much.
    std::string file = archives::gzip(text);
    for (std::size_t i = file.size() - 4; i < file.size(); ++i) file[i] = static_cast<char>(0xff);
    CHECK(whole(file).code == errc::syntax);
}

TEST_CASE("inflate with slack accepts exactly what was announced") {
    inflater how;
    for (const std::size_t n : {0, 1, 100, 319, 320, 321, 4252, 70000}) {
        CAPTURE(n);
        const std::string text = sample(n).substr(0, n), packed = archives::deflate(text);
        const std::string neighbours = packed + "PK\3\4" + std::string(200, 'n');
        for (const std::size_t readable : {packed.size(), packed.size() + 1, packed.size() + 63, neighbours.size()}) {
            std::vector<char> out(n + arena::slack);
            context ctx;
            CHECK(how.exact(as_bytes(neighbours).first(packed.size()), readable, out.data(), n, 0, ctx) == errc::ok);
            CHECK(std::string(out.data(), n) == text);
            if (n == 0) continue;
            std::vector<char> less(n - 1 + arena::slack), more(n + 1 + arena::slack);
            context c1, c2, c3;
            CHECK(how.exact(as_bytes(neighbours).first(packed.size()), readable, less.data(), n - 1, 0, c1) == errc::syntax);
            CHECK(how.exact(as_bytes(neighbours).first(packed.size()), readable, more.data(), n + 1, 0, c2) == errc::truncated);
            // One byte of the data belongs to the neighbour: the stream may end in time, the length does not fit.
            if (readable >= packed.size())
                CHECK(how.exact(as_bytes(neighbours).first(packed.size() - 1), readable, out.data(), n, 0, c3) != errc::ok);
        }
    }
}

TEST_CASE("inflate on damaged data: what zlib accepts, with the same bytes") {
    // The whole-buffer decoder may have been changed while it was built (cmake/used_symbols.cmake), so it is held
    // against another.
    std::mt19937 random(11);
    inflater how;
    const std::size_t room = 3000;
    int accepted = 0;
    for (int i = 0; i < 60000; ++i) {
        std::string text;
        for (std::size_t n = random() % 600; text.size() < n;) text += static_cast<char>(' ' + random() % (1 + i % 90));
        std::string packed = archives::deflate(text);
        for (unsigned k = random() % 3; k != 0; --k) packed[random() % packed.size()] = static_cast<char>(random());
        std::string ours(room, 0), theirs(room, 0);
        std::size_t read = 0, written = 0;
        const auto said = how.any(as_bytes(packed), ours.data(), room, read, written);
        z_stream z{};
        REQUIRE(inflateInit2(&z, -15) == Z_OK);
        z.next_in = reinterpret_cast<Bytef*>(packed.data());
        z.avail_in = static_cast<uInt>(packed.size());
        z.next_out = reinterpret_cast<Bytef*>(theirs.data());
        z.avail_out = static_cast<uInt>(room);
        const bool fine = inflate(&z, Z_FINISH) == Z_STREAM_END;
        if (fine) {
            ++accepted;
            REQUIRE(said == inflater::outcome::ok);
            REQUIRE(written == z.total_out);
            REQUIRE(read == z.total_in);
            REQUIRE((ours.compare(0, written, theirs, 0, written) == 0));
        }
        inflateEnd(&z);
    }
    CHECK(accepted > 20000);
}

TEST_CASE("files: small and large, in Zips, by content and not by name") {
    archives::folder f;
    CHECK(archives::extract({f.write("a.txt", archives::gzip(R"({"a":1})"))}).text == "1\n");
    const std::string text = sample(24'000'000);
    std::string want;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
        const std::size_t from = at + 5;
        want += text.substr(from, text.find('}', from) - from) + "\n";
    }
    const std::string gz = archives::gzip(text.substr(0, text.size() / 2)) + archives::gzip(text.substr(text.size() / 2));
    REQUIRE(gz.size() > 4 << 20);  // a stream
    for (const unsigned jobs : {1u, 2u, 3u}) {
        CHECK(archives::extract({f.write("big.gz", gz)}, {"a:json"}, {.jobs = jobs, .out = form::csv}).text == want);
        CHECK(archives::extract({f.write("big.zip", archives::zip({{"x.json.gz", gz, 0}}))}, {"a:json"},
                                {.jobs = jobs, .out = form::csv})
                  .text == want);
    }
    // Damage in the second member: the first one's rows, and a report.
    std::string broken = gz;
    broken[gz.size() - 100000] ^= 0x55;
    const auto e = archives::extract({f.write("broken.gz", broken)});
    REQUIRE(!e.reports.empty());
    CHECK(e.reports.back().about == report::scope::input);
    CHECK(e.reports.back().code == errc::syntax);
    CHECK((want.compare(0, e.text.size(), e.text) == 0));
    CHECK(e.text.size() > want.size() / 2 - want.size() / 100);
    CHECK(e.text.size() < want.size() / 2 + want.size() / 100);
}
