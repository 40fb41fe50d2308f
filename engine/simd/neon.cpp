// What every format needs of vectors, in NEON.
#define KUMIHIMO_KERNELS_OF simd
#define KUMIHIMO_KERNELS "engine/simd/generic/all.hpp"
#include "engine/simd/neon.hpp"
