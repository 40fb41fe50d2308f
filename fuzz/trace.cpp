// The trace notation: whatever reads back is written the same.
#include "fuzz/support.hpp"

using namespace kumihimo;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    context ctx;
    buffer out;
    trace_source from(input, ctx);
    trace_sink to(out, ctx);
    const errc code = from.feed(to);
    fuzz::expect_told(code, ctx, size);
    if (code != errc::ok) return 0;
    // The text behind an f64's bits is not read, and all NaN become one; reading back what was written must change
    // nothing.
    const std::string once(to.view());
    context ctx2;
    buffer out2;
    trace_source again(once, ctx2);
    trace_sink to2(out2, ctx2);
    fuzz::expect(again.feed(to2) == errc::ok, "a trace that was written is refused");
    fuzz::expect_equal(once, to2.view(), "a trace changed on the way");
    if (input.find("f64") == input.npos && input.find("\\x") == input.npos) {
        fuzz::expect_equal(once, input, "a trace was read leniently");
    }
    return 0;
}
