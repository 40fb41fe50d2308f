// MessagePack: pack and unpack, by the names of Ruby's msgpack gem.
//
// A String is bytes here: what is UTF-8 goes out as str, what is not as bin. A Float goes out as the double that it
// was written as (floats.hpp). A Time has microseconds in mruby.
#include <charconv>

#include "engine/core/null.hpp"
#include "engine/msgpack/emit.hpp"
#include "engine/msgpack/reader.hpp"

#include "../vm/shelter.hpp"
#include "blocks.hpp"
#include "build.hpp"
#include "errors.hpp"
#include "message_pack_types.hpp"
#include "module.hpp"
#include "options.hpp"
#include "output.hpp"
#include "walk.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

RClass* class_of_module(mrb_state* mrb, const char* name) { return class_in(mrb, "MessagePack", name); }

// A script may have taken Time away, or there is none in this mruby.
RClass* time_class(mrb_state* mrb) {
    if (!mrb_class_defined(mrb, "Time")) return nullptr;
    return mrb_class_get(mrb, "Time");
}

[[noreturn, gnu::cold]] void refuse_object(mrb_state* mrb, mrb_value v, const char* why) {
    mrb_raisef(mrb, class_of_module(mrb, "PackError"), "%C cannot be packed: %s", mrb_obj_class(mrb, v), why);
    __builtin_unreachable();
}

enum class invalid_text : std::uint8_t { bin, keep, refuse };

struct pack_options {
    mrb_int max_nesting = 1024;
    invalid_text invalid = invalid_text::bin;
    mrb_value block = mrb_nil_value();
};

struct unpack_options {
    build_options build;
    mrb_int max_nesting = 1024;
    msgpack::invalid_text invalid = msgpack::invalid_text::keep;
    bool unknown_ext = false;
    bool timestamps = false;
};

invalid_text invalid_of(mrb_state* mrb, mrb_value v) {
    if (mrb_symbol_p(v)) {
        const mrb_sym s = mrb_symbol(v);
        if (s == mrb_intern_lit(mrb, "bin")) return invalid_text::bin;
        if (s == mrb_intern_lit(mrb, "keep")) return invalid_text::keep;
        if (s == mrb_intern_lit(mrb, "refuse")) return invalid_text::refuse;
    }
    mrb_raise(mrb, E_ARGUMENT_ERROR, "invalid is one of :bin, :keep, :refuse");
    __builtin_unreachable();
}
// The walk looks at lengths first.
[[noreturn]] void never(errc, const char*) { __builtin_unreachable(); }
using emit = msgpack::emit_burst<string_output, never>;

// Whether these bytes are one value: what an object's own to_msgpack gave becomes part of the document.
[[gnu::noinline]] bool is_one_value(const char* p, std::size_t n) noexcept {
    const host_section at_work;
    context ctx;
    msgpack::reader from({reinterpret_cast<const unsigned char*>(p), n}, ctx, msgpack::ruby_read);
    null_sink nothing;
    return from.feed(nothing) == errc::ok;
}

class pack_rules : public walker<pack_rules, emit> {
    using base = walker<pack_rules, emit>;

public:
    static constexpr bool counts_stand = true;

    pack_rules(mrb_state* mrb, emit& to, const pack_options& o) noexcept : base(mrb, to, o.max_nesting), o_(o) {}

    void key(mrb_value k, mrb_value v) {
        if (!mrb_immediate_p(k) && !mrb_string_p(k)) mrb_gc_protect(mrb_, v);
        value(k);
    }
    void real(double x) { to_.f64(uncut(x)); }
    [[gnu::always_inline]] void string(mrb_value v) {
        const string_view_of s(v);
        text(v, s.data, s.size);
    }
    void symbol(mrb_value v) {
        mrb_int n = 0;
        const char* const p = mrb_sym_name_len(mrb_, mrb_symbol(v), &n);
        text(v, p, static_cast<std::size_t>(n));
    }

    void check_length(std::size_t n) {
        if (n > UINT32_MAX) [[unlikely]]
            mrb_raise(mrb_, mrb_exc_get(mrb_, "RangeError"), "a value is longer than what MessagePack counts in 32 bits");
    }
    [[noreturn, gnu::cold]] void changed(const char* what) {
        mrb_raisef(mrb_, mrb_exc_get(mrb_, "RuntimeError"), "the %s was changed while it was being packed", what);
        __builtin_unreachable();
    }

