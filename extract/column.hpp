// One column of a batch: contiguous values in the Arrow layout, so that handing it on copies nothing.
//
//      int64, timestamp   8 bytes a row            float64   8 bytes a row (IEEE double)
//      decimal(p,s)       16 bytes a row           boolean   1 bit a row
//      string, json, decimal without (p,s)         text: row r is arena[offsets[r] .. offsets[r + 1])
//      list               row r is the child's rows offsets[r] .. offsets[r + 1]
//      struct             a child a member, each with as many rows as the struct itself
//      validity           1 bit a row, 1 = there is a value, in every kind
//
// The number of rows belongs to the batch. Writing row r makes nothing true beyond row r, so a row that fails half way
// is undone by not counting it: the next row overwrites it.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/errc.hpp"
#include "extract/time_format.hpp"
#include "extract/zone.hpp"

namespace kumihimo::inline v0::extract {

enum class column_type : std::uint8_t { infer, int64, float64, decimal, string, boolean, timestamp, json, list, structure };

/// "int64", "float64", "decimal", "string", "bool", "timestamp", "json", "list", "struct"; "infer" for none yet.
const char* name(column_type t) noexcept;

/// Lists and structs in one another, at most: what is deeper in a document is json.
inline constexpr std::size_t most_nested_types = 8;

/// What a timestamp column counts, and what a *number* in it counts.
enum class time_unit : std::uint8_t {
    automatic,  // numbers: by size, see docs/extract.md; columns: microseconds
    seconds,
    milliseconds,
    microseconds,
    nanoseconds,
};

/// How the texts of an inferred timestamp column are written, all of them. The column prints them so again: a guess
/// changes no byte of what it guessed about.
struct time_shape {
    // What scalar::time_layout calls shortest, micro_or_none and milli_micro_nano.
    static constexpr std::int8_t shortest = -1;     // Go's RFC3339Nano: no zero at the end
    static constexpr std::int8_t six_or_none = -2;  // Python's isoformat and str: no fraction on whole seconds
    static constexpr std::int8_t as_needed = -3;    // Java's: 0, 3, 6 or 9; also of columns whose type was given
    enum class zone_text : std::uint8_t { none, z, colon };

    char separator = 'T';            // or a space
    std::int8_t digits = as_needed;  // of a second: 0 to 9, or a name above
    bool fine = false;               // digits below the microsecond
    zone_text zone = zone_text::z;   // nothing, Z, or one and the same +09:00
    std::int32_t offset = 0;         // that of colon, in seconds

    friend constexpr bool operator==(const time_shape&, const time_shape&) = default;
};

class formula;

/// What the user, or the inference, wants of one column.
struct column_spec {
    std::string name;                        // the header
    std::string path;                        // as json/path.hpp reads it; empty where `made_of` is an expression
    std::shared_ptr<const formula> made_of;  // an expression, or a path that no projection compiles; else null
    column_type type = column_type::infer;
    std::uint8_t precision = 0;                 // decimal(p,s): 1 to 38 digits; 0 keeps the digits as text
    std::uint8_t scale = 0;                     // digits after the point, at most precision
    bool inferred = false;                      // the type is a guess from a sample: a value that differs widens it
    bool unseen = false;                        // inferred from nothing: the first value decides
    bool verbatim = false;                      // rows go out as text and no type was given: what stood there, whatever it is
    bool nested = false;                        // a guess may be a list or a struct
    char only = 0;                              // '[' or '{': of a guess and of json, the user asked for arrays, or for objects
    bool naive = false;                         // timestamps without a zone, kept as wall-clock readings
    time_unit unit = time_unit::automatic;      // of numbers in a timestamp column
    bool nanoseconds = false;                   // the column counts nanoseconds (years 1677 to 2262), not microseconds
    time_shape shape;                           // of an inferred timestamp
    std::shared_ptr<const time_format> format;  // of the texts, when one is given
    std::string zone_name;                      // "Asia/Tokyo": what texts without a zone are in; the caller looks it up
    std::shared_ptr<const zone> in_zone;        // ... and puts the rules here
    std::shared_ptr<const column_spec> guess;   // of a verbatim column: what the sample looked like, for charts
    std::vector<column_spec> members;           // of a list its element; of a struct its members, each under its key as `name`

