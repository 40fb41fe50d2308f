// Profiles of which no VM could be made, for as long as that took: an init file that loops has a minute, and every
// request would take it. Threads that ask at the same time all try; whoever asks after the first failure does not.
#pragma once
#include <cstdint>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "vm.hpp"

namespace kumihimo::inline v0::mruby {

/// One list for all threads. Times are nanoseconds of one clock.
class failed_profiles {
public:
    /// What takes less is tried again at once.
    static constexpr std::int64_t at_least = 100'000'000;

    /// Whether it is too early to try again; then `why` is what it was, and says for how long.
    bool are_recent(const profile& made_with, outcome& why, std::int64_t now) {
        const std::lock_guard lock(mutex_);
        for (const one& f : all_) {
            const std::int64_t left = f.until - now;
            if (f.failed != &made_with || left <= 0) continue;
            why = f.why;
            why.message += " (tried again in " + std::to_string((left + 999'999'999) / 1'000'000'000) + " s at the soonest)";
            return true;
        }
        return false;
    }
    /// Without memory it forgets: then the next one tries.
    void remember(const profile& made_with, const outcome& why, std::int64_t took, std::int64_t now) noexcept {
        if (took < at_least) return;
        try {
            const std::lock_guard lock(mutex_);
            std::erase_if(all_, [&](const one& f) { return f.failed == &made_with || f.until <= now; });
            all_.push_back({&made_with, now + took, why});
        } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
        }
    }

private:
    struct one {
        const profile* failed;
        std::int64_t until;
        outcome why;
    };
    std::mutex mutex_;
    std::vector<one> all_;
};

}  // namespace kumihimo::inline v0::mruby
