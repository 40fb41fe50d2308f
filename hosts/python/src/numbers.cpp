#include "src/numbers.hpp"

#include <string>

#include "src/text.hpp"

namespace kumihimo::inline v0::python {
namespace {

class judging : public null_sink {
public:
    judging(bool decimals, context& ctx) noexcept : decimals_(decimals), ctx_(ctx) {}
    errc big(text digits) {
        if (!doubtful(digits, decimals_)) return errc::ok;
        errc why = errc::ok;
        const ref made(number_of(digits, decimals_, ctx_, why));
        return made ? errc::ok : why;
    }

private:
    bool decimals_;
    context& ctx_;
};
static_assert(sink<judging>);

}  // namespace

PyObject* number_of(text digits, bool decimals, context& ctx, errc& why) {
    const std::string_view s = digits.view();
    const bool whole = s.find_first_of(".eE") == std::string_view::npos;
    why = errc::host;
    if (whole) {
        const std::string ended(s);
        PyObject* n = PyLong_FromString(ended.c_str(), nullptr, 10);
        if (n != nullptr || !PyErr_ExceptionMatches(PyExc_ValueError)) return n;
        PyErr_Clear();
        why = ctx.fail(errc::range, failure::nowhere, "an integer has more digits than sys.set_int_max_str_digits() allows");
        return nullptr;
    }
    if (!decimals) {
        why = ctx.fail(errc::range, failure::nowhere, json::beyond_double);
        return nullptr;
    }
    const ref type = package_attribute("decimal", "Decimal");
    const ref text_(type ? str_of(digits) : nullptr);
    if (!text_) return nullptr;
    PyObject* made = PyObject_CallOneArg(type.get(), text_.get());
    if (made != nullptr || !PyErr_ExceptionMatches(PyExc_ArithmeticError)) return made;
    PyErr_Clear();
    why = ctx.fail(errc::range, failure::nowhere, "the exponent of a number is beyond what decimal.Decimal can hold");
    return nullptr;
}

bool has_doubtful(bytes document, context& ctx, const json::read_dialect& granted) {
    noting<null_sink> to(granted.decimal_digits, nullptr);
    json::reader from(document, ctx, granted);
    return from.feed(to) == errc::ok && to.found();
}

errc judge(bytes document, context& ctx, const json::read_dialect& granted) {
    judging to(granted.decimal_digits, ctx);
    json::reader from(document, ctx, granted);
    return from.feed(to);
}

}  // namespace kumihimo::inline v0::python
