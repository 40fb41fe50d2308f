// Text to doubles against the standard library's from_chars; JSON's number grammar; numbers of hundreds of digits.
#include "engine/scalar/float_read.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "engine/scalar/exact.hpp"

using namespace kumihimo;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// strtod where from_chars reports a result out of range: it says on which side.
double standard(const std::string& text) {
    double x = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), x).ec != std::errc{}) x = std::strtod(text.c_str(), nullptr);
    return x;
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

struct comparison {
    long differ = 0;
    void operator()(const std::string& text) {
        const double want = standard(text);
        double got = 1;
        // A copy that ends where the text ends, so that a sanitizer sees a read beyond it.
        std::string exact = text;
        exact.shrink_to_fit();
        const errc e = scalar::read_f64(exact.data(), exact.data() + exact.size(), got);
        const errc expected = std::isinf(want) ? errc::range : errc::ok;
        if ((e != expected || !same_bits(got, want)) && ++differ <= 10)
            FAIL_CHECK(text << ": " << got << " (" << name(e) << "), not " << want);
        // The same number inside a document.
        const std::string document = text + ", 1234567890123456789";
        const scalar::number n = scalar::scan_number(document.data(), document.data() + document.size());
        if ((n.end != document.data() + text.size() || !same_bits(n.value(), want)) && ++differ <= 10)
            FAIL_CHECK(text << " in a document: " << n.value() << ", not " << want);
    }
};

std::string digits(std::mt19937_64& random, std::size_t n) {
    std::string s;
    while (s.size() < n) s += static_cast<char>('0' + random() % 10);
    return s;
}

errc read(std::string_view text, double& out) { return scalar::read_f64(text.data(), text.data() + text.size(), out); }

}  // namespace

TEST_CASE("grammar") {
    double x = 0;
    for (const std::string good : {"0", "-0", "1", "-1", "10", "0.5", "-0.5", "1e5", "1E5", "1e+5", "1e-5", "0e0", "0.0e-0",
                                   "1.5e10", "123456789012345678901234567890", "1e0000000000000000000000005",
                                   "0.00000000000000000000000000001", "12345678.12345678", "1234567.1234567e-12"})
        CHECK_MESSAGE(read(good, x) == errc::ok, good);
    for (const std::string bad : {"",
                                  "-",
                                  "+1",
                                  "01",
                                  "-01",
                                  "00",
                                  "1.",
                                  ".5",
                                  "-.5",
                                  "1.e5",
                                  "1e",
                                  "1e+",
                                  "1e-",
                                  "1ee5",
                                  "1e5.5",
                                  "1.5.5",
                                  "0x10",
                                  "1 ",
                                  " 1",
                                  "1,",
                                  "Infinity",
                                  "NaN",
                                  "-Infinity",
                                  "1_000",
                                  "12345678.1234567x",
                                  "12345678.123456x8",
                                  "1234567a.12345678",
                                  "012345678.5",
                                  "1.12345678a",
                                  "1.1234567:",
                                  "1.1234567/",
                                  "1.12345678.1",
                                  "--1",
                                  "1e5e5",
                                  "\xEF\xBC\x91",
                                  "1e5.5"})
        CHECK_MESSAGE(read(bad, x) == errc::syntax, bad);
    CHECK(read(std::string_view("1\0", 2), x) == errc::syntax);
    // Every other character after, before and between digits.
    for (int c = 0; c < 256; ++c) {
        if (c >= '0' && c <= '9') continue;
        for (std::size_t at = 0; at < 20; ++at) {
            std::string s = "1234.567890123456789";
            if (s[at] == '.') continue;
            s[at] = static_cast<char>(c);
            const bool good = (at == 0 && c == '-') || ((c | 0x20) == 'e' && at > 5 && at < 19);
            CHECK_MESSAGE((read(s, x) != errc::syntax) == good, s);  // 1e789 is a number, out of range
        }
    }
}

