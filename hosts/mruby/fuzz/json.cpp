// JSON through mruby on any bytes: no crash, the verdict of the engine's reader, and what is read is written and read
// again as the same.
#include "engine/core/null.hpp"
#include "engine/json/reader.hpp"
#include "ruby.hpp"

using namespace fuzz;

namespace {

constexpr const char* refused = "JSON::ParserError JSON::NestingError";

// What Ruby grants beyond RFC 8259 in depth only: 100 levels, of which empty containers are none.
bool valid(bytes document) {
    context ctx;
    ctx.limits.depth = 100;
    json::reader from(document, ctx, {.integer_zero = true, .flat_empty = true});
    null_sink nothing;
    return from.feed(nothing) == errc::ok;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ruby in(size % 3 == 0);
    const mrb_value text = in.string({reinterpret_cast<const char*>(data), size});
    mrb_value first, written;
    const bool read = in.call(first, refused, "JSON", "parse", text);
    expect(read == valid({data, size}), "mruby and the engine's reader disagree");
    // A number beyond the largest double is an infinity, which is not written.
    if (read && in.call(written, "JSON::GeneratorError", "JSON", "generate", first)) {
        const mrb_value again = in.must("JSON", "parse", written);
        expect(in.same(first, again), "what was written is another value");
        expect_equal(text_of(in.must("JSON", "generate", again)), text_of(written), "written twice, it differs");
        const mrb_value pretty = in.must("JSON", "pretty_generate", first);
        expect(in.same(first, in.must("JSON", "parse", pretty)), "with a layout it is another value");
        const mrb_value packed = in.must("MessagePack", "pack", first);
        expect(in.same(first, in.must("MessagePack", "unpack", packed)), "packed it is another value");
    }
    for (const char* path : {"$", "a.b[0]", "[*].a", "/0/x"}) {
        mrb_value found;
        const bool through = in.call(found, refused, "JSON", "partial", text, in.string(path));
        expect(through == read, "partial and parse disagree");
        if (through && path[0] == '$') expect(in.same(mrb_ary_entry(found, 0), first), "partial gives another value");
    }
    return 0;
}
