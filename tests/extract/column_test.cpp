#include "extract/column.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>

#include "engine/scalar/float_read.hpp"
#include "extract/digits.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {
column make(column_type t, int precision = 0) {
    column_spec s;
    s.type = t;
    s.precision = static_cast<std::uint8_t>(precision);
    return column(s);
}
}  // namespace

TEST_CASE("values of every layout come back, across growth") {
    constexpr std::size_t n = 5000;
    column ints = make(column_type::int64), doubles = make(column_type::float64), bools = make(column_type::boolean),
           wide = make(column_type::decimal, 38), texts = make(column_type::string);
    for (std::size_t r = 0; r < n; ++r) {
        const auto i = static_cast<std::int64_t>(r * 7919) - 1000;
        for (column* c : {&ints, &doubles, &bools, &wide, &texts}) {
            REQUIRE(c->room(r));
            if (r % 5 == 0) c->put_null(r);
        }
        if (r % 5 == 0) continue;
        ints.put(r, i);
        doubles.put(r, i * 0.5);
        bools.put(r, r % 3 == 0);
        wide.put(r, static_cast<__int128>(i) << 60);
        const std::string t = std::to_string(i);
        char* to = texts.text_room(r, t.size());
        REQUIRE(to != nullptr);
        std::memcpy(to, t.data(), t.size());
        texts.put_text(r, to + t.size());
    }
    for (std::size_t r = 0; r < n; ++r) {
        const auto i = static_cast<std::int64_t>(r * 7919) - 1000;
        for (column* c : {&ints, &doubles, &bools, &wide, &texts}) CHECK(c->valid(r) == (r % 5 != 0));
        if (r % 5 == 0) {
            CHECK(texts.text(r).empty());
            continue;
        }
        CHECK(ints.i64(r) == i);
        CHECK(doubles.f64(r) == i * 0.5);
        CHECK(bools.boolean(r) == (r % 3 == 0));
        CHECK((wide.i128(r) == static_cast<__int128>(i) << 60));
        CHECK(texts.text(r) == std::to_string(i));
    }
}

TEST_CASE("a row that is written again replaces what was there") {
    column texts = make(column_type::string), bools = make(column_type::boolean);
    REQUIRE(texts.room(0));
    REQUIRE(bools.room(0));
    for (const std::string_view t : {"a long first text", "", "second"}) {
        char* to = texts.text_room(0, t.size());
        std::memcpy(to, t.data(), t.size());
        texts.put_text(0, to + t.size());
        CHECK(texts.text(0) == t);
        bools.put(0, true);
        CHECK(bools.boolean(0));
        bools.put(0, false);
        CHECK_FALSE(bools.boolean(0));
        bools.put_null(0);
        CHECK_FALSE(bools.valid(0));
    }
    CHECK(texts.text_room(0, column::most_text + 1) == nullptr);
    CHECK(texts.text_room(0, static_cast<std::size_t>(-1)) == nullptr);
}

TEST_CASE("memory is given back on demand") {
    column texts = make(column_type::string);
    REQUIRE(texts.room(0));
    REQUIRE(texts.text_room(0, 1 << 20) != nullptr);
    CHECK(texts.capacity() >= std::size_t{1} << 20);
    texts.shrink(std::size_t{2} << 20);
    CHECK(texts.capacity() >= std::size_t{1} << 20);
    texts.shrink(1000);
    CHECK(texts.capacity() == 0);
    REQUIRE(texts.room(0));
    char* to = texts.text_room(0, 1);
    REQUIRE(to != nullptr);
    *to = 'x';
    texts.put_text(0, to + 1);
    CHECK(texts.text(0) == "x");
}

TEST_CASE("numbers by JSON's grammar") {
    for (const char* good : {"0", "-0", "1", "10", "-1.5", "1e5", "1E+5", "1.25e-300", "123456789012345678901234567890"})
        CHECK_MESSAGE(is_json_number(good), good);
    for (const char* bad : {"", "-", "01", "+1", "1.", ".5", "1e", "1e+", " 1", "1 ", "0x10", "NaN", "1,5", "--1", "1.5.5"})
        CHECK_MESSAGE(!is_json_number(bad), bad);
}

