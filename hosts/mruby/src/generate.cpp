// mruby values -> JSON text.
#include "engine/json/emit.hpp"

#include "dialect.hpp"
#include "json.hpp"
#include "output.hpp"
#include "walk.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// Keys as they are written, quotes and colon with them, by the value that they are: a Symbol, or a frozen String.
// Forgotten whenever Ruby code has run, which may have let go of the String. (Asking for a Symbol's name takes longer
// than writing it.)
template <std::size_t Room>
class ready_keys {
public:
    struct entry {
        std::uintptr_t key;
        std::uint8_t size;
        char text[Room];
    };
    [[gnu::always_inline]] const entry* find(mrb_value k) const noexcept {
        if (!known_) return nullptr;
        const entry* e = &entries_[place(k)];
        if (e->key == k.w) [[likely]]
            return e;
        e = &entries_[place(k) ^ 1];
        return e->key == k.w ? e : nullptr;
    }
    void forget() noexcept { known_ = false; }
    [[gnu::noinline]] void keep(mrb_value k, const char* p, std::size_t n) noexcept {
        if (n + 3 > Room) return;
        for (std::size_t i = 0; i < n; ++i)
            if (p[i] < 0x20 || p[i] == '"' || p[i] == '\\' || p[i] == '/')
                return;  // below: ASCII's controls, and what is beyond
        if (!known_)
            for (entry& e : entries_) e.key = nothing;
        known_ = true;
        std::size_t slot = place(k);
        if (entries_[slot].key != nothing && entries_[slot ^ 1].key == nothing) slot ^= 1;
        entry& e = entries_[slot];
        e.key = k.w;
        e.size = static_cast<std::uint8_t>(n + 3);
        e.text[0] = '"';
        std::memcpy(e.text + 1, p, n);
        e.text[n + 1] = '"';
        e.text[n + 2] = ':';
    }

private:
    static constexpr std::size_t count = 64;
    static constexpr std::uintptr_t nothing = MRB_Qundef;  // a deleted pair, which is passed over
    static std::size_t place(mrb_value k) noexcept { return std::uint64_t{k.w} * 0x9E3779B97F4A7C15u >> 58; }
    bool known_ = false;
    entry entries_[count];
};
struct no_keys {
    void forget() noexcept {}
};

template <class To>
struct keys_of {
    using type = no_keys;
};
template <class To>
requires requires { To::ready_room; }
struct keys_of<To> {
    using type = ready_keys<To::ready_room>;
};

template <class To>
class generate_rules : public walker<generate_rules<To>, To> {
    using base = walker<generate_rules<To>, To>;
    using base::depth_;
    using base::mrb_;
    using base::to_;

public:
    static constexpr bool counts_stand = false;

    generate_rules(mrb_state* mrb, To& to, const generate_options& o) noexcept : base(mrb, to, o.max_nesting, o.depth), o_(o) {}

    [[gnu::always_inline]] void key(mrb_value k, mrb_value v) {
        if constexpr (requires { To::ready_room; }) {
            if (const auto* const e = ready_.find(k); e != nullptr) [[likely]]
                return to_.ready_key(e->text, e->size);
        }
        any_key(k, v);
    }
    [[gnu::noinline]] void any_key(mrb_value k, mrb_value v) {
        if (!mrb_immediate_p(k) && mrb_basic_ptr(k)->c == mrb_->string_class) [[likely]]
            return text_key(k);
        if (mrb_symbol_p(k)) return symbol_key(k);
        other_key(k, v);
    }
    void symbol(mrb_value v) { other(v); }
    void odd_string(mrb_value v) { refuse(v, "source sequence is illegal/malformed utf-8"); }
    void not_finite(mrb_float x) {
        const std::string_view word = std::isnan(x) ? "NaN" : x < 0 ? "-Infinity" : "Infinity";
        if (o_.allow_nan) return to_.raw(word.data(), word.size());
        raise_generate(mrb_, mrb_float_value(mrb_, x),
                       std::isnan(x) ? "NaN not allowed in JSON"
                       : x < 0       ? "-Infinity not allowed in JSON"
                                     : "Infinity not allowed in JSON");
    }

