#include "extract/resampling.hpp"

#include <algorithm>
#include <iterator>

#include "extract/made_column.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr const char* names_of[] = {"ohlc", "open", "high", "low",  "close", "first",
                                    "last", "min",  "max",  "mean", "sum",   "count"};

bool same_column(const column_spec& a, const column_spec& b) {
    return same_value(a, b) && a.type_text() == b.type_text() && a.only == b.only;
}

}  // namespace

const char* name(aggregate a) noexcept { return names_of[static_cast<std::size_t>(a)]; }

bool aggregate_by_name(std::string_view name, aggregate& out) noexcept {
    const auto at = std::find(std::begin(names_of), std::end(names_of), name);
    if (at == std::end(names_of)) return false;
    out = static_cast<aggregate>(at - std::begin(names_of));
    return true;
}

bool split_aggregate(std::string_view& field, aggregate& out) noexcept {
    const std::size_t colon = field.rfind(':');
    if (colon == std::string_view::npos || !aggregate_by_name(field.substr(colon + 1), out)) return false;
    field = field.substr(0, colon);
    return true;
}

std::string aggregate_names() {
    std::string all;
    for (const char* one : names_of) all += (all.empty() ? "" : ", ") + std::string(one);
    return all;
}

std::vector<std::string> resampling::names(const field& f) {
    if (f.how != aggregate::ohlc) return {f.of.name};
    const std::string before = f.named ? f.of.name + '_' : "";
    return {before + "open", before + "high", before + "low", before + "close"};
}

errc resampling::place(column_spec& t, std::string& why) const {
    if (zone_name.empty()) return errc::ok;
    if (t.naive && t.format == nullptr) {
        why =
            "zone \"" + zone_name + "\" is of no use to times that are kept without a zone: column \"" + t.name + "\" is naive";
        return errc::misuse;
    }
    if (!t.zone_name.empty() || t.in_zone != nullptr) return errc::ok;
    t.naive = false;
    t.zone_name = zone_name;
    t.in_zone = in_zone ? in_zone : zone::fixed(zone_name);
    return errc::ok;
}

errc resampling::columns(std::vector<column_spec>& out, std::string& why) {
    out.clear();
    if (fields.empty()) {
        why = "every needs fields with what is made of them: price:ohlc, amount:sum";
        return errc::misuse;
    }
    if (open == 0) {
        why = "open_intervals is at least 1";
        return errc::misuse;
    }
    std::vector<std::string> given;
    if (time) {
        if (time->type == column_type::infer) time->type = column_type::timestamp;
        if (time->type != column_type::timestamp) {
            why = "time \"" + time->name + "\" is of type " + name(time->type) + ": intervals run along a timestamp";
            return errc::misuse;
        }
        KUMIHIMO_TRY(place(*time, why));
        given.push_back(time->name);
    }
    for (field& f : fields) {
        for (std::string& one : names(f)) given.push_back(std::move(one));
        // Whatever it is, it counts.
        if (f.how == aggregate::count && f.of.type == column_type::infer) f.of.type = column_type::json;
        const auto known = std::find_if(out.begin(), out.end(), [&](const column_spec& c) { return same_column(c, f.of); });
        f.column = static_cast<std::size_t>(known - out.begin());
        if (known == out.end()) out.push_back(f.of);
    }
    std::sort(given.begin(), given.end());
    if (const auto twice = std::adjacent_find(given.begin(), given.end()); twice != given.end()) {
        why = "two columns are named \"" + *twice + "\"; rename one, other=PATH";
        return errc::misuse;
    }
    if (time) out.push_back(*time);
    // One value may be extracted as two types: reports tell them apart.
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto taken = [&](const std::string& n) {
            return std::any_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(i),
                               [&](const column_spec& c) { return c.name == n; });
        };
        if (!taken(out[i].name)) continue;
        const std::string stem = out[i].name + " (" + out[i].type_text() + ')';
        out[i].name = stem;
        for (int n = 2; taken(out[i].name); ++n) out[i].name = stem + ' ' + std::to_string(n);
    }
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
