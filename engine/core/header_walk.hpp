// Where documents of a binary format end in a run of them, one behind the other, by a look at each header. Resumable,
// wherever the cut between two chunks falls. What a header says is the format's own: its walk derives from this one
// and has
//
//      std::size_t step(const unsigned char* p, const unsigned char* e)
//
// which takes the header at p and returns its size, or 0 where the bytes end inside it. It leaves in `payload` how
// many bytes follow that are no headers, and in `done` whether nothing comes behind these. No header is longer than
// `longest`.
//
//      boundary state;
//      std::size_t n = state.next(chunk, size);       n bytes of the chunk belong to the current document
//      if (state.complete) { ...document...; state = {}; chunk += n; }
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kumihimo::inline v0 {

template <class Walk, std::size_t longest>
class header_walk {
public:
    /// Continues in the next chunk. Returns how many of its bytes belong to the current document: all of them unless
    /// `complete`.
    std::size_t next(const char* data, std::size_t size) noexcept {
        const auto* const begin = reinterpret_cast<const unsigned char*>(data);
        const unsigned char* const end = begin + size;
        const unsigned char* p = begin;
        complete = false;
        begun_ = begun_ || size != 0;
        for (;;) {
            const std::uint64_t here = std::min(payload, static_cast<std::uint64_t>(end - p));
            p += here;
            payload -= here;
            if (payload != 0) return size;
            if (done) {
                complete = true;
                return static_cast<std::size_t>(p - begin);
            }
            if (p == end) return size;
            // The header that the last chunk cut, with as much of this one as it can need.
            unsigned char whole[2 * longest];
            const unsigned char* from = p;
            const unsigned char* until = end;
            if (cut_ != 0) [[unlikely]] {
                const auto more = static_cast<std::size_t>(std::min<std::ptrdiff_t>(end - p, longest));
                std::memcpy(whole, beginning_, cut_);
                std::memcpy(whole + cut_, p, more);
                from = whole;
                until = whole + cut_ + more;
            }
            const std::size_t used = static_cast<Walk*>(this)->step(from, until);
            if (used == 0) {
                const auto n = static_cast<std::size_t>(until - from);
                std::memcpy(beginning_, from, n);
                cut_ = static_cast<std::uint8_t>(n);
                return size;
            }
            p += used - cut_;
            cut_ = 0;
        }
    }

    /// Whether anything was seen since the state was made.
    bool started() const noexcept { return begun_; }

    bool complete = false;

protected:
    std::uint64_t payload = 0;  // bytes of the last piece that are not seen yet
    bool done = false;          // but for the payload

private:
    bool begun_ = false;
    std::uint8_t cut_ = 0;  // bytes in `beginning_`
    unsigned char beginning_[longest] = {};
};

}  // namespace kumihimo::inline v0
