#include "extract/rewrite.hpp"

#include <utility>

#include "engine/core/pipe.hpp"
#include "engine/formats.hpp"
#include "extract/binary.hpp"

namespace kumihimo::inline v0::extract {
namespace {

// Between texts the digits of a number stay as they are.
constexpr json::read_dialect to_text = [] {
    json::read_dialect granted = json::integers_and_doubles;
    granted.decimal_digits = true;
    return granted;
}();

template <format From>
constexpr const auto& granted_of(bool into_text) noexcept {
    if constexpr (std::is_same_v<From, json::format>)
        return into_text ? to_text : json::integers_and_doubles;
    else
        return *From::read_dialects[0].dialect;
}

template <format To>
class rewriter_into final : public rewriter {
public:
    using dialect = typename To::template writer<buffer>::dialect;
    rewriter_into(const dialect& as, read_by source) : as_(as), source_(std::move(source)) {}

    errc write(bytes document, const binary_format* from, buffer& out, context& ctx) const override {
        const std::string_view name = from == nullptr ? json::format::name : from->name;
        if (!source_.dialect.empty() && name != source_.format)
            return ctx.fail(errc::unsupported, 0, "the document is of another format than the dialect");
        return write_as(name, source_.dialect, document, out, ctx);
    }
    errc write_null(buffer& out, context& ctx) const override {
        static constexpr unsigned char null[] = {'n', 'u', 'l', 'l'};
        return write_as(json::format::name, {}, null, out, ctx);
    }
    std::string_view format() const noexcept override { return To::name; }

private:
    errc write_as(std::string_view format, std::string_view named, bytes document, buffer& out, context& ctx) const {
        const std::size_t before = out.size();
        errc said = errc::ok;
        visit_format(format, [&](auto f) {
            using From = decltype(f);
            auto granted = granted_of<From>(To::is_text);
            if (!named.empty()) granted = *dialect_of(From::read_dialects, named);
            if constexpr (requires { granted.decimal_digits; }) granted.decimal_digits |= To::is_text;
            typename From::reader source(document, ctx, granted);
            typename To::template writer<buffer> to(out, ctx, as_);
            bytes whole;
            said = pipe(source, to, whole);
        });
        if (To::is_text && said == errc::ok && !out.append("\n", 1))
            said = ctx.fail(errc::memory, failure::nowhere, "out of memory");
        if (said != errc::ok && out.size() != before) out.commit(out.data() + before);
        return said;
    }

    const dialect& as_;
    read_by source_;
};

}  // namespace

std::shared_ptr<const rewriter> rewriter_to(std::string_view format, std::string_view dialect, std::string& why,
                                            read_by source) {
    std::shared_ptr<const rewriter> made;
    const bool known = visit_format(format, [&](auto to) {
        using To = decltype(to);
        const auto* as = dialect_of(To::write_dialects, dialect);
        if constexpr (std::is_same_v<To, json::format>) {
            if (dialect.empty()) as = &json::exact;
        }
        if (as != nullptr) {
            made = std::make_shared<rewriter_into<To>>(*as, std::move(source));
            return;
        }
        std::string names;
        for (const auto& one : To::write_dialects)
            names += std::string(names.empty() ? "'" : ", '") + std::string(one.name) + "'";
        why = "to_dialect of '" + std::string(format) + "' is one of " + names;
    });
    if (!known) {
        why = "to is no format that is known: '" + std::string(format) + "'";
    }
    return made;
}

}  // namespace kumihimo::inline v0::extract
