#include "frames.hpp"

#include <memory>
#include <new>

#include "engine/core/buffer.hpp"
#include "engine/frame/frame.hpp"
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

int level_of(const frame::codec& as, VALUE level) {
    if (NIL_P(level)) return frame::usual_level;
    const long n = RB_INTEGER_TYPE_P(level) && !RB_FIXNUM_P(level) ? LONG_MAX : NUM2LONG(level);
    if (n < as.lowest || n > as.highest)
        rb_raise(rb_eArgError, "the levels of %s are %d to %d, not %+" PRIsVALUE, as.name.data(), as.lowest, as.highest, level);
    return static_cast<int>(n);
}

/// The String that `work(out, ctx)` makes of the bytes of `input`, which it does without the lock where they are many. What it
/// refuses is a ParserError. Nobody may be able to change `input`.
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

VALUE unpacked(const frame::codec& as, VALUE string, std::size_t size) {
    return made_of(rb_str_new_frozen(string), size,
                   [&as](bytes in, buffer& out, context& ctx) { return frame::unpack(as, in, out, ctx); });
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
    if (NIL_P(name) && !NIL_P(level)) rb_raise(rb_eArgError, "frame_level is the level of a frame, and none is named");
    if (!NIL_P(name)) level_of(frame_named(name), level);
    return Qnil;
}

/// pack(data, frame, level = nil) -> String
VALUE pack(int argc, VALUE* argv, VALUE) {
    VALUE data, name, level;
    rb_scan_args(argc, argv, "21", &data, &name, &level);
    const frame::codec& as = frame_named(name);
    const int at = level_of(as, level);
    StringValue(data);
    return made_of(rb_str_new_frozen(data), limits{}.size,
                   [&as, at](bytes in, buffer& out, context& ctx) { return frame::pack(as, in, out, at, ctx); });
}

/// unpack_frames(data, frame, size) -> String
VALUE unpack(VALUE, VALUE data, VALUE name, VALUE size) {
    StringValue(data);
    const frame::codec* const as = NIL_P(name) ? frame::recognise(bytes_of(data)) : &frame_named(name);
    const std::size_t most = NIL_P(size) ? limits{}.size : NUM2SIZET(size);
    if (as != nullptr) return unpacked(*as, data, most);
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

struct packed_stream {
    std::unique_ptr<frame::unpacker> from;
    context ctx;
    VALUE piece = Qnil;  // what is being unpacked: frozen, and the next byte's place in it
    std::size_t at = 0;
    errc failed = errc::ok;
};

const rb_data_type_t packed_type = {"Kumihimo::PackedStream",
                                    {[](void* data) { rb_gc_mark(static_cast<packed_stream*>(data)->piece); },
                                     [](void* data) { delete static_cast<packed_stream*>(data); },
                                     [](const void*) -> std::size_t { return sizeof(packed_stream); },
                                     nullptr,
                                     {}},
                                    nullptr,
                                    nullptr,
                                    RUBY_TYPED_FREE_IMMEDIATELY};

packed_stream& packed_of(VALUE self) { return *static_cast<packed_stream*>(rb_check_typeddata(self, &packed_type)); }

/// PackedStream.of(head): nil where the stream begins as no frame does. Four bytes tell, or all there are.
VALUE packed_stream_of(VALUE klass, VALUE head) {
    StringValue(head);
    const frame::codec* const as = frame::recognise(bytes_of(head));
    if (as == nullptr) return Qnil;
    packed_stream* const s = new (std::nothrow) packed_stream;
    if (s == nullptr) rb_memerror();
    VALUE made = Qnil;
    const int state = protect([&] { made = TypedData_Wrap_Struct(klass, &packed_type, s); });
    if (state != 0) {
        delete s;
        rb_jump_tag(state);
    }
    s->ctx.limits.size = static_cast<std::size_t>(-1) >> 1;  // of the stream; a document's is looked at apart
    s->from.reset(new (std::nothrow) frame::unpacker(*as, s->ctx));
    if (s->from == nullptr) rb_memerror();
    return made;
}

VALUE packed_push(VALUE self, VALUE piece) {
    packed_stream& s = packed_of(self);
    StringValue(piece);
    s.piece = rb_str_new_frozen(piece);
    s.at = 0;
    return self;
}

/// The text that comes next out of the piece, a part of it; nil where there is no more. What stops the stream is raised by the
/// call behind the one that gave the last text before it.
VALUE packed_next(VALUE self) {
    packed_stream& s = packed_of(self);
    constexpr std::size_t room = std::size_t{256} << 10;
    if (s.failed != errc::ok) rb_exc_raise(parse_error_of(s.ctx, s.failed, {}));
    if (NIL_P(s.piece)) return Qnil;
    const VALUE text = rb_str_new(nullptr, static_cast<long>(room));
    bytes left = bytes_of(s.piece).subspan(s.at);
    std::size_t got = 0;
    s.failed = s.from->expand(left, RSTRING_PTR(text), room, got);
    s.at = static_cast<std::size_t>(RSTRING_LEN(s.piece)) - left.size();
    rb_str_set_len(text, static_cast<long>(got));
    if (got == 0) {
        if (s.failed != errc::ok) rb_exc_raise(parse_error_of(s.ctx, s.failed, {}));
        return s.piece = Qnil;
    }
    RB_GC_GUARD(self);
    return text;
}

VALUE packed_finish(VALUE self) {
    packed_stream& s = packed_of(self);
    if (const errc e = s.from->finish(); e != errc::ok) rb_exc_raise(parse_error_of(s.ctx, e, {}));
    return Qnil;
}

}  // namespace

VALUE unframed(VALUE string, std::size_t size) {
    const frame::codec* const as = frame::recognise(bytes_of(string));
    return as == nullptr ? string : unpacked(*as, string, size);
}

void init_frames(VALUE kumihimo) {
    rb_define_singleton_method(kumihimo, "frames", RUBY_METHOD_FUNC(frames), 0);
    rb_define_singleton_method(kumihimo, "pack", RUBY_METHOD_FUNC(pack), -1);
    rb_define_singleton_method(kumihimo, "unpack_frames", RUBY_METHOD_FUNC(unpack), 3);
    rb_define_singleton_method(kumihimo, "check_frame", RUBY_METHOD_FUNC(check_frame), 2);
    rb_define_singleton_method(kumihimo, "framed?", RUBY_METHOD_FUNC(is_framed), 1);
    for (const char* name : {"unpack_frames", "check_frame", "framed?"})
        rb_funcall(kumihimo, rb_intern("private_class_method"), 1, ID2SYM(rb_intern(name)));
    const VALUE stream = rb_define_class_under(kumihimo, "PackedStream", rb_cObject);
    rb_undef_alloc_func(stream);
    rb_define_singleton_method(stream, "of", RUBY_METHOD_FUNC(packed_stream_of), 1);
    rb_define_method(stream, "push", RUBY_METHOD_FUNC(packed_push), 1);
    rb_define_method(stream, "next", RUBY_METHOD_FUNC(packed_next), 0);
    rb_define_method(stream, "finish", RUBY_METHOD_FUNC(packed_finish), 0);
}

}  // namespace kumihimo::inline v0::ruby
