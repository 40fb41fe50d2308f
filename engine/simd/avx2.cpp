// What every format needs of vectors, in AVX2.
#define KUMIHIMO_KERNELS_OF simd
#define KUMIHIMO_KERNELS "engine/simd/generic/all.hpp"
#include "engine/simd/avx2.hpp"
