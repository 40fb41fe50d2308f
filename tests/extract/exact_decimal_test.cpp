// Decimal arithmetic. Generated numbers are Python's to judge (hosts/python/test/paths_test.py).
#include "extract/exact_decimal.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace kumihimo;
using extract::exact_decimal;

namespace {

std::string text_of(const exact_decimal& d) {
    std::string out;
    d.write(out);
    return out;
}

std::string calculated(std::string_view a, char op, std::string_view b) {
    exact_decimal x, y, z;
    if (exact_decimal::read(a, x) != errc::ok || exact_decimal::read(b, y) != errc::ok) return "unread";
    const errc e = op == '*' ? exact_decimal::multiply(x, y, z) : exact_decimal::add(x, op == '-' ? y.negated() : y, z);
    return e == errc::ok ? text_of(z) : "range";
}

}  // namespace

TEST_CASE("numbers are read and written") {
    struct one {
        std::string_view in, out;
    };
    const std::string nines(38, '9');
    for (const auto& [in, out] : {
             one{"0", "0"},
             one{"-0", "0"},
             one{"0.00", "0.00"},
             one{"-1.50", "-1.50"},
             one{"1e3", "1000"},
             one{"1E+3", "1000"},
             one{"12.5e1", "125"},
             one{"1.5e-3", "0.0015"},
             one{"0.000001", "0.000001"},
             one{"0.0000001", "1e-7"},
             one{"1.25e-10", "1.25e-10"},
             one{"1e37", "10000000000000000000000000000000000000"},
             one{"1e38", "1e38"},
             one{"1.5e400", "1.5e400"},
             one{nines, nines},
             one{"1000000000000000000000000000000000000000", "1e39"},
             one{"0.100000000000000000000000000000000000000000000", "0.1"},
             one{"0e99999999999999999999", "0"},
         }) {
        CAPTURE(in);
        exact_decimal d;
        REQUIRE(exact_decimal::read(in, d) == errc::ok);
        CHECK(text_of(d) == out);
    }
    exact_decimal d;
    for (const std::string& far : {"1" + std::string(37, '0') + "1.5", std::string("1e1000001"), std::string("1e-1000001"),
                                   std::string("1e99999999999999999999999999"), nines + "9"}) {
        CAPTURE(far);
        CHECK(exact_decimal::read(far, d) == errc::range);
    }
}

TEST_CASE("sums and products are exact or refused") {
    struct one {
        std::string_view a;
        char op;
        std::string_view b, out;
    };
    const std::string nines(38, '9');
    for (const auto& [a, op, b, out] : {
             one{"0.1", '+', "0.2", "0.3"},
             one{"1.10", '+', "2", "3.10"},
             one{"1", '-', "1.00", "0.00"},
             one{"9223372036854775807", '+', "1", "9223372036854775808"},
             one{nines, '+', "1", "1e38"},
             one{nines, '+', "2", "range"},
             one{nines, '+', nines, "range"},
             one{"1e38", '-', "1", nines},
             one{"2e38", '-', "1", "range"},
             one{"5000000000000000000000000000000000000.5", '+', "4999999999999999999999999999999999999.5",
                 "10000000000000000000000000000000000000"},
             one{"50000000000000000000000000000000000001", '+', "49999999999999999999999999999999999999", "1e38"},
             one{"123456789012345678901234566890.12345678", '*', "2.5", "308641972530864197253086417225.30864195"},
             one{nines, '-', nines, "0"},
             one{"1e30", '+', "1e-7", "1000000000000000000000000000000.0000001"},
             one{"1e30", '+', "1e-8", "range"},
             one{"1e400", '+', "1", "range"},
             one{"1e400", '+', "0", "1e400"},
             one{"0", '-', "1e-400", "-1e-400"},
             one{"1.0e30", '+', "1e-7", "1000000000000000000000000000000.0000001"},
             one{"1.5", '*', "0.10", "0.150"},
             one{"-3", '*', "1e3", "-3000"},
             one{"12345678901234567891", '*', "12345678901234567891", "range"},
             one{"12345678901234567890", '*', "12345678901234567890", "1.524157875323883675019051998750190521e38"},
             one{"1234567890123456789", '*', "1234567890123456789", "1524157875323883675019051998750190521"},
             one{"10000000000000000000", '*', "10000000000000000000000", "1e41"},
             one{"1e600000", '*', "1e600000", "range"},
             one{"0", '*', "1e600000", "0"},
         }) {
        CAPTURE(a);
        CAPTURE(b);
        CHECK(calculated(a, op, b) == out);
    }
}
