// Perl values -> MessagePack, by Data::MessagePack's answers: a scalar that has text is a string, then a double, then an
// integer. A string goes out as the bytes that perl holds, as bin or, with `utf8`, as str.
//
// Two walks in one template. The quick one runs no Perl code, so nothing changes under it; where it meets something that may
// (a tie, an overloaded object in a boolean's place, a warning) it gives up, and the careful one begins anew, which holds every
// value that it is going to need. Only the careful one may ask (ask.hpp).
#pragma once
#include "engine/msgpack/emit.hpp"
#include "engine/scalar/utf8.hpp"

#include "ask.hpp"
#include "booleans.hpp"
#include "entries.hpp"
#include "message_pack.hpp"
#include "order.hpp"
#include "ordered.hpp"
#include "output.hpp"
#include "stack.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::perl {

[[noreturn]] inline void croak_pack(errc code, const char* what) {
    dTHX;
    Perl_croak(aTHX_ "%s", code == errc::size ? "a value is longer than what MessagePack counts in 32 bits" : what);
    abort();
}
using msgpack_emit = msgpack::emit_burst<scalar_output, croak_pack>;

template <bool Careful>
class pack_walk : asking<pack_walk<Careful>> {
    using base = asking<pack_walk>;
    friend base;
    using base::my_perl;

public:
    pack_walk(pTHX_ msgpack_emit& to, const pack_options& o, key_order& order) noexcept : to_(to), o_(o), order_(order) {
#ifdef MULTIPLICITY
        this->my_perl = aTHX;
#endif
    }

    /// False, of the quick walk only: the value has magic.
    bool value(SV* sv) {
        if (depth_ >= o_.max_depth) [[unlikely]]
            too_deep();
        U32 kind = SvFLAGS(sv) & kind_mask;
        if ((kind & SVs_GMG) != 0) [[unlikely]] {
            if constexpr (Careful)
                sv = sv_2mortal(this->copy(sv));
            else
                return false;
            kind = SvFLAGS(sv) & kind_mask;
        }
        if ((kind & SVp_POK) != 0) {
            string(sv);
        } else if ((kind & SVp_NOK) != 0) {
            to_.f64(SvNVX(sv));
        } else if ((kind & SVp_IOK) != 0) {
            if (SvIsUV(sv))
                to_.u64(SvUVX(sv));
            else
                to_.i64(SvIVX(sv));
        } else if ((kind & SVf_ROK) != 0) {
            return target(sv);
        } else if (!SvOK(sv)) {
            to_.null();
        } else {
            return refuse("cannot pack %s: MessagePack has no form for a glob or a format", sv);
        }
        return true;
    }

private:
    void string(SV* sv) {
        if (o_.core_booleans) [[unlikely]] {
#ifdef SvIsBOOL
            if (SvIsBOOL(sv)) return to_.boolean(SvCUR(sv) != 0);
#endif
        }
        bytes_of_string(SvPVX_const(sv), SvCUR(sv), SvUTF8(sv) != 0);
    }
    [[gnu::always_inline]] void bytes_of_string(const char* p, std::size_t n, bool utf8) {
        if (o_.prefer_integer && integer(p, n)) return;
        if (o_.text)
            characters(p, n, utf8);
        else if (o_.utf8)
            to_.str(p, n);
        else
            to_.bin(p, n);
    }
    void characters(const char* p, std::size_t n, bool utf8) {
        if (is_ascii(p, n)) [[likely]] {
            to_.str(p, n);
        } else if (!utf8) {
            const widened w(aTHX_ p, n);
            to_.str(w.data(), w.size());
        } else if (scalar::utf8_valid_prefix(p, n) == n) {
            to_.str(p, n);
        } else {
            to_.bin(p, n);
        }
    }
    // What prefer_integer takes for one: digits, not more than 32 bits' worth, with a minus or without.
    bool integer(const char* p, std::size_t n) {
        const bool negative = n != 0 && *p == '-';
        if (n < 1u + negative || n > 10u + negative) return false;
        std::int64_t value = 0;
        for (std::size_t i = negative; i < n; ++i) {
            const unsigned digit = static_cast<unsigned char>(p[i]) - unsigned{'0'};
            if (digit > 9) return false;
            value = value * 10 + digit;
        }
        if (value > (negative ? std::int64_t{1} << 31 : std::int64_t{UINT32_MAX})) return false;
        to_.i64(negative ? -value : value);
        return true;
    }

