// Which kinds of values are compared with each other: a comparison whose sides have no kind in common is refused, for
// no row could decide it.
#include "extract/condition_parser.hpp"
#include "extract/made_column.hpp"
#include "extract/row_plan.hpp"
#include "extract/value_kinds.hpp"

namespace kumihimo::inline v0::extract {

// Of a side that is no time.
kinds::set condition_parser::kinds_of(const term& t) const {
    switch (t.type) {
        case term::kind::path: return kinds::of(t.as);
        case term::kind::made: return to_.calculated_[t.made].by->may_be();
        case term::kind::number: return kinds::number;
        case term::kind::text: return kinds::text;
        case term::kind::boolean: break;
    }
    return kinds::boolean;
}

// Whether both sides can be of one kind. If not, the mark stands below the side that the other one rules out.
bool condition_parser::comparable(const sides& at, std::uint32_t left, std::uint32_t right) {
    const term &a = to_.terms_[left], &b = to_.terms_[right];
    if (a.clock != condition::none) return true;  // then both are times
    const kinds::set first = kinds_of(a), second = kinds_of(b);
    if ((first & second & ~kinds::container) != 0) return true;
    for (const bool on_left : {true, false}) {
        const term& t = on_left ? a : b;
        if (t.type != term::kind::path || t.as == value_as::as_it_is) continue;
        return refuse_at(on_left ? at.right : at.left, t.as == value_as::number
                                                           ? "a path with :decimal is compared with a number"
                                                           : "a path with :string is compared with a text, in quotes"),
               false;
    }
    const bool on_left = a.type == term::kind::made;
    const kinds::set made = on_left ? first : second;
    std::string why = made == kinds::text ? "what is put together here" : "what is calculated here";
    why += " is " + kinds::name(made);
    why += made == kinds::container ? "; its values are compared by any(...) or all(...)" : ", and is compared with one";
    return refuse_at(on_left ? at.left : at.right, why), false;
}

// The column of type timestamp that has this path.
const column_spec* condition_parser::column_of(const term& t) const {
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

// Whether a time has a zone, where that is known: of a constant, by a form, or by a column's type.
std::optional<bool> condition_parser::has_zone(const term& t) const {
    const column_spec& as = to_.clocks_[t.clock];
    if (!as.zone_name.empty() || (kinds_of(t) & kinds::text) == 0) return true;  // numbers since 1970 have one
    if (t.is_constant()) return t.when.zoned;
    if (as.naive) return false;
    if (as.format != nullptr) return as.format->zoned();
    bool naive = false;
    if (t.type == term::kind::made && to_.calculated_[t.made].by->type(naive) == column_type::timestamp) return !naive;
    return std::nullopt;
}

// Two sides of which one is a time: then the other is one as well.
bool condition_parser::take_times(const sides& at, std::uint32_t left, std::uint32_t right) {
    term &a = to_.terms_[left], &b = to_.terms_[right];
    const auto by_column = [&](term& t, const term& other) {
        if (t.type != term::kind::path || t.clock != condition::none || t.as != value_as::as_it_is) return;
        const bool time = other.clock != condition::none ||
                          (other.type == term::kind::path && other.as == value_as::as_it_is && column_of(other) != nullptr);
        if (other.type != term::kind::text && !time) return;
        if (const column_spec* const c = column_of(t)) t.clock = put(*c);
    };
    by_column(a, b);
    by_column(b, a);
    if (a.clock == condition::none && b.clock == condition::none) return true;
    const bool first = a.clock != condition::none;
    term& other = first ? b : a;
    if (other.clock == condition::none && !take_time(first ? at.right : at.left, other, first ? a.clock : b.clock))
        return false;
    const std::optional<bool> one = has_zone(a), two = has_zone(b);
    return !one || !two || *one == *two || refuse_zones(a.is_constant() ? at.left : at.right, a.is_constant() ? *one : *two);
}

// What is compared with a time is read as that is. A sum is none until time() says so; coalesce gives what it finds.
bool condition_parser::take_time(std::size_t there, term& t, std::uint32_t clock) {
    const column_spec& like = to_.clocks_[clock];
    const bool finds = t.type == term::kind::made && to_.calculated_[t.made].by->gives_what_it_finds();
    const kinds::set read = finds && like.format == nullptr && !like.naive ? kinds::text | kinds::number : kinds::text;
    if (t.as != value_as::as_it_is || (kinds_of(t) & read) == 0)
        return refuse_at(there, "a time is compared with a time, in quotes or of a path"), false;
    t.clock = clock;
    if (!t.is_constant()) return true;
    zone::stretch fresh;
    if (moment_of_text(t.text, like, fresh, t.when) == errc::ok) return true;
    return refuse_at(there, like.format != nullptr
                                ? "this is no time of the form " + like.format->text()
                                : std::string("this is no time, such as \"2024-01-01T00:00Z\"; of a path that a column of "
                                              "type timestamp has, texts are compared as at:string")),
           false;
}

bool condition_parser::refuse_zones(std::size_t there, bool has_one) {
    refuse_at(there, std::string(has_one ? "this time has a zone, and the other one has none"
                                         : "this time has no zone, and the other one has one") +
                         ": they are compared where both have one, or neither");
    return false;
}

// A list's values, each at its place in the text. Where one is a time all are, be it the last.
bool condition_parser::take_list(std::size_t left_at, const node& n, const std::vector<std::size_t>& places) {
    for (const bool times : {true, false})
        for (std::size_t i = 0; i < places.size(); ++i) {
            if ((to_.terms_[n.parts[i]].clock != condition::none) != times) continue;
            const sides at{left_at, places[i]};
            if (!take_times(at, n.left, n.parts[i]) || !comparable(at, n.left, n.parts[i])) return false;
        }
    const auto zoned = [&](std::size_t i) { return has_zone(to_.terms_[n.parts[i]]).value_or(false); };
    for (std::size_t i = 1; i < places.size() && to_.terms_[n.left].clock != condition::none; ++i)
        if (zoned(i) != zoned(0)) return refuse_zones(places[i], zoned(i));
    return true;
}

}  // namespace kumihimo::inline v0::extract
