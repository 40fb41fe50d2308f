#include "extract/schema.hpp"

#include <algorithm>

#include "engine/json/path.hpp"
#include "engine/json/project.hpp"
#include "extract/row_plan.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::string_view type_list =
    "int64, float64, decimal, decimal(PRECISION,SCALE), string, bool, timestamp, timestamp[ZONE], json";

std::string quote(std::string_view s) { return '"' + std::string(s) + '"'; }

/// What people write for a type that has another name here.
std::string_view meant(std::string_view word) noexcept {
    constexpr std::string_view pairs[][2] = {
        {"int", "int64"},       {"integer", "int64"},      {"long", "int64"},     {"bigint", "int64"},
        {"int32", "int64"},     {"i64", "int64"},          {"float", "float64"},  {"double", "float64"},
        {"number", "float64"},  {"f64", "float64"},        {"real", "float64"},   {"str", "string"},
        {"text", "string"},     {"varchar", "string"},     {"utf8", "string"},    {"boolean", "bool"},
        {"time", "timestamp"},  {"datetime", "timestamp"}, {"date", "timestamp"}, {"timestamptz", "timestamp"},
        {"numeric", "decimal"}, {"object", "json"},        {"array", "json"},     {"list", "json"},
        {"struct", "json"},
    };
    for (const auto& pair : pairs)
        if (word == pair[0]) return pair[1];
    return {};
}

bool small_number(std::string_view s, int& out) noexcept {
    if (s.empty() || s.size() > 3) return false;
    out = 0;
    for (const char c : s) {
        if (c < '0' || c > '9') return false;
        out = out * 10 + (c - '0');
    }
    return true;
}

std::string_view trim_left(std::string_view s) noexcept {
    while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    return s;
}
std::string_view trim_right(std::string_view s) noexcept {
    while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
    return s;
}
std::string_view trim(std::string_view s) noexcept { return trim_left(trim_right(s)); }

/// The next `wanted` that stands outside quotes and brackets, or npos.
std::size_t find_bare(std::string_view s, char wanted) noexcept {
    char quoted = 0;
    bool bracket = false, word = true;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const char c = s[i];
        if (quoted != 0) {
            if (c == '\\')
                ++i;
            else if (c == quoted)
                quoted = 0;
        } else if (c == wanted && !bracket) {
            return i;
        } else if ((c == '"' && word) || (c == '\'' && bracket)) {
            quoted = c;
        } else if (c == '[') {
            bracket = true;
        } else if (c == ']') {
            bracket = false;
        }
        word = c == '.' || c == '[' || c == '=';  // where a quoted name may begin
    }
    return std::string_view::npos;
}

errc parse_path(std::string_view text, json::path& out, std::string& why) {
    context ctx;
    std::size_t dots = 0;
    const errc e = parse_column_path(text, dots, out, ctx);
    if (e != errc::ok) {
        why = "the path " + quote(text) + ": " + ctx.failure.what;
        if (ctx.failure.offset != failure::nowhere) why += ", at character " + std::to_string(ctx.failure.offset + 1);
        return errc::misuse;
    }
    return errc::ok;
}

bool wild(const json::path& path) noexcept {
    return std::any_of(path.begin(), path.end(), [](const json::step& s) { return s.type == json::step::kind::each; });
}

