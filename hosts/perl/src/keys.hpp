// The keys seen lately, as Perl's shared keys, so that a thousand records with the same eight keys ask Perl's table eight
// times.
//
// Direct-mapped; a collision replaces. A slot has the key's bytes beside the HEK, so that a hit touches one cache line, and
// knows which key came next the last time: in records of one shape that is the next key again, found without a hash.
#pragma once
#include "engine/core/key_table.hpp"
#include "guard.hpp"

namespace kumihimo::inline v0::perl {

class key_cache {
public:
    key_cache() = default;
    key_cache(const key_cache&) = delete;
    key_cache& operator=(const key_cache&) = delete;

    /// A document begins: keys that are handed out from here on live at least until its last mortal is freed.
    void begin() noexcept { ++document_; }

    /// The shared key of n ASCII bytes. Not counted: it lives as long as the cache keeps it, and at least as long as the
    /// mortals of the statement that is running.
    [[gnu::always_inline]] HEK* get(pTHX_ const char* p, std::size_t n) {
        slot* s = table_.guess(p, n);
        if (s == nullptr) [[unlikely]]
            s = look_up(aTHX_ p, n);
        if (s == nullptr) [[unlikely]]
            return SvSHARED_HEK_FROM_PV(SvPVX_const(sv_2mortal(newSVpvn_share(p, static_cast<I32>(n), 0))));
        s->made.document = document_;
        return s->made.key;
    }
    void clear(pTHX);

private:
    struct key {
        HEK* key = nullptr;
        SV* keeps = nullptr;
        std::uint32_t document = 0;
    };
    using table = key_table<key, 10, 37>;
    using slot = table::slot;

    [[gnu::noinline]] slot* look_up(pTHX_ const char* p, std::size_t n) {
        if (n > table::longest || n == 0) return nullptr;
        slot* const s = table_.place(p, n);
        if (!s->is(p, n)) {
            SV* const made = newSVpvn_share(p, static_cast<I32>(n), 0);
            if (s->made.keeps != nullptr) {
                // One that this document may hold still goes with the statement.
                if (s->made.document == document_)
                    sv_2mortal(s->made.keeps);
                else
                    SvREFCNT_dec_NN(s->made.keeps);
            }
            s->made = {SvSHARED_HEK_FROM_PV(SvPVX_const(made)), made, document_};
            s->take(p, n);
        }
        table_.came(s);
        return s;
    }

    table table_;
    std::uint32_t document_ = 0;
};

}  // namespace kumihimo::inline v0::perl
