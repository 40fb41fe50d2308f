// JSON's kernels: one table of them per instruction set. Which one is used, simd/dispatch.hpp says.
//
// To add a kernel: write it in engine/json/kernels/<name>.hpp on top of `block` (see the contract in simd/isa.hpp),
// add it to engine/json/kernels/all.hpp, and its function pointer here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace kumihimo::inline v0::json {

struct plan;           // json/plan.hpp
class harvest;         // json/plan.hpp
struct boundary;       // json/boundary.hpp
struct token_index;    // json/index.hpp
struct element_shape;  // json/element_shape.hpp
struct element_run;

using project_kernel = bool (*)(const plan&, const char* data, std::size_t size, harvest&);

struct kernels {
    const char* name = "";  // as in simd/dispatch.hpp

    /// Whether the bytes are one valid JSON document (RFC 8259, default dialect) nested at most depth_limit deep. When
    /// they are, may_overflow says whether some number might be beyond the largest double: true if one has 127 bytes
    /// or more, or an exponent of three digits or more; false if all have at most 63 bytes and at most two digits in
    /// their exponents; between, as the kernel likes.
    bool (*check)(const char* data, std::size_t size, std::size_t depth_limit, bool& may_overflow) = nullptr;

    /// Projection at the three levels of json/project.hpp. False: the document is refused, ask json/diagnose.hpp why.
    project_kernel project_strict = nullptr;
    project_kernel project_structural = nullptr;
    project_kernel project_trusted = nullptr;

    /// Looks for the end of the document that `state` is in. Returns the bytes of this chunk that belong to it (and to
    /// the white space before it); state.complete says whether it ended there.
    std::size_t (*boundary)(json::boundary& state, const char* data, std::size_t size) = nullptr;

    /// Writes the tokens of data[from, to) to `out`, which has to - from + token_index::slack entries; see
    /// json/index.hpp. `to` is from + a multiple of 64, or the document's end, which `last` says. Returns the end of
    /// the entries; null: the document is refused.
    std::uint32_t* (*index)(token_index& carried, const char* data, std::size_t from, std::size_t to, bool last,
                            std::uint32_t* out) = nullptr;

    /// Writes text as the inside of a JSON string, escaped as RFC 8259 requires and no further, block by block of 64
    /// bytes while escape_room is left before `limit`. Moves `to` and `from`. What is left over is the caller's: fewer
    /// than 128 bytes, unless there was no room.
    void (*escape)(char*& to, const char* limit, const char*& from, const char* end) = nullptr;

    /// Elements of one shape that follow each other in an array of valid JSON; see json/element_shape.hpp.
    void (*elements)(const element_shape&, element_run&) = nullptr;
};

/// What this process uses.
const kernels& active_kernels() noexcept;

/// All that this machine can run, in the order of simd::available().
std::span<const kernels* const> available_kernels() noexcept;

}  // namespace kumihimo::inline v0::json
