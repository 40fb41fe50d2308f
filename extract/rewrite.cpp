#include "extract/rewrite.hpp"

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
    explicit rewriter_into(const dialect& as) noexcept : as_(as) {}

    errc write(bytes document, const binary_format* from, buffer& out, context& ctx) const override {
        const std::size_t before = out.size();
        errc said = errc::ok;
        visit_format(from == nullptr ? json::format::name : from->name, [&](auto f) {
            using From = decltype(f);
            typename From::reader source(document, ctx, granted_of<From>(To::is_text));
            typename To::template writer<buffer> to(out, ctx, as_);
            bytes whole;
            said = pipe(source, to, whole);
        });
        if (To::is_text && said == errc::ok && !out.append("\n", 1))
            said = ctx.fail(errc::memory, failure::nowhere, "out of memory");
        if (said != errc::ok && out.size() != before) out.commit(out.data() + before);
        return said;
    }
    std::string_view format() const noexcept override { return To::name; }

private:
    const dialect& as_;
};

}  // namespace

std::shared_ptr<const rewriter> rewriter_to(std::string_view format, std::string_view dialect, std::string& why) {
    std::shared_ptr<const rewriter> made;
    const bool known = visit_format(format, [&](auto to) {
        using To = decltype(to);
        const auto* as = dialect_of(To::write_dialects, dialect);
        if constexpr (std::is_same_v<To, json::format>) {
            if (dialect.empty()) as = &json::exact;
        }
        if (as != nullptr) {
            made = std::make_shared<rewriter_into<To>>(*as);
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
