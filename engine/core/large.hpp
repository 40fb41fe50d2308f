// Memory of results that grow by doubling and are shrunk to what was written, under glibc's malloc.
//
// A request above a threshold (128 KB at first) becomes a mapping of its own: fresh pages, a fault for each. When a
// mapping is freed, the threshold rises to the size that it has then, so that the next request of that size comes from
// memory that is kept. A result that was shrunk has forgotten what was asked for:
//
//      grow    ... 2 MB, 4 MB     4 MB is above the threshold: a mapping, a fault per 4 KB that is written
//      shrink  4 MB -> 3.3 MB
//      free    3.3 MB             the threshold becomes 3.3 MB
//      grow    ... 2 MB, 4 MB     above the threshold, for ever: 800 faults per document, thrice the time of the writing
//
// So what was asked for is shown to the allocator as freed, once per size, and nothing of it is touched.
//
// This is what glibc does for every block that is freed at its full size, and it has the same effect on the process:
// up to twice the largest result, at most 64 MB, stays with the allocator when it is free. Who sets M_MMAP_THRESHOLD
// (mallopt, MALLOC_MMAP_THRESHOLD_) has switched all of it off. Where pages are larger than 4 KB it may do nothing;
// other allocators see a block that comes and goes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace kumihimo::inline v0 {

/// To be called when a block of `asked` bytes was shrunk to `kept`; `block` is its address, before or after. Costs two
/// system calls where the block was a mapping (glibc's begin 16 bytes behind a page), else nothing.
inline void was_shrunk(const void* block, std::size_t asked, std::size_t kept) noexcept {
    constexpr std::size_t smallest = std::size_t{64} << 10;  // below, no block is a mapping but by somebody's choice
    constexpr std::size_t largest = std::size_t{32} << 20;   // above, glibc maps whatever was freed before
    // The end of the heap goes back to the system when twice the threshold is free there. malloc takes 128 KB more
    // than is asked for, so with a threshold of less than that, and some, a result went back and came again with every
    // call: two system calls and thirty faults, four times the time of writing 90 KB.
    constexpr std::size_t smallest_shown = std::size_t{256} << 10;
    if (asked <= kept || asked < smallest || asked > largest) return;
    if ((reinterpret_cast<std::uintptr_t>(block) & 4095) != 16) return;
    // 64: more than what a host puts in front of its bytes. volatile: else compilers drop both calls.
    void* volatile shown = std::malloc(asked + 64 > smallest_shown ? asked + 64 : smallest_shown);
    std::free(shown);
}

}  // namespace kumihimo::inline v0
