// What is to be done when a thread ends, and not when the process does.
//
// httpd's prefork calls exit() from a signal's handler, wherever its only thread is: in a run, in malloc, in the
// middle of a vector's growth. exit() destroys the thread_local objects of who calls it. It also walks glibc's own
// list of them, which the signal may find half written (glibc 2.36: __call_tls_dtors follows a null pointer). The
// destructor of a pthread key runs at a thread's end alone. So no thread_local object of this module has a destructor;
// it derives from this class instead.
#pragma once

namespace kumihimo::inline v0::mruby {

/// The base of a thread_local object that has something to do at its thread's end.
class at_thread_exit {
public:
    constexpr at_thread_exit() noexcept = default;
    at_thread_exit(const at_thread_exit&) = delete;
    at_thread_exit& operator=(const at_thread_exit&) = delete;

protected:
    ~at_thread_exit() = default;
    /// Called at the end of the thread that called register_exit(), the last registered first.
    virtual void thread_exits() noexcept = 0;
    /// Not to be jumped out of. False without memory for it: then nothing is called.
    bool register_exit() noexcept;

private:
    static void call_all() noexcept;
    at_thread_exit* next_ = nullptr;
    bool registered_ = false;
};

}  // namespace kumihimo::inline v0::mruby
