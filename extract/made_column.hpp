// Columns that are made of several values, or of one that no projection finds (formula.hpp), beside those that are one
// value: which paths of a projection are whose.
//
//      fields   price    spread := ask - bid    at            projection   0 price   1 ask   2 at   3 bid
//                                                             spread is made of 1 and 3
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "extract/column.hpp"

namespace kumihimo::inline v0::extract {

struct made_column {
    std::uint32_t field;
    std::vector<std::uint32_t> paths;  // by input of its formula
};

/// The paths of fields of documents: path i is field i's own, or its first input's; the other inputs' lie behind all
/// fields.
void lay_out(std::span<const column_spec> fields, std::vector<std::string>& paths, std::vector<made_column>& made);

/// Whether a field is of an expression, and not of a path.
bool is_calculated(const column_spec& field) noexcept;

/// What a field's values are, as it was written: its path, or its expression.
const std::string& definition(const column_spec& field) noexcept;

/// Whether two fields are of the same value. An expression a-b is not the path of the key "a-b".
bool same_value(const column_spec& a, const column_spec& b) noexcept;

/// The field as it is written with this type: PATH:TYPE, or NAME:TYPE := EXPRESSION.
std::string with_type(const column_spec& field, std::string_view type);

/// Whether a field is of a row's element, and needs rows.
bool is_of_element(const column_spec& field) noexcept;

/// The field that path i is for.
std::uint32_t field_of_path(std::uint32_t path, std::size_t fields, std::span<const made_column> made) noexcept;

}  // namespace kumihimo::inline v0::extract
