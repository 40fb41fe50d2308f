// Perl values -> values. Plain scalars, arrays and hashes are written as they are; everything else is the rule set's own
// affair.
//
//      Self (a rule set's walk) says   mixed(sv)  other(sv)  object(rv, target)  reference(rv, target)  not_finite(x)
//                                      order_pairs(hv, pairs, n)  too_deep()      and may say real(x), any(sv), hash(hv),
//                                      array(av)
//      To   (engine/json/emit.hpp)     null() boolean(b) i64(n) f64(x) str(p, n) key(p, n) open(map, n) close(map) raw(p, n)
//
// The walk recurses, to max_depth and to what the machine stack bears. Nothing in its frames has a destructor (guard.hpp).
//
// Perl code may run in the middle (TO_JSON, tie, overload) and may change or free what is being walked. Before any is called,
// keep_open() counts the open containers and takes down what is left of the open hashes; a walk without callbacks pays for a
// few stores per container. ask.hpp sees to it that none is called without.
#pragma once
#include <cmath>

#include "ask.hpp"
#include "engine/scalar/integer.hpp"
#include "entries.hpp"
#include "options.hpp"
#include "order.hpp"
#include "ordered.hpp"
#include "stack.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::perl {

template <class Self, class To>
class walker : public asking<walker<Self, To>> {
    friend asking<walker>;

public:
    /// Whether a document's flag tells whether something flagged went in.
    static constexpr bool tells_flags = false;

    walker(pTHX_ To& to, const json_options& o, key_order& order) noexcept : to_(to), o_(o), order_(order) {
#ifdef MULTIPLICITY
        this->my_perl = aTHX;
#endif
    }

    /// Whether a scalar flagged UTF-8 went out: the document may then hold what Unicode does not have.
    bool wide() const noexcept { return wide_; }

    [[gnu::always_inline]] void value(SV* sv) {
        const U32 kind = SvFLAGS(sv) & kind_mask;
        if (kind == SVp_POK) return string(sv);
        if (kind == SVp_IOK) return integer(sv);
        value_by_kind(sv, kind);
    }
    [[gnu::noinline]] void value_by_kind(SV* sv, U32 kind) {
        switch (kind) {
            case SVf_ROK: return target(sv);
            case SVp_NOK: return self().real(SvNVX(sv));
            case SVp_POK: return string(sv);
            case SVp_IOK: return integer(sv);
            case 0: return SvOK(sv) ? self().other(sv) : to_.null();
            default: break;
        }
        if ((kind & SVs_GMG) != 0) return magical(sv);
        self().mixed(sv);
    }

    /// A value that Perl code has just given.
    void any(SV* sv) { self().value(sv); }

    [[gnu::always_inline]] void string(SV* sv) {
        const char* const p = SvPVX_const(sv);
        const std::size_t n = SvCUR(sv);
        if (SvUTF8(sv) != 0)
            wide_ = true;
        else if (!is_ascii(p, n)) [[unlikely]]
            return latin1(p, n);
        to_.str(p, n);
    }
    /// Text of which the flag is known.
    void text(const char* p, std::size_t n, bool utf8) {
        if (utf8)
            wide_ = true;
        else if (!is_ascii(p, n))
            return latin1(p, n);
        to_.str(p, n);
    }
    [[gnu::always_inline]] void integer(SV* sv) {
        if (SvIsUV(sv)) [[unlikely]]
            return unsigned_integer(SvUVX(sv));
        to_.i64(SvIVX(sv));
    }
    void unsigned_integer(UV n) {
        char digits[scalar::integer_room];
        to_.raw(digits, static_cast<std::size_t>(scalar::write_u64(digits, n) - digits));
    }
    [[gnu::always_inline]] void real(NV x) {
        if (std::isfinite(x)) [[likely]]
            return to_.finite_f64(x);
        self().not_finite(x);
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
        if (SvMAGICAL(hv) || o_.sort_by != nullptr) [[unlikely]]
            return magical_hash(hv);
        enter();
        const std::size_t n = HvUSEDKEYS(hv);
        to_.open(true, n);
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
                entry_key(he);
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
        to_.open(false, static_cast<std::size_t>(n));
        frame f{reinterpret_cast<SV*>(av), top_, nullptr, 0, 0, nullptr, false};
        top_ = &f;
        for (SSize_t i = 0; i < n; ++i) {
            // Perl code may have shortened it meanwhile.
            SV* const sv = i <= AvFILLp(av) ? AvARRAY(av)[i] : nullptr;
            if (sv != nullptr)
                value(sv);
            else
                to_.null();
        }
        top_ = f.outer;
        to_.close(false);
        --depth_;
    }

