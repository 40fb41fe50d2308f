// What a condition says of the values that were found (judge_look.cpp).
#include "extract/judge.hpp"

#include "engine/json/locate.hpp"
#include "extract/digits.hpp"
#include "extract/sample_of.hpp"
#include "extract/text_of_json.hpp"

namespace kumihimo::inline v0::extract {
namespace {

bool in_order(condition::order by, int sign) noexcept {
    switch (by) {
        case condition::order::equal: return sign == 0;
        case condition::order::unequal: return sign != 0;
        case condition::order::less: return sign < 0;
        case condition::order::at_most: return sign <= 0;
        case condition::order::more: return sign > 0;
        case condition::order::at_least: return sign >= 0;
    }
    return false;
}

}  // namespace

errc judge::decide(bool& holds, context& ctx) {
    forget();
    code_ = errc::ok;
    calculating_ = false;
    holds = node(of_->root()) == truth::yes;
    if (code_ == errc::ok) [[likely]]
        return errc::ok;
    const bool first = ctx.failure.code == errc::ok;
    ctx.fail(code_, fault_->offset,
             calculating_           ? "a value cannot be calculated with as the condition does"
             : code_ == errc::type  ? "a value is of another kind than the condition compares it with"
             : code_ == errc::range ? "a number or a time that the condition compares has no order"
                                    : "a text that the condition looks at has half a surrogate pair");
    if (first) {
        if (binary_ == nullptr && !of_->judges_rows()) {  // of rows, who walks them counts on from the one before
            const json::place at = json::locate(document_, fault_->offset);
            ctx.failure.line = at.line;
            ctx.failure.column = at.column;
        }
        ctx.failure.path = of_->paths()[failed_].printed;
    }
    return code_;
}

std::string judge::explanation() const { return failed_ == condition::none ? std::string() : why_; }

judge::kind judge::kind_of(std::string_view json) noexcept {
    if (json.empty()) return kind::nothing;
    switch (json[0]) {
        case 'n': return kind::nothing;
        case 't':
        case 'f': return kind::boolean;
        case '"': return kind::text;
        case '[': return kind::array;
        case '{': return kind::object;
        default: return kind::number;
    }
}

judge::truth judge::opposite(truth t, bool if_so) noexcept {
    if (!if_so || t == truth::unknown) return t;
    return t == truth::yes ? truth::no : truth::yes;
}

judge::truth judge::node(std::uint32_t i) {
    const condition::node& n = of_->at(i);
    switch (n.type) {
        case condition::node::kind::conjunction:
        case condition::node::kind::disjunction: {
            const truth ends = n.type == condition::node::kind::conjunction ? truth::no : truth::yes;
            truth all = opposite(ends);
            for (const std::uint32_t part : n.parts) {
                const truth one = node(part);
                if (code_ != errc::ok) return truth::unknown;
                if (one == ends) return ends;
                if (one == truth::unknown) all = one;
            }
            return all;
        }
        case condition::node::kind::negation: return opposite(node(n.parts[0]));
        case condition::node::kind::exists: return exists(of_->operand(n.left).path);
        default: break;
    }
    const condition::term& left = of_->operand(n.left);
    if (left.many != condition::term::of::one) return over(n, left, false);
    if (n.type != condition::node::kind::comparison) return test(n, single(left), nullptr);
    const condition::term& right = of_->operand(n.right);
    if (right.many != condition::term::of::one) return over(n, right, true);
    const found* const one = single(left);  // of two that fail the first is told
    if (code_ != errc::ok) return truth::unknown;
    return test(n, one, single(right));
}

judge::truth judge::exists(std::uint32_t path) const noexcept {
    for (std::uint32_t i = 0; i < of_path_[path].count; ++i)
        if (!of(path)[i].json.empty()) return truth::yes;
    return truth::no;
}

// any and all: as a chain of or, or of and, over the elements. Without an array it is unknown.
judge::truth judge::over(const condition::node& n, const condition::term& t, bool on_the_right) {
    const slots s = of_path_[t.path];
    if (const std::uint32_t list = of_->paths()[t.path].list; list == condition::none) {
        if (!s.list) return truth::unknown;
    } else if (of_path_[list].count == 0 || kind_of(of(list)->json) != kind::array) {
        return truth::unknown;
    }
    const truth ends = t.many == condition::term::of::any ? truth::yes : truth::no;
    truth all = opposite(ends);
    for (std::uint32_t i = 0; i < s.count; ++i) {
        const found* const at = of(t.path) + i;
        truth one = truth::unknown;
        if (on_the_right)
            one = test(n, single(of_->operand(n.left)), at);
        else
            one = test(n, at, n.type == condition::node::kind::comparison ? single(of_->operand(n.right)) : nullptr);
        if (code_ != errc::ok) return truth::unknown;
        if (one == ends) return ends;
        if (one == truth::unknown) all = one;
    }
    return all;
}

// What an expression comes to for the document or row at hand. An input that lies where it lay before is not given
// again.
const judge::found* judge::calculated(const condition::term& t) {
    expression& e = expressions_[t.made];
    if (e.known) return &e.is;
    const std::vector<std::uint32_t>& paths = of_->all_calculated()[t.made].paths;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const std::size_t dots = of_->paths()[paths[i]].dots;
        const std::uint64_t element = dots == 0 ? 1 : sides_[dots].serial;
        if (!e.by.has(i, element)) e.by.give(i, of(paths[i])->json, element);
    }
    const errc said = e.by.run();
    const std::uint32_t input = said == errc::ok ? e.by.origin() : e.by.failed_input();
    e.origin = paths[input == formula::none ? 0 : input];
    e.is = {e.by.json(), of(e.origin)->offset};
    if (said == errc::ok) {
        e.known = true;
        return &e.is;
    }
    value v;
    v.path = e.origin;
    v.at = &e.is;
    calculating_ = true;
    fail(said, v, "the condition cannot calculate \"" + t.text + "\": " + e.by.explanation());
    return nullptr;
}

