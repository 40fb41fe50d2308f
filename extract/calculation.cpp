#include "extract/calculation.hpp"

#include <cmath>
#include <utility>

#include "engine/json/escape_text.hpp"
#include "engine/json/scan.hpp"
#include "engine/scalar/float_read.hpp"
#include "engine/scalar/float_write.hpp"
#include "engine/scalar/time_text.hpp"
#include "engine/scalar/utf8.hpp"
#include "extract/digits.hpp"
#include "extract/element_forms.hpp"
#include "extract/sample_of.hpp"
#include "extract/text_of_json.hpp"

namespace kumihimo::inline v0::extract {
namespace {

using op = formula::node::kind;

constexpr const char* kind_names[] = {"null", "true or false", "a number", "text", "an array or an object"};

void put_quoted(std::string_view text, std::string& to) {
    to += '"';
    for (const char c : text) {
        const auto b = static_cast<unsigned char>(c);
        if (b >= 0x20 && c != '"' && c != '\\')
            to += c;
        else
            to.append(json::escape_texts.texts[b], static_cast<std::size_t>(json::escape_texts.texts[b][7]));
    }
    to += '"';
}

}  // namespace

calculation::calculation(const formula& of) : of_(&of), parts_(of.root() + 1) {
    inputs_.reserve(of.inputs().size());
    for (const formula::input& in : of.inputs()) inputs_.emplace_back(in.tail);
}

void calculation::give(std::size_t input, std::string_view json, std::uint64_t element) noexcept {
    struct input& in = inputs_[input];
    in.head = json;
    in.element = element;
    in.fresh = true;
    in.looked = false;
}

std::string& calculation::room(std::size_t input) noexcept {
    give(input, {});
    inputs_[input].room.clear();
    return inputs_[input].room;
}

void calculation::forget() noexcept {
    json_ = {};
    for (std::size_t i = 0; i < inputs_.size(); ++i) give(i, {});
}

// Of the nodes those stay known whose inputs are what they were. A node comes behind its parts.
void calculation::renew_parts() noexcept {
    for (std::uint32_t i = 0; i < parts_.size(); ++i) {
        const formula::node& n = of_->at(i);
        bool fresh = n.type == op::path && inputs_[n.input].fresh;
        for (const std::uint32_t p : n.parts) fresh = fresh || parts_[p].fresh;
        parts_[i].fresh = fresh;
        parts_[i].known = parts_[i].known && !fresh;
    }
    for (input& in : inputs_) in.fresh = false;
}

errc calculation::run() {
    renew_parts();
    json_ = {};
    code_ = errc::ok;
    failed_ = blocked_ = origin_ = formula::none;
    const value v = node(of_->root());
    if (code_ != errc::ok) return code_;
    origin_ = v.input;
    if (v.type == kind::nothing) return errc::ok;
    if (!v.json.empty()) {
        json_ = v.json;
    } else if (v.type == kind::text) {
        quoted_.clear();
        put_quoted(v.text, quoted_);
        json_ = quoted_;
    } else {
        json_ = v.type == kind::boolean ? (v.boolean ? "true" : "false") : v.text;
    }
    return errc::ok;
}

// What an input's whole path leads to.
std::string_view calculation::found(std::uint32_t number) {
    input& in = inputs_[number];
    const path_tail& tail = of_->inputs()[number].tail;
    if (tail.empty() || in.head.empty()) return in.head;
    if (!in.looked) {
        in.walk.run(in.head);
        in.blocked = in.walk.blocked();
        in.found = {};
        if (!tail.many()) {
            in.found = in.walk.found()[0];
        } else if (in.walk.list()) {
            const std::size_t most = in.head.size() * most_times + most_more;
            in.list.clear();
            if (!in.walk.join(in.list, most))
                return fail(errc::size, number,
                            "the list that \"" + of_->inputs()[number].text + "\" finds has more than " + std::to_string(most) +
                                " bytes, for its values are in one another"),
                       std::string_view();
            in.found = in.list;
        }
        in.looked = true;
    }
    if (in.blocked) blocked_ = number;
    return in.found;
}

// A value that is known is not made again, and blocks as it did.
calculation::value calculation::node(std::uint32_t i) {
    part& p = parts_[i];
    if (!p.known) {
        const std::uint32_t before = std::exchange(blocked_, formula::none);
        p.room.clear();
        p.is = make(of_->at(i), p.room);
        p.known = code_ == errc::ok;
        p.blocked = std::exchange(blocked_, before);
    }
    if (p.blocked != formula::none) blocked_ = p.blocked;
    return p.is;
}

calculation::value calculation::make(const formula::node& n, std::string& room) {
    value v;
    switch (n.type) {
        case op::path: return path(n, room);
        case op::number:
            v.type = kind::number;
            v.text = n.text;
            return v;
        case op::text:
            v.type = kind::text;
            v.text = n.text;
            return v;
        case op::boolean:
            v.type = kind::boolean;
            v.boolean = n.boolean;
            return v;
        case op::add:
        case op::subtract:
        case op::multiply:
        case op::divide:
        case op::negate: return arithmetic(n, room);
        case op::coalesce: return coalesce(n);
        case op::concat: return concat(n, room);
        case op::length: return length(n, room);
        case op::strptime: return moment(n, room);
    }
    return v;
}

calculation::value calculation::path(const formula::node& n, std::string& room) {
    value v;
    v.input = n.input;
    v.json = found(n.input);
    if (code_ != errc::ok) return {};
    if (v.json.empty() || v.json[0] == 'n') return v.json = {}, v;
    const value_as as = of_->inputs()[n.input].as;
    switch (v.json[0]) {
        case 't':
        case 'f':
            v.type = kind::boolean;
            v.boolean = v.json[0] == 't';
            if (as == value_as::number) return no_number(v);
            break;
        case '[':
        case '{': v.type = kind::container; return as == value_as::number ? no_number(v) : v;
        case '"':
            v.type = kind::text;
            if (!of_->plain() || as == value_as::number) {
                if (!says(v.json, v.text, n.input, room)) return {};
            }
            if (as != value_as::number) return v;
            if (!is_json_number(v.text)) return no_number(v);
            v.type = kind::number;
            v.json = {};
            return v;
        default: v.type = kind::number; v.text = v.json;
    }
    if (as == value_as::text) {
        v.type = kind::text;
        v.text = v.json;
        v.json = {};
    }
    return v;
}

calculation::value calculation::no_number(const value& v) {
    return fail(errc::type, v.input,
                '"' + of_->inputs()[v.input].text + "\" is taken for a number, but here it is " +
                    kind_names[static_cast<std::size_t>(v.type)] + ", " + sample_of(v.json));
}

bool calculation::says(std::string_view json, std::string_view& out, std::uint32_t input, std::string& room) {
    if (plain_text(inside_of(json), room, out)) return true;
    fail(errc::encoding, input, '"' + of_->inputs()[input].text + "\" has half a surrogate pair in its text");
    return false;
}

calculation::value calculation::fail(errc code, std::uint32_t input, std::string why) {
    if (code_ == errc::ok) {
        code_ = code;
        failed_ = input;
        why_ = std::move(why);
    }
    return {};
}

std::string calculation::shown(const value& v) const {
    std::string out = v.input == formula::none ? "a value" : '"' + of_->inputs()[v.input].text + '"';
    out += std::string(" is ") + kind_names[static_cast<std::size_t>(v.type)];
    if (!v.json.empty()) out += ", " + sample_of(v.json);
    return out;
}

bool calculation::is_number(const value& v) {
    if (v.type == kind::number) return true;
    std::string why = shown(v) + ", and not a number to calculate with";
    if (v.type == kind::text && v.input != formula::none)
        why += "; of texts that hold one write " + of_->inputs()[v.input].text + ":decimal";
    fail(errc::type, v.input, std::move(why));
    return false;
}

bool calculation::decimal(const formula::node& n, const value& v, exact_decimal& out) {
    if (n.type == op::number) return out = n.number, true;
    if (exact_decimal::read(v.text, out) == errc::ok) return true;
    fail(errc::range, v.input, shown(v) + ": more than 38 digits, or an exponent beyond a million, are not calculated with");
    return false;
}

calculation::value calculation::arithmetic(const formula::node& n, std::string& room) {
    const value a = node(n.parts[0]);
    const value b = n.type == op::negate ? value{} : node(n.parts[1]);
    if (code_ != errc::ok) return {};
    const bool one = n.type == op::negate;
    if ((a.type != kind::nothing && !is_number(a)) || (!one && b.type != kind::nothing && !is_number(b))) return {};
    if (a.type == kind::nothing || (!one && b.type == kind::nothing)) return {};
    if (n.type == op::divide) return quotient(a, b, room);
    exact_decimal x, y, made;
    if (!decimal(of_->at(n.parts[0]), a, x) || (!one && !decimal(of_->at(n.parts[1]), b, y))) return {};
    errc e = errc::ok;
    if (one)
        made = x.negated();
    else if (n.type == op::multiply)
        e = exact_decimal::multiply(x, y, made);
    else
        e = exact_decimal::add(x, n.type == op::add ? y : y.negated(), made);
    const std::uint32_t input = a.input != formula::none ? a.input : b.input;
    if (e != errc::ok)
        return fail(errc::range, input,
                    std::string(a.text) +
                        (n.type == op::multiply ? " * "
                         : n.type == op::add    ? " + "
                                                : " - ") +
                        std::string(b.text) + " has more than 38 digits, or an exponent beyond a million");
    made.write(room);
    value v;
    v.type = kind::number;
    v.text = room;
    v.input = input;
    return v;
}

calculation::value calculation::quotient(const value& a, const value& b, std::string& room) {
    double x = 0, y = 0;
    const std::uint32_t input = b.input != formula::none ? b.input : a.input;
    const auto read = [](std::string_view s, double& out) {
        return scalar::read_f64(s.data(), s.data() + s.size(), out) == errc::ok;
    };
    if (!read(a.text, x) || !read(b.text, y))
        return fail(errc::range, input,
                    std::string(a.text) + " / " + std::string(b.text) + ": a double holds no number beyond 1.8e308");
    if (y == 0) return fail(errc::range, input, std::string(a.text) + " / " + std::string(b.text) + " divides by zero");
    const double q = x / y;
    if (!std::isfinite(q))
        return fail(errc::range, input, std::string(a.text) + " / " + std::string(b.text) + " is beyond the largest double");
    char text[scalar::float_room];
    room.assign(text, scalar::write_f64(text, q == 0 ? 0.0 : q, scalar::float_layout::python));
    value v;
    v.type = kind::number;
    v.text = room;
    v.input = input;
    return v;
}

calculation::value calculation::coalesce(const formula::node& n) {
    for (const std::uint32_t part : n.parts) {
        const value v = node(part);
        if (code_ != errc::ok || v.type != kind::nothing) return v;
    }
    return {};
}

calculation::value calculation::concat(const formula::node& n, std::string& room) {
    bool nothing = false;
    value out;
    for (const std::uint32_t part : n.parts) {
        const value v = node(part);
        if (code_ != errc::ok) return {};
        if (out.input == formula::none) out.input = v.input;
        switch (v.type) {
            case kind::nothing: nothing = true; break;
            case kind::boolean: room += v.boolean ? "true" : "false"; break;
            case kind::number:
            case kind::text: room += v.text; break;
            case kind::container:
                return fail(errc::type, v.input, shown(v) + ", and concat joins texts, numbers, true and false");
        }
    }
    if (nothing) return {};
    out.type = kind::text;
    out.text = room;
    return out;
}

calculation::value calculation::length(const formula::node& n, std::string& room) {
    const value v = node(n.parts[0]);
    if (code_ != errc::ok || v.type == kind::nothing) return {};
    std::uint64_t count = 0;
    if (v.type == kind::text)
        count = scalar::utf8_length(v.text.data(), v.text.size());
    else if (v.type == kind::container)
        count = valid::count(v.json.data(), v.json.data() + v.json.size());
    else
        return fail(errc::type, v.input, shown(v) + ", and length is of texts, arrays and objects");
    room = std::to_string(count);
    value out;
    out.type = kind::number;
    out.text = room;
    out.input = v.input;
    return out;
}

calculation::value calculation::moment(const formula::node& n, std::string& room) {
    const value v = node(n.parts[0]);
    if (code_ != errc::ok || v.type == kind::nothing) return {};
    std::string_view text = v.text;
    if (v.type != kind::text && v.type != kind::number)
        return fail(errc::type, v.input, shown(v) + ", and strptime reads texts");
    instant t;
    time_format::mismatch where;
    if (const errc e = n.format.read(text, t, where); e != errc::ok)
        return fail(e, v.input,
                    shown(v) + ", and not of the form " + n.text + ": at character " + std::to_string(where.at + 1) +
                        " it lacks " + where.wanted);
    char room_for[scalar::time_room];
    char* const end = scalar::write_time(room_for, t);
    if (end == nullptr) return fail(errc::range, v.input, shown(v) + ", which is outside the years 0000 to 9999");
    room.assign(room_for, end);
    value out;
    out.type = kind::text;
    out.text = room;
    out.input = v.input;
    return out;
}

std::size_t calculation::capacity() const noexcept {
    std::size_t n = quoted_.capacity();
    for (const input& in : inputs_) n += in.room.capacity() + in.list.capacity() + in.walk.capacity();
    for (const part& p : parts_) n += p.room.capacity();
    return n;
}

void calculation::trim(std::size_t keep) noexcept {
    forget();
    const auto give_back = [&](std::string& s) {
        if (s.capacity() > keep) std::string().swap(s);  // an assignment keeps the memory
    };
    give_back(quoted_);
    for (part& p : parts_) {
        p.known = false;
        give_back(p.room);
    }
    for (input& in : inputs_) {
        give_back(in.room);
        give_back(in.list);
        in.walk.trim(keep);
    }
}

}  // namespace kumihimo::inline v0::extract
