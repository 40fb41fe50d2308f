// Floats of mruby's word boxing: what is written comes back as the same value, and what a script wrote is what it
// prints.
#include "../src/floats.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "plain.hpp"

using namespace kumihimo;
using namespace kumihimo::mruby::test;

namespace {

double boxed(double x) {
    return mruby::floats_are_cut ? std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~std::uint64_t{3}) : x;
}
bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

std::string text(double x) {
    char b[scalar::float_room];
    return {b, scalar::write_f64(b, x, mruby::float_layout)};
}

// The C library's reader is the judge.
void comes_back(double x) {
    const std::string s = text(x);
    if (!same(boxed(std::strtod(s.c_str(), nullptr)), x)) FAIL_CHECK(s << " is not what was written");
}

}  // namespace

TEST_CASE("the box is what this library takes it for") {
    plain ruby;
    std::mt19937_64 random(1);
    for (int i = 0; i < 10000; ++i) {
        const double x = std::bit_cast<double>(random());
        if (!std::isfinite(x)) continue;
        const mrb_value v = mrb_float_value(ruby.state(), x);
        CHECK(v.w == mruby::float_value(ruby.state(), x).w);
        CHECK(same(mrb_float(v), mruby::float_of(v)));
        CHECK(same(mrb_float(v), boxed(x)));
    }
}

TEST_CASE("what is written is read as the same value") {
    for (const char* s : {"0",
                          "-0",
                          "0.1",
                          "1e23",
                          "5e-324",
                          "2e-323",
                          "1e-310",
                          "2.2250738585072014e-308",
                          "2.225073858507201e-308",
                          "1.7976931348623157e308",
                          "9007199254740993",
                          "1e15",
                          "1e16",
                          "1e17",
                          "123456789012345678",
                          "0.3",
                          "4.35",
                          "0.000001",
                          "1e22",
                          "1e21",
                          "9.5367431640625e-07",
                          "4503599627370496.5",
                          "0.99999999999999989",
                          "999999999999999.9",
                          "99999999999999.95",
                          "1e14",
                          "1e-8",
                          "9.999999999999999e-9"}) {
        comes_back(boxed(std::strtod(s, nullptr)));
        comes_back(boxed(-std::strtod(s, nullptr)));
    }
    std::mt19937_64 random(2);
    for (int i = 0; i < 200000; ++i) {
        const double x = boxed(std::bit_cast<double>(random()));
        if (std::isfinite(x)) comes_back(x);
    }
    for (int e = 1; e < 2047; ++e)
        for (const std::uint64_t f : {std::uint64_t{0}, std::uint64_t{4}, (std::uint64_t{1} << 52) - 4})
            comes_back(std::bit_cast<double>(static_cast<std::uint64_t>(e) << 52 | f));
    for (std::uint64_t bits = 0; bits < 4000; bits += 4) comes_back(std::bit_cast<double>(bits));
}

TEST_CASE("up to 15 digits are found again") {
    std::mt19937_64 random(3);
    char written[64];
    for (int i = 0; i < 200000; ++i) {
        std::uint64_t most = 10;
        for (std::uint64_t n = random() % 15; n != 0; --n) most *= 10;
        const int exponent = static_cast<int>(random() % (i % 3 == 0 ? 600 : 40)) - (i % 3 == 0 ? 315 : 25);
        std::snprintf(written, sizeof written, "%llue%d", static_cast<unsigned long long>(random() % most), exponent);
        const double x = std::strtod(written, nullptr);
        if (!std::isfinite(x) || (x < 1e-306 && x != 0)) continue;
        if (!same(std::strtod(text(boxed(x)).c_str(), nullptr), x)) FAIL_CHECK(written << " became " << text(boxed(x)));
        if (!same(mruby::uncut(boxed(x)), x)) FAIL_CHECK(written << " goes out as another double");
    }
}

TEST_CASE("what a script wrote is what it prints") {
    plain ruby;
    for (const char* s : {"0.1",
                          "0.2",
                          "0.3",
                          "0.7",
                          "1.1",
                          "2.675",
                          "3.14159265358979",
                          "123456.789",
                          "0.000123",
                          "1.0e+23",
                          "1.0e-10",
                          "0.3145",
                          "99999.99",
                          "35.681236",
                          "139.767125",
                          "0.30000000000000004",
                          "1.0e+15",
                          "100000000000000.0",
                          "0.0001",
                          "1.0e-05",
                          "-0.0",
                          "-273.15",
                          "1.0e+100",
                          "1.7976931348623151e+308",
                          "6.02214076e+23",
                          "6.62607015e-34",
                          "299792458.0"})
        CHECK(ruby.run("JSON.generate(" + std::string(s) + ")") == s);
    // The same text is the same Float in a script, in to_f and in a document.
    std::mt19937_64 random(4);
    for (int i = 0; i < 2000; ++i) {
        char s[64];
        std::snprintf(s, sizeof s, "%.*g", static_cast<int>(1 + random() % 17),
                      std::ldexp(static_cast<double>(random()), -60 + i % 40));
        std::string decimal = s;
        if (decimal.find_first_of(".e") == std::string::npos) decimal += ".0";
        if (const auto e = decimal.find('e'); e != std::string::npos && decimal.find('.') == std::string::npos)
            decimal.insert(e, ".0");
        CHECK(ruby.run("[" + decimal + " == '" + decimal + "'.to_f, " + decimal + " == JSON.parse('" + decimal + "')]") ==
              "[true, true]");
    }
}

TEST_CASE("decimals are read by Ruby's grammar") {
    const auto value = [](std::string_view s, std::size_t& end) {
        const char* stop = nullptr;
        const double x = mruby::read_decimal(s, stop);
        end = static_cast<std::size_t>(stop - s.data());
        return x;
    };
    struct {
        const char* text;
        double is;
        std::size_t end;
    } const known[] = {{"", 0, 0},
                       {"x", 0, 0},
                       {"-", 0, 0},
                       {".", 0, 0},
                       {"5", 5, 1},
                       {"5.", 5, 0},
                       {".5", 0.5, 2},
                       {" \t-2.5e3x", -2500, 8},
                       {"1e", 1, 1},
                       {"1e+", 1, 1},
                       {"1e400", HUGE_VAL, 5},
                       {"1e-400", 0, 6},
                       {"1.5.5", 1.5, 3},
                       {"00012.50", 12.5, 8},
                       {"0.000000000000000000000000000000000000000012345", 1.2345e-41, 47},
                       {"123456789012345678901234567890", 123456789012345678901234567890.0, 30},
                       {"9007199254740993.000000000000000000000000000001", 9007199254740994.0, 47},
                       {"1e99999999999999999999", HUGE_VAL, 22}};
    for (const auto& k : known) {
        std::size_t end = 0;
        CHECK_MESSAGE(value(k.text, end) == k.is, k.text);
        CHECK_MESSAGE(end == k.end, k.text);
    }
}
