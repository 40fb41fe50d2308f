// What happened in this process's VMs, for whoever watches: the status page puts one of these into shared memory per
// child.
#pragma once
#include <atomic>
#include <cstdint>

#include "vm.hpp"

namespace kumihimo::inline v0::mruby {

/// Counts since the process began, and five levels (vms, scripts, mappings, and two sums of bytes). All zero at first;
/// relaxed order everywhere.
struct counters {
    using number = std::atomic<std::uint64_t>;
    number runs, compiled, raised, syntax, unreadable, expired, exhausted, crashed, unmade;
    number vms, image_bytes, memory_bytes, scripts, mappings;

    static constexpr number counters::*all[] = {
        &counters::runs,        &counters::compiled,     &counters::raised,  &counters::syntax,  &counters::unreadable,
        &counters::expired,     &counters::exhausted,    &counters::crashed, &counters::unmade,  &counters::vms,
        &counters::image_bytes, &counters::memory_bytes, &counters::scripts, &counters::mappings};
};

inline void add(counters::number& to, std::uint64_t n) noexcept { to.fetch_add(n, std::memory_order_relaxed); }

/// Where to count; the caller keeps it alive until the process ends. What was counted before moves along.
void count_into(counters*) noexcept;
counters& counted() noexcept;
/// Counts how a run ended, unless it returned.
void count_end(outcome::kind) noexcept;

}  // namespace kumihimo::inline v0::mruby
