// A condition's text becomes nodes: recursive descent, one rule of the grammar a function.
#include "extract/condition.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/json/path.hpp"
#include "extract/made_column.hpp"
#include "extract/row_plan.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::array<std::string_view, 13> words = {"and", "or",      "not",    "is",  "null", "in",   "like",
                                                    "any", "matches", "exists", "all", "true", "false"};

}  // namespace

class condition_parser : private expression_text {
public:
    condition_parser(condition& to, std::string& why, std::span<const column_spec> columns)
        : expression_text("where", to.text_, why), to_(to), columns_(columns) {}

    bool run() {
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

private:
    using node = condition::node;
    using term = condition::term;

    std::uint32_t put(node n) {
        to_.nodes_.push_back(std::move(n));
        return static_cast<std::uint32_t>(to_.nodes_.size() - 1);
    }
    std::uint32_t put(term t) {
        to_.terms_.push_back(std::move(t));
        return static_cast<std::uint32_t>(to_.terms_.size() - 1);
    }

    // What cannot follow a whole condition.
    void behind() {
        const char c = s_[at_];
        if (c == ')') return refuse("there is a ) without its (");
        if (c == '&' || c == '|') return refuse(c == '&' ? "write and" : "write or");
        if (c == '-' || c == '+' || c == '*' || c == '/' || c == '%')
            return refuse("conditions do not calculate; a key that has a sign in it is quoted, [\"a-b\"]");
        if (c == '=' || s_.substr(at_).starts_with("!=") || c == '<' || c == '>')
            return refuse("two comparisons are joined by and: a < b and b < c");
        refuse("and, or or the end is expected here");
    }

    // ---- the grammar

    std::uint32_t joined(std::size_t depth, node::kind type, std::string_view by,
                         std::uint32_t (condition_parser::*part)(std::size_t)) {
        node all;
        all.type = type;
        all.parts.push_back((this->*part)(depth));
        while (ok_ && take_word(by)) all.parts.push_back((this->*part)(depth));
        return all.parts.size() == 1 ? all.parts[0] : put(std::move(all));
    }
    std::uint32_t disjunction(std::size_t depth) {
        return joined(depth, node::kind::disjunction, "or", &condition_parser::conjunction);
    }
    std::uint32_t conjunction(std::size_t depth) {
        return joined(depth, node::kind::conjunction, "and", &condition_parser::part);
    }

    std::uint32_t part(std::size_t depth) {
        if (!ok_) return 0;
        if (too_deep(depth)) return 0;
        if (at_ < s_.size() && s_[at_] == '!' && !s_.substr(at_).starts_with("!=")) return refuse("write not"), 0;
        if (take_word("not")) {
            node n;
            n.type = node::kind::negation;
            n.parts.push_back(part(depth + 1));
            return put(std::move(n));
        }
        if (at_ < s_.size() && s_[at_] == '(') {
            const std::size_t from = at_;
            take("(");
            const std::uint32_t inside = disjunction(depth + 1);
            if (ok_ && !take(")")) at_ == s_.size() ? refuse_at(from, "a ( is not closed") : behind();
            return inside;
        }
        return test();
    }

    std::uint32_t test() {
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
        const bool of_path = left.type == term::kind::path;
        const term::kind type = left.type;
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
            if (many && right.many != term::of::one)
                return refuse_at(right_at, "one side of a comparison is a single value"), 0;
            if (!of_path && right.type != term::kind::path)
                return refuse_at(from, "neither side of this comparison is a path"), 0;
            const bool ordered = n.by != condition::order::equal && n.by != condition::order::unequal;
            if (ordered && (type == term::kind::boolean || right.type == term::kind::boolean))
                return refuse_at(there, "true and false have no order: compare with == and !="), 0;
            n.right = put(std::move(right));
            if (!take_numbers(from, n.left, right_at, n.right) || !take_times(from, n.left, right_at, n.right)) return 0;
            return put(std::move(n));
        }
        if (!of_path) return refuse_at(from, "a comparison is missing behind this value"), 0;
        if (take_word("is")) {
            n.type = node::kind::is_null;
            n.negated = take_word("not");
            if (!take_word("null")) return refuse("is stands before null or not null; values are compared with =="), 0;
            return put(std::move(n));
        }
        n.negated = take_word("not");
        if (take_word("in")) return among(std::move(n));
        if (to_.terms_[n.left].clock != condition::none) return refuse_at(from, "a time is compared, or one of a list"), 0;
        if (take_word("like")) return pattern(std::move(n), true);
        if (take_word("matches")) return pattern(std::move(n), false);
        if (n.negated) return refuse("in, like or matches is expected behind not"), 0;
        n.type = node::kind::flag;
        return put(std::move(n));
    }

