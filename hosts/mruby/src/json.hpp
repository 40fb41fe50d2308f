// JSON's two directions, for json.cpp, which gives them to Ruby.
#pragma once
#include <string_view>

#include "engine/json/dialect.hpp"

#include "errors.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::mruby {

/// What stands between the values, as the json gem's options say it.
struct json_layout {
    std::string_view indent, space, space_before, object_nl, array_nl;
    bool compact() const noexcept {
        return indent.empty() && space.empty() && space_before.empty() && object_nl.empty() && array_nl.empty();
    }
};

/// Options of JSON.generate, by the names and meanings of the json gem. The layout's texts lie in Strings that the
/// collector's arena keeps, so these are for the C function that reads them, and what it calls.
struct generate_options {
    /// Reads a Hash, a JSON::State or nil. Raises TypeError.
    void read(mrb_state*, mrb_value given);

    json_layout layout;
    mrb_int max_nesting = 100;
    mrb_int depth = 0;
    bool allow_nan = false;
    bool ascii_only = false;
    bool script_safe = false;
    bool strict = false;  // only what JSON has
    bool dumps = false;   // JSON.dump, which calls its limit another name
    mrb_value given{};    // nil, or what to_json(state) of a foreign object is to know
};

/// The document, as a new String. `itself`: v's own to_json was called and is not asked again.
mrb_value generate(mrb_state*, mrb_value v, const generate_options&, bool itself = false);

/// Options of JSON.parse.
struct parse_options {
    void read(mrb_state*, mrb_value given);

    mrb_int max_nesting = 100;  // 0: what depth_of (build.hpp) says
    bool allow_nan = false;
    bool symbolize_names = false;
    bool freeze = false;
    bool comments = false;
    bool trailing_commas = false;
    bool unique_keys = false;
};

/// What the reader grants under these options.
json::read_dialect granted_by(const parse_options&) noexcept;

/// The String that a source is. Raises TypeError.
mrb_value document_of(mrb_state*, mrb_value source);

/// What the text says. Raises ParserError or NestingError.
mrb_value parse(mrb_state*, mrb_value text, const parse_options&);

// What an object's to_json does when it is one of ours: the walk goes past it.
mrb_value object_to_json(mrb_state*, mrb_value self);
mrb_value core_to_json(mrb_state*, mrb_value self);

void define_partial(mrb_state*, RClass* json);

}  // namespace kumihimo::inline v0::mruby
