#include "engine/tape/abi.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "engine/core/pipe.hpp"
#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"
#include "engine/tape/cursor.hpp"
#include "engine/tape/tape.hpp"

using namespace kumihimo;

static_assert(sizeof(kumihimo_node) == sizeof(tape::node));
static_assert(KUMIHIMO_HOST == static_cast<int>(errc::host) && KUMIHIMO_END == static_cast<int>(tape::kind::end));
static_assert(KUMIHIMO_IS_KEY == int{tape::is_key} && KUMIHIMO_IN_ARENA == int{tape::in_arena} &&
              KUMIHIMO_IS_ASCII == int{tape::is_ascii});

struct kumihimo_document {
    context ctx;
    tape::recorder record{ctx};
    buffer copy;
    tape::view tape;
};

namespace {

// One line per dialect: the names of engine/<format>/dialect.hpp, the format's default first.
template <class D>
struct named {
    std::string_view name;
    const D* dialect;
};
constexpr named<json::read_dialect> json_read[] = {
    {"rfc8259", &json::rfc8259}, {"unique_keys", &json::unique_keys}, {"exact_decimals", &json::exact_decimals},
    {"doubles", &json::doubles}, {"python_read", &json::python_read}, {"relaxed", &json::relaxed}};
constexpr named<json::dialect> json_write[] = {{"compact", &json::compact},
                                               {"javascript", &json::javascript},
                                               {"pretty", &json::pretty},
                                               {"script_safe", &json::script_safe},
                                               {"html_safe", &json::html_safe},
                                               {"ascii_only", &json::ascii_only},
                                               {"escape_slash", &json::escape_slash},
                                               {"python_default", &json::python_default},
                                               {"python_compact", &json::python_compact},
                                               {"orjson", &json::orjson},
                                               {"ruby_generate", &json::ruby_generate},
                                               {"ruby_pretty", &json::ruby_pretty},
                                               {"lenient", &json::lenient}};
constexpr named<msgpack::read_dialect> msgpack_read[] = {{"standard", &msgpack::standard_read}, {"raw", &msgpack::raw_read}};
constexpr named<msgpack::dialect> msgpack_write[] = {{"standard", &msgpack::standard},
                                                     {"exact", &msgpack::exact},
                                                     {"big_text", &msgpack::big_text},
                                                     {"time_text", &msgpack::time_text},
                                                     {"lenient", &msgpack::lenient}};

template <class D, std::size_t N>
const D* find(const named<D> (&all)[N], const char* name) noexcept {
    if (name == nullptr) return all[0].dialect;
    for (const named<D>& d : all) {
        if (d.name == name) return d.dialect;
    }
    return nullptr;
}

void copy_text(char (&to)[256], std::string_view from) noexcept {
    const std::size_t n = std::min(from.size(), sizeof to - 1);
    std::memcpy(to, from.data(), n);
    to[n] = 0;
}

std::uint32_t report(errc code, const context& ctx, kumihimo_error* out) noexcept {
    if (out == nullptr) return static_cast<std::uint32_t>(code);
    kumihimo_error e{};
    e.code = static_cast<std::uint32_t>(code);
    e.offset = UINT64_MAX;
    if (code != errc::ok) {
        const failure& f = ctx.failure;
        if (f.offset != failure::nowhere) e.offset = f.offset;
        e.line = f.line;
        e.column = f.column;
        copy_text(e.path, f.path);
        copy_text(e.what, f.what);
    }
    // Only as much as the caller knows of; its own size stays.
    const std::size_t known = std::min(static_cast<std::size_t>(out->struct_size), sizeof e);
    e.struct_size = out->struct_size;
    std::memcpy(out, &e, known);
    return static_cast<std::uint32_t>(code);
}

void set_limits(context& ctx, const kumihimo_limits* l) noexcept {
    ctx.limits = {};
    if (l == nullptr || l->struct_size < sizeof(kumihimo_limits)) return;
    if (l->depth != 0) ctx.limits.depth = static_cast<std::size_t>(l->depth);
    if (l->size != 0) ctx.limits.size = static_cast<std::size_t>(l->size);
}

tape::view view_of(const kumihimo_tape& t) noexcept {
    return {
        reinterpret_cast<const tape::node*>(t.nodes), t.node_count, {t.input, t.input_size}, {t.arena, t.arena_size}, nullptr};
}

template <class Writer>
errc write_as(const tape::view& t, std::size_t node, const typename Writer::dialect& as, context& ctx, void** data,
              std::size_t* size) noexcept {
    buffer out;
    tape::player from(t, node);
    Writer to(out, ctx, as);
    bytes document;
    KUMIHIMO_TRY(pipe(from, to, document));
    *data = std::malloc(document.empty() ? 1 : document.size());
    if (*data == nullptr) return ctx.fail(errc::memory, failure::nowhere, "out of memory");
    if (!document.empty()) std::memcpy(*data, document.data(), document.size());
    *size = document.size();
    return errc::ok;
}

errc no_such(context& ctx) noexcept {
    return ctx.fail(errc::unsupported, failure::nowhere, "no format, or no dialect of it, has this name");
}

std::size_t index_of(tape::cursor c) noexcept { return c ? c.index() : KUMIHIMO_NONE; }

}  // namespace

