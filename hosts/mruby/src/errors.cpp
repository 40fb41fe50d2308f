#include "errors.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string_view>

#include "characters.hpp"
#include "engine/scalar/utf8.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

void set(mrb_state* mrb, mrb_value error, const char* name, std::size_t n, bool known) {
    mrb_iv_set(mrb, error, mrb_intern_cstr(mrb, name), known ? mrb_int_value(mrb, static_cast<mrb_int>(n)) : mrb_nil_value());
}

// What stands around `offset`, on one line, cut at whole characters; bytes that are no text show as question marks.
std::size_t excerpt(bytes document, std::size_t offset, char* to) noexcept {
    constexpr std::size_t before = 16, after = 24;
    if (offset > document.size()) return 0;
    const auto inside = [&](std::size_t i) { return i < document.size() && is_continuation(static_cast<char>(document[i])); };
    std::size_t from = offset > before ? offset - before : 0;
    std::size_t end = document.size() - offset > after ? offset + after : document.size();
    for (std::size_t i = from; i < offset; ++i)
        if (document[i] == '\n') from = i + 1;
    for (std::size_t i = offset; i < end; ++i)
        if (document[i] == '\n' || document[i] == '\r') end = i;
    for (int i = 0; i < 3 && inside(from); ++i) ++from;
    for (int i = 0; i < 3 && end > offset && inside(end); ++i) --end;
    std::size_t n = 0;
    while (from < end) {
        const char* const p = reinterpret_cast<const char*>(document.data()) + from;
        const scalar::decoded d = scalar::decode_utf8(p, p + (end - from));
        if (d.length == 0 || document[from] < 0x20) {
            to[n++] = document[from] < 0x20 ? ' ' : '?';
            ++from;
            continue;
        }
        std::memcpy(to + n, p, d.length);
        n += d.length;
        from += d.length;
    }
    return n;
}

template <int Name>
mrb_value attribute(mrb_state* mrb, mrb_value self) {
    constexpr const char* names[] = {"@offset", "@line", "@column", "@path"};
    return mrb_iv_get(mrb, self, mrb_intern_cstr(mrb, names[Name]));
}

}  // namespace

void define_failure(mrb_state* mrb, RClass* c) {
    mrb_define_method(mrb, c, "offset", attribute<0>, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "line", attribute<1>, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "column", attribute<2>, MRB_ARGS_NONE());
    mrb_define_method(mrb, c, "path", attribute<3>, MRB_ARGS_NONE());
}

RClass* class_in(mrb_state* mrb, const char* module, const char* name) {
    RClass* const m = mrb_module_get(mrb, module);
    return mrb_class_get_under(mrb, m, name);
}

void raise_generate(mrb_state* mrb, mrb_value object, const char* sentence) {
    const mrb_value error = mrb_exc_new_str(mrb, class_in(mrb, "JSON", "GeneratorError"), mrb_str_new_cstr(mrb, sentence));
    mrb_iv_set(mrb, error, mrb_intern_lit(mrb, "@invalid_object"), object);
    mrb_exc_raise(mrb, error);
    __builtin_unreachable();
}

void raise_nesting(mrb_state* mrb, mrb_int depth) {
    mrb_raisef(mrb, class_in(mrb, "JSON", "NestingError"), "nesting of %i is too deep", depth);
    __builtin_unreachable();
}

void stream_place::pass(bytes passed) noexcept {
    const auto* const first = reinterpret_cast<const char*>(passed.data());
    const auto* const end = first + passed.size();
    const char* line = nullptr;  // begins behind the last line's end
    const auto ends_by = [&](char c) {
        for (const char* p = first; p != end; ++p) {
            p = static_cast<const char*>(std::memchr(p, c, static_cast<std::size_t>(end - p)));
            if (p == nullptr) return;
            if (c == '\r' && p + 1 != end && p[1] == '\n') continue;
            ++lines;
            line = std::max(line, p + 1, std::less<>());
        }
    };
    ends_by('\n');
    ends_by('\r');
    offset += passed.size();
    columns = line == nullptr ? columns + passed.size() : static_cast<std::size_t>(end - line);
}

void read_failure::take(const context& ctx, errc what, bytes document, std::size_t depth, const stream_place& begin) noexcept {
    const kumihimo::failure& f = ctx.failure;
    code = what;
    offset = f.offset == failure::nowhere ? f.offset : begin.offset + f.offset;
    line = f.line == 0 ? 0 : begin.lines + f.line;
    column = f.line == 1 ? begin.columns + f.column : f.column;
    const std::size_t n = std::min(f.path.size(), sizeof path - 1);
    std::memcpy(path, f.path.data(), n);
    path[n] = '\0';
    int used;
    if (code == errc::depth)
        used = std::snprintf(message, sizeof message, "nesting of %zu is too deep", depth + 1);
    else
        used = std::snprintf(message, sizeof message, "%s", *f.what != '\0' ? f.what : "the document cannot be read");
    const auto add = [&](const char* format, auto... arguments) {
        constexpr int most = sizeof message - 1;
        if (used >= most) return;
        used += std::snprintf(message + used, static_cast<std::size_t>(most + 1 - used), format, arguments...);
    };
    const bool placed = offset != failure::nowhere;
    if (line != 0) add(" at line %zu column %zu", line, column);
    if (placed) {
        add(line != 0 ? " (byte %zu" : " at byte %zu", offset);
        const bool known = path[0] != '\0' && std::strcmp(path, "$") != 0;
        if (known) add(line != 0 ? ", %s" : " (%s", path);
        if (known || line != 0) add("%s", ")");
    }
    // Only text has an excerpt; formats without lines are bytes.
    if (line != 0 && placed && code != errc::depth) {
        char near[64];
        const std::size_t size = excerpt(document, f.offset, near);
        if (size != 0) add(": '%.*s'", static_cast<int>(size), near);
    }
}

void raise_read(mrb_state* mrb, const char* module, const read_failure& why) {
    if (why.code == errc::memory) mrb_exc_raise(mrb, mrb_obj_value(mrb->nomem_err));
    const bool packed = std::string_view(module) == "MessagePack";
    const char* const name = why.code == errc::depth ? "NestingError" : packed ? "UnpackError" : "ParserError";
    const mrb_value error = mrb_exc_new_str(mrb, class_in(mrb, module, name), mrb_str_new_cstr(mrb, why.message));
    set(mrb, error, "@offset", why.offset, why.offset != failure::nowhere);
    set(mrb, error, "@line", why.line, why.line != 0);
    set(mrb, error, "@column", why.column, why.column != 0);
    mrb_iv_set(mrb, error, mrb_intern_lit(mrb, "@path"),
               why.path[0] == '\0' ? mrb_nil_value() : mrb_str_new_cstr(mrb, why.path));
    mrb_exc_raise(mrb, error);
    __builtin_unreachable();
}

}  // namespace kumihimo::inline v0::mruby
