// Kumihimo::Rails::Encoder: what ActiveSupport.json_encoder asks of a class, and nothing else.
// `Encoder.define(profile)` makes the class for an ActiveSupport and a json; lib/kumihimo/rails/profile.rb knows which
// profile that is.
//
// An encoder is frozen and holds its options only: one instance serves all threads, and all Ractors. ActiveSupport's
// globals are read each time.
#include "rails.hpp"

#include "module.hpp"
#include "rails_walk.hpp"

#ifdef HAVE_RB_EXT_RACTOR_SAFE
#include <ruby/ractor.h>
#endif

namespace kumihimo::inline v0::ruby {

ID id_as_json, id_to_a, id_to_h, id_to_s, id_to_json, id_instance_values;

namespace {

ID id_profile, id_default, id_default_proc, id_default_value, id_dup, id_delete, id_fetch, id_empty;
ID id_to_hash, id_respond_to_missing, id_method_missing, id_encode;
VALUE encoder_class;

VALUE symbol(const char* name) { return rb_id2sym(rb_intern(name)); }

const rb_data_type_t profile_type = {"Kumihimo::Rails::Profile",
                                     {[](void* p) { static_cast<const rails_profile*>(p)->mark(); },
                                      [](void* p) { delete static_cast<rails_profile*>(p); },
                                      [](const void*) { return sizeof(rails_profile); },
                                      nullptr,
                                      {nullptr}},
                                     nullptr,
                                     nullptr,
                                     RUBY_TYPED_FREE_IMMEDIATELY};

struct encoder {
    const rails_profile* profile;  // lives for good
    VALUE given;                   // what #options answers
    VALUE options;                 // what as_json gets, frozen; nil: no first pass
    bool hash;                     // options are a Hash, so only: and except: can be looked at here
    bool filtered;
    signed char escape, entities;  // -1: not given
};

const rb_data_type_t encoder_type = {"Kumihimo::Rails::Encoder",
                                     {[](void* p) {
                                          rb_gc_mark(static_cast<encoder*>(p)->given);
                                          rb_gc_mark(static_cast<encoder*>(p)->options);
                                      },
                                      RUBY_TYPED_DEFAULT_FREE,
                                      [](const void*) { return sizeof(encoder); },
                                      nullptr,
                                      {nullptr}},
                                     nullptr,
                                     nullptr,
#ifdef RUBY_TYPED_FROZEN_SHAREABLE
                                     RUBY_TYPED_FROZEN_SHAREABLE |
#endif
                                         RUBY_TYPED_FREE_IMMEDIATELY};

encoder& encoder_of(VALUE self) { return *static_cast<encoder*>(rb_check_typeddata(self, &encoder_type)); }

VALUE allocate(VALUE klass) {
    encoder* e;
    const VALUE self = TypedData_Make_Struct(klass, encoder, &encoder_type, e);
    *e = {nullptr, Qnil, Qnil, true, false, -1, -1};
    return self;
}

/// An empty Hash, without what it would answer all the same.
bool says_nothing(VALUE options) {
    return class_of(options) == rb_cHash && RHASH_EMPTY_P(options) &&
           rb_funcallv(options, id_default_proc, 0, nullptr) == Qnil &&
           rb_funcallv(options, id_default_value, 0, nullptr) == Qnil;
}

/// new(options = nil) -> an encoder; the one that is there already when there are no options.
VALUE make(int argc, VALUE* argv, VALUE klass) {
    rb_check_arity(argc, 0, 1);
    if (argc == 0 || argv[0] == Qnil || says_nothing(argv[0])) {
        const VALUE shared = rb_ivar_get(klass, id_default);
        if (shared != Qnil) [[likely]]
            return shared;
    }
    return rb_class_new_instance(argc, argv, klass);
}

VALUE initialize(int argc, VALUE* argv, VALUE self) {
    rb_check_arity(argc, 0, 1);
    encoder& e = encoder_of(self);
    VALUE profile = Qnil;
    for (VALUE c = rb_obj_class(self); profile == Qnil && RTEST(c); c = rb_class_superclass(c))
        profile = rb_ivar_get(c, id_profile);
    if (profile == Qnil)
        rb_raise(rb_eArgError, "Kumihimo::Rails::Encoder has no profile: make a class with Encoder.define(profile)");
    e.profile = reinterpret_cast<const rails_profile*>(NUM2ULL(profile));

    const VALUE given = argc == 0 || !RTEST(argv[0]) ? rb_hash_new() : argv[0];
    RB_OBJ_WRITE(self, &e.given, given);
    VALUE options = given;
    e.hash = class_of(options) == rb_cHash;  // of another class, only as_json knows what [] and slice mean
    if (e.hash) {
        options = rb_obj_dup(options);
        if (e.profile->escape_option) {
            // Only the Coder's encoder takes it out; to the other it is an option like any.
            const VALUE escape = rb_hash_aref(options, symbol("escape"));
            if (e.profile->family == family::coder) rb_hash_delete(options, symbol("escape"));
            if (rb_hash_lookup2(given, symbol("escape"), Qundef) != Qundef) e.escape = RTEST(escape);
            RB_OBJ_WRITE(self, &e.given, rb_obj_freeze(rb_obj_dup(options)));
        }
        if (e.profile->entities_option) {
            const VALUE entities = rb_hash_lookup2(options, symbol("escape_html_entities"), Qundef);
            if (entities != Qundef) e.entities = RTEST(entities);
        }
        e.filtered = RTEST(rb_hash_aref(options, symbol("only"))) || RTEST(rb_hash_aref(options, symbol("except")));
        rb_obj_freeze(options);
    } else if (e.profile->family == family::coder) {
        // A Hash with indifferent access, OrderedOptions, parameters: what their own methods answer to stock.
        options = rb_funcallv_public(options, id_dup, 0, nullptr);
        const VALUE name = symbol("escape");
        e.escape = RTEST(rb_block_call(
            options, id_delete, 1, &name, [](RB_BLOCK_CALL_FUNC_ARGLIST(first, data)) -> VALUE { return (void)first, data; },
            Qtrue));
        rb_obj_freeze(options);
        RB_OBJ_WRITE(self, &e.given, options);
    }
    const bool empty =
        e.hash ? RHASH_EMPTY_P(options) : e.profile->family != family::as_json && RTEST(rb_funcall(options, id_empty, 0));
    RB_OBJ_WRITE(self, &e.options, empty && e.profile->family != family::as_json ? Qnil : options);
    rb_obj_freeze(self);
    return self;
}

VALUE initialize_copy(VALUE self, VALUE other) {
    if (self == other) return self;
    const encoder& from = encoder_of(other);
    encoder& to = encoder_of(self);
    rb_check_frozen(self);
    to = from;
    RB_OBJ_WRITTEN(self, Qundef, to.given);
    RB_OBJ_WRITTEN(self, Qundef, to.options);
    return self;
}

VALUE options(VALUE self) { return encoder_of(self).given; }

template <const json::escape_set& Escapes>
VALUE encode_with(const encoder& e, VALUE value) {
    char here[4096];
    string_output out(here, sizeof here);
    rails_walk<Escapes> walk(out, *e.profile, e.options, e.filtered);
    walk.document(value, e.options != Qnil, e.hash);
    return out.take();
}

/// Whether a String might answer to_hash: then gsub! takes replacements out of that. Whoever does so to all Strings
/// gets stock.
bool strings_are_hashes() {
    return rb_method_boundp(rb_cString, id_to_hash, 0) || !rb_method_basic_definition_p(rb_cString, id_respond_to_missing) ||
           !rb_method_basic_definition_p(rb_cString, id_method_missing);
}

/// options.fetch(name, otherwise), for options that are no plain Hash.
VALUE fetched(VALUE options, const char* name, VALUE otherwise) {
    const VALUE arguments[] = {symbol(name), otherwise};
    return rb_funcallv_public(options, id_fetch, 2, arguments);
}

VALUE encode(VALUE self, VALUE value) {
    const encoder& e = encoder_of(self);
    if (e.profile == nullptr) [[unlikely]]
        rb_raise(rb_eArgError, "an encoder that was not initialized: make it with new");
    const rails_profile& p = *e.profile;
    if (p.text_gsub && strings_are_hashes()) [[unlikely]] {
        const VALUE stock = rb_class_new_instance(1, &e.given, p.stock_encoder);
        return rb_funcall(stock, id_encode, 1, value);
    }
    if (p.escape_option && e.escape == 0) return encode_with<json::rfc8259_escapes>(e, value);
    bool entities;
    if (e.hash || !p.entities_option) [[likely]] {
        entities = e.entities >= 0 ? e.entities != 0 : RTEST(p.entities.value(p.encoding_module));
    } else {
        if (p.escape_option && p.family != family::coder && !RTEST(fetched(e.given, "escape", Qtrue)))
            return encode_with<json::rfc8259_escapes>(e, value);
        entities = RTEST(fetched(e.given, "escape_html_entities", p.entities.value(p.encoding_module)));
    }
    const bool separators = !p.separators_global || RTEST(p.separators.value(p.encoding_module));
    if (entities) return separators ? encode_with<json::html_safe_escapes>(e, value) : encode_with<entity_escapes>(e, value);
    return separators ? encode_with<separator_escapes>(e, value) : encode_with<json::rfc8259_escapes>(e, value);
}

/// define(profile) -> the class of encoders for that profile.
VALUE define(VALUE self, VALUE options) {
    Check_Type(options, T_HASH);
    // Owned before it is filled: what is found is marked while more is looked for.
    rails_profile* const profile = new rails_profile;
    const VALUE holder = TypedData_Wrap_Struct(0, &profile_type, profile);
    profile->fill(options);
    rb_gc_register_mark_object(holder);  // encoders point to it from every Ractor; there are as many as classes are made

    const VALUE made = rb_funcall(rb_cClass, rb_intern("new"), 1, self);
    rb_ivar_set(made, id_profile, ULL2NUM(reinterpret_cast<std::uintptr_t>(profile)));
    const VALUE shared = rb_class_new_instance(0, nullptr, made);
#ifdef HAVE_RB_EXT_RACTOR_SAFE
    rb_ractor_make_shareable(shared);
#endif
    rb_ivar_set(made, id_default, shared);
    return made;
}

}  // namespace

void init_rails(VALUE kumihimo) {
    id_as_json = rb_intern("as_json");
    id_to_a = rb_intern("to_a");
    id_to_h = rb_intern("to_h");
    id_to_s = rb_intern("to_s");
    id_to_json = rb_intern("to_json");
    id_instance_values = rb_intern("instance_values");
    id_profile = rb_intern("__profile__");
    id_default = rb_intern("__default__");
    id_to_hash = rb_intern("to_hash");
    id_respond_to_missing = rb_intern("respond_to_missing?");
    id_method_missing = rb_intern("method_missing");
    id_encode = rb_intern("encode");
    id_default_proc = rb_intern("default_proc");
    id_default_value = rb_intern("default");
    id_dup = rb_intern("dup");
    id_delete = rb_intern("delete");
    id_fetch = rb_intern("fetch");
    id_empty = rb_intern("empty?");
    init_methods();
    init_rails_walk();
    const VALUE rails = rb_define_module_under(kumihimo, "Rails");
    encoder_class = lasting(rb_define_class_under(rails, "Encoder", rb_cObject));
    rb_define_alloc_func(encoder_class, allocate);
    rb_define_singleton_method(encoder_class, "define", define, 1);
    rb_define_singleton_method(encoder_class, "new", make, -1);
    rb_define_method(encoder_class, "initialize", initialize, -1);
    rb_define_method(encoder_class, "initialize_copy", initialize_copy, 1);
    rb_define_method(encoder_class, "encode", encode, 1);
    rb_define_method(encoder_class, "options", options, 0);
}

}  // namespace kumihimo::inline v0::ruby
