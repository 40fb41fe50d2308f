// New scalars, and entries into new hashes, without the calls that Perl's general functions make of them.
//
//      a scalar is a head (24 bytes: body, counts, flags, value) out of Perl's free list; integers, floats and references need
//      no more; a string has a body (lengths) and a buffer
//
// From 5.36 on perl has these steps as inline functions of its headers. How an entry comes into a hash is known of
// 5.36 and 5.40, whose hashes are laid out alike; elsewhere (and with KUMIHIMO_NO_INTERNALS) hv_store_ent does it,
// slower.
#pragma once
#include <cstring>

#include "guard.hpp"

#if ((PERL_REVISION == 5 && PERL_VERSION == 36) || (PERL_REVISION == 5 && PERL_VERSION == 40)) && \
    defined(PERL_HASH_RANDOMIZE_KEYS) && !defined(PURIFY) && !defined(KUMIHIMO_NO_INTERNALS)
#define KUMIHIMO_KNOWN_HASH 1
#endif

namespace kumihimo::inline v0::perl {

[[gnu::always_inline]] inline SV* new_undef(pTHX) { return newSV_type(SVt_NULL); }

[[gnu::always_inline]] inline SV* new_integer(pTHX_ IV n) {
#if PERL_VERSION_GE(5, 36, 0)
    SV* const sv = newSV_type(SVt_IV);
    SvIV_set(sv, n);
    SvIOK_on(sv);
    return sv;
#else
    return newSViv(n);
#endif
}

[[gnu::always_inline]] inline SV* new_number(pTHX_ NV x) {
#if PERL_VERSION_GE(5, 36, 0)
    SV* const sv = newSV_type(SVt_NV);
    SvNV_set(sv, x);
    SvNOK_on(sv);
    return sv;
#else
    return newSVnv(x);
#endif
}

/// A reference that takes over one count of its target.
[[gnu::always_inline]] inline SV* new_reference(pTHX_ SV* target) {
#if PERL_VERSION_GE(5, 36, 0)
    SV* const sv = newSV_type(SVt_IV);
    SvRV_set(sv, target);
    SvROK_on(sv);
    return sv;
#else
    return newRV_noinc(target);
#endif
}

[[gnu::always_inline]] inline SV* new_string(pTHX_ const char* p, std::size_t n, bool utf8) {
#if PERL_VERSION_GE(5, 36, 0)
    SV* const sv = newSV_type(SVt_PV);
    // As sv_grow would have it: at least 16, a byte for the end and one that counts who shares the buffer.
    const std::size_t room = n + 2 < 16 ? 16 : (n + 2 + 7) & ~std::size_t{7};
    char* const to = static_cast<char*>(safemalloc(room));
    std::memcpy(to, p, n);
    to[n] = '\0';
    SvPV_set(sv, to);
    SvCUR_set(sv, n);
    SvLEN_set(sv, room);
    SvFLAGS(sv) |= utf8 ? U32{SVf_POK | SVp_POK | SVf_UTF8} : U32{SVf_POK | SVp_POK};
    return sv;
#else
    SV* const sv = newSVpvn(p, n);
    if (utf8) SvUTF8_on(sv);
    return sv;
#endif
}

/// A key of hashes, shared by all that have it.
#ifdef KUMIHIMO_KNOWN_HASH
using hash_key = HEK;
#else
using hash_key = SV;
#endif

/// The key of n bytes, counted: ASCII, or (`wide`) UTF-8 with a character beyond U+00FF. Text between the two is for
/// hv_store_ent: Perl stores it as Latin-1 and notes that it came as UTF-8.
inline hash_key* make_key(pTHX_ const char* p, std::size_t n, bool wide) {
#ifdef KUMIHIMO_KNOWN_HASH
    U32 hash;
    PERL_HASH(hash, p, n);
    return Perl_share_hek(aTHX_ p, wide ? -static_cast<SSize_t>(n) : static_cast<SSize_t>(n), hash);
#else
    return newSVpvn_share(p, wide ? -static_cast<I32>(n) : static_cast<I32>(n), 0);
#endif
}
[[gnu::always_inline]] inline hash_key* counted(hash_key* key) {
#ifdef KUMIHIMO_KNOWN_HASH
    return share_hek_hek(key);
#else
    return SvREFCNT_inc_simple_NN(key);
#endif
}
/// A new scalar with the key's text.
inline SV* scalar_of_key(pTHX_ hash_key* key) {
#ifdef KUMIHIMO_KNOWN_HASH
    return newSVhek(key);
#else
    return newSVpvn_flags(SvPVX_const(key), SvCUR(key), SvUTF8(key));
#endif
}
/// Gives a count back.
inline void drop_key(pTHX_ hash_key* key) {
#ifdef KUMIHIMO_KNOWN_HASH
    Perl_unshare_hek(aTHX_ key);
#else
    SvREFCNT_dec_NN(key);
#endif
}

/// What a new hash has at first; a power of 2.
inline constexpr std::size_t least_buckets = 8;

/// Fills a hash that is new and has no other user.
class hash_filler {
public:
    /// `n` keys at most.
    hash_filler(pTHX_ HV* hv, std::size_t n) : hv_(hv) {
#ifdef MULTIPLICITY
        this->my_perl = aTHX;
#endif
#ifdef KUMIHIMO_KNOWN_HASH
        const std::size_t buckets = n <= least_buckets ? least_buckets : std::bit_ceil(n);
        HE** memory;
        Newxz(memory, PERL_HV_ARRAY_ALLOC_BYTES(buckets) / sizeof(HE*), HE*);
        HvARRAY(hv) = memory;
        HvMAX(hv) = buckets - 1;
#else
        if (n > least_buckets) hv_ksplit(hv, static_cast<IV>(n));
#endif
    }