    /// What is none of JSON's own kinds, and what is a subclass of one: its to_json counts, or else its to_s.
    [[gnu::noinline]] void other(mrb_value v) {
        if (is_big(v)) return big(v);
        if (o_.strict && !mrb_symbol_p(v)) refuse_kind(v);
        RClass* c = mrb_class(mrb_, v);
        const mrb_method_t m = mrb_method_search_vm(mrb_, &c, to_json());
        const mrb_func_t native = !MRB_METHOD_UNDEF_P(m) && MRB_METHOD_CFUNC_P(m) ? MRB_METHOD_CFUNC(m) : nullptr;
        if (native == core_to_json) {
            if (mrb_hash_p(v)) return this->hash(v);
            if (mrb_array_p(v)) return this->array(v);
            if (mrb_string_p(v)) return this->string(v);
        }
        if (o_.strict) return symbol_text(v);
        if (native == object_to_json || MRB_METHOD_UNDEF_P(m)) return mrb_symbol_p(v) ? any_symbol(v) : as_text(v);
        splice(v, m);
    }
    /// The value of a to_json of ours: by its kind, whatever its class says. (An override may have called super.)
    void itself(mrb_value v) {
        if (mrb_hash_p(v)) return this->hash(v);
        if (mrb_array_p(v)) return this->array(v);
        if (mrb_string_p(v)) return this->string(v);
        if (mrb_immediate_p(v) || mrb_integer_p(v)) return mrb_symbol_p(v) ? as_text(v) : this->value(v);
        if (is_big(v)) return big(v);
        as_text(v);
    }
    [[noreturn]] void too_deep(mrb_int depth) {
        if (o_.dumps) mrb_raise(mrb_, mrb_exc_get(mrb_, "ArgumentError"), "exceed depth limit");
        raise_nesting(mrb_, depth);
    }

private:
    void before_ruby() {
        this->keep_open();
        ready_.forget();
    }
    [[gnu::always_inline]] void text_key(mrb_value k) {
        const string_view_of s(k);
        if (!is_utf8(s.data, s.size)) [[unlikely]]
            refuse(k, "source sequence is illegal/malformed utf-8");
        to_.key(s.data, s.size);
        if constexpr (requires { To::ready_room; })
            if (MRB_FROZEN_P(mrb_basic_ptr(k))) ready_.keep(k, s.data, s.size);
    }
    void symbol_key(mrb_value k) {
        mrb_int n = 0;
        const char* const p = mrb_sym_name_len(mrb_, mrb_symbol(k), &n);
        if (!is_utf8(p, static_cast<std::size_t>(n))) [[unlikely]]
            refuse(k, "source sequence is illegal/malformed utf-8");
        to_.key(p, static_cast<std::size_t>(n));
        if constexpr (requires { To::ready_room; }) ready_.keep(k, p, static_cast<std::size_t>(n));
    }
    [[gnu::noinline]] void other_key(mrb_value k, mrb_value v) {
        if (o_.strict) raise_generate(mrb_, k, "a key that is neither String nor Symbol is not allowed in JSON");
        before_ruby();
        const int arena = mrb_gc_arena_save(mrb_);
        mrb_gc_protect(mrb_, v);
        text_key(text_of(k));
        mrb_gc_arena_restore(mrb_, arena);
    }
    void big(mrb_value v) {
        const int arena = mrb_gc_arena_save(mrb_);
        this->keep_open();
        const string_view_of digits(mrb_integer_to_str(mrb_, v, 10));
        to_.raw(digits.data, digits.size);
        mrb_gc_arena_restore(mrb_, arena);
    }
    void symbol_text(mrb_value v) {
        mrb_int n = 0;
        const char* const p = mrb_sym_name_len(mrb_, mrb_symbol(v), &n);
        if (!is_utf8(p, static_cast<std::size_t>(n))) refuse(v, "source sequence is illegal/malformed utf-8");
        to_.str(p, static_cast<std::size_t>(n));
    }

    // Symbol#to_s is native as long as no script wrote another one.
    void any_symbol(mrb_value v) {
        RClass* c = mrb_->symbol_class;
        const mrb_method_t m = mrb_method_search_vm(mrb_, &c, mrb_intern_lit(mrb_, "to_s"));
        if (MRB_METHOD_UNDEF_P(m) || !MRB_METHOD_CFUNC_P(m)) return as_text(v);
        symbol_text(v);
    }

