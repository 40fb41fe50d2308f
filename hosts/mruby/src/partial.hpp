// The arguments of JSON.partial, JSON::Partial and Kumihimo.partial.
#pragma once
#include "engine/json/project.hpp"

#include "json.hpp"

namespace kumihimo::inline v0::mruby {

struct partial_options {
    parse_options parse;
    json::level level = json::level::strict;
    mrb_value missing = mrb_nil_value();
    bool raw = false;
    // Of Kumihimo.partial.
    mrb_value format = mrb_nil_value(), dialect = mrb_nil_value();
    bool timestamps = false;
};

// Its Arrays are hidden: scripts' code that runs meanwhile finds them nowhere.
struct partial_request {
    partial_options options;
    mrb_value paths;  // an Array of Strings
    mrb_value names;  // an Array, or nil: the result is an Array
};

/// Paths one by one, an Array of them, or a Hash of names and paths; options among the last Hash's keys, those of
/// Kumihimo.partial with `any`. TypeError, ArgumentError.
partial_request read_partial_request(mrb_state*, const mrb_value* given, mrb_int n, bool any);

}  // namespace kumihimo::inline v0::mruby
