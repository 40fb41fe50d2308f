// mruby values -> a document of any format.
//
// A String is bytes here: what is UTF-8 goes out as text, what is not as bytes. A Float goes out as the double that it
// was written as (floats.hpp), an Integer beyond 64 bits as its digits, a Time as its moment, a Lazy as its value.
// What a format cannot say, its dialect lowers or refuses.
#include <charconv>

#include "engine/core/emit.hpp"
#include "engine/core/trace.hpp"
#include "engine/formats.hpp"

#include "any_format.hpp"
#include "frames.hpp"
#include "held_writer.hpp"
#include "message_pack_types.hpp"
#include "moment.hpp"
#include "options.hpp"
#include "output.hpp"
#include "walk.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

struct dump_options {
    mrb_int max_nesting = any_nesting;
    mrb_value block = mrb_nil_value();
};

// Whose walk is at work: what raises for an emitter is told the error alone. Set again behind Ruby code, in which
// another may be.
constinit thread_local mrb_state* at_work = nullptr;

[[noreturn, gnu::cold]] void raise_write(errc code, const char* what) {
    mrb_state* const mrb = at_work;
    if (code == errc::memory) mrb_exc_raise(mrb, mrb_obj_value(mrb->nomem_err));
    mrb_raise(mrb, class_in(mrb, "Kumihimo", "GeneratorError"), what);
    __builtin_unreachable();
}

template <class To>
class any_rules : public walker<any_rules<To>, To> {
    using base = walker<any_rules<To>, To>;
    using base::mrb_;
    using base::to_;

public:
    static constexpr bool counts_stand = true;

    any_rules(mrb_state* mrb, To& to, const dump_options& o) noexcept : base(mrb, to, o.max_nesting), o_(o) {}

    void key(mrb_value k, mrb_value v) {
        if (!mrb_immediate_p(k) && mrb_string_p(k)) {
            const string_view_of s(k);
            return text_key(s.data, s.size);
        }
        if (mrb_symbol_p(k)) {
            mrb_int n = 0;
            const char* const p = mrb_sym_name_len(mrb_, mrb_symbol(k), &n);
            return text_key(p, static_cast<std::size_t>(n));
        }
        to_.key(next_value{});
        const int arena = mrb_gc_arena_save(mrb_);
        mrb_gc_protect(mrb_, v);
        this->value(k);
        mrb_gc_arena_restore(mrb_, arena);
    }
    void string(mrb_value v) {
        const string_view_of s(v);
        text(s.data, s.size);
    }
    void symbol(mrb_value v) {
        mrb_int n = 0;
        const char* const p = mrb_sym_name_len(mrb_, mrb_symbol(v), &n);
        text(p, static_cast<std::size_t>(n));
    }
    void real(double x) { to_.f64(uncut(x)); }

