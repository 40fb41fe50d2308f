#include "exact_frames.hpp"

namespace kumihimo::inline v0::perl {

exact_frames::frame& exact_frames::add(pTHX_ kind is) {
    if (at_ == limit_) {
        const auto used = static_cast<std::size_t>(at_ - begin_);
        if (used > static_cast<std::size_t>(-1) / 4 / sizeof(frame)) Perl_croak(aTHX_ "the text is nested deeper than memory");
        if (memory_ == nullptr) {
            memory_ = sv_2mortal(newSV(used * 2 * sizeof(frame)));
            std::memcpy(SvPVX(memory_), here_, sizeof here_);
        } else {
            SvCUR_set(memory_, used * sizeof(frame));  // what is kept where the memory moves
            SvGROW(memory_, used * 2 * sizeof(frame));
        }
        begin_ = reinterpret_cast<frame*>(SvPVX(memory_));
        at_ = begin_ + used;
        limit_ = begin_ + used * 2;
    }
    *at_ = {is, nullptr, nullptr, nullptr, nullptr};
    return *at_++;
}

void exact_frames::drop(pTHX) noexcept {
    const frame& f = *--at_;
    if (f.keys != nullptr || f.tag != nullptr) SvREFCNT_dec(av_pop(kept_));
}

void exact_frames::keep(pTHX_ SV* sv) {
    if (kept_ == nullptr) kept_ = reinterpret_cast<AV*>(sv_2mortal(reinterpret_cast<SV*>(newAV())));
    av_push(kept_, sv);
}

}  // namespace kumihimo::inline v0::perl
