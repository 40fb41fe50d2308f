// Ruby objects -> JSON as ActiveSupport writes it, in one pass. Stock makes three (as_json over the tree, jsonify over
// its result, JSON.generate over that); each step of a value is looked up here by its class and written at once. Where
// the way of a class is not known, or is not the stock one any more, its as_json is called as stock would call it, and
// the walk goes on with the answer.
//
//      as_json(v)    stock's first pass: v.as_json(options), recursively
//      after(v)      what stock does with the answer: jsonify, or JSON::Coder, by the profile's family
//
// The walk recurses, as Ruby's own iteration over a Hash does; a depth beyond Ruby's stack is SystemStackError, as in
// stock. Nothing in its frames has a destructor (guard.hpp, rule 1).
#pragma once
#include "rails_walk_base.hpp"

namespace kumihimo::inline v0::ruby {

template <const json::escape_set& Escapes>
class rails_walk : rails_walk_base {
public:
    rails_walk(string_output& out, const rails_profile& profile, VALUE options, bool filtered)
        : rails_walk_base(profile, options, filtered), to_(out, profile.dialect) {
        turns_.follow(out);
    }

    /// `readable`: the options are a Hash. Anything else is for as_json alone to understand.
    void document(VALUE v, bool as_json_first, bool readable) {
        in_first_pass_ = as_json_first;
        if (!as_json_first)
            after(v);
        else if (readable)
            as_json(v);
        else
            after(call_as_json(v));
        if (deepest_ != 0) too_deep();
        to_.finish();
    }

private:
    // ---- the first pass

    void as_json(VALUE v) {
        const way chosen = way_of(class_of(v), v);
        switch (chosen) {
            case way::string:
                // Stock's as_json gives the very String, which another to_json or encoding may still matter to.
                if (profile_.family == family::as_json || (RBASIC_CLASS(v) == rb_cString && is_valid_utf8(v))) [[likely]]
                    return string(v);
                return after(v);
            case way::integer: return integer(v);
            case way::null: return to_.null();
            case way::truth: return to_.boolean(v == Qtrue);
            case way::real:
                // as_json gives nil, and what comes next is asked about that.
                if (profile_.family == family::as_json && !std::isfinite(RFLOAT_VALUE(v))) return after(Qnil);
                return real(v);
            case way::symbol: return string(rb_sym2str(v));
            case way::hash: return hash(filtered_ ? filtered_hash(v) : v);
            case way::array: return array(v);
            case way::listed: return list(call(v, id_to_a));
            case way::members: return members(v);
            case way::fields: return fields(v);
            case way::time:
            case way::zoned:
            case way::date:
            case way::moment: {
                char line[moment_room + 2];
                const bool plain = profile_.family != family::as_json || strings_are_stock();
                if (const std::size_t n = plain ? moment_text(v, chosen, line) : 0; n != 0) [[likely]]
                    return to_.raw(line, n);
                break;
            }
            case way::text:
            case way::c_text: return after(text_of(v, chosen));
            case way::set: {
                const VALUE keys = keys_of_set(v);
                if (keys != Qnil) return list(keys);
                break;
            }
            case way::seconds: {
                const VALUE n = seconds_of(v);
                if (RB_INTEGER_TYPE_P(n)) [[likely]]
                    return after(n);
                break;
            }
            case way::decimal:
                if ((profile_.family != family::as_json || strings_are_stock()) && decimal(v)) [[likely]]
                    return;
                break;
            case way::model: {
                const VALUE options = next_options();
                if (has_root(v, options)) return after(call(v, id_as_json, options_ == Qnil ? 0 : 1, &options));
                return first_pass_of(attributes_of(v, options));
            }
            case way::records: return list(records_of(v));
            case way::call:
            case way::unknown: break;
        }
        after(call_as_json(v));
    }
    bool decimal(VALUE v) {
        char line[decimal_room + 2];
        const std::size_t n = write_decimal(v, line + 1);
        if (n == 0) return false;
        line[0] = line[n + 1] = '"';
        to_.raw(line, n + 2);
        return true;
    }

    /// An answer of to_a or slice, which may be anything; an Array or Hash as a rule.
    void list(VALUE v) {
        // A to_a may give its own object, or another such one, without an end.
        if (++lists_ > 10000 || ruby_stack_check()) stack_overflow();
        as_json(v);
        --lists_;
    }

    void array(VALUE v) {
        enter();
        to_.open(false, static_cast<std::size_t>(RARRAY_LEN(v)));
        // Ruby code may run in between and change the array, so its length is asked each time.
        for (long i = 0; i < RARRAY_LEN(v); ++i) {
            as_json(RARRAY_AREF(v, i));
            turn();
        }
        to_.close(false);
        leave();
    }

