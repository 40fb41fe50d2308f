// Ruby objects -> JSON as ActiveSupport writes it, in one pass. Stock makes three (as_json over the tree, jsonify over its
// result, JSON.generate over that); each step of a value is looked up here by its class and written at once. Where the way of
// a class is not known, or is not the stock one any more, its as_json is called as stock would call it, and the walk goes on
// with the answer.
//
//      as_json(v)    stock's first pass: v.as_json(options), recursively
//      after(v)      what stock does with the answer: jsonify, or JSON::Coder, by the profile's family
//
// The walk recurses, as Ruby's own iteration over a Hash does; a depth beyond Ruby's stack is SystemStackError, as in stock.
// Nothing in its frames has a destructor (guard.hpp, rule 1).
#pragma once
#include <cmath>

#include "decimal.hpp"
#include "emit.hpp"
#include "engine/scalar/integer.hpp"
#include "moment.hpp"
#include "rails.hpp"
#include "text.hpp"
#include "turn.hpp"

namespace kumihimo::inline v0::ruby {

/// The parts of a walk that do not depend on the escapes: what is known about the classes met so far, and calls into Ruby.
void init_rails_walk();
extern ID id_as_json, id_to_a, id_to_h, id_to_s, id_to_json, id_instance_values;

/// JSON::GeneratorError, as stock raises it.
[[noreturn, gnu::cold]] void raise_stock_generator_error(VALUE object, VALUE message);

class rails_walk_base {
public:
    rails_walk_base(const rails_profile& profile, VALUE options, bool filtered) noexcept
        : profile_(profile),
          options_(options),
          filtered_(filtered),
          no_options_(options != Qnil && class_of(options) == rb_cHash && RHASH_EMPTY_P(options) && !filtered) {}

protected:
    /// What to do with instances of a class; asked of Ruby once per class and document. After Ruby code has run, what is known
    /// is looked at again before it is used, by itself: a class is searched for once. To call as_json is right whatever was
    /// redefined, so that is never looked at again.
    [[gnu::always_inline]] way way_of(VALUE klass, VALUE v) {
        const unsigned i = profile_.slot_of(klass);
        if (met_[i] == klass && (met_runs_[i] == runs_ || met_ways_[i] == way::call)) [[likely]]
            return met_ways_[i];
        return way_again(i, klass, v);
    }
    [[gnu::noinline]] way way_again(unsigned i, VALUE klass, VALUE v);
    /// Whether what the known as_json calls in turn are the known methods too.
    bool calls_known(way as, VALUE klass, VALUE v);

    /// Ruby code may have redefined anything.
    void ran_ruby() noexcept {
        ++runs_;
        clock_known_ = strings_known_ = texts_known_ = numbers_known_ = symbols_known_ = false;
    }

    /// Other threads and signals have their turn, and may have redefined anything.
    [[gnu::always_inline]] void turn() {
        turns_.turn([this] { ran_ruby(); });
    }

    /// v.as_json(options), or v.as_json where stock passes none.
    [[gnu::noinline]] VALUE call_as_json(VALUE v);
    [[gnu::noinline]] VALUE call(VALUE v, ID method, int argc = 0, const VALUE* argv = nullptr);
    /// JSON.generate(v) by the installed json.
    [[gnu::cold]] VALUE stock_text(VALUE v);
    /// The hash after only: and except:.
    VALUE filtered_hash(VALUE hash);
    /// Whether this is a Hash that compares its keys by identity, so that two of them may be the same String.
    static bool equal_keys_differ(VALUE hash);
    /// Whether no two keys have the same text.
    [[gnu::cold]] bool keys_differ(VALUE hash);
    /// The same hash with texts for keys: the first one's place, the last one's value.
    [[gnu::cold]] VALUE with_text_keys(VALUE hash, bool keep_symbols);
    enum class answer : unsigned char {
        value,   // to be written
        json,    // JSON::Fragment: JSON already
        string,  // JSON::Fragment of a String: its text in UTF-8, to be quoted
    };
    /// Whether the keys of an answer are all Strings, all Symbols or all small Integers, whose texts differ. What 6.1 and 7.0
    /// make of other keys is a Hash of its own.
    static bool keys_of_one_kind(VALUE hash);
    /// What jsonify makes of v, as objects: of a container all that is in it.
    [[gnu::cold]] VALUE jsonified(VALUE v);
    /// A Hash that an as_json has answered, with the keys that jsonify makes, and with its values where they count.
    [[gnu::cold]] VALUE with_jsonified_keys(VALUE hash, bool values_too = false);

