// JSON's kernels, in the order of their needs: what engine/simd/<isa>.hpp includes inside its namespace for JSON. A
// new kernel adds its line here, its pointer in json/kernels.hpp and its member in the table below.

// clang-format off
#include "engine/json/kernels/strings.hpp"
#include "engine/json/kernels/brackets.hpp"
#include "engine/json/kernels/check.hpp"
#include "engine/json/kernels/project_strict.hpp"
#include "engine/json/kernels/project.hpp"
#include "engine/json/kernels/boundary.hpp"
#include "engine/json/kernels/index.hpp"
#include "engine/json/kernels/escape.hpp"
#include "engine/json/kernels/elements.hpp"

#define KUMIHIMO_KERNEL_TABLE(isa)                      \
    kernels {                                           \
        .name = isa,                                    \
        .check = check,                                 \
        .project_strict = project_strict,               \
        .project_structural = project_structural,       \
        .project_trusted = project_trusted,             \
        .boundary = boundary,                           \
        .index = index,                                 \
        .escape = escape,                               \
        .elements = elements,                           \
    }
// clang-format on
