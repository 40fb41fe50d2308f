#include "extract/formula.hpp"

#include <algorithm>
#include <utility>

#include "extract/row_plan.hpp"

namespace kumihimo::inline v0::extract {
namespace {

// Head and tail of a path's steps. `lists`: what has a [*] goes through the tail, too.
bool take_apart(std::string_view text, const json::path& steps, bool lists, formula::input& out, const char*& why) {
    if (!steps.empty() && steps[0].type == json::step::kind::name) {
        out.key = true;
        if (out.dots == 0) return why = "a document has no key; .~ is the key of a row's element", false;
        return true;
    }
    const std::size_t n = path_tail::head_of(steps, lists);
    const auto from = steps.begin() + static_cast<std::ptrdiff_t>(n);
    // Printed, a pointer's number would be a key alone.
    out.head = text.starts_with('/') ? std::string(text) : json::print(json::path(steps.begin(), from));
    return path_tail::make({from, steps.end()}, out.tail, why);
}

}  // namespace

class formula_parser : private expression_text {
public:
    formula_parser(formula& to, std::string_view what, std::string_view text, std::size_t from, std::string& why)
        : expression_text(what, text, why, from), to_(to) {}

    bool run() {
        if (!is_text("the expression")) return false;
        skip();
        if (ended()) return refuse("an expression is missing, such as ask - bid"), false;
        to_.expression_ = s_.substr(at_, s_.find_last_not_of(" \t\n\r") + 1 - at_);
        to_.root_ = sum(0);
        if (ok_ && !ended()) behind();
        if (ok_ && to_.inputs_.empty()) refuse_at(s_.size(), "there is no path in this expression");
        return ok_;
    }

    // In a condition, which goes on behind it.
    bool run(std::size_t& end) {
        in_condition_ = true;
        const std::size_t from = at_;
        to_.root_ = sum(0);
        to_.expression_ = s_.substr(from, s_.find_last_not_of(" \t\n\r", at_ - 1) + 1 - from);
        end = at_;
        return ok_;
    }

private:
    using node = formula::node;
    static constexpr std::size_t most_parts = 1000;  // so evaluating it does not go deeper either

    // `from`: where it begins in the text.
    std::uint32_t put(node n, std::size_t from, kinds::set may_be) {
        if (to_.nodes_.size() == most_parts) refuse("the expression has more than " + std::to_string(most_parts) + " parts");
        n.may_be = may_be;
        to_.nodes_.push_back(std::move(n));
        starts_.push_back(from);
        return static_cast<std::uint32_t>(to_.nodes_.size() - 1);
    }
    std::uint32_t put_arithmetic(node::kind type, std::initializer_list<std::uint32_t> parts, std::size_t from) {
        node n;
        n.type = type;
        n.parts = parts;
        for (const std::uint32_t p : parts) require(p, kinds::number, "not a number to calculate with", ":decimal");
        return put(std::move(n), from, kinds::number);
    }

    // A part that can be none of `wanted` is refused: its values would all be errors. `cast` is what makes a path's
    // values such ones.
    void require(std::uint32_t part, kinds::set wanted, const std::string& which, const std::string& cast = {}) {
        if (!ok_ || (to_.nodes_[part].may_be & wanted) != 0) return;
        const node& n = to_.nodes_[part];
        std::string why = "this is ";
        why += n.type == node::kind::strptime ? "a time" : kinds::name(n.may_be);
        why += ", and " + which;
        if (n.type == node::kind::path && to_.inputs_[n.input].tail.many())
            why += "; name one of them, as in list[0]";
        else if (n.type == node::kind::path && !cast.empty())
            why += "; write " + cast;
        refuse_at(starts_[part], why);
    }

    void behind() {
        const char c = s_[at_];
        if (c == ')') return refuse("there is a ) without its (");
        if (in_condition_ && (c == '<' || c == '>' || c == '=' || c == '!'))
            return refuse("two comparisons are joined by and: a < b and b < c");
        if (c == ':' && !in_condition_)
            return refuse("the type of a calculated column stands behind its name: spread:float64 := ask - bid");
        if (c == '%' || c == '^') return refuse("there are + - * / to calculate with");
        refuse("an operator (+ - * /) or the end is expected here; a key that has a sign in it is quoted, [\"a b\"]");
    }

