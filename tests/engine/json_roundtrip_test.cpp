// What is written is read back the same: doubles, integers, every Unicode scalar value, whole corpora, random
// documents.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/core/pipe.hpp"
#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/simd/dispatch.hpp"
#include "tests/engine/helpers.hpp"

using namespace kumihimo;
using namespace helpers;

namespace {

struct numbers : null_sink {
    std::vector<std::uint64_t> bits;
    std::vector<std::int64_t> small;
    std::vector<std::uint64_t> large;
    errc f64(double x) { return bits.push_back(std::bit_cast<std::uint64_t>(x)), errc::ok; }
    errc i64(std::int64_t n) { return small.push_back(n), errc::ok; }
    errc u64(std::uint64_t n) { return large.push_back(n), errc::ok; }
};

std::string written(std::string_view document, const json::dialect& as) {
    context ctx;
    buffer out;
    json::reader from(as_bytes(document), ctx);
    json::writer to(out, ctx, as);
    bytes done;
    REQUIRE(pipe(from, to, done) == errc::ok);
    return as_string(done);
}

}  // namespace

TEST_CASE("doubles, in every layout that keeps them") {
    std::mt19937_64 random(1);
    std::vector<double> all;
    for (int i = 0; i < 60000; ++i) {
        const double x = std::bit_cast<double>(random());
        if (std::isfinite(x)) all.push_back(x);
    }
    for (int i = 0; i < 30000; ++i)
        all.push_back(static_cast<double>(static_cast<std::int64_t>(random() >> (random() % 60))) /
                      std::pow(10.0, static_cast<double>(random() % 18)));
    for (int e = -1074; e <= 1023; ++e) {
        const double x = std::ldexp(1.0, e);
        all.insert(all.end(), {x, std::nextafter(x, 0.0), std::nextafter(x, 1e308), -x});
    }
    for (int e = -323; e <= 308; ++e) {
        const double x = std::strtod(("1e" + std::to_string(e)).c_str(), nullptr);
        all.insert(all.end(), {x, std::nextafter(x, 0.0), std::nextafter(x, 1e308)});
    }
    for (const double x :
         {0.1, 0.5, 9007199254740993.0, 2.2250738585072011e-308, 2.2250738585072014e-308, 1.7976931348623157e308, 5e-324})
        all.push_back(x);
    static constexpr json::dialect g17{.floats = scalar::float_layout::g17};
    for (const json::dialect* d : {&json::compact, &json::python_compact, &json::ruby_generate, &g17}) {
        buffer out;
        context ctx;
        json::writer to(out, ctx, *d);
        to.array(count{});
        for (const double x : all) to.f64(x);
        to.end();
        bytes document;
        REQUIRE(to.finish(document) == errc::ok);
        json::reader from(document, ctx);
        // An integral double may come back as an integer, by its layout: 1, or 1.0.
        struct : null_sink {
            std::vector<double> got;
            errc f64(double x) { return got.push_back(x), errc::ok; }
            errc i64(std::int64_t n) { return got.push_back(static_cast<double>(n)), errc::ok; }
            errc u64(std::uint64_t n) { return got.push_back(static_cast<double>(n)), errc::ok; }
            errc big(text t) { return got.push_back(std::strtod(std::string(t.view()).c_str(), nullptr)), errc::ok; }
        } back;
        REQUIRE(from.feed(back) == errc::ok);
        REQUIRE(back.got.size() == all.size());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < all.size(); ++i)
            wrong += std::bit_cast<std::uint64_t>(back.got[i]) != std::bit_cast<std::uint64_t>(all[i]);
        CHECK(wrong == 0);
    }
}

TEST_CASE("decimal texts of every shape are read as strtod reads them") {
    std::mt19937_64 random(2);
    std::string document(1, '[');
    std::vector<double> expected;
    for (int i = 0; i < 60000; ++i) {
        std::string d = random() % 2 ? "-" : "";
        const std::uint64_t whole = random() % 22;
        if (whole == 0)
            d += '0';
        else {
            d += static_cast<char>('1' + random() % 9);
            for (std::uint64_t k = 1; k < whole; ++k) d += static_cast<char>('0' + random() % 10);
        }
        d += '.';
        for (std::uint64_t k = random() % 25 + 1; k != 0; --k)
            d += static_cast<char>('0' + random() % (random() % 4 == 0 ? 1 : 10));
        if (random() % 2) d += (random() % 2 ? "e-" : "E+") + std::to_string(random() % 280);
        document += (document.size() > 1 ? "," : "") + d;
        expected.push_back(std::strtod(d.c_str(), nullptr));
    }
    document += ']';
    for (const simd::kernels* k : simd::available()) {
        simd::use(k->name);
        context ctx;
        json::reader from(as_bytes(document), ctx);
        numbers back;
        REQUIRE(from.feed(back) == errc::ok);
        REQUIRE(back.bits.size() == expected.size());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) wrong += back.bits[i] != std::bit_cast<std::uint64_t>(expected[i]);
        CHECK(wrong == 0);
    }
}

