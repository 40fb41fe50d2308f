// What happened in this process's VMs, for whoever watches: the status page puts one of these into shared memory per child.
#pragma once
#include <atomic>
#include <cstdint>

namespace kumihimo::inline v0::mruby {

/// Counts since the process began, and three levels (vms and the two sums of bytes). All zero at first; relaxed order
/// everywhere.
struct counters {
    std::atomic<std::uint64_t> runs, compiled, raised, syntax, unreadable, expired, exhausted, crashed, unmade;
    std::atomic<std::uint64_t> vms, image_bytes, memory_bytes, scripts;
};

/// Where to count; the caller keeps it alive until the process ends. What was counted before moves along.
void count_into(counters*) noexcept;
counters& counted() noexcept;

}  // namespace kumihimo::inline v0::mruby
