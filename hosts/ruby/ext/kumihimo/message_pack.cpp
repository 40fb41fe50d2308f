// MessagePack: pack and unpack, the same values in the same bytes as the msgpack gem; what has no form there goes to a
// block.
#include "message_pack.hpp"

#include "build.hpp"
#include "emit.hpp"
#include "engine/core/null.hpp"
#include "engine/msgpack/emit.hpp"
#include "engine/msgpack/reader.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "output.hpp"
#include "walk.hpp"

namespace kumihimo::inline v0::ruby {

VALUE extension_class, timestamp_class;

instant instant_of_timestamp(VALUE timestamp) {
    const long long seconds = NUM2LL(RSTRUCT_GET(timestamp, 0));
    const long ns = NUM2LONG(RSTRUCT_GET(timestamp, 1));
    if (ns < 0 || ns > 999'999'999) rb_raise(rb_eRangeError, "nanoseconds are 0 to 999,999,999, not %ld", ns);
    return {.seconds = seconds, .nanoseconds = static_cast<std::uint32_t>(ns)};
}

namespace {

// Set once by init_message_pack.
VALUE max_nesting, invalid, symbolize_keys, freeze, allow_unknown_ext, timestamp, ext;
VALUE keep, bin, refuse;
ID id_to_msgpack, id_call, id_read, id_write;

struct pack_options {
    long max_nesting = 1024;
    msgpack::invalid_text invalid = msgpack::invalid_text::keep;
};

struct unpack_options {
    build_options build;
    std::size_t depth = 1024;
    msgpack::invalid_text invalid = msgpack::invalid_text::keep;
    bool unknown_ext = false;  // extensions that nobody handles become Extension objects
    bool timestamps = false;   // moments become Timestamp objects, not Times
    VALUE ext = Qnil;          // called with an extension's type and payload

    // Whether code of the user's runs while values arrive.
    bool calls() const noexcept { return !NIL_P(ext); }
};

[[noreturn, gnu::cold]] void unknown_option(VALUE key) { rb_raise(rb_eArgError, "unknown keyword: %+" PRIsVALUE, key); }

long nesting_of(VALUE v) {
    const long n = RTEST(v) ? NUM2LONG(v) : 0;
    if (n < 0) rb_raise(rb_eArgError, "max_nesting is not negative: %ld", n);
    return n;
}

msgpack::invalid_text invalid_of(VALUE v) {
    if (v == keep) return msgpack::invalid_text::keep;
    if (v == bin) return msgpack::invalid_text::bin;
    if (v == refuse) return msgpack::invalid_text::refuse;
    rb_raise(rb_eArgError, "invalid is one of :keep, :bin, :refuse, not %+" PRIsVALUE, v);
}

int read_pack_option(VALUE key, VALUE v, VALUE data) {
    pack_options& o = *reinterpret_cast<pack_options*>(data);
    if (key == max_nesting)
        o.max_nesting = nesting_of(v);
    else if (key == invalid)
        o.invalid = invalid_of(v);
    else
        unknown_option(key);
    return ST_CONTINUE;
}

int read_unpack_option(VALUE key, VALUE v, VALUE data) {
    unpack_options& o = *reinterpret_cast<unpack_options*>(data);
    if (key == max_nesting) {
        const long n = nesting_of(v);
        o.depth = n == 0 ? static_cast<std::size_t>(-1) >> 1 : static_cast<std::size_t>(n);
    } else if (key == invalid) {
        o.invalid = invalid_of(v);
    } else if (key == symbolize_keys) {
        o.build.symbolize = RTEST(v);
    } else if (key == freeze) {
        o.build.freeze = RTEST(v);
    } else if (key == allow_unknown_ext) {
        o.unknown_ext = RTEST(v);
    } else if (key == timestamp) {
        o.timestamps = RTEST(v);
    } else if (key == ext) {
        o.ext = v;
    } else {
        unknown_option(key);
    }
    return ST_CONTINUE;
}

// The options of a call, and argc without them: keywords, or a Hash behind the first argument, as the msgpack gem has
// it. A Hash that is all there is, with or without braces, is the argument.
VALUE take_options(int& argc, VALUE* argv) { return argc > 1 && RB_TYPE_P(argv[argc - 1], T_HASH) ? argv[--argc] : Qnil; }

// ---- packing

[[noreturn, gnu::cold]] void raise_pack(errc code, const char* what) {
    if (code == errc::size) rb_raise(rb_eRangeError, "a value is longer than what MessagePack counts in 32 bits");
    raise_write(code, what);
}
using emit_msgpack = msgpack::emit_burst<string_output, raise_pack>;

// Whether these bytes are one value: what an object's own to_msgpack gave becomes part of the document.
[[gnu::noinline]] bool is_one_value(bytes document) noexcept {
    context ctx;
    msgpack::reader from(document, ctx, msgpack::ruby_read);
    null_sink nothing;
    return from.feed(nothing) == errc::ok;
}

class pack_walk : public walker<pack_walk, emit_msgpack> {
    using base = walker<pack_walk, emit_msgpack>;

public:
    pack_walk(emit_msgpack& to, string_output& out, const pack_options& o) noexcept : base(to, out, o.max_nesting), o_(o) {}

