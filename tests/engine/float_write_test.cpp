// Doubles to text: every layout against rules applied to the standard library's digits, against printf, and against
// what the languages themselves print.
#include "engine/scalar/float_write.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "engine/scalar/float_read.hpp"
#include "engine/scalar/grisu.hpp"

using namespace kumihimo;
using scalar::float_layout;

namespace {

constexpr float_layout layouts[] = {float_layout::ecmascript,    float_layout::python,    float_layout::ruby,
                                    float_layout::perl15,        float_layout::g17,       float_layout::cpanel15,
                                    float_layout::perl_shortest, float_layout::json_2_11, float_layout::json_2_12,
                                    float_layout::json_2_15,     float_layout::orjson};

constexpr bool of_15_digits(float_layout l) { return l == float_layout::perl15 || l == float_layout::cpanel15; }

std::string written(double x, float_layout layout) {
    char b[scalar::float_room + 16];
    std::memset(b, '#', sizeof b);
    char* const to = b + 8;
    const std::string text(to, scalar::write_f64(to, x, layout));
    for (std::size_t i = 0; i < 8; ++i)
        if (b[i] != '#' || to[scalar::float_room + i] != '#') return "written outside its room: " + text;
    return text;
}

// Ruby's json by its rules, from Grisu2's digits: these it must share, the checksums below say that they are json's
// own.
std::string expected_of_json(double x, float_layout layout) {
    const std::string sign = std::signbit(x) ? "-" : "";
    if (x == 0) return sign + "0.0";
    int e = 0;
    const double c = std::frexp(std::fabs(x), &e);  // c * 2^e, 1/2 <= c < 1
    const int q = std::max(e - 53, -1074);
    const scalar::grisu_decimal g = scalar::grisu2(static_cast<std::uint64_t>(std::ldexp(c, e - q)), q);
    std::string digits = std::to_string(g.digits);
    CHECK(static_cast<int>(digits.size()) == g.count);
    CHECK(digits.back() != '0');
    const int n = g.count, exponent = g.exponent + n - 1;
    const auto some = [](int count) { return std::string(static_cast<std::size_t>(count), '0'); };
    if (g.exponent >= 0) {
        const int zeros = std::signbit(x) ? 7 : 8;
        if (layout == float_layout::json_2_15 ? exponent < 15 : g.exponent < zeros)
            return sign + digits + some(g.exponent) + ".0";
    } else if (g.exponent > -7 || std::abs(exponent) < (layout == float_layout::json_2_11 ? 4 : 10)) {
        if (exponent < 0) return sign + "0." + some(-exponent - 1) + digits;
        return sign + digits.insert(static_cast<std::size_t>(exponent) + 1, ".");
    }
    if (n > 1) digits.insert(1, ".");
    return sign + digits + (exponent < 0 ? "e" : "e+") + std::to_string(exponent);
}

// The layouts by their rules, from the digits that to_chars finds. Slow and obvious.
std::string expected(double x, float_layout layout) {
    const bool orjson = layout == float_layout::orjson;
    if (layout >= float_layout::json_2_11 && !orjson) return expected_of_json(x, layout);
    char b[64];
    if (of_15_digits(layout) || layout == float_layout::g17) {
        std::snprintf(b, sizeof b, of_15_digits(layout) ? "%.15g" : "%.17g", x);
        if (layout == float_layout::cpanel15 && std::strpbrk(b, ".e") == nullptr && std::trunc(x) == x) std::strcat(b, ".0");
        return b;
    }
    const bool perl = layout == float_layout::perl_shortest;
    const bool es = layout == float_layout::ecmascript;
    if (x == 0) return std::string(std::signbit(x) && !es ? "-" : "") + (es || perl ? "0" : "0.0");
    *std::to_chars(b, b + sizeof b, x, std::chars_format::scientific).ptr = 0;
    std::string digits, out;
    const char* p = b;
    if (*p == '-') out = *p++;
    for (; *p != 'e'; ++p)
        if (*p != '.') digits += *p;
    const int n = static_cast<int>(digits.size());
    const int point = std::atoi(p + 1) + 1;
    const auto some = [](int count) { return std::string(static_cast<std::size_t>(count), '0'); };
    const bool stops = layout == float_layout::ruby && point == 16 && n <= 16;  // flo_to_s: decpt < digs, or decpt <= DBL_DIG
    if (point > (es ? -6 : orjson ? -5 : -4) && point <= (es ? 21 : perl ? 17 : 16) && !stops) {
        if (point <= 0) return out + "0." + some(-point) + digits;
        if (n <= point) return out + digits + some(point - n) + (es || perl ? "" : ".0");
        return out + digits.substr(0, static_cast<std::size_t>(point)) + "." + digits.substr(static_cast<std::size_t>(point));
    }
    out += digits[0];
    if (n > 1) out += "." + digits.substr(1);
    if (n == 1 && layout == float_layout::ruby) out += ".0";
    const int exponent = std::abs(point - 1);
    return out + (point > 0 ? "e+" : "e-") + (exponent < 10 && !es && !orjson ? "0" : "") + std::to_string(exponent);
}

// Compares every layout, counts what differs and shows the first few.
struct comparison {
    long differ = 0;
    void operator()(double x) {
        if (!std::isfinite(x)) return;
        for (float_layout l : layouts) {
            const std::string got = written(x, l), want = expected(x, l);
            if (got != want && ++differ <= 10) FAIL_CHECK(got << " should be " << want << ", layout " << static_cast<int>(l));
        }
        // All but those of 15 digits read back the same.
        for (float_layout l : layouts) {
            if (of_15_digits(l)) continue;
            const std::string text = written(x, l);
            double back = 0;
            if (scalar::read_f64(text.data(), text.data() + text.size(), back) != errc::ok || back != x)
                if (++differ <= 10) FAIL_CHECK(text << " reads back as " << back);
        }
    }
};

struct row {
    double x;
    const char* text[5];
};

// What Node.js (String), CPython (repr), Ruby (to_s) and Perl (printf %.15g and %.17g) print.
constexpr row rows[] = {
    {0x0p+0, {"0", "0.0", "0.0", "0", "0"}},
    {0x1.0000000000000p+0, {"1", "1.0", "1.0", "1", "1"}},
    {-0x1.0000000000000p+0, {"-1", "-1.0", "-1.0", "-1", "-1"}},
    {0x1.0000000000000p+1, {"2", "2.0", "2.0", "2", "2"}},
    {0x1.4000000000000p+3, {"10", "10.0", "10.0", "10", "10"}},
    {0x1.9000000000000p+6, {"100", "100.0", "100.0", "100", "100"}},
    {0x1.ec00000000000p+6, {"123", "123.0", "123.0", "123", "123"}},
    {0x1.0000000000000p-1, {"0.5", "0.5", "0.5", "0.5", "0.5"}},
    {0x1.0000000000000p-2, {"0.25", "0.25", "0.25", "0.25", "0.25"}},
    {0x1.999999999999ap-4, {"0.1", "0.1", "0.1", "0.1", "0.10000000000000001"}},
    {0x1.999999999999ap-3, {"0.2", "0.2", "0.2", "0.2", "0.20000000000000001"}},
    {0x1.3333333333333p-2, {"0.3", "0.3", "0.3", "0.3", "0.29999999999999999"}},
    {0x1.5555555555555p-2,
     {"0.3333333333333333", "0.3333333333333333", "0.3333333333333333", "0.333333333333333", "0.33333333333333331"}},
    {0x1.5555555555555p-1,
     {"0.6666666666666666", "0.6666666666666666", "0.6666666666666666", "0.666666666666667", "0.66666666666666663"}},
    {0x1.3333333333334p-2, {"0.30000000000000004", "0.30000000000000004", "0.30000000000000004", "0.3", "0.30000000000000004"}},
    {0x1.8000000000000p+0, {"1.5", "1.5", "1.5", "1.5", "1.5"}},
    {-0x1.8000000000000p+0, {"-1.5", "-1.5", "-1.5", "-1.5", "-1.5"}},
    {0x1.3000000000000p+3, {"9.5", "9.5", "9.5", "9.5", "9.5"}},
    {0x1.8ff5c28f5c28fp+6, {"99.99", "99.99", "99.99", "99.99", "99.989999999999995"}},
    {0x1.34a456d5cfaadp+10, {"1234.5678", "1234.5678", "1234.5678", "1234.5678", "1234.5678"}},
    {-0x1.06745803cd140p+6,
     {"-65.61361699999998", "-65.61361699999998", "-65.61361699999998", "-65.613617", "-65.613616999999977"}},
    {0x1.5b5cb81733228p+5, {"43.42027300000001", "43.42027300000001", "43.42027300000001", "43.420273", "43.420273000000009"}},
    {0x1.0624dd2f1a9fcp-10, {"0.001", "0.001", "0.001", "0.001", "0.001"}},
    {0x1.a36e2eb1c432dp-14, {"0.0001", "0.0001", "0.0001", "0.0001", "0.0001"}},
    {0x1.3a92a30553261p-13, {"0.00015", "0.00015", "0.00015", "0.00015", "0.00014999999999999999"}},
    {0x1.02e4b6ce5dc68p-13, {"0.00012345", "0.00012345", "0.00012345", "0.00012345", "0.00012344999999999999"}},
    {0x1.4f8b588e368f1p-17, {"0.00001", "1e-05", "1.0e-05", "1e-05", "1.0000000000000001e-05"}},
    {0x1.f75104d551d69p-17, {"0.000015", "1.5e-05", "1.5e-05", "1.5e-05", "1.5e-05"}},
    {0x1.a36d1bd105b06p-14, {"0.000099999", "9.9999e-05", "9.9999e-05", "9.9999e-05", "9.9999000000000003e-05"}},
    {0x1.0c6f7a0b5ed8dp-20, {"0.000001", "1e-06", "1.0e-06", "1e-06", "9.9999999999999995e-07"}},
    {0x1.92a737110e454p-20, {"0.0000015", "1.5e-06", "1.5e-06", "1.5e-06", "1.5e-06"}},
    {0x1.4b3fd5942cd96p-20, {"0.000001234", "1.234e-06", "1.234e-06", "1.234e-06", "1.234e-06"}},
    {0x1.ad7f29abcaf48p-24, {"1e-7", "1e-07", "1.0e-07", "1e-07", "9.9999999999999995e-08"}},
    {0x1.421f5f40d8376p-23, {"1.5e-7", "1.5e-07", "1.5e-07", "1.5e-07", "1.4999999999999999e-07"}},
    {0x1.b7cdfd9d7bdbbp-34, {"1e-10", "1e-10", "1.0e-10", "1e-10", "1e-10"}},
    {0x1.bff2ee48e0530p-333, {"1e-100", "1e-100", "1.0e-100", "1e-100", "1e-100"}},
    {0x1.01297d23ab683p-996, {"1.5e-300", "1.5e-300", "1.5e-300", "1.5e-300", "1.5000000000000001e-300"}},
    {0x1.c6bf52633fff8p+49,
     {"999999999999999", "999999999999999.0", "999999999999999.0", "999999999999999", "999999999999999"}},
    {0x1.c6bf526340000p+49, {"1000000000000000", "1000000000000000.0", "1.0e+15", "1e+15", "1000000000000000"}},
    {0x1.550f7dca70000p+50, {"1500000000000000", "1500000000000000.0", "1.5e+15", "1.5e+15", "1500000000000000"}},
    {0x1.18b54f22aeb00p+50,
     {"1234567890123456", "1234567890123456.0", "1.234567890123456e+15", "1.23456789012346e+15", "1234567890123456"}},
    {0x1.c12218377de6bp+46,
     {"123456789012345.67", "123456789012345.67", "123456789012345.67", "123456789012346", "123456789012345.67"}},
    {0x1.18b54f22aeb03p+50,
     {"1234567890123456.8", "1234567890123456.8", "1234567890123456.8", "1.23456789012346e+15", "1234567890123456.8"}},
    {0x1.1c37937e07fffp+53, {"9999999999999998", "9999999999999998.0", "9.999999999999998e+15", "1e+16", "9999999999999998"}},
    {0x1.1c37937e08000p+53, {"10000000000000000", "1e+16", "1.0e+16", "1e+16", "10000000000000000"}},
    {0x1.550f7dca70000p+53, {"12000000000000000", "1.2e+16", "1.2e+16", "1.2e+16", "12000000000000000"}},
    {0x1.5ee2a2eb5a5c4p+53,
     {"12345678901234568", "1.2345678901234568e+16", "1.2345678901234568e+16", "1.23456789012346e+16", "12345678901234568"}},
    {0x1.6345785d8a000p+56, {"100000000000000000", "1e+17", "1.0e+17", "1e+17", "1e+17"}},
    {0x1.b69b4ba630f35p+56,
     {"123456789012345680", "1.2345678901234568e+17", "1.2345678901234568e+17", "1.23456789012346e+17",
      "1.2345678901234568e+17"}},
    {0x1.5af1d78b58c40p+66, {"100000000000000000000", "1e+20", "1.0e+20", "1e+20", "1e+20"}},
    {0x1.ac53a7e04bcdap+66,
     {"123456789012345680000", "1.2345678901234568e+20", "1.2345678901234568e+20", "1.23456789012346e+20",
      "1.2345678901234568e+20"}},
    {0x1.b1ae4d6e2ef50p+69, {"1e+21", "1e+21", "1.0e+21", "1e+21", "1e+21"}},
    {0x1.4542ba12a337cp+70, {"1.5e+21", "1.5e+21", "1.5e+21", "1.5e+21", "1.5e+21"}},
    {0x1.0f0cf064dd592p+73, {"1e+22", "1e+22", "1.0e+22", "1e+22", "1e+22"}},
    {0x1.52d02c7e14af6p+76, {"1e+23", "1e+23", "1.0e+23", "1e+23", "9.9999999999999992e+22"}},
    {0x1.52d02c7e14af6p+76, {"1e+23", "1e+23", "1.0e+23", "1e+23", "9.9999999999999992e+22"}},
    {0x1.249ad2594c37dp+332, {"1e+100", "1e+100", "1.0e+100", "1e+100", "1e+100"}},
    {0x1.fffffffffffffp+1023,
     {"1.7976931348623157e+308", "1.7976931348623157e+308", "1.7976931348623157e+308", "1.79769313486232e+308",
      "1.7976931348623157e+308"}},
    {0x1.fffffffffffffp+52,
     {"9007199254740991", "9007199254740991.0", "9.007199254740991e+15", "9.00719925474099e+15", "9007199254740991"}},
    {0x1.0000000000000p+53,
     {"9007199254740992", "9007199254740992.0", "9.007199254740992e+15", "9.00719925474099e+15", "9007199254740992"}},
    {0x1.0000000000001p+53,
     {"9007199254740994", "9007199254740994.0", "9.007199254740994e+15", "9.00719925474099e+15", "9007199254740994"}},
    {0x1.0000000000002p+52,
     {"4503599627370498", "4503599627370498.0", "4.503599627370498e+15", "4.5035996273705e+15", "4503599627370498"}},
    {0x1.0000000000000p+51,
     {"2251799813685248", "2251799813685248.0", "2.251799813685248e+15", "2.25179981368525e+15", "2251799813685248"}},
    {0x1.0000000000000p+54,
     {"18014398509481984", "1.8014398509481984e+16", "1.8014398509481984e+16", "1.8014398509482e+16", "18014398509481984"}},
    {0x1.fffffffffffffp+54,
     {"36028797018963964", "3.6028797018963964e+16", "3.6028797018963964e+16", "3.6028797018964e+16", "36028797018963964"}},
    {0x1.0000000000000p+63,
     {"9223372036854776000", "9.223372036854776e+18", "9.223372036854776e+18", "9.22337203685478e+18",
      "9.2233720368547758e+18"}},
    {0x1.0000000000000p+64,
     {"18446744073709552000", "1.8446744073709552e+19", "1.8446744073709552e+19", "1.84467440737096e+19",
      "1.8446744073709552e+19"}},
    {0x0.0000000000001p-1022, {"5e-324", "5e-324", "5.0e-324", "4.94065645841247e-324", "4.9406564584124654e-324"}},
    {0x0.0000000000002p-1022, {"1e-323", "1e-323", "1.0e-323", "9.88131291682493e-324", "9.8813129168249309e-324"}},
    {0x1.0000000000000p-1022,
     {"2.2250738585072014e-308", "2.2250738585072014e-308", "2.2250738585072014e-308", "2.2250738585072e-308",
      "2.2250738585072014e-308"}},
    {0x0.fffffffffffffp-1022,
     {"2.225073858507201e-308", "2.225073858507201e-308", "2.225073858507201e-308", "2.2250738585072e-308",
      "2.2250738585072009e-308"}},
    {0x1.1666666666666p+2, {"4.35", "4.35", "4.35", "4.35", "4.3499999999999996"}},
    {0x1.0c6f7a0b5ed8dp-20, {"0.000001", "1e-06", "1.0e-06", "1e-06", "9.9999999999999995e-07"}},
    {0x1.0000000000000p-20,
     {"9.5367431640625e-7", "9.5367431640625e-07", "9.5367431640625e-07", "9.5367431640625e-07", "9.5367431640625e-07"}},
    {0x0.0000000000003p-1022, {"1.5e-323", "1.5e-323", "1.5e-323", "1.48219693752374e-323", "1.4821969375237396e-323"}},
    {0x1.0000000000000p+1023,
     {"8.98846567431158e+307", "8.98846567431158e+307", "8.98846567431158e+307", "8.98846567431158e+307",
      "8.9884656743115795e+307"}},
    {0x1.0000000000000p+60,
     {"1152921504606847000", "1.152921504606847e+18", "1.152921504606847e+18", "1.15292150460685e+18",
      "1.152921504606847e+18"}},
    {0x1.0000000000000p-60,
     {"8.673617379884035e-19", "8.673617379884035e-19", "8.673617379884035e-19", "8.67361737988404e-19",
      "8.6736173798840355e-19"}},
    {0x1.568a19263f40ep-145, {"3e-44", "3e-44", "3.0e-44", "3e-44", "3.0000000000000002e-44"}},
    {0x1.0000000000000p-20,
     {"9.5367431640625e-7", "9.5367431640625e-07", "9.5367431640625e-07", "9.5367431640625e-07", "9.5367431640625e-07"}},
    {0x1.10a137f38c543p-14, {"0.000065", "6.5e-05", "6.5e-05", "6.5e-05", "6.4999999999999994e-05"}},
    {0x1.3333333333333p-3, {"0.15", "0.15", "0.15", "0.15", "0.14999999999999999"}},
    {0x1.6bcc41e900020p+46,
     {"100000000000000.5", "100000000000000.5", "100000000000000.5", "100000000000000", "100000000000000.5"}},
    {0x1.6bcc41e900003p+46,
     {"100000000000000.05", "100000000000000.05", "100000000000000.05", "100000000000000", "100000000000000.05"}},
    {0x1.c7e83209e90b2p+72, {"8.41e+21", "8.41e+21", "8.41e+21", "8.41e+21", "8.4099999999999995e+21"}},
    {0x1.0000000000000p+70,
     {"1.1805916207174113e+21", "1.1805916207174113e+21", "1.1805916207174113e+21", "1.18059162071741e+21",
      "1.1805916207174113e+21"}},
};

}  // namespace