TEST_CASE("scan_number says what it saw") {
    const auto scan = [](std::string_view s) { return scalar::scan_number(s.data(), s.data() + s.size()); };
    std::string_view s = "-120.50e3]";
    scalar::number n = scan(s);
    CHECK(n.end == s.data() + 9);
    CHECK(n.digits == s.data() + 1);
    CHECK(n.digits_end == s.data() + 7);
    CHECK(n.mantissa == 12050);
    CHECK(n.exponent10 == 1);
    CHECK(n.negative);
    CHECK_FALSE(n.integer);
    CHECK(n.value() == -120500);
    n = scan("18446744073709551615");
    CHECK(n.integer);
    CHECK(n.more);
    CHECK(n.value() == 18446744073709551616.0);
    n = scan("1234567890123456789");
    CHECK(n.integer);
    CHECK_FALSE(n.more);
    CHECK(n.mantissa == 1234567890123456789);
    n = scan("0.00000000000000000000000000001");
    CHECK(n.mantissa == 1);
    CHECK(n.exponent10 == -29);
    CHECK_FALSE(n.more);
    CHECK(scan("7").end != nullptr);
    CHECK(scan("").end == nullptr);
    CHECK(scan("-").end == nullptr);
    CHECK(scan("01").end == nullptr);
    CHECK(scan("1.x").end == nullptr);
    CHECK(scan("1ex").end == nullptr);
}

TEST_CASE("the ends of the range") {
    double x = 0;
    CHECK(read("1.7976931348623157e308", x) == errc::ok);
    CHECK(x == std::numeric_limits<double>::max());
    CHECK(read("1.7976931348623158e308", x) == errc::ok);
    CHECK(x == std::numeric_limits<double>::max());
    // Half way to 2^1024, exactly, and one less.
    std::string border =
        "1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070963302864166928879"
        "1094655554785194040263065748867150582068190890200070838367627385484581771153176447573027006985557136695962284291481986"
        "0834936475292719074168444365510704342711559699508093042880177904174497792";
    CHECK(read(border, x) == errc::range);
    CHECK(x == infinity);
    border.back() -= 1;
    CHECK(read(border, x) == errc::ok);
    CHECK(x == std::numeric_limits<double>::max());
    CHECK(read("1.797693134862315808e308", x) == errc::range);
    CHECK(x == infinity);
    CHECK(read("1e309", x) == errc::range);
    CHECK(read("-1e400", x) == errc::range);
    CHECK(x == -infinity);
    CHECK(read("1e99999999999999999999", x) == errc::range);
    CHECK(read("0e99999999999999999999", x) == errc::ok);
    CHECK(x == 0);
    CHECK(read("1e-99999999999999999999", x) == errc::ok);
    CHECK(same_bits(x, 0));
    CHECK(read("-0", x) == errc::ok);
    CHECK(same_bits(x, -0.0));
    CHECK(read("-1e-400", x) == errc::ok);
    CHECK(same_bits(x, -0.0));
    CHECK(read("5e-324", x) == errc::ok);
    CHECK(x == std::numeric_limits<double>::denorm_min());
    CHECK(read("2.4703282292062327e-324", x) == errc::ok);
    CHECK(same_bits(x, 0));
    CHECK(read("2.4703282292062328e-324", x) == errc::ok);
    CHECK(x == std::numeric_limits<double>::denorm_min());
    CHECK(read("2.2250738585072011e-308", x) == errc::ok);
    CHECK(x == std::nextafter(std::numeric_limits<double>::min(), 0));
    CHECK(read("2.2250738585072012e-308", x) == errc::ok);
    CHECK(x == std::numeric_limits<double>::min());
    // A million zeros that the exponent takes back.
    CHECK(read("1" + std::string(1000000, '0') + "e-1000000", x) == errc::ok);
    CHECK(x == 1);
    CHECK(read("0." + std::string(1000000, '0') + "15e1000001", x) == errc::ok);
    CHECK(x == 1.5);
}

TEST_CASE("any digits, any exponent") {
    comparison same;
    std::mt19937_64 random(21);
    for (int i = 0; i < 400000; ++i) {
        std::string s = random() % 2 != 0 ? "-" : "";
        s += static_cast<char>('1' + random() % 9) + digits(random, random() % 9);
        if (random() % 4 != 0) s += "." + digits(random, 1 + random() % 18);
        if (random() % 3 == 0) s += (random() % 2 != 0 ? "e" : "E-") + std::to_string(random() % 330);
        same(s);
    }
    for (int i = 0; i < 100000; ++i) {
        std::string s = "0." + std::string(random() % 30, '0') + digits(random, 1 + random() % 25);
        same(s);
        same(std::to_string(random() >> random() % 64) + "e" + std::to_string(static_cast<int>(random() % 700) - 360));
    }
    CHECK(same.differ == 0);
}

