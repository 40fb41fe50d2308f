// What the frames have in common, whatever library does the work. A frame's file declares the library's functions
//
//      struct functions {
//          static constexpr library which               as tests name it
//          static constexpr const char* missing         the sentence that says what to install
//          static constexpr const char* no_memory       and the one for a library that got none
//          bool there                                   whether all functions were found; the constructor looks for them
//      };
//
// and derives its expander and its compressor from over<..., functions>.
#pragma once
#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "engine/frame/library.hpp"

namespace kumihimo::inline v0::frame {

/// The library's functions, looked for at the first call; nullptr: it is missing.
template <class Functions>
const Functions* loaded() noexcept {
    static const Functions f;
    return f.there && !pretended_missing(Functions::which) ? &f : nullptr;
}

/// An expander or a compressor by these functions.
template <class Base, class Functions>
class over : public Base {
public:
    using functions = Functions;
    explicit over(const Functions& f) noexcept : f_(f) {}
    over(const over&) = delete;
    over& operator=(const over&) = delete;
    bool ready = false;  // the constructor got what it needs from the library

protected:
    const Functions& f_;
};

/// A new T, which is an over<>; nullptr, and the code with its sentence, where the library or memory is missing.
template <class T, class... A>
std::unique_ptr<T> make(errc& code, const char*& what, A&&... arguments) noexcept {
    using functions = typename T::functions;
    const functions* const f = loaded<functions>();
    if (f == nullptr) {
        code = errc::unsupported;
        what = functions::missing;
        return nullptr;
    }
    std::unique_ptr<T> made(new (std::nothrow) T(*f, std::forward<A>(arguments)...));
    if (made && made->ready) return made;
    code = errc::memory;
    what = functions::no_memory;
    return nullptr;
}

/// Room for what a call to a compressor gives, when so many bytes are left to be packed. Should it be too little, one
/// calls again.
constexpr std::size_t usual_room(std::size_t left) noexcept {
    return std::clamp<std::size_t>(left / 4, 1024, std::size_t{1} << 20);
}

/// Appends what fill(to, room) writes; it returns how many bytes those are. room is `want` or more.
template <class Fill>
errc append(buffer& out, std::size_t want, const char*& what, Fill&& fill) noexcept {
    char* const to = out.reserve(want);
    if (to == nullptr) {
        what = "out of memory";
        return errc::memory;
    }
    out.commit(to + fill(to, out.capacity() - out.size()));
    return errc::ok;
}

/// Appends a whole member, of `bound` bytes at most. False, and nothing is appended: fill() returned 0, or memory is
/// out.
template <class Fill>
bool append_member(buffer& out, std::size_t bound, Fill&& fill) noexcept {
    char* const to = out.reserve(bound);
    const std::size_t n = to == nullptr ? 0 : fill(to);
    if (n != 0) out.commit(to + n);
    return n != 0;
}

/// Whether a member with this magic number begins here, or a frame that is to be skipped.
inline codec::match begins_or_skippable(bytes head, std::span<const unsigned char> magic) noexcept {
    const codec::match is = begins_with(head, magic);
    return is == codec::match::no ? skippable(head) : is;
}

}  // namespace kumihimo::inline v0::frame
