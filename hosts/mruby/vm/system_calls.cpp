// The system calls in which mruby's IOs and sockets wait, made here and not in libc: a thread that waits in one is in
// this module's code, and so a run that is over its time is left there too (deadline.hpp). In libc it would have to be
// waited for: locks may be held there, and which of its functions holds none is not to be told by an address.
//
//      libmruby.a    read(fd, ...)   ->   __wrap_read   ->   the kernel        (ld's --wrap: ../CMakeLists.txt)
//
// Those that open something enter it in the run's list (descriptors.hpp). A thread can be left between any two
// instructions that are in no host_section, and what may wait must be in none: so the one instruction behind such a
// call of the kernel's stores the descriptor where the list looks for it.
//
// Who links with libkumihimo_mruby.a and without --wrap has libc's, a limit of time that waits for them, and VMs that
// close nothing behind a run. No point of cancellation of a thread is lost: httpd cancels none.
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <ctime>
#include <type_traits>

#include "deadline.hpp"
#include "descriptors.hpp"
#include "system_calls.hpp"

// A call that gives a descriptor: kumihimo_open(number, four arguments, where the result goes). A signal that has come
// meanwhile finds the thread at kumihimo_opened, where nothing but a register has the descriptor.
#if defined(__x86_64__)
asm(R"(
    .text
    .globl kumihimo_open, kumihimo_opened
    .hidden kumihimo_open, kumihimo_opened
    .type kumihimo_open, @function
kumihimo_open:
    .cfi_startproc
    mov %rdi, %rax
    mov %rsi, %rdi
    mov %rdx, %rsi
    mov %rcx, %rdx
    mov %r8, %r10
    syscall
kumihimo_opened:
    mov %eax, (%r9)
    ret
    .cfi_endproc
    .size kumihimo_open, . - kumihimo_open
)");
#elif defined(__aarch64__)
asm(R"(
    .text
    .globl kumihimo_open, kumihimo_opened
    .hidden kumihimo_open, kumihimo_opened
    .type kumihimo_open, %function
kumihimo_open:
    .cfi_startproc
    mov x8, x0
    mov x0, x1
    mov x1, x2
    mov x2, x3
    mov x3, x4
    svc 0
kumihimo_opened:
    str w0, [x5]
    ret
    .cfi_endproc
    .size kumihimo_open, . - kumihimo_open
)");
#endif
extern "C" long kumihimo_open(long number, long a, long b, long c, long d, int* to);

