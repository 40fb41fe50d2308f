#include "extract/cell.hpp"

#include <cstring>

#include "engine/scalar/float_write.hpp"
#include "engine/scalar/integer.hpp"
#include "engine/scalar/time_text.hpp"
#include "extract/timestamp.hpp"

namespace kumihimo::inline v0::extract {
namespace {

static_assert(cell_room >= scalar::time_room && cell_room >= scalar::float_room && cell_room >= scalar::integer_room + 40);

/// v / 10^scale: 39 digits at most, a sign, a point and a zero before it.
char* write_decimal(char* to, __int128 v, unsigned scale) noexcept {
    char digits[40];
    char* p = digits + sizeof digits;
    unsigned __int128 m = v < 0 ? -static_cast<unsigned __int128>(v) : static_cast<unsigned __int128>(v);
    if (v < 0) *to++ = '-';
    do {
        *--p = static_cast<char>('0' + static_cast<int>(m % 10));
        m /= 10;
    } while (m != 0);
    while (static_cast<std::size_t>(digits + sizeof digits - p) <= scale) *--p = '0';
    const auto before = static_cast<std::size_t>(digits + sizeof digits - p) - scale;
    std::memcpy(to, p, before);
    to += before;
    if (scale != 0) {
        *to++ = '.';
        std::memcpy(to, p + before, scale);
        to += scale;
    }
    return to;
}

}  // namespace

char* write_cell(char* to, const column& c, std::size_t r, const column_spec& spec, zone::stretch& last) noexcept {
    switch (spec.type) {
        case column_type::int64: return scalar::write_i64(to, c.i64(r));
        case column_type::float64: return scalar::write_f64(to, c.f64(r), scalar::float_layout::python);
        case column_type::decimal: return write_decimal(to, c.i128(r), spec.scale);
        case column_type::timestamp: return write_timestamp(to, c.i64(r), spec, last);
        case column_type::boolean:
            if (c.boolean(r)) {
                std::memcpy(to, "true", 4);
                return to + 4;
            }
            std::memcpy(to, "false", 5);
            return to + 5;
        default: return to;
    }
}

}  // namespace kumihimo::inline v0::extract