    void key_text(const char* p, std::size_t n, bool utf8) {
        if (utf8) {
            wide_ = true;
        } else if (!is_ascii(p, n) && !o_.binary) [[unlikely]] {
            const widened w(aTHX_ p, n);
            return to_.key(w.data(), w.size());
        }
        to_.key(p, n);
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
        pair* pairs;  // [next, n) once Perl code ran: the entries may be gone
        bool kept;
    };

    Self& self() noexcept { return static_cast<Self&>(*this); }

    void enter() {
        if (++depth_ > o_.max_depth) [[unlikely]]
            self().too_deep();
        if ((depth_ & 15) == 0 && !machine_stack::has_room()) [[unlikely]]
            Perl_croak(aTHX_ "the structure is nested too deeply for this thread's stack (%lu levels)",
                       static_cast<unsigned long>(depth_));
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
            if (f->list == nullptr || f->next == f->n) continue;
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
    /// A key of a pair. Code that orders keys has had it in its hands, so that it may be anything by now.
    void scalar_key(SV* sv) {
        const asked_text t = this->text_of(sv);
        key_text(t.data, t.size, t.utf8);
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
    const json_options& o_;
    key_order& order_;
    frame* top_ = nullptr;
    std::uint32_t depth_ = 0;
    bool wide_ = false;

private:
    [[gnu::cold, gnu::noinline]] void latin1(const char* p, std::size_t n) {
        if (o_.binary) return to_.str(p, n);  // bytes are bytes
        const widened w(aTHX_ p, n);
        to_.str(w.data(), w.size());
    }
    [[gnu::always_inline]] void entry_key(HE* he) {
        const HEK* const key = HeKEY_hek(he);
        const char* const p = HEK_KEY(key);
        const auto n = static_cast<std::size_t>(HEK_LEN(key));
        if constexpr (Self::tells_flags) {
            if (HEK_WASUTF8(key)) wide_ = true;
        }
        if (HEK_UTF8(key) || !is_ascii(p, n)) [[unlikely]]
            return key_text(p, n, HEK_UTF8(key) != 0);
        to_.key(p, n);
    }

    [[gnu::cold, gnu::noinline]] void rest_of(frame& f) {
        while (f.next != f.n) {
            const pair p = f.pairs[f.next];
            scalar_key(p.key);  // which may run Perl code: the value is still among those that are kept
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
        to_.open(true, n);
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
            pairs[i] = {o_.sort_by == nullptr ? key : sv_2mortal(this->fetched_copy(key)),
                        value != nullptr ? value : &PL_sv_undef};
        }
        frame f{reinterpret_cast<SV*>(hv), top_, nullptr, 0, n, pairs, false};
        top_ = &f;
        if (o_.sort_by != nullptr) keep_open();
        self().order_pairs(hv, pairs, n);
        to_.open(true, n);
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
        to_.open(false, static_cast<std::size_t>(n));
        frame f{reinterpret_cast<SV*>(av), top_, nullptr, 0, 0, nullptr, true};
        top_ = &f;
        for (SSize_t i = 0; i < n; ++i) {
            if (SV* const item = this->element_of(av, i); item != nullptr)
                value(item);
            else
                to_.null();
        }
        top_ = f.outer;
        to_.close(false);
        --depth_;
    }
};

}  // namespace kumihimo::inline v0::perl
