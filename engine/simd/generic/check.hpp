// Validation alone: the widest way that the instruction set has. An ISA file says so before it includes the kernels:
//
//      KUMIHIMO_HAS_COMPRESS    vectors of 64 bytes with a byte compress      check_wide.hpp
//      KUMIHIMO_HAS_EXTRACT     bit masks with a bit extract                  check_planes.hpp
//      otherwise                                                              check_scalar.hpp
#include "engine/simd/generic/check_scalar.hpp"
#include "engine/simd/generic/check_stack.hpp"

/// For checks that nobody watches (project_strict.hpp does).
struct unwatched {
    static constexpr bool on = false;
};

#if defined(KUMIHIMO_HAS_COMPRESS)
#include "engine/simd/generic/check_wide.hpp"
inline bool check(const char* data, std::size_t size, std::size_t depth_limit) {
    unwatched nobody;
    return wide::check(data, size, depth_limit, nobody);
}
#elif defined(KUMIHIMO_HAS_EXTRACT)
#include "engine/simd/generic/check_planes.hpp"
inline bool check(const char* data, std::size_t size, std::size_t depth_limit) {
    unwatched nobody;
    return planes::check(data, size, depth_limit, nobody);
}
#else
inline bool check(const char* data, std::size_t size, std::size_t depth_limit) { return check_scalar(data, size, depth_limit); }
#endif
