// JSON's kernels in the portable form.
#include "engine/json/kernels/seen.hpp"
#define KUMIHIMO_KERNELS_OF json::isa
#define KUMIHIMO_KERNELS "engine/json/kernels/all.hpp"
#include "engine/simd/scalar.hpp"
