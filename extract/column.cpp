#include "extract/column.hpp"

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
    }
    return "unknown";
}

std::string column_spec::type_text() const {
    if (verbatim) return guess && !guess->unseen ? guess->type_text() : "json";
    std::string out = extract::name(type);
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

bool column::grow(std::size_t row) noexcept {
    const std::size_t rows = row < first_rows_ / 2 ? first_rows_ : row * 2;
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
            if (!offsets_.reserve(rows + 1) || !arena_.reserve(1)) return false;
            if (row == 0) offsets_[0] = 0;
            break;
    }
    rows_ = rows;
    return true;
}

void column::retain(std::span<const std::uint32_t> rows) noexcept {
    for (std::size_t to = 0; to < rows.size(); ++to) {
        const std::size_t from = rows[to];
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
        }
        mark(validity_.data(), to, there);
    }
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
        }
    }
    return true;
}

std::size_t column::capacity() const noexcept {
    return validity_.capacity() + fixed_.capacity() + offsets_.capacity() * sizeof(std::int32_t) + arena_.capacity();
}

void column::shrink(std::size_t keep) noexcept {
    if (capacity() <= keep) return;
    validity_ = {};
    fixed_ = {};
    offsets_ = {};
    arena_ = {};
    rows_ = 0;
}

}  // namespace kumihimo::inline v0::extract