TEST_CASE("what the languages print") {
    for (const row& r : rows)
        for (std::size_t i = 0; i < 5; ++i) CHECK(written(r.x, layouts[i]) == r.text[i]);
    CHECK(written(-0.0, float_layout::ecmascript) == "0");
    CHECK(written(-0.0, float_layout::python) == "-0.0");
    CHECK(written(-0.0, float_layout::ruby) == "-0.0");
    CHECK(written(-0.0, float_layout::perl15) == "-0");
    CHECK(written(-0.0, float_layout::g17) == "-0");
}

namespace {

// What Cpanel::JSON::XS 4.35 prints, and what printf %.17g would with fewer digits.
struct perl_row {
    double x;
    const char *cpanel, *shortest;
};
constexpr perl_row perl_rows[] = {
    {0.0, "0.0", "0"},
    {-0.0, "-0.0", "-0"},
    {1, "1.0", "1"},
    {-1, "-1.0", "-1"},
    {10, "10.0", "10"},
    {1.5, "1.5", "1.5"},
    {0.1, "0.1", "0.1"},
    {0.1 + 0.2, "0.3", "0.30000000000000004"},
    {1.0 / 3, "0.333333333333333", "0.3333333333333333"},
    {0.0001, "0.0001", "0.0001"},
    {0.00001, "1e-05", "1e-05"},
    {1e13, "10000000000000.0", "10000000000000"},
    {999999999999999, "999999999999999.0", "999999999999999"},
    {1e15, "1e+15", "1000000000000000"},
    {1234567890123456, "1.23456789012346e+15", "1234567890123456"},
    {9007199254740992, "9.00719925474099e+15", "9007199254740992"},
    {1e16, "1e+16", "10000000000000000"},
    {99999999999999984.0, "1e+17", "99999999999999980"},
    {1e17, "1e+17", "1e+17"},
    {1e20, "1e+20", "1e+20"},
    {-1.7976931348623157e308, "-1.79769313486232e+308", "-1.7976931348623157e+308"},
    {5e-324, "4.94065645841247e-324", "5e-324"},
    // Whole as text alone: these are not whole numbers.
    {2.9999999999999996, "3", "2.9999999999999996"},
    {0.99999999999999989, "1", "0.9999999999999999"},
    {-0.99999999999999989, "-1", "-0.9999999999999999"},
    {123456789012345.5, "123456789012346", "123456789012345.5"},
    {100000000000000.5, "100000000000000", "100000000000000.5"},
    {99999999999999.984, "100000000000000", "99999999999999.98"},
    {999999999999999.75, "1e+15", "999999999999999.8"},
};

}  // namespace

