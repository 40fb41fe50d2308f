// Rows out of arrays: which arrays' elements become rows, and of which element, or of the document, each column's
// value is.
//
//      rows  a[*].b[*]          level 0      the document                      $.id   id
//                               level 1      an element of a                   ..name
//                               level 2      an element of its b: a row        .price
//
//      rows  pairs.*            level 1      a member of pairs: a row          .last   .~ (its key)
//
// So a path that begins with a dot is of the row's element, with two dots of the element around that one; all others
// are of the document.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/errc.hpp"
#include "engine/json/path.hpp"
#include "engine/json/project.hpp"
#include "extract/column.hpp"
#include "extract/row_position.hpp"

namespace kumihimo::inline v0::extract {

/// What the user says of rows.
struct row_path {
    static constexpr std::size_t most = row_position::most;

    std::string text;                // "a[*].b[*]"
    std::vector<json::path> arrays;  // [k]: from an element of level k to the array whose elements are level k + 1
    std::vector<bool> members;       // [k]: that is an object, and its members are
    bool outer = false;              // what has no element becomes a row as well, without the fields of one

    std::size_t levels() const noexcept { return arrays.size(); }
};

/// Reads the path of arrays. On errc::misuse `why` says what is wrong with it and what to write instead.
errc parse_rows(std::string_view text, row_path& out, std::string& why);

/// Reads a column's path: how many dots it begins with, and the steps behind them, of all kinds.
errc parse_column_path(std::string_view text, std::size_t& dots, json::path& steps, context& ctx);

/// The sentence about a column of an element where documents are the rows.
std::string needs_rows(const column_spec& c);

/// Rows and the columns' paths, compiled once for all threads. Immutable.
struct row_plan {
    struct level {
        std::vector<std::uint32_t> fields;  // the columns whose values are of this level's elements, in order
        std::vector<std::uint32_t> owners;  // by path, but for the next level's array: the column that it is for
        json::projection paths;             // that of the next level's array, where there is one, and theirs, from the element
        json::projection lists;             // by path: the array that its first [*] walks, where a field has any
        bool wild = false;                  // one has
        bool array = false;                 // paths[0] leads to the next level's array

        /// The path of fields[i].
        std::size_t path(std::size_t i) const noexcept { return i + array; }
    };
    /// A column that is calculated (formula.hpp), and where its inputs are.
    struct made {
        struct place {
            std::size_t level;
            std::size_t path;  // of that level; `key`: it is the key of the level's element
            bool key;
        };
        std::uint32_t field;
        std::vector<place> inputs;
    };
    row_path of;
    std::vector<made> calculated;
    std::vector<level> levels;  // [0]: the document; the last one's elements are the rows
    json::projection wanted;    // what of a document is looked at, from its beginning
    bool whole = false;         // each row's element is a document of its own to the columns, all of whose paths are its

    /// errc::misuse with a sentence, as schema::make. `whole`: all of an element is asked for, and not these fields
    /// alone.
    static errc make(std::span<const column_spec> fields, row_path of, bool whole, std::shared_ptr<const row_plan>& out,
                     std::string& why);

    std::size_t last() const noexcept { return levels.size() - 1; }
    /// The level that a path with so many dots is of; more than last() + 1 dots are of none.
    std::size_t level_of(std::size_t dots) const noexcept { return dots == 0 ? 0 : levels.size() - dots; }
};

}  // namespace kumihimo::inline v0::extract
