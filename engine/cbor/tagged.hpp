// What the tags that have a meaning here say: moments, days, and numbers beyond 64 bits. Each function gets the
// content of its tag, p behind the tag's header, and leaves p at the content's end. False: `found` says why.
#pragma once
#include <cmath>
#include <cstdint>
#include <string_view>

#include "engine/cbor/check.hpp"
#include "engine/cbor/floats.hpp"
#include "engine/cbor/header.hpp"
#include "engine/core/sink.hpp"
#include "engine/scalar/natural.hpp"

namespace kumihimo::inline v0::cbor {

/// A number as one of the verbs says it.
struct numeral {
    enum class kind : std::uint8_t { i64, u64, f64, big };
    kind is = kind::i64;
    std::int64_t i64 = 0;
    std::uint64_t u64 = 0;
    double f64 = 0;
    std::size_t size = 0;  // of the digits
    char digits[scalar::natural::digits_room + 64];
};

/// Seconds since 1970 as a moment, to the nearest nanosecond; false where 64 bits of seconds do not hold it.
inline bool moment_of(double x, instant& out) noexcept {
    if (!(x >= -0x1p63 && x < 0x1p63)) return false;
    const double whole = std::floor(x);
    out.seconds = static_cast<std::int64_t>(whole);
    out.nanoseconds = static_cast<std::uint32_t>(std::nearbyint((x - whole) * 1e9));
    if (out.nanoseconds == 1'000'000'000) {
        out.nanoseconds = 0;
        ++out.seconds;
    }
    return true;
}

class content {
public:
    /// Without `digits` those of a big number are not made: they take much longer than finding that it is one.
    content(const unsigned char*& p, const unsigned char* e, fault& found, bool digits = true) noexcept
        : p_(p), e_(e), found_(found), digits_(digits) {}

    bool bignum(bool negative, numeral& out) noexcept;   // tags 2, 3
    bool fraction(bool decimal, numeral& out) noexcept;  // tags 4, 5
    bool date_time(instant& out) noexcept;               // tag 0
    bool epoch(instant& out) noexcept;                   // tag 1
    bool days(instant& out) noexcept;                    // tag 100
    bool date(instant& out) noexcept;                    // tag 1004
    /// Tag 1001. `known` is false where it says more than an instant holds: another clock, a leap second, an
    /// uncertainty.
    bool extended_time(instant& out, bool& known) noexcept;

private:
    bool fail(errc code, const unsigned char* at, const char* what) noexcept {
        found_ = {code, at, what};
        return false;
    }
    /// A header that must be there.
    bool next(header& h) noexcept;
    /// An integer of 64 bits with sign.
    bool integer(std::int64_t& out, const char* what) noexcept;
    bool natural(scalar::natural& out) noexcept;
    bool short_text(char* to, std::size_t room, std::size_t& size) noexcept;
    /// An integer of any size, as magnitude and sign.
    bool mantissa(scalar::natural& out, bool& negative) noexcept;

    const unsigned char*& p_;
    const unsigned char* const e_;
    fault& found_;
    const bool digits_;
};

/// Whether a reader that grants nothing more than exact_read gives the well-formed item [p, e) as ext 24: a tag or
/// simple value without a meaning.
bool carried(const unsigned char* p, const unsigned char* e) noexcept;

}  // namespace kumihimo::inline v0::cbor
