// Numbers compared by their digits: every pair of a list that is in order, in all spellings, and against 128-bit
// arithmetic.
#include "extract/number_order.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using kumihimo::extract::exact_number;

namespace {

int order(const std::string& a, const std::string& b) {
    const exact_number x(a), y(b);
    REQUIRE(x.comparable());
    REQUIRE(y.comparable());
    const int sign = compare(x, y);
    CHECK(compare(y, x) == -sign);
    return sign < 0 ? -1 : sign > 0 ? 1 : 0;
}

}  // namespace

TEST_CASE("a list in order") {
    // Each line holds spellings of one number.
    const std::vector<std::vector<std::string>> rising = {
        {"-1e999999999999999999", "-10e999999999999999998"},
        {"-1e400", "-10e399", "-0.1e401"},
        {"-17976931348623157081452742373170435679807056752584499659891747680315726078002853876058955863276687817154045895351438"
         "2464"
         "234321326889464182768467546703537516986049910576551282076245490090389328944075868508455133942304583236903222948165808"
         "559"
         "332123347747979264160"},
        {"-9223372036854775809", "-9223372036854775809.0"},
        {"-9223372036854775808", "-9223372036854775808e0"},
        {"-1.0000000000000000000000000000000000001"},
        {"-1", "-1.0", "-10e-1", "-0.1e1"},
        {"-1e-400"},
        {"0", "-0", "0.0", "-0.0", "0e5", "0e-999999999999999999", "0.000000000000000000000000000000", "-0e999999999999999999"},
        {"1e-999999999999999999"},
        {"4.9e-324"},
        {"1e-20", "0.00000000000000000001", "0.000000000000000000010"},
        {"0.1", "0.10", "1e-1", "0.1000000000000000000000000000000000"},
        {"0.1000000000000000055511151231257827021181583404541015625"},  // the double that is called 0.1
        {"0.10000000000000001"},
        {"1", "1.0", "1e0", "1E+0", "1e00000000000000000000", "100e-2", "0.00001e5"},
        {"1.00000000000000000000000000001"},
        {"2"},
        {"10", "1e1", "10.000"},
        {"9007199254740992", "9007199254740992.0", "9.007199254740992e15"},
        {"9007199254740993", "9007199254740993.000"},
        {"9223372036854775807"},
        {"9223372036854775808"},
        {"9999999999999999999"},
        {"10000000000000000000", "1e19"},
        {"10000000000000000000.5"},
        {"18446744073709551615"},
        {"18446744073709551616"},
        {"1e20", "100000000000000000000"},
        {"100000000000000000001"},
        {"1e39"},
        {"1e99998"},
        {"1e99999", "0.0001e100003"},
        {"1.5e99999"},
        {"1e100000"},
        {"1e100001"},
        {"1e999999999999999998"},
    };
    for (std::size_t i = 0; i < rising.size(); ++i)
        for (std::size_t k = 0; k < rising.size(); ++k)
            for (const std::string& a : rising[i])
                for (const std::string& b : rising[k]) {
                    INFO(a << " and " << b);
                    CHECK(order(a, b) == (i < k ? -1 : i > k ? 1 : 0));
                }
}

TEST_CASE("an exponent of more than 18 digits has no order") {
    CHECK_FALSE(exact_number("1e1000000000000000000").comparable());
    CHECK_FALSE(exact_number("1e-1000000000000000000").comparable());
    CHECK(exact_number("1e000000000000000000000000000001").comparable());
    CHECK(exact_number("1e+000000000000999999999999999999").comparable());
}

TEST_CASE("random numbers in random spellings, against whole numbers of 128 bits") {
    std::mt19937_64 random(7);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    for (int turn = 0; turn < 20'000; ++turn) {
        __int128 value[2];
        std::string text[2];
        for (int k = 0; k < 2; ++k) {
            // A number of 0 to 18 digits, in units of 10^-9.
            __int128 v = 0;
            std::string digits;
            for (std::uint64_t n = 1 + below(18); n > 0; --n)
                digits += static_cast<char>('0' + (below(3) == 0 ? 0 : below(10)));
            for (const char c : digits) v = v * 10 + (c - '0');
            if (k == 1 && below(4) == 0) v = value[0] < 0 ? -value[0] : value[0];
            const bool minus = below(2) == 0;
            value[k] = minus ? -v : v;
            // v * 10^-9 as digits with the point shifted by an exponent.
            std::string s;
            for (__int128 r = v; r != 0 || s.empty(); r /= 10)
                s.insert(s.begin(), static_cast<char>('0' + static_cast<int>(r % 10)));
            const int shift = static_cast<int>(below(40)) - 20;  // the exponent that is written
            const int behind = 9 + shift;                        // digits behind the point
            std::string number;
            if (behind <= 0) {
                number = s == "0" ? "0" : s + std::string(static_cast<std::size_t>(-behind), '0');
            } else {
                while (static_cast<int>(s.size()) <= behind) s.insert(s.begin(), '0');
                number = s.substr(0, s.size() - static_cast<std::size_t>(behind)) + '.' +
                         s.substr(s.size() - static_cast<std::size_t>(behind));
                if (below(3) == 0) number += std::string(below(25), '0');
            }
            text[k] = (minus ? "-" : "") + number + (shift != 0 || below(2) == 0 ? "e" + std::to_string(shift) : "");
        }
        INFO(text[0] << " and " << text[1]);
        CHECK(order(text[0], text[1]) == (value[0] < value[1] ? -1 : value[0] > value[1] ? 1 : 0));
    }
}
