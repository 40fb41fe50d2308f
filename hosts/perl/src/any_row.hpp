// A format as one row of functions, for what is decided when the program runs: streams, partial results and lazy
// documents keep a pointer to their format's row. The rows are made of the engine's table (engine/formats.hpp).
#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>

#include "engine/tape/partial.hpp"

#include "any_format.hpp"

namespace kumihimo::inline v0::perl {

/// Where the document under way ends: the state of a format's boundary (engine/<format>/boundary.hpp), whichever it
/// is. It may own memory: what restart() made is released before the next restart(), and at the end.
struct boundary_state {
    alignas(std::max_align_t) unsigned char memory[128];
};
struct boundary_verbs {
    void (*restart)(boundary_state&) noexcept;
    void (*release)(boundary_state&) noexcept;
    std::size_t (*next)(boundary_state&, const char* p, std::size_t n);
    bool (*complete)(const boundary_state&) noexcept;
    bool (*started)(const boundary_state&) noexcept;
};

/// How a module that a format has of its own reads the documents of a stream.
struct own_reading {
    void (*options)(pTHX_ SV* self, value_options& to);
    outcome (*read)(pTHX_ const char* p, std::size_t n, const value_options& o, const stream_place& place);
};

struct of_partials;
using partial_builder = any_builder_of<of_partials>;
using partial_search = tape::any_partial<partial_builder>;

struct format_row {
    std::string_view name;
    bool text;  // it has lines, and white space between documents
    // Of documents for which no dialect is named (format_options.hpp).
    bool bignums;
    const char* document;    // what croaks call one
    const own_reading* own;  // null: as all others
    const void* (*usual)() noexcept;
    boundary_verbs ends;
    /// The read dialect of that name, for those below; the first for an empty name. Croaks where there is none.
    const void* (*dialect)(pTHX_ std::string_view name);
    /// Whether text may arrive that is not UTF-8.
    bool (*any_text)(const void* dialect) noexcept;
    /// A document's value, or why there is none. Does not croak.
    outcome (*read)(pTHX_ const char* p, std::size_t n, const void* dialect, const value_options& o, const stream_place& at);
    /// A document onto a tape.
    errc (*record)(bytes document, context& ctx, const void* dialect, tape::recorder& to);
    /// What finds a few values of documents. Throws std::bad_alloc.
    std::unique_ptr<partial_search> (*search)(const json::projection& wanted, json::level level, const void* dialect, bool raw);
};

/// The row of a format. Croaks where there is none of that name.
const format_row& row_of(pTHX_ std::string_view name);

/// The dialect that an options hash names, or the one that documents of the row have without.
const void* dialect_option(pTHX_ HV* options, const format_row& format);
/// The format that an options hash names, or the table's first.
const format_row& format_option(pTHX_ HV* options);
/// max_depth, keep_order and keep_binary out of an options hash.
void read_value_options(pTHX_ HV* options, value_options& o);
/// Those, and utf8, out of a stream's.
void stream_options(pTHX_ SV* self, value_options& to);

}  // namespace kumihimo::inline v0::perl
