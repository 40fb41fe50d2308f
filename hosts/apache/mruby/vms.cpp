#include "vm.hpp"

#include <array>

#include "thread_owned.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// A thread's VMs by profile. Few profiles, so they are looked for one by one.
struct thread_vms {
    struct of_profile {
        const profile* made_with;
        std::array<std::unique_ptr<vm>, borrowed_vm::most_nested> at_depth;
    };
    std::vector<of_profile> all;
    int depth = 0;  // runs within runs, of all profiles
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
    std::unique_ptr<vm>& mine = found->at_depth[static_cast<std::size_t>(t.depth)];
    if (mine == nullptr) mine = vm::make(as, why);
    vm_ = mine.get();
    if (vm_ != nullptr) ++t.depth;
}

borrowed_vm::~borrowed_vm() {
    if (vm_ != nullptr) --here.get()->depth;
}

}  // namespace kumihimo::inline v0::mruby