// A side, its text or number taken apart.
bool judge::read(const condition::term& t, const found* at, std::string& room, exact_number& number, value& out) {
    if (t.is_constant()) {
        out.text = t.text;
        out.boolean = t.boolean;
        out.number = &t.number;
        out.when = t.when;
        out.type = t.type == condition::term::kind::number ? kind::number
                   : t.type != condition::term::kind::text ? kind::boolean
                   : t.clock != condition::none            ? kind::time
                                                           : kind::text;
        return true;
    }
    out.of = &t;
    out.path = t.type == condition::term::kind::made ? expressions_[t.made].origin : t.path;
    out.at = at;
    out.type = kind_of(at->json);
    if (t.as == value_as::text && (out.type == kind::number || out.type == kind::boolean)) {
        out.type = kind::text;
        out.text = at->json;
        return true;
    }
    if (out.type == kind::boolean) out.boolean = at->json[0] == 't';
    if (t.as == value_as::number && out.type != kind::nothing && out.type != kind::number && out.type != kind::text)
        return no_number(out);
    if (out.type == kind::number) {
        out.text = at->json;
        if (t.clock != condition::none) return read_time(t, out);
        number = exact_number(at->json);
        out.number = &number;
        return fits(out);
    }
    if (out.type != kind::text) return true;
    if (!plain_text(inside_of(at->json), room, out.text)) {
        fail(errc::encoding, out, "the condition cannot read " + name_of(out) + ": the text has half a surrogate pair");
        return false;
    }
    if (t.clock != condition::none) return read_time(t, out);
    if (t.as != value_as::number) return true;
    if (is_json_number(out.text)) {
        out.type = kind::number;
        number = exact_number(out.text);
        out.number = &number;
        return fits(out);
    }
    return no_number(out);
}

// A text or a number that is taken for a time.
bool judge::read_time(const condition::term& t, value& out) {
    const column_spec& as = of_->clock(t.clock);
    errc e = errc::ok;
    if (out.type == kind::text)
        e = moment_of_text(out.text, as, stretches_[t.clock], out.when);
    else if (as.format != nullptr || as.naive)
        e = errc::type;
    else
        e = moment_of_number(out.text, as, out.when);
    if (e == errc::ok) {
        out.type = kind::time;
        return true;
    }
    fail(e, out,
         "the condition takes " + name_of(out) + " for a time" +
             (as.format != nullptr ? " of the form " + as.format->text() : std::string()) + ", but here it is " +
             sample_of(out.at->json));
    return false;
}

// Whether the order of a number is known.
bool judge::fits(const value& v) {
    if (v.number->comparable()) [[likely]]
        return true;
    fail(errc::range, v, "the condition cannot compare " + name_of(v) + ": its exponent has more than 18 digits");
    return false;
}