    // to_s, which must give a String.
    mrb_value text_of(mrb_value v) {
        const mrb_value s = mrb_funcall_id(mrb_, v, mrb_intern_lit(mrb_, "to_s"), 0);
        if (!mrb_string_p(s))
            mrb_raisef(mrb_, type_error(), "can't convert %C to String (%C#to_s gives %C)", mrb_obj_class(mrb_, v),
                       mrb_obj_class(mrb_, v), mrb_obj_class(mrb_, s));
        return s;
    }
    void as_text(mrb_value v) {
        before_ruby();
        const int arena = mrb_gc_arena_save(mrb_);
        const mrb_value s = text_of(v);
        mrb_gc_protect(mrb_, s);
        const string_view_of view(s);
        if (!is_utf8(view.data, view.size)) refuse(s, "source sequence is illegal/malformed utf-8");
        to_.str(view.data, view.size);
        mrb_gc_arena_restore(mrb_, arena);
    }
    // The JSON text that the object's own to_json gives.
    void splice(mrb_value v, mrb_method_t m) {
        before_ruby();
        const int arena = mrb_gc_arena_save(mrb_);
        mrb_gc_protect(mrb_, v);
        // Ruby passes a state; a to_json that takes nothing gets nothing.
        const bool plain = MRB_METHOD_PROC_P(m) && !MRB_METHOD_CFUNC_P(m) && mrb_proc_arity(MRB_METHOD_PROC(m)) == 0;
        const mrb_value json = plain ? mrb_funcall_id(mrb_, v, to_json(), 0) : mrb_funcall_id(mrb_, v, to_json(), 1, state());
        if (!mrb_string_p(json))
            mrb_raisef(mrb_, type_error(), "%C#to_json gives %C, not a String", mrb_obj_class(mrb_, v),
                       mrb_obj_class(mrb_, json));
        mrb_gc_protect(mrb_, json);
        const string_view_of s(json);
        to_.raw(s.data, s.size);
        mrb_gc_arena_restore(mrb_, arena);
    }
    mrb_value state() {
        RClass* const klass = mrb_class_get_under(mrb_, mrb_module_get(mrb_, "JSON"), "State");
        const mrb_value arguments[] = {o_.given, mrb_int_value(mrb_, depth_)};
        return mrb_obj_new(mrb_, klass, 2, arguments);
    }
    RClass* type_error() { return mrb_exc_get(mrb_, "TypeError"); }
    mrb_sym to_json() {
        if (to_json_ == 0) to_json_ = mrb_intern_lit(mrb_, "to_json");
        return to_json_;
    }
    [[noreturn, gnu::cold]] void refuse(mrb_value v, const char* sentence) { raise_generate(mrb_, v, sentence); }
    [[noreturn, gnu::cold]] void refuse_kind(mrb_value v) {
        const mrb_value sentence = mrb_format(mrb_, "%C not allowed in JSON", mrb_obj_class(mrb_, v));
        raise_generate(mrb_, v, mrb_string_cstr(mrb_, sentence));
    }

    const generate_options& o_;
    mrb_sym to_json_ = 0;
    typename keys_of<To>::type ready_;
};

struct document {
    mrb_value v;
    const generate_options& o;
    bool itself;
};

// The walk looks at everything first, and the output raises by itself.
[[noreturn]] void never(errc, const char*) { __builtin_unreachable(); }

template <const json::escape_set& Escapes>
using compact = json::emit_burst<string_output, Escapes, never>;
template <const json::escape_set& Escapes>
using laid_out = json::emit_laid_out<string_output, Escapes, never>;

