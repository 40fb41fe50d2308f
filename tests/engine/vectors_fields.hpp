// Dialects of JSON that have no name, as the files of tests/vectors call them: a + and the fields that are not the
// default's.
#pragma once
#include <optional>
#include <sstream>
#include <string>

#include "engine/json/dialect.hpp"

namespace vectors {
using namespace kumihimo;

/// A read dialect, such as "+comments+line_end=closed".
inline std::optional<json::read_dialect> read_fields(const std::string& name) {
    json::read_dialect d;
    std::istringstream in(name.substr(1));
    for (std::string field; std::getline(in, field, '+');) {
        if (field == "non_finite")
            d.non_finite = true;
        else if (field == "comments")
            d.comments = true;
        else if (field == "trailing_commas")
            d.trailing_commas = true;
        else if (field == "byte_order_mark")
            d.byte_order_mark = true;
        else if (field == "control_characters")
            d.control_characters = true;
        else if (field == "decimal_digits")
            d.decimal_digits = true;
        else if (field == "integer_zero")
            d.integer_zero = true;
        else if (field == "unknown_escapes")
            d.unknown_escapes = true;
        else if (field == "any_bytes")
            d.any_bytes = true;
        else if (field == "flat_empty")
            d.flat_empty = true;
        else if (field == "overflows=refuse")
            d.overflows = json::overflow::refuse;
        else if (field == "line_end=line_feed")
            d.line_end = json::line_comments::line_feed;
        else if (field == "line_end=closed")
            d.line_end = json::line_comments::closed;
        else if (field == "surrogates=replace")
            d.surrogates = json::lone_surrogates::replace;
        else if (field == "surrogates=keep")
            d.surrogates = json::lone_surrogates::keep;
        else if (field == "surrogates=low")
            d.surrogates = json::lone_surrogates::low;
        else if (field == "surrogates=greedy")
            d.surrogates = json::lone_surrogates::greedy;
        else if (field == "duplicates=last")
            d.duplicates = json::duplicate_keys::last;
        else if (field == "duplicates=error")
            d.duplicates = json::duplicate_keys::error;
        else
            return std::nullopt;
    }
    return d;
}

/// What a dialect of a writer, such as "+binary=base64url", has otherwise than `compact`.
inline std::optional<json::dialect> write_fields(const std::string& name) {
    json::dialect d;
    std::istringstream in(name.substr(1));
    for (std::string field; std::getline(in, field, '+');) {
        const auto one_of = [&](auto& to, const char* called, auto... values) {
            bool found = false;
            const auto test = [&](const auto& named) {
                if (field != called + std::string("=") + named.first) return;
                to = named.second;
                found = true;
            };
            (test(values), ...);
            return found;
        };
        using scalar::float_layout;
        using std::pair;
        namespace times = scalar::time_layouts;
        const bool known =
            one_of(d.non_finite, "non_finite", pair("text", json::non_finite::text)) ||
            one_of(d.binary, "binary", pair("base64url", json::binary::base64url), pair("refuse", json::binary::refuse)) ||
            one_of(d.extension, "extension", pair("data", json::extension::data), pair("object", json::extension::object)) ||
            one_of(d.big, "big", pair("text", json::big_number::text)) ||
            one_of(d.time, "time", pair("epoch", json::moment::epoch), pair("refuse", json::moment::refuse)) ||
            one_of(d.time_layout, "time_layout", pair("rfc3339_milli", times::rfc3339_milli), pair("space", times::space),
                   pair("python", times::python), pair("rails", times::rails)) ||
            one_of(d.invalid, "invalid", pair("replace", json::invalid_text::replace),
                   pair("keep", json::invalid_text::keep)) ||
            one_of(d.keys, "keys", pair("refuse", json::other_keys::refuse)) ||
            one_of(d.floats, "floats", pair("perl15", float_layout::perl15), pair("g17", float_layout::g17),
                   pair("cpanel15", float_layout::cpanel15), pair("perl_shortest", float_layout::perl_shortest),
                   pair("json_2_11", float_layout::json_2_11), pair("json_2_12", float_layout::json_2_12),
                   pair("json_2_15", float_layout::json_2_15), pair("mruby", float_layout::mruby));
        if (!known) return std::nullopt;
    }
    return d;
}

}  // namespace vectors
