// What a batch keeps from one document to the next beside its columns.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/json/project.hpp"
#include "extract/batch.hpp"
#include "extract/binary.hpp"
#include "extract/cell_sink.hpp"
#include "extract/remainder.hpp"
#include "extract/row_plan.hpp"

namespace kumihimo::inline v0::extract {

struct batch::scratch {
    scratch(const schema& of, json::level level) : projector(of.paths(), level), wall(of.columns().size()) {
        if (of.rows()) levels.resize(of.rows()->levels.size());
        if (of.others() != beyond::ignored) others = std::make_unique<remainder>(of);
        if (of.others() == beyond::kept) astray.resize(of.fields());
        for (std::size_t i = 0; of.others() == beyond::told && i < of.fields(); ++i)
            if (of.columns()[i].verbatim && of.columns()[i].meaning().unseen) unknown.push_back(i);
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
