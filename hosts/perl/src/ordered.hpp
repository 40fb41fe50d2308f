// Hashes that keep the order in which keys were put in: tied, with the methods in C++ and the parts plain Perl values,
// so that they are freed, copied to threads and cloned as such.
//
//      %$json  --tied-->  blessed array   [ \%data, place, \%places, "first key", "second key", ... ]
//
// %data has the values; the array, from its fourth element on, the order. `place` is where `each` stands. What follows
// is for deleting, which must not look at every key:
//
//      "a"  gone -> 4  gone  gone  "e"      the key's element becomes a gap: nothing, or, where an iteration has passed a gap
//       0       1       2     3     4       of several, a reference to the number of the next key
//
// %places, made when a key of a large hash is deleted, says where each key is. When more than half of the array are
// gaps they are closed, and %places is forgotten.
#pragma once
#include "guard.hpp"

namespace kumihimo::inline v0::perl {

class ordered_hash {
public:
    /// Whether a hash is one of these.
    static bool is(pTHX_ HV* hv) { return object_of(aTHX_ hv) != nullptr; }
    explicit ordered_hash(pTHX_ HV* hv) : ordered_hash(object_of(aTHX_ hv)) {}
    explicit ordered_hash(AV* object) : object_(object), data_(reinterpret_cast<HV*>(SvRV(AvARRAY(object)[0]))) {}

    /// A reference to a new tied hash, counted. Takes over one count of `data` and of what is in `keys` (which are n,
    /// all different and all in `data`).
    static SV* make(pTHX_ HV* data, SV** keys, std::size_t n);
    /// The blessed array alone.
    static AV* make_object(pTHX_ HV* data, HV* stash);

    HV* data() const noexcept { return data_; }
    /// How many keys there are; key(i) gives them, in order, until something is stored or removed.
    std::size_t size(pTHX) {
        close_gaps(aTHX);
        return static_cast<std::size_t>(count());
    }
    SV* key(std::size_t i) const { return AvARRAY(object_)[first + static_cast<SSize_t>(i)]; }
    SV* value(pTHX_ SV* key) const {
        HE* const he = hv_fetch_ent(data_, key, 0, 0);
        return he != nullptr ? HeVAL(he) : nullptr;
    }

    /// Takes over one count of `value`, which must be held by nobody else. Like all that take a key: it is plain text,
    /// so that no Perl code runs.
    void store(pTHX_ SV* key, SV* value);
    /// What was there, mortal, or null.
    SV* remove(pTHX_ SV* key);
    void clear(pTHX);
    /// The next key of an iteration, or null; `again`: from the first on.
    SV* next(pTHX_ bool again);

private:
    static constexpr SSize_t first = 3;
    /// So many keys are compared one by one rather than found in %places, and so many gaps may stay.
    static constexpr SSize_t few = 16;

    static AV* object_of(pTHX_ HV* hv);
    /// Keys and gaps.
    SSize_t count() const { return AvFILLp(object_) + 1 - first; }
    SV*& slot(SSize_t i) const { return AvARRAY(object_)[first + i]; }
    SSize_t place() const {
        return AvARRAY(object_)[1] != nullptr && SvIOK(AvARRAY(object_)[1]) ? SvIVX(AvARRAY(object_)[1]) : 0;
    }
    void set_place(pTHX_ SSize_t i) {
        if (AvARRAY(object_)[1] == nullptr) AvARRAY(object_)[1] = newSViv(0);
        sv_setiv(AvARRAY(object_)[1], i);
    }
    HV* places() const;
    void forget_places(pTHX);
    SSize_t find(pTHX_ SV* key);
    SSize_t key_from(pTHX_ SSize_t i);
    void close_gaps(pTHX);

    AV* object_;
    HV* data_;
};

/// Whether a blessed array has the form above: a program may have made it.
bool is_ordered_object(SV* object);

void init_ordered(pTHX);

}  // namespace kumihimo::inline v0::perl