    void other(mrb_value v) {
        if (mrb_string_p(v)) return string(v);
        if (mrb_hash_p(v)) return hash(v);
        if (mrb_array_p(v)) return array(v);
        keep_open();
        if (is_big(v)) return big(v);
        const int arena = mrb_gc_arena_save(mrb_);
        mrb_gc_protect(mrb_, v);
        foreign(v);
        mrb_gc_arena_restore(mrb_, arena);
    }
    [[noreturn]] void odd_string(mrb_value) { never(errc::misuse, ""); }
    [[noreturn]] void too_deep(mrb_int depth) {
        mrb_raisef(mrb_, class_of_module(mrb_, "PackError"), "nesting of %i is too deep", depth);
        __builtin_unreachable();
    }

private:
    [[gnu::always_inline]] void text(mrb_value v, const char* p, std::size_t n) {
        check_length(n);
        if (is_utf8(p, n)) [[likely]]
            return to_.str(p, n);
        switch (o_.invalid) {
            case invalid_text::bin: return to_.bin(p, n);
            case invalid_text::keep: return to_.str(p, n);
            case invalid_text::refuse: refuse_object(mrb_, v, "its bytes are not UTF-8");
        }
    }

    void big(mrb_value v) {
        const int arena = mrb_gc_arena_save(mrb_);
        const string_view_of digits(mrb_integer_to_str(mrb_, v, 10));
        std::uint64_t n = 0;
        const auto [end, why] = std::from_chars(digits.data, digits.data + digits.size, n);
        if (why != std::errc() || end != digits.data + digits.size)
            mrb_raise(mrb_, mrb_exc_get(mrb_, "RangeError"), "an Integer is beyond 64 bits");
        to_.u64(n);
        mrb_gc_arena_restore(mrb_, arena);
    }

