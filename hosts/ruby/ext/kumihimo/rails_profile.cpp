// A rails_profile: what the encoders of a class know of the installed ActiveSupport and json, learnt when the class is
// made.
#include "rails.hpp"

#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <string_view>

#include "decimal.hpp"
#include "rails_walk_base.hpp"

namespace kumihimo::inline v0::ruby {
namespace {

VALUE symbol(const char* name) { return rb_id2sym(rb_intern(name)); }
VALUE option(VALUE hash, const char* name) { return rb_hash_fetch(hash, symbol(name)); }

/// The constant under `in`, or nil.
VALUE constant(VALUE in, const char* name) {
    const ID id = rb_intern(name);
    return rb_const_defined(in, id) ? rb_const_get(in, id) : Qnil;
}

/// Whether a method is defined in C, or in a file that ends so: not by the application.
bool comes_from(const method_watch& m, std::string_view file) {
    if (!m.found()) return false;
    const VALUE location = m.location();
    if (location == Qnil) return true;
    const VALUE path = rb_ary_entry(location, 0);
    return std::string_view(RSTRING_PTR(path), static_cast<std::size_t>(RSTRING_LEN(path))).ends_with(file);
}

method_watch stock(VALUE klass, const char* name, std::string_view file) {
    if (klass == Qnil) return {};
    const method_watch m(klass, name);
    return comes_from(m, file) ? m : method_watch{};
}

bool at_least(VALUE version, int a, int b, int c) {
    int found[3] = {0, 0, 0};
    std::sscanf(StringValueCStr(version), "%d.%d.%d", &found[0], &found[1], &found[2]);
    const int wanted[3] = {a, b, c};
    for (int i = 0; i < 3; ++i)
        if (found[i] != wanted[i]) return found[i] > wanted[i];
    return true;
}

}  // namespace

rails_setting::rails_setting(VALUE encoding_module, const char* name, const char* variable)
    : singleton(rb_singleton_class(encoding_module)), name(rb_intern(name)), variable(rb_intern(variable)) {
    reader = stock(singleton, name, "active_support/json/encoding.rb");
}

// A call of the reader costs eight times as much as the look whether it is still ActiveSupport's.
VALUE rails_setting::value(VALUE encoding_module) const {
    if (reader.quickly(method_watch::entry_of(singleton, name))) [[likely]]
        return rb_ivar_get(encoding_module, variable);
    // Not there: a profile of a newer ActiveSupport than the loaded one.
    if (!rb_method_boundp(singleton, name, 0)) return rb_ivar_get(encoding_module, variable);
    return rb_funcallv(encoding_module, name, 0, nullptr);
}

// The reader marks no class where it was not found: then `value` asks the singleton class by name, so that must stay
// where it is.
void rails_setting::mark() const {
    reader.mark();
    rb_gc_mark(singleton);
}

void rails_profile::learn(VALUE klass, way chosen) {
    if (klass == Qnil || known_count == knowns.size()) return;  // an unknown one is called, which is right as well
    const method_watch m(klass, "as_json");
    if (comes_from(m, "active_support/core_ext/object/json.rb") || comes_from(m, "active_support/time_with_zone.rb") ||
        comes_from(m, "active_support/duration.rb"))
        knowns[known_count++] = {m, chosen, chosen == way::text ? stock(klass, "to_s", "in C") : method_watch{}};
}

const known* rails_profile::late_known_of(VALUE klass, VALUE owner) const {
    const VALUE name = rb_mod_name(owner);
    if (!RB_TYPE_P(name, T_STRING)) return nullptr;
    const std::string_view text(RSTRING_PTR(name), static_cast<std::size_t>(RSTRING_LEN(name)));
    for (late_known& l : lates) {
        if (text != l.owner) continue;
        if (l.state.load() == late_known::unknown) {
            // Calls Ruby, which may jump; two threads may do it at once, and find the same.
            const method_watch m(owner, "as_json");
            const VALUE location = m.found() ? m.location() : Qnil;
            if (location != Qnil && comes_from(m, l.file)) {
                // Nothing is called in between, so it does not stay half written.
                auto state = late_known::unknown;
                if (l.state.compare_exchange_strong(state, late_known::being_written)) {
                    l.found = {m, l.chosen, {}};
                    l.state.store(late_known::ready);
                }
            }
        }
        if (l.state.load() == late_known::ready && l.found.as_json.owner() == owner && l.found.as_json.holds(klass))
            return &l.found;
        break;
    }
    RB_GC_GUARD(const_cast<VALUE&>(name));
    return nullptr;
}

// to_s is its own behind those that only choose the format.
void rails_profile::learn_decimal(VALUE klass) {
    if (klass == Qnil || !learn_decimals(klass)) return;
    decimal_finite = stock(klass, "finite?", "");
    if (!decimal_finite.found() || decimal_finite.location() != Qnil) return;
    std::size_t n = 0;
    method_watch link(klass, "to_s");
    while (link.found() && link.location() != Qnil && n + 1 < decimal_to_s.size()) {
        if (!comes_from(link, "active_support/core_ext/big_decimal/conversions.rb") &&
            !comes_from(link, "active_support/core_ext/numeric/conversions.rb") &&
            !comes_from(link, "active_support/core_ext/numeric/deprecated_conversions.rb"))
            return;
        decimal_to_s[n++] = link;
        link = method_watch::behind(klass, link.owner(), "to_s");
    }
    if (!link.found() || link.location() != Qnil || link.owner() != klass) return;
    decimal_to_s[n] = link;
    learn(klass, way::decimal);
}

// Whose as_json is to_s. That of an IPAddr says more in newer versions.
void rails_profile::learn_texts() {
    for (const VALUE klass : {rb_cRange, rb_cRegexp, rb_eException, rb_cIO, constant(rb_cObject, "Pathname")})
        learn(klass, way::text);
    if (const VALUE uri = constant(rb_cObject, "URI"); uri != Qnil) learn(constant(uri, "Generic"), way::text);
    const VALUE address = constant(rb_cObject, "IPAddr");
    if (address == Qnil) return;
    const VALUE net = rb_funcall(address, rb_intern("new"), 1, rb_str_new_cstr("10.0.0.0/8"));
    if (rb_equal(rb_funcall(net, id_as_json, 0), rb_funcall(net, id_to_s, 0))) learn(address, way::text);
}

// Tries multipliers until the usual classes are apart: two that share a place would be looked up again at every other
// value.
void rails_profile::spread(const VALUE* classes, std::size_t n) {
    for (int round = 0; round < 100000; ++round) {
        std::uint64_t taken = 0;
        std::size_t i = 0;
        for (; i < n; ++i) {
            const std::uint64_t bit = std::uint64_t{1} << slot_of(classes[i]);
            if (classes[i] != Qnil && (taken & bit) != 0) break;
            taken |= bit;
        }
        if (i == n) return;
        multiplier = multiplier * 0xD1342543DE82EF95u + 2;
        multiplier |= 1;
    }
}

void rails_profile::fill(VALUE o) {
    const VALUE name = option(o, "family");
    if (name == symbol("as_json"))
        family = family::as_json;
    else if (name == symbol("jsonify"))
        family = family::jsonify;
    else if (name == symbol("coder"))
        family = family::coder;
    else
        rb_raise(rb_eArgError, "family: is one of :as_json, :jsonify, :coder, not %+" PRIsVALUE, name);

    const VALUE floats = option(o, "floats");
    if (floats == symbol("ruby"))
        dialect.floats = scalar::float_layout::ruby;
    else if (floats == symbol("json_2_11"))
        dialect.floats = scalar::float_layout::json_2_11;
    else if (floats == symbol("json_2_12"))
        dialect.floats = scalar::float_layout::json_2_12;
    else if (floats == symbol("json_2_15"))
        dialect.floats = scalar::float_layout::json_2_15;
    else
        rb_raise(rb_eArgError, "floats: is one of :ruby, :json_2_11, :json_2_12, :json_2_15, not %+" PRIsVALUE, floats);

    max_nesting = NUM2LONG(option(o, "max_nesting"));
    const VALUE escapes = option(o, "escape_options");
    escape_option = escapes == symbol("escape");
    entities_option = escape_option || escapes == symbol("escape_html_entities");
    separators_global = RTEST(option(o, "js_separators"));
    const VALUE active_support = option(o, "active_support"), json = option(o, "json");
    frozen_options = at_least(active_support, 8, 0, 0);
    texts_as_key_only = at_least(active_support, 8, 1, 3);
    circular_hint = at_least(json, 2, 10, 0);
    symbol_name = rb_intern(at_least(active_support, 8, 0, 0) ? "name" : "to_s");

    const VALUE support = rb_const_get(rb_cObject, rb_intern("ActiveSupport"));
    encoding_module = rb_path2class("ActiveSupport::JSON::Encoding");
    json_module = rb_const_get(rb_cObject, rb_intern("JSON"));
    text_gsub = family == family::jsonify && !at_least(active_support, 8, 1, 0);
    if (text_gsub) stock_encoder = rb_const_get(encoding_module, rb_intern("JSONGemEncoder"));
    fragment = constant(json_module, "Fragment");
    zoned_class = constant(support, "TimeWithZone");
    date_class = constant(rb_cObject, "Date");
    moment_class = constant(rb_cObject, "DateTime");
    entities = {encoding_module, "escape_html_entities_in_json", "@escape_html_entities_in_json"};
    separators = {encoding_module, "escape_js_separators_in_json", "@escape_js_separators_in_json"};
    standard_times = {encoding_module, "use_standard_json_time_format", "@use_standard_json_time_format"};
    precision = {encoding_module, "time_precision", "@time_precision"};
    generate_options = rb_hash_new();
    if (max_nesting == 0) rb_hash_aset(generate_options, symbol("max_nesting"), Qfalse);
    rb_obj_freeze(generate_options);
    state = rb_funcall(rb_const_get(json_module, rb_intern("State")), rb_intern("new"), 1, generate_options);

    learn(rb_cString, way::string);
    learn(rb_cHash, way::hash);
    learn(rb_cArray, way::array);
    learn(rb_cInteger, way::integer);
    learn(rb_cNumeric, way::integer);
    learn(rb_cFloat, way::real);
    learn(rb_cSymbol, way::symbol);
    learn(rb_cNilClass, way::null);
    learn(rb_cTrueClass, way::truth);
    learn(rb_cFalseClass, way::truth);
    learn(rb_cTime, way::time);
    learn(zoned_class, way::zoned);
    learn(moment_class, way::moment);
    learn(date_class, way::date);
    learn(rb_cObject, way::fields);
    learn(rb_cStruct, way::members);
    const VALUE set_class = constant(rb_cObject, "Set");
    learn(set_class, way::set);
    set_to_a = stock(set_class, "to_a", "/set.rb");
    learn(rb_mEnumerable, way::listed);
    const VALUE decimal_class = constant(rb_cObject, "BigDecimal"), duration_class = constant(support, "Duration");
    learn_decimal(decimal_class);
    learn(duration_class, way::seconds);
    learn_texts();

    const VALUE usual[] = {rb_cString,  rb_cHash,     rb_cArray,     rb_cInteger,    rb_cFloat,
                           rb_cSymbol,  rb_cNilClass, rb_cTrueClass, rb_cFalseClass, rb_cTime,
                           zoned_class, moment_class, date_class,    decimal_class,  duration_class};
    spread(usual, std::size(usual));

    hash_as_json = stock(rb_cHash, "as_json", "active_support/core_ext/object/json.rb");
    string_to_json =
        method_watch::behind(rb_cString, rb_path2class("ActiveSupport::ToJsonWithActiveSupportEncoder"), "to_json");
    if (!comes_from(string_to_json, "active_support/core_ext/object/json.rb")) string_to_json = {};
    string_to_json_front = stock(rb_cString, "to_json", "active_support/core_ext/object/json.rb");
    symbol_to_json = stock(rb_cSymbol, "to_json", "active_support/core_ext/object/json.rb");
    time_xmlschema = stock(rb_cTime, "xmlschema", "/time.rb");
    time_formatted_offset = stock(rb_cTime, "formatted_offset", "active_support/core_ext/time/conversions.rb");
    zoned_xmlschema = stock(zoned_class, "xmlschema", "active_support/time_with_zone.rb");
    const char* const parts[] = {"formatted_offset", "utc_offset", "time", "utc?", "zone", "period"};
    for (std::size_t i = 0; i < std::size(parts); ++i)
        zoned_parts[i] = stock(zoned_class, parts[i], "active_support/time_with_zone.rb");
    time_iso8601 = stock(rb_cTime, "iso8601", "/time.rb");
    moment_xmlschema = stock(moment_class, "xmlschema", "/date.rb");
    moment_strftime = stock(moment_class, "strftime", "/date.rb");
    date_strftime = stock(date_class, "strftime", "/date.rb");
    duration_to_i = stock(duration_class, "to_i", "active_support/duration.rb");
    integer_to_i = stock(rb_cInteger, "to_i", ">");  // Ruby's own files are <internal:...>
    instance_values = stock(rb_cObject, "instance_values", "active_support/core_ext/object/instance_variables.rb");
}

void rails_profile::mark() const {
    for (const VALUE v : {stock_encoder, encoding_module, json_module, generate_options, state, fragment, zoned_class,
                          date_class, moment_class})
        rb_gc_mark(v);
    for (std::size_t i = 0; i < known_count; ++i) {
        knowns[i].as_json.mark();
        knowns[i].c_to_s.mark();
    }
    for (const rails_setting* const setting : {&entities, &separators, &standard_times, &precision}) setting->mark();
    for (const method_watch* const m :
         {&hash_as_json, &string_to_json, &string_to_json_front, &symbol_to_json, &set_to_a, &time_xmlschema,
          &time_formatted_offset, &zoned_xmlschema, &decimal_finite, &duration_to_i, &integer_to_i, &time_iso8601,
          &moment_xmlschema, &moment_strftime, &date_strftime, &instance_values})
        m->mark();
    for (const method_watch& m : zoned_parts) m.mark();
    for (const method_watch& m : decimal_to_s) m.mark();
    for (const late_known& l : lates)
        if (l.state.load() == late_known::ready) l.found.as_json.mark();
}

}  // namespace kumihimo::inline v0::ruby
