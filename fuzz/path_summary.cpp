// What stands at each path. The first byte says how many keys an object may have and where the lines, a document each,
// are cut into parts: summaries of the parts, united, must be that of the whole, and both texts of it valid.
#include <vector>

#include "engine/json/check.hpp"
#include "extract/path_report.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

std::string written(const path_summary& of, schema_text as, bool nested) {
    buffer out;
    fuzz::expect(write_schema(of, as, nested, out) == errc::ok, "a schema cannot be written");
    const std::string all(out.data(), out.size());
    context ctx;
    ctx.limits.depth = all.size();
    fuzz::expect(json::check(fuzz::as_bytes(all), ctx) == errc::ok, "a schema is no valid document");
    return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::size_t most_keys = 1 + data[0] % 7, part = 1 + data[0] / 7 % 5;
    std::vector<std::string_view> documents;
    for (std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1); !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        context ctx;
        if (json::check(fuzz::as_bytes(line), ctx, json::exact_decimals) == errc::ok) documents.push_back(line);
    }
    path_summary whole(most_keys), united(most_keys), at_hand(most_keys);
    for (std::size_t i = 0; i < documents.size(); ++i) {
        context ctx;
        fuzz::expect(whole.observe(fuzz::as_bytes(documents[i]), ctx) == errc::ok || whole.full(),
                     "a valid document is refused");
        at_hand.observe(fuzz::as_bytes(documents[i]), ctx);
        if (i % part != part - 1 && i + 1 != documents.size()) continue;
        united.unite(at_hand);
        at_hand.clear(most_keys);
    }
    if (whole.full() || united.full()) return 0;
    for (const bool nested : {false, true}) {
        for (const schema_text as : {schema_text::paths, schema_text::json_schema})
            fuzz::expect_equal(written(whole, as, nested), written(united, as, nested), "the parts are not the whole");
        std::shared_ptr<const schema> columns;
        std::string why;
        fuzz::expect(columns_of(whole, nested, columns, why) == errc::ok, "a schema makes no columns");
    }
    return 0;
}