    /// A Hash that is being written: on the machine stack, the innermost one first.
    struct open_hash {
        VALUE hash;
        open_hash* outer;
        bool first_pass;    // values go through as_json; else through after()
        bool clash;         // two keys have one text, so it is to be written again
        bool texts_differ;  // no two have
    };
    /// The Hash that stock collects a Hash's pairs in, where equal texts meet.
    [[gnu::cold]] VALUE merged(VALUE hash, bool first_pass);
    [[gnu::cold]] bool texts_differ(VALUE hash, bool first_pass);
    /// Before an error about a text: whether what is being written may be the value of a key that loses against another one,
    /// which stock never writes. Then that Hash is written again without it, and what stands there meanwhile does not matter.
    [[gnu::cold]] bool may_be_lost();
    /// What JSON::Coder's block answers.
    VALUE coder_block(VALUE v, bool is_key, answer& is);
    /// The same when v.as_json has answered a.
    VALUE coder_answer(VALUE v, VALUE a, bool is_key, answer& is);
    /// The options of one as_json, as stock passes them.
    VALUE next_options();
    /// Whether a model's as_json would put a root around it, or may.
    bool has_root(VALUE model, VALUE options);
    VALUE attributes_of(VALUE model, VALUE options);
    VALUE records_of(VALUE relation);
    /// v.to_s, for way::text and way::c_text.
    VALUE text_of(VALUE v, way as);
    /// Whether a to_s in C runs no Ruby code for this one.
    bool calls_nothing(VALUE v);
    /// nil where a Set is not made as expected.
    VALUE keys_of_set(VALUE set);
    /// Whether to_json of a String's subclass is the String's, which json's generator asks.
    bool writes_as_string(VALUE klass);
    /// What a Duration keeps.
    static VALUE seconds_of(VALUE duration);

    void enter() {
        if (++depth_ > profile_.max_nesting && profile_.max_nesting != 0) [[unlikely]]
            nested();
        // The check costs as much as a small container, and Ruby's margin holds more than eight of them.
        if ((depth_ & 7) == 0 && ruby_stack_check()) [[unlikely]]
            stack_overflow();
    }
    void leave() noexcept { --depth_; }
    /// Only JSON::Coder looks at the depth while it walks; elsewhere JSON.generate does, when all as_json were called.
    [[gnu::cold]] void nested() {
        deepest_ = depth_;
        if (!in_first_pass_ && profile_.family == family::coder) too_deep();
    }
    [[noreturn, gnu::cold]] void too_deep();
    /// A Hash or Array of a class that has its own each or map: what these give.
    [[gnu::cold]] VALUE by_own_each(VALUE hash);
    [[gnu::cold]] VALUE by_own_map(VALUE array);
    static bool own_each(VALUE klass);
    static bool own_map(VALUE klass);
    [[noreturn, gnu::cold]] static void stack_overflow();

    /// The globals that concern moments, read when the first one is met.
    void read_clock() {
        if (!clock_known_) [[unlikely]]
            read_clock_again();
    }
    [[gnu::noinline]] void read_clock_again();
    /// Whether a String is written as it is, or somebody has redefined String#to_json.
    bool strings_are_stock() {
        if (!strings_known_) [[unlikely]] {
            strings_stock_ = profile_.string_to_json.holds();
            strings_known_ = true;
        }
        return strings_stock_;
    }
    /// Whether String and Symbol still have Ruby's own to_s, which keys go through; and Integer.
    bool texts_are_stock() {
        if (!texts_known_) [[unlikely]]
            read_texts();
        return texts_stock_;
    }
    /// And whether json's generator, which asks a Symbol for its to_json, gets that text.
    bool symbols_are_stock() {
        if (!symbols_known_) [[unlikely]] {
            symbols_stock_ = texts_are_stock() && profile_.symbol_to_json.holds();
            symbols_known_ = true;
        }
        return symbols_stock_;
    }
    bool numbers_are_stock() {
        if (!numbers_known_) [[unlikely]]
            read_numbers();
        return numbers_stock_;
    }
    /// And whether a key's text is written as it is.
    bool keys_are_stock() { return texts_are_stock() && (profile_.family != family::as_json || strings_are_stock()); }
    [[gnu::noinline]] void read_texts();
    [[gnu::noinline]] void read_numbers();
    /// json before 2.11 asks a Float for its to_s.
    bool floats_are_stock() const;
    /// A String of another encoding in UTF-8, as json 2.10 and later convert it, or their error.
    [[gnu::cold]] VALUE converted(VALUE s);
    /// The text of a moment with its quotes, in `line`; its size, or 0 where Ruby must be asked.
    std::size_t moment_text(VALUE v, way as, char* line);

