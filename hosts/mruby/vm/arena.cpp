#include "arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "fault.hpp"

namespace kumihimo::inline v0::mruby {

struct arena::block {
    std::uint64_t size_class;  // before the block's memory, with `is_free`
    block* next;               // in it, while free
};

namespace {

constexpr std::uint64_t is_free = std::uint64_t{1} << 63;

// Sizes with their head: multiples of 16 up to 1024, then four to a doubling. The first head is 8 bytes behind a
// page's begin, so the memory behind each head is aligned to 16.
constexpr std::size_t small = 1024;
constexpr unsigned small_classes = small / 16;
unsigned class_of(std::size_t size, std::size_t& rounded) noexcept {
    if (size <= small) {
        rounded = arena::up(size, 16);
        return static_cast<unsigned>(rounded / 16) - 1;
    }
    const unsigned bits = static_cast<unsigned>(std::bit_width(size - 1));  // 2^(bits-1) < size <= 2^bits
    const std::size_t quarter = (std::size_t{1} << (bits - 1)) / 4;
    rounded = arena::up(size, quarter);
    const auto quarters = static_cast<unsigned>((rounded - (std::size_t{1} << (bits - 1))) / quarter);  // 1 to 4
    return small_classes + (bits - 11) * 4 + quarters - 1;
}
std::size_t size_of(unsigned c) noexcept {
    if (c < small_classes) return (c + 1) * std::size_t{16};
    const unsigned bits = (c - small_classes) / 4 + 11, quarters = (c - small_classes) % 4 + 1;
    return (std::size_t{1} << (bits - 1)) + quarters * ((std::size_t{1} << (bits - 1)) / 4);
}

}  // namespace

bool arena::open(std::size_t reserve, std::initializer_list<std::size_t> together) noexcept {
    reserve = up(reserve, step);
    know_mappings_allowed();
    if (!fault::ready()) return false;
    void* const all = mmap(nullptr, reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return false;
    begin_ = image_end_ = writable_ = touched_ = static_cast<char*>(all);
    at_ = begin_ + head;
    end_ = limit_ = relief_ = begin_ + reserve;
    std::fill(free_, free_ + classes, nullptr);
    std::fill(freed_, freed_ + classes / 64, 0);
    extending_ = true;
    n_pieces_ = saved_ = 0;
    restores_ = 0;
    to_place_ = 0;
    tell_mappings();
    for (const std::size_t n : together) {
        std::size_t size;
        const unsigned c = class_of(n + head, size);
        if (to_place_ == sizeof places_ / sizeof *places_ || !grow(at_ + size)) return false;
        reinterpret_cast<block*>(at_)->size_class = c;
        places_[to_place_++] = {n, at_ + head};
        at_ += size;
    }
    return true;
}

void* arena::placed(std::size_t n) noexcept {
    for (place& p : places_) {
        if (p.size != n) continue;
        p.size = 0;
        --to_place_;
        return p.at;
    }
    return nullptr;
}

void arena::forget_freed() noexcept {
    for (unsigned i = 0; i < classes / 64; ++i) {
        for (std::uint64_t bits = freed_[i]; bits != 0; bits &= bits - 1)
            free_[i * 64 + static_cast<unsigned>(std::countr_zero(bits))] = nullptr;
        freed_[i] = 0;
    }
}

void arena::close() noexcept {
    if (begin_ == nullptr) return;
    munmap(begin_, static_cast<std::size_t>(end_ - begin_));
    if (copies_ != nullptr) munmap(copies_, copies_size_);
    begin_ = nullptr;
    copies_ = nullptr;
    copies_size_ = 0;
    retain_up_to(0);
    tell_mappings();
}

bool arena::grow(char* end) noexcept {
    if (end > end_) return false;
    if (end > writable_) {
        char* const to = std::min(begin_ + up(static_cast<std::size_t>(end - begin_), step), end_);
        if (mprotect(writable_, static_cast<std::size_t>(to - writable_), PROT_READ | PROT_WRITE) != 0) return false;
        writable_ = to;
    }
    touched_ = std::max(touched_, end);
    return true;
}

void* arena::full() noexcept {
    // Refused once, mruby collects its garbage and asks again. Refused twice, it would raise NoMemoryError from the
    // middle of anything, a way that few have gone before.
    if (on_full != nullptr) on_full(told);
    if (refused_ && on_exhausted != nullptr) on_exhausted(told);
    refused_ = true;
    return nullptr;
}

void* arena::fresh(std::size_t size, unsigned size_class) noexcept {
    char* const p = at_;
    if (!room_for(size, p) || (p + size > touched_ && !grow(p + size))) [[unlikely]]
        return full();
    at_ = p + size;
    refused_ = false;
    if (at_ > relief_) [[unlikely]] {
        relief_ = end_;
        if (on_relief != nullptr) on_relief(told);
    }
    auto* const b = reinterpret_cast<block*>(p);
    b->size_class = size_class;
    return p + head;
}

// Memory is full where it is garbage in other sizes than the wanted one, too: a run that makes texts of one size
// leaves nothing but blocks of that size. So a larger free block is cut. If none is there, and garbage was collected
// in vain, free blocks that lie side by side become one; as they are freed they do not, which would cost every run
// what few need.
void* arena::cut_or_join_free(std::size_t size, unsigned size_class) noexcept {
    for (bool joined = false;; joined = true) {
        unsigned there = size_class;
        while (there < classes && free_[there] == nullptr) ++there;
        if (there < classes) {
            auto* const b = free_[there];
            free_[there] = b->next;
            set_free(reinterpret_cast<char*>(b) + size, size_of(there) - size);
            refused_ = false;
            b->size_class = size_class;
            return reinterpret_cast<char*>(b) + head;
        }
        // What is free in an image is not joined: its lists are not those of the blocks behind it.
        if (joined || !refused_ || (extending_ && image_end_ != begin_)) return nullptr;
        join_free();
        if (room_for(size, at_)) return fresh(size, size_class);
    }
}

void arena::join_free() noexcept {
    std::fill(free_, free_ + classes, nullptr);
    char* hole = nullptr;  // begin of the free blocks that end here
    for (char* here = image_end_ + head; here != at_;) {
        const std::uint64_t size_class = reinterpret_cast<block*>(here)->size_class;
        if ((size_class & is_free) == 0) {
            if (hole != nullptr) set_free(hole, static_cast<std::size_t>(here - hole));
            hole = nullptr;
        } else if (hole == nullptr) {
            hole = here;
        }
        here += size_of(static_cast<unsigned>(size_class & ~is_free));
    }
    if (hole != nullptr) at_ = hole;
}

// So many bytes from here on become free blocks, as few as do.
void arena::set_free(char* here, std::size_t bytes) noexcept {
    while (bytes != 0) {
        std::size_t size;
        unsigned c = class_of(bytes, size);
        if (size > bytes) size = size_of(--c);
        set_free(reinterpret_cast<block*>(here), c);
        here += size;
        bytes -= size;
    }
}

void arena::set_free(block* b, unsigned c) noexcept {
    b->size_class = c | is_free;
    b->next = free_[c];
    // Noted before it is done: a run may be left between the two.
    freed_[c / 64] |= std::uint64_t{1} << (c % 64);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    free_[c] = b;
}

void* arena::allocate(void* p, std::size_t n) noexcept {
    if (p == nullptr) {
        if (n == 0) return nullptr;
        if (n > most()) return full();
        if (to_place_ != 0) [[unlikely]] {
            if (void* const there = placed(n)) return there;
        }
        std::size_t size;
        const unsigned c = class_of(n + head, size);
        if (block* const b = free_[c]; b != nullptr) {
            free_[c] = b->next;
            b->size_class = c;
            refused_ = false;
            return reinterpret_cast<char*>(b) + head;
        }
        if (!room_for(size, at_)) [[unlikely]] {
            if (void* const there = cut_or_join_free(size, c)) return there;
        }
        return fresh(size, c);
    }
    auto* const b = reinterpret_cast<block*>(static_cast<char*>(p) - head);
    const auto c = static_cast<unsigned>(b->size_class);
    const std::size_t has = size_of(c);
    char* const start = reinterpret_cast<char*>(b);
    if (n == 0) {
        if (in_image(p) && !extending_) return nullptr;
        if (start + has == at_) {
            at_ = start;
        } else {
            set_free(b, c);
        }
        return nullptr;
    }
    if (n + head <= has && n + head > has / 2) return p;
    if (n > most()) return full();
    if (n + head > has && start + has == at_ && !in_image(p)) {
        std::size_t size;
        const unsigned larger = class_of(n + head, size);
        // The last block grows where it is. Where the limit is too near for that, it moves: into a block that the last
        // collection of garbage has freed, which is all that mruby's second try can hope for.
        if (room_for(size, start)) {
            at_ = start;
            if (fresh(size, larger) != nullptr) return p;
            at_ = start + has;
            b->size_class = c;
            return nullptr;
        }
    }
    if (n + head <= has) {
        // It gets smaller, and never because memory is full: where there is no room to move, the rest of it becomes
        // free.
        std::size_t size;
        const unsigned smaller = class_of(n + head, size);
        if (free_[smaller] == nullptr && !room_for(size, at_)) {
            if (in_image(p) && !extending_) return p;
            b->size_class = smaller;
            set_free(start + size, has - size);
            return p;
        }
    }
    void* const moved = allocate(nullptr, n);
    if (moved == nullptr) return n + head <= has ? p : nullptr;
    std::memcpy(moved, p, std::min(n, has - head));
    allocate(p, 0);
    return moved;
}

void arena::limit_to(std::size_t bytes, std::size_t relief) noexcept {
    const auto room = static_cast<std::size_t>(end_ - image_end_);
    refused_ = false;
    limit_ = std::max(at_, image_end_ + std::min(bytes, room));
    relief_ = image_end_ + std::min(relief, room);
}

void arena::extend_image() noexcept {
    std::copy(free_in_image_, free_in_image_ + classes, free_);
    std::fill(freed_, freed_ + classes / 64, ~std::uint64_t{0});
    extending_ = true;
}

}  // namespace kumihimo::inline v0::mruby
