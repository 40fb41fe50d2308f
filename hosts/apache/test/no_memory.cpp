// For test_no_memory.py: a library that httpd is started with, in which operator new gives nothing more once it has
// been asked as often as the file KUMIHIMO_NEW says: a 64-bit number that is counted down. Below 0 nothing is refused.
// A second number counts what was refused.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

using number = std::atomic<std::int64_t>;

number* left() noexcept {
    static number* const there = []() noexcept -> number* {
        const char* const name = std::getenv("KUMIHIMO_NEW");
        const int file = name == nullptr ? -1 : open(name, O_RDWR | O_CLOEXEC);
        if (file < 0) return nullptr;
        void* const p = mmap(nullptr, 2 * sizeof(number), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        return p == MAP_FAILED ? nullptr : static_cast<number*>(p);
    }();
    return there;
}

bool is_refused() noexcept {
    number* const n = left();
    if (n == nullptr) return false;
    std::int64_t now = n->load();
    while (now > 0 && !n->compare_exchange_weak(now, now - 1)) {
    }
    if (now == 0) ++n[1];
    return now == 0;
}

}  // namespace

[[gnu::visibility("default")]] void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    return is_refused() ? nullptr : std::malloc(n == 0 ? 1 : n);
}
[[gnu::visibility("default")]] void* operator new(std::size_t n) {
    void* const p = operator new(n, std::nothrow);
    return p != nullptr ? p : throw std::bad_alloc();
}
[[gnu::visibility("default")]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::visibility("default")]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
