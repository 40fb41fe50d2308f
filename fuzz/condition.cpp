// Conditions. The first line is one, the rest a document. What is said of the document must be so at structural, too,
// and once more with the states of expressions that are known by then; the condition and its negation never both hold,
// and fail alike.
#include <memory>

#include "extract/judge.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

std::string said(judge& by, bytes document) {
    context ctx;
    if (const errc e = by.look(document, ctx); e != errc::ok) {
        fuzz::expect_told(e, ctx, document.size());
        return "refused";
    }
    bool holds = false;
    const errc e = by.decide(holds, ctx);
    fuzz::expect_told(e, ctx, document.size());
    if (e == errc::ok) return holds ? "yes" : "no";
    fuzz::expect(!by.explanation().empty() && by.failed_path() != condition::none, "a failure is not explained");
    return std::to_string(ctx.failure.offset) + ctx.failure.path + by.explanation();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const std::size_t line = all.find('\n');
    if (line == std::string_view::npos || line > 2000) return 0;
    const std::string_view text = all.substr(0, line);
    const bytes document = fuzz::as_bytes(all.substr(line + 1));
    std::shared_ptr<const condition> is, is_not;
    std::string why;
    if (condition::compile(text, is, why) != errc::ok) {
        fuzz::expect(!is && why.starts_with("where"), "a refusal has no sentence");
        return 0;
    }
    if (is->judges_rows()) return 0;
    const bool fits = condition::compile("not (" + std::string(text) + ")", is_not, why) == errc::ok;
    fuzz::expect(fits || why.find("deep") != std::string::npos, "a condition cannot be negated");
    judge strict(is, json::level::strict);
    const std::string first = said(strict, document);
    fuzz::expect_equal(first, said(strict, document), "the second answer is another one");
    if (first == "refused") return 0;
    judge structural(is, json::level::structural);
    fuzz::expect_equal(first, said(structural, document), "another level says another thing");
    if (!fits) return 0;
    judge opposite(is_not, json::level::strict);
    const std::string second = said(opposite, document);
    if (first == "yes" || first == "no")
        fuzz::expect(second == "no" || (second == "yes" && first == "no"), "a condition and its negation hold");
    else
        fuzz::expect_equal(first, second, "a condition and its negation fail in other ways");
    return 0;
}
