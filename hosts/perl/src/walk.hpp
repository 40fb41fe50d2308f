// Perl values -> values, of every format: the one walk over arrays and hashes. What a scalar, an object or a key
// becomes is the rule set's own affair.
//
//      To       an emitter (engine/core/emit.hpp)
//      Options  canonical, max_depth, and where the caller may order keys: sort_by
//      Self     a rule set's walk: says what the table below has
//
//      string(sv)  real(x)  unsigned_integer(n)     plain scalars
//      mixed(sv)  other(sv)                         a scalar of more than one kind, or of none
//      object(rv, target)  reference(rv, target)    blessed; neither blessed nor a container
//      entry_key(he)  scalar_key(sv)                the key of an entry, or of a pair
//      order_pairs(hv, pairs, n)  too_deep()        and may say any(sv), hash(hv), array(av)
//
// The walk recurses, as deep as max_depth and the machine stack allow. Nothing in its frames has a destructor
// (guard.hpp).
//
// Perl code may run in the middle (TO_JSON, tie, overload) and may change or free what is being walked. Before any is
// called, keep_open() counts the open containers and takes down what is left of the open hashes; a walk without
// callbacks pays for a few stores per container. ask.hpp sees to it that none is called without.
#pragma once
#include "engine/core/emit.hpp"

#include "ask.hpp"
#include "entries.hpp"
#include "order.hpp"
#include "ordered.hpp"
#include "stack.hpp"

namespace kumihimo::inline v0::perl {

template <class Self, class To, class Options>
class walker : public asking<walker<Self, To, Options>> {
    static_assert(emitter<To>);
    friend asking<walker>;

public:
    /// Whether keys that came flagged UTF-8 and are kept in Latin-1 are told from others.
    static constexpr bool tells_flags = false;
    /// Whether Perl code that shortens an array leaves what is written of it as it was, instead of null in its places.
    static constexpr bool keeps_elements = false;
    /// Whether a scalar counts as a level of depth.
    static constexpr bool scalars_have_depth = false;

    walker(pTHX_ To& to, const Options& o, key_order& order) noexcept : to_(to), o_(o), order_(order) {
#ifdef MULTIPLICITY
        this->my_perl = aTHX;
#endif
    }

    [[gnu::always_inline]] void value(SV* sv) {
        const U32 kind = SvFLAGS(sv) & kind_mask;
        if (kind == SVp_POK) return self().string(sv);
        if (kind == SVp_IOK) return integer(sv);
        value_by_kind(sv, kind);
    }
    [[gnu::noinline]] void value_by_kind(SV* sv, U32 kind) {
        switch (kind) {
            case SVf_ROK: return target(sv);
            case SVp_NOK: return self().real(SvNVX(sv));
            case SVp_POK: return self().string(sv);
            case SVp_IOK: return integer(sv);
            case 0: return SvOK(sv) ? self().other(sv) : to_.null();
            default: break;
        }
        if ((kind & SVs_GMG) != 0) return magical(sv);
        self().mixed(sv);
    }

    /// A value that Perl code has just given.
    void any(SV* sv) { self().value(sv); }

    [[gnu::always_inline]] void integer(SV* sv) {
        if (SvIsUV(sv)) [[unlikely]]
            return self().unsigned_integer(SvUVX(sv));
        to_.i64(SvIVX(sv));
    }

    /// What a reference refers to.
    [[gnu::always_inline]] void target(SV* rv) {
        SV* const sv = SvRV(rv);
        const U32 flags = SvFLAGS(sv);
        if ((flags & SVs_OBJECT) == 0) [[likely]] {
            const U32 type = flags & SVTYPEMASK;
            if (type == SVt_PVHV) return self().hash(reinterpret_cast<HV*>(sv));
            if (type == SVt_PVAV) return self().array(reinterpret_cast<AV*>(sv));
            return self().reference(rv, sv);
        }
        self().object(rv, sv);
    }

