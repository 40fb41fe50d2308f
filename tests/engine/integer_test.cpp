// Integers to text and back against the standard library.
#include "engine/scalar/integer.hpp"

#include <doctest/doctest.h>

#include <charconv>
#include <cstring>
#include <random>
#include <string>

using namespace kumihimo;

namespace {

template <class N>
std::string standard(N n) {
    char b[32];
    return {b, std::to_chars(b, b + sizeof b, n).ptr};
}

template <class N>
std::string written(N n, char* (*write)(char*, N) noexcept) {
    char b[scalar::integer_room + 16];
    std::memset(b, '#', sizeof b);
    char* const to = b + 8;
    const std::string text(to, write(to, n));
    for (std::size_t i = 0; i < 8; ++i)
        if (b[i] != '#' || to[scalar::integer_room + i] != '#') return "written outside its room";
    return text;
}

long differ = 0;

void same(std::uint64_t n) {
    const auto s = static_cast<std::int64_t>(n);
    const std::string u = written(n, scalar::write_u64), i = written(s, scalar::write_i64);
    std::uint64_t back_u = ~n;
    std::int64_t back_i = ~s;
    const bool good = u == standard(n) && i == standard(s) && scalar::read_u64(u.data(), u.data() + u.size(), back_u) &&
                      scalar::read_i64(i.data(), i.data() + i.size(), back_i) && back_u == n && back_i == s;
    if (!good && ++differ <= 10) FAIL_CHECK(n << " became " << u << " and " << i);
}

bool reads_u(std::string_view s) {
    std::uint64_t n;
    return scalar::read_u64(s.data(), s.data() + s.size(), n);
}
bool reads_i(std::string_view s) {
    std::int64_t n;
    return scalar::read_i64(s.data(), s.data() + s.size(), n);
}

}  // namespace

TEST_CASE("every number up to five million, the borders, and any bits") {
    for (std::uint64_t n = 0; n < 5000000; ++n) same(n);
    std::uint64_t power = 1;
    for (int e = 0; e < 20; ++e, power *= 10)
        for (std::uint64_t d = 1; d < 10; ++d)
            for (std::uint64_t n : {d * power - 1, d * power, d * power + 1}) {
                same(n);
                same(0 - n);
            }
    for (int bit = 0; bit < 64; ++bit)
        for (std::uint64_t n : {(std::uint64_t{1} << bit) - 1, std::uint64_t{1} << bit}) same(n);
    same(~std::uint64_t{0});
    std::mt19937_64 random(1);
    for (int i = 0; i < 3000000; ++i) same(random() >> random() % 64);
    CHECK(differ == 0);
}

TEST_CASE("reading refuses what it cannot hold") {
    CHECK(reads_u("18446744073709551615"));
    CHECK_FALSE(reads_u("18446744073709551616"));
    CHECK_FALSE(reads_u("18446744073709551625"));
    CHECK_FALSE(reads_u("99999999999999999999"));
    CHECK_FALSE(reads_u("100000000000000000000"));
    CHECK_FALSE(reads_u(std::string(400, '9')));
    CHECK(reads_u("00000000000000000000000000000000000018446744073709551615"));
    CHECK_FALSE(reads_u("00000000000000000000000000000000000018446744073709551616"));
    CHECK(reads_i("9223372036854775807"));
    CHECK_FALSE(reads_i("9223372036854775808"));
    CHECK(reads_i("-9223372036854775808"));
    CHECK_FALSE(reads_i("-9223372036854775809"));
    CHECK(reads_i("-0"));
    for (const char* bad :
         {"", "-", "+1", " 1", "1 ", "1.0", "1e5", "0x1", "--1", "1-", "12a", "a", "1234567890123456789:", "/"}) {
        CHECK_FALSE(reads_u(bad));
        CHECK_FALSE(reads_i(bad));
    }
    CHECK_FALSE(reads_u("-1"));
}
