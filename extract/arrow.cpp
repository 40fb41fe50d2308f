#include "extract/arrow.hpp"

#include <bit>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <new>
#include <utility>

namespace kumihimo::inline v0::extract {
namespace {

// ------------------------------------------------------------------------------------------------------------------ schema

std::string format_of(const column_spec& c) {
    switch (c.type) {
        case column_type::int64: return "l";
        case column_type::float64: return "g";
        case column_type::boolean: return "b";
        case column_type::decimal:
            return c.precision == 0 ? "u" : "d:" + std::to_string(c.precision) + ',' + std::to_string(c.scale);
        case column_type::timestamp: {
            std::string f = c.nanoseconds ? "tsn:" : "tsu:";
            if (!c.naive) f += c.in_zone != nullptr ? c.in_zone->name() : "UTC";
            return f;
        }
        case column_type::list: return "+l";
        case column_type::structure: return "+s";
        default: return "u";
    }
}

/// Arrow's metadata: counts and lengths as native 32-bit integers, texts without a terminator.
std::string metadata(std::initializer_list<std::pair<std::string_view, std::string_view>> pairs) {
    std::string out;
    const auto number = [&](std::size_t n) {
        const auto narrow = static_cast<std::int32_t>(n);
        out.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
    };
    number(pairs.size());
    for (const auto& [key, value] : pairs) {
        number(key.size());
        out += key;
        number(value.size());
        out += value;
    }
    return out;
}

struct schema_parts {
    std::string name, format, metadata;
    std::vector<ArrowSchema> children;
    std::vector<ArrowSchema*> pointers;
};

void release_schema(ArrowSchema* s) {
    if (s == nullptr || s->release == nullptr) return;
    // A child that the consumer has moved away has no release of its own any more.
    for (std::int64_t i = 0; i < s->n_children; ++i)
        if (s->children[i]->release != nullptr) s->children[i]->release(s->children[i]);
    s->release = nullptr;
    delete static_cast<schema_parts*>(s->private_data);
}

void fill(ArrowSchema* out, std::unique_ptr<schema_parts> parts) {
    *out = {};
    out->format = parts->format.c_str();
    out->name = parts->name.c_str();
    out->metadata = parts->metadata.empty() ? nullptr : parts->metadata.data();
    out->flags = ARROW_FLAG_NULLABLE;
    out->n_children = static_cast<std::int64_t>(parts->children.size());
    for (ArrowSchema& c : parts->children) parts->pointers.push_back(&c);
    out->children = parts->pointers.empty() ? nullptr : parts->pointers.data();
    out->release = release_schema;
    out->private_data = parts.release();
}

// A column, or what is in one: a list's element is called item, as pyarrow and polars call it.
void describe(const column_spec& c, bool inside, const char* called, ArrowSchema* out) {
    auto parts = std::make_unique<schema_parts>();
    parts->name = called != nullptr ? called : c.name;
    parts->format = format_of(c);
    if (c.type == column_type::json)
        parts->metadata = metadata({{"ARROW:extension:name", "arrow.json"}, {"ARROW:extension:metadata", ""}});
    // Digits, and no text: who makes JSON of a struct wants to know.
    if (inside && c.type == column_type::decimal && c.precision == 0)
        parts->metadata = metadata({{"kumihimo:type", "decimal"}});
    parts->children.resize(c.members.size());  // not moved again: consumers keep pointers into it
    parts->pointers.reserve(c.members.size());
    try {
        for (std::size_t i = 0; i < c.members.size(); ++i)
            describe(c.members[i], true, c.type == column_type::list ? "item" : nullptr, &parts->children[i]);
    } catch (...) {
        for (ArrowSchema& child : parts->children) release_schema(&child);
        throw;
    }
    fill(out, std::move(parts));
}

// ------------------------------------------------------------------------------------------------------------------- array

struct column_parts {
    block<std::uint8_t> validity;
    block<char> fixed;
    block<std::int32_t> offsets;
    block<char> arena;
    const void* buffers[3] = {};
    std::vector<ArrowArray> children;
    std::vector<ArrowArray*> pointers;
    std::vector<std::unique_ptr<column_parts>> inside;  // of the children, until they are given
};

struct batch_parts {
    std::vector<ArrowArray> children;
    std::vector<ArrowArray*> pointers;
    const void* buffers[1] = {nullptr};  // no row of a batch is null as a whole
};

void release_column(ArrowArray* a) {
    if (a == nullptr || a->release == nullptr) return;
    for (std::int64_t i = 0; i < a->n_children; ++i)
        if (a->children[i]->release != nullptr) a->children[i]->release(a->children[i]);
    a->release = nullptr;
    delete static_cast<column_parts*>(a->private_data);
}

void release_batch(ArrowArray* a) {
    if (a == nullptr || a->release == nullptr) return;
    for (std::int64_t i = 0; i < a->n_children; ++i)
        if (a->children[i]->release != nullptr) a->children[i]->release(a->children[i]);
    a->release = nullptr;
    delete static_cast<batch_parts*>(a->private_data);
}

std::int64_t count_nulls(const std::uint8_t* bits, std::size_t rows) noexcept {
    std::size_t set = 0, i = 0;
    for (; i + 8 <= rows / 8; i += 8) {
        std::uint64_t w;
        std::memcpy(&w, bits + i, 8);
        set += static_cast<std::size_t>(std::popcount(w));
    }
    for (; i < rows / 8; ++i) set += static_cast<std::size_t>(std::popcount(bits[i]));
    if (rows % 8 != 0) set += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(bits[i]) & ((1u << rows % 8) - 1)));
    return static_cast<std::int64_t>(rows - set);
}

