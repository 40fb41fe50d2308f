// What the options of JSON.generate say, in the engine's words, and the walk that follows them.
#pragma once
#include "dialect.hpp"
#include "emit.hpp"
#include "methods.hpp"
#include "walk.hpp"

namespace kumihimo::inline v0::ruby {

/// What the installed json gem does where its versions differ.
struct installed_json {
    VALUE state_class = Qnil;  // JSON::State
    scalar::float_layout floats = scalar::float_layout::ruby;
    bool opened_when_empty = false;  // pretty: [ and ] on lines of their own, with nothing between
    bool separators = false;         // escape_slash also means U+2028 and U+2029
    bool must_convert = false;       // text that cannot be converted to UTF-8 is an error; else its bytes are tried
    bool circular_hint = false;      // in NestingError
    method_watch symbol_to_json;
};
extern installed_json stock;
void init_generate_options(VALUE json);

/// Options of generate, by the names and meanings of the json gem. Trivially destructible; whoever holds it marks its
/// VALUEs.
struct generate_options {
    /// Reads a Hash (or what to_hash or to_h makes of the argument); nil is none. Raises TypeError.
    void read(VALUE options);
    void mark() const;

    bool compact() const noexcept { return dialect.layout.compact(); }

    json::dialect dialect;
    long max_nesting = 100;
    long depth = 0;
    bool allow_nan = false;
    bool ascii_only = false;
    bool script_safe = false;  // escapes "/", U+2028 and U+2029
    bool slash_only = false;   // escape_slash: of a json gem that escapes nothing else for it
    bool strict = false;       // only what JSON has; as_json is asked for the rest
    bool refuse_duplicates = false;
    bool as_json_one = false;  // as_json takes the object alone, not whether it is a key
    VALUE given = Qnil;        // the Hash, for to_json(state)
    VALUE as_json = Qnil;      // a Proc
    VALUE sort_keys = Qnil;    // a Proc that gives a Hash in order, or true
    // Strings whose memory the layout points to.
    VALUE key_text = Qnil, object_nl = Qnil, array_nl = Qnil, indent = Qnil;
};

/// generate(v, options) as a String.
VALUE generate(VALUE v, const generate_options& options);

}  // namespace kumihimo::inline v0::ruby
