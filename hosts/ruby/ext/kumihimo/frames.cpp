#include "frames.hpp"

#include <new>

#include "engine/core/buffer.hpp"
#include "engine/frame/frame.hpp"
#include "engine/frame/plain_stream.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "turn.hpp"

namespace kumihimo::inline v0::ruby {

namespace {

bytes bytes_of(VALUE s) noexcept {
    return {reinterpret_cast<const unsigned char*>(RSTRING_PTR(s)), static_cast<std::size_t>(RSTRING_LEN(s))};
}
VALUE text(std::string_view s) { return rb_obj_freeze(rb_utf8_str_new(s.data(), static_cast<long>(s.size()))); }

VALUE frame_names() {
    const VALUE names = rb_utf8_str_new(nullptr, 0);
    for (const frame::codec* const f : frame::all()) {
        rb_str_cat_cstr(names, RSTRING_LEN(names) == 0 ? "\"" : ", \"");
        rb_str_cat(names, f->name.data(), static_cast<long>(f->name.size()));
        rb_str_cat_cstr(names, "\"");
    }
    return names;
}

const frame::codec& frame_named(VALUE name) {
    VALUE s = RB_SYMBOL_P(name) ? rb_sym2str(name) : name;
    const frame::codec* const found =
        RB_TYPE_P(s, T_STRING) ? frame::by_name({RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s))}) : nullptr;
    RB_GC_GUARD(s);
    if (found == nullptr) rb_raise(rb_eArgError, "frame is one of %" PRIsVALUE ", not %+" PRIsVALUE, frame_names(), name);
    return *found;
}

/// nil: the usual one. `codec` null: no frame is named.
int level_of(const frame::codec* codec, VALUE level) {
    if (NIL_P(level)) return frame::usual_level;
    const long n = RB_INTEGER_TYPE_P(level) && !RB_FIXNUM_P(level) ? LONG_MAX : NUM2LONG(level);
    int chosen = frame::usual_level;
    const char* what = "";
    const errc e = frame::choose_level(codec, static_cast<double>(n), chosen, what);
    if (e == errc::range) rb_raise(rb_eArgError, "%s, not %+" PRIsVALUE, what, level);
    if (e != errc::ok) rb_raise(rb_eArgError, "%s", what);
    return chosen;
}

/// The String that `work(out, ctx)` makes of the bytes of `input`, which it does without the lock where they are many.
/// What it refuses is a ParserError. Nobody may be able to change `input`.
template <class F>
VALUE made_of(VALUE input, std::size_t size, F work) {
    VALUE made = Qnil, error = Qnil;
    int state;
    {
        context ctx;
        ctx.limits.size = size;
        buffer out;
        errc e = errc::ok;
        auto run = [&] { e = work(bytes_of(input), out, ctx); };
        state = protect([&] {
            static_cast<std::size_t>(RSTRING_LEN(input)) < long_document ? run() : without_lock(run);
            if (e != errc::ok)
                error = parse_error_of(ctx, e, {});
            else
                made = rb_str_new(out.data(), static_cast<long>(out.size()));
        });
    }
    RB_GC_GUARD(input);
    if (state != 0) rb_jump_tag(state);
    if (!NIL_P(error)) rb_exc_raise(error);
    return made;
}

VALUE unpacked(const frame::codec& codec, VALUE string, std::size_t size) {
    return made_of(rb_str_new_frozen(string), size,
                   [&codec](bytes in, buffer& out, context& ctx) { return frame::unpack(codec, in, out, ctx); });
}

/// frames -> Array of Hashes
VALUE frames(VALUE) {
    const VALUE all = rb_ary_new();
    for (const frame::codec* const f : frame::all()) {
        const VALUE one = rb_hash_new();
        const auto set = [&](const char* key, VALUE v) { rb_hash_aset(one, ID2SYM(rb_intern(key)), v); };
        set("name", text(f->name));
        set("ending", text(f->ending));
        set("media_type", text(f->media));
        set("levels", rb_range_new(INT2FIX(f->lowest), INT2FIX(f->highest), 0));
        set("usual_level", INT2FIX(f->usual));
        set("available", frame::available(*f) ? Qtrue : Qfalse);
        rb_ary_push(all, rb_obj_freeze(one));
    }
    return rb_obj_freeze(all);
}

/// check_frame(frame, level): raises for a frame or a level that is none.
VALUE check_frame(VALUE, VALUE name, VALUE level) {
    level_of(NIL_P(name) ? nullptr : &frame_named(name), level);
    return Qnil;
}

/// pack(data, frame, level = nil) -> String
VALUE pack(int argc, VALUE* argv, VALUE) {
    VALUE data, name, level;
    rb_scan_args(argc, argv, "21", &data, &name, &level);
    const frame::codec& codec = frame_named(name);
    const int chosen_level = level_of(&codec, level);
    StringValue(data);
    return made_of(rb_str_new_frozen(data), limits{}.size, [&codec, chosen_level](bytes in, buffer& out, context& ctx) {
        return frame::pack(codec, in, out, chosen_level, ctx);
    });
}