judge::truth judge::test(const condition::node& n, const found* left, const found* right) {
    if (code_ != errc::ok) return truth::unknown;
    const condition::term& t = of_->operand(n.left);
    if (n.type == condition::node::kind::is_null) {
        return opposite(kind_of(left->json) == kind::nothing ? truth::yes : truth::no, n.negated);
    }
    value a;
    exact_number first;
    if (!read(t, left, left_, first, a)) return truth::unknown;
    if (n.type == condition::node::kind::comparison) {
        value b;
        exact_number second;
        if (!read(of_->operand(n.right), right, right_, second, b)) return truth::unknown;
        return a.type == kind::nothing || b.type == kind::nothing ? truth::unknown : compare(n, a, b);
    }
    if (a.type == kind::nothing) return truth::unknown;
    if (n.type == condition::node::kind::among) return opposite(among(n, a), n.negated);
    if (n.type == condition::node::kind::flag)
        return a.type != kind::boolean ? refuse(n, a) : a.boolean ? truth::yes : truth::no;
    if (a.type != kind::text) return refuse(n, a);
    return opposite(searches_[n.right].found_in(a.text) ? truth::yes : truth::no, n.negated);
}

judge::truth judge::compare(const condition::node& n, const value& a, const value& b) {
    const bool ordered = n.by != condition::order::equal && n.by != condition::order::unequal;
    int sign = 0;
    if (a.type == kind::number && b.type == kind::number)
        sign = extract::compare(*a.number, *b.number);
    else if (a.type == kind::text && b.type == kind::text)
        sign = a.text.compare(b.text);  // bytes of UTF-8 have the order of code points
    else if (a.type == kind::boolean && b.type == kind::boolean && !ordered)
        sign = a.boolean != b.boolean;
    else if (a.type == kind::time && b.type == kind::time && a.when.zoned == b.when.zoned)
        sign = a.when.nanoseconds < b.when.nanoseconds ? -1 : a.when.nanoseconds > b.when.nanoseconds;
    else
        return refuse(n, a.at != nullptr ? a : b, a.at != nullptr ? &b : &a);
    return in_order(n.by, sign) ? truth::yes : truth::no;
}

// All values of a list are of one kind.
judge::truth judge::among(const condition::node& n, const value& v) {
    for (const std::uint32_t part : n.parts) {
        const condition::term& t = of_->operand(part);
        value one;
        std::string unused;
        exact_number none;
        read(t, nullptr, unused, none, one);
        if (one.type != v.type || v.when.zoned != one.when.zoned) return refuse(n, v, &one);
        const bool same = v.type == kind::number ? extract::compare(*v.number, *one.number) == 0
                          : v.type == kind::time ? v.when.nanoseconds == one.when.nanoseconds
                          : v.type == kind::text ? v.text == one.text
                                                 : v.boolean == one.boolean;
        if (same) return truth::yes;
    }
    return truth::no;
}

// ------------------------------------------------------------------------------------------------------------------- refusing

namespace {

constexpr const char* kind_names[] = {"null", "true or false", "a number", "text", "an array", "an object", "a time"};
constexpr const char* clock_names[] = {"a time without a zone", "a time with a zone"};

}  // namespace

std::string judge::name_of(const value& v) const {
    return '"' + (v.of->type == condition::term::kind::made ? v.of->text : of_->paths()[v.path].text) + '"';
}

judge::truth judge::fail(errc code, const value& v, std::string why) {
    code_ = code;
    failed_ = v.path;
    fault_ = v.at;
    why_ = std::move(why);
    return truth::unknown;
}

bool judge::no_number(const value& v) {
    fail(errc::type, v,
         "the condition takes " + name_of(v) + " for a number, but here it is " + kind_names[static_cast<std::size_t>(v.type)] +
             ", " + sample_of(v.at->json));
    return false;
}

judge::truth judge::refuse(const condition::node& n, const value& v, const value* other) {
    const auto kind_of_value = [](const value& one) {
        return one.type == kind::time ? clock_names[one.when.zoned] : kind_names[static_cast<std::size_t>(one.type)];
    };
    const auto shown = [&](const value& one) { return std::string(kind_of_value(one)) + ", " + sample_of(one.at->json); };
    std::string why = "the condition ";
    if (n.type == condition::node::kind::flag)
        why += "takes " + name_of(v) + " for true or false";
    else if (n.type == condition::node::kind::matches)
        why += "looks for a pattern in " + name_of(v);
    else if (other->at != nullptr)
        return fail(errc::type, v,
                    why + "compares " + name_of(v) + " with " + name_of(*other) + ", but here they are " + shown(v) + ", and " +
                        shown(*other));
    else
        why += "compares " + name_of(v) + " with " + kind_of_value(*other);
    return fail(errc::type, v, why + ", but here it is " + shown(v));
}

}  // namespace kumihimo::inline v0::extract
