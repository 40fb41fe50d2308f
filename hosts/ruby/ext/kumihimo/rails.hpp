// What the installed ActiveSupport does, as data: which passes its encoder makes, which of its as_json methods are
// known, and what may be written without calling them.
//
//      family     ActiveSupport            passes
//      as_json    6.1, 7.0                 as_json over everything; jsonify; JSON.generate, each String escaped by itself
//      jsonify    7.1 to 8.0 (8.1 with     as_json when there are options; jsonify; JSON.generate; the output escaped
//                 json before 2.15.2)
//      coder      8.1                      as_json when there are options; JSON::Coder, whose block calls as_json;
//                                          the output escaped
#pragma once
#include <array>
#include <cstdint>

#include "dialect.hpp"
#include "guard.hpp"
#include "methods.hpp"

namespace kumihimo::inline v0::ruby {

/// What is written for a value instead of calling its as_json.
enum class way : unsigned char {
    unknown,
    call,     // nothing is known: as_json is called
    null,     // nil
    truth,    // true, false
    integer,  // as it is
    real,     // Float: null unless finite
    string,   // String and subclasses
    symbol,   // its name
    hash,     // pairs, keys by to_s
    array,    // items
    listed,   // Enumerable: to_a
    members,  // Struct: its members
    fields,   // any object: its instance variables, unless it has a to_hash
    time,     // Time
    zoned,    // ActiveSupport::TimeWithZone
    date,     // Date
    moment,   // DateTime
    text,     // Range, Regexp, URI, ...: its to_s
    c_text,   // the same where to_s is in C, which mostly calls no Ruby code
    seconds,  // ActiveSupport::Duration: its to_i
    decimal,  // BigDecimal: its to_s, in digits without an exponent; null unless finite
    model,    // ActiveModel::Serializers::JSON: its serializable_hash, unless it wants a root
    records,  // ActiveRecord::Relation: its records
    set,      // Set: its to_a, which are the keys of its Hash
};

enum class family : unsigned char { as_json, jsonify, coder };

/// One as_json that is known.
struct known {
    method_watch as_json;
    way chosen = way::call;
    method_watch c_to_s;  // way::text: its to_s, if that is in C
};

/// One of ActiveSupport::JSON::Encoding's attributes. Its variable is read as long as nobody has put another method in
/// front.
struct rails_setting {
    rails_setting() = default;
    rails_setting(VALUE encoding_module, const char* name, const char* variable);
    VALUE value(VALUE encoding_module) const;
    void mark() const;

    method_watch reader;
    VALUE singleton = 0;
    ID name = 0, variable = 0;
};

/// Immutable after it was made; shared by all encoders of a class, and by all Ractors.
struct rails_profile {
    /// From what Encoder.define was given.
    void fill(VALUE options);
    void mark() const;

    ruby::family family = family::as_json;
    json::dialect dialect;
    long max_nesting = 0;
    bool frozen_options = false;     // nested as_json calls share one frozen copy of the options
    bool escape_option = false;      // options[:escape]
    bool entities_option = false;    // options[:escape_html_entities]
    bool separators_global = false;  // escape_js_separators_in_json
    bool texts_as_key_only = false;  // coder: as_json makes a key's text only if it is a String, else to_s does
    bool circular_hint = false;      // the NestingError asks about circular references
    ID symbol_name = 0;              // what Symbol#as_json calls
    bool text_gsub = false;          // the output is escaped by gsub!(String, String), which asks the second for a to_hash
    VALUE stock_encoder = Qnil;      // JSONGemEncoder, where text_gsub
    VALUE encoding_module = Qnil;    // ActiveSupport::JSON::Encoding, whose attributes are the globals
    VALUE json_module = Qnil;        // JSON
    VALUE generate_options = Qnil;   // what stock passes to JSON.generate
    VALUE state = Qnil;              // the JSON::State that comes of it
    // nil where they are not there.
    VALUE fragment = Qnil;      // JSON::Fragment
    VALUE zoned_class = Qnil;   // ActiveSupport::TimeWithZone
    VALUE date_class = Qnil;    // Date
    VALUE moment_class = Qnil;  // DateTime

    /// Where a walk remembers a class. No two of the classes in `knowns` share a place.
    static constexpr unsigned slots = 64;
    unsigned slot_of(VALUE klass) const noexcept { return static_cast<unsigned>((klass * multiplier) >> 58); }
    std::uint64_t multiplier = 0x9E3779B97F4A7C15u;

    std::array<known, 32> knowns{};
    std::size_t known_count = 0;
    /// What is known of as_json where a call in `klass` would reach it; null where that is nothing.
    const known* known_of(VALUE klass) const;

    // Rails loads its models late, so their as_json are learnt when they are first met.
    struct late_known {
        const char* owner;
        const char* file;
        way chosen;
        known found{};
        enum : signed char { unknown, being_written, ready };
        std::atomic<decltype(unknown)> state{unknown};
    };
    mutable std::array<late_known, 2> lates{
        {{"ActiveModel::Serializers::JSON", "active_model/serializers/json.rb", way::model},
         {"ActiveRecord::Delegation", "active_record/relation/delegation.rb", way::records}}};
    // What the known methods call in turn.
    method_watch hash_as_json, string_to_json, string_to_json_front, symbol_to_json, set_to_a, time_xmlschema,
        time_formatted_offset, zoned_xmlschema, decimal_finite, duration_to_i, integer_to_i, time_iso8601, moment_xmlschema,
        moment_strftime, date_strftime, instance_values;
    // TimeWithZone: where its offset and its wall clock come from.
    std::array<method_watch, 6> zoned_parts;
    // BigDecimal#to_s: ActiveSupport's methods in front of its own, and that.
    std::array<method_watch, 3> decimal_to_s;
    rails_setting entities, separators, standard_times, precision;

private:
    const known* late_known_of(VALUE klass, VALUE owner) const;
    void learn(VALUE klass, way chosen);
    void learn_decimal(VALUE klass);
    void learn_texts();
    void spread(const VALUE* classes, std::size_t n);
};

}  // namespace kumihimo::inline v0::ruby
