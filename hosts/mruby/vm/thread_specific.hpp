// What a thread keeps from run to run, as a thread_local object. It is destroyed when the thread ends, and not when
// the process does: at_thread_exit.hpp says why.
#pragma once
#include <new>

#include "at_thread_exit.hpp"

namespace kumihimo::inline v0::mruby {

/// A T of the thread's own on the heap, made when it is first asked for.
template <class T>
class thread_specific_ptr : at_thread_exit {
public:
    /// Null when there is no memory for one. Inside a host_section, the first time.
    T* get() noexcept {
        if (mine_ == nullptr) [[unlikely]] {
            mine_ = new (std::nothrow) T;
            if (mine_ != nullptr) register_exit();
        }
        return mine_;
    }

private:
    void thread_exits() noexcept override {
        delete mine_;
        mine_ = nullptr;
    }
    T* mine_ = nullptr;
};

/// The same for a T that lies in the thread's own memory.
template <class T>
class thread_specific : at_thread_exit {
public:
    /// Throws what T's constructor does. Inside a host_section, the first time.
    T& get() {
        if (!is_made_) [[unlikely]] {
            new (memory_) T;
            is_made_ = true;
            register_exit();
        }
        return *at();
    }
    T* operator->() { return &get(); }
    /// Null before it was asked for.
    T* if_made() noexcept { return is_made_ ? at() : nullptr; }

private:
    void thread_exits() noexcept override {
        at()->~T();
        is_made_ = false;
    }
    T* at() noexcept { return std::launder(reinterpret_cast<T*>(memory_)); }

    alignas(T) unsigned char memory_[sizeof(T)]{};
    bool is_made_ = false;
};

}  // namespace kumihimo::inline v0::mruby
