// A document of any format as compact JSON, out of which rows are made: all of it, or what paths lead to.
#pragma once
#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/pipe.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/prune.hpp"
#include "engine/json/writer.hpp"
#include "extract/binary.hpp"
#include "extract/value_place.hpp"

namespace kumihimo::inline v0::extract {

/// Reads what it leaves out, so that all of a document is checked.
class thorough_pruner : public json::pruning_writer {
public:
    using pruning_writer::pruning_writer;
    bool declines() const = delete;
    errc passed_over() = delete;
};
static_assert(!declining_sink<thorough_pruner>);

template <class Reader, class Writer>
errc lower_to(bytes document, const typename Reader::dialect& granted, Writer& to, context& ctx) {
    Reader from(document, ctx, granted);
    to.begin();
    bytes whole;
    return pipe(from, to, whole);
}

/// Appends the document; all of it where `paths` is null.
template <class Reader>
errc lower_document(bytes document, const typename Reader::dialect& granted, const json::plan* paths, care how, buffer& out,
                    context& ctx) {
    if (paths == nullptr) {
        json::basic_writer<buffer> to(out, ctx, json::compact);
        return lower_to<Reader>(document, granted, to, ctx);
    }
    if (how == care::all) {
        thorough_pruner to(out, ctx, *paths, json::compact);
        return lower_to<Reader>(document, granted, to, ctx);
    }
    json::pruning_writer to(out, ctx, *paths, json::compact);
    return lower_to<Reader>(document, granted, to, ctx);
}

/// Where the value of a path begins in the document; failure::nowhere where there is none.
template <class Reader>
std::size_t place_in_document(bytes document, const typename Reader::dialect& granted, const json::plan& plan,
                              std::uint32_t path, const limits& allowed) {
    context aside;
    aside.limits = allowed;
    value_place to(plan, path);
    Reader from(document, aside, granted);
    return from.feed(to) == errc::ok ? to.offset() : failure::nowhere;
}

}  // namespace kumihimo::inline v0::extract
