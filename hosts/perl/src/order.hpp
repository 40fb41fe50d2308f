// The keys of a hash in order, as `sort keys` gives them.
//
// Records of one shape come by the thousand, so an order that was found is kept: for the shape, which is the set of
// its keys. Perl shares the keys of all hashes (one HEK per text), so that a set of keys is a set of pointers, and the
// table of a shape says which place a pointer takes. No text is looked at, whatever order the buckets give the keys
// in:
//
//      HE*  HE*  HE*        sum of the hash values of the keys: finds the shape
//       |    |    |         its table: HEK* -> place
//       2    0    1         list[place] = entry
//
// A shape keeps a scalar of each key, so a pointer means the same key for as long as the shape is there.
#pragma once
#include "guard.hpp"

namespace kumihimo::inline v0::perl {

class key_order {
public:
    static constexpr std::size_t most = 64;  // keys of a shape; larger hashes are sorted each time

    key_order() = default;
    key_order(const key_order&) = delete;
    key_order& operator=(const key_order&) = delete;

    /// Puts list[0, n) into the order of the keys' characters. `shared`: the hash shares its keys with others
    /// (HvSHAREKEYS).
    [[gnu::always_inline]] void sort(pTHX_ HE** list, std::size_t n, bool shared) {
        if (n > 1) sort_some(aTHX_ list, n, shared);
    }
    /// Lets go of all keys; for the end of an interpreter.
    void clear(pTHX);

    static void sort_by_text(HE** list, std::size_t n);

private:
    // Not inline: its arrays would lie in every frame of a walk.
    [[gnu::noinline]] void sort_some(pTHX_ HE** list, std::size_t n, bool shared) {
        if (!shared || n > most) return sort_by_text(list, n);
        U32 sum = static_cast<U32>(n);
        for (std::size_t i = 0; i < n; ++i) sum += HeHASH(list[i]);
        shape* const s = shapes_[sum % count];
        if (s != nullptr && s->sum == sum && s->n == n && s->apply(list)) [[likely]]
            return;
        sort_by_text(list, n);
        // One that does not come again is not worth keeping.
        if (missed_[sum % count] == sum)
            learn(aTHX_ list, n, sum);
        else
            missed_[sum % count] = sum;
    }
    struct shape {
        U32 sum;
        U32 n;
        U32 mask;
        struct place {
            HEK* key;
            std::size_t index;
            SV* keeps;
        };
        place places[1];  // mask + 1 of them, at most half full

        [[gnu::always_inline]] bool apply(HE** list) const {
            HE* sorted[most];
            for (std::size_t i = 0; i < n; ++i) {
                HEK* const key = HeKEY_hek(list[i]);
                std::size_t slot = HEK_HASH(key) & mask;
                while (places[slot].key != key) {
                    if (places[slot].key == nullptr) return false;
                    slot = (slot + 1) & mask;
                }
                sorted[places[slot].index] = list[i];
            }
            // Not a memcpy: compilers make `rep movs` of it, which takes longer to start than to copy a few, and of a
            // plain loop a memcpy.
            for (std::size_t i = 0; i < n; i += 2) {
                list[i] = sorted[i];
                if (i + 1 < n) list[i + 1] = sorted[i + 1];
            }
            return true;
        }
    };
    // list is in order.
    [[gnu::noinline]] void learn(pTHX_ HE** list, std::size_t n, U32 sum);
    static void forget(pTHX_ shape* s);

    static constexpr std::size_t count = 256;
    shape* shapes_[count] = {};
    U32 missed_[count] = {};
};

}  // namespace kumihimo::inline v0::perl