namespace kumihimo::inline v0::mruby {
namespace {

template <class T>
long word(T v) noexcept {
    if constexpr (std::is_null_pointer_v<T>)
        return 0;
    else if constexpr (std::is_pointer_v<T>)
        return static_cast<long>(reinterpret_cast<std::intptr_t>(v));
    else
        return static_cast<long>(v);
}

[[gnu::noinline]] long enter_kernel(long number, long a, long b, long c, long d, long e, long f) noexcept {
#if defined(__x86_64__)
    register long r10 asm("r10") = d;
    register long r8 asm("r8") = e;
    register long r9 asm("r9") = f;
    long result;
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                 : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 asm("x8") = number;
    register long x0 asm("x0") = a;
    register long x1 asm("x1") = b;
    register long x2 asm("x2") = c;
    register long x3 asm("x3") = d;
    register long x4 asm("x4") = e;
    register long x5 asm("x5") = f;
    asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
#else
#error "say here how this machine calls its kernel"
#endif
}

long with_errno(long result) noexcept {
    if (result >= 0 || result < -4095) return result;
    errno = static_cast<int>(-result);
    return -1;
}

template <class... Arguments>
long call(long number, Arguments... given) noexcept {
    const long a[6] = {word(given)...};
    return with_errno(enter_kernel(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

// In a section: the number belongs to the run from now on, or is closed.
int noted(descriptors& opened, int number) noexcept {
    if (opened.note(number)) return number;
    enter_kernel(SYS_close, number, 0, 0, 0, 0, 0);
    errno = ENOMEM;
    return -1;
}

// One that may wait.
template <class... Arguments>
int call_to_open(long number, Arguments... given) noexcept {
    const long a[4] = {word(given)...};
    descriptors* const opened = descriptors::of_run();
    int nobodys;
    const long result =
        with_errno(kumihimo_open(number, a[0], a[1], a[2], a[3], opened == nullptr ? &nobodys : opened->opening()));
    if (opened == nullptr) return static_cast<int>(result);
    const host_section section;
    *opened->opening() = -1;
    return result < 0 ? -1 : noted(*opened, static_cast<int>(result));
}

// One that does not.
template <class... Arguments>
int open_at_once(long number, Arguments... given) noexcept {
    descriptors* const opened = descriptors::of_run();
    const host_section section;
    const auto result = static_cast<int>(call(number, given...));
    return opened == nullptr || result < 0 ? result : noted(*opened, result);
}
template <class... Arguments>
int open_two(int (&two)[2], long number, Arguments... given) noexcept {
    descriptors* const opened = descriptors::of_run();
    const host_section section;
    const auto result = static_cast<int>(call(number, given...));
    if (opened == nullptr || result < 0) return result;
    const bool first = noted(*opened, two[0]) >= 0, second = noted(*opened, two[1]) >= 0;
    if (first && second) return 0;
    if (first != second) {
        const int one = two[first ? 0 : 1];
        opened->forget(one);
        call(SYS_close, one);
    }
    errno = ENOMEM;
    return -1;
}

// Releases what the run has noted. False: it is not the run's, and the script itself has asked for it. What this
// module asks for within a section is its own.
template <class Forget, class Release>
bool released(Forget forget, Release release) noexcept {
    descriptors* const opened = descriptors::of_run();
    const deadline::run* const run = deadline::here().running();
    const bool of_script = opened != nullptr && run != nullptr && run->sections == 0;
    const host_section section;
    if ((opened == nullptr || !forget(*opened)) && of_script) return false;
    release();
    return true;
}

// The kernel does not write to a page of an image (arena.hpp): it says EFAULT. The thread itself may.
void to_be_written(void* to, std::size_t n) noexcept {
    volatile char* const p = static_cast<char*>(to);
    for (std::size_t i = 0; i < n; i += 1024) p[i] = p[i];
    if (n != 0) p[n - 1] = p[n - 1];
}

}  // namespace
}  // namespace kumihimo::inline v0::mruby

using namespace kumihimo::mruby;

extern "C" {

ssize_t __wrap_read(int fd, void* to, size_t n) {
    if (descriptors::of_run() != nullptr) to_be_written(to, n);
    return call(SYS_read, fd, to, n);
}
ssize_t __wrap_write(int fd, const void* from, size_t n) { return call(SYS_write, fd, from, n); }

ssize_t __wrap_recvfrom(int fd, void* to, size_t n, int flags, sockaddr* who, socklen_t* size) {
    if (descriptors::of_run() != nullptr) to_be_written(to, n);
    return call(SYS_recvfrom, fd, to, n, flags, who, size);
}
ssize_t __wrap_recv(int fd, void* to, size_t n, int flags) { return __wrap_recvfrom(fd, to, n, flags, nullptr, nullptr); }

ssize_t __wrap_sendto(int fd, const void* from, size_t n, int flags, const sockaddr* to, socklen_t size) {
    return call(SYS_sendto, fd, from, n, flags, to, size);
}
ssize_t __wrap_send(int fd, const void* from, size_t n, int flags) { return __wrap_sendto(fd, from, n, flags, nullptr, 0); }

int __wrap_accept(int fd, sockaddr* who, socklen_t* size) { return call_to_open(SYS_accept, fd, who, size); }
int __wrap_connect(int fd, const sockaddr* to, socklen_t size) { return static_cast<int>(call(SYS_connect, fd, to, size)); }
int __wrap_flock(int fd, int operation) { return static_cast<int>(call(SYS_flock, fd, operation)); }
// One that has ended is nobody's from here on.
pid_t __wrap_waitpid(pid_t pid, int* status, int options) {
    int ended = 0;
    const auto found = static_cast<pid_t>(call(SYS_wait4, pid, &ended, options, 0));
    if (found > 0) {
        const host_section section;
        if (descriptors* const opened = descriptors::of_run(); opened != nullptr && (WIFEXITED(ended) || WIFSIGNALED(ended)))
            opened->forget_program(found);
    }
    if (status != nullptr) *status = ended;
    return found;
}

int __wrap_pipe(int two[2]) { return open_two(*reinterpret_cast<int(*)[2]>(two), SYS_pipe2, two, 0); }
int __wrap_socketpair(int domain, int type, int protocol, int two[2]) {
    return open_two(*reinterpret_cast<int(*)[2]>(two), SYS_socketpair, domain, type, protocol, two);
}
int __wrap_socket(int domain, int type, int protocol) { return open_at_once(SYS_socket, domain, type, protocol); }
int __wrap_dup(int fd) { return open_at_once(SYS_dup, fd); }

// Not a system call, but memory of libc's that a run may be left with. A list that an earlier run was left with is
// freed already. Without --wrap there are no functions of these names, nor calls of the ones here.
[[gnu::weak]] int __real_getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found);
[[gnu::weak]] void __real_freeaddrinfo(addrinfo* list);
int __wrap_getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
    const host_section section;
    const int status = __real_getaddrinfo(name, service, hints, found);
    descriptors* const opened = descriptors::of_run();
    if (status != 0 || opened == nullptr || opened->note_addresses(*found)) return status;
    __real_freeaddrinfo(*found);
    return EAI_MEMORY;
}
void __wrap_freeaddrinfo(addrinfo* list) {
    released([list](descriptors& opened) { return opened.forget_addresses(list); }, [list] { __real_freeaddrinfo(list); });
}

// mruby's finalizers close numbers that several IOs have, and scripts name any: those of others stay open, and are as
// good as closed for whoever asks. What this module closes itself is its own.
[[gnu::weak]] int __real_close(int fd);
int __wrap_close(int fd) {
    int result = -1;
    if (!released([fd](descriptors& opened) { return opened.forget(fd); }, [&] { result = __real_close(fd); })) errno = EBADF;
    return result;
}

// A FIFO waits for its other end.
int __wrap_open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const int mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, int) : 0;
    va_end(rest);
    return call_to_open(SYS_openat, AT_FDCWD, path, flags, mode);
}

// The kernel counts the time that is left down, in a copy of its own.
int __wrap_select(int n, fd_set* readable, fd_set* writable, fd_set* special, timeval* most) {
    timespec left{};
    if (most != nullptr) left = {most->tv_sec + most->tv_usec / 1'000'000, most->tv_usec % 1'000'000 * 1000};
    return static_cast<int>(call(SYS_pselect6, n, readable, writable, special, most == nullptr ? nullptr : &left, 0));
}

// A script's program leads a group of its own, so that what it starts ends with it (descriptors.cpp), and does not
// outlive the thread that waits for it.
[[gnu::weak]] pid_t __real_fork();
pid_t __wrap_fork() {
    descriptors* const opened = descriptors::of_run();
    if (opened == nullptr) return __real_fork();
    const host_section section;
    const pid_t child = __real_fork();
    if (child < 0) return child;
    setpgid(child, child);  // both of them: neither knows who comes first
    if (child == 0) {
        descriptors::in_child();
        deadline::here().in_child();
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    } else if (!opened->note_program(child)) {
        kill(-child, SIGKILL);
        call(SYS_wait4, child, nullptr, 0, 0);
        errno = ENOMEM;
        return -1;
    }
    return child;
}
}
