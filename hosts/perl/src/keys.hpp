// The keys seen lately, as Perl's shared keys, so that a thousand records with the same eight keys ask Perl's table
// eight times.
//
// Where the inside of a hash is known (values.hpp) a key is the HEK itself, else a scalar that shares it.
#pragma once
#include "engine/core/key_table.hpp"
#include "values.hpp"

namespace kumihimo::inline v0::perl {

class key_cache {
public:
    key_cache() = default;
    key_cache(const key_cache&) = delete;
    key_cache& operator=(const key_cache&) = delete;

    /// The shared key of n bytes as make_key() has it; the caller gets one count of it.
    [[gnu::always_inline]] hash_key* get(pTHX_ const char* p, std::size_t n, bool wide) {
        if (const slot* const s = table_.guess(p, n); s != nullptr) [[likely]]
            return counted(s->made);
        return look_up(aTHX_ p, n, wide);
    }
    void clear(pTHX) {
        for (slot& s : table_.slots) {
            if (s.made != nullptr) drop_key(aTHX_ s.made);
            s = {};
        }
    }

private:
    using table = key_table<hash_key*, 10, 53>;
    using slot = table::slot;

    [[gnu::noinline]] hash_key* look_up(pTHX_ const char* p, std::size_t n, bool wide) {
        if (n > table::longest || n == 0) return make_key(aTHX_ p, n, wide);
        slot* const s = table_.place(p, n);
        if (!s->is(p, n)) {
            hash_key* const made = make_key(aTHX_ p, n, wide);
            if (s->made != nullptr) drop_key(aTHX_ s->made);
            s->made = made;
            s->take(p, n);
        }
        table_.came(s);
        return counted(s->made);
    }

    table table_;
};

}  // namespace kumihimo::inline v0::perl