    bool comparison(condition::order& out) {
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

    std::uint32_t among(node n) {
        n.type = node::kind::among;
        const std::size_t from = at_;
        if (!take("(")) return refuse("a list is expected here: in (1, 2)"), 0;
        do {
            const std::size_t there = at_;
            if (alike(word(), "null")) return refuse("nothing is compared with null: add or ... is null"), 0;
            term t;
            if (!operand(t)) return 0;
            if (t.type == term::kind::path) return refuse_at(there, "lists are of values, not of paths"), 0;
            if (!n.parts.empty() && t.type != to_.terms_[n.parts[0]].type)
                return refuse_at(there, "the values of a list are of one kind: all numbers, or all texts"), 0;
            n.parts.push_back(put(std::move(t)));
            if (!take_numbers(from, n.left, there, n.parts.back()) || !take_times(from, n.left, there, n.parts.back()))
                return 0;
        } while (take(","));
        if (!take(")"))
            return at_ == s_.size() ? refuse_at(from, "this list is not closed") : refuse("a , or a ) is expected here"), 0;
        return put(std::move(n));
    }

    std::uint32_t pattern(node n, bool like) {
        n.type = node::kind::matches;
        n.like = like;
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
        const errc e = like ? regular_expression::compile_like(t.text, made, inner, at)
                            : regular_expression::compile(t.text, made, inner, at);
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

    // ---- operands

    bool operand(term& out) {
        if (!ok_) return false;
        if (ended()) return refuse(wanted), false;
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
            if (!to_.paths_[out.path].wild)
                return refuse_at(there, "any and all are of a path with [*], trades[*].price, with * or with .."), false;
            out.many = any ? term::of::any : term::of::all;
            if (!take(")")) return refuse("a ) is expected here"), false;
            return true;
        }
        if (std::any_of(words.begin(), words.end(), [&](std::string_view k) { return alike(w, k); }))
            return refuse(std::string(wanted) + ", not the word " + std::string(w) + "; a key of that name is quoted, [\"" +
                          std::string(w) + "\"]"),
                   false;
        if (!begins_path(c)) return refuse(wanted), false;
        const std::size_t from = at_;
        if (!path_or_time(out)) return false;
        if (to_.paths_[out.path].wild)
            return refuse_at(from, "a path with [*], * or .. leads to several values: write any(...) or all(...)"), false;
        return true;
    }

    // ---- times

    bool path_or_time(term& out) {
        const std::size_t from = at_;
        if (!take_word("time")) return path_of(out);
        if (ended() || s_[at_] != '(') {
            at_ = from;
            return path_of(out);
        }
        take("(");
        const std::size_t there = at_;
        if (!path_of(out)) return false;
        if (out.as != value_as::as_it_is) return refuse_at(there, "a time is read from the value as it is"), false;
        column_spec as = columns_of(out) != nullptr ? *columns_of(out) : column_spec();
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
        if (!take(")")) return refuse("a ) is expected here"), false;
        out.clock = put(std::move(as));
        return true;
    }
    std::uint32_t put(column_spec as) {
        to_.clocks_.push_back(std::move(as));
        return static_cast<std::uint32_t>(to_.clocks_.size() - 1);
    }
    // The column of type timestamp that has this path.
    const column_spec* columns_of(const term& t) const {
        for (const column_spec& c : columns_) {
            std::size_t dots = 0;
            json::path steps;
            context ctx;
            if (c.type != column_type::timestamp || is_calculated(c)) continue;
            if (parse_column_path(c.path, dots, steps, ctx) == errc::ok && dots == to_.paths_[t.path].dots &&
                json::print(steps) == to_.paths_[t.path].printed)
                return &c;
        }
        return nullptr;
    }
    // A path that is taken for a number is compared with no text, and not with true or false.
    bool take_numbers(std::size_t left_at, std::uint32_t left, std::size_t right_at, std::uint32_t right) {
        const auto fits = [&](const term& number, const term& other) {
            return number.type != term::kind::path || number.as != value_as::number || other.type == term::kind::path ||
                   other.type == term::kind::number;
        };
        const term &a = to_.terms_[left], &b = to_.terms_[right];
        if (fits(a, b) && fits(b, a)) return true;
        return refuse_at(fits(a, b) ? left_at : right_at, "a path with :decimal is compared with a number"), false;
    }
    // Two sides of which one is a time: then the other is one as well.
    bool take_times(std::size_t left_at, std::uint32_t left, std::size_t right_at, std::uint32_t right) {
        term &a = to_.terms_[left], &b = to_.terms_[right];
        const auto by_column = [&](term& t, const term& other) {
            if (t.type != term::kind::path || t.clock != condition::none || t.as != value_as::as_it_is) return;
            const bool time =
                other.clock != condition::none ||
                (other.type == term::kind::path && other.as == value_as::as_it_is && columns_of(other) != nullptr);
            if (other.type != term::kind::text && !time) return;
            if (const column_spec* const c = columns_of(t)) t.clock = put(*c);
        };
        by_column(a, b);
        by_column(b, a);
        if (a.clock == condition::none && b.clock == condition::none) return true;
        const bool first = a.clock != condition::none;
        term& other = first ? b : a;
        const std::uint32_t clock = first ? a.clock : b.clock;
        const std::size_t there = first ? right_at : left_at;
        if (other.clock != condition::none) return true;
        if (other.type == term::kind::number || other.type == term::kind::boolean || other.as != value_as::as_it_is)
            return refuse_at(there, "a time is compared with a time, in quotes or of a path"), false;
        other.clock = clock;
        if (other.type == term::kind::path) return true;
        zone::stretch fresh;
        const column_spec& as = to_.clocks_[clock];
        if (moment_of_text(other.text, as, fresh, other.when) == errc::ok) {
            if (as.naive && other.when.zoned)
                return refuse_at(there, "the column keeps times without a zone, so what they are compared with has none"),
                       false;
            return true;
        }
        return refuse_at(there, as.format != nullptr
                                    ? "this is no time of the form " + as.format->text()
                                    : std::string("this is no time, such as \"2024-01-01T00:00Z\"; of a path that a column of "
                                                  "type timestamp has, texts are compared as at:string")),
               false;
    }

    // ---- paths

    bool path_of(term& out) {
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
    std::uint32_t known(const condition::path& p) {
        for (std::size_t i = 0; i < to_.paths_.size(); ++i) {
            condition::path& had = to_.paths_[i];
            if (had.dots != p.dots || had.printed != p.printed || had.steps != p.steps) continue;
            had.read = had.read || p.read;
            return static_cast<std::uint32_t>(i);
        }
        to_.paths_.push_back(p);
        return static_cast<std::uint32_t>(to_.paths_.size() - 1);
    }

    void compile_paths() {
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

    condition& to_;
    std::span<const column_spec> columns_;
};

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
