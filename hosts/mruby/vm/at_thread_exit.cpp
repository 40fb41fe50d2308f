#include "at_thread_exit.hpp"

#include <pthread.h>

#include <utility>

#include "stay_loaded.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

thread_local at_thread_exit* last_registered = nullptr;

}  // namespace

void at_thread_exit::call_all() noexcept {
    while (last_registered != nullptr) {
        at_thread_exit* const one = std::exchange(last_registered, last_registered->next_);
        one->registered_ = false;
        one->thread_exits();
    }
}

bool at_thread_exit::register_exit() noexcept {
    if (registered_) return true;
    static const std::pair<bool, pthread_key_t> key = [] {
        pthread_key_t made = 0;
        const bool is_made = stay_loaded() && pthread_key_create(&made, [](void*) { call_all(); }) == 0;
        return std::pair(is_made, made);
    }();
    if (!key.first || pthread_setspecific(key.second, this) != 0) return false;
    next_ = last_registered;
    last_registered = this;
    registered_ = true;
    return true;
}

}  // namespace kumihimo::inline v0::mruby