    [[gnu::noinline]] void hash(HV* hv) {
        if (SvMAGICAL(hv) || callers_order()) [[unlikely]]
            return magical_hash(hv);
        enter();
        const std::size_t n = HvUSEDKEYS(hv);
        begin(true, n);
        if (n != 0) {
            HE* here[key_order::most];
            frame f{reinterpret_cast<SV*>(hv), top_, here, 0, n, nullptr, false};
            if (n > key_order::most) [[unlikely]] {
                ENTER;
                Newx(f.list, n, HE*);
                SAVEFREEPV(f.list);
            }
            f.n = entries_of(aTHX_ hv, f.list, n, o_.canonical);
            if (o_.canonical) order_.sort(aTHX_ f.list, f.n, HvSHAREKEYS(hv) != 0);
            top_ = &f;
            while (f.next != f.n) {
                HE* const he = f.list[f.next++];
                self().entry_key(he);
                value(HeVAL(he));
                if (f.pairs != nullptr) [[unlikely]] {
                    rest_of(f);
                    break;
                }
            }
            top_ = f.outer;
            if (n > key_order::most) [[unlikely]]
                LEAVE;
        }
        to_.close(true);
        --depth_;
    }
    [[gnu::noinline]] void array(AV* av) {
        if (SvRMAGICAL(av)) [[unlikely]]
            return magical_array(av);
        enter();
        const SSize_t n = AvFILLp(av) + 1;
        begin(false, static_cast<std::size_t>(n));
        frame f{reinterpret_cast<SV*>(av), top_, nullptr, 0, 0, nullptr, false};
        top_ = &f;
        if constexpr (Self::keeps_elements) {
            SV** const items = AvARRAY(av);
            f.n = static_cast<std::size_t>(n);
            for (std::size_t i = 0; i != f.n;) {
                SV* const sv = items[i];
                f.next = ++i;
                element(sv);
                if (f.pairs != nullptr) [[unlikely]] {
                    rest_of_elements(f);
                    break;
                }
            }
        } else {
            for (SSize_t i = 0; i < n; ++i) {
                // Perl code may have shortened it meanwhile.
                element(i <= AvFILLp(av) ? AvARRAY(av)[i] : nullptr);
            }
        }
        top_ = f.outer;
        to_.close(false);
        --depth_;
    }

protected:
    struct pair {
        SV* key;
        SV* value;
    };
    // An open container.
    struct frame {
        SV* container;
        frame* outer;
        HE** list;         // a hash: its entries in the order they are written
        std::size_t next;  // the first that is not written yet
        std::size_t n;
        pair*
            pairs;  // [next, n) once Perl code ran: the entries may be gone; of an array's elements (keeps_elements) the values
        bool kept;
    };

    Self& self() noexcept { return static_cast<Self&>(*this); }

    void enter() {
        ++depth_;
        if constexpr (!Self::scalars_have_depth) {
            if (depth_ > o_.max_depth) [[unlikely]]
                self().too_deep();
        }
        if ((depth_ & 15) == 0 && !machine_stack::has_room()) [[unlikely]]
            Perl_croak(aTHX_ "the structure is nested too deeply for this thread's stack (%lu levels)",
                       static_cast<unsigned long>(depth_));
    }

    /// Opens the container that was entered last.
    [[gnu::always_inline]] void begin(bool map, std::size_t n) {
        if constexpr (Self::scalars_have_depth) {
            if (depth_ >= o_.max_depth && n != 0) [[unlikely]]
                self().too_deep();
        }
        to_.open(map, n);
    }
    /// Null: a place of an array that was never filled.
    [[gnu::always_inline]] void element(SV* sv) {
        if (sv != nullptr) [[likely]]
            value(sv);
        else
            to_.null();
    }
    bool callers_order() const noexcept {
        if constexpr (requires { o_.sort_by; })
            return o_.sort_by != nullptr;
        else
            return false;
    }

