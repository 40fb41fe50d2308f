// Validation alone: the widest way that the instruction set has. An ISA file says so before it includes the kernels:
//
//      KUMIHIMO_HAS_COMPRESS    vectors of 64 bytes with a byte compress      avx512/check.hpp
//      KUMIHIMO_HAS_EXTRACT     bit masks with a bit extract                  avx2/check.hpp
//      otherwise                                                              check_scalar.hpp
#include "engine/json/kernels/check_scalar.hpp"
#include "engine/json/kernels/check_stack.hpp"

/// For checks that nobody watches (project_strict.hpp does).
struct unwatched {
    static constexpr bool on = false;
    bool may_overflow = false;
};

#if defined(KUMIHIMO_HAS_COMPRESS)
#include "engine/json/kernels/avx512/check.hpp"
inline bool check(const char* data, std::size_t size, std::size_t depth_limit, bool& may_overflow) {
    unwatched nobody;
    const bool valid = wide::check(data, size, depth_limit, nobody);
    may_overflow = nobody.may_overflow;
    return valid;
}
#elif defined(KUMIHIMO_HAS_EXTRACT)
#include "engine/json/kernels/avx2/check.hpp"
inline bool check(const char* data, std::size_t size, std::size_t depth_limit, bool& may_overflow) {
    unwatched nobody;
    const bool valid = planes::check(data, size, depth_limit, nobody);
    may_overflow = nobody.may_overflow;
    return valid;
}
#else
inline bool check(const char* data, std::size_t size, std::size_t depth_limit, bool& may_overflow) {
    may_overflow = false;
    return check_scalar(data, size, depth_limit, may_overflow);
}
#endif
