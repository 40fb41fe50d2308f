// The functions of libc that take as long as their text is. A signal that comes in one cannot leave the script there
// (deadline.hpp), and a loop over large texts is nearly always in one: such a script went on for as long as chance had
// it. So a run that is late is left when the function returns.
//
//      libmruby.a, this module    memcmp   ->   __wrap_memcmp   ->   libc's        (ld's --wrap: ../CMakeLists.txt)
//
// Less than `large` takes libc no time: there the next signal finds mruby. The handler of faults, which must not be
// left, copies page by page.
#include <cstddef>

#include "deadline.hpp"

namespace {

constexpr std::size_t large = std::size_t{16} << 10;

template <class T>
inline T left_if_late(std::size_t n, T result) noexcept {
    if (n >= large) [[unlikely]]
        kumihimo::mruby::deadline::leave_if_late();
    return result;
}

}  // namespace

extern "C" {
void* __real_memcpy(void*, const void*, std::size_t);
void* __real_memmove(void*, const void*, std::size_t);
void* __real_memset(void*, int, std::size_t);
void* __real_memchr(const void*, int, std::size_t);
void* __real_memrchr(const void*, int, std::size_t);
int __real_memcmp(const void*, const void*, std::size_t);
std::size_t __real_strlen(const char*);

void* __wrap_memcpy(void* to, const void* from, std::size_t n) { return left_if_late(n, __real_memcpy(to, from, n)); }
void* __wrap_memmove(void* to, const void* from, std::size_t n) { return left_if_late(n, __real_memmove(to, from, n)); }
void* __wrap_memset(void* to, int c, std::size_t n) { return left_if_late(n, __real_memset(to, c, n)); }
void* __wrap_memchr(const void* s, int c, std::size_t n) { return left_if_late(n, __real_memchr(s, c, n)); }
void* __wrap_memrchr(const void* s, int c, std::size_t n) { return left_if_late(n, __real_memrchr(s, c, n)); }
int __wrap_memcmp(const void* a, const void* b, std::size_t n) { return left_if_late(n, __real_memcmp(a, b, n)); }
std::size_t __wrap_strlen(const char* s) {
    const std::size_t n = __real_strlen(s);
    return left_if_late(n, n);
}
}
