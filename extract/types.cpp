// Types as the user writes them: int64, decimal(18,8), timestamp[ns,Asia/Tokyo], list[struct[a:int64,"b c":string]].
#include <algorithm>

#include "engine/json/path.hpp"
#include "extract/schema.hpp"
#include "extract/spelling.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::string_view type_list =
    "int64, float64, decimal, decimal(PRECISION,SCALE), string, bool, timestamp, timestamp[ZONE], json, list[TYPE], "
    "struct[NAME:TYPE,...]";

/// What people write for a type that has another name here.
std::string_view meant(std::string_view word) noexcept {
    constexpr std::string_view pairs[][2] = {
        {"int", "int64"},       {"integer", "int64"},      {"long", "int64"},     {"bigint", "int64"},
        {"int32", "int64"},     {"i64", "int64"},          {"float", "float64"},  {"double", "float64"},
        {"number", "float64"},  {"f64", "float64"},        {"real", "float64"},   {"str", "string"},
        {"text", "string"},     {"varchar", "string"},     {"utf8", "string"},    {"boolean", "bool"},
        {"time", "timestamp"},  {"datetime", "timestamp"}, {"date", "timestamp"}, {"timestamptz", "timestamp"},
        {"numeric", "decimal"}, {"object", "struct"},      {"array", "list"},
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

// A type, `depth` lists and structs deep.
errc type_inside(std::string_view text, column_spec& out, std::string& why, std::size_t depth);

// The end of what stands before the next comma outside of brackets, parentheses and quotes.
std::size_t end_of_member(std::string_view s) noexcept {
    std::size_t open = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const char c = s[i];
        if (quoted) {
            if (c == '\\')
                ++i;
            else
                quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '(') {
            ++open;
        } else if ((c == ']' || c == ')') && open != 0) {
            --open;
        } else if (c == ',' && open == 0) {
            return i;
        }
    }
    return s.size();
}

// NAME:TYPE of a struct; the name is quoted, as JSON is, where it has a sign that means something here.
errc member_of_struct(std::string_view text, column_spec& out, std::string& why, std::size_t depth) {
    const auto refuse = [&] {
        why = "the member " + quote(text) + ": write NAME:TYPE, such as price:float64; a name that has , : [ or ] is quoted";
        return errc::misuse;
    };
    std::size_t end = 0;
    if (!text.empty() && text[0] == '"') {
        for (end = 1; end < text.size() && text[end] != '"'; ++end)
            if (text[end] == '\\') ++end;
        if (end >= text.size()) return refuse();
        ++end;
        json::path step;
        context ctx;
        if (json::parse('[' + std::string(text.substr(0, end)) + ']', step, ctx) != errc::ok || step.size() != 1)
            return refuse();
        out.name = step[0].key;
    } else {
        end = std::min(text.find_first_of(":[\""), text.size());
        out.name = trim_right(text.substr(0, end));
        if (out.name.empty()) return refuse();
    }
    const std::string_view rest = trim_left(text.substr(end));
    if (rest.empty() || rest[0] != ':') return refuse();
    return type_inside(rest.substr(1), out, why, depth);
}

// What is in the brackets of list[...] and struct[...].
errc members_of(std::string_view whole, std::string_view inside, column_spec& c, std::string& why, std::size_t depth) {
    if (depth == most_nested_types) {
        why = "the type has more than " + std::to_string(most_nested_types) +
              " lists and structs in one another; write json for what is deeper";
        return errc::misuse;
    }
    if (inside.empty()) {
        why = "the type " + quote(whole) +
              " is empty: write list[TYPE], or struct[NAME:TYPE,...], or without brackets to let a " + "sample decide";
        return errc::misuse;
    }
    if (c.type == column_type::list) return type_inside(inside, c.members.emplace_back(), why, depth + 1);
    for (;;) {
        const std::size_t end = end_of_member(inside);
        KUMIHIMO_TRY(member_of_struct(trim(inside.substr(0, end)), c.members.emplace_back(), why, depth + 1));
        const std::string& name = c.members.back().name;
        if (std::any_of(c.members.begin(), c.members.end() - 1, [&](const column_spec& m) { return m.name == name; })) {
            why = "the type has two members named " + quote(name);
            return errc::misuse;
        }
        if (end == inside.size()) return errc::ok;
        inside.remove_prefix(end + 1);
    }
}

errc type_inside(std::string_view text, column_spec& out, std::string& why, std::size_t depth) {
    const std::string_view whole = trim(text), word = trim_right(whole.substr(0, whole.find_first_of("[(")));
    if (word != "list" && word != "struct") return parse_type(text, out, why);
    column_spec c = out;
    c.type = column_type::infer;
    c.only = word == "list" ? '[' : '{';
    c.nested = true;
    c.members.clear();
    c.inferred = false;
    c.zone_name.clear();
    c.in_zone.reset();
    c.format.reset();
    if (word.size() != whole.size()) {
        if (whole[whole.find_first_of("[(")] != '[' || whole.back() != ']') {
            why = "the type " + quote(whole) + ": write list[TYPE] or struct[NAME:TYPE,...]";
            return errc::misuse;
        }
        c.type = word == "list" ? column_type::list : column_type::structure;
        c.only = 0;
        c.nested = false;
        const std::size_t open = whole.find('[');
        KUMIHIMO_TRY(members_of(whole, trim(whole.substr(open + 1, whole.size() - open - 2)), c, why, depth));
    } else if (depth != 0) {
        why = "inside of a type write what is in it as well, list[TYPE] or struct[NAME:TYPE,...], or json for any value";
        return errc::misuse;
    }
    out = std::move(c);
    return errc::ok;
}

}  // namespace

errc parse_type(std::string_view text, column_spec& out, std::string& why) {
    const std::string_view whole = text = trim(text);
    const std::size_t open = text.find_first_of("([");
    const std::string_view word = trim(text.substr(0, open));
    if (word == "list" || word == "struct") return type_inside(text, out, why, 0);
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
        if (word.starts_with("list<") || word.starts_with("struct<")) why += "; write it with [ and ]";
        why += ". Types: " + std::string(type_list) + ". A key that contains : is quoted, \"a:b\"";
        return errc::misuse;
    }
    column_spec c = out;
    c.type = *found;
    c.precision = c.scale = 0;
    c.unit = time_unit::automatic;
    c.nanoseconds = c.naive = c.inferred = c.nested = false;
    c.only = 0;
    c.members.clear();
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
        // A format may hold commas itself: it reaches from the first part with a % to the last. Blanks beside the
        // brackets are its own, those beside a comma are not.
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
        if (text[open] == '[' && inside.empty()) why += "; a list of it is list[" + std::string(word) + ']';
        return errc::misuse;
    }
    out = std::move(c);
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
