// Whose a place of the status page's memory is, and how often the end of its owner is counted: once, whoever sees it
// first. Those who may see it are the parent, when the child has ended, and the next child that takes the place.
//
// A process's number is soon another's, its number and start are not:
//
//      63         32  31    30         0
//      [ start      | ended | number    ]    start: the 22nd word of /proc/NUMBER/stat, in ticks since boot; 0 without /proc
//
// `ended`: as httpd has its children end, or counted as one that died. In one word with whose it is, so that it is not
// said of the place's next owner.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstdint>

namespace kumihimo::inline v0::apache::child_slots {

using process = std::uint64_t;              // 0: nobody
using owner = std::atomic<process>;         // of a place
using number = std::atomic<std::uint64_t>;  // of children that died
inline constexpr process ended = 0x8000'0000;

inline pid_t number_of(process p) noexcept { return static_cast<pid_t>(p & 0x7fff'ffff); }

/// Makes a place one's own: a new one, or that of a child that is gone.
template <class IsAlive>
bool claim(owner& slot, process me, number& died, IsAlive&& is_alive) noexcept {
    process had = slot.load(std::memory_order_relaxed);
    do {
        if (had != 0 && is_alive(had)) return false;
    } while (!slot.compare_exchange_strong(had, me, std::memory_order_acq_rel));
    if (had != 0 && (had & ended) == 0) died.fetch_add(1, std::memory_order_relaxed);
    return true;
}

/// The owner ends as httpd has its children end.
inline void leave(owner& slot) noexcept { slot.fetch_or(ended, std::memory_order_acq_rel); }

/// In the parent: the process of that number has ended.
template <class IsAlive>
void see_end(owner& slot, pid_t pid, number& died, IsAlive&& is_alive) noexcept {
    process had = slot.load(std::memory_order_acquire);
    if (had == 0 || number_of(had) != pid || (had & ended) != 0 || is_alive(had)) return;
    if (slot.compare_exchange_strong(had, had | ended, std::memory_order_acq_rel)) died.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace kumihimo::inline v0::apache::child_slots