TEST_CASE("printed doubles and the borders between them") {
    comparison same;
    std::mt19937_64 random(22);
    char b[2000];
    for (int i = 0; i < 60000; ++i) {
        const auto x = std::bit_cast<double>(random());
        if (!std::isfinite(x)) continue;
        for (int precision : {16, 17, 18, 25}) {
            std::snprintf(b, sizeof b, "%.*e", precision, x);
            same(b);
        }
    }
    // Exactly half way between two doubles: all digits, then a little less and a little more. Also below 2^-1000 and
    // subnormal, where there are 750 of them.
    for (int i = 0; i < 3000; ++i) {
        std::uint64_t bits = random() >> 1;
        if (i % 3 == 0) bits >>= 11 + random() % 52;
        if (i % 3 == 1) bits = bits % (std::uint64_t{1} << 52) | (std::uint64_t{1023 - 60} + random() % 120) << 52;
        const auto x = std::bit_cast<double>(bits);
        if (!std::isfinite(x)) continue;
        // The long double holds the midpoint where its exponent and 64 bits do, that is on x86.
        const long double middle = (static_cast<long double>(x) + static_cast<long double>(std::nextafter(x, HUGE_VAL))) / 2;
        std::snprintf(b, sizeof b, "%.1200Le", middle);
        std::string s = b;
        if (s.find("inf") != std::string::npos) continue;
        const std::size_t e = s.find('e');
        const std::string exponent = s.substr(e);
        std::string mantissa = s.substr(0, e);
        mantissa.resize(mantissa.find_last_not_of('0') + 1);
        if (mantissa.back() == '.') mantissa += '0';
        same(mantissa + exponent);
        same(mantissa + std::string(400, '0') + "1" + exponent);
        same(mantissa + std::string(900, '0') + exponent);
        std::string less = mantissa;
        for (std::size_t k = less.size(); k-- > 0;) {
            if (less[k] == '.') continue;
            if (less[k] != '0') {
                --less[k];
                break;
            }
            less[k] = '9';
        }
        if (less[0] != '0') same(less + "9999" + exponent);
    }
    CHECK(same.differ == 0);
}

TEST_CASE("exact comparison") {
    const auto text = [](std::string_view s, int exponent) {
        return scalar::exact_decimal{0, s.data(), s.data() + s.size(), exponent};
    };
    CHECK(scalar::compare(text("5", -1), 1, -1) == 0);
    CHECK(scalar::compare(text("50000000000000000000000000", -26), 1, -1) == 0);
    CHECK(scalar::compare(text("50000000000000000000000001", -26), 1, -1) > 0);
    CHECK(scalar::compare(text("49999999999999999999999999", -26), 1, -1) < 0);
    CHECK(scalar::compare(text("1", 30), std::uint64_t{1} << 40, 59) > 0);
    CHECK(scalar::compare({1 << 20, nullptr, nullptr, 0}, 1, 20) == 0);
    CHECK(scalar::compare({1, nullptr, nullptr, 0}, 0, 0) > 0);
    const std::string long_five = "5" + std::string(2000, '0');
    CHECK(scalar::compare(text(long_five, -2001), 1, -1) == 0);
    CHECK(scalar::compare(text(long_five + "1", -2002), 1, -1) > 0);
}

TEST_CASE("compose") {
    CHECK(scalar::compose(15, -1, false, nullptr, nullptr) == 1.5);
    CHECK(scalar::compose(0, 400, false, nullptr, nullptr) == 0);
    CHECK(scalar::compose(1, 400, false, nullptr, nullptr) == infinity);
    CHECK(scalar::compose(1, -400, false, nullptr, nullptr) == 0);
    // 2^53 + 1, half way, with a tail behind the nineteenth digit that decides.
    const std::string half = "0009007199254740993.0000000000000000000", over = half + "1";
    CHECK(scalar::compose(9007199254740993000, -3, true, half.data(), half.data() + half.size()) == 9007199254740992.0);
    CHECK(scalar::compose(9007199254740993000, -3, true, over.data(), over.data() + over.size()) == 9007199254740994.0);
}
