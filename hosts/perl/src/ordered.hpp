// Hashes that keep the order in which keys were put in: tied, with the methods in C++ and the parts plain Perl values, so that
// they are freed, copied to threads and cloned as such.
//
//      %$json  --tied-->  blessed array   [ \%data, place, stale, "first key", "second key", ... ]
//
// %data has the values; the array, from its fourth element on, the order. A deleted key stays in the array until the next new
// key or iteration (`stale`): then all that are gone go at once. `place` is where `each` stands.
#pragma once
#include "guard.hpp"

namespace kumihimo::inline v0::perl {

class ordered_hash {
public:
    /// Whether a hash is one of these.
    static bool is(pTHX_ HV* hv) { return object_of(aTHX_ hv) != nullptr; }
    explicit ordered_hash(pTHX_ HV* hv) : ordered_hash(object_of(aTHX_ hv)) {}
    explicit ordered_hash(AV* object) : object_(object), data_(reinterpret_cast<HV*>(SvRV(AvARRAY(object)[0]))) {}

    /// A reference to a new tied hash, counted. Takes over one count of `data` and of what is in `keys` (which are n, all
    /// different and all in `data`).
    static SV* make(pTHX_ HV* data, SV** keys, std::size_t n);
    /// The blessed array alone.
    static AV* make_object(pTHX_ HV* data, HV* stash);

    HV* data() const noexcept { return data_; }
    /// The keys in order, none of them deleted.
    std::size_t size(pTHX) {
        drop_deleted(aTHX);
        return static_cast<std::size_t>(AvFILLp(object_) + 1 - first);
    }
    SV* key(std::size_t i) const { return AvARRAY(object_)[first + static_cast<SSize_t>(i)]; }
    SV* value(pTHX_ SV* key) const {
        HE* const he = hv_fetch_ent(data_, key, 0, 0);
        return he != nullptr ? HeVAL(he) : nullptr;
    }

    void store(pTHX_ SV* key, SV* value);
    /// What was there, mortal, or null.
    SV* remove(pTHX_ SV* key);
    void clear(pTHX);
    /// The next key of an iteration, or null; `again`: from the first on.
    SV* next(pTHX_ bool again);

private:
    static constexpr SSize_t first = 3;
    static AV* object_of(pTHX_ HV* hv);
    IV number(SSize_t i) const { return AvARRAY(object_)[i] != nullptr ? SvIVX(AvARRAY(object_)[i]) : 0; }
    void set_number(pTHX_ SSize_t i, IV n) {
        if (AvARRAY(object_)[i] == nullptr) AvARRAY(object_)[i] = newSViv(0);
        sv_setiv(AvARRAY(object_)[i], n);
    }
    void drop_deleted(pTHX);

    AV* object_;
    HV* data_;
};

/// Whether a blessed array has the form above: a program may have made it.
bool is_ordered_object(SV* object);

void init_ordered(pTHX);

}  // namespace kumihimo::inline v0::perl