    std::uint32_t sum(std::size_t depth) {
        const std::size_t from = at_;
        std::uint32_t left = product(depth);
        while (ok_ && !ended() && (s_[at_] == '+' || s_[at_] == '-')) {
            const bool plus = s_[at_] == '+';
            take(plus ? "+" : "-");
            left = put_arithmetic(plus ? node::kind::add : node::kind::subtract, {left, product(depth)}, from);
        }
        return left;
    }
    std::uint32_t product(std::size_t depth) {
        const std::size_t from = at_;
        std::uint32_t left = with_sign(depth);
        while (ok_ && !ended() && (s_[at_] == '*' || s_[at_] == '/')) {
            const bool times = s_[at_] == '*';
            take(times ? "*" : "/");
            left = put_arithmetic(times ? node::kind::multiply : node::kind::divide, {left, with_sign(depth)}, from);
        }
        return left;
    }
    std::uint32_t with_sign(std::size_t depth) {
        if (too_deep(depth)) return 0;
        const std::size_t from = at_;
        if (!take("-")) return one(depth);
        return put_arithmetic(node::kind::negate, {with_sign(depth + 1)}, from);
    }

    std::uint32_t one(std::size_t depth) {
        if (!ok_) return 0;
        if (ended()) return refuse(wanted), 0;
        const char c = s_[at_];
        const std::size_t from = at_;
        if (c == '(') {
            take("(");
            const std::uint32_t inside = sum(depth + 1);
            if (ok_ && !take(")")) ended() ? refuse_at(from, "a ( is not closed") : behind();
            return inside;
        }
        node n;
        if (c == '"' || c == '\'') {
            n.type = node::kind::text;
            return quoted(n.text) ? put(std::move(n), from, kinds::text) : 0;
        }
        if (digit(c)) {
            n.type = node::kind::number;
            if (!number(n.text)) return 0;
            if (exact_decimal::read(n.text, n.number) != errc::ok)
                return refuse_at(from, "the number has more than 38 digits, or an exponent beyond a million"), 0;
            return put(std::move(n), from, kinds::number);
        }
        if (take_boolean(n.boolean)) {
            n.type = node::kind::boolean;
            return put(std::move(n), from, kinds::boolean);
        }
        const std::string_view w = word();
        if (in_condition_ && is_condition_word(w)) return refuse_word(w), 0;
        if (!w.empty() && s_.substr(at_ + w.size()).starts_with("(")) return function(w, depth);
        if (!begins_path(c)) return refuse(wanted), 0;
        return value();
    }

    std::uint32_t value() {
        const std::size_t from = at_;
        found_path p;
        if (!path(p)) return 0;
        formula::input in;
        in.text = p.text;
        in.printed = p.printed;
        in.dots = p.dots;
        in.as = p.as;
        if (const char* why = ""; !take_apart(p.text, p.steps, true, in, why)) return refuse_at(from, why), 0;
        if (in.tail.many() && in.as != value_as::as_it_is)
            return refuse_at(from, "a list of values is taken as it is, without :decimal and :string"), 0;
        const kinds::set may_be = in.tail.many() ? kinds::container : kinds::of(in.as);
        node n;
        for (n.input = 0; n.input < to_.inputs_.size(); ++n.input) {
            const formula::input& known = to_.inputs_[n.input];
            if (known.printed == in.printed && known.dots == in.dots && known.as == in.as)
                return put(std::move(n), from, may_be);
        }
        to_.inputs_.push_back(std::move(in));
        return put(std::move(n), from, may_be);
    }

