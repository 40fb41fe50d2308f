#include "build.hpp"

#include "bignum.hpp"
#include "ordered.hpp"

namespace kumihimo::inline v0::perl {

// ---- the stack

void builder::grow() {
    const auto used = static_cast<std::size_t>(at_ - begin_);
    const std::size_t want = used * 2;
    item* more;
    if (begin_ == first_) {
        Newx(more, want, item);
        std::memcpy(more, first_, used * sizeof *more);
    } else {
        more = begin_;
        Renew(more, want, item);
    }
    begin_ = more;
    at_ = more + used;
    limit_ = more + want;
}

// Values and keys from `from` on. A container's beginning is a number; its low bits are 0 as a value's are, so the
// walk follows the numbers from the innermost outwards.
void builder::drop(item* from) noexcept {
    while (at_ > from) {
        item* const first = open_ >= 0 && begin_ + open_ >= from ? begin_ + open_ + 1 : from;
        while (at_ > first) {
            const item i = *--at_;
            if ((i & shared_key) != 0)
                drop_key(aTHX_ reinterpret_cast<hash_key*>(i & ~item{3}));
            else
                SvREFCNT_dec(scalar(i));
        }
        if (first == from) break;
        open_ = static_cast<std::ptrdiff_t>(*--at_ >> 2 >> 1) - 1;
    }
}

void builder::clear() noexcept {
    drop(begin_);
    open_ = -1;
    key_next_ = false;
}

void builder::release(pTHX_ void* data) noexcept {
    PERL_UNUSED_CONTEXT;
    builder& b = *static_cast<builder*>(data);
    b.clear();
    if (b.begin_ != b.first_) Safefree(b.begin_);
    b.begin_ = b.at_ = b.first_;
    b.limit_ = b.first_ + room;
}

// ---- containers

AV* builder::array_of(const item* first, std::size_t n) {
    AV* const av = newAV();
    if (n != 0) {
        SV** memory;
        Newx(memory, n, SV*);
        std::memcpy(memory, first, n * sizeof *memory);
        AvALLOC(av) = memory;
        AvARRAY(av) = memory;
        AvMAX(av) = AvFILLp(av) = static_cast<SSize_t>(n) - 1;
    }
    return av;
}

HV* builder::hash_of(item* first, std::size_t n) {
    HV* const hv = newHV();
    if (n == 0) return hv;
    hash_filler into(aTHX_ hv, n / 2);
    for (std::size_t i = 0; i < n; i += 2) {
        const item k = first[i];
        SV* const value = scalar(first[i + 1]);
        SV* was;
        if ((k & shared_key) != 0) [[likely]] {
            if ((k & 3) == wide_key) into.has_wide_keys();
            into.set(reinterpret_cast<hash_key*>(k & ~item{3}), value, was);
        } else {
            into.set(scalar(k), value, was);
        }
        if (was != nullptr) [[unlikely]] {
            sv_2mortal(was);  // not now: an object's DESTROY must not see half a hash
            if (!o_.allow_dupkeys) {
                // What is inside the hash goes with it; the rest stays on the stack, behind the container's beginning.
                std::memmove(first, first + i + 2, (n - i - 2) * sizeof *first);
                at_ = first + (n - i - 2);
                SvREFCNT_dec(reinterpret_cast<SV*>(hv));
                return nullptr;
            }
        }
    }
    return hv;
}

errc builder::end() {
    item* const first = begin_ + open_ + 1;
    const item mark = begin_[open_] >> 2;
    const auto n = static_cast<std::size_t>(at_ - first);
    SV* made;
    if ((mark & 1) == 0) {
        made = new_reference(aTHX_ reinterpret_cast<SV*>(array_of(first, n)));
    } else if (!o_.keep_order) [[likely]] {
        HV* const hv = hash_of(first, n);
        if (hv == nullptr) [[unlikely]]
            return ctx_.fail(errc::duplicate, failure::nowhere, "a key that this object has already");
        made = new_reference(aTHX_ reinterpret_cast<SV*>(hv));
    } else {
        made = ordered_hash_of(first, n);
        if (made == nullptr) return ctx_.fail(errc::duplicate, failure::nowhere, "a key that this object has already");
    }
    at_ = first - 1;
    open_ = static_cast<std::ptrdiff_t>(mark >> 1) - 1;
    return push(made);
}

// A key that comes again keeps its first place, and has its last value.
SV* builder::ordered_hash_of(item* first, std::size_t n) {
    const std::size_t pairs = n / 2;
    AV* const order = newAV();
    if (pairs != 0) av_extend(order, static_cast<SSize_t>(pairs) - 1);
    for (std::size_t i = 0; i < pairs; ++i) {
        const item k = first[2 * i];
        const bool shared = (k & shared_key) != 0;
        av_push(order,
                shared ? scalar_of_key(aTHX_ reinterpret_cast<hash_key*>(k & ~item{3})) : SvREFCNT_inc_simple_NN(scalar(k)));
    }
    HV* const data = hash_of(first, n);
    if (data == nullptr) {
        SvREFCNT_dec(reinterpret_cast<SV*>(order));
        return nullptr;
    }
    SV** const keys = AvARRAY(order);
    std::size_t different = pairs;
    if (HvUSEDKEYS(data) != pairs) {
        HV* const came = newHV();
        different = 0;
        for (std::size_t i = 0; i < pairs; ++i) {
            if (hv_exists_ent(came, keys[i], 0)) {
                SvREFCNT_dec_NN(keys[i]);
            } else {
                (void)hv_store_ent(came, keys[i], newSV_type(SVt_NULL), 0);
                keys[different++] = keys[i];
            }
        }
        SvREFCNT_dec(reinterpret_cast<SV*>(came));
    }
    SV* const made = ordered_hash::make(aTHX_ data, keys, different);
    AvFILLp(order) = -1;  // the keys are the hash's now
    SvREFCNT_dec(reinterpret_cast<SV*>(order));
    return made;
}

// ---- values that are not plain

// Perl's own utf8, which has half surrogate pairs as well.
SV* builder::doubted(const text& t) {
    const char* const p = static_cast<const char*>(t.data);
    return new_string(aTHX_ p, t.size, is_utf8_string(reinterpret_cast<const U8*>(p), t.size));
}

SV* builder::downgraded(const text& t) {
    SV* const sv = new_string(aTHX_ static_cast<const char*>(t.data), t.size, true);
    sv_utf8_downgrade(sv, TRUE);
    return sv;
}

SV* builder::converted(const text& t) {
    SV* const sv = newSVpvs("");
    if (t.charset == encoding::latin1) {
        sv_setpvn(sv, static_cast<const char*>(t.data), t.size);
        if (flagged_) sv_utf8_upgrade(sv);
        return sv;
    }
    const auto* const units = static_cast<const char16_t*>(t.data);
    for (std::size_t i = 0; i < t.size; ++i) {
        UV c = units[i];
        if (c >= 0xD800 && c < 0xDC00 && i + 1 < t.size && units[i + 1] >= 0xDC00 && units[i + 1] < 0xE000)
            c = 0x10000 + ((c - 0xD800) << 10) + (units[++i] - 0xDC00u);
        U8 bytes[UTF8_MAXBYTES + 1];
        const U8* const end = uvchr_to_utf8(bytes, c);
        sv_catpvn(sv, reinterpret_cast<const char*>(bytes), static_cast<STRLEN>(end - bytes));
    }
    SvUTF8_on(sv);
    return sv;
}

// U+FDD0 to U+FDEF, and the last two of each plane.
bool builder::has_noncharacter(const text& t) noexcept {
    const std::string_view s = t.view();
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
    for (std::size_t i = 0; i + 2 < s.size(); ++i) {
        if (at(i) == 0xEF && at(i + 1) == 0xB7 && at(i + 2) >= 0x90 && at(i + 2) <= 0xAF) return true;
        const bool last =
            at(i + 1) == 0xBF && at(i + 2) >= 0xBE;  // behind EF; behind a byte that ends in F where there are four
        if (last && (at(i) == 0xEF || (i > 0 && at(i - 1) >= 0xF0 && (at(i) & 0x0F) == 0x0F))) return true;
    }
    return false;
}

errc builder::other_key(const text& t) {
    if (t.charset == encoding::utf8 && beside(t) && has_noncharacter(t)) [[unlikely]]
        return errc::unsupported;
    const char* const p = static_cast<const char*>(t.data);
    if (doubts_ && t.charset == encoding::utf8) [[unlikely]]
        return put(reinterpret_cast<item>(doubted(t)) | scalar_key);
    // The bytes from 0xC4 on begin characters beyond U+00FF.
    if (t.charset == encoding::utf8 &&
        std::any_of(p, p + t.size, [](char c) { return static_cast<unsigned char>(c) >= 0xC4; })) {
        hash_key* const k = interpreter_.keys.get(aTHX_ p, t.size, true);
        return put(reinterpret_cast<item>(k) | wide_key);
    }
    SV* const sv = t.charset != encoding::utf8 ? converted(t) : downgrades_ ? downgraded(t) : new_string(aTHX_ p, t.size, true);
    return put(reinterpret_cast<item>(sv) | scalar_key);
}

errc builder::value_as_key(SV* sv) {
    key_next_ = false;
    if (SvROK(sv)) {
        SvREFCNT_dec(sv);
        return refuse_key();
    }
    // Perl's keys are text: undef is the empty one, as in $h{+undef}.
    if (!SvOK(sv)) sv_setpvs(sv, "");
    (void)SvPV_nolen(sv);
    return put(reinterpret_cast<item>(sv) | scalar_key);
}
errc builder::refuse_key() {
    key_next_ = false;
    return ctx_.fail(errc::unsupported, failure::nowhere, "a container as a key: Perl's keys are text");
}

SV* builder::other_boolean(bool b) {
    SV* const own = b ? o_.v_true : o_.v_false;
    if (own != nullptr) return newSVsv(own);
    if (o_.unblessed_bool) return newSVsv(b ? &PL_sv_yes : &PL_sv_no);
    return new_reference(aTHX_ SvREFCNT_inc_simple_NN(interpreter_.boolean(aTHX_ b)));
}

errc builder::big(text digits) {
    const char* const p = static_cast<const char*>(digits.data);
    bool whole = true;
    for (std::size_t i = 0; i < digits.size; ++i) whole = whole && p[i] != '.' && p[i] != 'e' && p[i] != 'E';
    // Runs Perl code: who allows these numbers has the builder released by Perl.
    if (o_.allow_bignum && o_.follows != rules::mojo) return push(new_bignum(aTHX_ p, digits.size, whole));
    if (!whole) return push(new_number(aTHX_ * p == '-' ? -HUGE_VAL : HUGE_VAL));
    if (o_.follows != rules::mojo) return push(new_string(aTHX_ p, digits.size, false));
    // As 0 + $digits: the nearest double.
    SV* const text = sv_2mortal(newSVpvn(p, digits.size));
    return push(new_number(aTHX_ SvNV(text)));
}

errc builder::time(const instant& t) {
    const double fraction = t.nanoseconds * 1e-9;
    if (t.nanoseconds == 0) return i64(t.seconds);
    return push(new_number(aTHX_ static_cast<double>(t.seconds) + fraction));
}

errc builder::ext(int, bytes) {
    return ctx_.fail(errc::unsupported, failure::nowhere, "an extension type, which has no Perl value");
}

}  // namespace kumihimo::inline v0::perl
