// zstd and lz4 files and members of Zips through extraction: what gzip_test.cpp, zip_test.cpp and damage_test.cpp ask
// of the others. Every layout in them: input_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "archives.hpp"
#include "engine/frame/library.hpp"
#include "extract/framed.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;
using frame::codec;

namespace {

bytes as_bytes(const std::string& s) { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }

const codec* const both[] = {&frame::zstd, &frame::lz4};

options how(unsigned jobs) { return {.jobs = jobs, .on_error = policy::skip, .out = form::csv}; }

struct text_of_rows {
    std::string text, rows;
};

text_of_rows lines(int n) {
    text_of_rows t;
    for (int i = 0; i < n; ++i) {
        const std::string value = std::to_string(i * 104729LL % 1000003);
        t.text += "{\"a\":" + value + "}\n";
        t.rows += value + "\n";
    }
    return t;
}

bool begins(const std::string& all, const std::string& part) { return all.compare(0, part.size(), part) == 0; }

// Read as a stream in rooms of so many bytes.
std::string streamed(const std::string& file, packing as, std::size_t room, errc& code, const expansion& allowed = {}) {
    memory_source raw(as_bytes(file));
    source_chain chain;
    expanding_source& from = expand(chain, raw, as, allowed);
    context ctx;
    std::string text, piece(room, 0);
    for (;;) {
        std::size_t got = 0;
        code = from.read(piece.data(), room, got, ctx);
        CHECK(got <= room);
        if (code != errc::ok || got == 0) break;
        text.append(piece, 0, got);
    }
    CHECK(ctx.failure.code == code);
    if (code == errc::ok) {
        CHECK(from.produced() == text.size());
        CHECK(from.proven() == text.size());
        CHECK(from.taken() == file.size());
        CHECK(from.consumed() == file.size());
    }
    return text;
}

std::string whole(const std::string& file, packing as, errc& code, const expansion& allowed = {}) {
    deframer by;
    arena room;
    context ctx;
    bytes out;
    code = by.all(as, as_bytes(file), room, allowed, out, ctx);
    CHECK(ctx.failure.code == code);
    return code == errc::ok ? std::string(reinterpret_cast<const char*>(out.data()), out.size()) : std::string();
}

}  // namespace

TEST_CASE("whole and streamed give the same text and refuse the same files") {
    const std::string text = lines(3000).text;
    for (const packing as : {packing::zstd, packing::lz4}) {
        const codec& c = as == packing::zstd ? frame::zstd : frame::lz4;
        CAPTURE(c.name);
        const std::string one = archives::framed(c, text), many = one + archives::framed(c, "") + archives::framed(c, text);
        errc code = errc::ok;
        for (const std::string& file : {one, many, archives::framed(c, "")}) {
            const std::string want = whole(file, as, code);
            CHECK(code == errc::ok);
            for (const std::size_t room : {1, 7, 4096, 1 << 20}) {
                CHECK((streamed(file, as, room, code) == want));
                CHECK(code == errc::ok);
            }
        }
        CHECK((whole(many, as, code) == text + text));
        for (const std::string& file : {one + "x", one.substr(0, one.size() - 1), one.substr(0, 3), std::string("nothing")}) {
            errc other = errc::ok;
            whole(file, as, code);
            CHECK(code != errc::ok);
            streamed(file, as, 1000, other);
            CHECK(other == code);
        }
        CHECK(announced(as, as_bytes(one)) == text.size());
    }
}

TEST_CASE("limits of size and ratio") {
    const std::string flat(20 << 20, ' ');
    for (const packing as : {packing::zstd, packing::lz4}) {
        const std::string file = archives::framed(as == packing::zstd ? frame::zstd : frame::lz4, flat);
        errc code = errc::ok;
        expansion allowed;
        allowed.ratio = 100;
        allowed.floor = 1 << 20;
        whole(file, as, code, allowed);
        CHECK(code == errc::size);
        streamed(file, as, 4096, code, allowed);
        CHECK(code == errc::size);
        allowed.ratio = 1'000'000;
        CHECK((whole(file, as, code, allowed) == flat));
        CHECK((streamed(file, as, 4096, code, allowed) == flat));
        allowed.size = flat.size() - 1;
        whole(file, as, code, allowed);
        CHECK(code == errc::size);
        allowed.size = flat.size();
        CHECK((whole(file, as, code, allowed) == flat));
    }
    // In a whole run, with the options that raise the limits in the sentence.
    archives::folder f;
    const auto e = archives::extract({f.write("bomb.zst", archives::zstd(flat))});
    REQUIRE(e.reports.size() == 1);
    CHECK(e.reports[0].code == errc::size);
    CHECK(e.reports[0].message.find("--max-ratio") != std::string::npos);
    const auto z = archives::extract({f.write("bomb.zip", archives::zip({{"b", flat, 93}}))});
    REQUIRE(z.reports.size() == 1);
    CHECK(z.reports[0].code == errc::size);
}

