// Every generic kernel, in the order of their needs; each ISA file includes this once inside its namespace. A new kernel adds
// its line here, its pointer in simd/dispatch.hpp and its member in the table below.

// clang-format off
#include "engine/simd/generic/utf8.hpp"
#include "engine/simd/generic/strings.hpp"
#include "engine/simd/generic/brackets.hpp"
#include "engine/simd/generic/check.hpp"
#include "engine/simd/generic/project_strict.hpp"
#include "engine/simd/generic/project.hpp"
#include "engine/simd/generic/boundary.hpp"
#include "engine/simd/generic/index.hpp"
#include "engine/simd/generic/escape.hpp"

#define KUMIHIMO_KERNEL_TABLE(isa)                      \
    kernels {                                           \
        .name = isa,                                    \
        .utf8 = utf8,                                   \
        .check = check,                                 \
        .project_strict = project_strict,               \
        .project_structural = project_structural,       \
        .project_trusted = project_trusted,             \
        .boundary = boundary,                           \
        .index = index,                                 \
        .escape = escape,                               \
    }
// clang-format on
