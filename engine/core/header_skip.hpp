// Over one value of a binary format by the first bytes of what is in it: nothing is built, and nothing is nested but a
// number of values that are still to come.
//
//      93 a3 61 62 63 c0 01        MessagePack; to come 1 -> 3 -> 2 -> 1 -> 0
//
// What its first bytes say is the format's own:
//
//      struct headers {
//          using reader                       asked where it must decide
//          struct levels                      what an open value needs besides the count; mostly nothing
//
//          First bytes of what most documents are made of:
//          static bool text(unsigned c)       a text whose length is in the low five bits
//          static bool float64(unsigned c)    a double in the next eight bytes
//          static bool alone(unsigned c)      a value of this byte alone
//          static bool array(unsigned c)      an array with its count
//          static bool map(unsigned c)        a map with its count
//          static unsigned count(unsigned c)  of one of these two
//
//          template <bool Strict>             everything else
//          static skipped other(skip_walk&, mold_run&, skip_rest<levels>&, unsigned c)
//      };
//
// Text, array and map are told by ranges, and not by one table of kinds: branches can be foretold, and then the walk
// need not wait for a byte to know where the next one is.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/core/context.hpp"
#include "engine/core/mold.hpp"
#include "engine/core/null.hpp"

namespace kumihimo::inline v0 {

/// What came of a header that the walk left to its format.
enum class skipped : std::uint8_t {
    passed,
    refused,  // the bytes end inside, or begin nothing
    unsure,   // the reader shall say it of the whole value
};

/// A walk under way. A format's other() moves p behind the header and the payload at p, and counts what is in it.
/// These are in registers, so no function that is not inlined may see their addresses; `skip_rest` has what may lie in
/// memory.
struct skip_walk {
    const unsigned char* p;
    const unsigned char* e;
    std::uint64_t to_come = 1;    // values
    std::size_t opened = 0;       // containers so far
    std::size_t header_size = 1;  // of the header that was passed last
    std::uint64_t array = 0;      // elements of the array that it opened

    std::size_t left() const noexcept { return static_cast<std::size_t>(e - p); }
};

template <class Levels>
struct skip_rest {
    bool& starved;      // memory was out
    std::size_t depth;  // containers that may be open; for a strict walk
    Levels levels{};
};

template <class F>
class header_skip {
public:
    /// The byte behind the value at p. nullptr: [p, e) ends inside it, or a byte in it begins nothing. `known`: forms
    /// of elements that earlier calls have met; one for skip(), one for pass(). `starved` is set where memory was out
    /// instead.
    static const unsigned char* skip(const unsigned char* p, const unsigned char* e, molds& known, bool& starved) noexcept {
        return over<false>(p, e, 0, known, starved);
    }

    /// The same for a value that the reader takes, with as many containers open in it at most. nullptr: it does not,
    /// and knows why.
    static const unsigned char* pass(const unsigned char* p, const unsigned char* e, std::size_t depth, molds& known,
                                     bool& starved) noexcept {
        return over<true>(p, e, depth, known, starved);
    }

    /// What the reader says of the value at p.
    [[gnu::cold, gnu::noinline]] static const unsigned char* read(const unsigned char* p, const unsigned char* e,
                                                                  std::size_t depth, bool& starved) noexcept {
        context ctx;
        ctx.limits.depth = depth;
        ctx.limits.size = static_cast<std::size_t>(-1);
        null_sink nobody;
        typename F::reader from({p, e}, ctx);
        const errc code = from.next(nobody);
        starved = starved || code == errc::memory;
        return code == errc::ok ? p + from.position() : nullptr;
    }

private:
    template <bool Strict>
    static const unsigned char* over(const unsigned char* p, const unsigned char* e, std::size_t depth, molds& known,
                                     bool& starved) noexcept {
        const unsigned char* const first = p;
        skip_walk walk{p, e};
        mold_run run(known);
        skip_rest<typename F::levels> rest{starved, depth};
        for (;;) {
            const unsigned char* const start = walk.p;
            if (walk.left() == 0) [[unlikely]]
                return nullptr;
            const unsigned c = *walk.p;
            walk.header_size = 1;
            walk.array = 0;
            --walk.to_come;
            if (F::text(c)) {
                const std::size_t n = c & 31;
                if (n >= walk.left()) [[unlikely]]
                    return nullptr;
                walk.p += 1 + n;
                if constexpr (Strict) {
                    if (!F::valid(start + 1, n)) [[unlikely]]
                        return nullptr;
                    run.text(start + 1, n);
                }
            } else if (F::float64(c)) {
                if (walk.left() < 9) [[unlikely]]
                    return nullptr;
                walk.p += 9;
            } else if (F::alone(c)) {
                ++walk.p;
            } else if (F::array(c)) {
                ++walk.p;
                ++walk.opened;
                walk.to_come += walk.array = F::count(c);
            } else if (F::map(c)) {
                ++walk.p;
                ++walk.opened;
                walk.to_come += 2 * F::count(c);
            } else {
                const skipped what = F::template other<Strict>(walk, run, rest, c);
                if (what == skipped::unsure) return read(first, e, depth, starved);
                if (what == skipped::refused) [[unlikely]]
                    return nullptr;
            }

            if (walk.array >= mold_run::several)
                run.array(walk.array, walk.p, e, walk.to_come, walk.opened);
            else if (run.on())
                run.item(start, walk.header_size, walk.p, e, walk.to_come, walk.opened);
            if (walk.to_come == 0) break;
        }
        // No deeper than there are containers; more of them are seldom, and the reader counts exactly.
        if (Strict && walk.opened > depth) return read(first, e, depth, starved);
        return walk.p;
    }
};

}  // namespace kumihimo::inline v0
