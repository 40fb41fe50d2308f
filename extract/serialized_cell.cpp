#include "extract/serialized_cell.hpp"

#include <cstdint>
#include <cstring>

namespace kumihimo::inline v0::extract {
namespace {

template <class T>
void add(std::string& to, T v) {
    to.append(reinterpret_cast<const char*>(&v), sizeof v);
}
template <class T>
T take(std::string_view& from) noexcept {
    T v;
    std::memcpy(&v, from.data(), sizeof v);
    from.remove_prefix(sizeof v);
    return v;
}

// A byte that says whether there is a value, the value, and of a list first how many elements. As deep as types are.
void write(const column& from, std::size_t row, std::string& to) {
    const bool there = from.valid(row);
    to += static_cast<char>(there);
    if (!there) return;
    switch (from.kind()) {
        case column::layout::eight: return add(to, from.i64(row));
        case column::layout::sixteen: return add(to, from.i128(row));
        case column::layout::bit: return add(to, from.boolean(row));
        case column::layout::text:
            add(to, static_cast<std::uint32_t>(from.text(row).size()));
            to += from.text(row);
            return;
        case column::layout::list:
            add(to, static_cast<std::uint32_t>(from.end_of_elements(row) - from.first_element(row)));
            for (std::size_t e = from.first_element(row); e < from.end_of_elements(row); ++e) write(from.child(0), e, to);
            return;
        case column::layout::structure:
            for (std::size_t i = 0; i < from.children(); ++i) write(from.child(i), row, to);
    }
}

bool read(std::string_view& from, column& to, std::size_t row) noexcept {
    if (!take<char>(from)) return to.put_null(row), true;
    switch (to.kind()) {
        case column::layout::eight: to.put(row, take<std::int64_t>(from)); return true;
        case column::layout::sixteen: to.put(row, take<__int128>(from)); return true;
        case column::layout::bit: to.put(row, take<bool>(from)); return true;
        case column::layout::text: {
            const auto size = take<std::uint32_t>(from);
            char* const at = to.text_room(row, size);
            if (at == nullptr) return false;
            std::memcpy(at, from.data(), size);
            to.put_text(row, at + size);
            from.remove_prefix(size);
            return true;
        }
        case column::layout::list: {
            auto left = take<std::uint32_t>(from);
            std::size_t e = to.first_element(row);
            if (left > column::most_text - e) return false;
            for (; left != 0; --left, ++e)
                if (!to.child(0).room(e) || !read(from, to.child(0), e)) return false;
            to.put_list(row, e);
            return true;
        }
        case column::layout::structure:
            to.put_struct(row);
            for (std::size_t i = 0; i < to.children(); ++i)
                if (!read(from, to.child(i), row)) return false;
            return true;
    }
    return false;
}

}  // namespace

void serialize(const column& from, std::size_t row, std::string& to) {
    to.clear();
    write(from, row, to);
}

bool deserialize(std::string_view cell, column& to, std::size_t row) noexcept { return read(cell, to, row); }

}  // namespace kumihimo::inline v0::extract
