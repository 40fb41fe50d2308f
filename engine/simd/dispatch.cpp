#include "engine/simd/dispatch.hpp"

#include <array>
#include <atomic>
#include <cstdlib>

namespace kumihimo::inline v0::simd {

namespace scalar {
extern const kernels table;
}
#if defined(__x86_64__)
namespace sse2 {
extern const kernels table;
}
namespace avx2 {
extern const kernels table;
}
namespace avx512 {
extern const kernels table;
}
#elif defined(__aarch64__)
namespace neon {
extern const kernels table;
}
#endif

namespace {

struct choice {
    std::array<const kernels*, 5> list{};
    std::size_t count = 0;
    std::atomic<std::size_t> now{0};

    choice() noexcept {
        list[count++] = &scalar::table;
#if defined(__x86_64__)
        list[count++] = &sse2::table;
        __builtin_cpu_init();
        const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                              __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                              __builtin_cpu_supports("pclmul");
        if (has_avx2) list[count++] = &avx2::table;
        if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi") &&
            __builtin_cpu_supports("avx512vbmi2"))
            list[count++] = &avx512::table;
#elif defined(__aarch64__)
        list[count++] = &neon::table;
#endif
        now.store(count - 1, std::memory_order_relaxed);
        if (const char* wish = std::getenv("KUMIHIMO_KERNEL")) select(wish);
    }

    bool select(std::string_view name) noexcept {
        for (std::size_t i = 0; i < count; ++i)
            if (name == list[i]->name) {
                now.store(i, std::memory_order_relaxed);
                return true;
            }
        return false;
    }
};

choice& the() noexcept {
    static choice c;
    return c;
}

}  // namespace

const kernels& active() noexcept {
    const choice& c = the();
    return *c.list[c.now.load(std::memory_order_relaxed)];
}
std::size_t chosen() noexcept { return the().now.load(std::memory_order_relaxed); }
std::span<const kernels* const> available() noexcept { return {the().list.data(), the().count}; }
bool use(std::string_view name) noexcept { return the().select(name); }

}  // namespace kumihimo::inline v0::simd
