#include "extract/cell.hpp"

#include <cstring>

#include "engine/scalar/float_write.hpp"
#include "engine/scalar/integer.hpp"
#include "engine/scalar/time_text.hpp"
#include "extract/timestamp.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr char hex[] = "0123456789abcdef";

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

char* write_string(char* to, std::string_view s) noexcept {
    *to++ = '"';
    for (const char c : s) {
        if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') [[likely]] {
            *to++ = c;
            continue;
        }
        *to++ = '\\';
        switch (c) {
            case '"':
            case '\\': *to++ = c; break;
            case '\b': *to++ = 'b'; break;
            case '\f': *to++ = 'f'; break;
            case '\n': *to++ = 'n'; break;
            case '\r': *to++ = 'r'; break;
            case '\t': *to++ = 't'; break;
            default:
                *to++ = 'u';
                *to++ = '0';
                *to++ = '0';
                *to++ = hex[static_cast<unsigned char>(c) >> 4];
                *to++ = hex[c & 15];
        }
    }
    *to++ = '"';
    return to;
}

char* write_line(char* to, std::string_view json) noexcept {
    for (const char c : json)
        if (c != '\n' && c != '\r') *to++ = c;
    return to;
}

bool write_json(buffer& out, const column& c, std::size_t r, const column_spec& spec) noexcept {
    if (!c.valid(r)) return out.append("null", 4);
    if (c.kind() == column::layout::text) {
        const std::string_view t = c.text(r);
        const bool quoted = spec.type == column_type::string;
        char* const to = out.reserve(quoted ? string_room(t) : t.size());
        if (to == nullptr) return false;
        out.commit(quoted ? write_string(to, t) : write_line(to, t));  // json, and the digits of a decimal
        return true;
    }
    if (spec.type == column_type::list) {
        for (std::size_t e = c.first_element(r), first = e; e < c.end_of_elements(r); ++e)
            if (!out.append(e == first ? "[" : ",", 1) || !write_json(out, c.child(0), e, spec.members[0])) return false;
        return c.first_element(r) == c.end_of_elements(r) ? out.append("[]", 2) : out.append("]", 1);
    }
    if (spec.type == column_type::structure) {
        for (std::size_t i = 0; i < spec.members.size(); ++i) {
            const std::string_view key = spec.members[i].name;
            char* to = out.reserve(string_room(key) + 2);
            if (to == nullptr) return false;
            *to++ = i == 0 ? '{' : ',';
            to = write_string(to, key);
            *to++ = ':';
            out.commit(to);
            if (!write_json(out, c.child(i), r, spec.members[i])) return false;
        }
        return out.append("}", 1);
    }
    char* to = out.reserve(cell_room + 2);
    if (to == nullptr) return false;
    zone::stretch fresh;
    const bool quoted = spec.type == column_type::timestamp;
    if (quoted) *to++ = '"';
    to = write_cell(to, c, r, spec, fresh);
    if (quoted) *to++ = '"';
    out.commit(to);
    return true;
}

}  // namespace kumihimo::inline v0::extract
