// Verbs -> Perl values, of every format: besides what build.hpp makes of JSON's values, keys that are not text,
// moments, extensions, bytes, and numbers that keep their digits.
#pragma once
#include "engine/scalar/integer.hpp"
#include "engine/scalar/utf8.hpp"

#include "build.hpp"
#include "document.hpp"
#include "text.hpp"

namespace kumihimo::inline v0::perl {

struct value_options {
    json_options build;
    bool utf8 = false;         // a bin that is UTF-8 is text, as a str is
    bool any_text = false;     // a str may be none, as the reader's dialect lets it
    bool keep_binary = false;  // a bin is an object of Kumihimo::MessagePack::Binary, so that it goes out as one again
    bool bignums = false;      // big is an object of Math::BigInt or Math::BigFloat, else the string of its digits
};

/// The instants' kinds as Perl names them, by instant::kind.
inline constexpr const char* instant_kinds[] = {"utc", "offset", "local", "date", "naive"};

/// Where: a class of a file of its own, where speed counts. Then the compiler knows that nobody else calls the verbs,
/// and has them inside the reader's loop: a sixth of the instructions.
template <class Where>
class any_builder_of : public builder {
public:
    any_builder_of(pTHX_ context& ctx, const value_options& o) : builder(aTHX_ ctx, o.build), ctx_(ctx), options_(o) {
#ifdef MULTIPLICITY
        this->my_perl = aTHX;
#endif
        if (o.any_text) this->doubt();
    }

    errc null() { return key_ ? named("", 0) : builder::null(); }
    errc boolean(bool b) {
        if (key_) [[unlikely]]
            return b ? named("true", 4) : named("false", 5);
        return builder::boolean(b);
    }
    errc i64(std::int64_t n) {
        if (key_) [[unlikely]] {
            char digits[scalar::integer_room];
            return named(digits, static_cast<std::size_t>(scalar::write_i64(digits, n) - digits));
        }
        return builder::i64(n);
    }
    errc u64(std::uint64_t n) { return pass(), builder::u64(n); }
    errc f64(double x) { return pass(), builder::f64(x); }
    /// Math::BigInt is Perl code, which must not run while values arrive: the digits wait for settled().
    errc big(text t) {
        if (key_) return named(static_cast<const char*>(t.data), t.size);
        if (!options_.bignums) return builder::big(t);
        SV* const digits = new_string(aTHX_ static_cast<const char*>(t.data), t.size, false);
        if (bigs_ == nullptr) bigs_ = newAV();
        av_push(bigs_, SvREFCNT_inc_simple_NN(digits));
        return object(digits);
    }
    errc str(const text& t) { return pass(), builder::str(t); }
    // Also a str that is not UTF-8.
    errc bin(bytes b) {
        if (!key_ && !options_.utf8 && !options_.keep_binary) return builder::bin(b);
        const char* const p = reinterpret_cast<const char*>(b.data());
        const bool ascii = is_ascii(p, b.size());
        if (key_ && ascii) return named(p, b.size());
        if (options_.keep_binary && !key_) return binary(b);
        const bool characters = options_.utf8 && !ascii && scalar::utf8_valid_prefix(p, b.size()) == b.size();
        if (!characters) return pass(), builder::bin(b);
        if (key_) {
            key_ = false;
            return builder::key(text(p, b.size(), encoding::utf8));
        }
        return builder::str(text(p, b.size(), encoding::utf8));
    }
    errc time(const instant& t) {
        HV* const hv = newHV();
        (void)hv_stores(hv, "seconds", newSViv(static_cast<IV>(t.seconds)));
        (void)hv_stores(hv, "nanoseconds", newSVuv(t.nanoseconds));
        if (t.clock != instant::kind::utc) {
            (void)hv_stores(hv, "kind", newSVpv(instant_kinds[static_cast<std::size_t>(t.clock)], 0));
            (void)hv_stores(hv, "offset", newSViv(t.offset));
        }
        return made(reinterpret_cast<SV*>(hv), "Kumihimo::MessagePack::Timestamp");
    }
    errc ext(int type, bytes data) {
        HV* const hv = newHV();
        (void)hv_stores(hv, "type", newSViv(type));
        (void)hv_stores(hv, "data", newSVpvn(reinterpret_cast<const char*>(data.data()), data.size()));
        return made(reinterpret_cast<SV*>(hv), "Kumihimo::MessagePack::Extension");
    }
    errc array(count n) { return pass(), builder::array(n); }
    errc map(count n) { return pass(), builder::map(n); }
    errc key(const text& t) { return builder::key(t); }
    errc key(next_value) {
        key_ = true;
        return errc::ok;
    }

    /// The finished value and what settled() needs, or the reason why there is none; and everything that the builder
    /// holds is dropped.
    outcome result(errc e, const stream_place& place = {}) noexcept {
        outcome out;
        if (e == errc::ok) out.made = take();
        if (out.made != nullptr) {
            out.bigs = take_bigs();
        } else {
            ctx_.fail(e == errc::ok ? errc::misuse : e, failure::nowhere,
                      e == errc::memory ? "out of memory" : "the document is not whole");
            out.error = sentence_of(aTHX_ ctx_, place);
            SvREFCNT_dec(reinterpret_cast<SV*>(take_bigs()));
        }
        release(aTHX_ this);
        return out;
    }

    /// What settled() makes numbers of; the caller's to count.
    AV* take_bigs() noexcept { return std::exchange(bigs_, nullptr); }

private:
    // What is no text becomes a key as perl makes one of it.
    void pass() {
        if (key_) [[unlikely]]
            builder::key(next_value{});
        key_ = false;
    }
    errc named(const char* p, std::size_t n) {
        key_ = false;
        return builder::key(text(p, n, encoding::ascii));
    }
    errc binary(bytes b) {
        return made(new_string(aTHX_ reinterpret_cast<const char*>(b.data()), b.size(), false),
                    "Kumihimo::MessagePack::Binary");
    }
    errc made(SV* referent, const char* package) {
        pass();
        SV* const rv = newRV_noinc(referent);
        sv_bless(rv, gv_stashpv(package, GV_ADD));
        return object(rv);
    }

#ifdef MULTIPLICITY
    PerlInterpreter* my_perl;
#endif
    context& ctx_;
    const value_options& options_;
    AV* bigs_ = nullptr;
    bool key_ = false;
};
using any_builder = any_builder_of<void>;
static_assert(kumihimo::builder<any_builder> && std::is_trivially_destructible_v<any_builder>);

/// To be called before values arrive: the booleans, for which a module may be loaded.
void prepare_values(pTHX);
/// The value of an outcome that has one, mortal, with its big numbers. Runs Perl code where there are any.
SV* settled(pTHX_ const outcome& out);

}  // namespace kumihimo::inline v0::perl
