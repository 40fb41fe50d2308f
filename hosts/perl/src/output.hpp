// A Perl scalar as the writer's buffer, so that the finished document is not copied.
//
//      here_ (on the machine stack)  --  full -->  a mortal scalar, grown in place  --  take()  -->  the caller's
//
// A small document never leaves `here_` before its scalar is made in one go. Nothing here has a destructor: when Perl
// jumps, the mortal is freed with the statement it was made in.
#pragma once
#include <cstddef>
#include <cstring>

#include "engine/core/buffer.hpp"
#include "engine/core/large.hpp"
#include "interpreter.hpp"

namespace kumihimo::inline v0::perl {

class scalar_output {
public:
    /// `here` has n bytes and outlives this object.
    scalar_output(pTHX_ char* here, std::size_t n) noexcept : begin_(here), at_(here), limit_(here + n) {
#ifdef MULTIPLICITY
        my_perl_ = aTHX;
#endif
    }
    scalar_output(const scalar_output&) = delete;
    scalar_output& operator=(const scalar_output&) = delete;

    /// Croaks when memory is out; never null.
    char* reserve(std::size_t n) {
        if (static_cast<std::size_t>(limit_ - at_) < n) [[unlikely]]
            grow(n);
        return at_;
    }
    [[noreturn]] static void out_of_memory() {
        dTHX;
        Perl_croak(aTHX_ "the document is larger than memory");
        abort();
    }
    void commit(char* p) noexcept { at_ = p; }
    const char* data() const noexcept { return begin_; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
    void rewind(std::size_t size) noexcept { at_ = begin_ + size; }
    void clear() noexcept { at_ = begin_; }

    /// The scalar, mortal. What follows must not write any more.
    SV* take() {
#ifdef MULTIPLICITY
        PerlInterpreter* const my_perl = my_perl_;
#endif
        if (scalar_ == nullptr) return sv_2mortal(newSVpvn(begin_, size()));
        *reserve(1) = '\0';
        SvCUR_set(scalar_, size());
        SvPOK_only(scalar_);
        // The next one is often as large; a burst reserves an eighth more than it writes.
        interpreter::here(aTHX).last_size = std::min(size() + size() / 6 + 1024, most_at_once);
        // A scalar keeps what it has reserved for as long as it lives; a quarter too much is given back.
        const auto capacity = static_cast<std::size_t>(limit_ - begin_);
        const std::size_t spare = static_cast<std::size_t>(limit_ - at_);
        const std::size_t used = size();
        // malloc must have seen freed what the next one asks for, not what is left of this one; and twice that, since
        // it gives memory back to the system from twice that size on, and a caller has the last document while the
        // next is written.
        was_shrunk(begin_, std::min(capacity * 2, most_at_once), used);
        if (spare > used / 4 + 64) SvPV_renew(scalar_, used + 2);
        return scalar_;
    }

private:
    [[gnu::cold, gnu::noinline]] void grow(std::size_t n) {
#ifdef MULTIPLICITY
        PerlInterpreter* const my_perl = my_perl_;
#endif
        const std::size_t used = size();
        const auto capacity = static_cast<std::size_t>(limit_ - begin_);
        std::size_t want = capacity * (capacity < 65536 ? 8 : 2);
        if (n > want / 2) want += n;
        // Room for as much as last time, at once: malloc maps and unmaps a large buffer for each document that grows
        // and gives back, since it keeps memory only for sizes that it has seen freed. The faults of fresh pages were
        // a fifth of encoding citm_catalog.json.
        if (scalar_ != nullptr) want = std::max(want, interpreter::here(aTHX).last_size);
        if (want < n || want > static_cast<std::size_t>(-1) / 2) out_of_memory();
        if (scalar_ == nullptr) {
            SV* const made = sv_2mortal(newSV(want));
            std::memcpy(SvPVX(made), begin_, used);
            scalar_ = made;
        } else {
            SvCUR_set(scalar_, used);
            SvGROW(scalar_, want);
        }
        begin_ = SvPVX(scalar_);
        at_ = begin_ + used;
        limit_ = begin_ + want;
    }

    // Of a larger request glibc makes a mapping of its own in any case, with a fault for each of its pages.
    static constexpr std::size_t most_at_once = (std::size_t{31} << 20);
    char* begin_;
    char* at_;
    char* limit_;
    SV* scalar_ = nullptr;
#ifdef MULTIPLICITY
    PerlInterpreter* my_perl_;
#endif
};
static_assert(output<scalar_output> && std::is_trivially_destructible_v<scalar_output>);

}  // namespace kumihimo::inline v0::perl