    /// "float64", "decimal(18,8)", "timestamp[ns,Asia/Tokyo]", "struct[a:int64,b:list[string]]": reads back as the
    /// same type.
    std::string type_text() const;
    /// What its values mean: its own type, or the guess about a verbatim column.
    const column_spec& meaning() const noexcept { return guess ? *guess : *this; }
    bool is_nested() const noexcept { return type == column_type::list || type == column_type::structure; }
};

/// Whether columns of both hold the same values in the same form; names of members count, those of the columns do not.
bool same_type(const column_spec& a, const column_spec& b) noexcept;

/// The type as sentences show it: a struct may have thousands of members, of which the first are told.
std::string shown_type(const column_spec& c);

/// A growing array on malloc: no exceptions, no initialisation, and its memory can be given away.
template <class T>
class block {
public:
    block() = default;
    block(const block&) = delete;
    block& operator=(const block&) = delete;
    block(block&& o) noexcept : data_(std::exchange(o.data_, nullptr)), capacity_(std::exchange(o.capacity_, 0)) {}
    block& operator=(block&& o) noexcept {
        block taken(std::move(o));
        std::swap(data_, taken.data_);
        std::swap(capacity_, taken.capacity_);
        return *this;
    }
    ~block() { std::free(data_); }

    /// Room for n elements; false when memory is out.
    bool reserve(std::size_t n) noexcept { return n <= capacity_ || grow(n); }
    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    std::size_t capacity() const noexcept { return capacity_; }
    T& operator[](std::size_t i) noexcept { return data_[i]; }
    const T& operator[](std::size_t i) const noexcept { return data_[i]; }

private:
    [[gnu::cold, gnu::noinline]] bool grow(std::size_t n) noexcept {
        std::size_t want = capacity_ * 2 < 64 ? 64 : capacity_ * 2;
        if (want < n) want = n;
        if (want > PTRDIFF_MAX / sizeof(T)) return false;
        void* p = std::realloc(data_, want * sizeof(T));
        if (p == nullptr) return false;
        data_ = static_cast<T*>(p);
        capacity_ = want;
        return true;
    }
    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

class column {
public:
    enum class layout : std::uint8_t { eight, sixteen, bit, text, list, structure };

    explicit column(const column_spec& spec) : layout_(layout_of(spec)) {
        children_.reserve(spec.members.size());
        for (const column_spec& m : spec.members) children_.emplace_back(m);
    }
    column(column&&) noexcept = default;
    column& operator=(column&&) noexcept = default;

    static layout layout_of(const column_spec& spec) noexcept {
        switch (spec.type) {
            case column_type::int64:
            case column_type::float64:
            case column_type::timestamp: return layout::eight;
            case column_type::boolean: return layout::bit;
            case column_type::decimal: return spec.precision != 0 ? layout::sixteen : layout::text;
            case column_type::list: return layout::list;
            case column_type::structure: return layout::structure;
            default: return layout::text;
        }
    }
    layout kind() const noexcept { return layout_; }
    bool is_nested() const noexcept { return layout_ >= layout::list; }
    /// Bytes that a row takes beside its text and its elements.
    std::size_t row_size() const noexcept;
    /// For how many rows memory is taken at first, within bounds; else 1024. Before any row.
    void first_rows(std::size_t n) noexcept {
        first_rows_ = n < 16 ? 16 : n < 1024 ? n : 1024;
        for (column& c : children_) c.first_rows(n);
    }

    // Reading. Only rows that the batch counts; the value of a null row is unspecified (texts: empty).
    bool valid(std::size_t row) const noexcept { return (validity_[row >> 3] >> (row & 7) & 1) != 0; }
    std::int64_t i64(std::size_t row) const noexcept { return load<std::int64_t>(row); }
    double f64(std::size_t row) const noexcept { return load<double>(row); }
    __int128 i128(std::size_t row) const noexcept { return load<__int128>(row); }
    bool boolean(std::size_t row) const noexcept { return (fixed_[row >> 3] >> (row & 7) & 1) != 0; }
    std::string_view text(std::size_t row) const noexcept {
        const auto from = static_cast<std::size_t>(offsets_[row]), to = static_cast<std::size_t>(offsets_[row + 1]);
        return {arena_.data() + from, to - from};
    }
    /// Of a list: which rows of its child are the row's elements.
    std::size_t first_element(std::size_t row) const noexcept { return static_cast<std::size_t>(offsets_[row]); }
    std::size_t end_of_elements(std::size_t row) const noexcept { return static_cast<std::size_t>(offsets_[row + 1]); }
    /// Of a list its element, of a struct its members.
    std::size_t children() const noexcept { return children_.size(); }
    const column& child(std::size_t i) const noexcept { return children_[i]; }
    column& child(std::size_t i) noexcept { return children_[i]; }