TEST_CASE("what Perl's modules print") {
    for (const perl_row& r : perl_rows) {
        CHECK(written(r.x, float_layout::cpanel15) == r.cpanel);
        CHECK(written(r.x, float_layout::perl_shortest) == r.shortest);
    }
}

TEST_CASE("a 5 behind the fifteenth digit") {
    // Texts of 16 digits that end in 5, and those doubles among them that lie exactly half way: whole and halved
    // numbers.
    comparison same;
    std::mt19937_64 random(14);
    for (int i = 0; i < 30000; ++i) {
        const std::uint64_t fifteen = 100'000'000'000'000 + random() % 900'000'000'000'000;
        same(std::strtod((std::to_string(fifteen) + "5e" + std::to_string(static_cast<int>(random() % 330) - 320)).c_str(),
                         nullptr));
        same(static_cast<double>(fifteen) + 0.5);
        same(static_cast<double>(fifteen * 10 + 5));
        same(static_cast<double>(fifteen % 1'000'000'000'000) + 0.0625);
    }
    CHECK(same.differ == 0);
}

TEST_CASE("powers of two and their neighbours") {
    comparison same;
    for (int e = -1074; e <= 1023; ++e) {
        const double x = std::ldexp(1.0, e);
        for (double y : {x, std::nextafter(x, 0), std::nextafter(x, HUGE_VAL), 3 * x, 5 * x, 7 * x}) {
            same(y);
            same(-y);
        }
    }
    CHECK(same.differ == 0);
}