TEST_CASE("files: small and large, in Zips, by content and not by name") {
    const text_of_rows big = lines(2'300'000);
    archives::folder f;
    for (const codec* c : both) {
        CAPTURE(c->name);
        CHECK(archives::extract({f.write("a.txt", archives::framed(*c, R"({"a":1})"))}).text == "1\n");
        const std::size_t half = big.text.find('\n', big.text.size() / 2) + 1;
        const std::string file = archives::framed(*c, big.text.substr(0, half)) + archives::framed(*c, big.text.substr(half));
        REQUIRE(file.size() > 4 << 20);  // a stream
        for (const unsigned jobs : {1u, 3u}) {
            const options o{.jobs = jobs, .out = form::csv};
            CHECK((archives::extract({f.write("big", file)}, {"a:json"}, o).text == big.rows));
            CHECK((archives::extract({f.write("z", archives::zip({{"x", file, 0}}))}, {"a:json"}, o).text == big.rows));
            CHECK((archives::extract({f.write("m", archives::zip({{"x", big.text, 93}}))}, {"a:json"}, o).text == big.rows));
        }
        // Damage in the second member: the first one's rows, and a report.
        std::string broken = file;
        broken[broken.size() - 100000] ^= 0x55;
        const auto e = archives::extract({f.write("broken", broken)});
        REQUIRE(e.reports.size() == 1);
        CHECK(e.reports[0].about == report::scope::input);
        CHECK(e.reports[0].code == errc::syntax);
        CHECK(begins(big.rows, e.text));
        CHECK(e.rows ==
              static_cast<std::uint64_t>(std::count(big.text.begin(), big.text.begin() + static_cast<long>(half), '\n')));
    }
}

TEST_CASE("packed data inside of packed data is expanded once in a Zip, and not at all in a file") {
    const std::string inner = "{\"a\":5}\n";
    archives::folder f;
    using pack = std::string (*)(std::string_view);
    const pack all[] = {[](std::string_view s) { return archives::gzip(s); }, archives::zstd, archives::lz4};
    for (const pack outer : all)
        for (const pack within : all) {
            const std::string file = outer(within(inner));
            const auto e = archives::extract({f.write("x", file)});
            REQUIRE(e.reports.size() == 1);
            CHECK(e.reports[0].code == errc::unsupported);
            CHECK(archives::extract({f.write("x.zip", archives::zip({{"e", within(inner), 93}}))}).text == "5\n");
            CHECK(archives::extract({f.write("x.zip", archives::zip({{"e", file, 93}}))}).reports.size() == 1);
        }
}

TEST_CASE("cut off anywhere: the documents that end before the cut, and where it is; in a Zip as outside") {
    const text_of_rows t = lines(60);
    archives::folder f;
    for (const codec* c : both) {
        CAPTURE(c->name);
        const std::string file = archives::framed(*c, t.text);
        std::size_t before = 0;
        for (std::size_t n = 4; n < file.size(); ++n) {
            CAPTURE(n);
            const auto e = archives::extract({f.write("cut", file.substr(0, n))}, {"a:json"}, how(1));
            CHECK(begins(t.rows, e.text));
            CHECK(e.text.size() >= before);
            before = e.text.size();
            REQUIRE(e.reports.size() == 1);
            CHECK(e.reports[0].code == errc::truncated);
            CHECK(e.reports[0].message.find("no check sum proves them") != std::string::npos);
            const auto inside =
                archives::extract({f.write("in.zip", archives::zip({{"a", file.substr(0, n), 0}}))}, {"a:json"}, how(1));
            CHECK(inside.text == e.text);
            CHECK(inside.reports.size() == 1);
        }
        CHECK(before == t.rows.size());  // without the last byte of the check sum all are there
        std::string two = file + archives::framed(*c, "{\"a\":1}\n{\"a\":2}\n");
        two.back() = static_cast<char>(two.back() ^ 1);
        const auto e = archives::extract({f.write("two", two)}, {"a:json"}, how(1));
        CHECK(e.text == t.rows);
        CHECK(e.reports.size() == 1);
    }
}