    // ---- pairs, with keys by to_s

    enum class key_kind : unsigned char { none, string, symbol, integer, other, all_differ };
    struct pairs : open_hash {
        rails_walk* self;
        key_kind kind;
    };

    void hash(VALUE v) { each_pair(v, true); }

    void each_pair(VALUE v, bool first_pass) {
        if (equal_keys_differ(v) && !keys_differ(v)) [[unlikely]]
            v = with_text_keys(v, profile_.family == family::jsonify && !first_pass);
        key_kind kind = key_kind::none;
        if (!first_pass && profile_.family == family::as_json && !keys_of_one_kind(v)) [[unlikely]] {
            v = with_jsonified_keys(v);
            kind = key_kind::all_differ;
        }
        enter();
        const std::size_t n = RHASH_SIZE(v);
        to_.open(true, n);
        if (n != 0) {
            const std::size_t start = to_.mark();
            const long deepest = deepest_;
            pairs p{{v, open_, first_pass, false, kind == key_kind::all_differ}, this, kind};
            open_ = &p;
            rb_hash_foreach(v, reinterpret_cast<int (*)(VALUE, VALUE, VALUE)>(&pair), reinterpret_cast<VALUE>(&p));
            if (p.clash) [[unlikely]] {
                // Two keys have one text. Stock collects in a Hash of texts, so the second value takes the first one's
                // place.
                to_.rewind(start);
                deepest_ = deepest;
                p = {{merged(v, first_pass), p.outer, first_pass, false, true}, this, key_kind::all_differ};
                rb_hash_foreach(p.hash, reinterpret_cast<int (*)(VALUE, VALUE, VALUE)>(&pair), reinterpret_cast<VALUE>(&p));
                RB_GC_GUARD(p.hash);
            }
            open_ = p.outer;
        }
        to_.close(true);
        leave();
    }

    static int pair(VALUE key, VALUE value, VALUE argument) {
        pairs& p = *reinterpret_cast<pairs*>(argument);
        rails_walk& self = *p.self;
        const VALUE klass = class_of(key);
        key_kind kind = key_kind::other;
        // What jsonify leaves to JSON.generate is asked for no to_s, if it is a String or a Symbol.
        const bool generated = !p.first_pass && self.profile_.family == family::jsonify;
        // 6.1 and 7.0 ask the keys of an answer for their as_json.
        const bool asked = !p.first_pass && self.profile_.family == family::as_json;
        if (!generated && !self.keys_are_stock())
            ;  // every key is asked for its to_s
        else if (klass == rb_cString)
            kind = key_kind::string;
        else if (RB_SYMBOL_P(key) && (!asked || self.way_of(klass, key) == way::symbol))
            kind = key_kind::symbol;
        else if (RB_FIXNUM_P(key) && self.numbers_are_stock() && self.keys_are_stock() &&
                 (!asked || self.way_of(klass, key) == way::integer))
            kind = key_kind::integer;
        // Keys of one of these kinds have texts of their own. Of two kinds, they may not.
        if (kind != p.kind || kind == key_kind::other) [[unlikely]] {
            if (p.kind == key_kind::none && kind != key_kind::other) {
                p.kind = kind;
            } else if (p.kind != key_kind::all_differ && !p.first_pass && self.profile_.family == family::as_json) {
                p.clash = true;  // they have become so meanwhile
                return ST_STOP;
            } else if (p.kind != key_kind::all_differ && !self.same_texts_allowed(p, kind)) {
                if (!self.keys_differ(p.hash)) {
                    p.clash = true;
                    return ST_STOP;
                }
                p.kind = key_kind::all_differ;
                p.texts_differ = true;
            }
        }
        switch (kind) {
            case key_kind::string: self.key(key); break;
            case key_kind::symbol: self.key(rb_sym2str(key)); break;
            case key_kind::integer: {
                char digits[scalar::integer_room];
                const char* const e = scalar::write_i64(digits, RB_FIX2LONG(key));
                self.to_.key(digits, static_cast<std::size_t>(e - digits));
                break;
            }
            default: asked&& p.kind == key_kind::all_differ ? self.made_key(key) : self.other_key(key, p.first_pass); break;
        }
        if (p.first_pass)
            self.as_json(value);
        else
            self.after(value);
        self.turn();
        return ST_CONTINUE;
    }
    /// jsonify keeps Strings and Symbols apart, and JSON.generate writes both.
    bool same_texts_allowed(const pairs& p, key_kind kind) const noexcept {
        const auto plain = [](key_kind k) { return k == key_kind::string || k == key_kind::symbol; };
        return !p.first_pass && profile_.family == family::jsonify && plain(kind) && plain(p.kind);
    }

