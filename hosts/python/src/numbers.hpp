// Numbers that arrive as their own digits: what Python makes of them, and the same answer for calls that make no objects.
//
// One rule for loads, lazy, partial, check and convert: what loads() would refuse is refused. Nearly all of it the engine's
// reader says by itself (json_read in dialect.hpp). Two things only the interpreter knows: how many digits an int may have
// (sys.set_int_max_str_digits) and which exponents decimal.Decimal takes. So a call that makes no objects notes numbers that
// might meet one of them (`noting`); in the rare document that has some, those are made, and dropped (`judge`).
//
// A document may have several faults, and a call meets them in the order of its own work: a kernel sees broken text 16 KB
// before the numbers ahead of it, a writer refuses what comes before a missing bracket. So after any "no" the document is read
// once more, byte by byte with nothing looked at ahead, and the fault that comes first is the one that is named
// (`first_fault`).
#pragma once
#include <Python.h>

#include "engine/core/context.hpp"
#include "engine/core/null.hpp"
#include "engine/json/reader.hpp"
#include "src/guard.hpp"

namespace kumihimo::inline v0::python {

/// The int or Decimal of a number's digits, a new reference; null with errc::host (an error is pending) or a failure in ctx.
PyObject* number_of(text digits, bool decimals, context& ctx, errc& why);

/// Whether number_of() might refuse these digits; never asks Python. No limit of digits is below 640.
inline bool doubtful(text digits, bool decimals) noexcept {
    const std::string_view s = digits.view();
    if (s.size() > 640) return true;
    if (!decimals || s.size() < 18) return false;
    const std::size_t e = s.find_first_of("eE");
    return e != std::string_view::npos && s.size() - e > 17;
}

/// A sink that notes doubtful numbers on their way through, and answers signals where it works without the GIL (`outside`, or
/// null).
template <class K>
class noting : public K {
public:
    template <class... T>
    explicit noting(bool decimals, unlocked* outside, T&&... rest)
        : K(std::forward<T>(rest)...), outside_(outside), decimals_(decimals) {}
    void work_outside(unlocked* of) noexcept { outside_ = of; }
    errc end() {
        if (--due_ == 0) [[unlikely]] {
            due_ = stretch;
            if (outside_ != nullptr && !turns_.take(*outside_)) return errc::host;
        }
        return K::end();
    }
    errc big(text digits) {
        found_ |= doubtful(digits, decimals_);
        return K::big(digits);
    }
    bool found() const noexcept { return found_; }

private:
    static constexpr int stretch = 1024;  // containers
    unlocked* outside_;
    turns turns_;
    int due_ = stretch;
    bool decimals_;
    bool found_ = false;
};

/// Whether a valid document has doubtful numbers. Needs no GIL.
bool has_doubtful(bytes document, context& ctx, const json::read_dialect& granted);

/// Whether numbers have to be Python's. Not where their digits become text.
enum class digits : bool { as_numbers, as_text };

/// errc::ok, or the first fault of the document: what loads() says of it. Needs the GIL, and gives it up meanwhile where the
/// document is long.
errc judge(bytes document, context& ctx, const json::read_dialect& granted, digits as = digits::as_numbers);

/// To be asked after a call's own failure `e`, which `ctx` describes: the fault that all calls name. A document without one,
/// which a call refused for a reason of its own, keeps that.
[[gnu::cold]] errc first_fault(errc e, bytes document, context& ctx, const json::read_dialect& granted,
                               digits as = digits::as_numbers);

/// After a str that input_bytes could not take: half a surrogate pair is a mistake of the document, and has a place. Null.
[[gnu::cold]] PyObject* refuse_input(PyObject* data, context& ctx, const json::read_dialect& granted);

}  // namespace kumihimo::inline v0::python
