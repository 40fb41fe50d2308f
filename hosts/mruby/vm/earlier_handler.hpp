// The handler that a signal had before ours. What is not for ours goes on to it. One difference remains to as if ours
// were not there: a handler that was put over ours, and ours then over it, hands its signals back to ours, where they
// end.
#pragma once
#include <atomic>
#include <csignal>
#include <cstdint>
#include <new>
#include <utility>

namespace kumihimo::inline v0::mruby {

class earlier_handler {
public:
    /// What a thread hands on at the moment. Who has the signal may hand it back: put there behind ours, it holds ours
    /// for the one before its own. Or it may leave by siglongjmp, and what is said here stays. So it is by the place
    /// on the stack that the two are told apart: what is handed back lies deeper than what was handed on, and a new
    /// signal has a place of its own, or the very same one.
    class passing {
    public:
        bool is_back(const void* context, std::uintptr_t frame) const noexcept { return context == context_ && frame < frame_; }

    private:
        friend class earlier_handler;
        const void* context_ = nullptr;
        std::uintptr_t frame_ = 0;
    };

    /// From here on that is what call() calls. Before ours is put there, one caller at a time; false without memory
    /// for it.
    bool keep(const struct sigaction& there) noexcept {
        for (const kept* k = all_; k != nullptr; k = k->next) {
            if (k->call.sa_handler == there.sa_handler && k->call.sa_flags == there.sa_flags) return last_.store(k), true;
        }
        const auto* const made = new (std::nothrow) kept{there, all_};
        if (made == nullptr) return false;
        all_ = made;
        last_.store(made);
        return true;
    }

    /// False if there is none: the signal is ignored, or has its default. `frame` is that of ours.
    bool call(passing& here, std::uintptr_t frame, int signal, siginfo_t* info, void* context) const noexcept {
        const kept* const k = last_.load();
        // Both names are of one pointer; the system looks at these two values whatever the flags are.
        if (k == nullptr || k->call.sa_handler == SIG_DFL || k->call.sa_handler == SIG_IGN) return false;
        passing outer;
        outer.context_ = std::exchange(here.context_, context);
        outer.frame_ = std::exchange(here.frame_, frame);
        if ((k->call.sa_flags & SA_SIGINFO) != 0)
            k->call.sa_sigaction(signal, info, context);
        else
            k->call.sa_handler(signal);
        here = outer;
        return true;
    }

private:
    // Never freed: another thread's handler may be reading it. There are as many as there are handlers.
    struct kept {
        struct sigaction call;
        const kept* next;
    };
    std::atomic<const kept*> last_{nullptr};
    const kept* all_ = nullptr;
};

}  // namespace kumihimo::inline v0::mruby
