#include "extract/column.hpp"

#include <algorithm>

#include "engine/core/path_text.hpp"

namespace kumihimo::inline v0::extract {

const char* name(column_type t) noexcept {
    switch (t) {
        case column_type::infer: return "infer";
        case column_type::int64: return "int64";
        case column_type::float64: return "float64";
        case column_type::decimal: return "decimal";
        case column_type::string: return "string";
        case column_type::boolean: return "bool";
        case column_type::timestamp: return "timestamp";
        case column_type::json: return "json";
        case column_type::list: return "list";
        case column_type::structure: return "struct";
    }
    return "unknown";
}

namespace {

// A member's key in a type: bare where it is letters, digits, _ and $, else as a JSON string.
std::string key_text(std::string_view key) {
    std::string step;
    add_key(step, key);  // .key or ["key"]
    return step[0] == '.' ? step.substr(1) : step.substr(1, step.size() - 2);
}

}  // namespace

bool same_type(const column_spec& a, const column_spec& b) noexcept {
    return a.type == b.type && a.unseen == b.unseen && a.naive == b.naive && a.nanoseconds == b.nanoseconds &&
           a.shape == b.shape && a.only == b.only &&
           std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                      [](const column_spec& x, const column_spec& y) { return x.name == y.name && same_type(x, y); });
}

std::string column_spec::type_text() const {
    if (verbatim) return guess && !guess->unseen ? guess->type_text() : "json";
    if (only != 0 && (type == column_type::json || type == column_type::infer)) return only == '[' ? "list" : "struct";
    std::string out = extract::name(type);
    if (type == column_type::list) return out + '[' + members[0].type_text() + ']';
    if (type == column_type::structure) {
        out += '[';
        for (const column_spec& m : members) {
            if (&m != members.data()) out += ',';
            out += key_text(m.name) + ':' + m.type_text();
        }
        return out + ']';
    }
    if (type == column_type::decimal && precision != 0)
        out += '(' + std::to_string(precision) + ',' + std::to_string(scale) + ')';
    if (type == column_type::timestamp) {
        std::string inside;
        const auto add = [&](std::string_view word) { (inside.empty() ? inside : inside += ',') += word; };
        switch (unit) {
            case time_unit::automatic:
                if (nanoseconds) add("ns");
                break;
            case time_unit::seconds: add("s"); break;
            case time_unit::milliseconds: add("ms"); break;
            case time_unit::microseconds: add("us"); break;
            case time_unit::nanoseconds: add("ns"); break;
        }
        if (format != nullptr) add(format->text());
        if (naive && (format == nullptr || format->zoned())) add("naive");
        if (!zone_name.empty()) add(zone_name);
        if (!inside.empty()) out += '[' + inside + ']';
    }
    return out;
}

std::string shown_type(const column_spec& c) {
    std::string text = c.type_text();
    constexpr std::size_t most = 400;
    if (text.size() <= most) return text;
    std::size_t end = most;
    while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "...";
}

std::size_t column::row_size() const noexcept {
    switch (layout_) {
        case layout::eight: return 8;
        case layout::sixteen: return 16;
        case layout::bit: return 1;
        case layout::text:
        case layout::list: return 4;
        case layout::structure: break;
    }
    std::size_t n = 1;
    for (const column& c : children_) n += c.row_size();
    return n;
}

bool column::grow(std::size_t row) noexcept { return reserve(row < first_rows_ / 2 ? first_rows_ : row * 2); }

bool column::reserve(std::size_t rows) noexcept {
    if (rows <= rows_) return true;
    if (!validity_.reserve(rows / 8 + 1)) return false;
    switch (layout_) {
        case layout::eight:
            if (!fixed_.reserve(rows * 8)) return false;
            break;
        case layout::sixteen:
            if (!fixed_.reserve(rows * 16)) return false;
            break;
        case layout::bit:
            if (!fixed_.reserve(rows / 8 + 1)) return false;
            break;
        case layout::text:
        case layout::list:
            if (!offsets_.reserve(rows + 1) || (layout_ == layout::text && !arena_.reserve(1))) return false;
            if (rows_ == 0) offsets_[0] = 0;
            break;
        case layout::structure:
            for (column& c : children_)
                if (!c.reserve(rows)) return false;
            break;
    }
    rows_ = rows;
    return true;
}

bool column::materialize() noexcept {
    if (!room(0)) return false;
    return std::all_of(children_.begin(), children_.end(), [](column& c) { return c.materialize(); });
}

void column::put_nothing(std::size_t row) noexcept {
    if (layout_ == layout::list) {
        offsets_[row + 1] = offsets_[row];
        return;
    }
    for (column& c : children_) c.put_null(row);
}

