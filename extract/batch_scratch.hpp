// What a batch keeps from one document to the next beside its columns.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/json/project.hpp"
#include "extract/batch.hpp"
#include "extract/binary.hpp"
#include "extract/calculation.hpp"
#include "extract/cell_sink.hpp"
#include "extract/remainder.hpp"
#include "extract/row_plan.hpp"
#include "extract/text_of_json.hpp"

namespace kumihimo::inline v0::extract {

/// A list or a struct that is being filled.
struct nested_frame {
    static constexpr std::uint32_t nothing = 0xFFFFFFFF;
    const column_spec* spec;
    column* to;
    std::size_t row;
    std::size_t first = 0, count = 0;  // of a list: rows of its element
    std::uint32_t member = nothing;    // of a struct: whose value is at hand
    std::uint32_t next = 0;            // that is expected: documents of one kind have one order
};

// So many elements of the field's list, each by put(number, slot).
template <class Put>
errc batch::put_elements(std::size_t i, std::size_t n, context& ctx, Put put) {
    column& list = columns_[i];
    column& inside = list.child(0);
    const std::size_t first = list.first_element(rows_);
    if (n > column::most_text - first) return full(ctx);
    for (std::size_t k = 0; k < n; ++k) {
        if (!inside.room(first + k)) return ctx.fail(errc::memory, failure::nowhere, "no memory for another element");
        const errc e = put(k, slot{&schema_->columns()[i].members[0], &inside, first + k, i});
        if (e == errc::ok) [[likely]]
            continue;
        if (failed_ != none) name_element(i, k, ctx);
        return e;
    }
    list.put_list(rows_, first + n);
    return errc::ok;
}

struct batch::scratch {
    scratch(const schema& of, json::level level)
        : projector(of.paths(), level), wall(of.columns().size()), unused(any_value()) {
        if (of.rows()) levels.resize(of.rows()->levels.size());
        for (std::size_t i = 0; i < of.fields(); ++i)
            if (of.columns()[i].made_of) calculations.emplace_back(*of.columns()[i].made_of);
        if (of.others() != beyond::ignored) others = std::make_unique<remainder>(of);
        if (of.others() == beyond::kept) astray.resize(of.fields());
        for (std::size_t i = 0; of.others() == beyond::told && i < of.fields(); ++i)
            if (of.columns()[i].verbatim && of.columns()[i].meaning().unseen && !of.columns()[i].meaning().nested)
                unknown.push_back(i);
    }
    static column_spec any_value() {
        column_spec c;
        c.type = column_type::json;
        return c;
    }
    json::projector projector;
    std::optional<json::projector> lists;  // made when a list is first found to be empty or absent
    std::unique_ptr<remainder> others;
    std::vector<bool> astray;  // by field: its value in this document is not what the column holds, and goes to `rest`
    bool any_astray = false;
    std::vector<std::size_t> unknown;  // fields that had nothing but null: what is in an object there has columns of its own
    std::string rest;
    std::vector<zone::stretch> wall;  // by column: the stretch of its zone that was met last
    block<char> text;                 // a string without its escapes

    // Lists and structs.
    std::vector<nested_frame> open;
    std::unordered_map<const column_spec*, std::unordered_map<std::string_view, std::uint32_t>> keys;  // of wide structs
    std::uint32_t member(nested_frame& f, std::string_view key);

    std::vector<calculation> calculations;  // by column that is calculated
    column unused;                          // where a value of one would be that is null

    // Documents of a binary format.
    const binary_format* binary = nullptr;
    std::unique_ptr<value_projector> values, value_lists;  // of that format
    std::optional<cell_sink> cell;

    // Rows that are elements of arrays, by level.
    struct level {
        std::uint64_t serial = 0;  // of the element whose values `row` has
        std::size_t row = 0;
        std::optional<json::projector> lists;
        std::unique_ptr<value_projector> value_lists;
    };
    std::vector<level> levels;
};

}  // namespace kumihimo::inline v0::extract
