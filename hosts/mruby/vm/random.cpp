#include "random.hpp"

#include <pthread.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "deadline.hpp"
#include "thread_specific.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// Children of fork() have their parent's supply, which is then nobody's.
std::atomic<unsigned> forks{0};
const int told_of_forks = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });

// A system that refuses getrandom (seccomp): no secret, but no two alike.
void make_do(random_state* to, std::size_t n) noexcept {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    auto x = static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
    x ^= (reinterpret_cast<std::uintptr_t>(to) << 20) ^ (static_cast<std::uint64_t>(getpid()) << 40);
    for (; n != 0; --n, ++to) {
        for (std::uint32_t& w : to->word) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            w = static_cast<std::uint32_t>(x >> 32) | 1u;
        }
    }
}

void choose(random_state* to, std::size_t n) noexcept {
    auto* const bytes = reinterpret_cast<unsigned char*>(to);
    for (std::size_t have = 0; have < n * sizeof *to;) {
        const ssize_t got = getrandom(bytes + have, n * sizeof *to - have, 0);
        if (got > 0)
            have += static_cast<std::size_t>(got);
        else if (got == 0 || errno != EINTR)
            return make_do(to, n);
    }
    for (; n != 0; --n, ++to) {
        // The only state from which all numbers are zero.
        if ((to->word[0] | to->word[1] | to->word[2] | to->word[3]) == 0) to->word[0] = 1;
    }
}

class supply {
public:
    void take(random_state& to) noexcept {
        const unsigned now = forks.load(std::memory_order_relaxed);
        if (next_ == count || chosen_after_ != now) {
            choose(states_, count);
            chosen_after_ = now;
            next_ = 0;
        }
        to = states_[next_];
        // What was given away is not to be read from this memory later.
        states_[next_++] = {};
    }

private:
    static constexpr unsigned count = 64;
    random_state states_[count] = {};
    unsigned next_ = count;
    unsigned chosen_after_ = 0;
};

mrb_sym random_symbol(mrb_state* mrb) { return mrb_intern_lit(mrb, "Random"); }

// mruby's own, the same in every VM of the process.
std::atomic<mrb_func_t> own_initialize{nullptr};

mrb_value initialize(mrb_state* mrb, mrb_value self) {
    if (mrb_get_argc(mrb) != 0) return own_initialize.load(std::memory_order_relaxed)(mrb, self);
    if (mrb_type(self) != MRB_TT_ISTRUCT) mrb_raise(mrb, E_TYPE_ERROR, "no Random");
    seed(random_state_of(self));
    return self;
}

}  // namespace

void seed(random_state& to) noexcept {
    random_state made;
    {
        const host_section section;
        static constinit thread_local thread_specific_ptr<supply> mine;
        if (supply* const s = mine.get(); s != nullptr)
            s->take(made);
        else
            choose(&made, 1);
    }
    to = made;
}

void define_random(mrb_state* mrb) {
    if (!mrb_class_defined(mrb, "Random")) return;
    RClass* const random = mrb_class_get(mrb, "Random");
    RClass* found_in = random;
    const mrb_method_t m = mrb_method_search_vm(mrb, &found_in, mrb_intern_lit(mrb, "initialize"));
    if (found_in != random || MRB_METHOD_UNDEF_P(m) || !MRB_METHOD_CFUNC_P(m)) return;
    own_initialize.store(MRB_METHOD_CFUNC(m), std::memory_order_relaxed);
    mrb_define_method(mrb, random, "initialize", initialize, MRB_ARGS_OPT(1));
    if (random_state* const now = renew_default_random(mrb); now != nullptr) seed(*now);
}

random_state* renew_default_random(mrb_state* mrb) {
    const mrb_value object = mrb_obj_value(mrb->object_class), name = mrb_symbol_value(random_symbol(mrb));
    if (!mrb_const_defined(mrb, object, mrb_symbol(name))) return nullptr;
    const mrb_value random = mrb_const_get(mrb, object, mrb_symbol(name));
    if (!mrb_class_p(random) || MRB_INSTANCE_TT(mrb_class_ptr(random)) != MRB_TT_ISTRUCT) return nullptr;
    const mrb_sym of_all = mrb_intern_cstr(mrb, release::default_random);
    const mrb_value before = mrb_iv_get(mrb, random, of_all);
    if (mrb_type(before) != MRB_TT_ISTRUCT || mrb_obj_class(mrb, before) != mrb_class_ptr(random)) return nullptr;
    if (MRB_FROZEN_P(mrb_class_ptr(random))) return &random_state_of(before);
    const mrb_value made = mrb_obj_value(mrb_obj_alloc(mrb, MRB_TT_ISTRUCT, mrb_class_ptr(random)));
    random_state_of(made) = random_state_of(before);
    mrb_iv_set(mrb, random, of_all, made);
    return &random_state_of(made);
}

}  // namespace kumihimo::inline v0::mruby
