#include "extract/inflate.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace kumihimo::inline v0::extract {

std::uint32_t crc32(std::uint32_t so_far, bytes data) noexcept {
    // libdeflate takes a null pointer as "the initial value, please".
    return data.empty() ? so_far : libdeflate_crc32(so_far, data.data(), data.size());
}

void arena::release::operator()(char* p) const noexcept { std::free(p); }

char* arena::room(std::size_t n, std::size_t keep) noexcept {
    if (n <= capacity_ && memory_) return memory_.get();
    const std::size_t want = std::max(n, std::min(capacity_ * 2, n + (std::size_t{1} << 20)));
    if (want > static_cast<std::size_t>(PTRDIFF_MAX) - slack) return nullptr;
    const std::size_t rounded = (std::max<std::size_t>(want, 16384) + 4095) & ~std::size_t{4095};
    char* p = static_cast<char*>(std::malloc(rounded + slack));
    if (p == nullptr) return nullptr;
    if (keep != 0) std::memcpy(p, memory_.get(), keep);
    memory_.reset(p);
    capacity_ = rounded;
    return p;
}

inflater::inflater() noexcept : libdeflate_(libdeflate_alloc_decompressor()) {}
inflater::~inflater() {
    if (libdeflate_ != nullptr) libdeflate_free_decompressor(libdeflate_);
}

errc inflater::exact(bytes packed, std::size_t readable, char* to, std::size_t size, std::uint64_t at, context& ctx) noexcept {
    if (libdeflate_ == nullptr) return ctx.fail(errc::memory, at, "no memory for the decompressor; use fewer --jobs (jobs)");
    const std::size_t in = std::min(readable, packed.size() + input_slack);
    std::size_t read = 0, written = 0;
    const libdeflate_result said =
        libdeflate_deflate_decompress_ex(libdeflate_, packed.data(), in, to, size + arena::slack, &read, &written);
    if (said == LIBDEFLATE_SUCCESS && read == packed.size() && written == size) [[likely]]
        return errc::ok;
    if (said == LIBDEFLATE_BAD_DATA)
        return ctx.fail(errc::syntax, at, "the compressed data is damaged; copy or download the archive again");
    if (said == LIBDEFLATE_INSUFFICIENT_SPACE || written > size)
        return ctx.fail(errc::syntax, at, "the compressed data expands to more than the archive says");
    if (written < size) return ctx.fail(errc::truncated, at, "the compressed data expands to less than the archive says");
    return ctx.fail(errc::syntax, at, "the compressed data is not as long as the archive says");
}

inflater::outcome inflater::any(bytes packed, char* to, std::size_t room, std::size_t& read, std::size_t& written) noexcept {
    if (libdeflate_ == nullptr) return outcome::no_memory;
    switch (libdeflate_deflate_decompress_ex(libdeflate_, packed.data(), packed.size(), to, room, &read, &written)) {
        case LIBDEFLATE_SUCCESS: return outcome::ok;
        case LIBDEFLATE_INSUFFICIENT_SPACE: return outcome::more_room;
        default: return outcome::damaged;
    }
}

}  // namespace kumihimo::inline v0::extract