TEST_CASE("powers of ten and their neighbours") {
    comparison same;
    for (int e = -323; e <= 308; ++e)
        for (int d = 1; d <= 9; ++d) {
            const double x = std::strtod((std::to_string(d) + "e" + std::to_string(e)).c_str(), nullptr);
            for (double y : {x, std::nextafter(x, 0), std::nextafter(x, HUGE_VAL)}) same(y);
        }
    CHECK(same.differ == 0);
}

TEST_CASE("ties of the last digit and of the borders") {
    // Integers above 2^53 and halves, quarters, eighths below it are where a decimal of 15 to 18 digits lies exactly
    // half way.
    comparison same;
    std::mt19937_64 random(11);
    for (int i = 0; i < 20000; ++i) {
        same(static_cast<double>((random() >> 10 | std::uint64_t{1} << 53)) * std::ldexp(1.0, static_cast<int>(random() % 12)));
        same(static_cast<double>(random() >> 11 | std::uint64_t{1} << 52) / std::ldexp(1.0, static_cast<int>(random() % 12)));
        same(static_cast<double>(random() % 1000000) + 0.5);
        same(static_cast<double>((random() % 2000000) * 2 + 1) / 2e1);
    }
    CHECK(same.differ == 0);
}

TEST_CASE("any bits") {
    comparison same;
    std::mt19937_64 random(12);
    for (int i = 0; i < 250000; ++i) same(std::bit_cast<double>(random()));
    for (int i = 0; i < 20000; ++i) same(std::bit_cast<double>(random() >> 12 >> random() % 52));  // subnormal
    CHECK(same.differ == 0);
}