    // What is none of MessagePack's own kinds.
    void foreign(mrb_value v) {
        RClass* const c = mrb_obj_class(mrb_, v);
        if (c == class_of_module(mrb_, "Extension")) {
            const extension_value x = extension_of(mrb_, v);
            if (!mrb_string_p(x.payload)) refuse_object(mrb_, v, "its payload is not a String");
            const string_view_of s(x.payload);
            check_length(s.size);
            return to_.ext(x.type, s.data, s.size);
        }
        if (c == class_of_module(mrb_, "Timestamp")) return to_.time(timestamp_of(mrb_, v));
        if (RClass* const time = time_class(mrb_); time != nullptr && mrb_obj_is_kind_of(mrb_, v, time)) {
            const mrb_value seconds = mrb_funcall_id(mrb_, v, mrb_intern_lit(mrb_, "to_i"), 0);
            const mrb_value micro = mrb_funcall_id(mrb_, v, mrb_intern_lit(mrb_, "usec"), 0);
            return to_.time(
                {.seconds = integer_within(mrb_, seconds, "a Time's to_i", INT64_MIN, INT64_MAX),
                 .nanoseconds = static_cast<std::uint32_t>(integer_within(mrb_, micro, "a Time's usec", 0, 999'999)) * 1000});
        }
        if (!mrb_nil_p(o_.block)) {
            // In the middle of a walk there is no frame that a loop in Ruby could take (blocks.hpp): `return` ends the
            // block.
            const mrb_value instead = mrb_yield(mrb_, o_.block, v);
            if (mrb_obj_eq(mrb_, instead, v)) refuse_object(mrb_, v, "the block gave it back as it was");
            mrb_gc_protect(mrb_, instead);
            enter();
            value(instead);
            --depth_;
            return;
        }
        if (!mrb_respond_to(mrb_, v, mrb_intern_lit(mrb_, "to_msgpack")))
            refuse_object(mrb_, v, "give pack a block that says what to pack instead");
        const mrb_value packed = mrb_funcall_id(mrb_, v, mrb_intern_lit(mrb_, "to_msgpack"), 0);
        if (!mrb_string_p(packed) || !is_one_value(RSTRING_PTR(packed), static_cast<std::size_t>(RSTRING_LEN(packed))))
            refuse_object(mrb_, v, "its to_msgpack did not give one value in MessagePack");
        mrb_gc_protect(mrb_, packed);
        to_.raw(RSTRING_PTR(packed), static_cast<std::size_t>(RSTRING_LEN(packed)));
    }

    const pack_options& o_;
};
static_assert(emitting_walker<pack_rules, emit, mrb_value>);

mrb_value pack_value(mrb_state* mrb, mrb_value v, const pack_options& o) {
    machine_stack::check(mrb);
    char here[4096];
    string_output out(mrb, here, sizeof here);
    emit to(out);
    pack_rules walk(mrb, to, o);
    walk.value(v);
    to.finish();
    return out.take();
}

// pack(object, io = nil, max_nesting: 1024, invalid: :bin) { |other| instead }
mrb_value pack(mrb_state* mrb, mrb_value) {
    mrb_value v, io = mrb_nil_value(), given = mrb_nil_value();
    pack_options o;
    mrb_get_args(mrb, "o|oo&", &v, &io, &given, &o.block);
    if (mrb_hash_p(io) && mrb_nil_p(given)) {
        given = io;
        io = mrb_nil_value();
    }
    each_option(mrb, given, [&](std::string_view name, mrb_value option) {
        if (name == "max_nesting")
            o.max_nesting = nesting_of(mrb, option);
        else if (name == "invalid")
            o.invalid = invalid_of(mrb, option);
        else
            return false;
        return true;
    });
    const mrb_value packed = pack_value(mrb, v, o);
    if (mrb_nil_p(io)) return packed;
    mrb_funcall_id(mrb, io, mrb_intern_lit(mrb, "write"), 1, packed);
    return mrb_nil_value();
}
mrb_value to_msgpack(mrb_state* mrb, mrb_value self) { return pack_value(mrb, self, {}); }

class unpack_builder : public typed_builder {
public:
    unpack_builder(mrb_state* mrb, context& ctx, const unpack_options& o, key_cache& keys, const message_pack_types& types,
                   RClass* time)
        : typed_builder(mrb, ctx, o.build, keys, types), o_(o), time_(time) {}

    errc time(const instant& t) {
        if (time_ == nullptr) return timestamp(t);
        const mrb_value parts[] = {integer_value(mrb_, t.seconds), mrb_fixnum_value(t.nanoseconds / 1000)};
        return push(mrb_funcall_argv(mrb_, mrb_obj_value(time_), mrb_intern_lit(mrb_, "at"), 2, parts));
    }
    errc ext(int type, bytes data) {
        if (!o_.unknown_ext)
            return ctx_.fail(errc::unsupported, failure::nowhere, "an extension; to have it, say allow_unknown_ext: true");
        return typed_builder::ext(type, data);
    }

private:
    const unpack_options& o_;
    RClass* time_;
};
static_assert(kumihimo::builder<unpack_builder> && std::is_trivially_destructible_v<unpack_builder>);

// Time, as long as its `at` is mruby's own: another one would be Ruby code in the middle of reading.
RClass* native_time(mrb_state* mrb) {
    RClass* const time = time_class(mrb);
    if (time == nullptr) return nullptr;
    RClass* c = mrb_class(mrb, mrb_obj_value(time));
    const mrb_method_t at = mrb_method_search_vm(mrb, &c, mrb_intern_lit(mrb, "at"));
    return MRB_METHOD_UNDEF_P(at) || !MRB_METHOD_CFUNC_P(at) ? nullptr : time;
}

struct outcome {
    mrb_value made = mrb_undef_value();
    mrb_value error = mrb_nil_value();
    std::size_t next = 0;  // where the document behind this one begins
    read_failure why;
};

struct classes {
    message_pack_types types;
    RClass* time;
};

// One document of `input` from `at` on. Its objects with destructors are gone when it returns.
[[gnu::noinline]] void read(mrb_state* mrb, bytes input, std::size_t at, bool whole, const unpack_options& o, const classes& c,
                            outcome& out) {
    const host_section at_work;
    key_cache* const keys = key_cache::here();
    context ctx;
    ctx.limits.depth = depth_of(o.max_nesting);
    if (keys == nullptr) return out.why.take(ctx, errc::memory, input, 0);
    const collector_off no_collection(mrb);
    unpack_builder to(mrb, ctx, o, *keys, c.types, c.time);
    msgpack::reader from(input.subspan(at), ctx, {.invalid = o.invalid});
    errc e = errc::ok;
    auto all = [&] {
        e = whole ? from.feed(to) : from.next(to);
        if (e == errc::ok) out.made = to.take();
    };
    const bool through = sheltered(mrb, all, out.error);
    to.release();
    out.next = at + from.position();
    if (!through || e == errc::ok) return;
    if (ctx.failure.offset != failure::nowhere) ctx.failure.offset += at;
    out.why.take(ctx, e, input, ctx.limits.depth);
}

struct source {
    mrb_value string;
    unpack_options options;
    classes known;
};

source unpack_arguments(mrb_state* mrb, mrb_value* block = nullptr) {
    source s{};
    mrb_value given = mrb_nil_value(), unused;
    mrb_get_args(mrb, "o|o&", &s.string, &given, block != nullptr ? block : &unused);
    unpack_options& o = s.options;
    o = {};
    each_option(mrb, given, [&](std::string_view name, mrb_value option) {
        if (name == "symbolize_keys") {
            o.build.symbolize = mrb_test(option);
        } else if (name == "freeze") {
            o.build.freeze = mrb_test(option);
        } else if (name == "allow_unknown_ext") {
            o.unknown_ext = mrb_test(option);
        } else if (name == "timestamp") {
            o.timestamps = mrb_test(option);
        } else if (name == "max_nesting") {
            o.max_nesting = nesting_of(mrb, option);
        } else if (name == "invalid") {
            o.invalid =
                invalid_of(mrb, option) == invalid_text::refuse ? msgpack::invalid_text::refuse : msgpack::invalid_text::keep;
        } else {
            return false;
        }
        return true;
    });
    if (!mrb_string_p(s.string) && mrb_respond_to(mrb, s.string, mrb_intern_lit(mrb, "read")))
        s.string = mrb_funcall_id(mrb, s.string, mrb_intern_lit(mrb, "read"), 0);
    if (!mrb_string_p(s.string))
        mrb_raisef(mrb, E_TYPE_ERROR, "no implicit conversion of %C into String", mrb_obj_class(mrb, s.string));
    s.known = {message_pack_types_of(mrb), o.timestamps ? nullptr : native_time(mrb)};
    return s;
}

mrb_value one_document(mrb_state* mrb, const source& s, std::size_t& at, bool whole) {
    machine_stack::check(mrb);
    const string_view_of view(s.string);
    outcome out;
    read(mrb, {reinterpret_cast<const unsigned char*>(view.data), view.size}, at, whole, s.options, s.known, out);
    if (!mrb_nil_p(out.error)) mrb_exc_raise(mrb, out.error);
    if (mrb_undef_p(out.made)) raise_read(mrb, "MessagePack", out.why);
    mrb_gc_protect(mrb, out.made);
    at = out.next;
    return out.made;
}

// unpack(source, symbolize_keys: false, freeze: false, allow_unknown_ext: false, timestamp: false, invalid: :keep,
// max_nesting: 1024)
mrb_value unpack(mrb_state* mrb, mrb_value) {
    const source s = unpack_arguments(mrb);
    std::size_t at = 0;
    return one_document(mrb, s, at, true);
}

struct each_steps : steps {
    source from;
    std::size_t at = 0;
};
bool each_next(mrb_state* mrb, steps& state, mrb_value& item) {
    auto& all = static_cast<each_steps&>(state);
    if (all.at >= static_cast<std::size_t>(RSTRING_LEN(all.from.string))) return false;
    item = one_document(mrb, all.from, all.at, false);
    return true;
}

// each(source, the same options) { |value| ... }: the values that stand one behind the other.
mrb_value each(mrb_state* mrb, mrb_value) {
    mrb_value block = mrb_nil_value();
    source s = unpack_arguments(mrb, &block);
    if (mrb_nil_p(block)) mrb_raise(mrb, E_ARGUMENT_ERROR, "each needs a block");
    s.string = mrb_str_dup(mrb, s.string);  // the block may change it
    mrb_basic_ptr(s.string)->c = nullptr;   // nor find this one
    const auto object = [](RClass* c) { return c == nullptr ? mrb_nil_value() : mrb_obj_value(c); };
    return go_through(mrb, loop::each, each_steps{{each_next, nullptr, nullptr, {}}, s},
                      {s.string, object(s.known.types.extension), object(s.known.types.timestamp), object(s.known.time)},
                      block);
}

}  // namespace

void define_message_pack(mrb_state* mrb) {
    define_blocks(mrb);
    check_layout(mrb);
    RClass* const module = mrb_define_module(mrb, "MessagePack");
    const auto also = [&](const char* name, RClass* c) { mrb_define_const(mrb, module, name, mrb_obj_value(c)); };
    RClass* const unpacking = mrb_define_class_under(mrb, module, "UnpackError", mrb->eStandardError_class);
    define_failure(mrb, unpacking);
    also("ParserError", unpacking);
    also("MalformedFormatError", unpacking);
    RClass* const nesting = mrb_define_class_under(mrb, module, "NestingError", unpacking);
    also("StackError", nesting);
    also("GeneratorError", mrb_define_class_under(mrb, module, "PackError", mrb->eStandardError_class));
    const message_pack_types types = define_message_pack_types(mrb, module);
    also("ExtensionValue", types.extension);
    for (const char* name : {"pack", "dump"}) mrb_define_module_function(mrb, module, name, pack, MRB_ARGS_ANY());
    for (const char* name : {"unpack", "load"}) mrb_define_module_function(mrb, module, name, unpack, MRB_ARGS_ANY());
    mrb_define_module_function(mrb, module, "each", each, MRB_ARGS_ANY());
    for (RClass* const c :
         {mrb->hash_class, mrb->array_class, mrb->string_class, mrb->integer_class, mrb->float_class, mrb->nil_class,
          mrb->true_class, mrb->false_class, mrb->symbol_class, types.extension, types.timestamp})
        mrb_define_method(mrb, c, "to_msgpack", to_msgpack, MRB_ARGS_ANY());
}

}  // namespace kumihimo::inline v0::mruby
