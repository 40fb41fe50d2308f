// The open containers of the exact reader, in memory that Perl frees when it jumps.
#pragma once
#include "guard.hpp"

namespace kumihimo::inline v0::perl {

class exact_frames {
public:
    enum class kind : std::uint8_t { array, object, tag, tagged };
    struct frame {
        kind is;
        HV* keys;   // object: those that came, where that matters
        AV* list;   // object: the values of the key that came last, where repeated ones are gathered
        SV* tag;    // tagged: the class
        SV* types;  // the AV or HV of the types of what is inside, where they are asked for
    };

    explicit exact_frames(pTHX) : begin_(here_), at_(here_), limit_(here_ + room) { PERL_UNUSED_CONTEXT; }
    exact_frames(const exact_frames&) = delete;
    exact_frames& operator=(const exact_frames&) = delete;

    bool empty() const noexcept { return at_ == begin_; }
    frame& top() noexcept { return at_[-1]; }
    frame& add(pTHX_ kind is);
    void drop(pTHX) noexcept;
    /// Keeps `sv` (counted) until the frame on top is dropped.
    void keep(pTHX_ SV* sv);

private:
    static constexpr std::size_t room = 32;
    frame* begin_;
    frame* at_;
    frame* limit_;
    SV* memory_ = nullptr;  // mortal; null while the frames are here_
    AV* kept_ = nullptr;    // mortal
    frame here_[room];
};

}  // namespace kumihimo::inline v0::perl
