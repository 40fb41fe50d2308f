#include "engine/tape/abi.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <string_view>
#include <vector>

#include "engine/core/pipe.hpp"
#include "engine/formats.hpp"
#include "engine/frame/frame.hpp"
#include "engine/json/path.hpp"
#include "engine/tape/cursor.hpp"
#include "engine/tape/partial.hpp"
#include "engine/tape/pick.hpp"
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

// A format's boundary, whichever it is.
struct kumihimo_stream {
    virtual ~kumihimo_stream() = default;
    virtual std::size_t next(const char* chunk, std::size_t size, bool& whole) = 0;
    virtual bool started() const = 0;
};

namespace {

template <format F>
struct stream_of final : kumihimo_stream {
    std::size_t next(const char* chunk, std::size_t size, bool& whole) override {
        if (where.complete) where = {};
        const std::size_t n = where.next(chunk, size);
        whole = where.complete;
        return n;
    }
    bool started() const override { return !where.complete && where.started(); }
    typename F::boundary where;
};

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

// What the struct had when it was first published.
constexpr std::size_t first_limits = offsetof(kumihimo_limits, size) + sizeof(std::uint64_t);

void set_limits(context& ctx, const kumihimo_limits* l) noexcept {
    ctx.limits = {};
    if (l == nullptr || l->struct_size < first_limits) return;
    if (l->depth != 0) ctx.limits.depth = static_cast<std::size_t>(l->depth);
    if (l->size != 0) ctx.limits.size = static_cast<std::size_t>(l->size);
    if (l->struct_size < sizeof(kumihimo_limits)) return;
    if (l->ratio != 0) ctx.limits.ratio = static_cast<std::size_t>(l->ratio);
    if (l->window != 0) ctx.limits.window = static_cast<std::size_t>(l->window);
}

tape::view view_of(const kumihimo_tape& t) noexcept {
    return {
        reinterpret_cast<const tape::node*>(t.nodes), t.node_count, {t.input, t.input_size}, {t.arena, t.arena_size}, nullptr};
}

// A copy in memory of malloc's, which is never nullptr.
errc hand_over(bytes from, context& ctx, void** data, std::size_t* size) noexcept {
    *data = std::malloc(from.empty() ? 1 : from.size());
    if (*data == nullptr) return ctx.fail(errc::memory, failure::nowhere, "out of memory");
    if (!from.empty()) std::memcpy(*data, from.data(), from.size());
    *size = from.size();
    return errc::ok;
}

template <class Writer>
errc write_as(const tape::view& t, std::size_t node, const typename Writer::dialect& dialect, context& ctx, void** data,
              std::size_t* size) noexcept {
    buffer out;
    tape::player from(t, node);
    Writer to(out, ctx, dialect);
    bytes document;
    KUMIHIMO_TRY(pipe(from, to, document));
    return hand_over(document, ctx, data, size);
}

std::string_view or_empty(const char* s) noexcept { return s == nullptr ? "" : s; }

// NULL: the default dialect, which the table calls by an empty name. An empty name from outside is no dialect's.
template <class D, std::size_t N>
const D* asked_dialect(const named<D> (&all)[N], const char* name) noexcept {
    if (name == nullptr) return all[0].dialect;
    return *name == 0 ? nullptr : dialect_of(all, name);
}

errc no_such_format(context& ctx) noexcept { return ctx.fail(errc::unsupported, failure::nowhere, "no format has this name"); }
errc no_such_dialect(context& ctx) noexcept {
    return ctx.fail(errc::unsupported, failure::nowhere, "no dialect of the format has this name");
}

errc no_such_frame(context& ctx) noexcept {
    return ctx.fail(errc::unsupported, failure::nowhere, "no frame has this name; there are gzip, zstd and lz4");
}

bytes written(const buffer& b) noexcept { return {reinterpret_cast<const unsigned char*>(b.data()), b.size()}; }

std::size_t index_of(tape::cursor c) noexcept { return c ? c.index() : KUMIHIMO_NONE; }

// Ready to read the document; what it shall be, or the failure.
errc open(kumihimo_document& d, const void* data, std::size_t size, const kumihimo_limits* limits, bytes& input) noexcept {
    d.ctx.clear();
    set_limits(d.ctx, limits);
    d.tape = {};
    d.copy.clear();
    input = {static_cast<const unsigned char*>(data), size};
    if (limits != nullptr && limits->struct_size >= first_limits && (limits->flags & KUMIHIMO_COPY_INPUT) != 0) {
        if (!d.copy.append(data, size)) return d.ctx.fail(errc::memory, failure::nowhere, "out of memory");
        input = written(d.copy);
    }
    d.record.clear(input);
    return errc::ok;
}

// One array for all paths, and where it has nothing for a path `there` says so.
template <format F>
errc read_values(kumihimo_document& d, const json::projection& wanted, json::level level,
                 const typename F::reader::dialect& granted, bytes input, std::vector<bool>& there) {
    tape::partial<F> by(wanted, level, granted);
    KUMIHIMO_TRY(by.run(input, d.ctx));
    const auto many = [](std::size_t n) { return count{static_cast<std::int64_t>(n)}; };
    d.ctx.limits.depth += std::min<std::size_t>(2, static_cast<std::size_t>(-1) - d.ctx.limits.depth);  // of the tape's arrays
    KUMIHIMO_TRY(d.record.array(many(wanted.size())));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::size_t n = by.count(i);
        const bool wild = wanted.wild(i);
        if (wild) KUMIHIMO_TRY(d.record.array(many(n)));
        if (!wild && n == 0) KUMIHIMO_TRY(d.record.null());
        for (std::size_t k = 0; k < n; ++k) KUMIHIMO_TRY(by.absent(i, k) ? d.record.null() : by.give(i, k, d.record, d.ctx));
        if (wild) KUMIHIMO_TRY(d.record.end());
        there.push_back(wild || (n != 0 && !by.absent(i, 0)));
    }
    return d.record.end();
}

}  // namespace

