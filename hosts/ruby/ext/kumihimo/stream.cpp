// Documents out of a stream: bytes come in pieces, documents lie behind each other in them, with or without white
// space or line breaks between them, and may be cut anywhere.
//
//      {"a":1}\n{"a":2}\n{"a"      :3}\n\n[4]
//      piece ------------------    piece -----
//
// A document inside one piece is parsed where it lies; only what a piece's end cuts is kept. lib/kumihimo/stream.rb
// reads the pieces and hands the documents on.
#include <algorithm>
#include <memory>
#include <new>

#include "any_format.hpp"
#include "engine/core/buffer.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "parse.hpp"
#include "turn.hpp"

namespace kumihimo::inline v0::ruby {

namespace {

struct stream {
    parse_options options;  // of JSON as parse reads it, where no format was named
    any_reader by;
    any_options any;     // where one was
    VALUE kept = Qnil;   // the Hash that options refer to
    VALUE error = Qnil;  // to be raised when the documents before it have been handed on
    std::size_t largest = 0;
    std::unique_ptr<document_ends> ends;
    buffer cut;  // the beginning of a document whose end has not come yet
    stream_place place;
    bool busy = false;  // push() or finish() is running
};

void mark_stream(void* data) {
    const stream& s = *static_cast<stream*>(data);
    rb_gc_mark(s.kept);
    rb_gc_mark(s.error);
    s.options.build.mark();
    s.any.mark();
}
void free_stream(void* data) {
    static_cast<stream*>(data)->~stream();
    ruby_xfree(data);
}
std::size_t size_of_stream(const void* data) { return sizeof(stream) + static_cast<const stream*>(data)->cut.capacity(); }
const rb_data_type_t stream_type = {"Kumihimo::DocumentStream",
                                    {mark_stream, free_stream, size_of_stream, nullptr, {}},
                                    nullptr,
                                    nullptr,
                                    RUBY_TYPED_FREE_IMMEDIATELY};

stream& stream_of(VALUE self) {
    stream* const s = static_cast<stream*>(rb_check_typeddata(self, &stream_type));
    return *s;
}

VALUE allocate(VALUE klass) {
    stream* s;
    const VALUE self = TypedData_Make_Struct(klass, stream, &stream_type, s);
    new (s) stream;
    return self;
}

// Options may run Ruby code (on_load, classes of one's own), and that code, or a thread that comes to run meanwhile,
// may find the stream: it would move the text that is being read.
void refuse_while_busy(const stream& s) {
    if (s.busy)
        rb_raise(rb_eRuntimeError, "this stream is reading a document: neither its callbacks nor other threads can use it");
}

/// What `body` gives of the stream and `argument`, with the stream closed to all others until it returns or jumps.
template <VALUE Body(stream&, VALUE)>
VALUE alone(VALUE self, VALUE argument) {
    struct call {
        stream& s;
        VALUE argument;
    } with{stream_of(self), argument};
    refuse_while_busy(with.s);
    if (with.s.ends == nullptr) rb_raise(rb_eArgError, "this stream was allocated, but never initialized");
    with.s.busy = true;
    return rb_ensure(
        [](VALUE data) -> VALUE {
            const call& c = *reinterpret_cast<const call*>(data);
            return Body(c.s, c.argument);
        },
        reinterpret_cast<VALUE>(&with),
        [](VALUE data) -> VALUE {
            reinterpret_cast<const call*>(data)->s.busy = false;
            return Qnil;
        },
        reinterpret_cast<VALUE>(&with));
}

/// (options, largest, format = nil, dialect = nil, ext = nil): without a format JSON, with the options of parse.
VALUE initialize(int argc, VALUE* argv, VALUE self) {
    VALUE options, largest, format, dialect, ext;
    rb_scan_args(argc, argv, "23", &options, &largest, &format, &dialect, &ext);
    stream& s = stream_of(self);
    refuse_while_busy(s);
    if (NIL_P(format)) {
        s.kept = read_parse_options(options, s.options);
        s.options.granted.comments = false;  // as any_reader::streams says
        s.by = reader_of<json::format>(s.options.granted);
        s.by.build = nullptr;
    } else {
        s.by = reader_named(format, dialect);
        s.by.streams = true;
        s.kept = read_any_options(options, s.by, s.any);
        s.any.ext = ext;
    }
    s.largest = NUM2SIZET(largest);
    s.ends.reset(s.by.ends());
    if (s.ends == nullptr) rb_memerror();
    return self;
}

/// Moves the place behind `passed`.
void pass(stream_place& place, bytes passed) noexcept {
    const auto breaks = static_cast<std::size_t>(std::count(passed.begin(), passed.end(), static_cast<unsigned char>('\n')));
    place.offset += passed.size();
    place.lines += breaks;
    if (breaks == 0) {
        place.columns += passed.size();
    } else {
        const auto last = std::find(passed.rbegin(), passed.rend(), static_cast<unsigned char>('\n'));
        place.columns = static_cast<std::size_t>(last - passed.rbegin());
    }
}

bytes as_bytes(const char* p, std::size_t n) noexcept { return {reinterpret_cast<const unsigned char*>(p), n}; }

/// One document, which the array gets. False: it is broken, or it has been refused.
/// `interruptible`: nobody can change its bytes, so others may have their turn meanwhile.
bool take_document(stream& s, bytes document, VALUE into, bool interruptible) {
    const outcome out = s.by.build == nullptr ? read_document(document, s.options, s.place, interruptible)
                                              : s.by.build(s.by, document, s.any, s.place, interruptible);
    if (out.state != 0) rb_jump_tag(out.state);
    if (out.made == Qundef) {
        s.error = out.error;
        return false;
    }
    pass(s.place, document);
    rb_ary_push(into, out.made);
    return true;
}

void refuse_large(stream& s) {
    const VALUE message = rb_sprintf("a document at byte %" PRIuSIZE " is larger than max_document: %" PRIuSIZE " bytes",
                                     s.place.offset, s.largest);
    s.error = rb_exc_new_str(parser_error, message);
    rb_ivar_set(s.error, rb_intern("@offset"), SIZET2NUM(s.place.offset));
    rb_ivar_set(s.error, rb_intern("@path"), rb_utf8_str_new_cstr("$"));
    if (!s.by.is_text) return;
    rb_ivar_set(s.error, rb_intern("@line"), SIZET2NUM(s.place.lines + 1));
    rb_ivar_set(s.error, rb_intern("@column"), SIZET2NUM(s.place.columns + 1));
}

/// The documents that end in this piece.
VALUE push_piece(stream& s, VALUE piece) {
    const VALUE out = rb_ary_new();
    StringValue(piece);
    bool interruptible = false;
    piece = unchangeable(piece, long_piece, s.options.build.calls() || s.any.calls(), interruptible);
    const char* p = RSTRING_PTR(piece);
    auto left = static_cast<std::size_t>(RSTRING_LEN(piece));
    step_turns turns;
    while (left != 0 && NIL_P(s.error)) {
        bool whole = false;
        const std::size_t used = s.ends->next(p, left, whole);
        if (!whole && !s.ends->started()) {
            pass(s.place, as_bytes(p, used));
        } else if (s.cut.size() + used > s.largest) {
            refuse_large(s);
        } else if (whole && s.cut.size() == 0) {
            s.ends->reset();
            take_document(s, as_bytes(p, used), out, interruptible);
        } else {
            if (!s.cut.append(p, used)) rb_memerror();
            if (whole) {
                s.ends->reset();
                take_document(s, as_bytes(s.cut.data(), s.cut.size()), out, true);  // `cut` is ours alone
                s.cut.clear();
            }
        }
        p += used;
        left -= used;
        if (interruptible) turns.turn();
    }
    RB_GC_GUARD(piece);
    return out;
}

VALUE push(VALUE self, VALUE piece) { return alone<push_piece>(self, piece); }

/// At the end of the input: the last document, if there is one that waited for it.
VALUE take_rest(stream& s, VALUE) {
    const VALUE out = rb_ary_new();
    if (NIL_P(s.error) && s.ends->started()) {
        s.ends->reset();
        take_document(s, as_bytes(s.cut.data(), s.cut.size()), out, true);  // `cut` is ours alone
        s.cut.clear();
    }
    return out;
}

VALUE finish(VALUE self) { return alone<take_rest>(self, Qnil); }

/// Raises what stopped the stream.
VALUE check(VALUE self) {
    const stream& s = stream_of(self);
    if (!NIL_P(s.error)) rb_exc_raise(s.error);
    return Qnil;
}

VALUE is_text(VALUE self) { return stream_of(self).by.is_text ? Qtrue : Qfalse; }

}  // namespace

void init_stream(VALUE kumihimo) {
    const VALUE klass = rb_define_class_under(kumihimo, "DocumentStream", rb_cObject);
    rb_define_alloc_func(klass, allocate);
    rb_define_private_method(klass, "initialize", RUBY_METHOD_FUNC(initialize), -1);
    rb_define_method(klass, "text?", RUBY_METHOD_FUNC(is_text), 0);
    rb_define_method(klass, "push", RUBY_METHOD_FUNC(push), 1);
    rb_define_method(klass, "finish", RUBY_METHOD_FUNC(finish), 0);
    rb_define_method(klass, "check", RUBY_METHOD_FUNC(check), 0);
}

}  // namespace kumihimo::inline v0::ruby
