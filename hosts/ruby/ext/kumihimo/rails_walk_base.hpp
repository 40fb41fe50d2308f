// What a walk over Ruby objects for ActiveSupport's JSON (rails_walk.hpp) knows, whatever its escapes: the classes met
// so far and the ways of their instances, the settings, where it stands, and its calls into Ruby.
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

/// The parts of a walk that do not depend on the escapes: what is known about the classes met so far, and calls into
/// Ruby.
void init_rails_walk();
void init_rails_keys();
extern ID id_as_json, id_to_a, id_to_h, id_to_s, id_to_json, id_instance_values;

/// Whether a class of Ruby's own still has the method that Ruby itself gave it.
inline bool own(VALUE klass, ID name) { return rb_method_basic_definition_p(klass, name) != 0; }

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
    /// What to do with instances of a class; asked of Ruby once per class and document. After Ruby code has run, what
    /// is known is looked at again before it is used, by itself: a class is searched for once. To call as_json is
    /// right whatever was redefined, so that is never looked at again.
    [[gnu::always_inline]] way way_of(VALUE klass, VALUE v) {
        const unsigned i = profile_.slot_of(klass);
        if (met_[i] == klass && (met_runs_[i] == runs_ || met_ways_[i] == way::call)) [[likely]]
            return met_ways_[i];
        return way_again(i, klass, v);
    }
    [[gnu::noinline]] way way_again(unsigned i, VALUE klass, VALUE v);
    /// Whether what the known as_json calls in turn are the known methods too.
    bool calls_known(way chosen, VALUE klass, VALUE v);

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
    /// Whether the keys of an answer are all Strings, all Symbols or all small Integers, whose texts differ. What 6.1
    /// and 7.0 make of other keys is a Hash of its own.
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
    /// Before an error about a text: whether what is being written may be the value of a key that loses against
    /// another one, which stock never writes. Then that Hash is written again without it, and what stands there
    /// meanwhile does not matter.
    [[gnu::cold]] bool rewrite_without_this();
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
    VALUE text_of(VALUE v, way chosen);
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
            strings_stock_ = profile_.string_to_json_front.holds() && profile_.string_to_json.holds();
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
    std::size_t moment_text(VALUE v, way chosen, char* line);

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

}  // namespace kumihimo::inline v0::ruby
