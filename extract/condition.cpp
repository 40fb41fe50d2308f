// A condition's text becomes nodes: recursive descent, one rule of the grammar a function.
#include "extract/condition.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/json/path.hpp"
#include "engine/json/string.hpp"
#include "engine/scalar/utf8.hpp"
#include "extract/digits.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t most_depth = 200;  // parentheses and nots in one another

constexpr bool blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool name_byte(char c) noexcept {
    return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '@' ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool alike(std::string_view word, std::string_view lower) noexcept {
    return word.size() == lower.size() && std::equal(word.begin(), word.end(), lower.begin(), [](char a, char b) {
               return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b;
           });
}

constexpr std::array<std::string_view, 13> words = {"and", "or",      "not",    "is",  "null", "in",   "like",
                                                    "any", "matches", "exists", "all", "true", "false"};

// The mistake with its line and a mark below it.
std::string shown(std::string_view text, std::size_t at, const std::string& what) {
    const auto characters = [](std::string_view s) {
        return static_cast<std::size_t>(
            std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
    };
    at = std::min(at, text.size());
    const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    const std::size_t from = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = text.substr(from, text.find('\n', at) - from);
    const std::size_t column = characters(text.substr(from, at - from)) + 1;
    std::string out = "where at ";
    if (const auto breaks = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'); breaks != 0)
        out += "line " + std::to_string(breaks + 1) + ", ";
    out += "column " + std::to_string(column) + ": " + what + "\n  ";
    for (const char c : line) out += c == '\t' || c == '\r' ? ' ' : c;
    return out + "\n  " + std::string(column - 1, ' ') + '^';
}

}  // namespace

class condition_parser {
public:
    condition_parser(condition& to, std::string& why) : to_(to), s_(to.text_), why_(why) {}

    bool run() {
        if (const std::size_t good = scalar::utf8_valid_prefix(s_.data(), s_.size()); good != s_.size()) {
            why_ = "where: the condition is not valid UTF-8, at byte " + std::to_string(good);
            return false;
        }
        skip();
        if (at_ == s_.size()) return refuse("a condition is missing, such as price > 5"), false;
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

    void refuse(const std::string& what) { refuse_at(at_, what); }
    void refuse_at(std::size_t at, const std::string& what) {
        if (!ok_) return;
        ok_ = false;
        why_ = shown(s_, at, what);
    }

    // ---- what stands there

    void skip() {
        while (at_ < s_.size() && blank(s_[at_])) ++at_;
    }
    // The word at hand, empty where there is none; a name of a key goes on with a point or a bracket.
    std::string_view word() const {
        std::size_t i = at_;
        while (i < s_.size() && name_byte(s_[i])) ++i;
        if (i < s_.size() && (s_[i] == '.' || s_[i] == '[')) return {};
        return s_.substr(at_, i - at_);
    }
    bool take_word(std::string_view lower) {
        if (!alike(word(), lower)) return false;
        at_ += lower.size();
        skip();
        return true;
    }
    bool take(std::string_view sign) {
        if (!s_.substr(at_).starts_with(sign)) return false;
        at_ += sign.size();
        skip();
        return true;
    }
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
        if (depth == most_depth) return refuse("conditions lie more than " + std::to_string(most_depth) + " deep"), 0;
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
            if (!path(t)) return 0;
            if (t.taken != term::as::it_is) return refuse_at(there, "whether a value exists does not depend on its type"), 0;
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
        if (!quoted(t)) return 0;
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
        const char* const wanted = "a path or a value is expected here";
        if (at_ == s_.size()) return refuse(wanted), false;
        const char c = s_[at_];
        if (c == '"' || c == '\'') return quoted(out);
        const bool pointed = c == '.' && at_ + 1 < s_.size() && digit(s_[at_ + 1]);
        if (digit(c) || c == '-' || c == '+' || pointed) return number(out);
        const std::string_view w = word();
        if (alike(w, "true") || alike(w, "false")) {
            out.type = term::kind::boolean;
            out.boolean = w.size() == 4;
            at_ += w.size();
            skip();
            return true;
        }
        for (const bool any : {true, false}) {
            const std::size_t from = at_;
            if (!alike(w, any ? "any" : "all")) continue;
            at_ += 3;
            skip();
            if (!take("("))
                return refuse_at(from, "any and all stand before a path in parentheses: any(trades[*].price) > 5"), false;
            const std::size_t there = at_;
            if (!path(out)) return false;
            if (!to_.paths_[out.path].wild)
                return refuse_at(there, "any and all are of a path with [*], trades[*].price"), false;
            out.many = any ? term::of::any : term::of::all;
            if (!take(")")) return refuse("a ) is expected here"), false;
            return true;
        }
        if (std::any_of(words.begin(), words.end(), [&](std::string_view k) { return alike(w, k); }))
            return refuse(std::string(wanted) + ", not the word " + std::string(w) + "; a key of that name is quoted, [\"" +
                          std::string(w) + "\"]"),
                   false;
        if (c != '/' && c != '.' && c != '[' && !name_byte(c)) return refuse(wanted), false;
        const std::size_t from = at_;
        if (!path(out)) return false;
        if (to_.paths_[out.path].wild)
            return refuse_at(from, "a path with [*] leads to several values: write any(...) or all(...)"), false;
        return true;
    }

    bool number(term& out) {
        const std::size_t from = at_;
        if (s_[at_] == '+') return refuse("a number is written without +"), false;
        while (at_ < s_.size() &&
               (digit(s_[at_]) || s_[at_] == '.' || s_[at_] == '-' || s_[at_] == '+' || s_[at_] == 'e' || s_[at_] == 'E')) {
            // A sign stands in front or behind an e.
            if ((s_[at_] == '-' || s_[at_] == '+') && at_ != from && (s_[at_ - 1] | 0x20) != 'e') break;
            ++at_;
        }
        out.text = s_.substr(from, at_ - from);
        out.type = term::kind::number;
        if (!is_json_number(out.text) || (at_ < s_.size() && name_byte(s_[at_])))
            return refuse_at(
                       from,
                       "a number is written as in JSON: 5, -0.5, 1e3; a key that begins with a digit is quoted, [\"5a\"]"),
                   false;
        if (!exact_number(out.text).comparable()) return refuse_at(from, "the exponent has more than 18 digits"), false;
        skip();
        return true;
    }

    bool quoted(term& out) {
        const std::size_t from = at_;
        const char quote = s_[at_++];
        out.type = term::kind::text;
        out.text.clear();
        if (quote == '\'') {
            for (;; ++at_) {
                if (at_ == s_.size()) return refuse_at(from, "a text is not closed"), false;
                if (s_[at_] != '\'') {
                    out.text += s_[at_];
                } else if (s_.substr(at_ + 1).starts_with("'")) {
                    out.text += s_[at_++];
                } else {
                    break;
                }
            }
        } else {
            std::size_t close = at_;
            while (close < s_.size() && s_[close] != '"') close += s_[close] == '\\' ? 2 : 1;
            if (close >= s_.size()) return refuse_at(from, "a text is not closed"), false;
            const std::string_view inside = s_.substr(at_, close - at_);
            out.text.resize(inside.size() + json::unescape_slack);
            const char* const e = inside.data() + inside.size();
            const json::unescaped u = json::unescape(inside.data(), e, e, out.text.data(), json::half_pair::refuse);
            if (u.end == nullptr)
                return refuse_at(from, "an escape in this text is not JSON's; in '...' a text is taken as it stands"), false;
            out.text.resize(static_cast<std::size_t>(u.end - out.text.data()));
            at_ = close;
        }
        ++at_;
        if (at_ < s_.size() && (s_[at_] == '.' || s_[at_] == '['))
            return refuse_at(from, "a text has no members; a path that begins with a quoted key is [\"key\"].b"), false;
        skip();
        return true;
    }

    // From `at_` to where a path ends, which json::parse() then reads.
    std::size_t path_end() const {
        std::size_t i = at_;
        if (s_[i] == '/') {
            while (i < s_.size() && !blank(s_[i]) && std::string_view("()=<>!,").find(s_[i]) == std::string_view::npos) ++i;
            // It has no quotes, so a colon may belong to a key, but where what ends it is a type's name, as with fields.
            const std::string_view pointer = s_.substr(at_, i - at_);
            for (const std::string_view type : {":decimal", ":string"})
                if (pointer.ends_with(type)) return i - type.size();
            return i;
        }
        const auto behind_quotes = [&](std::size_t q) {
            const char quote = s_[q];
            for (++q; q < s_.size() && s_[q] != quote; ++q) q += s_[q] == '\\';
            return std::min(q + 1, s_.size());
        };
        while (i < s_.size()) {
            if (s_[i] == '[') {
                while (i < s_.size() && s_[i] != ']') i = s_[i] == '"' || s_[i] == '\'' ? behind_quotes(i) : i + 1;
                i = std::min(i + 1, s_.size());
            } else if (s_[i] == '.') {
                ++i;
                if (i < s_.size() && s_[i] == '"') i = behind_quotes(i);
            } else if (name_byte(s_[i])) {
                ++i;
            } else {
                break;
            }
        }
        return i;
    }

    bool path(term& out) {
        const char first = at_ == s_.size() ? ' ' : s_[at_];
        if (digit(first) || (first != '/' && first != '.' && first != '[' && !name_byte(first)))
            return refuse("a path is expected here"), false;
        const std::size_t from = at_;
        const std::string_view text = s_.substr(from, path_end() - from);
        condition::path p;
        p.text = text;
        p.of_row = text[0] == '.';
        p.read = true;
        p.steps = p.of_row ? text.substr(1) : text;
        json::path parsed;
        context ctx;
        if (json::parse(p.steps, parsed, ctx) != errc::ok) {
            const std::size_t inside = ctx.failure.offset == failure::nowhere ? 0 : ctx.failure.offset;
            return refuse_at(from + p.of_row + inside, ctx.failure.what), false;
        }
        p.printed = json::print(parsed);
        const auto each =
            std::find_if(parsed.begin(), parsed.end(), [](const json::step& t) { return t.type == json::step::kind::each; });
        p.wild = each != parsed.end();
        const json::path list(parsed.begin(), each);
        out.type = term::kind::path;
        out.path = known(p, std::move(parsed));
        if (p.wild) {
            condition::path array;
            array.of_row = p.of_row;
            array.text = array.steps = array.printed = json::print(list);
            const std::uint32_t number = known(array, list);
            to_.paths_[out.path].list = number;
        }
        at_ = from + text.size();
        if (at_ < s_.size() && s_[at_] == ':') {
            const std::size_t colon = at_++;
            const std::string_view type = word();
            out.taken = type == "decimal" ? term::as::number : term::as::text;
            if (type != "decimal" && type != "string")
                return refuse_at(colon,
                                 "values are taken as they are, as :decimal or as :string; a key with : is quoted, [\"a:b\"]"),
                       false;
            at_ += type.size();
        }
        skip();
        return true;
    }
    // The number of a path; one that has the same steps is the same.
    std::uint32_t known(const condition::path& p, json::path steps) {
        for (std::size_t i = 0; i < steps_.size(); ++i)
            if (to_.paths_[i].of_row == p.of_row && steps_[i] == steps) {
                to_.paths_[i].read = to_.paths_[i].read || p.read;
                return static_cast<std::uint32_t>(i);
            }
        to_.paths_.push_back(p);
        steps_.push_back(std::move(steps));
        return static_cast<std::uint32_t>(steps_.size() - 1);
    }

    void compile_paths() {
        for (const bool row : {false, true}) {
            std::vector<std::string_view> texts;
            for (condition::path& p : to_.paths_) {
                if (p.of_row != row) continue;
                p.place = static_cast<std::uint32_t>(texts.size());
                texts.push_back(p.steps);
            }
            context ctx;
            if (texts.empty() || json::projection::compile(texts, row ? to_.of_row_ : to_.of_document_, ctx) == errc::ok)
                continue;
            ok_ = false;
            why_ = "where: the paths cannot be compiled: " + std::string(ctx.failure.what);
        }
    }

    condition& to_;
    std::string_view s_;
    std::string& why_;
    std::vector<json::path> steps_;  // of the paths, by number
    std::size_t at_ = 0;
    bool ok_ = true;
};

errc condition::compile(std::string_view text, std::shared_ptr<const condition>& out, std::string& why) {
    std::shared_ptr<condition> made(new condition);
    made->text_ = text;
    if (!condition_parser(*made, why).run()) return errc::misuse;
    out = std::move(made);
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