    /// To be said before a key that is wide.
    void has_wide_keys() {
#ifdef KUMIHIMO_KNOWN_HASH
        HvHASKFLAGS_on(hv_);
#endif
    }
#ifdef KUMIHIMO_KNOWN_HASH
    /// A key of make_key's; takes over one count of it and one of the value, whose place is given. `was` is what the
    /// key had before, now the caller's, or null.
    [[gnu::always_inline]] void set(HEK* key, SV* value, SV*& was) {
        was = nullptr;
        HE** const bucket = HvARRAY(hv_) + (HEK_HASH(key) & static_cast<U32>(HvMAX(hv_)));
        HE* const first = *bucket;
        for (HE* he = first; he != nullptr; he = HeNEXT(he)) {
            if (HeKEY_hek(he) == key) [[unlikely]] {
                was = HeVAL(he);
                HeVAL(he) = value;
                Perl_unshare_hek(aTHX_ key);
                return;
            }
        }
        // The free entries are where the bodies of the type without a body would be.
        void** const root = &PL_body_roots[SVt_NULL];
        HE* const he = static_cast<HE*>(*root);
        if (he == nullptr) [[unlikely]]
            return store(key, value);
        *root = HeNEXT(he);
        HeKEY_hek(he) = key;
        HeVAL(he) = value;
        // Perl puts some keys in front and some behind the first, so that the order tells nothing about the hash
        // function.
        bool front = true;
        if (first != nullptr && PL_HASH_RAND_BITS_ENABLED) {
            PL_hash_rand_bits += static_cast<UV>(reinterpret_cast<std::uintptr_t>(he)) + 1;
            PL_hash_rand_bits = std::rotl(PL_hash_rand_bits, 1);
            front = (PL_hash_rand_bits & 1) != 0;
        }
        if (front) {
            HeNEXT(he) = first;
            *bucket = he;
        } else {
            HeNEXT(he) = HeNEXT(first);
            HeNEXT(first) = he;
        }
        HvTOTALKEYS(hv_) = HvTOTALKEYS(hv_) + 1;
    }
#endif
    /// The same for any key, as a scalar, whose count is taken over too.
    void set(SV* key, SV* value, SV*& was) {
        was = nullptr;
        if (HE* const he = hv_fetch_ent(hv_, key, 0, 0); he != nullptr) {
            was = HeVAL(he);
            HeVAL(he) = value;
        } else {
            (void)hv_store_ent(hv_, key, value, 0);
        }
        SvREFCNT_dec_NN(key);
    }

private:
#ifdef KUMIHIMO_KNOWN_HASH
    // No free entry: Perl makes an arena of them.
    [[gnu::noinline]] void store(HEK* key, SV* value) {
        hv_common(hv_, nullptr, HEK_KEY(key), static_cast<STRLEN>(HEK_LEN(key)), HEK_UTF8(key),
                  HV_FETCH_ISSTORE | HV_FETCH_JUST_SV, value, HEK_HASH(key));
        Perl_unshare_hek(aTHX_ key);
    }
#endif

#ifdef MULTIPLICITY
    PerlInterpreter* my_perl;
#endif
    HV* hv_;
};

}  // namespace kumihimo::inline v0::perl
