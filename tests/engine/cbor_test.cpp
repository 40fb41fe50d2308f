// CBOR beyond the vectors and the RFC's examples: dialects, what is large, random, hostile, or asked of the API.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "engine/cbor/boundary.hpp"
#include "engine/cbor/burst.hpp"
#include "engine/cbor/check.hpp"
#include "engine/cbor/reader.hpp"
#include "engine/cbor/writer.hpp"
#include "engine/core/null.hpp"
#include "hosts/plain/build.hpp"
#include "hosts/plain/walk.hpp"
#include "tests/engine/helpers.hpp"
#include "tests/engine/random_value.hpp"

using namespace kumihimo;
using namespace helpers;

namespace {

/// A document by direct calls.
template <class F>
std::string by(F send, const cbor::dialect& as = cbor::preferred) {
    context ctx;
    buffer out;
    cbor::writer w(out, ctx, as);
    bytes b;
    errc code = send(w);
    if (code == errc::ok) code = w.finish(b);
    if (code != errc::ok) return std::string("error ") + name(code) + ": " + ctx.failure.what;
    return as_string(b);
}
template <class F>
bool refused(F send, errc code, const cbor::dialect& as = cbor::preferred) {
    return by(send, as).starts_with(std::string("error ") + name(code) + ":");
}

/// The bytes, in hexadecimal, of a document given as a trace.
std::string put(const std::string& lines, const cbor::dialect& as = cbor::preferred) {
    const std::string got = write<cbor::writer>(lines + "\n", as);
    return got.starts_with("error") ? got : hex(got);
}
/// The trace without counts of a document in hexadecimal, or "error code offset path".
std::string get(std::string_view document, const cbor::read_dialect& granted = cbor::standard_read, std::size_t depth = 1024) {
    const std::string whole = unhex(document);
    const std::vector<char> exact(whole.begin(), whole.end());  // a sanitizer sees a read behind the end
    context ctx;
    ctx.limits.depth = depth;
    cbor::reader from(as_bytes({exact.data(), exact.size()}), ctx, granted);
    std::string said = trace(from, ctx, {.counts = false});
    if (said.starts_with("error")) return said.substr(0, said.find(':'));
    said.pop_back();
    return said;
}

cbor::read_dialect with(auto change) {
    cbor::read_dialect d;
    change(d);
    return d;
}

}  // namespace

TEST_CASE("headers at their edges") {
    for (const auto& [n, head] : {std::pair<std::uint64_t, const char*>{23, "17"},
                                  {24, "1818"},
                                  {255, "18ff"},
                                  {256, "190100"},
                                  {65535, "19ffff"},
                                  {65536, "1a00010000"},
                                  {0xffffffff, "1affffffff"},
                                  {0x100000000, "1b0000000100000000"},
                                  {UINT64_MAX, "1bffffffffffffffff"}}) {
        CHECK(hex(by([n = n](auto& w) { return n <= INT64_MAX ? w.i64(static_cast<std::int64_t>(n)) : w.u64(n); })) == head);
        if (n > 65536) continue;
        const std::string text(n, 'x');
        std::string first = unhex(head);
        const auto of = [&](int m) { return std::string(1, static_cast<char>(first[0] | m << 5)) + first.substr(1); };
        CHECK(by([&](auto& w) { return w.str({text, encoding::ascii}); }) == of(3) + text);
        CHECK(by([&](auto& w) { return w.bin(as_bytes(text)); }) == of(2) + text);
        for (const cbor::dialect* as : {&cbor::preferred, &cbor::deterministic, &cbor::streaming}) {
            for (const bool known : {true, false}) {
                const auto fill = [&](auto& w) {
                    const count c{known ? static_cast<std::int64_t>(n) : count::unknown};
                    KUMIHIMO_TRY(w.array(c));
                    for (std::uint64_t i = 0; i < n; ++i) KUMIHIMO_TRY(w.null());
                    return w.end();
                };
                const std::string all(n, '\xf6');
                CHECK(by(fill, *as) == (as == &cbor::streaming && !known ? "\x9f" + all + "\xff" : of(4) + all));
                const auto pairs = [&](auto& w) {
                    const count c{known ? static_cast<std::int64_t>(n) : count::unknown};
                    KUMIHIMO_TRY(w.map(c));
                    for (std::uint64_t i = 0; i < n; ++i) {
                        KUMIHIMO_TRY(w.key(next_value{}));
                        KUMIHIMO_TRY(w.i64(static_cast<std::int64_t>(i)));
                        KUMIHIMO_TRY(w.null());
                    }
                    return w.end();
                };
                const std::string map = by(pairs, *as);
                if (as != &cbor::streaming || known) CHECK(map.substr(0, first.size()) == of(5));
                CHECK(read<cbor::reader>(map, {.counts = false}).size() > n * 10);
            }
        }
    }
}