    /// To be called before Perl code runs.
    void keep_open() {
        for (frame* f = top_; f != nullptr && !f->kept; f = f->outer) {
            f->kept = true;
            sv_2mortal(SvREFCNT_inc_simple_NN(f->container));
            if (f->pairs != nullptr) {
                for (std::size_t i = f->next; i != f->n; ++i) {
                    sv_2mortal(SvREFCNT_inc_simple_NN(f->pairs[i].key));
                    sv_2mortal(SvREFCNT_inc_simple_NN(f->pairs[i].value));
                }
                continue;
            }
            if (f->next == f->n) continue;
            if constexpr (Self::keeps_elements) {
                if (f->list == nullptr) {
                    keep_elements(*f);
                    continue;
                }
            }
            if (f->list == nullptr) continue;
            pair* const pairs = reinterpret_cast<pair*>(SvPVX(sv_2mortal(newSV(f->n * sizeof(pair)))));
            for (std::size_t i = f->next; i != f->n; ++i) {
                pairs[i] = {sv_2mortal(this->key_of_entry(f->list[i], Self::tells_flags)),
                            sv_2mortal(SvREFCNT_inc_simple_NN(HeVAL(f->list[i])))};
            }
            f->pairs = pairs;
        }
    }
    /// Writes a value that the walk owns one count of.
    void owned(SV* sv) {
        ENTER;
        SAVEFREESV(sv);
        self().any(sv);
        LEAVE;
    }

    // ---- objects that say themselves what they are

    GV* method(HV* stash, const char* name) {
        GV* const gv = gv_fetchmethod_autoload(stash, name, FALSE);
        return gv != nullptr && isGV(gv) ? gv : nullptr;
    }
    /// An object whose TO_JSON gives another such object, without end, is not told by max_depth.
    void deeper() {
        if (!machine_stack::has_room()) [[unlikely]]
            Perl_croak(aTHX_ "an object's TO_JSON or FREEZE gives objects without end: the machine's stack is used up");
    }
    /// Calls TO_JSON, where the class has it, and writes the answer.
    bool to_json(SV* target) {
        GV* const gv = method(SvSTASH(target), "TO_JSON");
        if (gv == nullptr) return false;
        deeper();
        SV* const answer = this->call(reinterpret_cast<SV*>(GvCV(gv)), {newRV_inc(target)});
        if (SvROK(answer) && SvRV(answer) == target) {
            sv_2mortal(answer);
            Perl_croak(aTHX_ "%s::TO_JSON method returned same object as was passed instead of a new one",
                       HvNAME_get(SvSTASH(target)));
        }
        this->owned(answer);
        return true;
    }

    /// The pairs of any hash, in the order in which they are written; mortal. What is open is kept.
    pair* pairs_of(HV* hv, std::size_t& n) {
        n = 0;
        std::size_t room = 16;
        SV* const holder = sv_2mortal(newSV(room * sizeof(pair)));
        sv_2mortal(SvREFCNT_inc_simple_NN(reinterpret_cast<SV*>(hv)));
        hv_iterinit(hv);
        while (HE* const he = this->next_entry(hv)) {
            if (n == room) SvGROW(holder, (room *= 2) * sizeof(pair));
            SV* const key = sv_2mortal(this->key_of_entry(he, Self::tells_flags));
            SV* const item = this->value_of_entry(hv, he);
            // What a tie answers may change with the next fetch.
            SV* const value = sv_2mortal(SvMAGICAL(hv) ? this->copy(item) : SvREFCNT_inc_simple_NN(item));
            reinterpret_cast<pair*>(SvPVX(holder))[n++] = {key, value};
        }
        pair* const pairs = reinterpret_cast<pair*>(SvPVX(holder));
        self().order_pairs(hv, pairs, n);
        return pairs;
    }

    using asking<walker>::my_perl;
    To& to_;
    const Options& o_;
    key_order& order_;
    frame* top_ = nullptr;
    std::uint32_t depth_ = 0;

private:
    // Nothing has run yet: the array is as it was when the walk came to it.
    [[gnu::cold, gnu::noinline]] void keep_elements(frame& f) {
        SV** const items = AvARRAY(reinterpret_cast<AV*>(f.container));
        f.pairs = reinterpret_cast<pair*>(SvPVX(sv_2mortal(newSV(f.n * sizeof(pair)))));
        for (std::size_t i = f.next; i != f.n; ++i)
            f.pairs[i] = {nullptr, items[i] == nullptr ? nullptr : sv_2mortal(SvREFCNT_inc_simple_NN(items[i]))};
    }
    [[gnu::cold, gnu::noinline]] void rest_of_elements(frame& f) {
        while (f.next != f.n) element(f.pairs[f.next++].value);
    }
    [[gnu::cold, gnu::noinline]] void rest_of(frame& f) {
        while (f.next != f.n) {
            const pair p = f.pairs[f.next];
            self().scalar_key(p.key);  // which may run Perl code: the value is still among those that are kept
            ++f.next;
            value(p.value);
        }
    }