/// unpack_frames(data, frame, size) -> String
VALUE unpack(VALUE, VALUE data, VALUE name, VALUE size) {
    StringValue(data);
    const frame::codec* const codec = NIL_P(name) ? frame::recognise(bytes_of(data)) : &frame_named(name);
    const std::size_t most = NIL_P(size) ? limits{}.size : NUM2SIZET(size);
    if (codec != nullptr) return unpacked(*codec, data, most);
    const VALUE error = rb_exc_new_str(
        parser_error, rb_sprintf("the bytes begin as no frame does: they are none of %" PRIsVALUE, frame_names()));
    rb_exc_raise(error);
}

/// framed?(data): whether it begins as a frame does.
VALUE is_framed(VALUE, VALUE data) {
    StringValue(data);
    return frame::recognise(bytes_of(data)) == nullptr ? Qfalse : Qtrue;
}

// ---- a stream that may be in a frame

struct plain_stream {
    frame::plain_stream from;
    VALUE piece = Qnil;  // what was pushed last: frozen
};

const rb_data_type_t plain_type = {
    "Kumihimo::PlainStream",
    {[](void* data) { rb_gc_mark(static_cast<plain_stream*>(data)->piece); },
     [](void* data) { delete static_cast<plain_stream*>(data); },
     [](const void*) -> std::size_t { return sizeof(plain_stream) + frame::plain_stream::piece; },
     nullptr,
     {}},
    nullptr,
    nullptr,
    RUBY_TYPED_FREE_IMMEDIATELY};

plain_stream& plain_of(VALUE self) { return *static_cast<plain_stream*>(rb_check_typeddata(self, &plain_type)); }

/// PlainStream.new
VALUE new_plain_stream(VALUE klass) {
    plain_stream* const s = new (std::nothrow) plain_stream;
    if (s == nullptr) rb_memerror();
    VALUE made = Qnil;
    const int state = protect([&] { made = TypedData_Wrap_Struct(klass, &plain_type, s); });
    if (state != 0) {
        delete s;
        rb_jump_tag(state);
    }
    return made;
}

/// push(piece): only when next has no more.
VALUE plain_push(VALUE self, VALUE piece) {
    plain_stream& s = plain_of(self);
    StringValue(piece);
    s.piece = rb_str_new_frozen(piece);
    s.from.push(bytes_of(s.piece));
    return self;
}

/// The text that comes next, a part of it; nil where there is no more in what was pushed.
VALUE plain_next(VALUE self) {
    plain_stream& s = plain_of(self);
    bytes text;
    if (const errc e = s.from.next(text); e != errc::ok) rb_exc_raise(parse_error_of(s.from.said(), e, {}));
    if (!text.empty()) return rb_str_new(reinterpret_cast<const char*>(text.data()), static_cast<long>(text.size()));
    return s.piece = Qnil;
}

/// No piece follows.
VALUE plain_end(VALUE self) {
    plain_of(self).from.end();
    return self;
}

}  // namespace

VALUE unframed(VALUE string, std::size_t size) {
    const frame::codec* const codec = frame::recognise(bytes_of(string));
    return codec == nullptr ? string : unpacked(*codec, string, size);
}

void init_frames(VALUE kumihimo) {
    rb_define_singleton_method(kumihimo, "frames", RUBY_METHOD_FUNC(frames), 0);
    rb_define_singleton_method(kumihimo, "pack", RUBY_METHOD_FUNC(pack), -1);
    rb_define_singleton_method(kumihimo, "unpack_frames", RUBY_METHOD_FUNC(unpack), 3);
    rb_define_singleton_method(kumihimo, "check_frame", RUBY_METHOD_FUNC(check_frame), 2);
    rb_define_singleton_method(kumihimo, "framed?", RUBY_METHOD_FUNC(is_framed), 1);
    for (const char* name : {"unpack_frames", "check_frame", "framed?"})
        rb_funcall(kumihimo, rb_intern("private_class_method"), 1, ID2SYM(rb_intern(name)));
    const VALUE stream = rb_define_class_under(kumihimo, "PlainStream", rb_cObject);
    rb_undef_alloc_func(stream);
    rb_define_singleton_method(stream, "new", RUBY_METHOD_FUNC(new_plain_stream), 0);
    rb_define_method(stream, "push", RUBY_METHOD_FUNC(plain_push), 1);
    rb_define_method(stream, "next", RUBY_METHOD_FUNC(plain_next), 0);
    rb_define_method(stream, "end", RUBY_METHOD_FUNC(plain_end), 0);
}

}  // namespace kumihimo::inline v0::ruby
