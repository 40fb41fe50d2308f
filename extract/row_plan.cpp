#include "extract/row_plan.hpp"

#include <algorithm>

#include "engine/core/context.hpp"
#include "engine/core/path_text.hpp"
#include "extract/formula.hpp"
#include "extract/spelling.hpp"

namespace kumihimo::inline v0::extract {
namespace {

bool is_each(const json::step& s) noexcept { return s.type == json::step::kind::each; }
bool is_row(const json::step& s) noexcept { return is_each(s) || s.type == json::step::kind::members; }

// A step's text reads back as the same step, but for a pointer's digits: those are of the document alone, and keep
// their text.
errc compile(const std::vector<std::string>& texts, json::projection& out, std::string& why,
             std::span<const std::uint32_t> openings = {}) {
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    context ctx;
    const errc e = json::projection::compile(views, out, ctx, openings);
    if (e == errc::ok) return e;
    why = "the paths cannot be compiled: " + std::string(ctx.failure.what);
    if (!ctx.failure.path.empty()) why += " (" + ctx.failure.path + ')';
    return e == errc::memory ? e : errc::misuse;
}

}  // namespace

errc parse_rows(std::string_view text, row_path& out, std::string& why) {
    const auto refuse = [&](const std::string& what) {
        why = "rows " + quote(text) + ": " + what;
        return errc::misuse;
    };
    constexpr const char* wanted =
        "write the path of arrays or objects whose elements are to be rows, such as trades[*], a[*].b[*] or pairs.*";
    if (text.empty()) return refuse(wanted);
    if (text[0] == '/') return refuse("a JSON Pointer has no [*]; write the path with dots, trades[*]");
    json::path steps;
    context ctx;
    if (json::parse(text, steps, ctx, json::path_steps::all) != errc::ok) {
        std::string what = ctx.failure.what;
        if (ctx.failure.offset != failure::nowhere) what += ", at character " + std::to_string(ctx.failure.offset + 1);
        return refuse(what);
    }
    if (steps.empty() || !is_row(steps.back()))
        return refuse(std::string("it does not end in [*] or *; ") + wanted + "; what lies further in is a field, .price");
    row_path made;
    made.text = text;
    made.outer = out.outer;
    made.arrays.emplace_back();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!is_row(steps[i])) {
            if (!json::is_compiled(steps[i].type))
                return refuse("the way to its arrays is of names, [3], [*] and *, for a row has to know how deep it lies");
            made.arrays.back().push_back(std::move(steps[i]));
            continue;
        }
        made.members.push_back(steps[i].type == json::step::kind::members);
        if (i + 1 != steps.size()) made.arrays.emplace_back();
    }
    if (made.levels() > row_path::most)
        return refuse("it has more than " + std::to_string(row_path::most) + " arrays inside of one another");
    out = std::move(made);
    return errc::ok;
}

errc parse_column_path(std::string_view text, std::size_t& dots, json::path& steps, context& ctx) {
    dots = std::min(text.find_first_not_of('.'), text.size());
    const std::string_view behind = text.substr(dots);
    if (dots != 0 && !behind.empty() && (behind[0] == '/' || behind[0] == '$')) {
        // A name may begin so, behind a dot.
        const std::size_t end = std::min(behind.find_first_of(".[]\""), behind.size());
        std::string quoted = "[\"";
        for (const char c : behind.substr(0, end)) quoted += c == '\\' ? std::string("\\\\") : std::string(1, c);
        ((quoted += "\"]") += behind.substr(end));
        return json::parse(quoted, steps, ctx, json::path_steps::all);
    }
    const errc e = json::parse(behind, steps, ctx, json::path_steps::all);
    if (e != errc::ok && ctx.failure.offset != failure::nowhere) ctx.failure.offset += dots;
    return e;
}

