// Verbs -> Ruby objects for documents of any format: the builder, and what no established call brings.
//
//      big, with a fraction or an exponent    BigDecimal, or what decimal_class makes of it
//      time of a day without a clock          Date;  a wall clock's reading without a zone: a Time in UTC
//      ext                                    Kumihimo::MessagePack::Extension, or what the caller's block gives for type and
//      payload
#pragma once
#include "build.hpp"

namespace kumihimo::inline v0::ruby {

struct any_options {
    build_options build;
    std::size_t depth = 1024;
    VALUE ext = Qnil;  // a Proc

    /// Whether code of the user's runs while values arrive.
    bool calls() const noexcept { return build.calls() || !NIL_P(ext); }
    void mark() const {
        build.mark();
        rb_gc_mark(ext);
    }
};

class any_builder : public builder {
public:
    /// `options` must outlive the builder.
    any_builder(context& ctx, const any_options& options) : builder(ctx, options.build), ctx_(ctx), options_(options) {}

    // A reader sends utf16 where half a surrogate pair stands alone, which UTF-8 has no bytes for.
    errc str(text t) { return t.charset == encoding::utf16 && !paired(t) ? half_pair() : builder::str(t); }
    errc key(text t) { return t.charset == encoding::utf16 && !paired(t) ? half_pair() : builder::key(t); }
    errc key(next_value n) { return builder::key(n); }
    errc big(text digits);
    errc time(const instant& t);
    errc ext(int type, bytes data);

private:
    static bool paired(const text& t) noexcept;
    errc half_pair() {
        return ctx_.fail(errc::encoding, failure::nowhere, "half a surrogate pair, which a String in UTF-8 cannot hold");
    }

    context& ctx_;
    const any_options& options_;
};
static_assert(kumihimo::builder<any_builder> && std::is_trivially_destructible_v<any_builder>);

}  // namespace kumihimo::inline v0::ruby
