// A format that a caller names, as a row of the table (engine/formats.hpp): what the generic calls have in common.
// Nothing here or in its callers knows a format by name.
//
//      any_reader     a row's reader with a dialect, into Ruby objects, onto a tape, or out of a stream; and what finds a few
//                     values of its documents
//
// Names are Strings or Symbols; a name that the table does not have is an ArgumentError that lists what it has.
#pragma once
#include <memory>
#include <new>
#include <string_view>

#include "any_build.hpp"
#include "engine/formats.hpp"
#include "engine/tape/partial.hpp"
#include "errors.hpp"
#include "parse.hpp"
#include "stoppable.hpp"

namespace kumihimo::inline v0::ruby {

/// Where the documents of a stream end: a format's boundary.
class document_ends {
public:
    virtual ~document_ends() = default;
    /// How many of the bytes belong to the current document, and whether they are its end.
    virtual std::size_t next(const char* p, std::size_t n, bool& whole) = 0;
    virtual bool started() const = 0;
    /// For the next document.
    virtual void reset() = 0;
};

/// For sinks that may jump: the state of the jump, which is the caller's to go on with.
struct protected_call {
    int state = 0;
    template <class F>
    bool operator()(F&& f) {
        state = protect(f);
        return state == 0;
    }
};
using partial_search = tape::any_partial<any_builder, protected_call>;

/// How documents of one format are read by one dialect.
struct any_reader {
    std::string_view format;
    const void* dialect = nullptr;  // the row's own type
    bool is_text = false;
    bool checked = false;  // text of which it says that it is UTF-8 is
    bool digits = false;   // numbers with a fraction as their digits, where the format's dialects can say so
    bool streams = false;  // no comments, where they can: between documents one could hold anything, brackets and quotes too

    /// One document as a Ruby object. Raises nothing; see read_document (parse.hpp) for the last two.
    outcome (*build)(const any_reader&, bytes, const any_options&, const stream_place&, bool interruptible) = nullptr;
    /// One document on a tape, which `to` was made for. No Ruby: without the lock.
    errc (*record)(const any_reader&, bytes, context&, stoppable& to) noexcept = nullptr;
    /// Null when memory is out.
    document_ends* (*ends)() noexcept = nullptr;
    /// What finds a few values in documents (engine/tape/partial.hpp); with `raw` it knows their bytes. Null when
    /// memory is out.
    partial_search* (*search)(const any_reader&, const json::projection&, json::level, bool raw) noexcept = nullptr;
};

namespace detail {

template <format F>
auto granted_by(const any_reader& by) noexcept {
    auto granted = *static_cast<const typename F::reader::dialect*>(by.dialect);
    if constexpr (requires { granted.decimal_digits; })
        if (by.digits) granted.decimal_digits = true;
    if constexpr (requires { granted.comments; })
        if (by.streams) granted.comments = false;
    return granted;
}

// Not inlined: its objects with destructors are gone when it returns, and the caller may jump.
template <format F>
[[gnu::noinline]] outcome build(const any_reader& by, bytes document, const any_options& options, const stream_place& place,
                                bool interruptible) {
    outcome out;
    errc e = errc::ok;
    context ctx;
    ctx.limits.depth = options.depth;
    any_builder to(ctx, options);
    if (!by.checked) to.distrust();
    if (interruptible) to.give_way();
    {
        const auto granted = granted_by<F>(by);
        typename F::reader from(document, ctx, granted);
        out.state = protect([&] {
            e = from.feed(to);
            if (e == errc::ok) out.made = to.take();
        });
    }
    if (out.state == 0 && e != errc::ok) {
        if (ctx.failure.line == 1) ctx.failure.column += place.columns;
        out.state = protect([&] { out.error = parse_error_of(ctx, e, document, place.offset, place.lines); });
    }
    to.release();
    return out;
}

template <format F>
errc record(const any_reader& by, bytes document, context& ctx, stoppable& to) noexcept {
    try {
        const auto granted = granted_by<F>(by);
        typename F::reader from(document, ctx, granted);
        return from.feed(to);
    } catch (const std::bad_alloc&) {
        return ctx.fail(errc::memory, failure::nowhere, "out of memory");
    }
}

template <format F>
class ends_of final : public document_ends {
public:
    std::size_t next(const char* p, std::size_t n, bool& whole) override {
        const std::size_t used = state_.next(p, n);
        whole = state_.complete;
        return used;
    }
    bool started() const override { return state_.started(); }
    void reset() override { state_ = {}; }

private:
    typename F::boundary state_;
};

}  // namespace detail

/// A row's reader with that dialect, which must outlive it.
template <format F>
any_reader reader_of(const typename F::reader::dialect& dialect) noexcept {
    any_reader made;
    made.format = F::name;
    made.dialect = &dialect;
    made.is_text = F::is_text;
    made.checked = &dialect == F::read_dialects[0].dialect;  // the others may let through what is no text
    made.build = detail::build<F>;
    made.record = detail::record<F>;
    made.search = [](const any_reader& by, const json::projection& wanted, json::level level,
                     bool raw) noexcept -> partial_search* {
        try {
            return new tape::partial_of<F, any_builder, protected_call>(wanted, level, detail::granted_by<F>(by), raw);
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    };
    made.ends = []() noexcept -> document_ends* { return new (std::nothrow) detail::ends_of<F>; };
    return made;
}

/// The reader that is asked for; `dialect` nil: the format's first. Raises ArgumentError, TypeError.
any_reader reader_named(VALUE format, VALUE dialect);
/// The same; `format` nil: what the document's bytes tell. Raises ParserError where they tell none.
any_reader reader_named_or_told(VALUE format, VALUE dialect, VALUE document);

/// A source as a String whose bytes can be looked at: what is in a frame is unpacked (frames.hpp), and text in an
/// encoding that no byte of it can be looked at in is UTF-8. Raises TypeError, ParserError.
VALUE readable(VALUE source);

/// A readable document as that reader has it: bytes as they are, text as UTF-8. Raises TypeError.
VALUE document_for(const any_reader& by, VALUE source);

/// The options of load, lazy, partial and each_document that are not the format's: symbolize_names, freeze,
/// decimal_class and max_nesting of a Hash. What `out` refers to is kept by what is returned.
VALUE read_any_options(VALUE options, any_reader& by, any_options& out);

}  // namespace kumihimo::inline v0::ruby
