// JSON's kernels in AVX-512.
#include "engine/json/kernels/seen.hpp"
#define KUMIHIMO_KERNELS_OF json::isa
#define KUMIHIMO_KERNELS "engine/json/kernels/all.hpp"
#include "engine/simd/avx512.hpp"