    void other(mrb_value v) {
        if (mrb_string_p(v)) return string(v);
        if (mrb_hash_p(v)) return this->hash(v);
        if (mrb_array_p(v)) return this->array(v);
        this->keep_open();
        const int arena = mrb_gc_arena_save(mrb_);
        mrb_gc_protect(mrb_, v);
        is_big(v) ? big(v) : foreign(v);
        mrb_gc_arena_restore(mrb_, arena);
    }
    [[noreturn]] void odd_string(mrb_value) { __builtin_unreachable(); }
    [[noreturn]] void not_finite(double) { __builtin_unreachable(); }
    [[noreturn]] void too_deep(mrb_int depth) {
        mrb_raisef(mrb_, class_in(mrb_, "Kumihimo", "NestingError"), "nesting of %i is too deep", depth);
        __builtin_unreachable();
    }
    [[noreturn, gnu::cold]] void changed(const char* what) {
        mrb_raisef(mrb_, mrb_exc_get(mrb_, "RuntimeError"), "the %s was changed while it was being written", what);
        __builtin_unreachable();
    }

private:
    void text(const char* p, std::size_t n) { is_utf8(p, n) ? to_.str(p, n) : to_.bin(p, n); }
    void text_key(const char* p, std::size_t n) {
        if (is_utf8(p, n)) [[likely]]
            return to_.key(p, n);
        to_.key(next_value{});
        to_.bin(p, n);
    }
    void big(mrb_value v) {
        const string_view_of digits(mrb_integer_to_str(mrb_, v, 10));
        const char* const end = digits.data + digits.size;
        std::uint64_t n = 0;
        const auto [behind, why] = std::from_chars(digits.data, end, n);
        why == std::errc() && behind == end ? to_.u64(n) : to_.big(digits.data, digits.size);
    }
    void foreign(mrb_value v) {
        const message_pack_types types = message_pack_types_of(mrb_);
        RClass* const c = mrb_obj_class(mrb_, v);
        instant t;
        if (moment_of(v, t)) return to_.time(t);
        if (c == types.timestamp) return to_.time(timestamp_of(mrb_, v));
        if (c == types.extension) {
            const extension_value x = extension_of(mrb_, v);
            if (!mrb_string_p(x.payload)) refuse(v, "its payload is not a String");
            const string_view_of s(x.payload);
            return to_.ext(x.type, s.data, s.size);
        }
        if (const mrb_value whole = value_of_lazy(mrb_, v); !mrb_undef_p(whole)) return this->value(whole);
        if (mrb_nil_p(o_.block)) refuse(v, "give dump a block that says what to write instead");
        const mrb_value instead = mrb_yield(mrb_, o_.block, v);
        at_work = mrb_;
        if (mrb_obj_eq(mrb_, instead, v)) refuse(v, "the block gave it back as it was");
        mrb_gc_protect(mrb_, instead);
        this->enter();
        this->value(instead);
        --this->depth_;
    }
    [[noreturn, gnu::cold]] void refuse(mrb_value v, const char* why) {
        const mrb_value sentence = mrb_format(mrb_, "%C cannot be written: %s", mrb_obj_class(mrb_, v), why);
        const mrb_value error = mrb_exc_new_str(mrb_, class_in(mrb_, "Kumihimo", "GeneratorError"), sentence);
        mrb_iv_set(mrb_, error, mrb_intern_lit(mrb_, "@invalid_object"), v);
        mrb_exc_raise(mrb_, error);
        __builtin_unreachable();
    }

    const dump_options& o_;
};

template <class To>
void walk(mrb_state* mrb, mrb_value v, const dump_options& o, To& to) {
    static_assert(emitting_walker<any_rules<To>, To, mrb_value>);
    any_rules<To> rules(mrb, to, o);
    rules.value(v);
    to.finish();
}

template <class F>
using writer_of = typename F::template writer<string_output>;
template <class F>
using dialect_for = typename writer_of<F>::dialect;

