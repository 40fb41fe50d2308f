// The choice among instruction sets, and the kernels that know no format, one table of them per instruction set. A
// format's own kernels are tables of the same order beside it (json/kernels.hpp).
//
// The choice is made once per process and at whole-document grain: a kernel is one call for one document, so
// everything inside it inlines. The environment variable KUMIHIMO_KERNEL (scalar, sse2, avx2, avx512, neon) forces
// one; a name that this machine cannot run is ignored. All kernels give the same verdicts and the same results, bit
// for bit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kumihimo::inline v0::simd {

struct kernels {
    const char* name = "";

    /// Whether the whole run is valid UTF-8 (no surrogates, nothing overlong, nothing beyond U+10FFFF).
    bool (*utf8)(const char* data, std::size_t size) = nullptr;
};

/// What this process uses.
const kernels& active() noexcept;

/// The place of what this process uses in available(), and in every format's tables.
std::size_t chosen() noexcept;

/// All that this machine can run, the portable one first and the best last.
std::span<const kernels* const> available() noexcept;

/// Makes the named one active for the whole process; false when this machine has none of that name. For tests and
/// benches.
bool use(std::string_view name) noexcept;

}  // namespace kumihimo::inline v0::simd