    bool target(SV* rv) {
        SV* const sv = SvRV(rv);
        const U32 flags = SvFLAGS(sv);
        if ((flags & SVs_OBJECT) != 0) [[unlikely]]
            return object(rv, sv);
        const U32 type = flags & SVTYPEMASK;
        if (type == SVt_PVHV) return hash(reinterpret_cast<HV*>(sv));
        if (type == SVt_PVAV) return array(reinterpret_cast<AV*>(sv));
        if (type > SVt_PVAV) return refuse("encountered %s, but msgpack can only represent references to arrays or hashes", rv);
        if constexpr (Careful) this->fetch(sv);
        if constexpr (!Careful) {
            if (!has_quiet_text(sv)) return false;
        }
        const int b = may_be_boolean(sv) ? boolean_of_text(text(sv).view()) : -1;
        if (b < 0) return refuse("cannot encode reference to scalar '%s' unless the scalar is 0 or 1", rv);
        to_.boolean(b != 0);
        return true;
    }
    /// The quick walk gives up, for the sentence may ask an overload for the text of `sv`.
    bool refuse(const char* sentence, SV* sv) {
        if constexpr (Careful) Perl_croak(aTHX_ sentence, this->words(sv));
        PERL_UNUSED_VAR(sentence), PERL_UNUSED_VAR(sv);
        return false;
    }

    [[gnu::noinline]] bool object(SV* rv, SV* sv) {
        HV* const stash = SvSTASH(sv);
        if constexpr (Careful) this->held(sv);
        if (stash != booleans_) {
            const char* const name = HvNAME_get(stash);
            const std::string_view s =
                name == nullptr ? std::string_view() : std::string_view(name, static_cast<std::size_t>(HvNAMELEN_get(stash)));
            if (SvTYPE(sv) == SVt_PVHV && s.starts_with("Kumihimo::MessagePack::") && !SvMAGICAL(sv)) {
                HV* const hv = reinterpret_cast<HV*>(sv);
                if (s.ends_with("::Extension")) return extension(hv);
                if (s.ends_with("::Timestamp")) return timestamp(hv);
            }
            if (s == "Kumihimo::MessagePack::Binary" && SvTYPE(sv) < SVt_PVAV) {
                if constexpr (!Careful) {
                    if (!has_quiet_text(sv) || SvUTF8(sv) != 0) return false;
                }
                const asked_text t = bytes(sv);
                to_.bin(t.data, t.size);
                return true;
            }
            if (!is_boolean_class(stash))
                return refuse("encountered object '%s', which MessagePack has no form for: pack its data instead", rv);
            booleans_ = stash;
        }
        if constexpr (!Careful) {
            if (!has_quiet_number(sv)) return false;
        }
        to_.boolean(number(sv) != 0);
        return true;
    }
    IV number(SV* sv) {
        if constexpr (Careful)
            return this->integer_of(sv);
        else
            return quiet_integer(aTHX_ sv);
    }
    asked_text text(SV* sv) {
        if constexpr (Careful)
            return this->fetched_text(sv);
        else
            return quiet_text(aTHX_ sv);
    }
    asked_text bytes(SV* sv) {
        if constexpr (Careful)
            return this->bytes_of(sv);
        else
            return quiet_text(aTHX_ sv);
    }
    SV* member(HV* hv, const char* name, const char* of) {
        SV** const at = hv_fetch(hv, name, static_cast<I32>(std::strlen(name)), 0);
        if (at == nullptr) Perl_croak(aTHX_ "a Kumihimo::MessagePack::%s without its %s cannot be packed", of, name);
        return *at;
    }
    bool extension(HV* hv) {
        if constexpr (!Careful) {
            SV* const data = member(hv, "data", "Extension");
            if (!has_quiet_number(member(hv, "type", "Extension")) || !has_quiet_text(data) || SvUTF8(data) != 0) return false;
        }
        const IV type = number(member(hv, "type", "Extension"));
        if (type < -128 || type > 127) Perl_croak(aTHX_ "an extension's type is -128 to 127, not %" IVdf, type);
        const asked_text t = bytes(member(hv, "data", "Extension"));
        to_.ext(static_cast<int>(type), t.data, t.size);
        return true;
    }
    bool timestamp(HV* hv) {
        if constexpr (!Careful) {
            for (const char* const name : {"seconds", "nanoseconds"})
                if (!has_quiet_number(member(hv, name, "Timestamp"))) return false;
        }
        const IV seconds = number(member(hv, "seconds", "Timestamp"));
        const IV nanoseconds = number(member(hv, "nanoseconds", "Timestamp"));
        if (nanoseconds < 0 || nanoseconds > 999999999)
            Perl_croak(aTHX_ "a timestamp's nanoseconds are 0 to 999999999, not %" IVdf, nanoseconds);
        to_.time({.seconds = seconds, .nanoseconds = static_cast<std::uint32_t>(nanoseconds)});
        return true;
    }