template <bursting_format<string_output> F>
[[gnu::noinline]] mrb_value dump_in_bursts(mrb_state* mrb, mrb_value v, const dump_options& o, const dialect_for<F>& dialect) {
    char here[4096];
    string_output out(mrb, here, sizeof here);
    emit_burst<typename F::template burst<string_output>, writer_of<F>, string_output, raise_write> to(out, dialect);
    walk(mrb, v, o, to);
    return out.take();
}
template <class Writer>
[[gnu::noinline]] mrb_value dump_by_verbs(mrb_state* mrb, mrb_value v, const dump_options& o,
                                          const typename Writer::dialect& dialect) {
    static_assert(std::is_trivially_destructible_v<Writer>);
    char here[4096];
    string_output out(mrb, here, sizeof here);
    out.keep_levels();
    context_room room;
    context& ctx = room.make();
    ctx.limits.depth = static_cast<std::size_t>(-1);  // the walk counts
    Writer writer(out, ctx, dialect);
    emit_sink<Writer, raise_write> to(writer, ctx);
    walk(mrb, v, o, to);
    return out.take();
}
template <format F>
held_writer<F>* hold(const void* where, std::size_t most, const dialect_for<F>& dialect) noexcept {
    const host_section at_work;
    try {
        return held_objects::here().make<held_writer<F>>(where, most, dialect);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
[[gnu::noinline]] void let_go(const void* where) {
    const host_section at_work;
    held_objects::here().drop_from(where);
}
template <format F>
errc finish(held_writer<F>& held, bytes& document) noexcept {
    const host_section at_work;
    return held.to.finish(document);
}
// Of a format whose writer owns memory.
template <format F>
[[gnu::noinline]] mrb_value dump_by_held_writer(mrb_state* mrb, mrb_value v, const dump_options& o,
                                                const dialect_for<F>& dialect) {
    using writer = typename held_writer<F>::writer;
    const char where = 0;
    held_writer<F>* const held = hold<F>(&where, most_bytes(mrb), dialect);
    if (held == nullptr) raise_write(errc::memory, "");
    sectioned_sink<writer> sections(held->to);
    emit_sink<sectioned_sink<writer>, raise_write> to(sections, held->ctx);
    walk(mrb, v, o, to);
    bytes document;
    if (const errc e = finish(*held, document); e != errc::ok) raise_write(e, held->ctx.failure.what);
    const mrb_value made = mrb_str_new(mrb, reinterpret_cast<const char*>(document.data()), document.size());
    let_go(&where);
    return made;
}

template <class F>
mrb_value dump_as(mrb_state* mrb, mrb_value v, const dump_options& o, const dialect_for<F>& dialect) {
    if constexpr (!std::is_trivially_destructible_v<writer_of<F>>) {
        return dump_by_held_writer<F>(mrb, v, o, dialect);
    } else {
        if constexpr (bursting_format<F, string_output>) {
            if (F::template burst<string_output>::suits(dialect)) return dump_in_bursts<F>(mrb, v, o, dialect);
        }
        return dump_by_verbs<writer_of<F>>(mrb, v, o, dialect);
    }
}

// dump(value, format:, dialect: nil, max_nesting: 1024, frame: nil, frame_level: nil) { |other| instead }
mrb_value dump(mrb_state* mrb, mrb_value) {
    mrb_value v, given = mrb_nil_value(), name = mrb_nil_value(), dialect = mrb_nil_value();
    frame_options in;
    dump_options o;
    mrb_get_args(mrb, "o|o&", &v, &given, &o.block);
    each_option(mrb, given, [&](std::string_view option, mrb_value is) {
        if (option == "format")
            name = is;
        else if (option == "dialect")
            dialect = is;
        else if (option == "max_nesting")
            o.max_nesting = nesting_of(mrb, is);
        else
            return in.take(option, is);
        return true;
    });
    if (mrb_nil_p(name)) mrb_raise(mrb, mrb_exc_get(mrb, "ArgumentError"), "missing keyword: :format");
    const std::string_view format = format_named(mrb, name);
    const std::string_view spelled = dialect_named(mrb, format, direction::write, dialect);
    in.check(mrb);
    machine_stack::check(mrb);
    at_work = mrb;
    mrb_value made = mrb_nil_value();
    visit_format(format, [&](auto row) {
        made = dump_as<decltype(row)>(mrb, v, o, *dialect_of(decltype(row)::write_dialects, spelled));
    });
    return in.framed(mrb, made);
}

}  // namespace

mrb_value trace_of(mrb_state* mrb, mrb_value v, mrb_int max_nesting) {
    static constexpr trace_dialect bare{.counts = false};
    machine_stack::check(mrb);
    at_work = mrb;
    const dump_options o{.max_nesting = max_nesting};
    return dump_by_verbs<basic_trace_sink<string_output>>(mrb, v, o, bare);
}

void define_any_dump(mrb_state* mrb, RClass* module) {
    mrb_define_module_function(mrb, module, "dump", dump, MRB_ARGS_ARG(1, 1));
}

}  // namespace kumihimo::inline v0::mruby
