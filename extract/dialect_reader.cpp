#include "extract/dialect_reader.hpp"

#include "engine/core/null.hpp"
#include "engine/formats.hpp"
#include "engine/json/check.hpp"
#include "extract/lower.hpp"

namespace kumihimo::inline v0::extract {
namespace {

template <format F>
class reader_of final : public dialect_reader {
public:
    using dialect = typename F::reader::dialect;
    explicit reader_of(const dialect& granted) noexcept : granted_(granted), lossless_(granted) {
        if constexpr (requires { lossless_.decimal_digits; }) lossless_.decimal_digits = true;
    }

    errc lower(bytes document, const binary_format* format, const json::plan* paths, buffer& out, context& ctx) const override {
        if (format == nullptr ? !F::is_text : format->name != F::name)
            return ctx.fail(errc::unsupported, 0, "the document is of another format than the dialect");
        if constexpr (requires { granted_.overflows; }) {
            // A number whose digits are kept is too large for nobody, so this dialect's own refusal comes first.
            if (granted_.overflows == json::overflow::refuse && !granted_.decimal_digits) KUMIHIMO_TRY(check(document, ctx));
        }
        return lower_document<typename F::reader>(document, lossless_, paths, care::all, out, ctx);
    }
    errc check(bytes document, context& ctx) const override {
        if constexpr (F::is_text) {
            typename F::reader from(document, ctx, granted_);
            null_sink nothing;
            return from.feed(nothing);
        } else {
            return json::check(document, ctx);
        }
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
    const dialect& granted_;
    dialect lossless_;  // the same with all digits of numbers
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
