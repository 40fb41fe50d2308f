// Objects that own memory of C++'s, for work that a jump may leave: they are the thread's, not the frame's.
//
//      of a frame      dump at depth 1   |  dump at depth 2, of a block's  |  left by a jump
//                      [writer of 1]       [writer of 1][writer of 2]         [writer of 1][writer of 2]   until another is
//                      made
//      of the run      what a loop over a stream holds between two calls of its block: found by its number until it is dropped
//
// Who stands deeper in the machine's stack than the one that is being made was left: its work is over. What a run has
// made is gone when the run is, however it ends (vm.cpp). Work that owns nothing (core/stack.hpp, memory_of) needs
// none of this.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "deadline.hpp"
#include "thread_specific.hpp"

namespace kumihimo::inline v0::mruby {

/// Everything is to be called inside a host_section, but what says otherwise.
class held_objects {
public:
    struct held {
        virtual ~held() = default;
        const void* where = nullptr;
        std::uint64_t number = 0;
    };
    /// The calling thread's.
    static held_objects& here() { return of_thread().get(); }

    /// A new one of a frame, for work that begins at `where`, an address in it; null where there is no memory.
    template <class T, class... Args>
    T* make(const void* where, Args&&... args) noexcept {
        drop_from(where);
        return add<T>(of_frames_, where, std::forward<Args>(args)...);
    }
    /// Ends those that began at `where` or deeper.
    void drop_from(const void* where) noexcept {
        while (!of_frames_.empty() && !std::less<>()(where, of_frames_.back()->where)) of_frames_.pop_back();
    }

    /// A new one of the run: its number, or 0 where there is no memory.
    template <class T, class... Args>
    std::uint64_t keep(Args&&... args) noexcept {
        const held* const made = add<T>(of_run_, nullptr, std::forward<Args>(args)...);
        return made == nullptr ? 0 : made->number;
    }
    /// Null when it is gone, or when what has the number is no T: anybody's numbers are in one row.
    template <class T>
    T* find(std::uint64_t number) const noexcept {
        for (const auto& one : of_run_)
            if (one->number == number) return dynamic_cast<T*>(one.get());
        return nullptr;
    }
    void drop(std::uint64_t number) noexcept {
        std::erase_if(of_run_, [&](const auto& one) { return one->number == number; });
    }
    /// How many of the run are a T.
    template <class T = held>
    std::size_t kept() const noexcept {
        const auto is = [](const auto& one) { return dynamic_cast<const T*>(one.get()) != nullptr; };
        return static_cast<std::size_t>(std::count_if(of_run_.begin(), of_run_.end(), is));
    }
    std::size_t size() const noexcept { return of_run_.size() + of_frames_.size(); }

    /// What a run makes has this number or a higher one, if it is asked for before the run. Anywhere.
    static std::uint64_t next_number() noexcept { return next_.load(std::memory_order_relaxed); }
    /// Ends all of them. Anywhere but in a run.
    static void drop_since(std::uint64_t first) noexcept {
        held_objects* const mine = of_thread().if_made();
        if (mine == nullptr || mine->size() == 0) [[likely]]
            return;
        const host_section at_work;
        const auto later = [&](const auto& one) { return one->number >= first; };
        std::erase_if(mine->of_frames_, later);
        std::erase_if(mine->of_run_, later);
    }

private:
    using list = std::vector<std::unique_ptr<held>>;

    template <class T, class... Args>
    T* add(list& to, const void* where, Args&&... args) noexcept {
        try {
            auto made = std::make_unique<T>(std::forward<Args>(args)...);
            made->where = where;
            made->number = next_.fetch_add(1, std::memory_order_relaxed);
            T* const p = made.get();
            to.push_back(std::move(made));
            return p;
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    }

    static thread_specific<held_objects>& of_thread() noexcept {
        static constinit thread_local thread_specific<held_objects> one;
        return one;
    }
    static inline std::atomic<std::uint64_t> next_{1};
    list of_frames_, of_run_;
};

}  // namespace kumihimo::inline v0::mruby