    static constexpr bool counted = true;
    [[gnu::always_inline]] void key(VALUE k) { value(k); }

    // ASCII in BINARY is bin all the same, so the encoding counts and not only the bytes.
    [[gnu::always_inline]] static bool is_text(VALUE s) noexcept {
        const int index = RB_ENCODING_GET_INLINED(s);
        return (index == utf8_index || index == ascii_index) && is_valid_utf8(s);
    }

    void symbol(VALUE v) { string(rb_sym2str(v)); }
    void not_finite(VALUE v) { to_.f64(RFLOAT_VALUE(v)); }
    void big(VALUE v) {
        if (RBIGNUM_NEGATIVE_P(v))
            to_.i64(rb_big2ll(v));
        else
            to_.u64(rb_big2ull(v));
    }
    void odd_string(VALUE s) {
        const int index = rb_enc_get_index(s);
        if (index == binary_index) {
            to_.bin(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
        } else if (index == utf8_index || index == ascii_index) {
            if (o_.invalid == msgpack::invalid_text::refuse) raise_generate(s, "source sequence is illegal/malformed utf-8");
            const auto n = static_cast<std::size_t>(RSTRING_LEN(s));
            o_.invalid == msgpack::invalid_text::bin ? to_.bin(RSTRING_PTR(s), n) : to_.str(RSTRING_PTR(s), n);
        } else {
            if (!rb_enc_str_asciionly_p(s)) s = rb_str_encode(s, rb_enc_from_encoding(rb_utf8_encoding()), 0, Qnil);
            to_.str(RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s)));
        }
        RB_GC_GUARD(s);
    }
    void other(VALUE v) {
        switch (rb_type(v)) {
            case T_STRING: return string(v);
            case T_HASH: return map(v);
            case T_ARRAY: return array(v);
            case T_STRUCT:
                if (RBASIC_CLASS(v) == extension_class) return write_extension(to_, v);
                if (RBASIC_CLASS(v) == timestamp_class) return to_.time(instant_of_timestamp(v));
                break;
            case T_DATA:
                if (RTEST(rb_obj_is_kind_of(v, rb_cTime))) {
                    const struct timespec since_epoch = rb_time_timespec(v);
                    return to_.time(
                        {.seconds = since_epoch.tv_sec, .nanoseconds = static_cast<std::uint32_t>(since_epoch.tv_nsec)});
                }
                break;
            default: break;
        }
        if (rb_block_given_p()) {
            const VALUE instead = rb_yield(v);
            if (instead == v) refuse_object(v, "the block gave it back as it was");
            this->instead(instead);
        } else if (rb_respond_to(v, id_to_msgpack)) {
            VALUE packed = rb_funcallv(v, id_to_msgpack, 0, nullptr);
            StringValue(packed);
            const bytes document(reinterpret_cast<const unsigned char*>(RSTRING_PTR(packed)),
                                 static_cast<std::size_t>(RSTRING_LEN(packed)));
            if (!is_one_value(document)) refuse_object(v, "its to_msgpack did not give one value in MessagePack");
            to_.raw(RSTRING_PTR(packed), document.size());
            RB_GC_GUARD(packed);
        } else {
            refuse_object(v, "give pack a block that says what to pack instead");
        }
    }
    [[noreturn]] void too_deep(long depth) { raise_nesting(depth); }

    [[noreturn, gnu::cold]] static void changed(const char* what) {
        rb_raise(rb_eRuntimeError, "the %s was changed while it was being packed", what);
    }

private:
    [[noreturn, gnu::cold]] static void refuse_object(VALUE v, const char* why) {
        raise_generate(v, "%" PRIsVALUE " cannot be packed: %s", rb_obj_class(v), why);
    }

