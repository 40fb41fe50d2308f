// A condition's text becomes nodes.
#include "extract/condition.hpp"

#include <algorithm>
#include <utility>

#include "engine/json/path.hpp"
#include "extract/condition_parser.hpp"

namespace kumihimo::inline v0::extract {

bool condition_parser::run() {
    if (!is_text("the condition")) return false;
    skip();
    if (ended()) return refuse("a condition is missing, such as price > 5"), false;
    to_.root_ = disjunction(0);
    if (ok_ && at_ != s_.size()) behind();
    if (ok_) compile_paths();
    if (!ok_) return false;
    for (condition::term& t : to_.terms_)
        if (t.type == condition::term::kind::number) t.number = exact_number(t.text);
    return true;
}

// What cannot follow a whole condition.
void condition_parser::behind() {
    const char c = s_[at_];
    if (c == ')') return refuse("there is a ) without its (");
    if (c == '&' || c == '|') return refuse(c == '&' ? "write and" : "write or");
    if (c == '%' || c == '^') return refuse("there are + - * / to calculate with");
    if (c == '=' || s_.substr(at_).starts_with("!=") || c == '<' || c == '>')
        return refuse("two comparisons are joined by and: a < b and b < c");
    refuse("and, or or the end is expected here");
}

std::uint32_t condition_parser::joined(std::size_t depth, node::kind type, std::string_view by,
                                       std::uint32_t (condition_parser::*part)(std::size_t)) {
    node all;
    all.type = type;
    all.parts.push_back((this->*part)(depth));
    while (ok_ && take_word(by)) all.parts.push_back((this->*part)(depth));
    return all.parts.size() == 1 ? all.parts[0] : put(std::move(all));
}
std::uint32_t condition_parser::part(std::size_t depth) {
    if (!ok_) return 0;
    if (too_deep(depth)) return 0;
    if (at_ < s_.size() && s_[at_] == '!' && !s_.substr(at_).starts_with("!=")) return refuse("write not"), 0;
    if (take_word("not")) {
        node n;
        n.type = node::kind::negation;
        n.parts.push_back(part(depth + 1));
        return put(std::move(n));
    }
    if (at_ < s_.size() && s_[at_] == '(' && !encloses_operand()) {
        const std::size_t from = at_;
        take("(");
        const std::uint32_t inside = disjunction(depth + 1);
        if (ok_ && !take(")")) at_ == s_.size() ? refuse_at(from, "a ( is not closed") : behind();
        return inside;
    }
    return test();
}

// Whether the parenthesis at hand is (part of) what is compared: behind one around a condition no such sign or word
// stands.
bool condition_parser::encloses_operand() const {
    std::size_t depth = 0, i = at_;
    bool begins = true;  // a value may: then / begins a pointer, in which quotes and [ are signs like others
    const auto quoted_until = [&](char quote) {
        for (++i; i < s_.size() && s_[i] != quote; ++i) i += quote == '"' && s_[i] == '\\';
    };
    for (; i < s_.size(); ++i) {
        const char c = s_[i];
        if (blank(c)) continue;
        if (c == '/' && begins) {
            while (i + 1 < s_.size() && !blank(s_[i + 1]) &&
                   std::string_view("()=<>!,").find(s_[i + 1]) == std::string_view::npos)
                ++i;
            begins = false;
        } else if (c == '"' || c == '\'') {
            quoted_until(c);
            begins = false;
        } else if (c == '[') {
            for (; i < s_.size() && s_[i] != ']'; ++i)
                if (s_[i] == '"' || s_[i] == '\'') quoted_until(s_[i]);
            begins = false;
        } else if (name_byte(c)) {
            const std::size_t from = i;
            while (i + 1 < s_.size() && name_byte(s_[i + 1])) ++i;
            begins = is_condition_word(s_.substr(from, i + 1 - from));
        } else if (c == ')') {
            begins = false;
            if (--depth == 0) break;
        } else {
            depth += c == '(';
            begins = true;
        }
    }
    if (i >= s_.size()) return false;
    while (++i < s_.size() && blank(s_[i])) {
    }
    const std::string_view rest = s_.substr(std::min(i, s_.size()));
    if (rest.empty()) return false;
    if (std::string_view("+-*/<>=").find(rest[0]) != std::string_view::npos || rest.starts_with("!=")) return true;
    std::size_t n = 0;
    while (n < rest.size() && name_byte(rest[n])) ++n;
    for (const std::string_view w : {"is", "in", "not", "like", "matches"})
        if (alike(rest.substr(0, n), w)) return true;
    return false;
}

std::uint32_t condition_parser::test() {
    const std::size_t from = at_;
    node n;
    if (take_word("exists")) {
        const bool enclosed = take("(");
        const std::size_t there = at_;
        term t;
        if (!path_of(t)) return 0;
        if (t.as != value_as::as_it_is) return refuse_at(there, "whether a value exists does not depend on its type"), 0;
        if (enclosed && !take(")")) return refuse_at(there, "a ) is missing behind this path"), 0;
        n.type = node::kind::exists;
        n.left = put(std::move(t));
        return put(std::move(n));
    }
    term left;
    if (!operand(left)) return 0;
    const bool many = left.many != term::of::one;
    const bool constant = left.is_constant();
    n.left = put(std::move(left));
    const std::size_t there = at_;
    if (comparison(n.by)) {
        n.type = node::kind::comparison;
        const std::size_t right_at = at_;
        if (alike(word(), "null"))
            return refuse_at(right_at, std::string("nothing is compared with null: write is ") +
                                           (n.by == condition::order::unequal ? "not null" : "null")),
                   0;
        term right;
        if (!operand(right)) return 0;
        if (many && right.many != term::of::one) return refuse_at(right_at, "one side of a comparison is a single value"), 0;
        if (constant && right.is_constant()) return refuse_at(from, "neither side of this comparison is a path"), 0;
        n.right = put(std::move(right));
        const bool ordered = n.by != condition::order::equal && n.by != condition::order::unequal;
        if (ordered && (kinds_of(to_.terms_[n.left]) == kinds::boolean || kinds_of(to_.terms_[n.right]) == kinds::boolean))
            return refuse_at(there, "true and false have no order: compare with == and !="), 0;
        const sides at{from, right_at};
        return take_times(at, n.left, n.right) && comparable(at, n.left, n.right) ? put(std::move(n)) : 0;
    }
    if (constant) return refuse_at(from, "a comparison is missing behind this value"), 0;
    if (take_word("is")) {
        n.type = node::kind::is_null;
        n.negated = take_word("not");
        if (!take_word("null")) return refuse("is stands before null or not null; values are compared with =="), 0;
        return put(std::move(n));
    }
    n.negated = take_word("not");
    if (take_word("in")) return among(std::move(n), from);
    if (to_.terms_[n.left].clock != condition::none) return refuse_at(from, "a time is compared, or one of a list"), 0;
    if (take_word("like")) return pattern(std::move(n), from, true);
    if (take_word("matches")) return pattern(std::move(n), from, false);
    if (n.negated) return refuse("in, like or matches is expected behind not"), 0;
    if ((kinds_of(to_.terms_[n.left]) & kinds::boolean) == 0)
        return refuse_at(from, "a comparison is missing behind this value"), 0;
    n.type = node::kind::flag;
    return put(std::move(n));
}

bool condition_parser::comparison(condition::order& out) {
    constexpr std::pair<std::string_view, condition::order> all[] = {
        {"==", condition::order::equal},   {"!=", condition::order::unequal},  {"<>", condition::order::unequal},
        {"<=", condition::order::at_most}, {">=", condition::order::at_least}, {"<", condition::order::less},
        {">", condition::order::more},     {"=", condition::order::equal},
    };
    for (const auto& [sign, order] : all) {
        if (!take(sign)) continue;
        out = order;
        return true;
    }
    return false;
}

std::uint32_t condition_parser::among(node n, std::size_t left_at) {
    n.type = node::kind::among;
    const std::size_t from = at_;
    if (!take("(")) return refuse("a list is expected here: in (1, 2)"), 0;
    std::vector<std::size_t> places;
    do {
        const std::size_t there = at_;
        if (alike(word(), "null")) return refuse("nothing is compared with null: add or ... is null"), 0;
        term t;
        if (!operand(t)) return 0;
        if (!t.is_constant()) return refuse_at(there, "lists are of values, not of paths"), 0;
        if (!n.parts.empty() && t.type != to_.terms_[n.parts[0]].type)
            return refuse_at(there, "the values of a list are of one kind: all numbers, all texts, or all times"), 0;
        n.parts.push_back(put(std::move(t)));
        places.push_back(there);
    } while (take(","));
    if (!take(")"))
        return at_ == s_.size() ? refuse_at(from, "this list is not closed") : refuse("a , or a ) is expected here"), 0;
    return take_list(left_at, n, places) ? put(std::move(n)) : 0;
}

std::uint32_t condition_parser::pattern(node n, std::size_t left_at, bool like) {
    n.type = node::kind::matches;
    n.like = like;
    const term& left = to_.terms_[n.left];
    if (const kinds::set are = kinds_of(left); (are & kinds::text) == 0) {
        std::string why = "this is " + kinds::name(are) + ", and " + (like ? "like" : "matches") + " is of texts";
        if (left.type == term::kind::path)
            why += "; write :string";
        else if ((are & kinds::container) == 0)
            why += "; concat(...) makes one of it";
        return refuse_at(left_at, why), 0;
    }
    const std::size_t from = at_;
    term t;
    if (at_ == s_.size() || (s_[at_] != '"' && s_[at_] != '\''))
        return refuse(like ? "a pattern in quotes is expected here: like 'btc%'"
                           : "a regular expression in quotes is expected here: matches '^btc'"),
               0;
    if (!quoted(t.text)) return 0;
    regular_expression made;
    std::string inner;
    std::size_t at = 0;
    const errc e =
        like ? regular_expression::compile_like(t.text, made, inner, at) : regular_expression::compile(t.text, made, inner, at);
    if (e != errc::ok) {
        // Where nothing was escaped, the place in the pattern is one in the condition.
        const bool same = s_.substr(from + 1, t.text.size()) == t.text;
        if (!same) inner += ", at character " + std::to_string(at + 1) + " of it";
        return refuse_at(same ? from + 1 + at : from, inner), 0;
    }
    n.right = static_cast<std::uint32_t>(to_.patterns_.size());
    to_.patterns_.push_back(std::move(made));
    return put(std::move(n));
}

errc condition::compile(std::string_view text, std::shared_ptr<const condition>& out, std::string& why,
                        std::span<const column_spec> columns) {
    std::shared_ptr<condition> made(new condition);
    made->text_ = text;
    if (!condition_parser(*made, why, columns).run()) return errc::misuse;
    made->read_times();
    out = std::move(made);
    return errc::ok;
}

void condition::read_times() {
    zone::stretch fresh;
    for (term& t : terms_)
        if (t.type == term::kind::text && t.clock != none) {
            fresh = {};
            static_cast<void>(moment_of_text(t.text, clocks_[t.clock], fresh, t.when));  // compile() has looked at it
        }
}

std::shared_ptr<const condition> condition::in_zone(const std::shared_ptr<const zone>& rules) const {
    std::shared_ptr<condition> made(new condition(*this));
    for (column_spec& c : made->clocks_)
        if (c.zone_name == rules->name()) c.in_zone = rules;
    for (term& t : made->terms_)
        if (t.type == term::kind::number) t.number = exact_number(t.text);  // its digits are the term's own
    made->read_times();
    return made;
}

bool condition::looks_at(std::size_t dots) const noexcept {
    return std::any_of(paths_.begin(), paths_.end(), [&](const path& p) { return p.dots == dots; });
}
bool condition::wants_key(std::size_t dots) const noexcept {
    return std::any_of(paths_.begin(), paths_.end(), [&](const path& p) { return p.dots == dots && p.key; });
}

}  // namespace kumihimo::inline v0::extract
