#include "vm.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "arena.hpp"
#include "counters.hpp"
#include "thread_owned.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// A thread's VMs by profile. Few profiles, so they are looked for one by one.
struct thread_vms {
    struct one {
        std::unique_ptr<vm> made;
        std::uint64_t used = 0;
    };
    struct of_profile {
        const profile* made_with;
        std::array<one, borrowed_vm::most_nested> at_depth;
    };
    std::vector<of_profile> all;
    int depth = 0;  // runs within runs, of all profiles
    std::uint64_t now = 0;
    std::size_t made = 0;

    /// For one more VM. Those of the runs around this one are at work; what is deeper is not.
    void make_room() noexcept {
        if (made < borrowed_vm::most_of_thread && counted().vms < borrowed_vm::most_of_process()) return;
        one* oldest = nullptr;
        for (of_profile& p : all)
            for (auto i = static_cast<std::size_t>(depth); i < p.at_depth.size(); ++i) {
                one& v = p.at_depth[i];
                if (v.made != nullptr && (oldest == nullptr || v.used < oldest->used)) oldest = &v;
            }
        if (oldest == nullptr) return;
        oldest->made.reset();
        --made;
    }
};
thread_local thread_owned<thread_vms> here;

// An init file that loops has a minute, and every request would take it. So after a failure that took long nobody in the
// process tries that profile again for as long as it took.
class failures {
public:
    bool are_recent(const profile& as, outcome& why) {
        const std::lock_guard lock(mutex_);
        for (const one& f : all_) {
            const std::int64_t left = f.until - deadline::now();
            if (f.of != &as || left <= 0) continue;
            why = f.why;
            why.message += " (tried again in " + std::to_string((left + 999'999'999) / 1'000'000'000) + " s at the soonest)";
            return true;
        }
        return false;
    }
    void remember(const profile& as, const outcome& why, std::int64_t took) {
        if (took < at_least) return;
        const std::lock_guard lock(mutex_);
        std::erase_if(all_, [&](const one& f) { return f.of == &as || f.until <= deadline::now(); });
        all_.push_back({&as, deadline::now() + took, why});
    }

private:
    static constexpr std::int64_t at_least = 100'000'000;
    struct one {
        const profile* of;
        std::int64_t until;
        outcome why;
    };
    std::mutex mutex_;
    std::vector<one> all_;
};
failures& long_failures() {
    static auto* const of_process = new failures;  // threads may outlive static objects
    return *of_process;
}

}  // namespace

// One of four mappings, as a VM has whose image is a single piece: with those that all may have before it comes to that, three
// quarters of the process's.
std::size_t borrowed_vm::most_of_process() noexcept {
    const std::size_t allowed = mappings_allowed();
    return allowed == 0 ? 4096 : std::max<std::size_t>(allowed / 8, 1);
}

borrowed_vm::borrowed_vm(const profile& as, outcome& why) {
    thread_vms* const mine_here = here.get();
    if (mine_here == nullptr) {
        why = {};
        why.how = outcome::kind::unmade;
        why.message = "out of memory";
        return;
    }
    thread_vms& t = *mine_here;
    if (t.depth >= most_nested) {
        why = {};
        why.how = outcome::kind::unmade;
        why.message =
            "scripts are nested deeper than " + std::to_string(most_nested) + " requests, filters and hooks within one another";
        return;
    }
    thread_vms::of_profile* found = nullptr;
    for (auto& one : t.all)
        if (one.made_with == &as) found = &one;
    if (found == nullptr) found = &t.all.emplace_back(thread_vms::of_profile{&as, {}});
    thread_vms::one& mine = found->at_depth[static_cast<std::size_t>(t.depth)];
    if (mine.made == nullptr) {
        if (long_failures().are_recent(as, why)) {
            add(counted().unmade, 1);
            return;
        }
        t.make_room();
        const std::int64_t began = deadline::now();
        mine.made = vm::make(as, why);
        if (mine.made != nullptr)
            ++t.made;
        else
            long_failures().remember(as, why, deadline::now() - began);
    }
    mine.used = ++t.now;
    vm_ = mine.made.get();
    if (vm_ != nullptr) ++t.depth;
}

borrowed_vm::~borrowed_vm() {
    if (vm_ != nullptr) --here.get()->depth;
}

}  // namespace kumihimo::inline v0::mruby
