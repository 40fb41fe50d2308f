// What every format needs of vectors, in SSE2.
#define KUMIHIMO_KERNELS_OF simd
#define KUMIHIMO_KERNELS "engine/simd/generic/all.hpp"
#include "engine/simd/sse2.hpp"