// A row that is kept, to its place among those that are: not behind where it was, so in ascending order nothing is
// lost.
void column::move(std::size_t from, std::size_t to) noexcept {
    const bool there = valid(from);
    switch (layout_) {
        case layout::eight: store(to, load<std::int64_t>(from)); break;
        case layout::sixteen: store(to, load<__int128>(from)); break;
        case layout::bit: mark(fixed_.data(), to, boolean(from)); break;
        case layout::text: {
            const std::string_view moved = text(from);
            std::memmove(arena_.data() + offsets_[to], moved.data(), moved.size());
            offsets_[to + 1] = offsets_[to] + static_cast<std::int32_t>(moved.size());
            break;
        }
        case layout::list: {
            const std::size_t begin = first_element(from), end = end_of_elements(from);
            std::size_t at = first_element(to);
            for (std::size_t e = begin; e < end; ++e) children_[0].move(e, at++);
            offsets_[to + 1] = static_cast<std::int32_t>(at);
            break;
        }
        case layout::structure:
            for (column& c : children_) c.move(from, to);
            break;
    }
    mark(validity_.data(), to, there);
}

void column::retain(std::span<const std::uint32_t> rows) noexcept {
    for (std::size_t to = 0; to < rows.size(); ++to) move(rows[to], to);
}

bool column::copy(std::size_t from, std::size_t to) noexcept {
    if (!valid(from)) {
        put_null(to);
        return true;
    }
    switch (layout_) {
        case layout::eight: put(to, i64(from)); break;
        case layout::sixteen: put(to, i128(from)); break;
        case layout::bit: put(to, boolean(from)); break;
        case layout::text: {
            const std::size_t size = text(from).size();
            char* const end = text_room(to, size);
            if (end == nullptr) return false;
            std::memcpy(end, text(from).data(), size);
            put_text(to, end + size);
            break;
        }
        case layout::list:
        case layout::structure: return copy_nested(from, to);
    }
    return true;
}

void column::mark_valid(std::size_t row, std::size_t n) noexcept {
    std::uint8_t* bits = validity_.data() + (row >> 3);
    const std::size_t before = row & 7;
    if (before + n <= 8) {
        *bits = static_cast<std::uint8_t>(*bits | ((1u << n) - 1) << before);
        return;
    }
    *bits = static_cast<std::uint8_t>(*bits | 0xffu << before);
    n -= 8 - before;
    std::memset(++bits, 0xff, n / 8);
    if (n % 8 != 0) bits[n / 8] = static_cast<std::uint8_t>(bits[n / 8] | ((1u << n % 8) - 1));
}

bool column::repeat(std::size_t from, std::size_t to, std::size_t n) noexcept {
    if (n == 0) return true;
    if (valid(from) && layout_ == layout::eight) {
        const auto v = i64(from);
        for (std::size_t r = to; r < to + n; ++r) store(r, v);
    } else if (valid(from) && layout_ == layout::text) {
        const std::size_t size = text(from).size();
        if (size > most_text / n) return false;
        char* const out = text_room(to, size * n);
        if (out == nullptr) return false;
        // What is there already is copied with the rest.
        std::size_t done = size;
        std::memcpy(out, arena_.data() + offsets_[from], size);
        for (; done < size * n; done += std::min(done, size * n - done))
            std::memcpy(out + done, out, std::min(done, size * n - done));
        const std::int32_t first = offsets_[to], each = static_cast<std::int32_t>(size);
        for (std::size_t r = 0; r < n; ++r) offsets_[to + r + 1] = first + each * static_cast<std::int32_t>(r + 1);
    } else {
        for (std::size_t r = to; r < to + n; ++r)
            if (!copy(from, r)) return false;
        return true;
    }
    mark_valid(to, n);
    return true;
}

bool column::copy_nested(std::size_t from, std::size_t to) noexcept {
    if (layout_ == layout::structure) {
        for (column& c : children_)
            if (!c.copy(from, to)) return false;
        mark(validity_.data(), to, true);
        return true;
    }
    std::size_t at = first_element(to);
    column& inside = children_[0];
    if (end_of_elements(from) - first_element(from) > most_text - at) return false;
    for (std::size_t e = first_element(from); e < end_of_elements(from); ++e, ++at)
        if (!inside.room(at) || !inside.copy(e, at)) return false;
    put_list(to, at);
    return true;
}

std::size_t column::nested_bytes(std::size_t rows) const noexcept {
    std::size_t n = 0;
    if (layout_ == layout::structure) {
        for (const column& c : children_) n += c.text_bytes(rows);
    } else if (rows != 0) {
        const std::size_t elements = first_element(rows);
        n = elements * children_[0].row_size() + children_[0].text_bytes(elements);
    }
    return n;
}

std::size_t column::capacity() const noexcept {
    std::size_t n = validity_.capacity() + fixed_.capacity() + offsets_.capacity() * sizeof(std::int32_t) + arena_.capacity();
    for (const column& c : children_) n += c.capacity();
    return n;
}

void column::shrink(std::size_t keep) noexcept {
    if (capacity() <= keep) return;
    validity_ = {};
    fixed_ = {};
    offsets_ = {};
    arena_ = {};
    for (column& c : children_) c.shrink(0);
    rows_ = 0;
}

}  // namespace kumihimo::inline v0::extract
