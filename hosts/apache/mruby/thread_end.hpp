// What is to be done when a thread ends, and not when the process does.
//
// httpd's prefork calls exit() from a signal's handler, wherever its only thread is: in a run, in malloc, in the middle of a
// vector's growth. exit() destroys the thread_local objects of who calls it. It also walks glibc's own list of them, which the
// signal may find half written (glibc 2.36: __call_tls_dtors follows a null pointer). The destructor of a pthread key runs at
// a thread's end alone. So no thread_local object of this module has a destructor; it has an entry here.
#pragma once

namespace kumihimo::inline v0::mruby {

/// What is to be done, as the base of a thread_local object that it is to be done with.
class thread_end {
public:
    explicit constexpr thread_end(void (*call)(thread_end&) noexcept) noexcept : call_(call) {}
    thread_end(const thread_end&) = delete;
    thread_end& operator=(const thread_end&) = delete;

    /// call(*this) when the calling thread ends, before what was added earlier. Not to be jumped out of. False without memory
    /// for it: then nothing is called.
    bool add() noexcept;

private:
    static void all() noexcept;
    void (*call_)(thread_end&) noexcept;
    thread_end* next_ = nullptr;
    bool added_ = false;
};

}  // namespace kumihimo::inline v0::mruby
