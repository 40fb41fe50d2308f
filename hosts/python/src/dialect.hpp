// Names of options -> dialects of the formats. Python picks names that its users know from json and orjson.
#pragma once
#include <Python.h>

#include <string>

#include "engine/json/dialect.hpp"
#include "engine/msgpack/dialect.hpp"

namespace kumihimo::inline v0::python {

/// dumps() with no options: compact, UTF-8, float.__repr__, null for NaN and the infinities.
inline constexpr json::dialect json_default{
    .floats = scalar::float_layout::python, .non_finite = json::non_finite::null, .binary = json::binary::refuse};

/// packb(), convert(): what MessagePack cannot say is refused, except a clock's offset, which becomes UTC.
inline constexpr msgpack::dialect msgpack_default = msgpack::standard;

/// convert() into JSON: bytes as base64, extensions as objects, NaN as null.
inline constexpr json::dialect json_from_other{
    .floats = scalar::float_layout::python, .non_finite = json::non_finite::null, .extension = json::extension::object};

/// What loads, lazy, partial, check and convert read with no options: as json and orjson.
inline constexpr json::read_dialect json_read = json::integers_and_doubles;

/// What they read by the options of these names.
inline void grant(json::read_dialect& to, bool decimal, bool relaxed, bool unique_keys) noexcept {
    to.decimal_digits = decimal;
    to.comments = to.trailing_commas = to.byte_order_mark = relaxed;
    if (unique_keys) to.duplicates = json::duplicate_keys::error;
}

/// A json::dialect and the texts that it points to.
struct json_options {
    json::dialect dialect = json_default;
    std::string item, key, indent;
};

}  // namespace kumihimo::inline v0::python
