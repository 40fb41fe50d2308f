#include "extract/calculation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/json/escape_text.hpp"
#include "engine/json/scan.hpp"
#include "engine/json/string.hpp"
#include "engine/scalar/float_read.hpp"
#include "engine/scalar/float_write.hpp"
#include "engine/scalar/time_text.hpp"
#include "extract/digits.hpp"
#include "extract/element_forms.hpp"
#include "extract/sample_of.hpp"

namespace kumihimo::inline v0::extract {
namespace {

using op = formula::node::kind;

// Elements of an array, members of an object.
std::uint64_t count_in(std::string_view json) noexcept {
    const char* p = json.data();
    const char* const end = p + json.size();
    const bool object = *p == '{';
    std::uint64_t n = 0;
    p = json::skip_space(p + 1, end);
    while (p != end && *p != ']' && *p != '}') {
        ++n;
        if (object) {
            p = json::skip_space(valid::string_end(p, end), end);
            if (p != end) p = json::skip_space(p + 1, end);
            if (p == end) break;
        }
        p = json::skip_space(valid::value_end(p, end), end);
        if (p != end && *p == ',') p = json::skip_space(p + 1, end);
    }
    return n;
}

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

calculation::calculation(const formula& of) : of_(&of) {
    for (const formula::input& in : of.inputs()) tails_.emplace_back(in.tail);
}

std::string& calculation::room() {
    if (used_ == rooms_.size()) rooms_.emplace_back();
    std::string& s = rooms_[used_++];
    s.clear();
    return s;
}

errc calculation::run(std::span<const std::string_view> values) {
    values_ = values;
    used_ = 0;
    json_ = {};
    code_ = errc::ok;
    failed_ = blocked_ = formula::none;
    const value v = node(of_->root());
    if (code_ != errc::ok) return code_;
    if (v.type == kind::nothing) return errc::ok;
    if (!v.json.empty()) {
        json_ = v.json;
    } else if (v.type == kind::text) {
        std::string& to = room();
        put_quoted(v.text, to);
        json_ = to;
    } else {
        json_ = v.type == kind::boolean ? (v.boolean ? "true" : "false") : v.text;
    }
    return errc::ok;
}

// What an input's whole path leads to.
std::string_view calculation::found(std::uint32_t input) {
    const std::string_view head = values_[input];
    const path_tail& tail = of_->inputs()[input].tail;
    if (tail.empty() || head.empty()) return head;
    tail_walk& walk = tails_[input];
    walk.run(head);
    if (walk.blocked()) blocked_ = input;
    if (!tail.many()) return walk.found()[0];
    if (!walk.list()) return {};
    std::string& to = room();
    walk.join(to);
    return to;
}

calculation::value calculation::node(std::uint32_t i) {
    const formula::node& n = of_->at(i);
    value v;
    switch (n.type) {
        case op::path: return path(n);
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
        case op::negate: return arithmetic(n);
        case op::coalesce: return coalesce(n);
        case op::concat: return concat(n);
        case op::length: return length(n);
        case op::strptime: return moment(n);
    }
    return v;
}

calculation::value calculation::path(const formula::node& n) {
    value v;
    v.input = n.input;
    v.json = found(n.input);
    if (v.json.empty() || v.json[0] == 'n') return v.json = {}, v;
    const value_as as = of_->inputs()[n.input].as;
    switch (v.json[0]) {
        case 't':
        case 'f':
            v.type = kind::boolean;
            v.boolean = v.json[0] == 't';
            break;
        case '[':
        case '{': v.type = kind::container; return v;
        case '"':
            v.type = kind::text;
            if (!of_->plain() || as == value_as::number) {
                if (!plain_text(v.json, v.text, n.input)) return {};
            }
            if (as != value_as::number) return v;
            if (!is_json_number(v.text))
                return fail(
                    errc::type, n.input,
                    '"' + of_->inputs()[n.input].text + "\" is taken for a number, but here it is text, " + sample_of(v.json));
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

bool calculation::plain_text(std::string_view json, std::string_view& out, std::uint32_t input) {
    const char* const b = json.data() + 1;
    const std::size_t n = json.size() - 2;
    out = {b, n};
    if (n == 0 || std::memchr(b, '\\', n) == nullptr) return true;
    std::string& to = room();
    to.resize(n + json::unescape_slack);
    const json::unescaped u = json::unescape(b, b + n, b + n, to.data(), json::half_pair::refuse);
    if (u.end == nullptr) {
        fail(errc::encoding, input, '"' + of_->inputs()[input].text + "\" has half a surrogate pair in its text");
        return false;
    }
    out = {to.data(), static_cast<std::size_t>(u.end - to.data())};
    return true;
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
    constexpr const char* names[] = {"null", "true or false", "a number", "text", "an array or an object"};
    std::string out = v.input == formula::none ? "a value" : '"' + of_->inputs()[v.input].text + '"';
    out += std::string(" is ") + names[static_cast<std::size_t>(v.type)];
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

calculation::value calculation::arithmetic(const formula::node& n) {
    const value a = node(n.parts[0]);
    const value b = n.type == op::negate ? value{} : node(n.parts[1]);
    if (code_ != errc::ok) return {};
    const bool one = n.type == op::negate;
    if ((a.type != kind::nothing && !is_number(a)) || (!one && b.type != kind::nothing && !is_number(b))) return {};
    if (a.type == kind::nothing || (!one && b.type == kind::nothing)) return {};
    if (n.type == op::divide) return quotient(a, b);
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
    std::string& to = room();
    made.write(to);
    value v;
    v.type = kind::number;
    v.text = to;
    v.input = input;
    return v;
}

calculation::value calculation::quotient(const value& a, const value& b) {
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
    std::string& to = room();
    to.assign(text, scalar::write_f64(text, q == 0 ? 0.0 : q, scalar::float_layout::python));
    value v;
    v.type = kind::number;
    v.text = to;
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

calculation::value calculation::concat(const formula::node& n) {
    std::string made;
    bool nothing = false;
    value out;
    for (const std::uint32_t part : n.parts) {
        const value v = node(part);
        if (code_ != errc::ok) return {};
        if (out.input == formula::none) out.input = v.input;
        switch (v.type) {
            case kind::nothing: nothing = true; break;
            case kind::boolean: made += v.boolean ? "true" : "false"; break;
            case kind::number:
            case kind::text: made += v.text; break;
            case kind::container:
                return fail(errc::type, v.input, shown(v) + ", and concat joins texts, numbers, true and false");
        }
    }
    if (nothing) return {};
    std::string& to = room();
    to = std::move(made);
    out.type = kind::text;
    out.text = to;
    return out;
}

calculation::value calculation::length(const formula::node& n) {
    const value v = node(n.parts[0]);
    if (code_ != errc::ok || v.type == kind::nothing) return {};
    std::uint64_t count = 0;
    if (v.type == kind::text)
        count = static_cast<std::uint64_t>(
            std::count_if(v.text.begin(), v.text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
    else if (v.type == kind::container)
        count = count_in(v.json);
    else
        return fail(errc::type, v.input, shown(v) + ", and length is of texts, arrays and objects");
    std::string& to = room();
    to = std::to_string(count);
    value out;
    out.type = kind::number;
    out.text = to;
    out.input = v.input;
    return out;
}

calculation::value calculation::moment(const formula::node& n) {
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
    std::string& to = room();
    to.assign(room_for, end);
    value out;
    out.type = kind::text;
    out.text = to;
    out.input = v.input;
    return out;
}

}  // namespace kumihimo::inline v0::extract
