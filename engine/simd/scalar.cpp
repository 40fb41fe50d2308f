// What every format needs of vectors, in the portable form.
#define KUMIHIMO_KERNELS_OF simd
#define KUMIHIMO_KERNELS "engine/simd/generic/all.hpp"
#include "engine/simd/scalar.hpp"
