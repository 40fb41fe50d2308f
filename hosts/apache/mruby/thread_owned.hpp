// What a thread keeps from run to run, as a thread_local object. It is destroyed when the thread ends, and not when the process
// does: thread_end.hpp says why.
#pragma once
#include <new>

#include "thread_end.hpp"

namespace kumihimo::inline v0::mruby {

/// A T of the thread's own, made when it is first asked for.
template <class T>
class thread_owned : thread_end {
public:
    constexpr thread_owned() noexcept : thread_end(destroy) {}

    /// Null when there is no memory for one. Inside a host_section, the first time.
    T* get() noexcept {
        if (mine_ == nullptr) [[unlikely]] {
            mine_ = new (std::nothrow) T;
            if (mine_ != nullptr) add();
        }
        return mine_;
    }

private:
    static void destroy(thread_end& of) noexcept {
        auto& self = static_cast<thread_owned&>(of);
        delete self.mine_;
        self.mine_ = nullptr;
    }
    T* mine_ = nullptr;
};

/// The same for a T that lies in the thread's own memory.
template <class T>
class thread_kept : thread_end {
public:
    constexpr thread_kept() noexcept : thread_end(destroy) {}

    /// Throws what T's constructor does. Inside a host_section, the first time.
    T& get() {
        if (!is_made_) [[unlikely]] {
            new (memory_) T;
            is_made_ = true;
            add();
        }
        return *at();
    }
    T* operator->() { return &get(); }

private:
    static void destroy(thread_end& of) noexcept {
        auto& self = static_cast<thread_kept&>(of);
        self.at()->~T();
        self.is_made_ = false;
    }
    T* at() noexcept { return std::launder(reinterpret_cast<T*>(memory_)); }

    alignas(T) unsigned char memory_[sizeof(T)]{};
    bool is_made_ = false;
};

}  // namespace kumihimo::inline v0::mruby
