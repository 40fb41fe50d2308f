#include "extract/dialect_reader.hpp"

#include "engine/core/null.hpp"
#include "engine/formats.hpp"
#include "engine/json/check.hpp"
#include "extract/lower.hpp"

namespace kumihimo::inline v0::extract {
namespace {

/// The same dialect without what it refuses: what is left is whether the text is written as a document at all.
template <typename D>
constexpr D refusing_nothing(D d) noexcept {
    if constexpr (requires { d.duplicates = json::duplicate_keys::keep; }) d.duplicates = json::duplicate_keys::keep;
    if constexpr (requires { d.overflows = json::overflow::digits; }) d.overflows = json::overflow::digits;
    if constexpr (requires { d.surrogates = json::lone_surrogates::keep; })
        if (d.surrogates == json::lone_surrogates::refuse) d.surrogates = json::lone_surrogates::keep;
    return d;
}

template <format F>
class reader_of final : public dialect_reader {
public:
    using dialect = typename F::reader::dialect;
    explicit reader_of(const dialect& granted) noexcept
        : granted_(granted), lossless_(granted), cutting_(refusing_nothing(granted)) {
        if constexpr (requires { lossless_.decimal_digits; }) lossless_.decimal_digits = true;
    }

    errc lower(bytes document, const binary_format* format, const json::plan* paths, buffer& out, context& ctx) const override {
        if (format == nullptr ? !F::is_text : format->name != F::name)
            return ctx.fail(errc::unsupported, 0, "the document is of another format than the dialect");
        if constexpr (requires { granted_.overflows; }) {
            // A number whose digits are kept is too large for nobody, so this dialect's own refusal comes first.
            if (granted_.overflows == json::overflow::refuse && !granted_.decimal_digits)
                KUMIHIMO_TRY(check(document, granted_, ctx));
        }
        return lower_document<typename F::reader>(document, lossless_, paths, care::all, out, ctx);
    }
    errc whole(bytes document, context& ctx) const override {
        if constexpr (F::is_text)
            return check(document, cutting_, ctx);
        else
            return json::check(document, ctx);
    }
    std::size_t place(bytes document, const json::plan& plan, std::uint32_t path, const limits& allowed) const override {
        return place_in_document<typename F::reader>(document, lossless_, plan, path, allowed);
    }
    bool comments() const noexcept override {
        if constexpr (requires { granted_.comments; })
            return granted_.comments;
        else
            return false;
    }

private:
    static errc check(bytes document, const dialect& by, context& ctx) {
        typename F::reader from(document, ctx, by);
        null_sink nothing;
        return from.feed(nothing);
    }

    const dialect& granted_;
    dialect lossless_;  // the same with all digits of numbers
    dialect cutting_;   // the same without its refusals, for where documents end
};

}  // namespace

std::shared_ptr<const dialect_reader> reader_by(std::string_view format, std::string_view dialect, std::string& why) {
    std::shared_ptr<const dialect_reader> made;
    visit_format(format, [&](auto f) {
        using F = decltype(f);
        const auto* granted = dialect_of(F::read_dialects, dialect);
        if (granted == F::read_dialects[0].dialect) return;
        if (granted != nullptr) {
            made = std::make_shared<reader_of<F>>(*granted);
            return;
        }
        std::string names;
        for (const auto& one : F::read_dialects)
            names += std::string(names.empty() ? "'" : ", '") + std::string(one.name) + "'";
        why = "dialect of '" + std::string(format) + "' is one of " + names;
    });
    return made;
}

}  // namespace kumihimo::inline v0::extract
