#include "vm.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "arena.hpp"
#include "counters.hpp"
#include "failed_profiles.hpp"
#include "report.hpp"
#include "thread_specific.hpp"

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
constinit thread_local thread_specific_ptr<thread_vms> here;

failed_profiles& long_failures() {
    static auto* const of_process = new failed_profiles;  // threads may outlive static objects
    return *of_process;
}

void say_unmade(outcome& why, std::string message) {
    why = {};
    why.type = outcome::kind::unmade;
    why.message = std::move(message);
}

vm* borrow(thread_vms& t, const profile& made_with, outcome& why) {
    if (t.depth >= borrowed_vm::most_nested) {
        say_unmade(why, "scripts are nested deeper than " + std::to_string(borrowed_vm::most_nested) +
                            " requests, filters and hooks within one another");
        return nullptr;
    }
    thread_vms::of_profile* found = nullptr;
    for (auto& one : t.all)
        if (one.made_with == &made_with) found = &one;
    if (found == nullptr) found = &t.all.emplace_back(thread_vms::of_profile{&made_with, {}});
    thread_vms::one& mine = found->at_depth[static_cast<std::size_t>(t.depth)];
    if (mine.made == nullptr) {
        if (long_failures().are_recent(made_with, why, deadline::now())) {
            add(counted().unmade, 1);
            return nullptr;
        }
        t.make_room();
        const std::int64_t began = deadline::now();
        mine.made = vm::make(made_with, why);
        if (mine.made == nullptr) {
            const std::int64_t now = deadline::now();
            long_failures().remember(made_with, why, now - began, now);
            return nullptr;
        }
        ++t.made;
    }
    mine.used = ++t.now;
    ++t.depth;
    return mine.made.get();
}

// Before the process's first arena is opened nobody knows what the system allows.
constexpr std::size_t most_at_first = 4096;

}  // namespace

// Allowed is half of what the process may have. Beyond it a VM's image is one piece, which takes 4 mappings: an eighth
// of it in VMs is another quarter of the process's at most.
std::size_t borrowed_vm::most_of_process() noexcept {
    const std::size_t allowed = mappings_allowed();
    return allowed == 0 ? most_at_first : std::max<std::size_t>(allowed / 8, 1);
}

// Who borrows is httpd's C code in the end, through which no exception may pass.
borrowed_vm::borrowed_vm(const profile& made_with, outcome& why) {
    try {
        if (thread_vms* const t = here.get()) {
            vm_ = borrow(*t, made_with, why);
            return;
        }
    } catch (const std::bad_alloc&) {
        add(counted().unmade, 1);
    }
    say_no_memory(why);
}

borrowed_vm::~borrowed_vm() {
    if (vm_ != nullptr) --here.get()->depth;
}

}  // namespace kumihimo::inline v0::mruby