extern "C" {

uint32_t kumihimo_abi_version(void) { return KUMIHIMO_ABI_VERSION; }

// The names of the table are literals, so each ends with a zero byte.
const char* kumihimo_format(size_t i) {
    const char* found = nullptr;
    std::size_t passed = 0;
    each_format([&](auto row) {
        if (passed++ == i) found = decltype(row)::name.data();
    });
    return found;
}

const char* kumihimo_dialect(const char* format, int direction, size_t i) {
    const char* found = nullptr;
    visit_format(or_empty(format), [&](auto row) {
        const auto pick = [&](const auto& all) {
            if (i < std::size(all)) found = all[i].name.data();
        };
        direction == KUMIHIMO_WRITE ? pick(decltype(row)::write_dialects) : pick(decltype(row)::read_dialects);
    });
    return found;
}

const char* kumihimo_format_of_bytes(const void* data, size_t size) {
    return format_of({static_cast<const unsigned char*>(data), size}).data();
}
const char* kumihimo_format_of_media_type(const char* type) { return format_of_media_type(or_empty(type)).data(); }
const char* kumihimo_format_of_path(const char* path) { return format_of_path(or_empty(path)).data(); }
const char* kumihimo_media_type(const char* format) {
    const char* found = nullptr;
    visit_format(or_empty(format), [&](auto row) { found = decltype(row)::media_types[0].data(); });
    return found;
}

const char* kumihimo_code_name(uint32_t code) { return code <= KUMIHIMO_HOST ? name(static_cast<errc>(code)) : "unknown"; }

kumihimo_document* kumihimo_document_new(void) { return new (std::nothrow) kumihimo_document; }

void kumihimo_document_free(kumihimo_document* d) { delete d; }

uint32_t kumihimo_read(kumihimo_document* d, const char* format, const char* dialect, const void* data, size_t size,
                       const kumihimo_limits* limits, kumihimo_error* error) {
    context& ctx = d->ctx;
    bytes input;
    errc code = open(*d, data, size, limits, input);
    if (code != errc::ok) return report(code, ctx, error);
    const bool known = visit_format(or_empty(format), [&](auto row) {
        using rows = decltype(row);
        const auto* const chosen = asked_dialect(rows::read_dialects, dialect);
        if (chosen == nullptr) {
            code = no_such_dialect(ctx);
            return;
        }
        typename rows::reader from(input, ctx, *chosen);
        code = from.feed(d->record);
    });
    if (!known) code = no_such_format(ctx);
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
    errc code = errc::ok;
    if (node >= v.size || v.nodes[node].is() == tape::kind::end) {
        code = ctx.fail(errc::misuse, node, "the tape has no value at this node");
    } else {
        const bool known = visit_format(or_empty(format), [&](auto row) {
            using rows = decltype(row);
            const auto* const chosen = asked_dialect(rows::write_dialects, dialect);
            code = chosen == nullptr ? no_such_dialect(ctx)
                                     : write_as<typename rows::template writer<buffer>>(v, node, *chosen, ctx, data, size);
        });
        if (!known) code = no_such_format(ctx);
    }
    return report(code, ctx, error);
}

void kumihimo_free(void* data) { std::free(data); }

uint32_t kumihimo_convert(const char* from, const char* from_dialect, const char* to, const char* to_dialect, const void* data,
                          size_t size, const kumihimo_limits* limits, void** converted, size_t* converted_size,
                          kumihimo_error* error) {
    *converted = nullptr;
    *converted_size = 0;
    if (from == nullptr) from = kumihimo_format_of_bytes(data, size);
    if (from == nullptr) {
        context ctx;
        return report(ctx.fail(errc::unsupported, 0, "the first bytes do not tell the format: name it"), ctx, error);
    }
    // The input outlives the call.
    kumihimo_limits without_copy{};
    if (limits != nullptr) {
        std::memcpy(&without_copy, limits, std::min(static_cast<std::size_t>(limits->struct_size), sizeof without_copy));
        without_copy.flags = 0;
        limits = &without_copy;
    }
    kumihimo_document d;
    if (const std::uint32_t e = kumihimo_read(&d, from, from_dialect, data, size, limits, error); e != KUMIHIMO_OK) return e;
    const kumihimo_tape t = kumihimo_document_tape(&d);
    return kumihimo_write(&t, 0, to, to_dialect, limits, converted, converted_size, error);
}

uint32_t kumihimo_partial(const kumihimo_tape* t, size_t node, const char* path, size_t path_size, size_t* found, size_t room,
                          size_t* count, kumihimo_error* error) {
    context ctx;
    *count = 0;
    const tape::view v = view_of(*t);
    if (node >= v.size || v.nodes[node].is() == tape::kind::end)
        return report(ctx.fail(errc::misuse, node, "the tape has no value at this node"), ctx, error);
    errc code = errc::ok;
    try {
        json::path steps;
        code = json::parse({path, path_size}, steps, ctx);
        stack<tape::cursor> places;
        if (code == errc::ok) code = tape::picker().run(tape::cursor(v, node), steps, places, ctx);
        if (code == errc::ok) {
            *count = places.size();
            for (std::size_t i = 0; i < places.size() && i < room; ++i) found[i] = index_of(places[i]);
        }
    } catch (const std::bad_alloc&) {
        code = ctx.fail(errc::memory, failure::nowhere, "out of memory");
    }
    return report(code, ctx, error);
}

uint32_t kumihimo_read_partial(kumihimo_document* d, const char* format, const char* dialect, int level,
                               const char* const* paths, size_t path_count, const void* data, size_t size, size_t* found,
                               const kumihimo_limits* limits, kumihimo_error* error) {
    context& ctx = d->ctx;
    bytes input;
    errc code = open(*d, data, size, limits, input);
    if (code == errc::ok && (level < KUMIHIMO_STRICT || level > KUMIHIMO_TRUSTED))
        code = ctx.fail(errc::misuse, failure::nowhere, "there is no such level");
    if (code != errc::ok) return report(code, ctx, error);
    try {
        const std::vector<std::string_view> texts(paths, paths + path_count);
        json::projection wanted;
        std::vector<bool> there;
        code = json::projection::compile(texts, wanted, ctx);
        const bool known = visit_format(or_empty(format), [&](auto row) {
            using rows = decltype(row);
            if (code != errc::ok) return;
            const auto* const chosen = asked_dialect(rows::read_dialects, dialect);
            code = chosen == nullptr ? no_such_dialect(ctx)
                                     : read_values<rows>(*d, wanted, static_cast<json::level>(level), *chosen, input, there);
        });
        if (!known && code == errc::ok) code = no_such_format(ctx);
        if (code == errc::ok) code = d->record.finish(d->tape);
        if (code == errc::ok) {
            tape::cursor at = tape::cursor(d->tape).first();
            for (std::size_t i = 0; i < path_count; ++i, at = at.next()) found[i] = there[i] ? index_of(at) : KUMIHIMO_NONE;
        }
    } catch (const std::bad_alloc&) {
        code = ctx.fail(errc::memory, failure::nowhere, "out of memory");
    }
    return report(code, ctx, error);
}

kumihimo_stream* kumihimo_stream_new(const char* format) {
    kumihimo_stream* made = nullptr;
    visit_format(or_empty(format), [&](auto row) { made = new (std::nothrow) stream_of<decltype(row)>; });
    return made;
}

void kumihimo_stream_free(kumihimo_stream* s) { delete s; }

size_t kumihimo_stream_next(kumihimo_stream* s, const void* chunk, size_t size, int* whole) {
    bool is_whole = false;
    const std::size_t n = s->next(static_cast<const char*>(chunk), size, is_whole);
    *whole = is_whole ? 1 : 0;
    return n;
}

int kumihimo_stream_started(const kumihimo_stream* s) { return s->started() ? 1 : 0; }

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

uint32_t kumihimo_pack(const char* frame, int32_t level, const void* data, size_t size, const kumihimo_limits* limits,
                       void** packed, size_t* packed_size, kumihimo_error* error) {
    static_assert(KUMIHIMO_USUAL_LEVEL == frame::usual_level);
    context ctx;
    set_limits(ctx, limits);
    *packed = nullptr;
    *packed_size = 0;
    const frame::codec* const codec = frame::by_name(frame == nullptr ? "" : frame);
    buffer out;
    errc code = codec == nullptr ? no_such_frame(ctx)
                                 : frame::pack(*codec, {static_cast<const unsigned char*>(data), size}, out, level, ctx);
    if (code == errc::ok) code = hand_over(written(out), ctx, packed, packed_size);
    return report(code, ctx, error);
}

uint32_t kumihimo_unpack(const char* frame, const void* data, size_t size, const kumihimo_limits* limits, void** unpacked,
                         size_t* unpacked_size, kumihimo_error* error) {
    context ctx;
    set_limits(ctx, limits);
    *unpacked = nullptr;
    *unpacked_size = 0;
    const bytes in{static_cast<const unsigned char*>(data), size};
    const frame::codec* const codec = frame == nullptr ? frame::recognise(in) : frame::by_name(frame);
    buffer out;
    errc code = errc::ok;
    if (codec != nullptr)
        code = frame::unpack(*codec, in, out, ctx);
    else if (frame != nullptr)
        code = no_such_frame(ctx);
    else
        code = ctx.fail(errc::syntax, 0, "no frame begins with these bytes; there are gzip, zstd and lz4");
    if (code == errc::ok) code = hand_over(written(out), ctx, unpacked, unpacked_size);
    return report(code, ctx, error);
}

const char* kumihimo_frame_of(const void* data, size_t size) {
    const frame::codec* const codec = frame::recognise({static_cast<const unsigned char*>(data), size});
    return codec == nullptr ? nullptr : codec->name.data();
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
