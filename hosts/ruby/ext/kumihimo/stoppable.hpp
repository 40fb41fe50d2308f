// A tape's recorder that can be told to stop: errc::host. Where a document is long, one of these verbs comes often.
#pragma once
#include <atomic>

#include "engine/tape/tape.hpp"

namespace kumihimo::inline v0::ruby {

inline const std::atomic<bool> never{false};

class stoppable : public tape::recorder {
public:
    using recorder::recorder;
    /// For one document: `stop` must live as long as that is read.
    void heed(const std::atomic<bool>& stop) noexcept { stop_ = &stop; }

    errc null() { return over() ? errc::host : recorder::null(); }
    errc boolean(bool b) { return over() ? errc::host : recorder::boolean(b); }
    errc i64(std::int64_t n) { return over() ? errc::host : recorder::i64(n); }
    errc f64(double x) { return over() ? errc::host : recorder::f64(x); }
    errc big(text t) { return over() ? errc::host : recorder::big(t); }
    errc str(text t) { return over() ? errc::host : recorder::str(t); }
    errc end() { return over() ? errc::host : recorder::end(); }

private:
    bool over() const noexcept { return stop_->load(std::memory_order_relaxed); }
    const std::atomic<bool>* stop_ = &never;
};

}  // namespace kumihimo::inline v0::ruby