extern "C" {

uint32_t kumihimo_abi_version(void) { return KUMIHIMO_ABI_VERSION; }

const char* kumihimo_code_name(uint32_t code) { return code <= KUMIHIMO_HOST ? name(static_cast<errc>(code)) : "unknown"; }

kumihimo_document* kumihimo_document_new(void) { return new (std::nothrow) kumihimo_document; }

void kumihimo_document_free(kumihimo_document* d) { delete d; }

uint32_t kumihimo_read(kumihimo_document* d, const char* format, const char* dialect, const void* data, size_t size,
                       const kumihimo_limits* limits, kumihimo_error* error) {
    context& ctx = d->ctx;
    ctx.clear();
    set_limits(ctx, limits);
    d->tape = {};
    d->copy.clear();
    bytes input{static_cast<const unsigned char*>(data), size};
    if (limits != nullptr && limits->struct_size >= sizeof *limits && (limits->flags & KUMIHIMO_COPY_INPUT) != 0) {
        if (!d->copy.append(data, size)) return report(ctx.fail(errc::memory, failure::nowhere, "out of memory"), ctx, error);
        input = {reinterpret_cast<const unsigned char*>(d->copy.data()), size};
    }
    d->record.clear(input);
    const std::string_view name = format == nullptr ? "" : format;
    errc code = errc::ok;
    if (name == "json" && find(json_read, dialect) != nullptr) {
        json::reader from(input, ctx, *find(json_read, dialect));
        code = from.feed(d->record);
    } else if (name == "msgpack" && find(msgpack_read, dialect) != nullptr) {
        msgpack::reader from(input, ctx, *find(msgpack_read, dialect));
        code = from.feed(d->record);
    } else {
        code = no_such(ctx);
    }
    if (code == errc::ok) code = d->record.finish(d->tape);
    return report(code, ctx, error);
}

kumihimo_tape kumihimo_document_tape(const kumihimo_document* d) {
    const tape::view& t = d->tape;
    return {reinterpret_cast<const kumihimo_node*>(t.nodes),
            t.size,
            t.input.data(),
            t.input.size(),
            t.arena.data(),
            t.arena.size()};
}

uint32_t kumihimo_check(const kumihimo_tape* t, const kumihimo_limits* limits, kumihimo_error* error) {
    context ctx;
    set_limits(ctx, limits);
    return report(tape::check(view_of(*t), ctx), ctx, error);
}

uint32_t kumihimo_write(const kumihimo_tape* t, size_t node, const char* format, const char* dialect,
                        const kumihimo_limits* limits, void** data, size_t* size, kumihimo_error* error) {
    context ctx;
    set_limits(ctx, limits);
    *data = nullptr;
    *size = 0;
    const tape::view v = view_of(*t);
    const std::string_view name = format == nullptr ? "" : format;
    errc code = errc::ok;
    if (node >= v.size || v.nodes[node].is() == tape::kind::end) {
        code = ctx.fail(errc::misuse, node, "the tape has no value at this node");
    } else if (name == "json" && find(json_write, dialect) != nullptr) {
        code = write_as<json::writer>(v, node, *find(json_write, dialect), ctx, data, size);
    } else if (name == "msgpack" && find(msgpack_write, dialect) != nullptr) {
        code = write_as<msgpack::writer>(v, node, *find(msgpack_write, dialect), ctx, data, size);
    } else {
        code = no_such(ctx);
    }
    return report(code, ctx, error);
}

void kumihimo_free(void* data) { std::free(data); }

size_t kumihimo_find(const kumihimo_tape* t, size_t node, const char* key, size_t key_size) {
    const tape::view v = view_of(*t);
    return node < v.size ? index_of(tape::cursor(v, node)[std::string_view(key, key_size)]) : KUMIHIMO_NONE;
}

size_t kumihimo_item(const kumihimo_tape* t, size_t node, uint64_t i) {
    const tape::view v = view_of(*t);
    return node < v.size ? index_of(tape::cursor(v, node)[static_cast<std::size_t>(i)]) : KUMIHIMO_NONE;
}

size_t kumihimo_next(const kumihimo_tape* t, size_t node) {
    const tape::view v = view_of(*t);
    return node < v.size ? index_of(tape::cursor(v, node).next()) : KUMIHIMO_NONE;
}

const unsigned char* kumihimo_bytes(const kumihimo_tape* t, size_t node, size_t* size) {
    const tape::view v = view_of(*t);
    if (node >= v.size || !v.nodes[node].has_bytes()) {
        *size = 0;
        return nullptr;
    }
    *size = static_cast<size_t>(v.nodes[node].length());
    return v.data(v.nodes[node]);
}

}  // extern "C"