std::string wanted(const column_spec& c) {
    std::string out = "column " + quote(c.name) + " (" + c.type_text() + ") takes ";
    switch (c.type) {
        case column_type::infer: break;
        case column_type::int64: out += "whole numbers from -9223372036854775808 to 9223372036854775807"; break;
        case column_type::float64: out += "numbers that a double can hold, up to 1.8e308"; break;
        case column_type::decimal:
            out += "numbers";
            if (c.precision != 0)
                out += " of up to " + std::to_string(c.precision - c.scale) +
                       (c.precision - c.scale == 1 ? " digit before and " : " digits before and ") + std::to_string(c.scale) +
                       " after the point";
            break;
        case column_type::string:
            out += c.inferred ? "text" : "text, numbers, true and false; for arrays and objects use json";
            break;
        case column_type::boolean: out += "true and false"; break;
        case column_type::timestamp:
            if (c.format != nullptr)
                out += "text of the form " + c.format->text();
            else if (c.inferred)
                out += "date and time, written as in the sample";
            else if (c.naive)
                out += "date and time without a zone, such as 2016-12-25T01:53:10.602955";
            else if (c.in_zone != nullptr)
                out += "date and time, such as 2016-12-25T01:53:10.602955, or numbers since 1970";
            else
                out +=
                    "date and time with a zone, such as 2016-12-25T01:53:10.602955Z (for texts without one name it, "
                    "timestamp[Asia/Tokyo], timestamp[UTC] or timestamp[naive]), or numbers since 1970";
            out += c.nanoseconds ? ", from 1677 to 2262, with at most 9 digits of a second"
                                 : ", with at most 6 digits of a second; for 9 use timestamp[ns]";
            break;
        case column_type::json: out += "any value"; break;
    }
    return out;
}

}  // namespace

std::string default_name(const json::path& path) {
    std::string out;
    for (const json::step& s : path) {
        switch (s.type) {
            case json::step::kind::key:
            case json::step::kind::either:
                if (!out.empty()) out += '.';
                out += s.key;
                break;
            case json::step::kind::index: out += '[' + std::to_string(s.index) + ']'; break;
            case json::step::kind::each: out += "[*]"; break;
        }
    }
    return path.empty() ? "value" : out;
}

