#include "extract/csv.hpp"

#include <cstring>
#include <vector>

#include "extract/cell.hpp"

namespace kumihimo::inline v0::extract {
namespace {

/// Whether a field needs quotes, at a glance: the rare bytes are all below 0x30 or the delimiter.
bool needs_quotes(std::string_view s, char delimiter) noexcept {
    if (s.empty() || s.front() == ' ' || s.back() == ' ') return true;  // the empty text, so that it is not a null
    for (const char c : s)
        if (c == delimiter || c == '"' || c == '\n' || c == '\r') return true;
    return false;
}

bool put_field(std::string_view s, char delimiter, buffer& out) noexcept {
    if (!needs_quotes(s, delimiter)) return out.append(s.data(), s.size());
    char* to = out.reserve(s.size() * 2 + 2);
    if (to == nullptr) return false;
    *to++ = '"';
    for (const char c : s) {
        if (c == '"') *to++ = '"';
        *to++ = c;
    }
    *to++ = '"';
    out.commit(to);
    return true;
}

}  // namespace

errc write_csv_header(const schema& of, buffer& out, const csv_options& options) {
    bool first = true;
    for (const column_spec& c : of.columns()) {
        if (!first && !out.append(&options.delimiter, 1)) return errc::memory;
        first = false;
        if (!put_field(c.name, options.delimiter, out)) return errc::memory;
    }
    return out.append("\n", 1) ? errc::ok : errc::memory;
}

errc write_csv(const batch& rows, buffer& out, const csv_options& options) {
    const std::span<const column_spec> specs = rows.of().columns();
    const std::size_t columns = specs.size();
    std::vector<zone::stretch> zones(columns);
    buffer json;  // of a list or a struct
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        for (std::size_t i = 0; i < columns; ++i) {
            const column& c = rows.at(i);
            char* to = out.reserve(cell_room + 1);
            if (to == nullptr) return errc::memory;
            if (i != 0) *to++ = options.delimiter;
            if (!c.valid(r)) {
                out.commit(to);
                continue;
            }
            if (c.kind() == column::layout::text) {
                out.commit(to);
                if (!put_field(c.text(r), options.delimiter, out)) return errc::memory;
            } else if (c.is_nested()) {
                out.commit(to);
                json.clear();
                if (!write_json(json, c, r, specs[i])) return errc::memory;
                if (!put_field({json.data(), json.size()}, options.delimiter, out)) return errc::memory;
            } else {
                out.commit(write_cell(to, c, r, specs[i], zones[i]));
            }
        }
        if (!out.append("\n", 1)) return errc::memory;
    }
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