    const pack_options& o_;
};
static_assert(emitting_walker<pack_walk, emit_msgpack, VALUE>);

VALUE pack(int argc, VALUE* argv, VALUE) {
    const VALUE given = take_options(argc, argv);
    rb_check_arity(argc, 1, 2);
    pack_options options;
    if (!NIL_P(given)) rb_hash_foreach(given, read_pack_option, reinterpret_cast<VALUE>(&options));
    char here[4096];
    string_output out(here, sizeof here);
    emit_msgpack to(out);
    pack_walk walk(to, out, options);
    walk.value(argv[0]);
    to.finish();
    const VALUE packed = out.take(false);
    if (argc == 1 || NIL_P(argv[1])) return packed;
    rb_funcallv(argv[1], id_write, 1, &packed);
    return Qnil;
}

// ---- unpacking

class unpack_builder : public builder {
public:
    unpack_builder(context& ctx, const unpack_options& o) : builder(ctx, o.build), ctx_(ctx), o_(o) {}

    // A bin as key is a symbol where text is: the gem does not tell them apart there.
    errc key(text t) { return builder::key(t); }
    errc key(next_value n) {
        key_ = o_.build.symbolize;
        return builder::key(n);
    }
    errc bin(bytes b) {
        if (!take_key()) return builder::bin(b);
        return object(
            rb_str_intern(utf8_string(reinterpret_cast<const char*>(b.data()), b.size(), RUBY_ENC_CODERANGE_UNKNOWN)));
    }
    errc null() { return take_key(), builder::null(); }
    errc boolean(bool b) { return take_key(), builder::boolean(b); }
    errc i64(std::int64_t n) { return take_key(), builder::i64(n); }
    errc u64(std::uint64_t n) { return take_key(), builder::u64(n); }
    errc f64(double x) { return take_key(), builder::f64(x); }
    errc array(count n) { return take_key(), builder::array(n); }
    errc map(count n) { return take_key(), builder::map(n); }

    errc time(const instant& t) {
        take_key();
        if (!o_.timestamps) return builder::time(t);
        const VALUE parts[] = {LL2NUM(t.seconds), UINT2NUM(t.nanoseconds)};
        return object(rb_class_new_instance(2, parts, timestamp_class));
    }
    errc ext(int type, bytes data) {
        take_key();
        if (NIL_P(o_.ext) && !o_.unknown_ext) {
            return ctx_.fail(errc::unsupported, failure::nowhere,
                             "an extension that nobody handles: give a block for it, or allow_unknown_ext: true");
        }
        const VALUE parts[] = {INT2FIX(type),
                               rb_str_new(reinterpret_cast<const char*>(data.data()), static_cast<long>(data.size()))};
        return object(NIL_P(o_.ext) ? rb_class_new_instance(2, parts, extension_class)
                                    : rb_funcallv(o_.ext, id_call, 2, parts));
    }

private:
    bool take_key() noexcept {
        const bool was = key_;
        key_ = false;
        return was;
    }