TEST_CASE("whole numbers, exactly") {
    const auto whole = [](std::string_view s, bool generous = true) {
        std::int64_t v = 0;
        const errc e = read_whole(s, v, generous);
        return e == errc::ok ? std::to_string(v) : std::string(name(e));
    };
    CHECK(whole("0") == "0");
    CHECK(whole("-0") == "0");
    CHECK(whole("9223372036854775807") == "9223372036854775807");
    CHECK(whole("-9223372036854775808") == "-9223372036854775808");
    CHECK(whole("9223372036854775808") == "range");
    CHECK(whole("-9223372036854775809") == "range");
    CHECK(whole("18446744073709551616") == "range");
    CHECK(whole("99999999999999999999999999999999999999999999999") == "range");
    CHECK(whole("7.0") == "7");
    CHECK(whole("70e-1") == "7");
    CHECK(whole("0.7e1") == "7");
    CHECK(whole("9.223372036854775807e18") == "9223372036854775807");
    CHECK(whole("9.223372036854775808e18") == "range");
    CHECK(whole("1e18") == "1000000000000000000");
    CHECK(whole("1e19") == "range");
    CHECK(whole("1e400") == "range");
    CHECK(whole("1e99999999999999999999999") == "range");
    CHECK(whole("0e99999999999999999999999") == "0");
    CHECK(whole("1e-99999999999999999999999") == "type");
    CHECK(whole("1.5") == "type");
    CHECK(whole("1.000000000000000000000000000000000000000000001") == "type");
    CHECK(whole("1.000000000000000000000000000000000000000000000") == "1");
    CHECK(whole("10000000000000000000000000000000000000000e-40") == "1");
    CHECK(whole("1.0", false) == "type");
    CHECK(whole("1e3", false) == "type");
    CHECK(whole("-0", false) == "type");
    CHECK(whole("-17", false) == "-17");
    CHECK(whole("9223372036854775808", false) == "range");
}

TEST_CASE("short doubles agree with the exact reader") {
    std::uint64_t seed = 1;
    int taken = 0;
    for (int i = 0; i < 200000; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        std::string s = std::to_string((seed >> 16) % (std::uint64_t{1} << (seed >> 58)));
        const std::size_t point = (seed >> 8) % (s.size() + 3);
        if (point < s.size() && point != 0) s.insert(point, 1, '.');
        if (seed & 1) s.insert(0, 1, '-');
        double v = 0;
        if (!short_double(s, v)) continue;
        ++taken;
        const double exact = std::strtod(s.c_str(), nullptr);
        CHECK_MESSAGE(std::memcmp(&v, &exact, sizeof v) == 0, s);
    }
    CHECK(taken > 100000);
    double v = 1;
    CHECK_FALSE(short_double("1e5", v));
    CHECK_FALSE(short_double("9007199254740993", v));
    CHECK(v == 1);
    CHECK(short_double("-0", v));
    CHECK(std::signbit(v));
}

TEST_CASE("what a double would change") {
    for (const char* s : {"0", "1", "0.1", "1e-08", "9007199254740992", "9007199254740994", "1e22", "100000000000000000000",
                          "-65.613616999999977", "1.7976931348623157e308", "5e-324", "0.00000000000000000000"})
        CHECK_MESSAGE(!loses_digits(s), s);
    for (const char* s : {"9007199254740993", "1e400", "1e-400", "123456789012345678", "0.123456789012345678",
                          "100000000000000000001", "123456789012345678901234567890"})
        CHECK_MESSAGE(loses_digits(s), s);
}

TEST_CASE("a short number is what the slow ways say it is") {
    std::uint64_t state = 1;
    const auto random = [&](unsigned below) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<unsigned>(state >> 33) % below;
    };
    std::size_t doubles = 0, whole = 0;
    for (int i = 0; i < 200000; ++i) {
        std::string s = random(3) == 0 ? "-" : "";
        const unsigned before = 1 + random(random(2) == 0 ? 4 : 17), behind = random(2) == 0 ? 0 : 1 + random(16);
        if (before == 1)
            s += static_cast<char>('0' + random(10));
        else
            s += static_cast<char>('1' + random(9));
        for (unsigned k = 1; k < before; ++k) s += static_cast<char>('0' + random(10));
        if (behind != 0) s += '.';
        for (unsigned k = 0; k < behind; ++k) s += static_cast<char>('0' + random(10));
        if (random(50) == 0) s += "e5";
        const std::string roomy = s + ", 123456789012345678";
        short_number n;
        if (!n.read({roomy.data(), s.size()})) {
            CHECK((s.size() > 16 || s.back() == '5'));
            continue;
        }
        double got = 0, want = 0;
        if (n.f64(got)) {
            ++doubles;
            REQUIRE(scalar::read_f64(s.data(), s.data() + s.size(), want) == errc::ok);
            CHECK(std::bit_cast<std::uint64_t>(got) == std::bit_cast<std::uint64_t>(want));
        }
        std::int64_t i64 = 0, exact = 0;
        if (n.i64(i64)) {
            ++whole;
            REQUIRE(read_whole(s, exact, false) == errc::ok);
            CHECK(i64 == exact);
        }
    }
    CHECK(doubles > 50000);
    CHECK(whole > 30000);
    short_number n;
    for (const std::string_view s :
         {"\"5\"              ", "null             ", "true             ", "[]               ", "1e5              "})
        CHECK(!n.read(s.substr(0, s.find(' '))));
}
