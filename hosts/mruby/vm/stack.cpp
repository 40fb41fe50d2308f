#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "stack.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "deadline.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// The lowest address that may be used; 0: not known.
std::uintptr_t lowest() noexcept {
    const host_section at_work;  // pthread_getattr_np allocates
    std::uintptr_t found = 0;
#if defined(__linux__)
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void* base = nullptr;
        std::size_t size = 0;
        if (pthread_attr_getstack(&attributes, &base, &size) == 0)
            found = reinterpret_cast<std::uintptr_t>(base) + std::min<std::size_t>(256 * 1024, size / 3);
        pthread_attr_destroy(&attributes);
    }
#endif
    return found;
}

// Plain, so that a deadline in between leaves nothing half made. 1: not looked for yet.
thread_local std::uintptr_t limit = 1;

}  // namespace

bool machine_stack::has_room(std::size_t more) noexcept {
    if (limit == 1) [[unlikely]]
        limit = lowest();
    const char here = 0;
    return reinterpret_cast<std::uintptr_t>(&here) > limit + more;
}

}  // namespace kumihimo::inline v0::mruby