    // Writing row `row`, after room(row).
    /// Makes space for one more row (without its text); false when memory is out.
    bool room(std::size_t row) noexcept { return row < rows_ || grow(row); }
    void put_null(std::size_t row) noexcept {
        mark(validity_.data(), row, false);
        if (layout_ == layout::text)
            offsets_[row + 1] = offsets_[row];
        else if (layout_ == layout::bit)
            mark(fixed_.data(), row, false);
        else if (layout_ == layout::eight)
            store(row, std::int64_t{0});
        else if (layout_ == layout::sixteen)
            store(row, static_cast<__int128>(0));
        else
            put_nothing(row);
    }
    /// After room(to): the cell of an earlier row once more; false as text_room() is nullptr.
    bool copy(std::size_t from, std::size_t to) noexcept;
    /// The same to the rows [to, to + n).
    bool repeat(std::size_t from, std::size_t to, std::size_t n) noexcept;
    /// The rows [row, row + n) have values, which are put by set() or, like nulls, as ever.
    void mark_valid(std::size_t row, std::size_t n) noexcept;
    template <class T>
    void set(std::size_t row, T v) noexcept {
        store(row, v);
    }
    void put(std::size_t row, std::int64_t v) noexcept { store(row, v), mark(validity_.data(), row, true); }
    void put(std::size_t row, double v) noexcept { store(row, v), mark(validity_.data(), row, true); }
    void put(std::size_t row, __int128 v) noexcept { store(row, v), mark(validity_.data(), row, true); }
    void put(std::size_t row, bool v) noexcept { mark(fixed_.data(), row, v), mark(validity_.data(), row, true); }
    /// n writable bytes for the row's text, to be finished by put_text(); nullptr when memory is out or the arena
    /// would pass most_text.
    char* text_room(std::size_t row, std::size_t n) noexcept {
        const auto used = static_cast<std::size_t>(offsets_[row]);
        if (n > most_text - used || !arena_.reserve(used + n)) [[unlikely]]
            return nullptr;
        return arena_.data() + used;
    }
    void put_text(std::size_t row, const char* end) noexcept {
        offsets_[row + 1] = static_cast<std::int32_t>(end - arena_.data());
        mark(validity_.data(), row, true);
    }
    /// A list whose elements are the child's rows from first_element(row) to `end`, which were written before.
    void put_list(std::size_t row, std::size_t end) noexcept {
        offsets_[row + 1] = static_cast<std::int32_t>(end);
        mark(validity_.data(), row, true);
    }
    /// A struct all of whose members are null; they have room, and may be put behind this.
    void put_struct(std::size_t row) noexcept {
        put_nothing(row);
        mark(validity_.data(), row, true);
    }

    /// The arena's limit: Arrow's utf8 counts with 32 bits. Of a list the elements'.
    static constexpr std::size_t most_text = 0x7fffffff;
    /// What `rows` rows take beside row_size() each.
    std::size_t text_bytes(std::size_t rows) const noexcept {
        if (is_nested()) return nested_bytes(rows);
        return layout_ == layout::text && rows != 0 ? static_cast<std::size_t>(offsets_[rows]) : 0;
    }
    /// Of the rows so far only these, which are in order.
    void retain(std::span<const std::uint32_t> rows) noexcept;
    /// Memory held, in bytes, used or not.
    std::size_t capacity() const noexcept;

    // The parts in Arrow's order, for arrow.cpp, which takes them away.
    block<std::uint8_t>& validity() noexcept { return validity_; }
    block<char>& fixed() noexcept { return fixed_; }
    block<std::int32_t>& offsets() noexcept { return offsets_; }
    block<char>& arena() noexcept { return arena_; }
    /// After the parts were taken: as if new.
    void reset() noexcept {
        rows_ = 0;
        for (column& c : children_) c.reset();
    }
    /// Makes sure that all parts have memory, also without rows.
    bool materialize() noexcept;
    /// Gives the memory back when it is more than `keep` bytes. Only without rows.
    void shrink(std::size_t keep) noexcept;

private:
    template <class T>
    T load(std::size_t row) const noexcept {
        T v;
        std::memcpy(&v, fixed_.data() + row * sizeof(T), sizeof(T));
        return v;
    }
    template <class T>
    void store(std::size_t row, T v) noexcept {
        std::memcpy(fixed_.data() + row * sizeof(T), &v, sizeof(T));
    }
    template <class B>
    static void mark(B* bits, std::size_t row, bool on) noexcept {
        const auto bit = static_cast<unsigned>(row & 7);
        const auto old = static_cast<unsigned char>(bits[row >> 3]);
        bits[row >> 3] = static_cast<B>((old & ~(1u << bit)) | (static_cast<unsigned>(on) << bit));
    }
    [[gnu::cold]] bool grow(std::size_t row) noexcept;
    bool reserve(std::size_t rows) noexcept;
    void move(std::size_t from, std::size_t to) noexcept;
    bool copy_nested(std::size_t from, std::size_t to) noexcept;
    void put_nothing(std::size_t row) noexcept;
    std::size_t nested_bytes(std::size_t rows) const noexcept;

    layout layout_;
    std::size_t first_rows_ = 1024;
    std::size_t rows_ = 0;  // rows there is room for
    block<std::uint8_t> validity_;
    block<char> fixed_;
    block<std::int32_t> offsets_;
    block<char> arena_;
    std::vector<column> children_;
};

}  // namespace kumihimo::inline v0::extract
