#include "extract/made_column.hpp"

#include <algorithm>

#include "extract/formula.hpp"

namespace kumihimo::inline v0::extract {

void lay_out(std::span<const column_spec> fields, std::vector<std::string>& paths, std::vector<made_column>& made) {
    paths.clear();
    made.clear();
    for (const column_spec& f : fields) paths.push_back(f.made_of ? f.made_of->inputs()[0].head : f.path);
    for (std::uint32_t i = 0; i < fields.size(); ++i) {
        if (!fields[i].made_of) continue;
        made_column& m = made.emplace_back(made_column{i, {i}});
        for (const formula::input& in : fields[i].made_of->inputs().subspan(1)) {
            m.paths.push_back(static_cast<std::uint32_t>(paths.size()));
            paths.push_back(in.head);
        }
    }
}

bool is_calculated(const column_spec& field) noexcept { return field.made_of && !field.made_of->expression().empty(); }

const std::string& definition(const column_spec& field) noexcept {
    return is_calculated(field) ? field.made_of->expression() : field.path;
}

bool same_value(const column_spec& a, const column_spec& b) noexcept {
    return is_calculated(a) == is_calculated(b) && definition(a) == definition(b);
}

std::string with_type(const column_spec& field, std::string_view type) {
    std::string out = is_calculated(field) ? field.name : field.path;
    (out += ':') += type;
    return is_calculated(field) ? out + " := " + definition(field) : out;
}

bool is_of_element(const column_spec& field) noexcept {
    if (!field.made_of) return field.path[0] == '.';
    const auto all = field.made_of->inputs();
    return std::any_of(all.begin(), all.end(), [](const formula::input& in) { return in.dots != 0; });
}

std::uint32_t field_of_path(std::uint32_t path, std::size_t fields, std::span<const made_column> made) noexcept {
    if (path < fields) return path;
    for (const made_column& m : made)
        if (std::find(m.paths.begin(), m.paths.end(), path) != m.paths.end()) return m.field;
    return path;
}

}  // namespace kumihimo::inline v0::extract