    // A scalar whose value must be fetched.
    [[gnu::cold, gnu::noinline]] void magical(SV* sv) {
        this->fetch(sv);
        const U32 kind = SvFLAGS(sv) & (kind_mask & ~SVs_GMG);
        switch (kind) {
            case SVp_POK:
            case SVp_IOK:
            case SVp_NOK:
            case SVf_ROK:
            case 0: return value_by_kind(sv, kind);
            default: self().mixed(sv);
        }
    }
    // Tied hashes, and hashes in the order of the caller's own comparison.
    [[gnu::noinline]] void magical_hash(HV* hv) {
        if (ordered_hash::is(aTHX_ hv)) return ordered(hv);
        keep_open();
        enter();
        std::size_t n = 0;
        pair* const pairs = pairs_of(hv, n);
        begin(true, n);
        frame f{reinterpret_cast<SV*>(hv), top_, nullptr, 0, n, pairs, true};
        top_ = &f;
        rest_of(f);
        top_ = f.outer;
        to_.close(true);
        --depth_;
    }
    // A hash of ours that keeps its order: its parts, past the tie.
    [[gnu::noinline]] void ordered(HV* hv) {
        ordered_hash from(aTHX_ hv);
        enter();
        const std::size_t n = from.size(aTHX);
        pair here[key_order::most];
        pair* const pairs = n <= key_order::most ? here : reinterpret_cast<pair*>(SvPVX(sv_2mortal(newSV(n * sizeof(pair)))));
        for (std::size_t i = 0; i < n; ++i) {
            SV* const key = from.key(i);
            SV* const value = from.value(aTHX_ key);
            // Code that orders keys gets copies: these are the hash's own.
            pairs[i] = {!callers_order() ? key : sv_2mortal(this->fetched_copy(key)), value != nullptr ? value : &PL_sv_undef};
        }
        frame f{reinterpret_cast<SV*>(hv), top_, nullptr, 0, n, pairs, false};
        top_ = &f;
        if (callers_order()) keep_open();
        self().order_pairs(hv, pairs, n);
        begin(true, n);
        rest_of(f);
        top_ = f.outer;
        to_.close(true);
        --depth_;
    }
    [[gnu::cold, gnu::noinline]] void magical_array(AV* av) {
        keep_open();
        enter();
        sv_2mortal(SvREFCNT_inc_simple_NN(reinterpret_cast<SV*>(av)));
        const SSize_t n = this->length_of(av);
        begin(false, static_cast<std::size_t>(n));
        frame f{reinterpret_cast<SV*>(av), top_, nullptr, 0, 0, nullptr, true};
        top_ = &f;
        if constexpr (Self::keeps_elements) {
            f.n = static_cast<std::size_t>(n);
            f.pairs = reinterpret_cast<pair*>(SvPVX(sv_2mortal(newSV(f.n * sizeof(pair) + 1))));
            for (SSize_t i = 0; i < n; ++i) {
                SV* const item = this->element_of(av, i);
                // What a tie answers may change with the next fetch.
                SV* const kept = item == nullptr ? nullptr : SvRMAGICAL(av) ? this->copy(item) : SvREFCNT_inc_simple_NN(item);
                f.pairs[i] = {nullptr, kept == nullptr ? nullptr : sv_2mortal(kept)};
            }
            rest_of_elements(f);
        } else {
            for (SSize_t i = 0; i < n; ++i) element(this->element_of(av, i));
        }
        top_ = f.outer;
        to_.close(false);
        --depth_;
    }
};

}  // namespace kumihimo::inline v0::perl
