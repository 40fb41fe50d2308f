#include "floats.hpp"

#include <cmath>
#include <cstring>

#include "characters.hpp"
#include "engine/scalar/float_read.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

// The digits of a number as they come: the first 19 significant ones, and the power of ten of the last of them.
struct digits {
    std::uint64_t mantissa = 0;
    std::int64_t exponent = 0;
    int significant = 0;
    bool more = false;

    void take(char c, bool fraction) noexcept {
        const auto d = static_cast<std::uint64_t>(c - '0');
        if (significant < 19) {
            mantissa = mantissa * 10 + d;
            significant += significant != 0 || d != 0;
            exponent -= fraction;
        } else {
            more = more || d != 0;
            exponent += !fraction;
        }
    }
};

}  // namespace

double read_decimal(std::string_view text, const char*& end) noexcept {
    const char* p = text.data();
    const char* const e = p + text.size();
    end = p;
    while (p != e && is_space(*p)) ++p;
    const bool negative = p != e && *p == '-';
    if (p != e && (*p == '-' || *p == '+')) ++p;
    const char* const first = p;
    digits d;
    for (; p != e && is_digit(*p); ++p) d.take(*p, false);
    bool some = p != first;
    bool dangling = false;  // a point with nothing behind it: there is a value, but the text is no number
    if (p != e && *p == '.') {
        const char* const point = p++;
        for (; p != e && is_digit(*p); ++p) d.take(*p, true);
        if (p == point + 1 && !some) return 0;
        dangling = p == point + 1;
        some = true;
    }
    if (!some) return 0;
    const char* const last = p;
    if (p != e && (*p == 'e' || *p == 'E')) {
        ++p;
        const bool down = p != e && *p == '-';
        if (p != e && (*p == '-' || *p == '+')) ++p;
        const char* const power = p;
        std::int64_t n = 0;
        for (; p != e && is_digit(*p); ++p)
            if (n < 1'000'000'000'000) n = n * 10 + (*p - '0');
        if (p == power)
            p = last;
        else
            d.exponent += down ? -n : n;
    }
    if (!dangling) end = p;
    const std::int64_t exponent = d.exponent < -100'000 ? -100'000 : d.exponent > 100'000 ? 100'000 : d.exponent;
    const double x = scalar::compose(d.mantissa, static_cast<int>(exponent), d.more, first, last);
    return negative ? -x : x;
}

namespace {

mrb_value float_text(mrb_state* mrb, mrb_value self) {
    const double x = float_of(self);
    if (std::isnan(x)) return mrb_str_new_lit(mrb, "NaN");
    if (std::isinf(x)) return x < 0 ? mrb_str_new_lit(mrb, "-Infinity") : mrb_str_new_lit(mrb, "Infinity");
    char text[scalar::float_room];
    const char* const end = scalar::write_f64(text, x, float_layout);
    return mrb_str_new(mrb, text, end - text);
}

}  // namespace

void define_float_text(mrb_state* mrb) {
    mrb_define_method(mrb, mrb->float_class, "to_s", float_text, MRB_ARGS_NONE());
    mrb_define_method(mrb, mrb->float_class, "inspect", float_text, MRB_ARGS_NONE());
}

}  // namespace kumihimo::inline v0::mruby

// mruby's own reader of decimals adds digit by digit and is off by some units in the last place: a literal 1.1e22 or
// 0.3145 in a script would be another Float than the same text in a document. Where this library is linked before
// mruby (it must be), the compiler and String#to_f take these: 3.1 the first, 3.3 the second. Weak: should mruby's own
// be there already, they stay.
extern "C" {
[[gnu::weak]] double mrb_float_read(const char* text, char** end) {
    const char* stop = nullptr;
    const double x = kumihimo::mruby::read_decimal(std::string_view(text, std::strlen(text)), stop);
    if (end != nullptr) *end = const_cast<char*>(stop);
    return x;
}
[[gnu::weak]] mrb_bool mrb_read_float(const char* text, char** end, double* to) {
    char* stop = nullptr;
    *to = mrb_float_read(text, &stop);
    if (end != nullptr) *end = stop;
    return stop != text;
}
}