errc parse_type(std::string_view text, column_spec& out, std::string& why) {
    const std::string_view whole = text = trim(text);
    const std::size_t open = text.find_first_of("([");
    const std::string_view word = trim(text.substr(0, open));
    std::string_view inside, untrimmed;
    bool has_inside = false;
    if (open != std::string_view::npos) {
        if (text.back() != (text[open] == '(' ? ')' : ']')) {
            why = "the type " + quote(whole) + " has no closing " + (text[open] == '(' ? ")" : "]");
            return errc::misuse;
        }
        untrimmed = text.substr(open + 1, text.size() - open - 2);
        inside = trim(untrimmed);
        has_inside = true;
    }
    constexpr column_type all[] = {column_type::int64,   column_type::float64,   column_type::decimal, column_type::string,
                                   column_type::boolean, column_type::timestamp, column_type::json};
    const auto found = std::find_if(std::begin(all), std::end(all), [&](column_type t) { return word == name(t); });
    if (found == std::end(all)) {
        why = "unknown type " + quote(word);
        if (const std::string_view other = meant(word); !other.empty()) why += "; write " + std::string(other);
        why += ". Types: " + std::string(type_list) + ". A key that contains : is quoted, \"a:b\"";
        return errc::misuse;
    }
    column_spec c = out;
    c.type = *found;
    c.precision = c.scale = 0;
    c.unit = time_unit::automatic;
    c.nanoseconds = c.naive = c.inferred = false;
    c.format.reset();
    std::string others;
    c.zone_name.clear();
    c.in_zone.reset();
    if (has_inside && c.type == column_type::decimal && text[open] == '(') {
        const std::size_t comma = inside.find(',');
        int precision = 0, scale = 0;
        if (!small_number(trim(inside.substr(0, comma)), precision) || precision < 1 || precision > 38 ||
            (comma != std::string_view::npos && !small_number(trim(inside.substr(comma + 1)), scale)) || scale > precision) {
            why = "the type " + quote(whole) +
                  ": write decimal(PRECISION,SCALE), at most 38 digits, SCALE of them after the point, such as decimal(18,8)";
            return errc::misuse;
        }
        c.precision = static_cast<std::uint8_t>(precision);
        c.scale = static_cast<std::uint8_t>(scale);
    } else if (has_inside && c.type == column_type::timestamp && text[open] == '[') {
        // A format may hold commas itself: it reaches from the first part with a % to the last. Blanks beside the brackets are
        // its own, those beside a comma are not.
        if (const std::size_t sign = untrimmed.find('%'); sign != std::string_view::npos) {
            inside = untrimmed;
            const std::size_t before = inside.substr(0, sign).rfind(','),
                              from = before == std::string_view::npos ? 0 : before + 1;
            const std::size_t behind = inside.find(',', inside.rfind('%'));
            std::string_view form = inside.substr(from, behind == std::string_view::npos ? behind : behind - from);
            if (before != std::string_view::npos) form = trim_left(form);
            if (behind != std::string_view::npos) form = trim_right(form);
            time_format f;
            if (time_format::compile(form, f, why) != errc::ok) return errc::misuse;
            c.format = std::make_shared<const time_format>(std::move(f));
            others = inside.substr(0, before == std::string_view::npos ? 0 : before);
            if (behind != std::string_view::npos)
                others += (others.empty() ? "" : ",") + std::string(inside.substr(behind + 1));
            inside = others;
        }
        while (c.format == nullptr || !others.empty()) {
            const std::size_t comma = inside.find(',');
            const std::string_view part = trim(inside.substr(0, comma));
            if (part == "s")
                c.unit = time_unit::seconds;
            else if (part == "ms")
                c.unit = time_unit::milliseconds;
            else if (part == "us")
                c.unit = time_unit::microseconds;
            else if (part == "ns")
                c.unit = time_unit::nanoseconds, c.nanoseconds = true;
            else if (part == "naive")
                c.naive = true;
            else if (part.empty() || !c.zone_name.empty()) {
                why = "the type " + quote(whole) +
                      ": write timestamp[ZONE], timestamp[UNIT] or timestamp[UNIT,ZONE], such as "
                      "timestamp[Asia/Tokyo], timestamp[ms] or timestamp[ns,+09:00]; units: s, ms, us, ns; or a format, "
                      "timestamp[%d/%b/%Y:%H:%M:%S %z]";
                return errc::misuse;
            } else {
                c.zone_name = part;
                c.in_zone = zone::fixed(part);
            }
            if (comma == std::string_view::npos) break;
            inside.remove_prefix(comma + 1);
        }
        if (c.naive && !c.zone_name.empty()) {
            why = "the type " + quote(whole) + ": naive keeps times without a zone, so it takes none";
            return errc::misuse;
        }
        if (c.naive && c.format != nullptr && c.format->zoned()) {
            why = "the type " + quote(whole) + ": naive keeps times without a zone, but the format has one (%z, %Z or %s)";
            return errc::misuse;
        }
        if (c.format != nullptr && !c.format->zoned() && c.zone_name.empty()) c.naive = true;
    } else if (has_inside) {
        why = "the type " + quote(whole) + ": " + std::string(name(c.type)) + " takes nothing in " +
              (text[open] == '(' ? "parentheses" : "brackets");
        return errc::misuse;
    }
    out = std::move(c);
    return errc::ok;
}

