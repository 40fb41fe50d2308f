// Of infer.hpp: what was seen in a column, and the type that it makes.
#include "engine/scalar/time_text.hpp"
#include "extract/digits.hpp"
#include "extract/infer.hpp"
#include "extract/timestamp.hpp"

namespace kumihimo::inline v0::extract {

void evidence::value(std::string_view json, bool nested) {
    if (json.empty() || json[0] == 'n') return;
    if (nested && (json[0] == '[' || json[0] == '{')) return look_inside(json);
    switch (json[0]) {
        case '"': {
            const std::string_view inside = json.substr(1, json.size() - 2);
            // A time has nothing to escape; whoever escapes it all the same gets text.
            if (inside.find('\\') != std::string_view::npos)
                add(text);
            else
                string(inside);
            break;
        }
        case 't':
        case 'f': add(boolean); break;
        case '[':
        case '{': add(container); break;
        default: number(json);
    }
}

void evidence::number(std::string_view lexeme) noexcept {
    std::int64_t v = 0;
    if (lexeme.find_first_of(".eE") != std::string_view::npos || lexeme == "-0") {
        add(loses_digits(lexeme) ? long_fraction : fraction);
    } else if (read_whole(lexeme, v, false) != errc::ok) {
        add(huge_integer);
    } else {
        add(loses_digits(lexeme) ? wide_integer : integer);
    }
}

void evidence::string(std::string_view unescaped) noexcept {
    if (shows(text)) return;  // no time changes that
    instant t;
    time_shape shape;
    const char* b = unescaped.data();
    if (unescaped.size() < 19 || unescaped.size() > 40 || scalar::read_time(b, b + unescaped.size(), t) != errc::ok ||
        !shape_of(unescaped, t, shape)) {
        add(text);
        return;
    }
    if (shape.fine) {  // a column of nanoseconds spans 1677 to 2262
        std::int64_t ns = 0;
        if (!cell_of(t, true, ns)) {
            add(text);
            return;
        }
    }
    if ((kinds_ & time) == 0) {
        shape_ = shape;
        add(time);
    } else if (!combine(shape_, shape)) {
        add(text);
    }
}

void evidence::unite(const evidence& other) noexcept {
    if (other.shows(time)) {
        if (!shows(time))
            shape_ = other.shape_;
        else if (!combine(shape_, other.shape_))
            add(text);
    }
    kinds_ |= other.kinds_;
}

void evidence::column(const column_spec& spec) noexcept {
    switch (spec.type) {
        case column_type::int64: add(integer); break;  // wide ones too, but those decide only once they are met again
        case column_type::float64: kinds_ |= integer | fraction; break;
        case column_type::decimal: kinds_ |= integer | wide_integer | huge_integer | fraction | long_fraction; break;
        case column_type::boolean: add(boolean); break;
        case column_type::string: add(text); break;
        case column_type::timestamp:
            shape_ = spec.shape;
            add(time);
            break;
        case column_type::json:
            if (!spec.unseen) add(container), add(anything);
            break;
        case column_type::list:
        case column_type::structure: column_inside(spec); break;
        case column_type::infer: break;
    }
}

std::string evidence::summary() const {
    std::string out;
    const auto say = [&](unsigned kinds, const char* word) {
        if ((kinds_ & kinds) == 0) return;
        if (!out.empty()) out += ", ";
        out += word;
    };
    say(integer | wide_integer | huge_integer | fraction | long_fraction, "numbers");
    say(boolean, "true or false");
    say(text | time, "text");
    say(container, "arrays or objects");
    return out;
}

void evidence::decide(column_spec& spec) const {
    constexpr unsigned numbers = integer | wide_integer | huge_integer | fraction | long_fraction, texts = text | time;
    spec.inferred = true;
    spec.unseen = none();
    spec.naive = spec.nanoseconds = false;
    spec.shape = {};
    spec.in_zone.reset();
    spec.zone_name.clear();
    spec.members.clear();
    const unsigned k = kinds_;
    if (spec.nested && k == container && decide_inside(spec)) return;
    if (k == 0 || (k & container) != 0 || ((k & numbers) != 0) + ((k & boolean) != 0) + ((k & texts) != 0) > 1) {
        spec.type = column_type::json;
    } else if ((k & boolean) != 0) {
        spec.type = column_type::boolean;
    } else if ((k & numbers) != 0) {
        const bool exact = (k & (huge_integer | long_fraction)) != 0 || ((k & wide_integer) != 0 && (k & fraction) != 0);
        spec.type = exact ? column_type::decimal : (k & fraction) != 0 ? column_type::float64 : column_type::int64;
    } else if ((k & text) != 0) {
        spec.type = column_type::string;
    } else {
        spec.type = column_type::timestamp;
        spec.shape = shape_;
        spec.naive = shape_.zone == time_shape::zone_text::none;
        spec.nanoseconds = shape_.fine;
        if (shape_.zone == time_shape::zone_text::colon) {
            spec.in_zone = zone::fixed(shape_.offset);
            spec.zone_name = spec.in_zone->name();
        }
    }
}

}  // namespace kumihimo::inline v0::extract
