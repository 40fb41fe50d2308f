#include "extract/schema.hpp"

#include <algorithm>

#include "engine/core/path_text.hpp"
#include "engine/json/path.hpp"
#include "engine/json/project.hpp"
#include "extract/formula.hpp"
#include "extract/row_plan.hpp"
#include "extract/spelling.hpp"

namespace kumihimo::inline v0::extract {
namespace {

/// The next `wanted` that stands outside quotes and brackets, or npos.
std::size_t find_bare(std::string_view s, std::string_view wanted) noexcept {
    char quoted = 0;
    std::size_t brackets = 0;
    bool word = true;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const char c = s[i];
        if (quoted != 0) {
            if (c == '\\')
                ++i;
            else if (c == quoted)
                quoted = 0;
        } else if (brackets == 0 && s.substr(i).starts_with(wanted)) {
            return i;
        } else if ((c == '"' && word) || (c == '\'' && word && brackets != 0)) {
            quoted = c;
        } else if (c == '[') {
            ++brackets;
        } else if (c == ']' && brackets != 0) {
            --brackets;
        }
        word = c == '.' || c == '[' || c == '=' || (c == ',' && brackets != 0);  // where a quoted name may begin
    }
    return std::string_view::npos;
}

bool wild(const json::path& path) noexcept { return path_tail::many(path); }

constexpr const char* list_is_json = "a path with [*], * or .. finds a list, so its type is json or a list";

std::string wanted(const column_spec& c) {
    std::string out = "column " + quote(c.name) + " (" + shown_type(c) + ") takes ";
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
        case column_type::json: out += c.only == '[' ? "arrays" : c.only == '{' ? "objects" : "any value"; break;
        case column_type::list: out += "arrays"; break;
        case column_type::structure: out += "objects"; break;
    }
    return out;
}

// Why a type that came from no text cannot be; empty: it can.
std::string unfit(const column_spec& c, std::size_t depth) {
    if (c.type == column_type::infer) return "has no type yet";
    if (!c.zone_name.empty() && c.in_zone == nullptr)
        return "the rules of the time zone " + quote(c.zone_name) + " were not looked up";
    if (c.type == column_type::decimal && (c.precision > 38 || c.scale > c.precision))
        return "a decimal has at most 38 digits, and no more after the point than in all";
    if (!c.is_nested()) return {};
    if (depth == most_nested_types)
        return "at most " + std::to_string(most_nested_types) + " lists and structs are in one another";
    if (c.members.empty() || (c.type == column_type::list && c.members.size() != 1))
        return "a list has an element, a struct members";
    for (const column_spec& m : c.members)
        if (std::string why = unfit(m, depth + 1); !why.empty()) return why;
    return {};
}

/// A name as a field spells it, in quotes or bare.
std::string name_in(std::string_view text) {
    if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
    std::string out;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        if (text[i] == '\\' && i + 2 < text.size()) ++i;
        out += text[i];
    }
    return out;
}

/// NAME[:TYPE] := EXPRESSION, of which `sign` is the place of :=.
errc parse_made(std::string_view text, std::size_t sign, column_spec& out, std::string& why) {
    const auto refuse = [&](const std::string& what) {
        why = "field " + quote(text) + ": " + what;
        return errc::misuse;
    };
    column_spec c;
    std::string_view name = trim(text.substr(0, sign));
    const std::size_t colon = find_bare(name, ":");
    std::string inner;
    if (colon != std::string_view::npos && parse_type(name.substr(colon + 1), c, inner) != errc::ok) return refuse(inner);
    name = trim(name.substr(0, colon));
    if (find_bare(name, "=") != std::string_view::npos)
        return refuse("a calculated column is NAME := EXPRESSION, without another =; a name that contains = is quoted");
    c.name = name_in(name);
    if (c.name.empty()) return refuse("a calculated column has a name: spread := ask - bid");
    KUMIHIMO_TRY(calculated_column(text, sign + 2, c, why));
    out = std::move(c);
    return errc::ok;
}

}  // namespace

errc calculated_column(std::string_view text, std::size_t from, column_spec& out, std::string& why) {
    KUMIHIMO_TRY(formula::compile(text, from, out.made_of, why));
    out.path.clear();
    bool naive = false;
    if (const column_type known = out.made_of->type(naive); out.type == column_type::infer && known != column_type::infer) {
        out.type = known;
        out.naive = naive;
    }
    if (!out.made_of->list() || out.type == column_type::json || out.type == column_type::list) return errc::ok;
    why = "column " + quote(out.name) + ": " + list_is_json;
    return errc::misuse;
}

errc read_path(std::string_view text, column_spec& out, json::path& steps, std::string& why) {
    context ctx;
    std::size_t dots = 0;
    const errc e = parse_column_path(text, dots, steps, ctx);
    if (e != errc::ok) {
        why = "the path " + quote(text) + ": " + ctx.failure.what;
        if (ctx.failure.offset != failure::nowhere) why += ", at character " + std::to_string(ctx.failure.offset + 1);
        return errc::misuse;
    }
    out.path = text;
    return formula::of_path(text, dots, steps, out.made_of, why);
}

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
            case json::step::kind::from_end: out += "[-" + std::to_string(s.index) + ']'; break;
            case json::step::kind::members: out += out.empty() ? "*" : ".*"; break;
            case json::step::kind::descend: out += '.'; break;
            case json::step::kind::name: out += out.empty() ? "key" : ".~"; break;
        }
    }
    return path.empty() ? "value" : out;
}