TEST_CASE("numbers as people have them") {
    comparison same;
    std::mt19937_64 random(13);
    constexpr double units[] = {1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e8, 1e10};
    for (int i = 0; i < 60000; ++i) {
        same(static_cast<double>(random() >> (random() % 64)) / units[random() % 9]);
        same(static_cast<double>(random() % 10000000) / units[random() % 9]);
        same(static_cast<double>(static_cast<std::int64_t>(random())) * 180 / 0x1p63);
        same(static_cast<float>(static_cast<double>(random() % 1000000) / units[random() % 9]));
    }
    CHECK(same.differ == 0);
}

namespace {

// What Ruby's JSON.generate prints with json 2.11.3, 2.14.1 and 2.21.1.
struct json_row {
    double x;
    const char* text[3];
};
constexpr json_row json_rows[] = {
    {0x0p+0, {"0.0", "0.0", "0.0"}},
    {0x1p+0, {"1.0", "1.0", "1.0"}},
    {-0x1p+0, {"-1.0", "-1.0", "-1.0"}},
    {0x1.9p+6, {"100.0", "100.0", "100.0"}},
    {0x1.312dp+23, {"10000000.0", "10000000.0", "10000000.0"}},
    {0x1.7d784p+26, {"1e+8", "1e+8", "100000000.0"}},
    {-0x1.312dp+23, {"-1e+7", "-1e+7", "-10000000.0"}},
    {-0x1.e848p+19, {"-1000000.0", "-1000000.0", "-1000000.0"}},
    {0x1.78c29cp+23, {"12345678.0", "12345678.0", "12345678.0"}},
    {0x1.25413ep+30, {"1230000000.0", "1230000000.0", "1230000000.0"}},
    {0x1.6e918d8p+33, {"1.23e+10", "1.23e+10", "12300000000.0"}},
    {0x1.bf08ebp+33, {"1.5e+10", "1.5e+10", "15000000000.0"}},
    {0x1.6bcc41e9p+46, {"1e+14", "1e+14", "100000000000000.0"}},
    {0x1.c6bf52634p+49, {"1e+15", "1e+15", "1e+15"}},
    {-0x1.c6bf52634p+49, {"-1e+15", "-1e+15", "-1e+15"}},
    {0x1.c12218377de4p+46, {"123456789012345.0", "123456789012345.0", "123456789012345.0"}},
    {0x1.18b54f22aebp+50, {"1234567890123456.0", "1234567890123456.0", "1.234567890123456e+15"}},
    {0x1.18b54f22aeb03p+50, {"1234567890123456.7", "1234567890123456.7", "1234567890123456.7"}},
    {0x1.5ee2a2eb5a5c4p+53, {"12345678901234568.0", "12345678901234568.0", "1.2345678901234568e+16"}},
    {0x1.a249b1f10a06cp+76, {"123456789012345670000000.0", "123456789012345670000000.0", "1.2345678901234567e+23"}},
    {-0x1.a249b1f10a06cp+76, {"-1.2345678901234567e+23", "-1.2345678901234567e+23", "-1.2345678901234567e+23"}},
    {0x1.056e0f36a6444p+80, {"1.2345678901234568e+24", "1.2345678901234568e+24", "1.2345678901234568e+24"}},
    {0x1.0f0cf064dd592p+73, {"1e+22", "1e+22", "1e+22"}},
    {0x1.52d02c7e14af6p+76, {"99999999999999990000000.0", "99999999999999990000000.0", "9.999999999999999e+22"}},
    {0x1.999999999999ap-4, {"0.1", "0.1", "0.1"}},
    {0x1.a36e2eb1c432dp-14, {"0.0001", "0.0001", "0.0001"}},
    {0x1.3a92a30553261p-13, {"0.00015", "0.00015", "0.00015"}},
    {0x1.02e7ef70994ddp-13, {"1.23456e-4", "0.000123456", "0.000123456"}},
    {0x1.43a272d955e51p-10, {"0.00123456789", "0.00123456789", "0.00123456789"}},
    {0x1.948b0f8fab5e6p-7, {"0.0123456789", "0.0123456789", "0.0123456789"}},
    {0x1.0c6f7a0b5ed8dp-20, {"0.000001", "0.000001", "0.000001"}},
    {0x1.421f5f40d8376p-20, {"1.2e-6", "0.0000012", "0.0000012"}},
    {0x1.ad7f29abcaf48p-24, {"1e-7", "0.0000001", "0.0000001"}},
    {0x1.421f5f40d8376p-23, {"1.5e-7", "0.00000015", "0.00000015"}},
    {0x1.12e0be826d695p-30, {"1e-9", "0.000000001", "0.000000001"}},
    {0x1.0f7bfe8731f1cp-30, {"9.87654321e-10", "9.87654321e-10", "9.87654321e-10"}},
    {0x1.535afdf5ae86dp-30, {"1.2345678901234566e-9", "0.0000000012345678901234566", "0.0000000012345678901234566"}},
    {0x1.b7cdfd9d7bdbbp-34, {"1e-10", "1e-10", "1e-10"}},
    {0x1.07e1fe91b0b7p-36, {"1.5e-11", "1.5e-11", "1.5e-11"}},
    {0x1.bff2ee48e053p-333, {"1e-100", "1e-100", "1e-100"}},
    {0x0.0000000000001p-1022, {"5e-324", "5e-324", "5e-324"}},
    {0x1p-1022, {"2.2250738585072014e-308", "2.2250738585072014e-308", "2.2250738585072014e-308"}},
    {0x1.fffffffffffffp+1023, {"1.7976931348623157e+308", "1.7976931348623157e+308", "1.7976931348623157e+308"}},
    {0x1.5555555555555p-2, {"0.3333333333333333", "0.3333333333333333", "0.3333333333333333"}},
    {0x1.81cd6e63c53d7p+13, {"1.2345678901234567e+4", "12345.678901234567", "12345.678901234567"}},
    {0x1.34a4584fd0fdfp+10, {"1234.5678901234567", "1234.5678901234567", "1234.5678901234567"}},
    {0x1.81cd6e63c099cp+13, {"1.23456789012e+4", "12345.6789012", "12345.6789012"}},
    {0x1.e240c9fcb5c8ap+16, {"1.234567890123e+5", "123456.7890123", "123456.7890123"}},
    {0x1.5d78811b1d92bp-6, {"0.021329999999999998", "0.021329999999999998", "0.021329999999999998"}},
    {0x1.8b827fa1a0cf2p-7, {"0.012070000000000001", "0.012070000000000001", "0.012070000000000001"}},
    {0x1.1666666666666p+2, {"4.35", "4.35", "4.35"}},
    {0x1.06745803cd14p+6, {"65.61361699999998", "65.61361699999998", "65.61361699999998"}},
};
constexpr float_layout json_layouts[] = {float_layout::json_2_11, float_layout::json_2_12, float_layout::json_2_15};

// FNV-1a of the lines that json prints for these numbers.
std::uint64_t checksum(float_layout layout) {
    std::mt19937_64 random(21);
    std::uint64_t sum = 0xcbf29ce484222325;
    for (int i = 0; i < 200000; ++i) {
        const std::uint64_t bits = random();
        const double x = i % 2 != 0 ? std::bit_cast<double>(bits)
                                    : static_cast<double>(static_cast<std::int64_t>(bits >> 20)) /
                                          static_cast<double>(std::uint64_t{1} << (bits & 63));
        if (!std::isfinite(x)) continue;
        for (const char c : written(x, layout) + "\n") sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    return sum;
}

}  // namespace

TEST_CASE("what Ruby's json prints") {
    for (const json_row& r : json_rows)
        for (std::size_t i = 0; i < 3; ++i) CHECK(written(r.x, json_layouts[i]) == r.text[i]);
    for (float_layout l : json_layouts) CHECK(written(-0.0, l) == "-0.0");
    // Made with the generators of json 2.11.3, 2.14.1 and 2.21.1.
    CHECK(checksum(float_layout::json_2_11) == 0xf92570546dcd9cb9);
    CHECK(checksum(float_layout::json_2_12) == 0xb18c21073633e749);
    CHECK(checksum(float_layout::json_2_15) == 0x514b8ab94b0c2c1d);
}

TEST_CASE("Grisu2 by hand") {
    const auto same = [](double x, std::uint64_t digits, int count, int exponent) {
        int e = 0;
        const double c = std::frexp(x, &e);
        const scalar::grisu_decimal g = scalar::grisu2(static_cast<std::uint64_t>(std::ldexp(c, 53)), e - 53);
        CHECK(g.digits == digits);
        CHECK(g.count == count);
        CHECK(g.exponent == exponent);
    };
    // 1 is 2^52 * 2^-52, its upper border (2^53 + 1) * 2^-53. The power is 10^4, with 49 bits behind the point: high =
    // 10000 * 2^49
    // + 624, and the room is 625 + 312 - 2 = 935, so all four zeros are dropped.
    same(1, 1, 1, 0);
    same(1000, 1, 1, 3);
    same(0.5, 5, 1, -1);
    same(123456789, 123456789, 9, 0);
    same(9007199254740991, 9007199254740991, 16, 0);
    same(0.02133, 21329999999999998, 17, -18);  // not the shortest
    same(1e23, 9999999999999999, 16, 7);
    CHECK(scalar::grisu2(1, -1074).digits == 5);
    CHECK(scalar::grisu2(1, -1074).exponent == -324);
}

namespace {

// What mruby's word boxing keeps of a double.
double cut(double x) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~std::uint64_t{3}); }

