#include "rails_walk.hpp"

namespace kumihimo::inline v0::ruby {
namespace {

// Looked up once: rb_intern hashes its text.
struct {
    ID to_s, name, each, map, members, values, to_h, to_hash, respond_to, respond_to_missing, instance_variables,
        instance_variable_get, utc_p, utc_offset, strftime, finite, generate, dup, value, key_p, root, include_root_in_json,
        serializable_hash, records, path, mesg, hash, keys;
} ids;

/// Hash[pairs] is how stock makes a Hash of members and of instance variables; it asks the Array for a to_hash first.
bool pairs_make_hashes() {
    return !rb_method_boundp(rb_cArray, ids.to_hash, 0) && own(rb_cArray, ids.respond_to_missing) &&
           own(rb_cArray, ids.respond_to) && own(rb_cArray, ids.map) && own(rb_cArray, ids.to_h);
}

/// A private or protected as_json: stock's call fails, and so does ours. Of a protected one that all objects have it
/// does not.
bool stock_may_call(VALUE klass, VALUE owner) {
    constexpr int public_only = 1, not_protected = 2;  // as rb_method_boundp counts
    if (rb_method_boundp(klass, id_as_json, public_only | not_protected)) [[likely]]
        return true;
    return rb_method_boundp(klass, id_as_json, public_only) && RTEST(rb_class_inherited_p(rb_cObject, owner));
}

}  // namespace

void init_rails_walk() {
    ids = {rb_intern("to_s"),
           rb_intern("name"),
           rb_intern("each"),
           rb_intern("map"),
           rb_intern("members"),
           rb_intern("values"),
           rb_intern("to_h"),
           rb_intern("to_hash"),
           rb_intern("respond_to?"),
           rb_intern("respond_to_missing?"),
           rb_intern("instance_variables"),
           rb_intern("instance_variable_get"),
           rb_intern("utc?"),
           rb_intern("utc_offset"),
           rb_intern("strftime"),
           rb_intern("finite?"),
           rb_intern("generate"),
           rb_intern("dup"),
           rb_intern("@value"),
           rb_intern("key?"),
           rb_intern("root"),
           rb_intern("include_root_in_json"),
           rb_intern("serializable_hash"),
           rb_intern("records"),
           rb_intern("@path"),
           rb_intern("mesg"),
           rb_intern("@hash"),
           rb_intern("keys")};
    init_rails_keys();
}

way rails_walk_base::way_again(unsigned i, VALUE klass, VALUE v) {
    const void* const entry = method_watch::entry_of(klass, id_as_json);
    // Without the method cache, to ask again after each to_s, which runs Ruby, costs more than as_json itself.
    if (entry == nullptr && met_[i] == klass && (met_ways_[i] == way::text || met_ways_[i] == way::c_text))
        return met_ways_[i] = way::call;
    const known* k = nullptr;
    if (met_[i] == klass && met_knowns_[i] != nullptr)
        k = (entry != nullptr && entry == met_entries_[i]) || met_knowns_[i]->as_json.holds(klass) ? met_knowns_[i] : nullptr;
    if (k == nullptr) k = profile_.known_of(klass);
    const bool known = k != nullptr && stock_may_call(klass, k->as_json.owner()) && calls_known(k->chosen, klass, v);
    met_[i] = klass;
    met_knowns_[i] = k;
    met_entries_[i] = entry;
    met_runs_[i] = runs_;
    if (!known) return met_ways_[i] = way::call;
    return met_ways_[i] = k->c_to_s.found() && k->c_to_s.holds(klass) ? way::c_text : k->chosen;
}

const known* rails_profile::known_of(VALUE klass) const {
    if (const void* const entry = method_watch::entry_of(klass, id_as_json); entry != nullptr) {
        for (std::size_t i = 0; i < known_count; ++i)
            if (knowns[i].as_json.quickly(entry)) return &knowns[i];
    }
    // The class itself, before its ancestors: Integer, whose as_json is Numeric's, has a watch of its own.
    for (std::size_t i = 0; i < known_count; ++i)
        if (knowns[i].as_json.klass() == klass) return knowns[i].as_json.holds(klass) ? &knowns[i] : nullptr;
    const VALUE owner = method_watch::owner_of(klass, id_as_json);
    for (std::size_t i = 0; i < known_count; ++i)
        if (knowns[i].as_json.owner() == owner && knowns[i].as_json.holds(klass)) return &knowns[i];
    return owner == 0 ? nullptr : late_known_of(klass, owner);
}

bool rails_walk_base::calls_known(way chosen, VALUE klass, VALUE v) {
    bool holds = true;
    const auto hashes_answer = [this] {
        return own(rb_cHash, ids.each) && profile_.hash_as_json.holds() &&
               stock_may_call(rb_cHash, profile_.hash_as_json.owner());
    };
    switch (chosen) {
        case way::string: holds = RB_TYPE_P(v, T_STRING); break;
        case way::symbol: holds = RB_SYMBOL_P(v) && own(klass, profile_.symbol_name); break;
        case way::integer: holds = RB_INTEGER_TYPE_P(v); break;  // other numbers answer themselves, which JSON has no word for
        case way::real:
            holds = RB_FLOAT_TYPE_P(v) && own(klass, ids.finite) &&
                    (profile_.dialect.floats != scalar::float_layout::ruby || has_own_digits(rb_cFloat));
            break;
        case way::hash: holds = RB_TYPE_P(v, T_HASH) && own(klass, ids.each); break;
        case way::array: holds = RB_TYPE_P(v, T_ARRAY) && own(klass, ids.map); break;
        case way::members:
            holds = RB_TYPE_P(v, T_STRUCT) && hashes_answer() && pairs_make_hashes() && own(klass, ids.members) &&
                    own(klass, ids.values) && own(klass, ids.to_h);
            break;
        case way::fields:
            // respond_to?(:to_hash) decides, and a class may answer that by itself.
            holds = !RB_SPECIAL_CONST_P(v) && hashes_answer() && pairs_make_hashes() && own(klass, ids.respond_to) &&
                    own(klass, ids.respond_to_missing) && !rb_method_boundp(klass, ids.to_hash, 0) &&
                    own(klass, ids.instance_variables) && own(klass, ids.instance_variable_get) &&
                    profile_.instance_values.holds(klass);
            break;
        case way::time:
            read_clock();
            holds = own(klass, ids.utc_p) && own(klass, ids.utc_offset) && own(klass, ids.strftime) &&
                    (standard_times_ ? profile_.time_xmlschema : profile_.time_formatted_offset).holds(klass);
            break;
        case way::zoned:
            read_clock();
            holds = klass == profile_.zoned_class && own(rb_cTime, ids.strftime) && profile_.time_xmlschema.holds() &&
                    profile_.time_iso8601.holds() && (!standard_times_ || profile_.zoned_xmlschema.holds(klass));
            for (const method_watch& part : profile_.zoned_parts) holds = holds && part.holds();
            break;
        case way::date: holds = klass == profile_.date_class && profile_.date_strftime.holds(klass); break;
        case way::moment:
            read_clock();
            holds = klass == profile_.moment_class &&
                    (standard_times_ ? profile_.moment_xmlschema : profile_.moment_strftime).holds(klass);
            break;
        case way::set: holds = profile_.set_to_a.holds(klass) && own(rb_cHash, ids.keys); break;
        case way::seconds: holds = profile_.duration_to_i.holds(klass) && profile_.integer_to_i.holds(); break;
        case way::decimal:
            holds = profile_.decimal_finite.holds(klass);
            for (const method_watch& link : profile_.decimal_to_s)
                if (link.found()) holds = holds && link.holds(klass);
            break;
        default: break;
    }
    return holds;
}

bool rails_walk_base::has_root(VALUE model, VALUE options) {
    if (options != Qnil) {
        // Whether a Hash of another class has the key is for its own key? to say.
        if (!RB_TYPE_P(options, T_HASH) || class_of(options) != rb_cHash || !own(rb_cHash, ids.key_p)) return true;
        const VALUE root = rb_hash_lookup2(options, rb_id2sym(ids.root), Qundef);
        if (root != Qundef) return RTEST(root);
    }
    if (!rb_method_boundp(class_of(model), ids.include_root_in_json, 0)) return true;
    const VALUE root = rb_funcallv(model, ids.include_root_in_json, 0, nullptr);
    ran_ruby();
    return RTEST(root);
}

VALUE rails_walk_base::attributes_of(VALUE model, VALUE options) {
    const VALUE hash = rb_funcallv(model, ids.serializable_hash, 1, &options);
    ran_ruby();
    return hash;
}

VALUE rails_walk_base::records_of(VALUE relation) {
    const VALUE all = rb_funcallv(relation, ids.records, 0, nullptr);
    ran_ruby();
    return all;
}

VALUE rails_walk_base::text_of(VALUE v, way chosen) {
    // As stock does without a receiver, so a private one too.
    const VALUE text = rb_funcallv(v, id_to_s, 0, nullptr);
    if (chosen != way::c_text || !calls_nothing(v)) ran_ruby();
    return text;
}

bool rails_walk_base::calls_nothing(VALUE v) {
    const auto plain = [this](VALUE end) {
        return RB_FIXNUM_P(end) ? numbers_are_stock() : !RB_SPECIAL_CONST_P(end) && RBASIC_CLASS(end) == rb_cString;
    };
    switch (RB_BUILTIN_TYPE(v)) {
        case T_REGEXP:
        case T_FILE: return true;
        case T_STRUCT: {
            VALUE first, last;
            int without_last;
            return rb_range_values(v, &first, &last, &without_last) == Qtrue && plain(first) && plain(last);
        }
        // A Pathname, or an exception with a text.
        case T_OBJECT: return RB_TYPE_P(rb_attr_get(v, ids.path), T_STRING) || RB_TYPE_P(rb_attr_get(v, ids.mesg), T_STRING);
        default: return false;
    }
}

VALUE rails_walk_base::keys_of_set(VALUE set) {
    const VALUE hash = rb_attr_get(set, ids.hash);
    return RB_TYPE_P(hash, T_HASH) && class_of(hash) == rb_cHash ? rb_funcallv(hash, ids.keys, 0, nullptr) : Qnil;
}

bool rails_walk_base::writes_as_string(VALUE klass) {
    if (string_class_ != klass || string_runs_ != runs_) {
        string_class_ = klass;
        string_runs_ = runs_;
        string_holds_ = profile_.string_to_json_front.holds(klass) && profile_.string_to_json.holds();
    }
    return string_holds_;
}

VALUE rails_walk_base::seconds_of(VALUE duration) { return rb_attr_get(duration, ids.value); }

VALUE rails_walk_base::call(VALUE v, ID method, int argc, const VALUE* argv) {
    const VALUE answer = rb_funcallv_public(v, method, argc, argv);
    ran_ruby();
    return answer;
}

VALUE rails_walk_base::next_options() {
    if (options_ == Qnil) return Qnil;
    // A Hash that as_json may keep or change, so each call gets its own. A new one costs a third of a copy.
    // Only a plain Hash has surely Ruby's own dup.
    const auto copy = [this] {
        return class_of(options_) == rb_cHash ? rb_obj_dup(options_) : rb_funcallv_public(options_, ids.dup, 0, nullptr);
    };
    if (!profile_.frozen_options) return no_options_ ? rb_hash_new() : copy();
    if (shared_options_ == 0) shared_options_ = RB_OBJ_FROZEN(options_) ? options_ : rb_obj_freeze(copy());
    return shared_options_;
}

VALUE rails_walk_base::call_as_json(VALUE v) {
    if (options_ == Qnil) return call(v, id_as_json);
    const VALUE options = next_options();
    return call(v, id_as_json, 1, &options);
}

VALUE rails_walk_base::stock_text(VALUE v) {
    const auto generate = [&] {
        VALUE arguments[] = {v, profile_.generate_options};
        return rb_funcallv(profile_.json_module, ids.generate, 2, arguments);
    };
    VALUE text = Qnil;
    if (open_ == nullptr) {
        text = generate();
    } else if (const int state = protect([&] { text = generate(); }); state != 0) {
        if (!RTEST(rb_obj_is_kind_of(rb_errinfo(), rb_path2class("JSON::GeneratorError"))) || !rewrite_without_this())
            rb_jump_tag(state);
        rb_set_errinfo(Qnil);
        // What stands here is written again without this value. The caller may look for a key in it.
        text = rb_str_new_cstr("{\"\":null}");
    }
    ran_ruby();
    return StringValue(text);
}

void rails_walk_base::read_texts() {
    texts_stock_ = own(rb_cString, ids.to_s) && own(rb_cSymbol, ids.to_s);
    texts_known_ = true;
}
void rails_walk_base::read_numbers() {
    numbers_stock_ = has_own_digits(rb_cInteger);
    numbers_known_ = true;
}

bool rails_walk_base::floats_are_stock() const {
    return profile_.dialect.floats != scalar::float_layout::ruby || has_own_digits(rb_cFloat);
}

VALUE rails_walk_base::converted(VALUE s) {
    if (rb_enc_get_index(s) == binary_index) {
        const VALUE utf8 = rb_enc_associate_index(rb_str_dup(s), utf8_index);
        if (is_valid_utf8(utf8)) return utf8;
    }
    int state = 0;
    const VALUE made = rb_protect(
        [](VALUE p) { return rb_funcall(p, rb_intern("encode"), 1, rb_enc_from_encoding(rb_utf8_encoding())); }, s, &state);
    if (state != 0) {
        const VALUE error = rb_errinfo();
        if (!RTEST(rb_obj_is_kind_of(error, rb_eStandardError))) rb_jump_tag(state);
        rb_set_errinfo(Qnil);
        if (rewrite_without_this()) return rb_utf8_str_new("", 0);
        raise_stock_generator_error(s, rb_str_dup(rb_obj_as_string(error)));
    }
    if (!is_valid_utf8(made) && rewrite_without_this()) return rb_utf8_str_new("", 0);
    if (!is_valid_utf8(made)) raise_stock_generator_error(s, rb_str_new_cstr("source sequence is illegal/malformed utf-8"));
    return made;
}

VALUE rails_walk_base::coder_block(VALUE v, bool is_key, answer& is) {
    return coder_answer(v, call(v, id_as_json), is_key, is);
}

VALUE rails_walk_base::coder_answer(VALUE v, VALUE a, bool is_key, answer& is) {
    is = answer::value;
    if (is_key) {
        if (!profile_.texts_as_key_only) return call(a, id_to_s);
        if (!RB_TYPE_P(a, T_STRING)) return call(v, id_to_s);
    }
    if (a == v) {
        if (class_of(v) == rb_cString) {
            is = answer::string;
            return converted(v);
        }
        is = answer::json;
        return stock_text(a);
    }
    const auto native = [this](VALUE item) {
        if (RB_INTEGER_TYPE_P(item) || RB_SYMBOL_P(item) || item == Qnil || item == Qtrue || item == Qfalse) return true;
        const VALUE klass = rb_obj_class(item);
        return klass == rb_cHash || klass == rb_cArray || klass == rb_cString || klass == rb_cFloat ||
               (klass == profile_.fragment && klass != Qnil);
    };
    for (int left = 5; !native(a); --left) {
        if (left == 0) rb_exc_raise(rb_class_new_instance(0, nullptr, rb_eSysStackError));
        a = call(a, id_as_json);
    }
    return a;
}

bool rails_walk_base::own_each(VALUE klass) { return own(klass, ids.each); }
bool rails_walk_base::own_map(VALUE klass) { return own(klass, ids.map); }

VALUE rails_walk_base::by_own_each(VALUE hash) {
    const VALUE made = rb_hash_new();
    rb_block_call(
        hash, ids.each, 0, nullptr,
        [](RB_BLOCK_CALL_FUNC_ARGLIST(first, made)) -> VALUE {
            // each yields a pair, or two values.
            const VALUE pair = argc == 2 ? Qnil : rb_check_array_type(first);
            const VALUE key = pair == Qnil ? first : rb_ary_entry(pair, 0);
            const VALUE value = pair == Qnil ? (argc == 2 ? argv[1] : Qnil) : rb_ary_entry(pair, 1);
            return rb_hash_aset(made, key, value);
        },
        made);
    ran_ruby();
    return made;
}

VALUE rails_walk_base::by_own_map(VALUE array) {
    const VALUE made = rb_block_call(
        array, ids.map, 0, nullptr, [](RB_BLOCK_CALL_FUNC_ARGLIST(first, data)) -> VALUE { return (void)data, first; }, Qnil);
    ran_ruby();
    return made;
}

void rails_walk_base::too_deep() {
    if (deepest_ != 0) depth_ = profile_.max_nesting + 1;
    const char* const hint = profile_.circular_hint ? ". Did you try to serialize objects with circular references?" : "";
    rb_raise(rb_path2class("JSON::NestingError"), "nesting of %ld is too deep%s", depth_ - 1, hint);
}

void rails_walk_base::stack_overflow() { rb_raise(rb_eSysStackError, "stack level too deep"); }

void rails_walk_base::read_clock_again() {
    standard_times_ = RTEST(profile_.standard_times.value(profile_.encoding_module));
    const VALUE precision = profile_.precision.value(profile_.encoding_module);
    precision_ = RB_FIXNUM_P(precision) && RB_FIX2LONG(precision) >= 0 && RB_FIX2LONG(precision) <= 9
                     ? static_cast<int>(RB_FIX2LONG(precision))
                     : -1;
    clock_known_ = true;
}

std::size_t rails_walk_base::moment_text(VALUE v, way chosen, char* line) {
    read_clock();
    instant t;
    bool held = false;
    switch (chosen) {
        case way::time: held = instant_of_time(v, t, moments_); break;
        case way::zoned: held = instant_of_twz(v, t, moments_); break;
        case way::date: held = instant_of_date(v, t); break;
        default: held = instant_of_datetime(v, t); break;
    }
    if (!held) return 0;
    char* const e =
        standard_times_ ? write_xmlschema(line + 1, t, chosen == way::date ? 0 : precision_) : write_nonstandard(line + 1, t);
    if (e == nullptr) return 0;
    line[0] = *e = '"';
    return static_cast<std::size_t>(e + 1 - line);
}

void raise_stock_generator_error(VALUE object, VALUE message) {
    rb_enc_associate_index(message, utf8_index);
    const VALUE error = rb_exc_new_str(rb_path2class("JSON::GeneratorError"), message);
    rb_ivar_set(error, rb_intern("@invalid_object"), object);
    rb_exc_raise(error);
}

}  // namespace kumihimo::inline v0::ruby