std::string needs_rows(const column_spec& c) {
    std::string_view path = c.path;
    if (c.made_of)
        for (const formula::input& in : c.made_of->inputs())
            if (in.dots != 0) path = in.text;
    return "column " + quote(c.name) + ": the path " + quote(path) +
           " is of an array's element, and so needs rows (--rows), such as trades[*]";
}

errc row_plan::make(std::span<const column_spec> fields, row_path of, bool whole, std::shared_ptr<const row_plan>& out,
                    std::string& why) {
    auto made = std::make_shared<row_plan>();
    const std::size_t rows = of.levels();
    made->whole = whole;
    made->levels.resize(rows + 1);
    std::vector<std::vector<std::string>> paths(rows + 1), lists(rows + 1);
    std::vector<std::string> wanted{json::print(of.arrays[0])};
    for (std::size_t k = 0; k < rows; ++k) {
        made->levels[k].array = true;
        paths[k].push_back(json::print(of.arrays[k]));
        lists[k].push_back(paths[k].back());
    }
    const auto too_far = [&](const column_spec& f, std::string_view path, std::size_t dots) {
        if (dots <= rows) return false;
        why = "column " + quote(f.name) + ": " + quote(path) + " begins with " + std::to_string(dots) +
              " dots, but there is no array so far around the elements of " + quote(of.text) +
              "; fields of the document begin with $";
        return true;
    };
    for (std::size_t i = 0; i < fields.size() && !whole; ++i) {
        std::size_t dots = 0;
        json::path steps;
        context ctx;
        if (fields[i].made_of) continue;
        if (parse_column_path(fields[i].path, dots, steps, ctx) != errc::ok) {
            why = "the path " + quote(fields[i].path) + ": " + ctx.failure.what;
            return errc::misuse;
        }
        if (too_far(fields[i], fields[i].path, dots)) return errc::misuse;
        const std::size_t k = made->level_of(dots);
        level& l = made->levels[k];
        l.fields.push_back(static_cast<std::uint32_t>(i));
        paths[k].push_back(k == 0 ? fields[i].path : json::print(steps));
        if (k == 0) wanted.push_back(fields[i].path);
        const auto each = std::find_if(steps.begin(), steps.end(), is_each);
        l.wild = l.wild || each != steps.end();
        steps.erase(each, steps.end());
        lists[k].push_back(json::print(steps));
    }
    for (level& l : made->levels) l.owners = l.fields;
    for (std::size_t i = 0; i < fields.size() && !whole; ++i) {
        if (!fields[i].made_of) continue;
        row_plan::made& m = made->calculated.emplace_back();
        m.field = static_cast<std::uint32_t>(i);
        for (const formula::input& in : fields[i].made_of->inputs()) {
            if (too_far(fields[i], in.text, in.dots)) return errc::misuse;
            const std::size_t k = made->level_of(in.dots);
            if (in.key) {
                if (!of.members[k - 1]) {
                    why = "column " + quote(fields[i].name) + ": " + quote(in.text) +
                          " is the key of a member, but the rows of " + quote(of.text) +
                          " are elements of an array there; --source has their numbers";
                    return errc::misuse;
                }
                m.inputs.push_back({k, 0, true});
                continue;
            }
            m.inputs.push_back({k, paths[k].size(), false});
            made->levels[k].owners.push_back(m.field);
            paths[k].push_back(in.head);
            if (k == 0) wanted.push_back(in.head);
        }
    }
    for (std::size_t k = 0; k <= rows; ++k) {
        level& l = made->levels[k];
        // Of the document's array the beginning is enough: where it ends is seen when its elements are walked.
        constexpr std::uint32_t array[] = {0};
        KUMIHIMO_TRY(compile(paths[k], l.paths, why, std::span<const std::uint32_t>(array, k == 0 ? 1 : 0)));
        if (l.wild) KUMIHIMO_TRY(compile(lists[k], l.lists, why));
    }
    KUMIHIMO_TRY(compile(wanted, made->wanted, why));
    made->of = std::move(of);
    out = std::move(made);
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