TEST_CASE("floats are as short as their value allows, and come back") {
    for (std::uint32_t h = 0; h < 65536; ++h) {
        char document[3] = {static_cast<char>(0xf9), static_cast<char>(h >> 8), static_cast<char>(h)};
        const double x = cbor::float_value(h, 2);
        const bool nan = (h & 0x7c00) == 0x7c00 && (h & 0x3ff) != 0;
        REQUIRE(std::isnan(x) == nan);
        if (!nan) {
            const int exponent = static_cast<int>(h >> 10 & 31), fraction = static_cast<int>(h & 1023);
            const double expected = exponent == 31  ? HUGE_VAL
                                    : exponent == 0 ? std::ldexp(fraction, -24)
                                                    : std::ldexp(1024 + fraction, exponent - 25);
            REQUIRE(x == ((h & 0x8000) != 0 ? -expected : expected));
        }
        REQUIRE(by([x](auto& w) { return w.f64(x); }) == (nan ? std::string("\xf9\x7e\x00", 3) : std::string(document, 3)));
        // What lies between two halves needs more bits.
        if (!nan && (h & 0x7fff) != 0 && (h & 0x7fff) < 0x7c00) {
            const double above = std::nextafterf(static_cast<float>(x), HUGE_VALF);
            REQUIRE(by([above](auto& w) { return w.f64(above); }).size() == 5);
            REQUIRE(by([x](auto& w) { return w.f64(std::nextafter(x, 0)); }).size() == 9);
        }
    }
    std::mt19937_64 random(5);
    for (int i = 0; i < 20000; ++i) {
        const auto bits = static_cast<std::uint32_t>(random());
        const double x = std::bit_cast<float>(bits);
        if (std::isnan(x)) continue;
        const std::string b = by([x](auto& w) { return w.f64(x); });
        REQUIRE(b.size() <= 5);
        buffer out;
        cbor::burst<buffer> burst(out, cbor::preferred);
        REQUIRE(burst.f64(x));
        burst.stop();
        REQUIRE(std::string(out.data(), out.size()) == b);
    }
    CHECK(put("f64 0x3ff8000000000000 1.5", cbor::doubles) == "fb3ff8000000000000");
    CHECK(hex(by([](auto& w) { return w.f64(std::bit_cast<double>(0xfff8000000000001)); }, cbor::doubles)) ==
          "fbfff8000000000001");
    CHECK(hex(by([](auto& w) { return w.f64(std::bit_cast<double>(0xfff8000000000001)); })) == "f97e00");
    CHECK(put("f64 0x36a0000000000000 1e-45") == "fa00000001");  // a single's smallest
    CHECK(put("f64 0x3690000000000000 7e-46") == "fb3690000000000000");
}

TEST_CASE("a float of any exponent is as short as conversions say") {
    std::mt19937_64 random(16);
    for (std::uint64_t exponent = 0; exponent < 2048; ++exponent) {
        for (int fraction_bits = 0; fraction_bits <= 52; ++fraction_bits) {
            for (const std::uint64_t sign : {std::uint64_t{0}, std::uint64_t{1} << 63}) {
                const std::uint64_t fraction = fraction_bits == 0 ? 0 : (random() | 1) << (64 - fraction_bits) >> 12;
                const std::uint64_t bits = sign | exponent << 52 | fraction;
                const double x = std::bit_cast<double>(bits);
                const std::string b = by([x](auto& w) { return w.f64(x); });
                std::size_t size = 9;
                if (static_cast<double>(static_cast<float>(x)) == x) size = 5;
                // A half: a multiple of 2^-24 of at most 11 digits, below 2^16.
                int e = 0;
                const double digits = std::isfinite(x) ? std::frexp(x, &e) : 0;
                const double scaled = std::ldexp(digits, 11);
                if (!std::isfinite(x) || (std::fabs(x) < 65536 && scaled == std::trunc(scaled) &&
                                          std::ldexp(x, 24) == std::trunc(std::ldexp(x, 24))))
                    size = 3;
                REQUIRE(b.size() == size);
                buffer out;
                cbor::burst<buffer> burst(out, cbor::preferred);
                REQUIRE(burst.f64(x));
                burst.stop();
                REQUIRE(std::string(out.data(), out.size()) == b);
                const auto* const p = reinterpret_cast<const unsigned char*>(b.data());
                const cbor::header h = cbor::read_header(p, p + b.size());
                const double back = cbor::float_value(h.argument, h.size - 1u);
                if (std::isnan(x)) {
                    REQUIRE(std::isnan(back));
                } else {
                    REQUIRE(std::bit_cast<std::uint64_t>(back) == bits);
                }
            }
        }
    }
}

TEST_CASE("numbers beyond 64 bits") {
    CHECK(put("big 5") == "05");
    CHECK(put("big -1") == "20");
    CHECK(put("big 18446744073709551615") == "1bffffffffffffffff");
    CHECK(put("big 18446744073709551616") == "c249010000000000000000");
    CHECK(put("big -18446744073709551616") == "3bffffffffffffffff");
    CHECK(put("big -18446744073709551617") == "c349010000000000000000");
    CHECK(put("big -0") == "f98000");
    CHECK(put("big 0") == "00");
    CHECK(put("big 273.15") == "c48221196ab3");
    CHECK(put("big 1.50") == "c482211896");
    CHECK(put("big -0.00") == "f98000");
    CHECK(put("big 0.00") == "c4822100");
    CHECK(put("big 1e400") == "c48219019001");
    CHECK(put("big -1.5E-3") == "c482232e");
    CHECK(put("big 1e9223372036854775807") == "c4821b7fffffffffffffff01");
    CHECK(put("big 1e-9223372036854775807") == "c4823b7ffffffffffffffe01");
    for (const char* wrong : {"1e9223372036854775808", "1.5e-9223372036854775808"})
        CHECK(put(std::string("big ") + wrong).starts_with("error range"));
    const auto number = [](const char* s) { return [s](auto& w) { return w.big({s, encoding::ascii}); }; };
    for (const char* wrong : {"", "-", "01", "1.", ".5", "1e", "1e+", "+1", "0x1", "1 ", "nan", "1.e5", "--1"})
        CHECK(refused(number(wrong), errc::syntax));
    CHECK(hex(by([](auto& w) { return w.big({u"-25", 3, encoding::utf16}); })) == "3818");
    CHECK(refused(number("1"), errc::unsupported, {.big = cbor::big_number::refuse}));
    CHECK(put("big 1.50", cbor::big_text) == "64312e3530");

    CHECK(get("c240") == "i64 0");
    CHECK(get("c2420007") == "i64 7");
    CHECK(get("c340") == "i64 -1");
    CHECK(get("c2487fffffffffffffff") == "i64 9223372036854775807");
    CHECK(get("c2488000000000000000") == "u64 9223372036854775808");
    CHECK(get("c3487fffffffffffffff") == "i64 -9223372036854775808");
    CHECK(get("c3488000000000000000") == "big -9223372036854775809");
    CHECK(get("3b8000000000000000") == "big -9223372036854775809");
    CHECK(get("c25f4101480000000000000000ff") == "big 18446744073709551616");
    CHECK(get("c48221196ab3") == "big 273.15");
    CHECK(get("c49f21196ab3ff") == "big 273.15");
    CHECK(get("c4822005") == "big 0.5");
    CHECK(get("c4822505") == "big 0.000005");
    CHECK(get("c4822605") == "big 5e-7");
    CHECK(get("c4820005") == "big 5e0");
    CHECK(get("c4820320") == "big -1e3");
    CHECK(get("c4822100") == "big 0.00");
    CHECK(get("c48221c249010000000000000000") == "big 184467440737095516.16");
    CHECK(get("c48221c349010000000000000000") == "big -184467440737095516.17");
    CHECK(get("c5822003") == "f64 0x3ff8000000000000 1.5");
    CHECK(get("c5820000") == "f64 0x0000000000000000 0");
    CHECK(get("c5821903ff01") == "f64 0x7fe0000000000000 8.98846567431158e+307");
    CHECK(get("c58219040001").starts_with("big 1797693134862315907729305190789"));
    CHECK(get("c58219040001").ends_with("e0"));
    CHECK(get("c58239043101") == "f64 0x0000000000000001 5e-324");
    CHECK(get("c58239043201").ends_with("e-1075"));
    CHECK(get("c58220c249020000000000000001").find("big 18446744073709551616.5") == 0);
    CHECK(get("c5823902ff1bffffffffffffffff").starts_with("big "));
    // The form is told where it breaks.
    for (const auto& [document, error] : {std::pair{"c26161", "error syntax 1 $"},
                                          {"c201", "error syntax 1 $"},
                                          {"c48101", "error syntax 1 $"},
                                          {"c4820161ff", "error syntax 3 $[1]"},
                                          {"c482f90000", "error syntax 2 $[0]"},
                                          {"c49f010203ff", "error syntax 4 $[2]"},
                                          {"c4821b800000000000000001", "error range 2 $[0]"},
                                          {"c5821a0001000001", "error size 1 $"},
                                          {"c4", "error truncated 1 $"},
                                          {"c482", "error truncated 2 $"},
                                          {"c243ffff", "error truncated 1 $"}})
        CHECK(get(document) == error);
}

