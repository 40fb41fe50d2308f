#include "thread_end.hpp"

#include <pthread.h>

#include <utility>

namespace kumihimo::inline v0::mruby {
namespace {

thread_local thread_end* first = nullptr;

}  // namespace

void thread_end::all() noexcept {
    while (first != nullptr) {
        thread_end* const one = std::exchange(first, first->next_);
        one->added_ = false;
        one->call_(*one);
    }
}

bool thread_end::add() noexcept {
    if (added_) return true;
    static const std::pair<bool, pthread_key_t> key = [] {
        pthread_key_t made = 0;
        const bool is_made = pthread_key_create(&made, [](void*) { all(); }) == 0;
        return std::pair(is_made, made);
    }();
    if (!key.first || pthread_setspecific(key.second, this) != 0) return false;
    next_ = first;
    first = this;
    added_ = true;
    return true;
}

}  // namespace kumihimo::inline v0::mruby
