// What stands between extract/abi.h and the interpreter: owners of its objects, calls that look for signals while they
// wait, and the one place where a code becomes a Python exception.
#pragma once
#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "extract/abi.h"
#include "src/guard.hpp"

namespace kumihimo::inline v0::python {

template <auto Free>
struct freed_by {
    template <class T>
    void operator()(T* p) const noexcept {
        Free(p);
    }
};
using owned_extraction = std::unique_ptr<kumihimo_extraction, freed_by<kumihimo_extract_close>>;
using owned_strings = std::unique_ptr<kumihimo_strings, freed_by<kumihimo_strings_free>>;
using owned_records = std::unique_ptr<kumihimo_records, freed_by<kumihimo_records_free>>;
using owned_series = std::unique_ptr<kumihimo_series, freed_by<kumihimo_series_free>>;
using owned_fetches = std::unique_ptr<kumihimo_fetches, freed_by<kumihimo_fetches_free>>;
using owned_text = std::unique_ptr<kumihimo_text, freed_by<kumihimo_text_free>>;

/// Milliseconds between two looks for signals.
inline constexpr std::int32_t patience = 50;

/// A text to be filled; throws std::bad_alloc.
owned_text new_text();
std::string_view bytes_of(const kumihimo_text* t);

/// One bad record, complete in itself.
struct report {
    explicit report(const kumihimo_record& from);
    /// Its texts are this object's.
    kumihimo_record record() const noexcept;
    std::string text() const;

    kumihimo_record place;  // but for the texts
    std::string archive, entry, path, message;
};
/// Texts that name files are bytes; Python shows them with surrogateescape.
nanobind::str file_text(std::string_view s);

/// What is in a call's out parameter, as C++ owns it.
template <class Owner, class Call>
Owner taken(std::uint32_t& code, Call call) {
    typename Owner::pointer out = nullptr;
    code = call(&out);
    return Owner(out);
}

/// The exception for a code that is an error: ExtractionError with its Report when the inputs are at fault, ValueError
/// when it is what was asked for.
[[noreturn]] void raise(kumihimo_extraction* x, std::uint32_t code);
inline void expect(kumihimo_extraction* x, std::uint32_t code) {
    if (code != KUMIHIMO_OK) [[unlikely]]
        raise(x, code);
}

/// A call that drives: without the GIL, and again after each look for signals, until it has come to something. False
/// at the end of the rows. What a handler raised ends the extraction.
template <class Call>
bool drive(kumihimo_extraction* x, Call call) {
    for (;;) {
        std::uint32_t code;
        {
            const unlocked free;
            code = call();
        }
        if (code == KUMIHIMO_EXTRACT_END) return false;
        if (code != KUMIHIMO_EXTRACT_WAITING) {
            expect(x, code);
            return true;
        }
        if (PyErr_CheckSignals() != 0) {
            kumihimo_extract_cancel(x);
            throw nanobind::python_error();
        }
    }
}

}  // namespace kumihimo::inline v0::python