TEST_CASE("integers at the edges of every width") {
    std::vector<std::int64_t> small{0};
    std::vector<std::uint64_t> large{std::uint64_t{1} << 63, ~std::uint64_t{0}, 10000000000000000000u};
    for (int bit = 0; bit < 63; ++bit)
        for (const std::int64_t off : {-2, -1, 0, 1, 2}) {
            small.push_back((std::int64_t{1} << bit) + off);
            small.push_back(-(std::int64_t{1} << bit) + off);
        }
    for (std::uint64_t ten = 1, i = 0; i < 19; ++i, ten *= 10)
        for (const std::int64_t off : {-1, 0, 1}) {
            small.push_back(static_cast<std::int64_t>(ten) + off);
            small.push_back(-static_cast<std::int64_t>(ten) + off);
        }
    small.insert(small.end(), {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()});
    for (std::uint64_t i = 1; i < 1000; ++i) large.push_back(~std::uint64_t{0} - i * i * i);
    buffer out;
    context ctx;
    json::writer to(out, ctx);
    to.array(count{});
    for (const auto n : small) to.i64(n);
    for (const auto n : large) to.u64(n);
    to.end();
    bytes document;
    REQUIRE(to.finish(document) == errc::ok);
    json::reader from(document, ctx);
    numbers back;
    REQUIRE(from.feed(back) == errc::ok);
    CHECK(back.small == small);
    CHECK(back.large == large);
    CHECK(back.bits.empty());
}

TEST_CASE("every Unicode scalar value, alone and in a crowd, raw and escaped") {
    std::string crowd;
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
        if (c >= 0xD800 && c <= 0xDFFF) continue;
        char u[4];
        const auto n = static_cast<std::size_t>(scalar::encode_utf8(u, c) - u);
        crowd.append(u, n);
    }
    struct collector : null_sink {
        std::string got;
        errc str(text t) { return got.append(t.view()), errc::ok; }
    };
    for (const json::dialect* d : {&json::compact, &json::ascii_only, &json::html_safe, &json::script_safe}) {
        for (const bool alone : {false, true}) {
            buffer out;
            context ctx;
            json::writer to(out, ctx, *d);
            to.array(count{});
            if (alone) {
                for (std::size_t i = 0; i < crowd.size();) {
                    const auto c = static_cast<unsigned char>(crowd[i]);
                    const std::size_t n = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
                    to.str(text(std::string_view(crowd).substr(i, n)));
                    i += n;
                }
            } else {
                to.str(text(crowd));
            }
            to.end();
            bytes document;
            REQUIRE(to.finish(document) == errc::ok);
            if (d == &json::ascii_only)
                CHECK(scalar::ascii_prefix(reinterpret_cast<const char*>(document.data()), document.size()) == document.size());
            for (const simd::kernels* k : simd::available()) {
                simd::use(k->name);
                json::reader from(document, ctx);
                collector back;
                REQUIRE(from.feed(back) == errc::ok);
                CHECK(back.got == crowd);
            }
        }
    }
}

TEST_CASE("corpora: written in every dialect, read back the same") {
    const char* const folder = std::getenv("KUMIHIMO_DATA");
    if (folder == nullptr) {
        MESSAGE("not proven: KUMIHIMO_DATA does not name a folder with twitter.json and the others");
        return;
    }
    for (const char* const name : {"films", "twitter", "citm_catalog", "canada"}) {
        std::ifstream in(std::string(folder) + "/" + name + ".json", std::ios::binary);
        const std::string document(std::istreambuf_iterator<char>(in), {});
        if (document.empty()) {
            MESSAGE("not proven: no ", name);
            continue;
        }
        const std::string once = read<json::reader>(document);
        for (const json::dialect* d :
             {&json::compact, &json::pretty, &json::ascii_only, &json::html_safe, &json::python_default, &json::ruby_pretty}) {
            const std::string text = written(document, *d);
            // ECMAScript's 1 for 1.0 is an integer again; the other layouts keep the kind.
            if (d->floats == scalar::float_layout::ecmascript)
                CHECK(written(text, json::compact) == written(document, json::compact));
            else
                CHECK(read<json::reader>(text) == once);
        }
    }
}

TEST_CASE("random documents") {
    std::mt19937_64 random(3);
    for (int round = 0; round < 300; ++round) {
        std::string document;
        std::vector<char> open;
        bool first = true;
        int budget = 1 + static_cast<int>(random() % 200);
        const auto string = [&] {
            std::string s = "\"";
            for (std::uint64_t n = random() % 40; n != 0; --n) {
                switch (random() % 12) {
                    case 0: s += "\\n"; break;
                    case 1: s += "\\u00e9"; break;
                    case 2: s += "\\ud83d\\ude00"; break;
                    case 3: s += "\xE2\x82\xAC"; break;
                    case 4: s += "\\\\\\\""; break;
                    default: s += static_cast<char>('a' + random() % 26);
                }
            }
            return s + '"';
        };
        const auto space = [&] { return std::string(random() % 4 == 0 ? random() % 70 : 0, ' '); };
        do {
            if (!open.empty()) {
                if (budget <= 0 || random() % 6 == 0) {
                    document += open.back();
                    open.pop_back();
                    first = false;
                    continue;
                }
                if (!first) document += space() + ",";
                if (open.back() == '}') document += space() + string() + space() + ":";
            }
            document += space();
            --budget;
            first = false;
            switch (random() % 9) {
                case 0:
                case 1:
                    document += '[';
                    open.push_back(']');
                    first = true;
                    break;
                case 2:
                case 3:
                    document += '{';
                    open.push_back('}');
                    first = true;
                    break;
                case 4: document += std::to_string(static_cast<std::int64_t>(random() >> random() % 64)); break;
                case 5: document += "-1." + std::to_string(random()) + "e-5"; break;
                case 6: document += random() % 2 ? "true" : "null"; break;
                default: document += string();
            }
        } while (!open.empty());
        simd::use("scalar");
        const std::string meant = read<json::reader>(document);
        REQUIRE(!meant.starts_with("error"));
        for (const simd::kernels* k : simd::available()) {
            simd::use(k->name);
            CHECK(read<json::reader>(document) == meant);
        }
        for (const json::dialect* d : {&json::python_compact, &json::python_default, &json::ruby_pretty})
            CHECK(read<json::reader>(written(document, *d)) == meant);
    }
}
