// Room between two pages without rights: whoever reads or writes a byte outside of it ends with a segmentation fault.
#pragma once
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string_view>

class guarded {
public:
    /// At least `room` bytes, in whole pages.
    explicit guarded(std::size_t room) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        room_ = (room + page - 1) / page * page;
        size_ = room_ + 2 * page;
        void* const p = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(p != MAP_FAILED);
        base_ = static_cast<char*>(p);
        begin_ = base_ + page;
        REQUIRE(mprotect(begin_, room_, PROT_READ | PROT_WRITE) == 0);
    }
    ~guarded() { munmap(base_, size_); }
    guarded(const guarded&) = delete;
    guarded& operator=(const guarded&) = delete;

    std::size_t room() const { return room_; }
    char* begin() { return begin_; }
    char* end() { return begin_ + room_; }
    /// Puts `s`, of at most room() bytes, against the page before or behind.
    char* at_start(std::string_view s) { return place(begin(), s); }
    char* at_end(std::string_view s) { return place(end() - s.size(), s); }

private:
    static char* place(char* to, std::string_view s) {
        if (!s.empty()) std::memcpy(to, s.data(), s.size());
        return to;
    }
    char* base_;
    char* begin_;
    std::size_t room_, size_;
};
