#include "any_format.hpp"

#include "any_walk.hpp"
#include "emit.hpp"
#include "engine/core/pipe.hpp"
#include "engine/core/trace.hpp"
#include "engine/frame/frame.hpp"
#include "frames.hpp"
#include "module.hpp"
#include "turn.hpp"

namespace kumihimo::inline v0::ruby {

// ---- names

namespace {

std::string_view view(VALUE s) noexcept { return {RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s))}; }
VALUE text(std::string_view s) { return rb_utf8_str_new(s.data(), static_cast<long>(s.size())); }
bytes bytes_of(VALUE s) noexcept {
    return {reinterpret_cast<const unsigned char*>(RSTRING_PTR(s)), static_cast<std::size_t>(RSTRING_LEN(s))};
}

VALUE name_of(VALUE name) { return RB_SYMBOL_P(name) ? rb_sym2str(name) : name; }

void list(VALUE to, std::string_view name) {
    rb_str_cat_cstr(to, RSTRING_LEN(to) == 0 ? "\"" : ", \"");
    rb_str_cat(to, name.data(), static_cast<long>(name.size()));
    rb_str_cat_cstr(to, "\"");
}
VALUE format_names() {
    const VALUE names = rb_utf8_str_new(nullptr, 0);
    each_format([&](auto row) { list(names, decltype(row)::name); });
    return names;
}

[[noreturn, gnu::cold]] void refuse_format(const char* argument, VALUE name) {
    rb_raise(rb_eArgError, "%s is one of %" PRIsVALUE ", not %+" PRIsVALUE, argument, format_names(), name);
}

/// visit(row) for the format that `name` names.
template <class Visit>
void visit_named(const char* argument, VALUE name, Visit visit) {
    VALUE s = name_of(name);
    if (!RB_TYPE_P(s, T_STRING) || !visit_format(view(s), visit)) refuse_format(argument, name);
    RB_GC_GUARD(s);
}

/// The dialect that `name` names; nil: the first.
template <class D, std::size_t N>
const D& dialect_named(const char* argument, std::string_view format, const named<D> (&all)[N], VALUE name) {
    if (NIL_P(name)) return *all[0].dialect;
    VALUE s = name_of(name);
    // The table calls its default by an empty name; from outside that names none.
    const D* const found = RB_TYPE_P(s, T_STRING) && RSTRING_LEN(s) != 0 ? dialect_of(all, view(s)) : nullptr;
    RB_GC_GUARD(s);
    if (found != nullptr) return *found;
    const VALUE names = rb_utf8_str_new(nullptr, 0);
    for (const named<D>& d : all) list(names, d.name);
    rb_raise(rb_eArgError, "%s of \"%.*s\" is one of %" PRIsVALUE ", not %+" PRIsVALUE, argument,
             static_cast<int>(format.size()), format.data(), names, name);
}

/// The name of the format that a document tells.
VALUE told(VALUE document) {
    const std::string_view name = format_of(bytes_of(document));
    if (!name.empty()) return text(name);
    const VALUE error = rb_exc_new_str(
        parser_error, rb_sprintf("the bytes do not tell their format: name it, one of %" PRIsVALUE, format_names()));
    rb_exc_raise(error);
}

}  // namespace

any_reader reader_named(VALUE format, VALUE dialect) {
    any_reader made;
    visit_named("format", format, [&](auto row) {
        using F = decltype(row);
        made = reader_of<F>(dialect_named("dialect", F::name, F::read_dialects, dialect));
    });
    return made;
}

any_reader reader_named_or_told(VALUE format, VALUE dialect, VALUE document) {
    return reader_named(NIL_P(format) ? told(document) : format, dialect);
}

VALUE readable(VALUE source) {
    StringValue(source);
    return rb_enc_asciicompat(rb_enc_get(source)) ? unframed(source) : document_of(source);
}

VALUE document_for(const any_reader& by, VALUE source) {
    if (by.is_text) return document_of(source);
    StringValue(source);
    return source;
}

VALUE read_any_options(VALUE options, any_reader& by, any_options& out) {
    parse_options read;
    read.depth = out.depth;
    const VALUE kept = read_parse_options(options, read);
    out.build = read.build;
    out.depth = read.depth;
    by.digits = out.build.decimal != 0;
    return kept;
}

