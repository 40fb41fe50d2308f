#include "errors.hpp"

#include "module.hpp"

namespace kumihimo::inline v0::ruby {

VALUE parser_error, generator_error, nesting_error;

namespace {

// Set once by init_errors.
ID id_offset, id_line, id_column, id_path, id_object;

constexpr std::size_t excerpt_before = 16, excerpt_after = 24;

// What stands around `offset`, on one line, cut at whole characters. Bytes that are no text show as question marks.
VALUE excerpt(bytes document, std::size_t offset) {
    if (offset > document.size()) return Qnil;
    const auto inside = [&](std::size_t i) { return i < document.size() && (document[i] & 0xC0) == 0x80; };
    std::size_t from = offset > excerpt_before ? offset - excerpt_before : 0;
    std::size_t to = document.size() - offset > excerpt_after ? offset + excerpt_after : document.size();
    for (std::size_t i = from; i < offset; ++i)
        if (document[i] == '\n') from = i + 1;
    for (std::size_t i = offset; i < to; ++i)
        if (document[i] == '\n' || document[i] == '\r') to = i;
    for (int i = 0; i < 3 && inside(from); ++i) ++from;
    for (int i = 0; i < 3 && to > offset && inside(to); ++i) --to;
    if (from >= to) return Qnil;
    const VALUE cut = rb_utf8_str_new(reinterpret_cast<const char*>(document.data()) + from, static_cast<long>(to - from));
    const VALUE clean = rb_str_scrub(cut, rb_utf8_str_new_cstr("?"));  // nil when there was nothing to clean
    return NIL_P(clean) ? cut : clean;
}

VALUE number_or_nil(std::size_t n) { return n == 0 ? Qnil : SIZET2NUM(n); }

}  // namespace

VALUE parse_error_of(const context& ctx, errc code, bytes document, std::size_t base, std::size_t lines) {
    const kumihimo::failure& why = ctx.failure;
    if (code == errc::memory) return rb_exc_new_cstr(rb_eNoMemError, "failed to allocate memory while reading");
    const bool placed = why.offset != failure::nowhere;
    const std::size_t line = why.line == 0 ? 0 : why.line + lines;
    VALUE message;
    if (code == errc::depth) {
        message = rb_sprintf("nesting of %" PRIuSIZE " is too deep", ctx.limits.depth + 1);
    } else {
        message = rb_utf8_str_new_cstr(*why.what != '\0' ? why.what : "the document cannot be read");
    }
    const VALUE path = why.path.empty() ? Qnil : rb_utf8_str_new(why.path.data(), static_cast<long>(why.path.size()));
    if (line != 0) rb_str_catf(message, " at line %" PRIuSIZE " column %" PRIuSIZE, line, why.column);
    if (placed) {
        rb_str_catf(message, line != 0 ? " (byte %" PRIuSIZE : " at byte %" PRIuSIZE, why.offset + base);
        if (!NIL_P(path) && why.path != "$") {
            rb_str_cat_cstr(message, line != 0 ? ", " : " (");
            rb_str_append(message, path);
            rb_str_cat_cstr(message, ")");
        } else if (line != 0) {
            rb_str_cat_cstr(message, ")");
        }
    }
    // Only text has an excerpt; formats without lines are bytes.
    if (line != 0 && code != errc::depth) {
        const VALUE near = excerpt(document, why.offset);
        if (!NIL_P(near)) {
            rb_str_cat_cstr(message, ": '");
            rb_str_append(message, near);
            rb_str_cat_cstr(message, "'");
        }
    }
    const VALUE error = rb_exc_new_str(code == errc::depth ? nesting_error : parser_error, message);
    rb_ivar_set(error, id_offset, placed ? SIZET2NUM(why.offset + base) : Qnil);
    rb_ivar_set(error, id_line, number_or_nil(line));
    rb_ivar_set(error, id_column, number_or_nil(why.column));
    rb_ivar_set(error, id_path, path);
    return error;
}

void raise_generate(VALUE object, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const VALUE message = rb_vsprintf(format, arguments);
    va_end(arguments);
    const VALUE error = rb_exc_new_str(generator_error, message);
    rb_ivar_set(error, id_object, object);
    rb_exc_raise(error);
}

void raise_nesting(long depth) {
    const VALUE error = rb_exc_new_str(nesting_error, rb_sprintf("nesting of %ld is too deep", depth));
    rb_exc_raise(error);
}

void raise_nesting_with_hint(long depth) {
    rb_exc_raise(rb_exc_new_str(
        nesting_error,
        rb_sprintf("nesting of %ld is too deep. Did you try to serialize objects with circular references?", depth)));
}

void init_errors(VALUE kumihimo) {
    id_offset = rb_intern("@offset");
    id_line = rb_intern("@line");
    id_column = rb_intern("@column");
    id_path = rb_intern("@path");
    id_object = rb_intern("@invalid_object");
    const auto below = [&](const char* stock, const char* name) {
        return lasting(rb_define_class_under(kumihimo, name, rb_path2class(stock)));
    };
    parser_error = below("JSON::ParserError", "ParserError");
    nesting_error = below("JSON::NestingError", "NestingError");
    generator_error = below("JSON::GeneratorError", "GeneratorError");
    for (const VALUE error : {parser_error, nesting_error})
        for (const char* name : {"offset", "line", "column", "path"}) rb_define_attr(error, name, 1, 0);
    rb_define_attr(generator_error, "invalid_object", 1, 0);
}

}  // namespace kumihimo::inline v0::ruby
