#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <pthread.h>

#include "stack.hpp"

namespace kumihimo::inline v0::perl {
namespace {

// The lowest address that may be used, found once per thread. 0: not known.
std::uintptr_t lowest() noexcept {
    // A third of a small stack: perl itself needs most of such a one.
    const auto margin = [](std::size_t size) { return std::min<std::size_t>(256 * 1024, size / 3); };
    std::uintptr_t found = 0;
#if defined(__linux__)
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void* base = nullptr;
        std::size_t size = 0;
        if (pthread_attr_getstack(&attributes, &base, &size) == 0)
            found = reinterpret_cast<std::uintptr_t>(base) + margin(size);
        pthread_attr_destroy(&attributes);
    }
#elif defined(__APPLE__)
    const auto top = reinterpret_cast<std::uintptr_t>(pthread_get_stackaddr_np(pthread_self()));
    const std::size_t size = pthread_get_stacksize_np(pthread_self());
    found = top - size + margin(size);
#endif
    return found;
}

}  // namespace

bool machine_stack::has_room() noexcept {
    thread_local const std::uintptr_t limit = lowest();
    const char here = 0;
    return reinterpret_cast<std::uintptr_t>(&here) > limit;
}

}  // namespace kumihimo::inline v0::perl