template <class Emit>
mrb_value generate_by(mrb_state* mrb, const document& d, const json::dialect& dialect, char* here, std::size_t n) {
    string_output out(mrb, here, n);
    Emit to(out, dialect);
    static_assert(emitting_walker<generate_rules<Emit>, Emit, mrb_value>);
    generate_rules<Emit> walk(mrb, to, d.o);
    d.itself ? walk.itself(d.v) : walk.value(d.v);
    to.finish();
    return out.take();
}
// Most documents get their String in one piece from a large buffer; where a to_json generates in turn, and again,
// there is room on the stack for small ones alone.
template <class Emit>
[[gnu::noinline]] mrb_value generate_large(mrb_state* mrb, const document& d, const json::dialect& dialect) {
    char here[32768];
    return generate_by<Emit>(mrb, d, dialect, here, sizeof here);
}
template <class Emit>
[[gnu::noinline]] mrb_value generate_small(mrb_state* mrb, const document& d, const json::dialect& dialect) {
    char here[1024];
    return generate_by<Emit>(mrb, d, dialect, here, sizeof here);
}
template <class Emit>
mrb_value generate_in_bursts(mrb_state* mrb, const document& d, const json::dialect& dialect) {
    constexpr std::size_t ample = std::size_t{2} << 20;
    return machine_stack::has_room(ample) ? generate_large<Emit>(mrb, d, dialect) : generate_small<Emit>(mrb, d, dialect);
}

// What stands between a key and its value, in a String that the collector's arena keeps and ObjectSpace does not show.
std::string_view between_key_and_value(mrb_state* mrb, const json_layout& layout) {
    if (layout.space.empty() && layout.space_before.empty()) return ":";
    const mrb_value s = mrb_str_new(mrb, layout.space_before.data(), layout.space_before.size());
    mrb_str_cat(mrb, s, ":", 1);
    mrb_str_cat(mrb, s, layout.space.data(), layout.space.size());
    mrb_basic_ptr(s)->c = nullptr;
    return string_view_of(s).all();
}

json::dialect dialect_of(mrb_state* mrb, const generate_options& o) {
    return {
        .escapes = o.ascii_only    ? (o.script_safe ? &ascii_script_escapes : &json::ascii_escapes)
                   : o.script_safe ? &json::script_safe_escapes
                                   : &json::rfc8259_escapes,
        .layout = {.key = between_key_and_value(mrb, o.layout),
                   .newline = o.layout.object_nl,
                   .indent = o.layout.indent,
                   .array_newline = o.layout.array_nl,
                   .arrays_differ = true,
                   .level = static_cast<std::size_t>(o.depth)},
        .floats = float_layout,
        .invalid = json::invalid_text::keep,
    };
}

// Any layout and any escapes, by the engine's writer. The walk has checked the text, and counts the depth.
[[gnu::noinline]] mrb_value generate_by_writer(mrb_state* mrb, const document& d, const json::dialect& dialect) {
    using emit = json::emit_writer<string_output, never>;
    static_assert(std::is_trivially_destructible_v<emit> && std::is_trivially_destructible_v<emit::writer>);
    char here[4096];
    string_output out(mrb, here, sizeof here);
    out.keep_levels();
    context_room room;
    context& ctx = room.make();
    ctx.limits.depth = static_cast<std::size_t>(-1);
    emit::writer writer(out, ctx, dialect);
    emit to(writer, ctx);
    static_assert(emitting_walker<generate_rules<emit>, emit, mrb_value>);
    generate_rules<emit> walk(mrb, to, d.o);
    d.itself ? walk.itself(d.v) : walk.value(d.v);
    to.finish();
    return out.take();
}

}  // namespace

mrb_value generate(mrb_state* mrb, mrb_value v, const generate_options& o, bool itself) {
    machine_stack::check(mrb);
    const document d{v, o, itself};
    if (o.layout.compact() && !o.ascii_only) {
        if (o.script_safe) return generate_in_bursts<compact<json::script_safe_escapes>>(mrb, d, script_safe_dialect);
        return generate_in_bursts<compact<json::rfc8259_escapes>>(mrb, d, generate_dialect);
    }
    const json::dialect dialect = dialect_of(mrb, o);
    if (json::laid_out_burst<string_output, json::rfc8259_escapes>::suits(dialect))
        return generate_in_bursts<laid_out<json::rfc8259_escapes>>(mrb, d, dialect);
    if (json::laid_out_burst<string_output, json::script_safe_escapes>::suits(dialect))
        return generate_in_bursts<laid_out<json::script_safe_escapes>>(mrb, d, dialect);
    return generate_by_writer(mrb, d, dialect);
}

}  // namespace kumihimo::inline v0::mruby
