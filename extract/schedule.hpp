// Work in parallel, results in order, memory bounded.
//
//      cut (one at a time, in order)       work (any thread)            collect (one thread, in order)
//      inputs --> [ job 7 ] -------------> [ job 5 ] [ job 6 ] -------> [ job 4 ]
//                 `------------------ window of slots, reused ------------------'
//
// There is no thread for cutting: whichever worker is free takes the next slot, fills it under the cutting lock and
// then works on it outside. A slot is free again when the collector releases it, so at most `window` jobs exist,
// whatever the input's size. Without workers (threads == 0) next() does the work itself, on the caller's thread.
//
// What a job gives can be more than one part. Then its worker waits until the collector has taken the part at hand,
// and goes on with the same job; the others go on with theirs.
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
/// `bool work(Job&, unsigned worker)` works on it (worker < max(threads, 1)), true when the job has a further part: it
/// is called again then, with the same worker, once the part was released. Neither may throw.
template <class Job, class Plan>
class schedule {
public:
    explicit schedule(Plan& plan) noexcept : plan_(plan) {}
    schedule(const schedule&) = delete;
    schedule& operator=(const schedule&) = delete;
    ~schedule() { cancel(); }

    /// Starts the workers. When the system gives fewer threads than asked for, the run goes on with those; false when
    /// memory is out.
    bool start(unsigned threads, std::size_t window) noexcept {
        try {
            slots_ = std::vector<slot>(threads == 0 ? 1 : window);
            orders_ = std::vector<order>(threads);
            workers_.reserve(threads);
        } catch (const std::bad_alloc&) {
            return false;
        }
        for (unsigned i = 0; i < threads; ++i) {
            try {
                workers_.emplace_back([this, i] { serve(i); });
            } catch (const std::system_error&) {
                break;
            } catch (const std::bad_alloc&) {  // for what the thread is given
                break;
            }
        }
        return true;
    }

    /// The next job in order. `ready`: it is the caller's until release(). `waiting`: not done within `patience`, ask
    /// again.
    progress next(Job*& out, std::chrono::milliseconds patience) {
        slot& s = slots_[head_ % slots_.size()];
        if (workers_.empty()) {
            if (cancelled_ || ended_ || (!s.more && !plan_.cut(s.job))) {
                ended_ = true;
                return progress::end;
            }
            s.more = plan_.work(s.job, 0);
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

    /// Gives the slot of the last ready job back, or lets its worker go on with the next part. `finished`: what
    /// further parts the job may have are not wanted.
    void release(bool finished = false) {
        slot& s = slots_[head_ % slots_.size()];
        if (workers_.empty()) {
            s.more = s.more && !finished;
            return;
        }
        bool waited = false;
        {
            std::lock_guard lock(mutex_);
            waited = s.more;
            const bool on = waited && !finished;
            s.done = false;
            if (waited) orders_[s.by] = on ? order::go_on : order::leave;
            if (!on) ++head_;
        }
        if (waited) taken_.notify_all();
        free_.notify_one();
    }

    /// Ends the work: jobs under way are finished by their workers and dropped. The plan must make its cut() return
    /// soon.
    void cancel() noexcept {
        {
            std::lock_guard lock(mutex_);
            cancelled_ = true;
        }
        free_.notify_all();
        done_.notify_all();
        taken_.notify_all();
        for (std::thread& t : workers_)
            if (t.joinable()) t.join();
    }

    unsigned threads() const noexcept { return static_cast<unsigned>(workers_.size()); }

private:
    struct slot {
        Job job;
        unsigned by = 0;    // the worker
        bool done = false;  // the job, or a part of it
        bool more = false;  // that was not the last part
    };
    // For a worker that waits between two parts.
    enum class order : std::uint8_t { wait, go_on, leave };

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
            do {
                const bool further = plan_.work(mine->job, worker);
                std::unique_lock lock(mutex_);
                mine->by = worker;
                mine->more = further;
                mine->done = true;
                orders_[worker] = order::wait;
                done_.notify_one();
                if (!further) break;
                taken_.wait(lock, [&] { return cancelled_ || orders_[worker] != order::wait; });
                if (cancelled_) return;
            } while (orders_[worker] == order::go_on);
        }
    }

    Plan& plan_;
    std::vector<slot> slots_;
    std::vector<std::thread> workers_;
    std::mutex cutting_, mutex_;
    std::condition_variable free_, done_, taken_;
    std::vector<order> orders_;  // by worker
    std::uint64_t cut_ = 0, head_ = 0;
    bool ended_ = false, cancelled_ = false;
};

}  // namespace kumihimo::inline v0::extract