    std::uint32_t function(std::string_view name, std::size_t depth) {
        constexpr std::pair<std::string_view, node::kind> all[] = {{"coalesce", node::kind::coalesce},
                                                                   {"concat", node::kind::concat},
                                                                   {"length", node::kind::length},
                                                                   {"strptime", node::kind::strptime}};
        const auto* const known =
            std::find_if(std::begin(all), std::end(all), [&](const auto& f) { return alike(name, f.first); });
        if (in_condition_ && alike(name, "time"))
            return refuse("a time is not calculated with; it stands alone on its side of a comparison"), 0;
        if (known == std::end(all))
            return refuse("there is no function of this name; there are coalesce, concat, length and strptime"), 0;
        const std::size_t from = at_;
        at_ += name.size();
        take("(");
        node n;
        n.type = known->second;
        do {
            if (n.type == node::kind::strptime && n.parts.size() == 1) {
                const std::size_t there = at_;
                std::string why;
                if (ended() || (s_[at_] != '"' && s_[at_] != '\''))
                    return refuse("a format in quotes is expected here: strptime(date, \"%d/%b/%Y\")"), 0;
                if (!quoted(n.text)) return 0;
                if (time_format::compile(n.text, n.format, why) != errc::ok) return refuse_at(there, why), 0;
                break;
            }
            n.parts.push_back(sum(depth + 1));
        } while (ok_ && take(","));
        if (!ok_) return 0;
        if (!take(")"))
            return ended() ? refuse_at(from, "the ( of this function is not closed") : refuse("a , or a ) is expected here"), 0;
        if (n.type == node::kind::length && n.parts.size() != 1) return refuse_at(from, "length is of one value"), 0;
        if (n.type == node::kind::strptime && n.text.empty())
            return refuse_at(from, "strptime takes a text and its form: strptime(date, \"%d/%b/%Y\")"), 0;
        const kinds::set may_be = result_of(n);
        return put(std::move(n), from, may_be);
    }

    // What a function gives, after a look at what it takes.
    kinds::set result_of(const node& n) {
        switch (n.type) {
            case node::kind::length:
                require(n.parts[0], kinds::text | kinds::container, "length is of texts, arrays and objects", ":string");
                return kinds::number;
            case node::kind::strptime: require(n.parts[0], kinds::text | kinds::number, "strptime reads texts"); break;
            case node::kind::concat:
                for (const std::uint32_t p : n.parts)
                    require(p, kinds::any ^ kinds::container, "concat joins texts, numbers, true and false");
                break;
            default: return first_value_of(n.parts);
        }
        return kinds::text;
    }
    // A constant is never null, so what stands behind it does not count.
    kinds::set first_value_of(const std::vector<std::uint32_t>& parts) const {
        kinds::set all = 0;
        for (const std::uint32_t p : parts) {
            const node& n = to_.nodes_[p];
            all |= n.may_be;
            if (n.type == node::kind::number || n.type == node::kind::text || n.type == node::kind::boolean) break;
        }
        return all;
    }

    formula& to_;
    std::vector<std::size_t> starts_;  // of the nodes
    bool in_condition_ = false;
};

errc formula::compile(std::string_view text, std::size_t from, std::shared_ptr<const formula>& out, std::string& why) {
    std::shared_ptr<formula> made(new formula);
    if (!formula_parser(*made, "field", text, from, why).run()) return errc::misuse;
    out = std::move(made);
    return errc::ok;
}

errc formula::compile_operand(std::string_view what, std::string_view text, std::size_t& at,
                              std::shared_ptr<const formula>& out, std::string& why) {
    std::shared_ptr<formula> made(new formula);
    if (!formula_parser(*made, what, text, at, why).run(at)) return errc::misuse;
    out = std::move(made);
    return errc::ok;
}

errc formula::of_path(std::string_view text, std::size_t dots, const json::path& steps, std::shared_ptr<const formula>& out,
                      std::string& why) {
    out.reset();
    const bool plain = std::all_of(steps.begin(), steps.end(), [](const json::step& s) { return json::is_compiled(s.type); });
    if (plain) return errc::ok;
    std::shared_ptr<formula> made(new formula);
    input& in = made->inputs_.emplace_back();
    in.text = text;
    in.printed = json::print(steps);
    in.dots = dots;
    const char* what = "";
    if (!take_apart(text, steps, false, in, what)) {
        why = "the path \"" + std::string(text) + "\": " + what;
        return errc::misuse;
    }
    made->nodes_.emplace_back().input = 0;
    out = std::move(made);
    return errc::ok;
}

bool formula::list() const noexcept {
    const node& n = nodes_[root_];
    return n.type == node::kind::path && inputs_[n.input].tail.many();
}

column_type formula::type(bool& naive) const noexcept {
    const node& n = nodes_[root_];
    naive = false;
    switch (n.type) {
        case node::kind::concat: return column_type::string;
        case node::kind::length: return column_type::int64;
        case node::kind::strptime: naive = !n.format.zoned(); return column_type::timestamp;
        default: return list() ? column_type::json : column_type::infer;
    }
}

}  // namespace kumihimo::inline v0::extract