TEST_CASE("a changed byte gives nothing that is wrong") {
    const text_of_rows t = lines(200);
    archives::folder f;
    std::mt19937 random(11);
    for (const codec* c : both) {
        CAPTURE(c->name);
        const std::string file = archives::framed(*c, t.text);
        for (int i = 0; i < 700; ++i) {
            std::string broken = file;
            const std::size_t at = 4 + random() % (broken.size() - 4);
            broken[at] = static_cast<char>(broken[at] ^ (1 + random() % 255));
            CAPTURE(at);
            const auto e = archives::extract({f.write("b", broken)}, {"a:json"}, how(1));
            if (e.reports.empty()) {
                CHECK(e.text == t.rows);  // a bit that says nothing about the text
                continue;
            }
            if (e.reports.back().code != errc::truncated) CHECK(e.text.empty());
        }
    }
}

TEST_CASE("Zips of Zstandard entries whose directory is lost, cut anywhere") {
    const text_of_rows a = lines(20), b = lines(400);
    archives::folder f;
    for (const bool later : {false, true}) {
        CAPTURE(later);
        archives::member one{"one", a.text, 93}, two{"two", b.text, 93};
        one.descriptor = two.descriptor = later;
        const std::string file = archives::zip({one, two});
        const std::size_t second = file.find("PK\3\4", 4), directory = file.find("PK\1\2");
        CHECK(archives::extract({f.write("x.zip", file)}, {"a:json"}, how(1)).text == a.rows + b.rows);
        for (std::size_t n = 60; n < file.size(); n += n < second + 80 ? 1 : 13) {
            CAPTURE(n);
            const auto e = archives::extract({f.write("x.zip", file.substr(0, n))}, {"a:json"}, how(1));
            CHECK(!e.reports.empty());
            CHECK(begins(a.rows + b.rows, e.text));
            if (n >= second) CHECK(e.text.size() >= a.rows.size());
            if (n >= directory) CHECK(e.text == a.rows + b.rows);
        }
    }
}

TEST_CASE("entries that are not what the archive says") {
    const std::string text = "{\"a\":1}\n";
    struct {
        const char* what;
        archives::member m;
        errc code;
    } cases[] = {{"more", {"x", text, 93}, errc::syntax},   {"less", {"x", text, 93}, errc::truncated},
                 {"sum", {"x", text, 93}, errc::syntax},    {"trailing", {"x", text, 93}, errc::trailing},
                 {"cut", {"x", text, 93}, errc::truncated}, {"no frame", {"x", text, 93}, errc::syntax},
                 {"damaged", {"x", text, 93}, errc::syntax}};
    const std::string packed = archives::zstd(text);
    cases[0].m.size = 7;
    cases[1].m.size = 9;
    cases[2].m.crc = 1;
    cases[3].m.packed = packed + "x";
    cases[4].m.packed = packed.substr(0, packed.size() - 2);
    cases[5].m.packed = text;
    cases[6].m.packed = packed.substr(0, packed.size() - 1) + static_cast<char>(packed.back() ^ 1);
    archives::folder f;
    for (const auto& c : cases) {
        CAPTURE(c.what);
        const auto e = archives::extract({f.write("x.zip", archives::zip({c.m, {"good", text, 93}}))});
        CHECK(e.text == "1\n");
        REQUIRE(e.reports.size() == 1);
        CHECK(e.reports[0].code == c.code);
        CHECK(e.reports[0].entry == "x");
        CHECK(e.reports[0].offset == 0);
    }
}

TEST_CASE("without the library an input is refused, with what to install") {
    const std::string text = "{\"a\":1}\n";
    archives::folder f;
    const std::vector<std::string> inputs = {f.write("a.zst", archives::zstd(text)), f.write("b.json", text),
                                             f.write("c.zip", archives::zip({{"x", text, 93}, {"y", text}})),
                                             f.write("d.lz4", archives::lz4(text)),
                                             f.write("e.zst", archives::zstd(lines(100'000).text))};
    frame::pretend_missing(frame::library::libzstd, true);
    const auto e = archives::extract(inputs);
    frame::pretend_missing(frame::library::libzstd, false);
    CHECK(e.text == "1\n1\n1\n");
    REQUIRE(e.reports.size() == 3);
    for (const report& r : e.reports) {
        CHECK(r.code == errc::unsupported);
        CHECK(r.message.find("apt install libzstd1") != std::string::npos);
    }
}
