// The kernels that know no format, and the table that simd/dispatch.hpp chooses by.

#include "engine/simd/generic/utf8.hpp"

#define KUMIHIMO_KERNEL_TABLE(isa) \
    kernels { .name = isa, .utf8 = utf8 }