    context& ctx_;
    const unpack_options& o_;
    bool key_ = false;
};
static_assert(kumihimo::builder<unpack_builder> && std::is_trivially_destructible_v<unpack_builder>);

struct outcome {
    VALUE made = Qundef;
    VALUE error = Qnil;
    int state = 0;
};

constexpr msgpack::read_dialect granted(msgpack::invalid_text invalid) noexcept { return {.invalid = invalid}; }

// Not inlined: its objects with destructors are gone when it returns, and the caller may jump.
[[gnu::noinline]] outcome read_document(bytes document, const unpack_options& options, bool interruptible) {
    outcome out;
    errc e = errc::ok;
    context ctx;
    ctx.limits.depth = options.depth;
    unpack_builder to(ctx, options);
    if (interruptible) to.give_way();
    const auto attempt = [&](msgpack::invalid_text invalid) {
        msgpack::reader from(document, ctx, granted(invalid));
        out.state = protect([&] {
            e = from.feed(to);
            if (e == errc::ok) out.made = to.take();
        });
    };
    // Nearly all text is text: it is believed to be, and read again where it was not, so that each String knows that
    // it is right.
    const bool twice = options.invalid == msgpack::invalid_text::keep && !options.calls();
    if (options.invalid == msgpack::invalid_text::keep && !twice) to.distrust();
    attempt(twice ? msgpack::invalid_text::refuse : options.invalid);
    if (out.state == 0 && e == errc::encoding && twice) {
        to.clear();
        to.distrust();
        ctx.clear();
        attempt(options.invalid);
    }
    if (out.state == 0 && e != errc::ok) out.state = protect([&] { out.error = parse_error_of(ctx, e, document); });
    to.release();
    return out;
}

[[gnu::noinline]] outcome read_stream(bytes document, const unpack_options& options) {
    outcome out;
    errc e = errc::ok;
    context ctx;
    ctx.limits.depth = options.depth;
    unpack_builder to(ctx, options);
    to.give_way();
    if (options.invalid == msgpack::invalid_text::keep) to.distrust();
    {
        msgpack::reader from(document, ctx, granted(options.invalid));
        out.state = protect([&] {
            while (from.more()) {
                e = from.next(to);
                if (e != errc::ok) return;
                const VALUE made = to.take();
                rb_yield(made);
            }
        });
    }
    if (out.state == 0 && e != errc::ok) out.state = protect([&] { out.error = parse_error_of(ctx, e, document); });
    to.release();
    return out;
}

// A String, or what an IO has left. Frozen, where others could change it under the reader: code of the user's, and
// threads that have their turn while a long document is read.
VALUE source_of(VALUE source, bool calls, bool& interruptible) {
    if (!RB_TYPE_P(source, T_STRING)) {
        const VALUE string = rb_check_string_type(source);
        if (!NIL_P(string)) {
            source = string;
        } else if (rb_respond_to(source, id_read)) {
            source = rb_funcallv(source, id_read, 0, nullptr);
            StringValue(source);
        } else {
            StringValue(source);  // says what is wrong
        }
    }
    return unchangeable(source, long_document, calls, interruptible);
}

bytes bytes_of(VALUE string) {
    return {reinterpret_cast<const unsigned char*>(RSTRING_PTR(string)), static_cast<std::size_t>(RSTRING_LEN(string))};
}

void finish(const outcome& out) {
    if (out.state != 0) rb_jump_tag(out.state);
    if (!NIL_P(out.error)) rb_exc_raise(out.error);
}

VALUE unpack(int argc, VALUE* argv, VALUE) {
    const VALUE given = take_options(argc, argv);
    rb_check_arity(argc, 1, 1);
    unpack_options options;
    if (!NIL_P(given)) rb_hash_foreach(given, read_unpack_option, reinterpret_cast<VALUE>(&options));
    VALUE handler = rb_block_given_p() ? rb_block_proc() : options.ext;
    options.ext = handler;
    bool interruptible = false;
    VALUE source = source_of(argv[0], options.calls(), interruptible);
    const outcome out = read_document(bytes_of(source), options, interruptible);
    RB_GC_GUARD(source);
    RB_GC_GUARD(handler);
    finish(out);
    return out.made;
}

VALUE each(int argc, VALUE* argv, VALUE self) {
    RETURN_ENUMERATOR(self, argc, argv);
    const VALUE given = take_options(argc, argv);
    rb_check_arity(argc, 1, 1);
    unpack_options options;
    if (!NIL_P(given)) rb_hash_foreach(given, read_unpack_option, reinterpret_cast<VALUE>(&options));
    VALUE handler = options.ext;
    bool interruptible = true;
    VALUE source = source_of(argv[0], true, interruptible);
    const outcome out = read_stream(bytes_of(source), options);
    RB_GC_GUARD(source);
    RB_GC_GUARD(handler);
    finish(out);
    return Qnil;
}

}  // namespace

void init_message_pack(VALUE kumihimo) {
    const auto symbol = [](const char* name) { return ID2SYM(rb_intern(name)); };
    max_nesting = symbol("max_nesting");
    invalid = symbol("invalid");
    symbolize_keys = symbol("symbolize_keys");
    freeze = symbol("freeze");
    allow_unknown_ext = symbol("allow_unknown_ext");
    timestamp = symbol("timestamp");
    ext = symbol("ext");
    keep = symbol("keep");
    bin = symbol("bin");
    refuse = symbol("refuse");
    id_to_msgpack = rb_intern("to_msgpack");
    id_call = rb_intern("call");
    id_read = rb_intern("read");
    id_write = rb_intern("write");
    const VALUE message_pack = rb_define_module_under(kumihimo, "MessagePack");
    extension_class = lasting(rb_struct_define_under(message_pack, "Extension", "type", "payload", nullptr));
    timestamp_class = lasting(rb_struct_define_under(message_pack, "Timestamp", "sec", "nsec", nullptr));
    for (const char* name : {"pack", "dump"}) rb_define_singleton_method(message_pack, name, RUBY_METHOD_FUNC(pack), -1);
    for (const char* name : {"unpack", "load"}) rb_define_singleton_method(message_pack, name, RUBY_METHOD_FUNC(unpack), -1);
    rb_define_singleton_method(message_pack, "each", RUBY_METHOD_FUNC(each), -1);
}

}  // namespace kumihimo::inline v0::ruby
