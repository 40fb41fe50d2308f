// Descriptors that a run has by their number alone, before an IO has them or when none ever does: what Socket._socket and
// IO.sysopen return. They are closed behind the run like what IOs hold.
#pragma once
#include "../mruby/guard.hpp"

namespace kumihimo::inline v0::mruby {

class descriptors {
public:
    /// False: there are too many.
    bool note(int number) noexcept;
    /// An IO has it, or it is closed.
    void forget(int number) noexcept;
    bool any() const noexcept { return count_ != 0; }
    void close_all() noexcept;

private:
    static constexpr int most = 1024;
    int count_ = 0;
    int number_[most];
};

/// Puts mruby's methods that give or take such numbers behind others that note it; those of IO that reach beyond the VM too.
/// Classes that are not there are left out.
void note_descriptors(mrb_state*);

}  // namespace kumihimo::inline v0::mruby
