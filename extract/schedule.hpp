// Work in parallel, results in order, memory bounded.
//
//      cut (one at a time, in order)       work (any thread)            collect (one thread, in order)
//      inputs --> [ job 7 ] -------------> [ job 5 ] [ job 6 ] -------> [ job 4 ]
//                 `------------------ window of slots, reused ------------------'
//
// There is no thread for cutting: whichever worker is free takes the next slot, fills it under the cutting lock and then works
// on it outside. A slot is free again when the collector releases it, so at most `window` jobs exist, whatever the input's
// size. Without workers (threads == 0) next() does the work itself, on the caller's thread.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace kumihimo::inline v0::extract {

enum class progress : std::uint8_t { ready, waiting, end };

/// Plan: `bool cut(Job&)` fills a job, false when the input is at its end (called by one thread at a time, in order);
/// `void work(Job&, unsigned worker)` (worker < max(threads, 1); the caller's own thread uses number `threads`). Neither may
/// throw.
template <class Job, class Plan>
class schedule {
public:
    explicit schedule(Plan& plan) noexcept : plan_(plan) {}
    schedule(const schedule&) = delete;
    schedule& operator=(const schedule&) = delete;
    ~schedule() { cancel(); }

    /// Starts the workers. When the system gives fewer threads than asked for, the run goes on with those; false when memory is
    /// out.
    bool start(unsigned threads, std::size_t window) noexcept {
        try {
            slots_ = std::vector<slot>(threads == 0 ? 1 : window);
            workers_.reserve(threads);
        } catch (const std::bad_alloc&) {
            return false;
        }
        for (unsigned i = 0; i < threads; ++i) {
            try {
                workers_.emplace_back([this, i] { serve(i); });
            } catch (const std::system_error&) {
                break;
            }
        }
        return true;
    }

    /// The next job in order. `ready`: it is the caller's until release(). `waiting`: not done within `patience`, ask again.
    progress next(Job*& out, std::chrono::milliseconds patience) {
        slot& s = slots_[head_ % slots_.size()];
        if (workers_.empty()) {
            if (cancelled_ || ended_ || !plan_.cut(s.job)) {
                ended_ = true;
                return progress::end;
            }
            plan_.work(s.job, 0);
            out = &s.job;
            return progress::ready;
        }
        std::unique_lock lock(mutex_);
        const auto settled = [&] { return s.done || cancelled_ || (ended_ && head_ == cut_); };
        if (!done_.wait_for(lock, patience, settled)) return progress::waiting;
        if (!s.done || cancelled_) return progress::end;
        out = &s.job;
        return progress::ready;
    }

    /// Gives the slot of the last ready job back.
    void release() {
        if (!workers_.empty()) {
            std::lock_guard lock(mutex_);
            slots_[head_ % slots_.size()].done = false;
            ++head_;
        }
        free_.notify_one();
    }

    /// Ends the work: jobs under way are finished by their workers and dropped. The plan must make its cut() return soon.
    void cancel() noexcept {
        {
            std::lock_guard lock(mutex_);
            cancelled_ = true;
        }
        free_.notify_all();
        done_.notify_all();
        for (std::thread& t : workers_)
            if (t.joinable()) t.join();
    }

    unsigned threads() const noexcept { return static_cast<unsigned>(workers_.size()); }

private:
    struct slot {
        Job job;
        bool done = false;
    };

    void serve(unsigned worker) noexcept {
        for (;;) {
            slot* mine = nullptr;
            bool more = false;
            {
                std::lock_guard cutting(cutting_);
                {
                    std::unique_lock lock(mutex_);
                    free_.wait(lock, [&] { return cancelled_ || ended_ || cut_ - head_ < slots_.size(); });
                    if (cancelled_ || ended_) return;
                    mine = &slots_[cut_ % slots_.size()];
                }
                more = plan_.cut(mine->job);  // may wait for a pipe; the collector goes on meanwhile
                std::lock_guard lock(mutex_);
                if (more) {
                    ++cut_;
                } else {
                    ended_ = true;
                }
            }
            if (!more) {
                free_.notify_all();
                done_.notify_all();
                return;
            }
            plan_.work(mine->job, worker);
            {
                std::lock_guard lock(mutex_);
                mine->done = true;
            }
            done_.notify_one();
        }
    }

    Plan& plan_;
    std::vector<slot> slots_;
    std::vector<std::thread> workers_;
    std::mutex cutting_, mutex_;
    std::condition_variable free_, done_;
    std::uint64_t cut_ = 0, head_ = 0;
    bool ended_ = false, cancelled_ = false;
};

}  // namespace kumihimo::inline v0::extract
