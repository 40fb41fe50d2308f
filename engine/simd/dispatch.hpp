// One table of kernels per instruction set, and the choice among them.
//
// The choice is made once per process and at whole-document grain: a kernel is one call for one document, so everything inside
// it inlines. The environment variable KUMIHIMO_KERNEL (scalar, sse2, avx2, avx512, neon) forces one; a name that this
// machine cannot run is ignored. All kernels give the same verdicts and the same results, bit for bit.
//
// To add a kernel: write it in engine/simd/generic/<name>.hpp on top of `block` (see the contract in simd/isa.hpp), include
// that file in every engine/simd/<isa>.cpp, and add its function pointer here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kumihimo::inline v0::json {
struct plan;         // json/plan.hpp
class harvest;       // json/plan.hpp
struct boundary;     // json/boundary.hpp
struct token_index;  // json/index.hpp
}  // namespace kumihimo::inline v0::json

namespace kumihimo::inline v0::simd {

using project_kernel = bool (*)(const json::plan&, const char* data, std::size_t size, json::harvest&);

struct kernels {
    const char* name = "";

    /// Whether the whole run is valid UTF-8 (no surrogates, nothing overlong, nothing beyond U+10FFFF).
    bool (*utf8)(const char* data, std::size_t size) = nullptr;

    /// Whether the bytes are one valid JSON document (RFC 8259, default dialect) nested at most depth_limit deep. When they
    /// are, may_overflow says whether some number might be beyond the largest double: true if one has 127 bytes or more, or an
    /// exponent of three digits or more; false if all have at most 63 bytes and at most two digits in their exponents; between,
    /// as the kernel likes.
    bool (*check)(const char* data, std::size_t size, std::size_t depth_limit, bool& may_overflow) = nullptr;

    /// Projection at the three levels of json/project.hpp. False: the document is refused, ask json/diagnose.hpp why.
    project_kernel project_strict = nullptr;
    project_kernel project_structural = nullptr;
    project_kernel project_trusted = nullptr;

    /// Looks for the end of the document that `state` is in. Returns the bytes of this chunk that belong to it (and to the
    /// white space before it); state.complete says whether it ended there.
    std::size_t (*boundary)(json::boundary& state, const char* data, std::size_t size) = nullptr;

    /// Writes the tokens of data[from, to) to `out`, which has to - from + json::token_index::slack entries; see
    /// json/index.hpp. `to` is from + a multiple of 64, or the document's end, which `last` says. Returns the end of the
    /// entries; null: the document is refused.
    std::uint32_t* (*index)(json::token_index& carried, const char* data, std::size_t from, std::size_t to, bool last,
                            std::uint32_t* out) = nullptr;

    /// Writes text as the inside of a JSON string, escaped as RFC 8259 requires and no further, block by block of 64 bytes
    /// while json::escape_room is left before `limit`. Moves `to` and `from`. What is left over is the caller's: fewer than 128
    /// bytes, unless there was no room.
    void (*escape)(char*& to, const char* limit, const char*& from, const char* end) = nullptr;
};

/// What this process uses.
const kernels& active() noexcept;

/// All that this machine can run, the portable one first and the best last.
std::span<const kernels* const> available() noexcept;

/// Makes the named one active for the whole process; false when this machine has none of that name. For tests and benches.
bool use(std::string_view name) noexcept;

}  // namespace kumihimo::inline v0::simd
