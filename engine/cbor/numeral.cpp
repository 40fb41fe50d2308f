#include "engine/cbor/numeral.hpp"

#include <cstdint>
#include <cstring>

#include "engine/cbor/floats.hpp"
#include "engine/cbor/header.hpp"
#include "engine/scalar/natural.hpp"

namespace kumihimo::inline v0::cbor {
namespace {

bool digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// The integer, in the shortest form that holds it.
char* put_integer(char* to, scalar::natural& n, bool negative) noexcept {
    if (negative) n.subtract_one();
    if (n.bits() <= 64) return head(to, negative ? major::negative : major::natural, n.low());
    to = head(to, major::tag, negative ? tags::negative : tags::natural);
    to = head(to, major::bytes, (n.bits() + 7) / 8);
    return to + n.write_bytes(reinterpret_cast<unsigned char*>(to));
}

}  // namespace

errc encoded_number::read(text lexeme, bool shortest_floats, const char*& what) noexcept {
    constexpr std::size_t room = scalar::natural::digits_room + 64;
    char narrow[room];
    what = "a number has more digits than the limit";
    if (lexeme.size > room) return errc::size;
    const char* b = static_cast<const char*>(lexeme.data);
    if (lexeme.charset == encoding::utf16) {
        const char16_t* const units = static_cast<const char16_t*>(lexeme.data);
        for (std::size_t i = 0; i < lexeme.size; ++i) narrow[i] = units[i] < 0x80 ? static_cast<char>(units[i]) : '?';
        b = narrow;
    }
    const char* const e = b + lexeme.size;

    const bool negative = b != e && *b == '-';
    const char* const digits = b + negative;
    const char* p = digits;
    while (p != e && digit(*p)) ++p;
    bool good = p != digits && (*digits != '0' || p == digits + 1);
    const char* digits_end = p;
    std::int64_t exponent = 0;
    bool fits = true;
    if (p != e && *p == '.') {
        const char* const fraction = ++p;
        while (p != e && digit(*p)) ++p;
        good = good && p != fraction;
        exponent = fraction - p;
        digits_end = p;
    }
    const bool point = digits_end != digits && exponent != 0;
    bool written = false;
    if (p != e && (*p | 0x20) == 'e') {
        written = true;
        ++p;
        const bool minus = p != e && *p == '-';
        if (p != e && (*p == '-' || *p == '+')) ++p;
        good = good && p != e;
        std::int64_t n = 0;
        for (; p != e && digit(*p); ++p)
            fits = fits && !__builtin_mul_overflow(n, 10, &n) && !__builtin_add_overflow(n, *p - '0', &n);
        good = good && digit(p[-1]);
        fits = fits && !__builtin_add_overflow(exponent, minus ? -n : n, &exponent);
    }
    if (!good || p != e) {
        what = "a number's digits break JSON's grammar";
        return errc::syntax;
    }
    scalar::natural n;
    if (!n.read_digits(digits, digits_end)) return errc::size;
    char* to = bytes;
    if (n.zero() && negative) {
        to = put_float(to, -0.0, shortest_floats);
    } else if (!point && !written) {
        to = put_integer(to, n, negative);
    } else {
        what = "a number's exponent is beyond 64 bits";
        if (!fits) return errc::range;
        to = head(head(to, major::tag, tags::decimal), major::array, 2);
        const auto sign = static_cast<std::uint64_t>(exponent >> 63);
        to = head(to, exponent < 0 ? major::negative : major::natural, static_cast<std::uint64_t>(exponent) ^ sign);
        to = put_integer(to, n, negative);
    }
    size = static_cast<std::size_t>(to - bytes);
    return errc::ok;
}

}  // namespace kumihimo::inline v0::cbor
