// What a thread keeps from run to run.
#pragma once
#include <new>

#include "deadline.hpp"

namespace kumihimo::inline v0::mruby {

/// A T of the thread's own, made when it is first asked for. It is not destroyed when the process ends in the middle of a run,
/// as httpd's prefork does from a signal's handler: the run may be at work on it.
template <class T>
class thread_owned {
public:
    thread_owned() = default;
    ~thread_owned() {
        if (deadline::here().running() == nullptr) delete mine_;
    }
    thread_owned(const thread_owned&) = delete;
    thread_owned& operator=(const thread_owned&) = delete;

    /// Null when there is no memory for one. Inside a host_section, the first time.
    T* get() noexcept {
        if (mine_ == nullptr) mine_ = new (std::nothrow) T;
        return mine_;
    }

private:
    T* mine_ = nullptr;
};

/// The same for a T that lies in the thread's own memory, and is there from the start.
template <class T>
class thread_kept {
public:
    thread_kept() { new (memory_) T; }
    ~thread_kept() {
        if (deadline::here().running() == nullptr) get().~T();
    }
    thread_kept(const thread_kept&) = delete;
    thread_kept& operator=(const thread_kept&) = delete;

    T& get() noexcept { return *std::launder(reinterpret_cast<T*>(memory_)); }
    T* operator->() noexcept { return &get(); }

private:
    alignas(T) unsigned char memory_[sizeof(T)];
};

}  // namespace kumihimo::inline v0::mruby