// A bitmap's last byte may hold bits of rows that failed, or none at all yet: they become 0, as some readers want.
template <class B>
void clear_tail(block<B>& bits, std::size_t rows) noexcept {
    if (rows % 8 != 0) bits[rows / 8] = static_cast<B>(static_cast<unsigned char>(bits[rows / 8]) & ((1u << rows % 8) - 1));
}

// Memory for what a column becomes: all of it before anything is given, because giving cannot fail.
std::unique_ptr<column_parts> parts_for(const column& c) {
    auto parts = std::make_unique<column_parts>();
    parts->children.resize(c.children());
    parts->pointers.reserve(c.children());
    for (std::size_t i = 0; i < c.children(); ++i) parts->inside.push_back(parts_for(c.child(i)));
    return parts;
}

void give(column& c, std::size_t rows, std::unique_ptr<column_parts> parts, ArrowArray& out) noexcept {
    clear_tail(c.validity(), rows);
    if (c.kind() == column::layout::bit) clear_tail(c.fixed(), rows);
    const std::size_t elements = c.kind() == column::layout::list ? c.first_element(rows) : rows;
    for (std::size_t i = 0; i < c.children(); ++i) {
        give(c.child(i), elements, std::move(parts->inside[i]), parts->children[i]);
        parts->pointers.push_back(&parts->children[i]);
    }
    out.length = static_cast<std::int64_t>(rows);
    out.null_count = count_nulls(c.validity().data(), rows);
    parts->validity = std::move(c.validity());
    parts->fixed = std::move(c.fixed());
    parts->offsets = std::move(c.offsets());
    parts->arena = std::move(c.arena());
    parts->buffers[0] = out.null_count != 0 ? parts->validity.data() : nullptr;
    switch (c.kind()) {
        case column::layout::text:
            parts->buffers[1] = parts->offsets.data();
            parts->buffers[2] = parts->arena.data();
            out.n_buffers = 3;
            break;
        case column::layout::list:
            parts->buffers[1] = parts->offsets.data();
            out.n_buffers = 2;
            break;
        case column::layout::structure: out.n_buffers = 1; break;
        default: parts->buffers[1] = parts->fixed.data(); out.n_buffers = 2;
    }
    out.buffers = parts->buffers;
    out.n_children = static_cast<std::int64_t>(c.children());
    out.children = c.children() != 0 ? parts->pointers.data() : nullptr;
    out.release = release_column;
    out.private_data = parts.release();
}

}  // namespace

