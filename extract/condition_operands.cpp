// What a condition compares: values, paths, what is calculated of them, and times.
#include <algorithm>
#include <utility>

#include "engine/json/path.hpp"
#include "extract/calculation.hpp"
#include "extract/condition_parser.hpp"
#include "extract/made_column.hpp"
#include "extract/row_plan.hpp"
#include "extract/text_of_json.hpp"

namespace kumihimo::inline v0::extract {

namespace {

constexpr const char* several = "a path with [*], * or .. leads to several values: write any(...) or all(...)";

}  // namespace

bool condition_parser::operand(term& out) {
    if (!ok_) return false;
    if (ended()) return refuse(wanted), false;
    if (begins_expression()) return calculated(out);
    const std::size_t from = at_;
    const std::size_t paths = to_.paths_.size();
    if (!simple(out)) return false;
    if (!sign_ahead()) return true;
    // It is the first part of an expression.
    at_ = from;
    to_.paths_.resize(paths);
    out = {};
    return calculated(out);
}

// A function, a parenthesis or a sign; whatever else stands first is looked at as if it stood alone.
bool condition_parser::begins_expression() const {
    const char c = s_[at_];
    if (c == '(') return true;
    const char next = at_ + 1 < s_.size() ? s_[at_ + 1] : ' ';
    if (c == '-') return !digit(next) && next != '.';
    const std::string_view w = word();
    return !w.empty() && s_.substr(at_ + w.size()).starts_with("(") && !alike(w, "time") && !is_condition_word(w);
}

bool condition_parser::simple(term& out) {
    const char c = s_[at_];
    if (c == '"' || c == '\'') {
        out.type = term::kind::text;
        return quoted(out.text);
    }
    const bool pointed = c == '.' && at_ + 1 < s_.size() && digit(s_[at_ + 1]);
    if (digit(c) || c == '-' || c == '+' || pointed) {
        const std::size_t from = at_;
        out.type = term::kind::number;
        if (!number(out.text)) return false;
        if (!exact_number(out.text).comparable()) return refuse_at(from, "the exponent has more than 18 digits"), false;
        return true;
    }
    if (take_boolean(out.boolean)) {
        out.type = term::kind::boolean;
        return true;
    }
    const std::string_view w = word();
    for (const bool any : {true, false}) {
        const std::size_t from = at_;
        if (!alike(w, any ? "any" : "all")) continue;
        at_ += 3;
        skip();
        if (!take("("))
            return refuse_at(from, "any and all stand before a path in parentheses: any(trades[*].price) > 5"), false;
        const std::size_t there = at_;
        if (!path_or_time(out)) return false;
        if (sign_ahead()) return refuse("any and all are of a path alone; what is calculated is one value"), false;
        if (out.type != term::kind::path || !to_.paths_[out.path].wild)
            return refuse_at(there, "any and all are of a path with [*], trades[*].price, with * or with .."), false;
        out.many = any ? term::of::any : term::of::all;
        if (!take(")")) return refuse("a ) is expected here"), false;
        return true;
    }
    if (is_condition_word(w)) return refuse_word(w), false;
    if (!begins_path(c)) return refuse(wanted), false;
    const std::size_t from = at_;
    if (!path_or_time(out)) return false;
    if (out.type == term::kind::path && to_.paths_[out.path].wild && !in_time_ && !sign_ahead())
        return refuse_at(from, several), false;
    return true;
}

// ---- what is calculated

bool condition_parser::calculated(term& out) {
    if (!ok_) return false;
    const std::size_t from = at_;
    std::shared_ptr<const formula> made;
    if (formula::compile_operand(what_, s_, at_, made, why_) != errc::ok) return ok_ = false;
    if (made->inputs().empty()) return constant(*made, from, out);
    if (made->plain()) {  // a path in parentheses
        const std::size_t end = std::exchange(at_, from);
        while (take("(")) {
        }
        if (!path_of(out)) return false;
        if (to_.paths_[out.path].wild) return refuse_at(from, several), false;
        at_ = end;
        return true;
    }
    out.type = term::kind::made;
    out.text = made->expression();
    read_as_time(*made, out);
    condition::calculated& c = to_.calculated_.emplace_back();
    for (const formula::input& in : made->inputs()) {
        condition::path p;
        p.steps = in.head;
        p.dots = in.dots;
        p.key = in.key;
        p.read = true;
        p.text = in.tail.empty() ? in.text : in.head;
        p.printed = in.tail.empty() ? in.printed : in.head;
        c.paths.push_back(known(p));
    }
    c.by = std::move(made);
    out.made = static_cast<std::uint32_t>(to_.calculated_.size() - 1);
    return true;
}

// strptime gives times, which are compared with times.
void condition_parser::read_as_time(const formula& of, term& out) {
    column_spec as;
    if (of.type(as.naive) != column_type::timestamp) return;
    as.type = column_type::timestamp;
    out.clock = put(std::move(as));
}

// An expression without a path is what it comes to.
bool condition_parser::constant(const formula& of, std::size_t from, term& out) {
    calculation c(of);
    if (c.run() != errc::ok) return refuse_at(from, c.explanation()), false;
    const std::string_view json = c.json();
    out.text = json;
    switch (json.empty() ? 'n' : json[0]) {
        case 'n': return refuse_at(from, "there is no value in this expression"), false;
        case 't':
        case 'f':
            out.type = term::kind::boolean;
            out.boolean = json[0] == 't';
            return true;
        case '"': {
            std::string room;
            std::string_view text;
            static_cast<void>(plain_text(inside_of(json), room, text));  // it was made here, of whole characters
            out.type = term::kind::text;
            out.text = text;
            read_as_time(of, out);
            if (zone::stretch fresh; out.clock != condition::none)
                static_cast<void>(moment_of_text(out.text, to_.clocks_[out.clock], fresh, out.when));  // strptime wrote it
            return true;
        }
        default: out.type = term::kind::number; return true;
    }
}

// ---- times

bool condition_parser::path_or_time(term& out) {
    const std::size_t from = at_;
    if (!take_word("time")) return path_of(out);
    if (ended() || s_[at_] != '(') {
        at_ = from;
        return path_of(out);
    }
    take("(");
    const std::size_t there = at_;
    constexpr const char* no_value = "this is a time already, or several values; a time is read from one value";
    if (std::exchange(in_time_, true)) return refuse_at(from, no_value), false;
    const bool read = operand(out);
    in_time_ = false;
    if (!read) return false;
    if (out.is_constant()) return refuse_at(there, "a path is expected here"), false;
    if (out.many != term::of::one || out.clock != condition::none) return refuse_at(there, no_value), false;
    if (out.as != value_as::as_it_is) return refuse_at(there, "a time is read from the value as it is"), false;
    const column_spec* const column = out.type == term::kind::path ? column_of(out) : nullptr;
    column_spec as = column != nullptr ? *column : column_spec();
    if (take(",")) {
        const std::size_t form_at = at_;
        std::string form, why;
        time_format made;
        if (ended() || (s_[at_] != '"' && s_[at_] != '\''))
            return refuse("a format in quotes is expected here: time(at, \"%d/%b/%Y\")"), false;
        if (!quoted(form)) return false;
        if (time_format::compile(form, made, why) != errc::ok) return refuse_at(form_at, why), false;
        as = {};
        as.format = std::make_shared<const time_format>(std::move(made));
    }
    const kinds::set are = kinds_of(out);
    if (as.format != nullptr && (are & kinds::text) == 0)
        return refuse_at(there, "this is " + kinds::name(are) + ", and times of a form are texts"), false;
    if ((are & (kinds::text | kinds::number)) == 0)
        return refuse_at(there, "this is " + kinds::name(are) + ", and a time is read from a text or a number"), false;
    if (!take(")")) return refuse("a ) is expected here"), false;
    out.clock = put(std::move(as));
    return true;
}

// ---- paths

bool condition_parser::path_of(term& out) {
    const std::size_t from = at_;
    found_path found;
    if (!path(found)) return false;
    condition::path p;
    p.text = found.text;
    p.dots = found.dots;
    p.printed = found.printed;
    p.read = true;
    p.wild = path_tail::many(found.steps);
    p.key = !found.steps.empty() && found.steps[0].type == json::step::kind::name;
    if (p.key && p.dots == 0) return refuse_at(from, "a document has no key; .~ is the key of a row's element"), false;
    out.type = term::kind::path;
    out.as = found.as;
    const std::size_t n = p.key ? 0 : path_tail::head_of(found.steps, false);
    const json::path head(found.steps.begin(), found.steps.begin() + static_cast<std::ptrdiff_t>(n));
    p.steps = json::print(head);
    if (n == found.steps.size()) p.steps = p.dots != 0 || found.text[0] != '/' ? p.steps : std::string(found.text);
    if (const char* why = ""; !p.key && !path_tail::make(std::span(found.steps).subspan(n), p.tail, why))
        return refuse_at(from, why), false;
    const bool listed = p.wild && p.tail.empty();
    out.path = known(p);
    if (!listed) return true;
    // Its array, of which is asked whether there is one.
    const auto each =
        std::find_if(head.begin(), head.end(), [](const json::step& t) { return t.type == json::step::kind::each; });
    condition::path array;
    array.dots = p.dots;
    array.text = array.steps = array.printed = json::print(json::path(head.begin(), each));
    const std::uint32_t number = known(array);
    to_.paths_[out.path].list = number;
    return true;
}
// The number of a path; one that has the same steps is the same.
std::uint32_t condition_parser::known(const condition::path& p) {
    for (std::size_t i = 0; i < to_.paths_.size(); ++i) {
        condition::path& had = to_.paths_[i];
        if (had.dots != p.dots || had.printed != p.printed || had.steps != p.steps) continue;
        had.read = had.read || p.read;
        return static_cast<std::uint32_t>(i);
    }
    to_.paths_.push_back(p);
    return static_cast<std::uint32_t>(to_.paths_.size() - 1);
}

void condition_parser::compile_paths() {
    std::size_t most = 0;
    for (const condition::path& p : to_.paths_) most = std::max(most, p.dots);
    to_.projections_.resize(most + 1);
    for (std::size_t dots = 0; dots <= most; ++dots) {
        std::vector<std::string_view> texts;
        for (condition::path& p : to_.paths_) {
            if (p.dots != dots || p.key) continue;
            p.place = static_cast<std::uint32_t>(texts.size());
            texts.push_back(p.steps);
        }
        context ctx;
        if (texts.empty() || json::projection::compile(texts, to_.projections_[dots], ctx) == errc::ok) continue;
        ok_ = false;
        why_ = "where: the paths cannot be compiled: " + std::string(ctx.failure.what);
    }
}

}  // namespace kumihimo::inline v0::extract