// The text is read and cut back to the same; what it says has 15 digits if any such does.
long not_kept(double x) {
    const double kept = cut(x);
    const std::string text = written(kept, float_layout::mruby);
    double back = 0;
    const bool read = scalar::read_f64(text.data(), text.data() + text.size(), back) == errc::ok;
    const bool same = read && std::bit_cast<std::uint64_t>(cut(back)) == std::bit_cast<std::uint64_t>(kept);
    const bool found = std::bit_cast<std::uint64_t>(cut(scalar::uncut(kept))) == std::bit_cast<std::uint64_t>(kept);
    if (!same || !found) FAIL_CHECK(text << " is not what is kept of " << x);
    return same && found ? 0 : 1;
}

}  // namespace

TEST_CASE("what mruby keeps is written as it was, up to 15 digits") {
    struct written_as {
        double x;
        const char* text;
    };
    constexpr written_as rows_of_mruby[] = {
        {0.0, "0.0"},           {-0.0, "-0.0"},        {1.0, "1.0"},
        {0.1, "0.1"},           {0.2, "0.2"},          {0.3, "0.3"},
        {-0.7, "-0.7"},         {1.1, "1.1"},          {123.456, "123.456"},
        {99.99, "99.99"},       {1e15, "1.0e+15"},     {1e22, "1.0e+22"},
        {1e23, "1.0e+23"},      {1e100, "1.0e+100"},   {1e-100, "1.0e-100"},
        {1e-5, "1.0e-05"},      {4.35, "4.35"},        {0.000123, "0.000123"},
        {2.5e-300, "2.5e-300"}, {1.7e308, "1.7e+308"}, {3.14159265358979, "3.14159265358979"},
    };
    for (const written_as& r : rows_of_mruby) {
        CHECK(written(cut(r.x), float_layout::mruby) == r.text);
        CHECK(scalar::uncut(cut(r.x)) == r.x);
        CHECK(not_kept(r.x) == 0);
    }
    for (const double x : {5e-324, 1e-323, 1.5e-323, 2e-323, 2.2250738585072014e-308, 2.225073858507201e-308, 1e-310, 4.9e-320,
                           1.7976931348623157e308, 9007199254740993.0, 0x1.fffffffffffffp+52, 0x1p-1022, 0x1p+1023})
        CHECK(not_kept(x) == 0);
    for (int e = -1074; e < 1024; ++e)
        for (const std::uint64_t step : {0, 1, 2, 3, 4, 5, 7, 8})
            for (const int sign : {1, -1}) {
                const std::uint64_t bits = std::bit_cast<std::uint64_t>(std::ldexp(1.0, e));
                for (const std::uint64_t near : {bits + step, bits - step})
                    if (const double x = std::bit_cast<double>(near); std::isfinite(x)) not_kept(sign * x);
            }
}

TEST_CASE("mruby: any bits, and decimals as people have them") {
    std::mt19937_64 random(30100);
    long differ = 0;
    for (int i = 0; i < 200000 && differ < 10; ++i)
        if (const double x = std::bit_cast<double>(random()); std::isfinite(x)) differ += not_kept(x);
    // Up to 15 digits come back as they were written.
    for (int i = 0; i < 200000 && differ < 10; ++i) {
        const int digits = 1 + static_cast<int>(random() % 15);
        std::uint64_t most = 1;
        for (int k = 0; k < digits; ++k) most *= 10;
        const std::string text = std::to_string(random() % most) + "e" + std::to_string(static_cast<int>(random() % 560) - 290);
        const double x = std::strtod(text.c_str(), nullptr);
        const std::string again = written(cut(x), float_layout::mruby);
        differ += not_kept(x);
        if (std::strtod(again.c_str(), nullptr) != x && ++differ <= 10) FAIL_CHECK(text << " is written " << again);
        if (scalar::uncut(cut(x)) != x && ++differ <= 10) FAIL_CHECK(text << " is found as another");
    }
    CHECK(differ == 0);
}
