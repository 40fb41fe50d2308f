#include "engine/json/kernels.hpp"

#include "engine/simd/dispatch.hpp"

namespace kumihimo::inline v0::json {

namespace isa::scalar {
extern const kernels table;
}
#if defined(__x86_64__)
namespace isa::sse2 {
extern const kernels table;
}
namespace isa::avx2 {
extern const kernels table;
}
namespace isa::avx512 {
extern const kernels table;
}
#elif defined(__aarch64__)
namespace isa::neon {
extern const kernels table;
}
#endif

namespace {

constexpr const kernels* tables[] = {
    &isa::scalar::table,
#if defined(__x86_64__)
    &isa::sse2::table,
    &isa::avx2::table,
    &isa::avx512::table,
#elif defined(__aarch64__)
    &isa::neon::table,
#endif
};

}  // namespace

const kernels& active_kernels() noexcept { return *tables[simd::chosen()]; }
std::span<const kernels* const> available_kernels() noexcept { return {tables, simd::available().size()}; }

}  // namespace kumihimo::inline v0::json