TEST_CASE("the limit of digits holds both ways") {
    const std::string most = "c2590800" + std::string(4096, 'f'), more = "c259080101" + std::string(4096, '0');
    const std::string digits = get(most);
    CHECK(digits.size() == 4 + 4933);
    CHECK(put(digits) == most);
    CHECK(get(more) == "error size 1 $");
    CHECK(put("big 1" + std::string(4940, '0')).starts_with("error size"));
    CHECK(get("c259080000" + std::string(4094, 'f')).size() > 4900);  // leading zeros do not count
    CHECK(get("c35908"
              "00" +
              std::string(4096, 'f')) == "error size 1 $");
    std::mt19937_64 random(3);
    for (int i = 0; i < 300; ++i) {
        std::string s = random() % 2 ? "big -" : "big ";
        s += static_cast<char>('1' + random() % 9);
        for (std::size_t n = 20 + random() % 200; n > 0; --n) s += static_cast<char>('0' + random() % 10);
        if (random() % 2) s += "." + std::to_string(random());
        REQUIRE(get(put(s)) == s);
    }
}

TEST_CASE("bigfloats have all their digits") {
    // Digit by digit: what 64 bits at a time must not change.
    const auto times = [](std::string& digits, int by) {
        int carry = 0;
        for (auto at = digits.rbegin(); at != digits.rend(); ++at) {
            carry += (*at - '0') * by;
            *at = static_cast<char>('0' + carry % 10);
            carry /= 10;
        }
        if (carry != 0) digits.insert(digits.begin(), static_cast<char>('0' + carry));
    };
    std::string twos = "3", fives = "3";
    for (int k = 1; k <= 7200; ++k) {
        times(twos, 2);
        times(fives, 5);
        if (k <= 1074 || (k > 1100 && k % 97 != 0)) continue;
        char exponent[8];
        std::snprintf(exponent, sizeof exponent, "%04x", static_cast<unsigned>(k));
        const std::string large = get(std::string("c58219") + exponent + "03");
        REQUIRE(large == "big " + twos + "e0");
        std::snprintf(exponent, sizeof exponent, "%04x", static_cast<unsigned>(k - 1));
        const std::string small = get(std::string("c58239") + exponent + "03");
        const bool fits = fives.size() <= 4931;
        REQUIRE(small == (fits ? "big " + fives + "e-" + std::to_string(k) : "error size 1 $"));
        // Nobody asks for them, and is told the same.
        context ctx;
        const std::string document = unhex(std::string("c58239") + exponent + "03");
        cbor::reader from(as_bytes(document), ctx);
        null_sink nobody;
        REQUIRE(from.feed(nobody) == (fits ? errc::ok : errc::size));
    }
    // Digits before the point too, or none: 2^77 + 1 and -1 - 2^77 over 2^k.
    CHECK(get("c58220c24a20000000000000000001") == "big 75557863725914323419136.5");
    CHECK(get("c5823818c24a20000000000000000001") == "big 4503599627370496.0000000298023223876953125");
    CHECK(get("c582384fc34a20000000000000000000") ==
          "big -0.12500000000000000000000082718061255302767487140869206996285356581211090087890625");
}