std::size_t sign_of_calculation(std::string_view field) noexcept {
    return field.substr(0, 1) == "/" ? std::string_view::npos : find_bare(field, ":=");
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
    if (const std::size_t sign = sign_of_calculation(rest); sign != std::string_view::npos)
        return parse_made(text, sign, out, why);
    if (rest[0] != '/') {
        const std::size_t equals = find_bare(rest, "=");
        if (equals != std::string_view::npos) {
            named = true;
            given = name_in(rest.substr(0, equals));
            if (given.empty()) return refuse("there is no name before the =");
            rest.remove_prefix(equals + 1);
        }
    }
    std::string_view path = rest, type;
    bool typed = false;
    if (!rest.empty() && rest[0] == '/') {
        // A pointer has no quotes, so a colon may belong to a key: the last one counts, unless a slash follows it. A
        // zone has both.
        std::size_t colon = std::string_view::npos;
        if (rest.back() == ']') colon = std::min({rest.find(":list["), rest.find(":struct["), rest.rfind(":timestamp[")});
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
        if (find_bare(rest, "=") != std::string_view::npos)
            return refuse("there is a second =; a key that contains = is quoted, \"a=b\"");
        const std::size_t colon = find_bare(rest, ":");
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
    if (read_path(path, c, steps, inner) != errc::ok) return refuse(inner);
    if (wild(steps) &&
        !(c.type == column_type::infer ? c.only != '{' : c.type == column_type::json || c.type == column_type::list))
        return refuse(std::string(list_is_json) + ", such as list[float64], or name one element, [0]");
    if (c.made_of && c.made_of->list() && c.type == column_type::infer && c.only == 0) c.type = column_type::json;
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
    for (column_spec& c : fields) {
        json::path steps;
        if (!c.made_of && read_path(c.path, c, steps, why) != errc::ok) return errc::misuse;
        const bool list = c.made_of ? c.made_of->list() : wild(steps);
        if (list && c.type == column_type::infer) c.type = column_type::json;
        if (c.type == column_type::infer) {
            why = "column " + quote(c.name) + " has no type yet: give one, " + quote(with_type(c, "string")) +
                  ", or let a sample decide";
            return errc::misuse;
        }
        if (list && !c.verbatim && c.type != column_type::json && c.type != column_type::list) {
            why = "column " + quote(c.name) + ": " + list_is_json;
            return errc::misuse;
        }
        if (const std::string reason = unfit(c, 0); !reason.empty()) {
            why = "column " + quote(c.name) + ": " + reason;
            return errc::misuse;
        }
        if (rows == nullptr && is_of_element(c)) {
            why = needs_rows(c);
            return errc::misuse;
        }
        names.push_back(c.name);
        if (c.made_of) {
            s->where_.push_back(c.made_of->inputs()[0].printed);
            before.push_back("$");
            continue;
        }
        s->where_.push_back(json::print(steps));
        any_wild = any_wild || list;
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
    lay_out(fields, printed, s->made_);
    for (std::size_t i = 0; i < fields.size(); ++i)  // without the dots of an element
        if (!fields[i].made_of && fields[i].path[0] == '.') printed[i] = s->where_[i];
    if (rows != nullptr) s->made_.clear();
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
    for (const column_spec& c : s->columns_) {
        s->wants_.push_back(wanted(c));
        s->say_wants(c, c.name);
    }
    out = std::move(s);
    return errc::ok;
}

// By their places: the columns do not move any more.
void schema::say_wants(const column_spec& c, const std::string& name) {
    for (const column_spec& m : c.members) {
        std::string within = name;
        if (c.type == column_type::list)
            within += "[*]";
        else
            add_key(within, m.name);
        column_spec named = m;
        named.name = within;
        wants_inside_[&m] = wanted(named);
        say_wants(m, within);
    }
}

const char* schema::wants(const column_spec& inside) const noexcept {
    const auto found = wants_inside_.find(&inside);
    return found != wants_inside_.end() ? found->second.c_str() : "";
}

errc schema::with(std::size_t field, const column_spec& becomes, std::shared_ptr<const schema>& out, std::string& why) const {
    std::vector<column_spec> fields(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(fields_));
    fields[field] = becomes;
    return make(std::move(fields), provenance(), out, why, others_, rows_ ? &rows_->of : nullptr);
}

namespace {

// What had no value yet takes any.
void settle(column_spec& c) {
    c.unseen = false;
    for (column_spec& m : c.members) settle(m);
}

}  // namespace

errc schema::fixed(std::shared_ptr<const schema>& out, std::string& why) const {
    std::vector<column_spec> fields(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(fields_));
    for (column_spec& c : fields) settle(c);
    return make(std::move(fields), provenance(), out, why, others_ == beyond::ignored ? others_ : beyond::kept,
                rows_ ? &rows_->of : nullptr);
}

const json::projection& schema::of_document() const noexcept { return rows_ ? rows_->wanted : *paths_; }

bool schema::same(const schema& other) const noexcept {
    const auto alike = [](const column_spec& a, const column_spec& b) {
        return a.name == b.name && same_value(a, b) && same_type(a, b) && a.meaning().unseen == b.meaning().unseen;
    };
    return fields_ == other.fields_ && others_ == other.others_ &&
           std::equal(columns_.begin(), columns_.end(), other.columns_.begin(), other.columns_.end(), alike);
}

}  // namespace kumihimo::inline v0::extract
