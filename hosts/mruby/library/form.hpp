// What a client sends in a query, a form or a cookie, as Ruby's values. The readers hold nothing but places in the
// text, so jumps do no harm to them.
#pragma once
#include <string_view>

#include "escape.hpp"
#include "multipart.hpp"
#include "native.hpp"

namespace kumihimo::inline v0::mruby {

struct query_limits {
    mrb_int parameters = 4096;
    mrb_int depth = 32;  // a[b][c]: 3
};

/// The pairs of a=1&b=2, still encoded. A key without "=" has a value without data. Any of the separators ends a pair,
/// and where that is asked for the spaces behind it are no part of the next.
class query_reader {
public:
    query_reader(std::string_view text, std::string_view separators = "&", bool skip_spaces = false) noexcept
        : rest_(text), separators_(separators), skip_spaces_(skip_spaces) {}
    bool next(std::string_view& key, std::string_view& value) noexcept;

private:
    std::string_view rest_, separators_;
    bool skip_spaces_;
};

/// The pairs of a Cookie header, values still encoded, without their quotes.
class cookie_reader {
public:
    explicit cookie_reader(std::string_view text) noexcept : rest_(text) {}
    bool next(std::string_view& name, std::string_view& value) noexcept;

private:
    std::string_view rest_;
};

/// Any value's text, written with %, and back.
mrb_value encoded(mrb_state*, mrb_value, percent);
mrb_value decoded(mrb_state*, std::string_view, bool plus_is_space);

/// How one name that comes several times becomes a value.
enum class repeated : std::uint8_t {
    last,    // {"a" => "2"}
    all,     // {"a" => ["1", "2"]}
    nested,  // Rack's: a[]=1&a[]=2 is {"a" => ["1", "2"]}, a[b]=1 is {"a" => {"b" => "1"}}
};

/// Raise Query::LimitError or Query::ParameterTypeError.
mrb_value parse_query(mrb_state*, query_reader, repeated, const query_limits& = {});
/// The first of each name.
mrb_value parse_cookies(mrb_state*, std::string_view header);
/// Fields as strings, files as {filename:, type:, name:, head:, body:}. What is long shares the memory of `body`.
/// Raises Multipart::Error.
mrb_value parse_multipart(mrb_state*, mrb_value body, std::string_view content_type, repeated, const multipart_limits& = {},
                          const query_limits& = {});

/// Adds one parameter as `policy` says; `count` counts them.
void add_parameter(mrb_state*, mrb_value to, mrb_value name, mrb_value value, repeated policy, const query_limits&,
                   mrb_int& count);

}  // namespace kumihimo::inline v0::mruby
