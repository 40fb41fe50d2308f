// JSON's projector as the row of the table has it: json/project.hpp's, the dialects that it knows, and the verbs of a
// value that it found. json/project_headers.hpp has the same calls for formats whose values tell their lengths.
#pragma once
#include <cstddef>

#include "engine/core/context.hpp"
#include "engine/core/guarded.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/diagnose.hpp"
#include "engine/json/project.hpp"
#include "engine/json/reader.hpp"

namespace kumihimo::inline v0::json {

class text_projector : public projector {
public:
    explicit text_projector(const projection& wanted, json::level strictness = level::strict,
                            const read_dialect& granted = rfc8259)
        : projector(wanted, strictness, granted), granted_(granted) {
        // Once strict has taken the document, no value in it has a key twice.
        if (strictness == level::strict && granted_.duplicates == duplicate_keys::error)
            granted_.duplicates = duplicate_keys::keep;
    }

    /// Whether documents by that dialect are projected as it says. One that takes more than RFC 8259 is no kernel's,
    /// and equal keys are looked for by strict alone.
    static constexpr bool suits(const read_dialect& granted, json::level strictness) noexcept {
        read_dialect rest = granted;
        rest.decimal_digits = rest.integer_zero = false;
        rest.overflows = rfc8259.overflows;
        if (strictness == level::strict) rest.duplicates = duplicate_keys::keep;
        return rest == rfc8259;
    }

    /// Whether run() looks at what is wanted as give() does. No level but strict knows numbers beyond the largest
    /// double.
    static constexpr bool checks(const read_dialect& granted, json::level strictness) noexcept {
        return strictness == level::strict || granted.overflows == rfc8259.overflows;
    }

    /// Looks at one document. Its bytes are not kept, but give() reads in them.
    errc run(bytes input, context& ctx) {
        document_ = input;
        return projector::run(input, ctx);
    }
    /// give() reads in this document, whose values run() has found before.
    void aim(bytes document) noexcept { document_ = document; }

    /// Reads one of the values. A failure says where it is in the document.
    template <sink K, class Guard = unguarded>
    errc give(slice s, K& to, context& ctx, Guard&& guarded = {}) {
        reader from(document_.subspan(s.offset, s.length), ctx, granted_);
        errc code = errc::ok;
        if (!guarded([&] { code = from.feed(to); })) return errc::host;
        return code == errc::ok ? code : relocate(document_, ctx, granted_, s.offset);
    }

private:
    read_dialect granted_;
    bytes document_;
};

}  // namespace kumihimo::inline v0::json
