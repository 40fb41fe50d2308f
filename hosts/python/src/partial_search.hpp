// How kumihimo.partial searches the documents of one format by one dialect: what the template knows of them, behind
// virtual calls, and beside engine/tape/partial.hpp what Python says of numbers.
#pragma once
#include <memory>
#include <span>
#include <utility>

#include "engine/json/project.hpp"
#include "engine/tape/partial.hpp"
#include "src/build.hpp"
#include "src/format_options.hpp"
#include "src/frames.hpp"
#include "src/guard.hpp"
#include "src/numbers.hpp"

namespace kumihimo::inline v0::python {

// A value of no more has so few objects that the collector may as well stay.
inline constexpr std::size_t few_bytes = 32;

// How the documents of one format are searched by one dialect, which the template knows.
struct partial_search {
    virtual ~partial_search() = default;
    /// `outside`: the GIL was given up. `doubtful`: numbers may be no Python's, and judged() has to be asked.
    virtual errc run(bytes document, context& ctx, unlocked* outside, bool& doubtful) = 0;
    virtual void forget() noexcept = 0;
    /// What the calls of this format say of the document after `e`.
    virtual errc judged(errc e, bool doubtful, bytes document, context& ctx) const = 0;
    virtual bool any_text() const noexcept = 0;

    // What run() has found: of path i so many values.
    virtual std::size_t count(std::size_t i) const noexcept = 0;
    virtual bool absent(std::size_t i, std::size_t k) const noexcept = 0;
    virtual bool brief(std::size_t i, std::size_t k) const noexcept = 0;
    virtual bytes raw(std::size_t i, std::size_t k) const noexcept = 0;
    virtual errc give(std::size_t i, std::size_t k, builder& to, context& ctx) = 0;

    // Where they are slices, they can be kept, and made into objects once others were found.
    virtual bool projects() const noexcept = 0;
    virtual std::span<const json::slice> slices(std::size_t i) const noexcept = 0;
    virtual errc give(bytes document, json::slice value, builder& to, context& ctx) = 0;
};

template <format F>
class partial_search_by final : public partial_search {
public:
    using dialect = typename F::reader::dialect;
    using partial = tape::partial<F, noting<tape::recorder>>;

    partial_search_by(const json::projection& wanted, json::level level, const dialect& granted, bool decimals, bool raw)
        : granted_(granted), strict_(level == json::level::strict), decimals_(decimals), it_(wanted, level, granted, raw) {}

    errc run(bytes document, context& ctx, unlocked* outside, bool& doubtful) override {
        const errc e = it_.run(document, ctx, decimals_, outside);
        doubtful = false;
        if constexpr (format_options<F>::judged) {
            if (it_.projects())
                // In the strict level, where all numbers of the document count.
                doubtful =
                    e == errc::ok && strict_ && it_.by_projector().may_overflow() && has_doubtful(document, ctx, granted_);
            else
                doubtful = it_.recorded()->found();
        }
        return e;
    }
    void forget() noexcept override { it_.forget(); }
    errc judged(errc e, bool doubtful, bytes document, context& ctx) const override {
        if (e != errc::ok) return fault_of<F>(e, document, ctx, granted_);
        if constexpr (format_options<F>::judged)
            if (doubtful) return judge(document, ctx, granted_);
        return e;
    }
    bool any_text() const noexcept override { return lets_any_text(granted_); }

    std::size_t count(std::size_t i) const noexcept override { return it_.count(i); }
    bool absent(std::size_t i, std::size_t k) const noexcept override { return it_.absent(i, k); }
    bool brief([[maybe_unused]] std::size_t i, [[maybe_unused]] std::size_t k) const noexcept override {
        if constexpr (projecting_format<F>) return it_.projects() && it_.by_projector().values(i)[k].length < few_bytes;
        return false;
    }
    bytes raw(std::size_t i, std::size_t k) const noexcept override { return it_.raw(i, k); }
    errc give(std::size_t i, std::size_t k, builder& to, context& ctx) override { return it_.give(i, k, to, ctx); }

    bool projects() const noexcept override { return it_.projects(); }
    std::span<const json::slice> slices([[maybe_unused]] std::size_t i) const noexcept override {
        if constexpr (projecting_format<F>)
            return it_.by_projector().values(i);
        else
            return {};
    }
    errc give([[maybe_unused]] bytes document, [[maybe_unused]] json::slice value, [[maybe_unused]] builder& to,
              [[maybe_unused]] context& ctx) override {
        if constexpr (projecting_format<F>) {
            it_.by_projector().aim(document);
            return it_.by_projector().give(value, to, ctx);
        } else {
            return errc::unsupported;
        }
    }

private:
    dialect granted_;
    bool strict_, decimals_;
    partial it_;
};

/// Makes one that is not shared.
using maker = std::unique_ptr<partial_search> (*)(const json::projection&, json::level, const void* granted, bool decimals,
                                                  bool raw);

/// How documents are read: the format, and the dialect that `granted` keeps.
struct partial_reading {
    maker make = nullptr;
    bool (*open)(unframed_bytes& input, PyObject* data, context& ctx, const void* granted) = nullptr;
    std::shared_ptr<const void> granted;
    bool decimals = false;
};

// The dialect by its name, or by the options of loads.
template <format F>
partial_reading reading_by(nanobind::handle dialect_name, bool decimal, bool unique_keys) {
    using dialect = typename F::reader::dialect;
    if (unique_keys && (!format_options<F>::takes_flags || !dialect_name.is_none()))
        throw nanobind::value_error("unique_keys is a dialect's question here: name one that refuses equal keys");
    convert_options o;
    o.decimal = decimal;
    o.unique_keys = unique_keys;
    auto granted = std::make_shared<dialect>(format_options<F>::converted_from(o));
    if (!read_dialect_name<F>("dialect", dialect_name.ptr(), F::read_dialects, *granted)) throw nanobind::python_error();
    const bool decimals = exact_numbers(*granted, decimal);
    if constexpr (requires { granted->decimal_digits; }) granted->decimal_digits = decimals;
    return {[](const json::projection& wanted, json::level level, const void* by, bool d,
               bool raw) -> std::unique_ptr<partial_search> {
                return std::make_unique<partial_search_by<F>>(wanted, level, *static_cast<const dialect*>(by), d, raw);
            },
            [](unframed_bytes& input, PyObject* data, context& ctx, const void* by) {
                return open_input<F>(input, data, ctx, *static_cast<const dialect*>(by));
            },
            std::move(granted), decimals};
}

}  // namespace kumihimo::inline v0::python