TEST_CASE("moments and days") {
    CHECK(put("time utc 1363896240 0 0") == "c11a514b67b0");
    CHECK(put("time utc -1 0 0") == "c120");
    CHECK(put("time utc 1363896240 500000000 0") == "c1fb41d452d9ec200000");
    CHECK(put("time utc 0 500000000 0") == "c1f93800");
    CHECK(put("time utc 0 500000000 0", cbor::doubles) == "c1fb3fe0000000000000");
    CHECK(put("time utc 1363896240 99999905 0") == "c1fb41d452d9ec066666");
    CHECK(put("time utc 1363896240 100000000 0") == "c076" + hex("2013-03-21T20:04:00.1Z"));
    CHECK(put("time utc 0 1 0") == "c1fb3e112e0be826d695");
    CHECK(put("time utc 1000000000 1 0") == "c0781e" + hex("2001-09-09T01:46:40.000000001Z"));
    CHECK(put("time utc 1363896240 0 0", cbor::time_text) == "c074" + hex("2013-03-21T20:04:00Z"));
    CHECK(put("time utc 1099511627776000 1 0") ==
          "d903e9a2011b0003e80000000000"
          "2801");
    CHECK(put("time utc 1099511627776000 0 0", cbor::time_text) == "c11b0003e80000000000");
    CHECK(put("time offset 0 0 32400") == "c07819" + hex("1970-01-01T09:00:00+09:00"));
    CHECK(put("time offset 0 0 32400", cbor::moments) == "c100");
    CHECK(put("time local 0 0 32400") == "c07819" + hex("1970-01-01T09:00:00+09:00"));
    CHECK(put("time offset 0 0 32400", {.zoned = cbor::zoned_time::refuse}).starts_with("error unsupported"));
    CHECK(put("time offset 1099511627776000 0 32400").starts_with("error range"));
    CHECK(put("time date 86400 0 0") == "d86401");
    CHECK(put("time date -86400 0 0") == "d86420");
    CHECK(put("time date 86400 0 0", cbor::time_text) == "d903ec6a" + hex("1970-01-02"));
    CHECK(put("time naive 0 0 0") == "73" + hex("1970-01-01T00:00:00"));
    CHECK(put("time naive 0 0 0", cbor::exact).starts_with("error unsupported"));
    CHECK(refused([](auto& w) { return w.time({0, 1'000'000'000, 0, instant::kind::utc}); }, errc::range));

    CHECK(get("c0781e" + hex("1970-01-01T00:00:00.000000001Z")) == "time utc 0 1 0");
    CHECK(get("c07819" + hex("1970-01-01T09:00:00+09:00")) == "time offset 0 0 32400");
    CHECK(get("c07f6a" + hex("1970-01-02") + "6a" + hex("T00:00:00Z") + "ff") == "time utc 86400 0 0");
    CHECK(get("c1fbbff8000000000000") == "time utc -2 500000000 0");
    CHECK(get("c1f93e00") == "time utc 1 500000000 0");
    CHECK(get("c1fb41d452d9ec066666") == "time utc 1363896240 99999905 0");
    CHECK(get("c1fb3feffffffffffff8") == "time utc 1 0 0");  // the nearest nanosecond
    CHECK(get("d86420") == "time date -86400 0 0");
    CHECK(get("d903ec6a" + hex("1970-01-02")) == "time date 86400 0 0");
    CHECK(get("d903e9a2010a2801") == "time utc 10 1 0");
    CHECK(get("d903e9a2010a2501") == "time utc 10 1000 0");
    CHECK(get("d903e9a2010a2201") == "time utc 10 1000000 0");
    CHECK(get("d903e9a101384f") == "time utc -80 0 0");
    CHECK(get("d903e9a2010a2001") == "ext 24 0xd903e9a2010a2001");
    CHECK(put("ext 24 0xd903e9a2010a2001") == "d903e9a2010a2001");
    CHECK(get("a1c10001") == "map\nkey\ntime utc 0 0 0\ni64 1\nend");
    for (const auto& [document, error] : {std::pair{std::string("c1f97e00"), "error range 1 $"},
                                          {"c1fb43e0000000000000", "error range 1 $"},
                                          {"c11b8000000000000000", "error range 1 $"},
                                          {"c16130", "error syntax 1 $"},
                                          {"c000", "error syntax 1 $"},
                                          {"c06a" + hex("1970-01-02"), "error syntax 1 $"},
                                          {"c073" + hex("1970-01-01T00:00:00"), "error syntax 1 $"},
                                          {"c074" + hex("1970-02-30T00:00:00Z"), "error range 1 $"},
                                          {"d8641b7fffffffffffffff", "error range 2 $"},
                                          {"d86461"
                                           "31",
                                           "error syntax 2 $"},
                                          {"d903ec6a" + hex("1970/01/02"), "error syntax 3 $"},
                                          {"d903ec6a" + hex("1970-13-02"), "error range 3 $"}})
        CHECK(get(document) == error);
}

TEST_CASE("what has no verb travels as ext 24, and any ext comes back") {
    for (const char* item : {"e0", "f3", "f820", "f8ff", "c601", "d8184101", "d9d9f8f6", "da6b6d000501", "d82a9f01ff",
                             "c7c7c700", "da6b6d00055f4101ff", "d82aa3020101020300", "d82a1817"}) {
        CAPTURE(std::string(item));
        CHECK(get(item) == std::string("ext 24 0x") + item);
        CHECK(put(std::string("ext 24 0x") + item) == item);
        CHECK(get(std::string("a1") + item + "01") == std::string("map\nkey\next 24 0x") + item + "\ni64 1\nend");
    }
    // Bytes that are no such item are wrapped, as all other types are.
    for (const char* data :
         {"", "00", "c1", "c100", "f6", "f818", "ff", "e0e0", "c601c601", "d9d9f7e0", "da6b6d000540", "d903e9a10100"}) {
        CAPTURE(std::string(data));
        const std::string lines = std::string("ext 24 0x") + data;
        CHECK(put(lines).starts_with("da6b6d0018"));
        CHECK(get(put(lines)) == lines);
    }
    for (const int type : {-128, -1, 0, 1, 23, 25, 127}) {
        const std::string lines = "ext " + std::to_string(type) + " 0x00ff";
        CHECK(get(put(lines)) == lines);
    }
    CHECK(put("ext -1 0x00ff") == "da6b6d00ff4200ff");
    CHECK(refused([](auto& w) { return w.ext(128, {}); }, errc::range));
    CHECK(refused([](auto& w) { return w.ext(-129, {}); }, errc::range));
    // Sorted dialects carry only what is as they write.
    CHECK(put("ext 24 0xd82aa2020101020300", cbor::deterministic).starts_with("da6b6d0018"));
    CHECK(put("ext 24 0xd82aa201020201", cbor::deterministic) == "d82aa201020201");
    CHECK(get("d82a62c328") == "error encoding 3 $");
    CHECK(get("d82a1c") == "error syntax 2 $");
    CHECK(get("d82aff") == "error syntax 2 $");
    CHECK(get("d82a9f81ff") == "error syntax 4 $[0][0]");
    CHECK(get("82d82a8101d82a8181811c") == "error syntax 10 $[1][0][0][0]");
}

TEST_CASE("what a reader grants") {
    using namespace cbor;
    CHECK(get("d9d9f7c1d9d9f700") == "error syntax 4 $");
    CHECK(get("d9d9f7d9d9f76161") == "str \"a\"");
    CHECK(get("a1d9d9f7616101") == "map\nkey \"a\"\ni64 1\nend");
    CHECK(get("9fd9d9f7ff") == "error syntax 4 $[0]");
    CHECK(get("d82a8101", plain_read) == "array\ni64 1\nend");
    CHECK(get("a1d82a616101", plain_read) == "map\nkey \"a\"\ni64 1\nend");
    CHECK(get("d82aff", plain_read) == "error syntax 2 $");
    CHECK(get("d8184a826161d818448161620182", plain_read) == "error syntax 12 $");
    CHECK(get("83d8184382010201d8184403a1616102", plain_read) == "error syntax 12 $[2]");
    CHECK(get("83d8184382010201d81844a1616102", plain_read) ==
          "array\narray\ni64 1\ni64 2\nend\ni64 1\nmap\nkey \"a\"\ni64 2\nend\nend");
    CHECK(get("a1d81842616101", plain_read) == "map\nkey\nstr \"a\"\ni64 1\nend");
    CHECK(get("d818420101", plain_read) == "error syntax 4 $");
    CHECK(get("d818418101", plain_read).starts_with("error syntax"));
    CHECK(get("d81844d8184161", plain_read).starts_with("error"));
    CHECK(get("d8185f4101ff", plain_read) == "bin 0x01");
    CHECK(get("c601", with([](auto& d) { d.tags = unknown_tag::refuse; })) == "error unsupported 0 $");
    CHECK(get("81f7", with([](auto& d) { d.undefined = undefined_value::refuse; })) == "error unsupported 1 $[0]");
    CHECK(get("62c328") == "error encoding 1 $");
    CHECK(get("62c328", raw_read) == "bin 0xc328");
    CHECK(get("a161ff01", raw_read) == "map\nkey\nbin 0xff\ni64 1\nend");
    CHECK(get("a161ff01", any_text_read) == "map\nkey \"\\xff\"\ni64 1\nend");
    // Each chunk is text by itself, or none.
    CHECK(get("7f61c361bcff") == "error encoding 2 $");
    CHECK(get("7f6261c361bcff", any_text_read) == "str \"a\\u{fc}\"");
    CHECK(get("7f62c3bc61c3ff", raw_read) == "bin 0xc3bcc3");

    CHECK(get("a2616101616102") == "map\nkey \"a\"\ni64 1\nkey \"a\"\ni64 2\nend");
    CHECK(get("a2616101616102", unique_keys) == "error duplicate 4 $");
    CHECK(get("82a16161a2616201616202f6", unique_keys).starts_with("error duplicate"));
    CHECK(get("a2616101616102", last_key) == "map\nkey \"a\"\ni64 2\nend");
    CHECK(get("a3616181a10101"
              "6162"
              "02"
              "616103",
              last_key) == "map\nkey \"b\"\ni64 2\nkey \"a\"\ni64 3\nend");
    CHECK(get("bf616101616102ff", last_key) == "map\nkey \"a\"\ni64 2\nend");
    // Equal as values: 1 in one byte and two, text in chunks, a half and a double, maps in another order, a bignum.
    for (const char* twice :
         {"a201f61801f6", "a26161f67f6161fff6", "a2f93c00f6fb3ff0000000000000f6", "a2a201020304f6a203040102f6",
          "a201f6c24101f6", "a2c100f6c1f90000f6", "a29f01fff68101f6", "a2c601f6c601f6"})
        CHECK(get(twice, unique_keys).starts_with("error duplicate"));
    for (const char* other : {"a201f6f93c00f6", "a26161f64161f6", "a2c601f6c60161", "a2616101a161610161"})
        CHECK(!get(other, unique_keys).starts_with("error duplicate"));
    CHECK(get("a2a2010201030101", unique_keys) == "error truncated 8 ${1}");
    CHECK(get("a1a20102010301", unique_keys) == "error duplicate 4 $");
}

TEST_CASE("readers that insist") {
    using namespace cbor;
    for (const char* longer : {"1800",
                               "1817",
                               "190018",
                               "1a0000ffff",
                               "1b00000000ffffffff",
                               "3817",
                               "7800",
                               "5801ff",
                               "9801f6",
                               "b800",
                               "d80100",
                               "fa3f800000",
                               "fb3ff0000000000000",
                               "fb47efffffe0000000",
                               "f97e01",
                               "fb7ff8000000000000",
                               "c240",
                               "c24100",
                               "c2480100000000000000",
                               "c34a00010000000000000000",
                               "d9002a01",
                               "f98000f6"}) {
        CAPTURE(std::string(longer));
        CHECK(get(longer, preferred_read).starts_with("error"));
        CHECK(get(longer, deterministic_read).starts_with("error"));
    }
    for (const char* good : {"9fff", "bfff", "7fff", "5f4101ff", "a2026001f6"}) {
        CHECK(!get(good, preferred_read).starts_with("error"));
        CHECK(get(good, deterministic_read).starts_with("error syntax"));
    }
    CHECK(get("a2016002f6", deterministic_read) == "map\nkey\ni64 1\nstr \"\"\nkey\ni64 2\nnull\nend");
    CHECK(get("a26161016161"
              "02",
              deterministic_read) == "error duplicate 4 $");
    CHECK(get("a3616101"
              "02f6"
              "616202",
              deterministic_read) == "error syntax 4 $");
    CHECK(get("d82aa2026001f6", deterministic_read).starts_with("error syntax"));
}

TEST_CASE("sorted keys") {
    // RFC 8949 4.2.1's and 4.2.3's own example of the two orders.
    const std::string lines =
        "map 8\nkey\nboolean false\nnull\nkey\ni64 100\nnull\nkey\ni64 -1\nnull\nkey \"z\"\nnull\nkey \"aa\"\nnull\nkey\narray "
        "1\ni64 100\n"
        "end\nnull\nkey\narray 1\ni64 -1\nend\nnull\nkey\ni64 10\nnull\nend";
    CHECK(put(lines, cbor::deterministic) == "a80af61864f620f6617af6626161f6811864f68120f6f4f6");
    CHECK(put(lines, cbor::canonical) == "a80af620f6f4f61864f6617af68120f6626161f6811864f6");
    CHECK(put("map\nkey \"b\"\nmap\nkey \"y\"\ni64 1\nkey \"x\"\ni64 2\nend\nkey \"a\"\ni64 3\nend", cbor::deterministic) ==
          "a26161036162a26178026179"
          "01");
    CHECK(put("map\nkey \"a\"\nnull\nkey \"a\"\nnull\nend", cbor::deterministic).starts_with("error duplicate"));
    CHECK(put("map\nkey \"b\"\nnull\nkey \"a\"\nnull\nkey \"b\"\nnull\nend", cbor::canonical).starts_with("error duplicate"));
    CHECK(put("map\nkey\nmap\nkey \"b\"\nnull\nkey \"a\"\nnull\nend\ni64 1\nend", cbor::deterministic) == "a1a26161f66162f601");

    std::mt19937_64 random(8949);
    for (int i = 0; i < 500; ++i) {
        const plain::value v = random_value(random, {.unique_keys = true});
        context ctx;
        buffer lines_of, out;
        plain::walker walk(v, ctx), again(v, ctx);
        trace_sink late(lines_of, ctx, {.counts = false});
        REQUIRE(again.feed(late) == errc::ok);
        cbor::writer to(out, ctx, cbor::deterministic);
        bytes document;
        const errc code = pipe(walk, to, document);
        if (code != errc::ok) {  // a time without text
            REQUIRE((code == errc::range || code == errc::duplicate));
            continue;
        }
        const std::string once = as_string(document);
        REQUIRE(hex(once) == hex(write<cbor::writer>(late.view(), cbor::deterministic)));
        context strict;
        cbor::reader from(as_bytes(once), strict, cbor::deterministic_read);
        buffer twice;
        cbor::writer same(twice, strict, cbor::deterministic);
        REQUIRE(pipe(from, same, document) == errc::ok);
        REQUIRE(as_string(document) == once);
    }
}

TEST_CASE("text in any encoding becomes UTF-8") {
    const auto str = [](text t) { return by([&](auto& w) { return w.str(t); }); };
    CHECK(hex(str({"caf\xe9", encoding::latin1})) == "65636166c3a9");
    CHECK(hex(str({u"caf\u00e9\U0001f600", 6, encoding::utf16})) == "69636166c3a9f09f9880");
    const char16_t half[] = {u'a', 0xdc00};
    CHECK(refused([&](auto& w) { return w.str({half, 2, encoding::utf16}); }, errc::encoding));
    const auto kept = [&](const cbor::dialect& as) {
        return hex(by([&](auto& w) { return w.str({half, 2, encoding::utf16}); }, as));
    };
    CHECK(kept(cbor::lenient) == "4461edb080");
    CHECK(kept(cbor::any_text) == "6461edb080");
    CHECK(refused([&](auto& w) { return w.str(text("a\xff")); }, errc::encoding));
    CHECK(hex(by([&](auto& w) { return w.str(text("a\xff")); }, cbor::lenient)) == "4261ff");
    CHECK(hex(by([&](auto& w) { return w.str(text("a\xff")); }, cbor::any_text)) == "6261ff");
}

TEST_CASE("verbs in a wrong order are misuse, never a wrong document") {
    for (const cbor::dialect* as : {&cbor::preferred, &cbor::deterministic, &cbor::streaming}) {
        CHECK(refused([](auto&) { return errc::ok; }, errc::misuse, *as));
        CHECK(refused([](auto& w) { return w.array({}); }, errc::misuse, *as));
        CHECK(refused([](auto& w) { return w.end(); }, errc::misuse, *as));
        CHECK(refused([](auto& w) { return w.null(), w.null(); }, errc::misuse, *as));
        CHECK(refused([](auto& w) { return w.map({}), w.null(); }, errc::misuse, *as));
        CHECK(refused([](auto& w) { return w.map({}), w.key(text("a")), w.end(); }, errc::misuse, *as));
        CHECK(refused([](auto& w) { return w.array({2}), w.null(), w.end(); }, errc::misuse, *as));
        CHECK(refused([](auto& w) { return w.array({1}), w.null(), w.null(); }, errc::misuse, *as));
    }
}

TEST_CASE("limits hold in both directions") {
    context ctx;
    ctx.limits.size = 100;
    buffer out;
    cbor::writer w(out, ctx);
    const std::string s(101, 'x');
    CHECK(w.str(text(s)) == errc::size);

    context deep;
    deep.limits.depth = 2;
    cbor::writer w2(out, deep);
    CHECK(w2.array({}) == errc::ok);
    CHECK(w2.array({}) == errc::ok);
    CHECK(w2.map({}) == errc::depth);

    context small;
    small.limits.size = 3;
    null_sink nothing;
    const std::string document = unhex("83010203");
    cbor::reader r(as_bytes(document), small);
    CHECK(r.feed(nothing) == errc::size);

    CHECK(get("8180", cbor::standard_read, 1) == "error depth 1 $[0]");
    CHECK(get("819fff", cbor::standard_read, 1) == "error depth 1 $[0]");
    CHECK(get("81c680", cbor::standard_read, 1) == "error depth 2 $[0]");
    CHECK(get("81c68101", cbor::preferred_read, 1) == "error depth 2 $[0]");
    CHECK(get("81d8184101", cbor::plain_read, 1) == "error depth 1 $[0]");
    CHECK(get("81c680", cbor::standard_read, 2) == "array\next 24 0xc680\nend");
}

TEST_CASE("deep nesting costs no stack") {
    for (const char* opening : {"81", "9f", "d81881"}) {
        const std::string one = unhex(opening);
        std::string document;
        for (int i = 0; i < 300'000; ++i) document += one;
        document += '\x80';
        if (opening[0] == '9') document += std::string(300'000, '\xff');
        context ctx;
        ctx.limits.depth = 1'000'000;
        cbor::reader from(as_bytes(document), ctx);
        buffer out;
        cbor::writer to(out, ctx);
        bytes b;
        CHECK(pipe(from, to, b) == errc::ok);
        cbor::boundary state;
        CHECK(state.next(document.data(), document.size()) == document.size());
        CHECK(state.complete);
    }
    const std::string tags(1'000'000, '\xc6');
    CHECK(read<cbor::reader>(tags + '\x01').starts_with("ext 24 0xc6c6"));
    context ctx;
    ctx.limits.depth = 100'000;
    buffer out;
    cbor::writer late(out, ctx);
    for (int i = 0; i < 100'000; ++i) REQUIRE(late.array({}) == errc::ok);
    for (int i = 0; i < 100'000; ++i) REQUIRE(late.end() == errc::ok);
    bytes b;
    CHECK(late.finish(b) == errc::ok);
    CHECK(as_string(b) == std::string(99'999, '\x81') + '\x80');
}

TEST_CASE("maps within keys of maps are looked at once") {
    // {{{...: 0, 1: 0}: 0, 1: 0}: 0, 1: 0}. Encoded anew for each map around them, and measured for each of those, such keys
    // take cubic time: hours here.
    constexpr int levels = 20'000;
    const auto nested = [](const char* innermost) {
        std::string s;
        for (int i = 0; i < levels; ++i) s += "a2";
        s += innermost;
        for (int i = 0; i < levels; ++i) s += "000100";
        return s;
    };
    const std::string key = nested("a0"), same = nested("bfff"), other = nested("a10000");
    const auto pair = [](const std::string& a, const std::string& b) { return "a2" + a + "02" + b + "03"; };
    for (const cbor::read_dialect& granted : {cbor::unique_keys, cbor::last_key}) {
        CHECK(!get(key, granted, levels + 2).starts_with("error"));
        CHECK(!get(pair(key, other), granted, levels + 2).starts_with("error"));
    }
    CHECK(get(pair(key, same), cbor::unique_keys, levels + 2) ==
          "error duplicate " + std::to_string(1 + key.size() / 2 + 1) + " $");
    const std::string once = get(pair(key, same), cbor::last_key, levels + 2);
    CHECK(once.ends_with("i64 3\nend"));
    CHECK(std::count(once.begin(), once.end(), 'm') == levels + 2);  // as in "map"
    // A map with a key twice is no value: then bytes are compared.
    const std::string broken = nested("a200000000"), long_broken = nested("a20000180000");
    CHECK(get(pair(broken, broken), cbor::unique_keys, levels + 2).starts_with("error duplicate"));
    const std::string both = get(pair(broken, long_broken), cbor::last_key, levels + 2);
    CHECK(std::count(both.begin(), both.end(), 'm') == 2 * (levels + 1) + 1);
}

TEST_CASE("keys within keys are measured once") {
    constexpr int levels = 300'000;
    for (const cbor::dialect& as : {cbor::deterministic, cbor::canonical}) {
        context ctx;
        ctx.limits.depth = levels;
        buffer out;
        cbor::writer to(out, ctx, as);
        for (int i = 0; i < levels; ++i) {
            // {1: 0, {1: 0, ...: 0}: 0}, the count known or not.
            REQUIRE(to.map({i % 2 == 0 ? 2 : count::unknown}) == errc::ok);
            REQUIRE(to.key(next_value{}) == errc::ok);
            REQUIRE(to.i64(1) == errc::ok);
            REQUIRE(to.i64(0) == errc::ok);
            REQUIRE(to.key(next_value{}) == errc::ok);
        }
        REQUIRE(to.i64(2) == errc::ok);
        for (int i = 0; i < levels; ++i) {
            REQUIRE(to.i64(0) == errc::ok);
            REQUIRE(to.end() == errc::ok);
        }
        bytes b;
        REQUIRE(to.finish(b) == errc::ok);
        CHECK(b.size() == std::size_t{levels} * 4 + 1);
    }
}

TEST_CASE("hostile counts make nobody allocate") {
    for (const char* h :
         {"9affffffff010203", "9bffffffffffffffff01", "bbffffffffffffffff01", "bb800000000000000001", "7bffffffffffffffff61",
          "5bffffffffffffffff61", "5f5bffffffffffffffff61", "c25bffffffffffffffff61", "c69bffffffffffffffff01"}) {
        CAPTURE(std::string(h));
        for (const cbor::read_dialect* as : {&cbor::standard_read, &cbor::unique_keys, &cbor::deterministic_read}) {
            context ctx;
            const std::string document = unhex(h);
            cbor::reader from(as_bytes(document), ctx, *as);
            plain::builder built(ctx);
            CHECK((from.feed(built) == errc::truncated || ctx.failure.code == errc::syntax));
        }
        cbor::boundary state;
        const std::string document = unhex(h);
        CHECK(state.next(document.data(), document.size()) == document.size());
        CHECK(!state.complete);
    }
}

TEST_CASE("a stream of documents, in pieces of every size") {
    const std::string stream = unhex("01 6161 82f4f5 a0 9f01ff 5f4101ff c100 bf616180ff d82a8101 f97e00");
    context ctx;
    cbor::reader from(as_bytes(stream), ctx);
    std::vector<std::size_t> places;
    null_sink nothing;
    while (from.more()) {
        REQUIRE(from.next(nothing) == errc::ok);
        places.push_back(from.position());
    }
    CHECK(places.size() == 10);
    for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
        cbor::boundary state;
        std::vector<std::size_t> ends;
        for (std::size_t at = 0; at < stream.size();) {
            const std::size_t n = std::min(piece, stream.size() - at);
            const std::size_t used = state.next(stream.data() + at, n);
            at += used;
            if (!state.complete) {
                REQUIRE(used == n);
                REQUIRE(state.started());
                continue;
            }
            ends.push_back(at);
            state = {};
        }
        CHECK(ends == places);
    }
    cbor::boundary state;
    for (const char* wrong : {"\xff", "\x1c", "\xdf"}) {  // the reader says what is wrong
        state = {};
        CHECK(state.next(wrong, 1) == 1);
        CHECK(state.complete);
    }
}

TEST_CASE("several documents in one buffer, and a lone key") {
    context ctx;
    buffer out;
    cbor::writer w(out, ctx, cbor::deterministic);
    bytes first, second, third;
    CHECK(w.map({}) == errc::ok);
    CHECK(w.key(text("b")) == errc::ok);
    w.begin();  // forgets it, but the bytes stay in the buffer
    const std::size_t before = out.size();
    CHECK(w.array({}) == errc::ok);
    CHECK(w.end() == errc::ok);
    CHECK(w.finish(first) == errc::ok);
    CHECK(hex(as_string(first)) == "80");
    CHECK(out.size() == before + 1);
    w.begin_key();
    CHECK(w.key(text("a")) == errc::ok);
    CHECK(w.finish(second) == errc::ok);
    CHECK(hex(as_string(second)) == "6161");
    w.begin_key();
    CHECK(w.key(next_value{}) == errc::ok);
    CHECK(w.i64(5) == errc::ok);
    CHECK(w.finish(third) == errc::ok);
    CHECK(hex(as_string(third)) == "05");
}

TEST_CASE("a sink's refusal is told with its place") {
    struct no_big : null_sink {
        errc u64(std::uint64_t) { return errc::range; }
        errc ext(int, bytes) { return errc::unsupported; }
    };
    for (const auto& [h, path] : {std::pair{"a1616192011bffffffffffffffff", "$.a[1]"},
                                  {"a1616192"
                                   "01c601",
                                   "$.a[1]"},
                                  {"a17f6161ff9f01c601ff", "$.a[1]"},
                                  {"a101c8f6", "${0}"}}) {
        std::string document = unhex(h);
        std::replace(document.begin(), document.end(), '\x92', '\x82');
        context ctx;
        cbor::reader from(as_bytes(document), ctx);
        no_big to;
        CHECK(from.feed(to) != errc::ok);
        CHECK(ctx.failure.path == path);
    }
}

TEST_CASE("the reader, the check and the header agree on every first byte, followed by anything") {
    std::mt19937 random(7);
    for (int c = 0; c < 256; ++c) {
        for (int round = 0; round < 300; ++round) {
            std::string document(1, static_cast<char>(c));
            const std::size_t n = random() % 24;
            for (std::size_t i = 0; i < n; ++i) document += static_cast<char>(random() % 4 ? random() % 256 : random() % 4);
            const std::vector<unsigned char> exact(document.begin(), document.end());
            context ctx;
            cbor::reader from({exact.data(), exact.size()}, ctx, cbor::any_text_read);
            plain::builder built(ctx);
            const errc code = from.next(built);
            const unsigned char* p = exact.data();
            cbor::fault found;
            const errc checked = cbor::check(p, exact.data() + exact.size(), {.text = false}, found);
            if (code == errc::ok) {
                CHECK(checked == errc::ok);
                CHECK(static_cast<std::size_t>(p - exact.data()) == from.position());
            } else {
                CHECK(ctx.failure.code == code);
                CHECK(ctx.failure.offset <= document.size());
                CHECK(ctx.failure.path.starts_with("$"));
            }
            cbor::boundary state;
            const std::size_t used = state.next(document.data(), document.size());
            if (code == errc::ok) CHECK((state.complete && used == from.position()));
        }
    }
}

TEST_CASE("random values survive the round trip") {
    std::mt19937_64 random(11);
    for (int i = 0; i < 3000; ++i) {
        const plain::value v = random_value(random, {.utc_only = true, .no_big = true});
        for (const cbor::dialect* as : {&cbor::preferred, &cbor::streaming, &cbor::doubles}) {
            context ctx;
            buffer out;
            plain::walker walk(v, ctx);
            cbor::writer to(out, ctx, *as);
            bytes document;
            REQUIRE(pipe(walk, to, document) == errc::ok);
            cbor::reader from(document, ctx);
            plain::builder built(ctx);
            REQUIRE(from.feed(built) == errc::ok);
            REQUIRE(built.take() == v);
            // Counts that come late.
            plain::walker again(v, ctx);
            buffer lines, out2;
            trace_sink traced(lines, ctx, {.counts = false});
            REQUIRE(again.feed(traced) == errc::ok);
            const std::string late = write<cbor::writer>(traced.view(), *as);
            if (as != &cbor::streaming) REQUIRE(late == as_string(document));
            REQUIRE(read<cbor::reader>(late, {.counts = false}) == traced.view());
        }
    }
}