    /// Everything that is going to be needed is held already (careful_array, careful_hash).
    void keep_open() requires Careful {}

    void enter() {
        ++depth_;
        if ((depth_ & 15) == 0 && !machine_stack::has_room()) [[unlikely]]
            Perl_croak(aTHX_ "the structure is nested too deeply for this thread's stack (%" IVdf " levels)", depth_);
    }
    [[noreturn]] void too_deep() {
        Perl_croak(aTHX_ "perl structure exceeds maximum nesting level (max_depth set too low?)");
        abort();
    }

    // ---- arrays

    bool array(AV* av) {
        if constexpr (Careful) return careful_array(av);
        if (SvRMAGICAL(av)) [[unlikely]]
            return false;
        enter();
        const SSize_t n = AvFILLp(av) + 1;
        SV** const items = AvARRAY(av);
        to_.open(false, static_cast<std::size_t>(n));
        for (SSize_t i = 0; i < n; ++i)
            if (!item(items[i])) [[unlikely]]
                return false;
        --depth_;
        return true;
    }
    bool careful_array(AV* av) {
        enter();
        sv_2mortal(SvREFCNT_inc_simple_NN(reinterpret_cast<SV*>(av)));
        const SSize_t n = this->length_of(av);
        to_.open(false, static_cast<std::size_t>(n));
        SV** const items = static_cast<SV**>(scratch(static_cast<std::size_t>(n) * sizeof(SV*)));
        for (SSize_t i = 0; i < n; ++i) {
            SV* const item = this->element_of(av, i);
            items[i] = item == nullptr ? nullptr : kept(item, SvRMAGICAL(av));
        }
        for (SSize_t i = 0; i < n; ++i) item(items[i]);
        --depth_;
        return true;
    }
    [[gnu::always_inline]] bool item(SV* sv) {
        if (sv != nullptr) [[likely]]
            return value(sv);
        // A place that was never filled.
        if (depth_ >= o_.max_depth) [[unlikely]]
            too_deep();
        to_.null();
        return true;
    }

    // ---- hashes

