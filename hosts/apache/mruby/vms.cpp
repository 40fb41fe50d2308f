#include "vm.hpp"

#include <array>

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
        if (made < borrowed_vm::most_of_thread && counted().vms < borrowed_vm::most_of_process) return;
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

}  // namespace

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
        t.make_room();
        mine.made = vm::make(as, why);
        if (mine.made != nullptr) ++t.made;
    }
    mine.used = ++t.now;
    vm_ = mine.made.get();
    if (vm_ != nullptr) ++t.depth;
}

borrowed_vm::~borrowed_vm() {
    if (vm_ != nullptr) --here.get()->depth;
}

}  // namespace kumihimo::inline v0::mruby