errc to_arrow(const schema& of, ArrowSchema* out) {
    *out = {};
    std::unique_ptr<schema_parts> parts;
    try {
        parts = std::make_unique<schema_parts>();
        parts->format = "+s";
        parts->children.resize(of.columns().size());  // not moved again: consumers keep pointers into it
        parts->pointers.reserve(of.columns().size());
        for (std::size_t i = 0; i < of.columns().size(); ++i) describe(of.columns()[i], false, nullptr, &parts->children[i]);
    } catch (const std::bad_alloc&) {
        if (parts != nullptr)
            for (ArrowSchema& c : parts->children) release_schema(&c);
        return errc::memory;
    }
    fill(out, std::move(parts));
    out->flags = 0;
    return errc::ok;
}

errc to_arrow(batch& rows, ArrowArray* out) {
    *out = {};
    const std::size_t n = rows.rows(), columns = rows.of().columns().size();
    std::unique_ptr<batch_parts> all;
    std::vector<std::unique_ptr<column_parts>> each;
    // Everything that can fail comes first, so that a failure leaves the batch as it was.
    try {
        all = std::make_unique<batch_parts>();
        all->children.resize(columns);
        all->pointers.reserve(columns);
        for (std::size_t i = 0; i < columns; ++i) {
            each.push_back(parts_for(rows.at(i)));
            // Empty columns have buffers too: some consumers look at offsets[0] of a column without rows.
            if (!rows.at(i).materialize()) return errc::memory;
        }
    } catch (const std::bad_alloc&) {
        return errc::memory;
    }
    for (std::size_t i = 0; i < columns; ++i) {
        give(rows.at(i), n, std::move(each[i]), all->children[i]);
        all->pointers.push_back(&all->children[i]);
        rows.at(i).reset();
    }
    out->length = static_cast<std::int64_t>(n);
    out->n_buffers = 1;
    out->buffers = all->buffers;
    out->n_children = static_cast<std::int64_t>(columns);
    out->children = all->pointers.empty() ? nullptr : all->pointers.data();
    out->release = release_batch;
    out->private_data = all.release();
    rows.clear();
    return errc::ok;
}

// ------------------------------------------------------------------------------------------------------------------ stream

namespace {

struct stream_parts {
    std::shared_ptr<const schema> of;
    next_batch next;
    std::string error;
    bool ended = false;
    int code = 0;  // what it ended with, said again to whoever asks again
};

int code_of(errc e) noexcept {
    switch (e) {
        case errc::ok: return 0;
        case errc::memory: return ENOMEM;
        case errc::host: return EINTR;
        default: return EINVAL;
    }
}

int stream_schema(ArrowArrayStream* s, ArrowSchema* out) {
    auto& p = *static_cast<stream_parts*>(s->private_data);
    try {
        return code_of(to_arrow(*p.of, out));
    } catch (...) {  // bad_alloc must not cross a C frame
        *out = {};
        p.error = "no memory for the schema";
        return ENOMEM;
    }
}

int stream_next(ArrowArrayStream* s, ArrowArray* out) {
    auto& p = *static_cast<stream_parts*>(s->private_data);
    *out = {};  // released: the end
    if (p.ended) return p.code;
    try {
        std::unique_ptr<batch> rows;
        errc e = p.next(rows, p.error);
        if (e != errc::ok && p.error.empty()) p.error = name(e);
        if (e == errc::ok && rows != nullptr) e = to_arrow(*rows, out);
        p.code = code_of(e);
        p.ended = rows == nullptr || p.code != 0;
    } catch (...) {
        p.ended = true;
        p.code = ENOMEM;
    }
    return p.code;
}

const char* stream_error(ArrowArrayStream* s) {
    const auto& p = *static_cast<stream_parts*>(s->private_data);
    return p.error.empty() ? nullptr : p.error.c_str();
}

void release_stream(ArrowArrayStream* s) {
    if (s == nullptr || s->release == nullptr) return;
    s->release = nullptr;
    delete static_cast<stream_parts*>(s->private_data);
}

}  // namespace

errc to_arrow(std::shared_ptr<const schema> of, next_batch next, ArrowArrayStream* out) {
    *out = {};
    auto parts = std::make_unique<stream_parts>();
    parts->of = std::move(of);
    parts->next = std::move(next);
    out->get_schema = stream_schema;
    out->get_next = stream_next;
    out->get_last_error = stream_error;
    out->release = release_stream;
    out->private_data = parts.release();
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
