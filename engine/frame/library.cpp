#include "engine/frame/library.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstring>

namespace kumihimo::inline v0::frame {
namespace {
std::atomic<unsigned> missing_ones{0};
}

void pretend_missing(library which, bool missing) noexcept {
    const unsigned bit = 1u << static_cast<unsigned>(which);
    if (missing)
        missing_ones.fetch_or(bit);
    else
        missing_ones.fetch_and(~bit);
}

bool pretended_missing(library which) noexcept {
    return (missing_ones.load(std::memory_order_relaxed) & 1u << static_cast<unsigned>(which)) != 0;
}

bool find(std::span<const char* const> names, std::span<const function> functions) noexcept {
    for (const char* const name : names) {
        void* const handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) continue;
        bool all = true;
        for (const function& f : functions) {
            void* const symbol = ::dlsym(handle, f.name);
            all = all && symbol != nullptr;
            std::memcpy(f.pointer, &symbol, sizeof symbol);
        }
        if (all) return true;
        ::dlclose(handle);
    }
    return false;
}

}  // namespace kumihimo::inline v0::frame
