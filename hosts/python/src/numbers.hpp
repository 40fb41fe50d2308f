// Numbers that arrive as their own digits: what Python makes of them, and the same answer for calls that make no
// objects.
//
// One rule for loads, lazy, partial, check and convert: what loads() would refuse is refused. Nearly all of it the
// engine's reader says by itself (json_read in dialect.hpp). Two things only the interpreter knows: how many digits an
// int may have (sys.set_int_max_str_digits) and which exponents decimal.Decimal takes. So a call that makes no objects
// notes numbers that might meet one of them (`noting`); in the rare document that has some, those are made, and
// dropped (`judge`).
//
// A document may have several faults, and a call meets them in the order of its own work: a kernel sees broken text 16
// KB before the numbers ahead of it, a writer refuses what comes before a missing bracket. So after any "no" the
// document is read once more, byte by byte with nothing looked at ahead, and the fault that comes first is the one
// that is named (`first_fault`).
#pragma once
#include <Python.h>

#include <cstdint>
#include <utility>

#include "engine/core/context.hpp"
#include "engine/core/null.hpp"
#include "engine/json/reader.hpp"
#include "src/guard.hpp"

namespace kumihimo::inline v0::python {

/// The int or Decimal of a number's digits, a new reference; null with errc::host (an error is pending) or a failure
/// in ctx.
PyObject* number_of(text digits, bool decimals, context& ctx, errc& why);

/// Whether number_of() might refuse these digits; never asks Python. No limit of digits is below 640.
inline bool doubtful(text digits, bool decimals) noexcept {
    const std::string_view s = digits.view();
    if (s.size() > 640) return true;
    if (!decimals || s.size() < 18) return false;
    const std::size_t e = s.find_first_of("eE");
    return e != std::string_view::npos && s.size() - e > 17;
}

/// Work outside of the GIL, counted in verbs: a document can be one list of numbers, or texts only.
class verb_count {
public:
    explicit verb_count(unlocked* outside) noexcept : outside_(outside) {}
    void work_outside(unlocked* outside) noexcept { outside_ = outside; }
    /// Before every verb. False with an error pending.
    [[gnu::always_inline]] bool one_more() noexcept {
        if (--due_ != 0) [[likely]]
            return true;
        due_ = stretch;
        return outside_ == nullptr || turns_.take(*outside_);
    }

private:
    static constexpr int stretch = 4096;  // some 50 us of short values
    unlocked* outside_;
    turns turns_;
    int due_ = stretch;
};

/// A sink that notes doubtful numbers on their way through, and answers signals where it works without the GIL
/// (`outside`, or null).
template <class K>
class noting : public K {
public:
    template <class... T>
    explicit noting(bool decimals, unlocked* outside, T&&... rest)
        : K(std::forward<T>(rest)...), verbs_(outside), decimals_(decimals) {}
    void work_outside(unlocked* outside) noexcept { verbs_.work_outside(outside); }
    errc null() { return verbs_.one_more() ? K::null() : errc::host; }
    errc boolean(bool b) { return verbs_.one_more() ? K::boolean(b) : errc::host; }
    errc i64(std::int64_t n) { return verbs_.one_more() ? K::i64(n) : errc::host; }
    errc u64(std::uint64_t n) { return verbs_.one_more() ? K::u64(n) : errc::host; }
    errc f64(double x) { return verbs_.one_more() ? K::f64(x) : errc::host; }
    errc str(text t) { return verbs_.one_more() ? K::str(t) : errc::host; }
    errc bin(bytes b) { return verbs_.one_more() ? K::bin(b) : errc::host; }
    errc time(const instant& t) { return verbs_.one_more() ? K::time(t) : errc::host; }
    errc ext(int type, bytes b) { return verbs_.one_more() ? K::ext(type, b) : errc::host; }
    errc end() { return verbs_.one_more() ? K::end() : errc::host; }
    errc big(text digits) {
        found_ |= doubtful(digits, decimals_);
        return verbs_.one_more() ? K::big(digits) : errc::host;
    }
    bool found() const noexcept { return found_; }

private:
    verb_count verbs_;
    bool decimals_;
    bool found_ = false;
};

/// Whether a valid document has doubtful numbers. Needs no GIL.
bool has_doubtful(bytes document, context& ctx, const json::read_dialect& granted);

/// Whether numbers have to be Python's. Not where their digits become text.
enum class digits : bool { as_numbers, as_text };

/// errc::ok, or the first fault of the document: what loads() says of it. Needs the GIL, and gives it up meanwhile
/// where the document is long.
errc judge(bytes document, context& ctx, const json::read_dialect& granted, digits form = digits::as_numbers);

/// To be asked after a call's own failure `e`, which `ctx` describes: the fault that all calls name. A document
/// without one, which a call refused for a reason of its own, keeps that.
[[gnu::cold]] errc first_fault(errc e, bytes document, context& ctx, const json::read_dialect& granted,
                               digits form = digits::as_numbers);

/// After a str that input_bytes could not take: half a surrogate pair is a mistake of the document, and has a place.
/// Null.
[[gnu::cold]] PyObject* refuse_input(PyObject* data, context& ctx, const json::read_dialect& granted);

}  // namespace kumihimo::inline v0::python