namespace {

// ---- dump

template <class To>
void write(To& to, string_output& out, VALUE v, long max_nesting) {
    static_assert(emitting_walker<any_walk<To>, To, VALUE>);
    any_walk<To> walk(to, out, max_nesting);
    walk.value(v);
    to.finish();
}

template <class Sink>
[[gnu::noinline]] VALUE by_verbs(VALUE v, const typename Sink::dialect& dialect, long max_nesting, bool is_text) {
    char here[4096];
    string_output out(here, sizeof here);
    int state = 0;
    {
        context ctx;
        ctx.limits.depth = static_cast<std::size_t>(-1);  // the walk counts
        Sink sink(out, ctx, dialect);
        state = protect([&] {
            emit_sink<Sink, raise_write> to(sink, ctx);
            write(to, out, v, max_nesting);
        });
    }
    if (state != 0) rb_jump_tag(state);
    return out.take(is_text);
}

template <format F>
VALUE written(VALUE v, const typename F::template writer<string_output>::dialect& dialect, long max_nesting) {
    using writer = typename F::template writer<string_output>;
    if constexpr (bursting_format<F, string_output>) {
        using burst = typename F::template burst<string_output>;
        if (burst::suits(dialect)) {
            char here[4096];
            string_output out(here, sizeof here);
            kumihimo::emit_burst<burst, writer, string_output, raise_write> to(out, dialect);
            write(to, out, v, max_nesting);
            return out.take(F::is_text);
        }
    }
    return by_verbs<writer>(v, dialect, max_nesting, F::is_text);
}

long nesting_of(VALUE v) {
    const long n = RTEST(v) ? NUM2LONG(v) : 0;
    if (n < 0) rb_raise(rb_eArgError, "max_nesting is not negative: %ld", n);
    return n;
}

/// write_any(object, format, dialect, max_nesting) { |other| ... } -> String
VALUE write_any(VALUE, VALUE object, VALUE format, VALUE dialect, VALUE max_nesting) {
    const long nesting = nesting_of(max_nesting);
    VALUE made = Qnil;
    visit_named("format", format, [&](auto row) {
        using F = decltype(row);
        made = written<F>(object, dialect_named("dialect", F::name, F::write_dialects, dialect), nesting);
    });
    return made;
}

/// trace_any(object, max_nesting) { |other| ... } -> String: what the walk of write_any says, in the reference
/// notation without counts. The conformance vectors are compared with it.
VALUE trace_any(VALUE, VALUE object, VALUE max_nesting) {
    static constexpr trace_dialect bare{.counts = false};
    return by_verbs<basic_trace_sink<string_output>>(object, bare, nesting_of(max_nesting), true);
}

/// told_any(what, data) -> [format or nil, frame or nil]: what bytes, a file's name or a media type tell ("bytes",
/// "name", "media_type"). The conformance vectors are compared with it.
VALUE told_any(VALUE, VALUE what, VALUE data) {
    StringValue(what);
    StringValue(data);
    std::string_view format;
    const frame::codec* codec = nullptr;
    if (view(what) == "bytes") {
        format = format_of(bytes_of(data));
        codec = frame::recognise(bytes_of(data));
    } else if (view(what) == "name") {
        format = format_of_path(view(data));
        codec = frame::by_ending(view(data));
    } else {
        format = format_of_media_type(view(data));
    }
    const VALUE names[] = {format.empty() ? Qnil : text(format), codec == nullptr ? Qnil : text(codec->name)};
    return rb_ary_new_from_values(2, names);
}

// ---- load

/// read_any(source, format, dialect, options) { |type, payload| ... }
VALUE read_any(VALUE, VALUE source, VALUE format, VALUE dialect, VALUE options) {
    source = readable(source);
    any_reader by = reader_named_or_told(format, dialect, source);
    any_options o;
    VALUE kept = read_any_options(options, by, o);
    VALUE ext = rb_block_given_p() ? rb_block_proc() : Qnil;
    o.ext = ext;
    bool interruptible = false;
    // The user's code, and others that have their turn meanwhile, may change it under the reader.
    VALUE document = unchangeable(document_for(by, source), long_document, o.calls(), interruptible);
    const outcome out = by.build(by, bytes_of(document), o, {}, interruptible);
    RB_GC_GUARD(document);
    RB_GC_GUARD(kept);
    RB_GC_GUARD(ext);
    if (out.state != 0) rb_jump_tag(out.state);
    if (out.made == Qundef) rb_exc_raise(out.error);
    return out.made;
}

// ---- convert

// From reader to writer: no Ruby.
template <format From, format To>
errc converted(bytes document, const void* granted, const void* written_by, context& ctx, buffer& out, bytes& whole) noexcept {
    try {
        using writer = typename To::template writer<buffer>;
        typename From::reader from(document, ctx, *static_cast<const typename From::reader::dialect*>(granted));
        writer to(out, ctx, *static_cast<const typename writer::dialect*>(written_by));
        return pipe(from, to, whole);
    } catch (const std::bad_alloc&) {
        return ctx.fail(errc::memory, failure::nowhere, "out of memory");
    }
}

struct conversion {
    errc (*run)(bytes, const void*, const void*, context&, buffer&, bytes&) noexcept;
    const void* granted;
    const void* dialect;
    bool from_text, to_text;
};

VALUE convert_by(const conversion& c, VALUE document, std::size_t depth) {
    VALUE made = Qnil, error = Qnil;
    int state;
    {
        context ctx;
        ctx.limits.depth = depth;
        buffer out;
        const bytes input = bytes_of(document);
        state = protect([&] {
            bytes whole;
            errc e = errc::ok;
            auto run = [&] { e = c.run(input, c.granted, c.dialect, ctx, out, whole); };
            input.size() < unlocked_document ? run() : without_lock(run);
            if (e != errc::ok) {
                error = parse_error_of(ctx, e, input);
            } else {
                const auto* const p = reinterpret_cast<const char*>(whole.data());
                const auto n = static_cast<long>(whole.size());
                made = c.to_text ? rb_utf8_str_new(p, n) : rb_str_new(p, n);
            }
        });
    }
    RB_GC_GUARD(document);
    if (state != 0) rb_jump_tag(state);
    if (!NIL_P(error)) rb_exc_raise(error);
    return made;
}

/// convert_any(document, source, target, source_dialect, target_dialect, max_nesting) -> String
VALUE convert_any(VALUE, VALUE document, VALUE source, VALUE target, VALUE source_dialect, VALUE target_dialect,
                  VALUE max_nesting) {
    document = readable(document);
    const long nesting = nesting_of(max_nesting);
    if (NIL_P(source)) source = told(document);
    conversion c{};
    visit_named("source", source, [&](auto from) {
        using From = decltype(from);
        visit_named("target", target, [&](auto to) {
            using To = decltype(to);
            c = {converted<From, To>, &dialect_named("source_dialect", From::name, From::read_dialects, source_dialect),
                 &dialect_named("target_dialect", To::name, To::write_dialects, target_dialect), From::is_text, To::is_text};
        });
    });
    if (c.from_text) document = document_of(document);
    // Others run while it is read.
    const std::size_t depth = nesting == 0 ? static_cast<std::size_t>(-1) >> 1 : static_cast<std::size_t>(nesting);
    return convert_by(c, rb_str_new_frozen(document), depth);
}

// ---- the table

template <class All, class Name>
VALUE names_of(const All& all, Name name) {
    const VALUE made = rb_ary_new();
    for (const auto& one : all) rb_ary_push(made, rb_obj_freeze(text(name(one))));
    return rb_obj_freeze(made);
}

/// formats -> Array of Hashes
VALUE formats_of_table(VALUE) {
    const VALUE all = rb_ary_new();
    each_format([&](auto row) {
        using F = decltype(row);
        const auto itself = [](std::string_view s) { return s; };
        const auto name = [](const auto& dialect) { return dialect.name; };
        const VALUE one = rb_hash_new();
        const auto set = [&](const char* key, VALUE v) { rb_hash_aset(one, ID2SYM(rb_intern(key)), v); };
        set("name", rb_obj_freeze(text(F::name)));
        set("text", F::is_text ? Qtrue : Qfalse);
        set("media_types", names_of(F::media_types, itself));
        set("endings", names_of(F::endings, itself));
        set("read_dialects", names_of(F::read_dialects, name));
        set("write_dialects", names_of(F::write_dialects, name));
        rb_ary_push(all, rb_obj_freeze(one));
    });
    return rb_obj_freeze(all);
}

}  // namespace

void init_any_format(VALUE kumihimo) {
    rb_define_singleton_method(kumihimo, "formats", RUBY_METHOD_FUNC(formats_of_table), 0);
    rb_define_singleton_method(kumihimo, "write_any", RUBY_METHOD_FUNC(write_any), 4);
    rb_define_singleton_method(kumihimo, "trace_any", RUBY_METHOD_FUNC(trace_any), 2);
    rb_define_singleton_method(kumihimo, "told_any", RUBY_METHOD_FUNC(told_any), 2);
    rb_define_singleton_method(kumihimo, "read_any", RUBY_METHOD_FUNC(read_any), 4);
    rb_define_singleton_method(kumihimo, "convert_any", RUBY_METHOD_FUNC(convert_any), 6);
    for (const char* name : {"write_any", "trace_any", "told_any", "read_any", "convert_any"})
        rb_funcall(kumihimo, rb_intern("private_class_method"), 1, ID2SYM(rb_intern(name)));
}

}  // namespace kumihimo::inline v0::ruby
