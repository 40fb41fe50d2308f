#include "extract/ndjson.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "extract/cell.hpp"

namespace kumihimo::inline v0::extract {

errc write_ndjson(const batch& rows, buffer& out) {
    const std::span<const column_spec> specs = rows.of().columns();
    const std::size_t columns = specs.size();
    std::vector<zone::stretch> zones(columns);
    std::vector<std::string> keys;  // {"price":  and  ,"at":
    for (const column_spec& c : specs) {
        std::string key(c.name.size() * 6 + 4, '\0');
        key[0] = keys.empty() ? '{' : ',';
        char* end = write_string(key.data() + 1, c.name);
        *end++ = ':';
        key.resize(static_cast<std::size_t>(end - key.data()));
        keys.push_back(std::move(key));
    }
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        for (std::size_t i = 0; i < columns; ++i) {
            const column& c = rows.at(i);
            const column_type type = specs[i].type;
            const bool value = c.valid(r);
            if (value && specs[i].is_nested()) {
                if (!out.append(keys[i].data(), keys[i].size()) || !write_json(out, c, r, specs[i])) return errc::memory;
                continue;
            }
            const bool text = value && c.kind() == column::layout::text;
            const std::string_view t = text ? c.text(r) : std::string_view{};
            char* to = out.reserve(keys[i].size() + cell_room + 2 + (type == column_type::string ? 6 : 1) * t.size());
            if (to == nullptr) return errc::memory;
            std::memcpy(to, keys[i].data(), keys[i].size());
            to += keys[i].size();
            if (!value) {
                std::memcpy(to, "null", 4);
                to += 4;
            } else if (type == column_type::string) {
                to = write_string(to, t);
            } else if (text) {
                to = write_line(to, t);  // json, and the digits of a decimal
            } else if (type == column_type::timestamp) {
                *to++ = '"';
                to = write_cell(to, c, r, specs[i], zones[i]);
                *to++ = '"';
            } else {
                to = write_cell(to, c, r, specs[i], zones[i]);
            }
            out.commit(to);
        }
        if (!out.append(columns == 0 ? "{}\n" : "}\n", columns == 0 ? 3 : 2)) return errc::memory;
    }
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