errc parse_field(std::string_view text, column_spec& out, std::string& why) {
    const auto refuse = [&](const std::string& what) {
        why = "field " + quote(text) + ": " + what;
        return errc::misuse;
    };
    column_spec c;
    std::string_view rest = text;
    std::string given;
    bool named = false;
    if (rest.empty()) return refuse("write [NAME=]PATH[:TYPE], such as price=last_price.price:float64");
    if (rest[0] != '/') {
        const std::size_t equals = find_bare(rest, '=');
        if (equals != std::string_view::npos) {
            const std::string_view before = rest.substr(0, equals);
            named = true;
            if (before.size() >= 2 && before.front() == '"' && before.back() == '"') {
                for (std::size_t i = 1; i + 1 < before.size(); ++i) {
                    if (before[i] == '\\' && i + 2 < before.size()) ++i;
                    given += before[i];
                }
            } else {
                given = before;
            }
            if (given.empty()) return refuse("there is no name before the =");
            rest.remove_prefix(equals + 1);
        }
    }
    std::string_view path = rest, type;
    bool typed = false;
    if (!rest.empty() && rest[0] == '/') {
        // A pointer has no quotes, so a colon may belong to a key: the last one counts, unless a slash follows it. A zone has
        // both.
        std::size_t colon = rest.back() == ']' ? rest.rfind(":timestamp[") : std::string_view::npos;
        if (colon == std::string_view::npos) {
            colon = rest.rfind(':');
            if (colon != std::string_view::npos && rest.find('/', colon) != std::string_view::npos)
                colon = std::string_view::npos;
        }
        if (colon != std::string_view::npos) {
            path = rest.substr(0, colon);
            type = rest.substr(colon + 1);
            typed = true;
        }
    } else {
        if (find_bare(rest, '=') != std::string_view::npos)
            return refuse("there is a second =; a key that contains = is quoted, \"a=b\"");
        const std::size_t colon = find_bare(rest, ':');
        if (colon != std::string_view::npos) {
            path = rest.substr(0, colon);
            type = rest.substr(colon + 1);
            typed = true;
        }
        if (path.empty()) return refuse("there is no path; $ is the whole document");
    }
    std::string inner;
    if (typed && parse_type(type, c, inner) != errc::ok) {
        if (!path.empty() && path[0] == '/') inner += "; in a JSON Pointer add the type behind such a key, /a:b:json";
        return refuse(inner);
    }
    json::path steps;
    if (parse_path(path, steps, inner) != errc::ok) return refuse(inner);
    if (wild(steps) && c.type != column_type::infer && c.type != column_type::json)
        return refuse("a path with [*] finds a list, so its type is json, or name one element, [0]");
    if (wild(steps)) c.type = column_type::json;
    c.path = path;
    c.name = named ? given : default_name(steps);
    out = std::move(c);
    return errc::ok;
}

