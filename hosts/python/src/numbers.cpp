#include "src/numbers.hpp"

#include <string>
#include <utility>

#include "engine/core/located.hpp"
#include "src/text.hpp"

namespace kumihimo::inline v0::python {
namespace {

// A sink that wants places is fed byte by byte, in the order of the document.
class judging : public null_sink {
public:
    judging(bool decimals, digits form, context& ctx, unlocked* outside) noexcept
        : decimals_(decimals), form_(form), ctx_(ctx), outside_(outside), verbs_(outside) {}
    bool wants_places() const noexcept { return true; }
    // Directly before every verb.
    void at(std::size_t, std::size_t) noexcept { stopped_ = stopped_ || !verbs_.one_more(); }
    errc end() { return go_on(); }
    errc null() { return go_on(); }
    errc boolean(bool) { return go_on(); }
    errc i64(std::int64_t) { return go_on(); }
    errc u64(std::uint64_t) { return go_on(); }
    errc f64(double) { return go_on(); }
    errc str(text) { return go_on(); }
    using null_sink::key;
    errc key(text) { return go_on(); }
    errc big(text number) {
        if (stopped_) return errc::host;
        if (form_ == digits::as_text || !doubtful(number, decimals_)) return errc::ok;
        if (outside_ != nullptr) outside_->enter();
        errc why = errc::ok;
        if (const ref made(number_of(number, decimals_, ctx_, why)); made) why = errc::ok;
        if (outside_ != nullptr) outside_->leave();
        return why;
    }

private:
    errc go_on() const noexcept { return stopped_ ? errc::host : errc::ok; }

    bool decimals_, stopped_ = false;
    digits form_;
    context& ctx_;
    unlocked* outside_;
    verb_count verbs_;
};
static_assert(located_sink<judging>);

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

errc judge(bytes document, context& ctx, const json::read_dialect& granted, digits form) {
    json::reader from(document, ctx, granted);
    if (document.size() < long_document) {
        judging to(granted.decimal_digits, form, ctx, nullptr);
        return from.feed(to);
    }
    unlocked outside;
    judging to(granted.decimal_digits, form, ctx, &outside);
    return from.feed(to);
}

errc first_fault(errc e, bytes document, context& ctx, const json::read_dialect& granted, digits form) {
    if (e == errc::host || e == errc::memory) return e;
    context again;
    again.limits = ctx.limits;
    const errc found = judge(document, again, granted, form);
    if (found == errc::ok || found == errc::memory) return e;
    ctx.failure = std::move(again.failure);
    return found;
}

PyObject* refuse_input(PyObject* data, context& ctx, const json::read_dialect& granted) {
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return nullptr;
    PyErr_Clear();
    std::size_t offset = 0;  // in bytes of UTF-8
    const Py_ssize_t n = PyUnicode_GET_LENGTH(data);
    for (Py_ssize_t i = 0; i < n; ++i) {
        const Py_UCS4 c = PyUnicode_READ_CHAR(data, i);
        if (c >= 0xD800 && c < 0xE000) break;
        offset += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    }
    // What precedes it may be wrong, too.
    const ref as_bytes(PyUnicode_AsEncodedString(data, "utf-8", "surrogatepass"));
    if (!as_bytes) return nullptr;
    const bytes document(reinterpret_cast<const unsigned char*>(PyBytes_AS_STRING(as_bytes.get())),
                         static_cast<std::size_t>(PyBytes_GET_SIZE(as_bytes.get())));
    errc e = judge(document, ctx, granted);
    if (e == errc::ok || (e == errc::encoding && ctx.failure.offset == offset)) {
        std::string path = std::move(ctx.failure.path);
        e = ctx.fail(errc::encoding, offset, "the str holds half a surrogate pair, which is not valid Unicode");
        ctx.failure.path = std::move(path);
    }
    raise_decode(ctx, e, data, document, "json");
    return nullptr;
}

}  // namespace kumihimo::inline v0::python