    const rails_profile& profile_;
    VALUE options_;             // what as_json gets; nil while stock passes no argument
    VALUE shared_options_ = 0;  // a frozen copy, where stock shares one
    bool filtered_;             // options_ has only: or except:
    bool no_options_;           // options_ is a Hash with nothing in it
    bool clock_known_ = false, strings_known_ = false, strings_stock_ = false;
    bool standard_times_ = true;
    int precision_ = -1;  // -1: not a small Integer
    long depth_ = 0;
    long deepest_ = 0;  // set beyond the limit only
    long lists_ = 0;
    open_hash* open_ = nullptr;
    bool in_first_pass_ = false;
    bool texts_known_ = false, texts_stock_ = false, numbers_known_ = false, numbers_stock_ = false;
    bool symbols_known_ = false, symbols_stock_ = false;
    moment_cache moments_;
    turns turns_;
    // The classes met: on the machine stack, so none of them is collected meanwhile.
    unsigned runs_ = 0;  // how often Ruby code has run
    VALUE string_class_ = 0;
    unsigned string_runs_ = 0;
    bool string_holds_ = false;
    VALUE met_[rails_profile::slots]{};
    const known* met_knowns_[rails_profile::slots];
    const void* met_entries_[rails_profile::slots];  // on the stack too, so their addresses are nobody else's
    unsigned met_runs_[rails_profile::slots];
    way met_ways_[rails_profile::slots];
};

template <const json::escape_set& Escapes>
class rails_walk : rails_walk_base {
public:
    rails_walk(string_output& out, const rails_profile& profile, VALUE options, bool filtered)
        : rails_walk_base(profile, options, filtered), to_(out, profile.dialect) {
        turns_.at(out);
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
        const way as = way_of(class_of(v), v);
        switch (as) {
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
                if (const std::size_t n = plain ? moment_text(v, as, line) : 0; n != 0) [[likely]]
                    return to_.raw(line, n);
                break;
            }
            case way::text:
            case way::c_text: return after(text_of(v, as));
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
                // Two keys have one text. Stock collects in a Hash of texts, so the second value takes the first one's place.
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
    /// A key of a Hash that an as_json has answered. A String is escaped like a value; the to_s of anything else is not.
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
            return to_.f64(x);
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

    // ---- what stock does with the answer of as_json

    void after(VALUE v) {
        switch (profile_.family) {
            case family::as_json: return jsonify_all(v);
            case family::jsonify: return jsonify(v);
            case family::coder: break;
        }
        // The Coder counts the depth as it goes, wherever the value comes from.
        const bool before = in_first_pass_;
        in_first_pass_ = false;
        coder(v, false);
        in_first_pass_ = before;
    }

    /// 6.1 and 7.0: every value that is no String, Hash or Array has its as_json called again.
    void jsonify_all(VALUE v) {
        for (int round = 0;; ++round) {
            if (round == 10000) stack_overflow();
            if (RB_TYPE_P(v, T_STRING)) return string(v);
            if (RB_TYPE_P(v, T_HASH)) return each_pair(own_each(RBASIC_CLASS(v)) ? v : by_own_each(v), false);
            if (RB_TYPE_P(v, T_ARRAY)) return mapped(v);
            const way as = way_of(class_of(v), v);
            switch (as) {
                case way::null: return to_.null();
                case way::truth: return to_.boolean(v == Qtrue);
                case way::integer: return integer(v);
                case way::real: return real(v);
                case way::symbol: return string(rb_sym2str(v));
                case way::decimal:
                    if (decimal(v)) return;
                    break;
                default: break;
            }
            const bool number = RB_NIL_P(v) || v == Qtrue || v == Qfalse || rb_obj_is_kind_of(v, rb_cNumeric);
            if (!number && (as >= way::members || as == way::listed)) return first_pass_of(v);
            const VALUE next = without_options([&] { return call_as_json(v); });
            if (number) return generated(next);
            v = next;
        }
    }

    /// 7.1 to 8.0.
    void jsonify(VALUE v) {
        for (int round = 0;; ++round) {
            if (round == 10000) stack_overflow();
            if (RB_INTEGER_TYPE_P(v)) return integer(v);
            if (v == Qnil) return to_.null();
            if (v == Qtrue || v == Qfalse) return to_.boolean(v == Qtrue);
            if (RB_TYPE_P(v, T_STRING)) {
                const bool plain = class_of(v) == rb_cString || (is_valid_utf8(v) && writes_as_string(class_of(v)));
                return plain ? string(v) : generated(v);
            }
            if (RB_SYMBOL_P(v)) return symbols_are_stock() ? string(rb_sym2str(v)) : generated(v);
            if (RB_TYPE_P(v, T_HASH)) return each_pair(own_each(RBASIC_CLASS(v)) ? v : by_own_each(v), false);
            if (RB_TYPE_P(v, T_ARRAY)) return mapped(v);
            if (is_fragment(v)) return splice(RSTRUCT_GET(v, 0));
            const way as = way_of(class_of(v), v);
            if (as == way::real) return real(v);
            if (as == way::decimal && decimal(v)) return;
            const bool number = rb_obj_is_kind_of(v, rb_cNumeric);
            if (!number && as != way::call) return first_pass_of(v);
            const VALUE next = without_options([&] { return call_as_json(v); });
            if (number) return generated(next);
            v = next;
        }
    }

    /// 8.1. Exact classes of JSON's own are written whatever their as_json; `asked`: v is the block's answer already.
    void coder(VALUE v, bool asked) {
        if (v == Qnil) return to_.null();
        if (v == Qtrue || v == Qfalse) return to_.boolean(v == Qtrue);
        if (RB_INTEGER_TYPE_P(v)) return integer(v);
        if (RB_SYMBOL_P(v)) return coder_string(rb_sym2str(v), asked);
        const VALUE klass = class_of(v);
        if (klass == rb_cString) return coder_string(v, asked);
        if (klass == rb_cHash) return coder_hash(v);
        if (klass == rb_cArray) return coder_array(v);
        if (klass == rb_cFloat) {
            const double x = RFLOAT_VALUE(v);
            if (std::isfinite(x)) [[likely]]
                return to_.f64(x);
            return block_answer(v, false);
        } else if (is_fragment(v)) {
            return splice(RSTRUCT_GET(v, 0));
        } else if (!asked) {
            const way as = way_of(klass, v);
            if (as == way::decimal && decimal(v)) return;
            if (as == way::seconds && RB_INTEGER_TYPE_P(seconds_of(v))) return integer(seconds_of(v));
            if (as == way::text || as == way::c_text) return block_answered(v, text_of(v, as), true);
            if (as >= way::members || as == way::listed) return first_pass_of(v);
        }
        if (!asked) return block_answer(v, true);
        not_allowed(v, "%" PRIsVALUE " not allowed in JSON");
        to_.null();
    }
    /// Writes what the block says of v; `last`: it is not asked again.
    [[gnu::noinline]] void block_answer(VALUE v, bool last) { block_answered(v, call(v, id_as_json), last); }
    void block_answered(VALUE v, VALUE answered, bool last) {
        answer is;
        VALUE a = coder_answer(v, answered, false, is);
        if (is == answer::json) return splice(a);
        if (is == answer::value) return coder(a, last);
        to_.str(RSTRING_PTR(a), static_cast<std::size_t>(RSTRING_LEN(a)));
        RB_GC_GUARD(a);
    }
    void coder_array(VALUE v) {
        enter();
        to_.open(false, static_cast<std::size_t>(RARRAY_LEN(v)));
        for (long i = 0; i < RARRAY_LEN(v); ++i) {
            coder(RARRAY_AREF(v, i), false);
            turn();
        }
        to_.close(false);
        leave();
    }
    void coder_hash(VALUE v) {
        enter();
        const std::size_t n = RHASH_SIZE(v);
        to_.open(true, n);
        if (n != 0)
            rb_hash_foreach(v, reinterpret_cast<int (*)(VALUE, VALUE, VALUE)>(&coder_pair), reinterpret_cast<VALUE>(this));
        to_.close(true);
        leave();
    }
    static int coder_pair(VALUE key, VALUE value, VALUE argument) {
        rails_walk& self = *reinterpret_cast<rails_walk*>(argument);
        self.coder_key(key);
        self.coder(value, false);
        self.turn();
        return ST_CONTINUE;
    }
    [[gnu::always_inline]] void coder_key(VALUE k) {
        bool asked = false;
        VALUE s = class_of(k) == rb_cString ? k : RB_SYMBOL_P(k) ? rb_sym2str(k) : coder_key_text(k, asked);
        if (!is_valid_utf8(s)) [[unlikely]] {
            if (!asked) return coder_odd_key(s);
            s = converted(s);
        }
        to_.key(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
        RB_GC_GUARD(s);
    }
    /// `asked`: the block has answered, and is not asked again.
    [[gnu::noinline]] VALUE coder_key_text(VALUE k, bool& asked) {
        VALUE s = k;
        if (!RB_TYPE_P(k, T_STRING)) {
            asked = true;
            answer is;
            s = coder_block(k, true, is);
            if (is == answer::value && RB_SYMBOL_P(s)) return rb_sym2str(s);
            if (is != answer::value || !RB_TYPE_P(s, T_STRING)) {
                key_not_allowed(s, is);
                return rb_utf8_str_new("", 0);
            }
        }
        if (class_of(s) != rb_cString) {
            s = call(s, id_to_s);
            if (!RB_TYPE_P(s, T_STRING)) rb_raise(rb_eTypeError, "can't convert %" PRIsVALUE " to String", rb_obj_class(k));
        }
        return s;
    }
    [[gnu::cold, gnu::noinline]] void coder_odd_key(VALUE s) {
        answer is;
        s = coder_block(s, false, is);
        if (is != answer::value || !RB_TYPE_P(s, T_STRING)) {
            key_not_allowed(s, is);
            s = rb_utf8_str_new("", 0);
        } else if (!is_valid_utf8(s)) {
            not_allowed(s, "source sequence is illegal/malformed utf-8", false);
            s = rb_utf8_str_new("", 0);
        }
        to_.key(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
        RB_GC_GUARD(s);
    }
    [[gnu::always_inline]] void coder_string(VALUE s, bool asked) {
        if (is_valid_utf8(s)) [[likely]] {
            to_.str(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
            RB_GC_GUARD(s);
            return;
        }
        if (!asked) return block_answer(s, true);
        not_allowed(s, "source sequence is illegal/malformed utf-8", false);
        to_.null();
    }

    void mapped(VALUE v) {
        if (own_map(RBASIC_CLASS(v))) [[likely]]
            return each_item(v);
        const VALUE answer = by_own_map(v);
        RB_TYPE_P(answer, T_ARRAY) ? each_item(answer) : generated(answer);
    }
    void each_item(VALUE v) {
        enter();
        to_.open(false, static_cast<std::size_t>(RARRAY_LEN(v)));
        for (long i = 0; i < RARRAY_LEN(v); ++i) {
            after(RARRAY_AREF(v, i));
            turn();
        }
        to_.close(false);
        leave();
    }

    /// JSON.generate for what jsonify lets through: numbers of other classes, Strings of other classes.
    void generated(VALUE v) {
        if (v == Qnil) return to_.null();
        if (v == Qtrue || v == Qfalse) return to_.boolean(v == Qtrue);
        if (RB_INTEGER_TYPE_P(v)) return integer(v);
        if (RB_FLOAT_TYPE_P(v) && std::isfinite(RFLOAT_VALUE(v)) && floats_are_stock()) return real(v);
        if (profile_.family == family::jsonify && class_of(v) == rb_cString && is_valid_utf8(v)) return string(v);
        // What the generator does with other numbers, without a generator of its own for each.
        if ((RB_TYPE_P(v, T_RATIONAL) || RB_TYPE_P(v, T_COMPLEX)) && rb_method_boundp(class_of(v), id_to_json, 1)) {
            VALUE json = call(v, id_to_json, 1, &profile_.state);
            if (RB_TYPE_P(json, T_STRING)) return splice_foreign(json);
        }
        splice_foreign(stock_text(v));
    }

    bool is_fragment(VALUE v) const noexcept { return RB_TYPE_P(v, T_STRUCT) && class_of(v) == profile_.fragment; }

    /// as_json of a value that stock asks for it in the middle of its second pass: over all of it, without options.
    void first_pass_of(VALUE v) {
        const bool before = in_first_pass_;
        in_first_pass_ = true;
        without_options([&] {
            as_json(v);
            return Qnil;
        });
        in_first_pass_ = before;
    }
    /// Runs with as_json called without an argument.
    template <class F>
    VALUE without_options(F body) {
        const VALUE options = options_;
        const bool filtered = filtered_;
        options_ = Qnil;
        filtered_ = false;
        const VALUE answer = body();
        options_ = options;
        filtered_ = filtered;
        return answer;
    }

    /// Raises, unless stock never writes this; then what is written instead does not matter.
    [[gnu::cold]] void not_allowed(VALUE v, const char* format, bool with_class = true) {
        if (may_be_lost()) return;
        raise_stock_generator_error(v, with_class ? rb_sprintf(format, class_of(v)) : rb_str_new_cstr(format));
    }

    [[gnu::cold]] void key_not_allowed(VALUE s, answer is) {
        if (is != answer::value) return not_allowed(s, "JSON::Fragment not allowed as object key in JSON", false);
        not_allowed(s, "%" PRIsVALUE " not allowed as object key in JSON");
    }

    emit_burst<Escapes> to_;
};

}  // namespace kumihimo::inline v0::ruby