errc schema::make(std::vector<column_spec> fields, bool provenance, std::shared_ptr<const schema>& out, std::string& why,
                  beyond others, const row_path* rows) {
    std::shared_ptr<schema> s(new schema);
    s->fields_ = fields.size();
    s->provenance_ = provenance;
    s->others_ = others;
    std::vector<std::string_view> names;
    std::vector<std::string> printed, before;  // the paths; the same up to their first [*]
    bool any_wild = false;
    for (const column_spec& c : fields) {
        json::path steps;
        if (parse_path(c.path, steps, why) != errc::ok) return errc::misuse;
        if (c.type == column_type::infer) {
            why = "column " + quote(c.name) + " has no type yet: give one, " + quote(c.path + ":string") +
                  ", or let a sample decide";
            return errc::misuse;
        }
        if (wild(steps) && c.type != column_type::json) {
            why = "column " + quote(c.name) + ": a path with [*] finds a list, so its type is json";
            return errc::misuse;
        }
        if (!c.zone_name.empty() && c.in_zone == nullptr) {
            why = "column " + quote(c.name) + ": the rules of the time zone " + quote(c.zone_name) + " were not looked up";
            return errc::misuse;
        }
        if (c.type == column_type::decimal && (c.precision > 38 || c.scale > c.precision)) {
            why = "column " + quote(c.name) + ": a decimal has at most 38 digits, and no more after the point than in all";
            return errc::misuse;
        }
        if (rows == nullptr && c.path[0] == '.') {
            why = needs_rows(c);
            return errc::misuse;
        }
        s->where_.push_back(json::print(steps));
        names.push_back(c.name);
        printed.push_back(c.path[0] == '.' ? s->where_.back() : c.path);
        any_wild = any_wild || wild(steps);
        steps.erase(
            std::find_if(steps.begin(), steps.end(), [](const json::step& t) { return t.type == json::step::kind::each; }),
            steps.end());
        before.push_back(json::print(steps));
    }
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
        why = "two columns are named " + quote(*twice) + "; rename one, other=PATH";
        return errc::misuse;
    }
    const auto taken = [&](std::string_view n) { return std::binary_search(names.begin(), names.end(), n); };

    if (rows != nullptr) KUMIHIMO_TRY(row_plan::make(fields, *rows, others != beyond::ignored, s->rows_, why));
    const std::vector<std::string_view> paths(printed.begin(), printed.end());
    context ctx;
    json::projection compiled;
    if (const errc e = json::projection::compile(paths, compiled, ctx); e != errc::ok) {
        why = "the paths cannot be compiled: " + std::string(ctx.failure.what);
        if (!ctx.failure.path.empty()) why += " (" + ctx.failure.path + ')';
        return e == errc::memory ? e : errc::misuse;
    }
    s->paths_ = std::make_shared<const json::projection>(std::move(compiled));
    if (any_wild) {
        const std::vector<std::string_view> lists(before.begin(), before.end());
        if (const errc e = json::projection::compile(lists, compiled, ctx); e != errc::ok) {
            why = "the paths cannot be compiled: " + std::string(ctx.failure.what);
            return e == errc::memory ? e : errc::misuse;
        }
        s->lists_ = std::make_shared<const json::projection>(std::move(compiled));
    }
    s->columns_ = fields;
    if (provenance) {
        std::vector<std::string> all{"archive", "entry", "offset"};
        if (rows != nullptr && rows->levels() == 1) all.push_back("element");
        for (std::size_t k = 1; rows != nullptr && rows->levels() > 1 && k <= rows->levels(); ++k)
            all.push_back("element_" + std::to_string(k));
        s->sources_ = all.size();
        const bool prefix = std::any_of(all.begin(), all.end(), taken);
        for (std::size_t i = 0; i < all.size(); ++i) {
            column_spec c;
            c.name = prefix ? "source_" + all[i] : all[i];
            c.type = i < 2 ? column_type::string : column_type::int64;
            if (taken(c.name)) {
                why = "a field is named " + quote(c.name) + ", as a source column is; rename it, other=PATH";
                return errc::misuse;
            }
            s->columns_.push_back(std::move(c));
        }
    }
    if (others == beyond::kept) {
        column_spec c;
        c.name = "rest";
        const auto used = [&] {
            return std::any_of(s->columns_.begin(), s->columns_.end(), [&](const column_spec& o) { return o.name == c.name; });
        };
        for (int n = 2; used(); ++n) c.name = "rest_" + std::to_string(n);
        c.type = column_type::json;
        s->columns_.push_back(std::move(c));
    }
    for (const column_spec& c : s->columns_) s->wants_.push_back(wanted(c));
    out = std::move(s);
    return errc::ok;
}

errc schema::with(std::size_t field, const column_spec& becomes, std::shared_ptr<const schema>& out, std::string& why) const {
    std::vector<column_spec> fields(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(fields_));
    fields[field] = becomes;
    return make(std::move(fields), provenance(), out, why, others_, rows_ ? &rows_->of : nullptr);
}

errc schema::fixed(std::shared_ptr<const schema>& out, std::string& why) const {
    std::vector<column_spec> fields(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(fields_));
    for (column_spec& c : fields) c.unseen = false;
    return make(std::move(fields), provenance(), out, why, others_ == beyond::ignored ? others_ : beyond::kept,
                rows_ ? &rows_->of : nullptr);
}

const json::projection& schema::of_document() const noexcept { return rows_ ? rows_->wanted : *paths_; }

bool schema::same(const schema& other) const noexcept {
    const auto alike = [](const column_spec& a, const column_spec& b) {
        return a.name == b.name && a.path == b.path && a.type == b.type && a.unseen == b.unseen &&
               a.meaning().unseen == b.meaning().unseen && a.naive == b.naive && a.nanoseconds == b.nanoseconds &&
               a.shape == b.shape;
    };
    return fields_ == other.fields_ && others_ == other.others_ &&
           std::equal(columns_.begin(), columns_.end(), other.columns_.begin(), other.columns_.end(), alike);
}

}  // namespace kumihimo::inline v0::extract