    [[gnu::always_inline]] void key(VALUE s) {
        if (is_valid_utf8(s) && (profile_.family != family::as_json || strings_are_stock())) [[likely]] {
            to_.key(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
            RB_GC_GUARD(s);
        } else {
            odd_key(s);
        }
    }
    [[gnu::noinline]] void other_key(VALUE k, bool first_pass) {
        if (!first_pass && profile_.family == family::as_json) return jsonified(k);
        VALUE s = call(k, id_to_s);
        if (!RB_TYPE_P(s, T_STRING)) return odd_key(s);
        key(s);
    }
    /// A key of a Hash that an as_json has answered. A String is escaped like a value; the to_s of anything else is
    /// not.
    [[gnu::cold, gnu::noinline]] void jsonified(VALUE k) { made_key(rails_walk_base::jsonified(k)); }
    /// What it has become.
    [[gnu::cold, gnu::noinline]] void made_key(VALUE made) {
        if (RB_TYPE_P(made, T_STRING)) return key(made);
        VALUE text = stock_text(call(made, id_to_s));
        to_.raw_key(RSTRING_PTR(text), static_cast<std::size_t>(RSTRING_LEN(text)));
        RB_GC_GUARD(text);
    }
    /// A key of another encoding, or one whose to_s is no String: what stock's generator makes of it, quotes and all.
    [[gnu::cold, gnu::noinline]] void odd_key(VALUE s) {
        if (profile_.family == family::coder && RB_TYPE_P(s, T_STRING)) return coder_odd_key(s);
        if (profile_.family == family::as_json && !strings_are_stock() && RB_TYPE_P(s, T_STRING)) {
            VALUE text = call(s, id_to_json, 1, &profile_.state);
            StringValue(text);
            to_.raw_escaped_key(RSTRING_PTR(text), static_cast<std::size_t>(RSTRING_LEN(text)));
            RB_GC_GUARD(text);
            return;
        }
        const VALUE wrapped = rb_hash_new();
        rb_hash_aset(wrapped, RB_TYPE_P(s, T_STRING) ? rb_str_new_frozen(s) : s, Qnil);
        VALUE text = stock_text(wrapped);  // {"key":null}
        if (RSTRING_LEN(text) < 7) rb_raise(rb_eTypeError, "JSON.generate gave no object: %+" PRIsVALUE, text);
        to_.raw_escaped_key(RSTRING_PTR(text) + 1, static_cast<std::size_t>(RSTRING_LEN(text)) - 7);
        RB_GC_GUARD(text);
    }

    // ---- objects

    void members(VALUE v) {
        // With a filter the members are a Hash like any other, with Symbols for keys.
        if (filtered_) return hash(filtered_hash(call(v, id_to_h)));
        if (!keys_are_stock()) return hash(call(v, id_to_h));
        const VALUE names = rb_struct_members(v);
        enter();
        to_.open(true, static_cast<std::size_t>(RARRAY_LEN(names)));
        for (long i = 0; i < RARRAY_LEN(names); ++i) {
            key(rb_sym2str(RARRAY_AREF(names, i)));
            as_json(RSTRUCT_GET(v, static_cast<int>(i)));
        }
        to_.close(true);
        leave();
    }

    struct field_list {
        static constexpr int room = 32;
        VALUE names[room];
        VALUE values[room];
        int count;
        bool more;
    };
    static int collect_field(ID name, VALUE value, st_data_t argument) {
        field_list& l = *reinterpret_cast<field_list*>(argument);
        if (!rb_is_instance_id(name)) return ST_CONTINUE;
        if (l.count == field_list::room) {
            l.more = true;
            return ST_STOP;
        }
        l.names[l.count] = rb_id2str(name);
        l.values[l.count++] = value;
        return ST_CONTINUE;
    }
    void fields(VALUE v) {
        if (filtered_ || !keys_are_stock()) return as_json(call(v, id_instance_values));
        // Collected first: an as_json may set an instance variable of the very object.
        field_list l;
        l.count = 0;
        l.more = false;
        rb_ivar_foreach(v, reinterpret_cast<int (*)(ID, VALUE, st_data_t)>(&collect_field), reinterpret_cast<st_data_t>(&l));
        if (l.more) return as_json(call(v, id_instance_values));
        enter();
        to_.open(true, static_cast<std::size_t>(l.count));
        for (int i = 0; i < l.count; ++i) {
            if (is_valid_utf8(l.names[i])) [[likely]]
                to_.key(RSTRING_PTR(l.names[i]) + 1, static_cast<std::size_t>(RSTRING_LEN(l.names[i])) - 1);
            else
                odd_key(rb_str_substr(l.names[i], 1, rb_str_strlen(l.names[i]) - 1));
            as_json(l.values[i]);
        }
        to_.close(true);
        leave();
    }

    // ---- scalars

    [[gnu::always_inline]] void string(VALUE s) {
        if (is_valid_utf8(s) && (profile_.family != family::as_json || strings_are_stock())) [[likely]] {
            to_.str(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
            RB_GC_GUARD(s);
        } else {
            odd_string(s);
        }
    }
    /// Another encoding, broken bytes, or a redefined String#to_json: stock's own answer, or stock's own error.
    [[gnu::cold, gnu::noinline]] void odd_string(VALUE s) {
        if (profile_.family == family::as_json && rb_obj_class(s) != rb_cString) {
            const VALUE plain = rb_enc_str_new(RSTRING_PTR(s), RSTRING_LEN(s), rb_enc_get(s));
            RB_GC_GUARD(s);
            s = plain;
        }
        splice(profile_.family == family::as_json && !strings_are_stock() ? call(s, id_to_json, 1, &profile_.state)
                                                                          : stock_text(s));
    }
    void integer(VALUE n) {
        if (RB_FIXNUM_P(n)) [[likely]]
            return to_.i64(RB_FIX2LONG(n));
        VALUE digits = rb_big2str(n, 10);
        to_.raw(RSTRING_PTR(digits), static_cast<std::size_t>(RSTRING_LEN(digits)));
        RB_GC_GUARD(digits);
    }
    void real(VALUE v) {
        const double x = RFLOAT_VALUE(v);
        if (std::isfinite(x)) [[likely]]
            return to_.finite_f64(x);
        to_.null();
    }

    /// Text that is JSON already. Stock's escapes come last, over everything.
    void splice(VALUE json) {
        StringValue(json);
        to_.raw_escaped(RSTRING_PTR(json), static_cast<std::size_t>(RSTRING_LEN(json)));
        RB_GC_GUARD(json);
    }
    /// Text of another to_json, which only the families that escape the whole output escape.
    void splice_foreign(VALUE json) {
        if (profile_.family != family::as_json) return splice(json);
        StringValue(json);
        to_.raw(RSTRING_PTR(json), static_cast<std::size_t>(RSTRING_LEN(json)));
        RB_GC_GUARD(json);
    }

    // ---- what stock does with the answer of as_json (rails_answers.hpp)

    void after(VALUE v);
    /// 6.1 and 7.0: every value that is no String, Hash or Array has its as_json called again.
    void jsonify_all(VALUE v);
    /// 7.1 to 8.0.
    void jsonify(VALUE v);
    /// 8.1. Exact classes of JSON's own are written whatever their as_json; `asked`: v is the block's answer already.
    void coder(VALUE v, bool asked);
    /// Writes what the block says of v; `last`: it is not asked again.
    void block_answer(VALUE v, bool last);
    [[gnu::noinline]] void block_answered(VALUE v, VALUE answered, bool last);
    void coder_array(VALUE v);
    void coder_hash(VALUE v);
    static int coder_pair(VALUE key, VALUE value, VALUE argument);
    [[gnu::always_inline]] void coder_key(VALUE k);
    /// `asked`: the block has answered, and is not asked again.
    [[gnu::noinline]] VALUE coder_key_text(VALUE k, bool& asked);
    [[gnu::cold, gnu::noinline]] void coder_odd_key(VALUE s);
    [[gnu::always_inline]] void coder_string(VALUE s, bool asked);
    void mapped(VALUE v);
    void each_item(VALUE v);
    /// JSON.generate for what jsonify lets through: numbers of other classes, Strings of other classes.
    void generated(VALUE v);
    bool is_fragment(VALUE v) const noexcept;
    /// as_json of a value that stock asks for it in the middle of its second pass: over all of it, without options.
    void first_pass_of(VALUE v);
    /// Runs with as_json called without an argument.
    template <class F>
    VALUE without_options(F body);
    /// Raises, unless stock never writes this; then what is written instead does not matter.
    [[gnu::cold]] void not_allowed(VALUE v, const char* format, bool with_class = true);
    [[gnu::cold]] void key_not_allowed(VALUE s, answer is);

    emit_burst<Escapes> to_;
};

}  // namespace kumihimo::inline v0::ruby

#include "rails_answers.hpp"
