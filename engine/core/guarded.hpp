// How a host lets the engine call its sinks where a call may end by a longjmp: work(f) runs f, and says whether f came
// to its end. What has a destructor stands outside of f.
#pragma once
#include <utility>

namespace kumihimo::inline v0 {

/// For sinks that always return.
struct unguarded {
    template <class F>
    bool operator()(F&& f) const {
        std::forward<F>(f)();
        return true;
    }
};

}  // namespace kumihimo::inline v0