    bool hash(HV* hv) {
        if (SvMAGICAL(hv)) [[unlikely]] {
            if (ordered_hash::is(aTHX_ hv)) return ordered(hv);
            if constexpr (!Careful) return false;
        }
        if constexpr (Careful) return careful_hash(hv);
        enter();
        const std::size_t n = HvUSEDKEYS(hv);
        to_.open(true, n);
        if (n != 0) {
            HE* here[key_order::most];
            HE** const list = n > key_order::most ? static_cast<HE**>(scratch(n * sizeof *list)) : here;
            const std::size_t found = entries_of(aTHX_ hv, list, n, o_.canonical);
            if (o_.canonical) order_.sort(aTHX_ list, found, HvSHAREKEYS(hv) != 0);
            for (std::size_t i = 0; i < found; ++i) {
                key(list[i]);
                if (!value(HeVAL(list[i]))) [[unlikely]]
                    return false;
            }
        }
        --depth_;
        return true;
    }
    struct pair {
        SV* key;
        SV* value;
    };
    // One that keeps its order, past its tie.
    [[gnu::noinline]] bool ordered(HV* hv) {
        ordered_hash from(aTHX_ hv);
        enter();
        if constexpr (Careful) sv_2mortal(SvREFCNT_inc_simple_NN(reinterpret_cast<SV*>(hv)));
        const std::size_t n = from.size(aTHX);
        pair here[key_order::most];
        pair* const pairs = n <= key_order::most ? here : static_cast<pair*>(scratch(n * sizeof(pair)));
        for (std::size_t i = 0; i < n; ++i) {
            SV* const name = from.key(i);
            SV* const item = from.value(aTHX_ name);
            pairs[i] = {name, item != nullptr ? item : &PL_sv_undef};
            if constexpr (Careful) {
                kept(pairs[i].key, false);
                kept(pairs[i].value, false);
            }
        }
        if (o_.canonical) sort(pairs, n);
        to_.open(true, n);
        for (std::size_t i = 0; i < n; ++i)
            if (!value(pairs[i].key) || !value(pairs[i].value)) return false;
        --depth_;
        return true;
    }
    void sort(pair* pairs, std::size_t n) {
        std::sort(pairs, pairs + n, [&](const pair& a, const pair& b) { return compare_texts(aTHX_ a.key, b.key) < 0; });
    }
    bool careful_hash(HV* hv) {
        enter();
        sv_2mortal(SvREFCNT_inc_simple_NN(reinterpret_cast<SV*>(hv)));
        std::size_t n = 0, room = 16;
        SV* const holder = sv_2mortal(newSV(room * sizeof(pair)));
        hv_iterinit(hv);
        while (HE* const he = this->next_entry(hv)) {
            if (n == room) SvGROW(holder, (room *= 2) * sizeof(pair));
            SV* const name = sv_2mortal(HeKLEN(he) == HEf_SVKEY ? this->key_of_entry(he) : newSVhek(HeKEY_hek(he)));
            SV* const item = kept(this->value_of_entry(hv, he), SvMAGICAL(hv));
            reinterpret_cast<pair*>(SvPVX(holder))[n++] = {name, item};
        }
        pair* const pairs = reinterpret_cast<pair*>(SvPVX(holder));
        if (o_.canonical) sort(pairs, n);
        to_.open(true, n);
        for (std::size_t i = 0; i < n; ++i) {
            value(pairs[i].key);
            value(pairs[i].value);
        }
        --depth_;
        return true;
    }
    void key(HE* he) {
        if (depth_ >= o_.max_depth) [[unlikely]]
            too_deep();
        const HEK* const k = HeKEY_hek(he);
        const char* const p = HEK_KEY(k);
        const auto n = static_cast<std::size_t>(HEK_LEN(k));
        if (HEK_LEN(k) == HEf_SVKEY) [[unlikely]]
            return static_cast<void>(value(HeKEY_sv(he)));
        // Perl keeps a key in Latin-1 where it can, and notes that it came flagged: as a scalar it would be flagged again.
        if ((HEK_FLAGS(k) & HVhek_WASUTF8) != 0 && !o_.text) [[unlikely]] {
            const widened w(aTHX_ p, n);
            return bytes_of_string(w.data(), w.size(), true);
        }
        bytes_of_string(p, n, HEK_UTF8(k) != 0);
    }

    /// Kept to the end of the statement; a copy where a tie made it.
    SV* kept(SV* sv, bool made) { return sv_2mortal(made ? this->copy(sv) : SvREFCNT_inc_simple_NN(sv)); }
    void* scratch(std::size_t n) { return SvPVX(sv_2mortal(newSV(n + 1))); }

    msgpack_emit& to_;
    const pack_options& o_;
    key_order& order_;
    HV* booleans_ = nullptr;  // the class that was found last to be one of booleans
    IV depth_ = 0;
};

}  // namespace kumihimo::inline v0::perl
