// JSON through mruby on any bytes: no crash, the verdict of the engine's reader, and what is read is written and read again as
// the same.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/core/null.hpp"
#include "engine/json/reader.hpp"
#include "test/vm/plain.hpp"

using namespace kumihimo;
using mruby::test::plain;

namespace {

void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

// What Ruby grants beyond RFC 8259 in depth only: 100 levels, of which empty containers are none.
bool valid(bytes document) {
    context ctx;
    ctx.limits.depth = 100;
    json::reader from(document, ctx, {.integer_zero = true, .flat_empty = true});
    null_sink nothing;
    return from.feed(nothing) == errc::ok;
}

bool call(plain& ruby, const char* name, mrb_value& v) {
    v = ruby.call("JSON", name, v);
    const bool through = ruby.state()->exc == nullptr;
    if (!through) {
        const std::string what = ruby.failure();
        expect(what.rfind("JSON::", 0) == 0, what.c_str());
    }
    return through;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static plain ruby;
    mrb_state* const mrb = ruby.state();
    const int arena = mrb_gc_arena_save(mrb);
    if (size % 3 == 0) ruby.collect_always();
    mrb_value v = mrb_str_new(mrb, reinterpret_cast<const char*>(data), size);
    mrb_value text = v;
    const bool read = call(ruby, "parse", v);
    expect(read == valid({data, size}), "mruby and the engine's reader disagree");
    if (read) {
        const mrb_value first = v;
        mrb_value written = first;
        // A number beyond the largest double is an infinity, which is not written.
        if (call(ruby, "generate", written)) {
            mrb_value again = written;
            expect(call(ruby, "parse", again), "what was written is not read");
            expect(mrb_equal(mrb, first, again), "what was written is another value");
            mrb_value twice = again;
            expect(call(ruby, "generate", twice) && mrb_str_equal(mrb, written, twice), "written twice, it differs");
            mrb_value pretty = first;
            expect(call(ruby, "pretty_generate", pretty) && call(ruby, "parse", pretty), "with a layout it is not read");
            expect(mrb_equal(mrb, first, pretty), "with a layout it is another value");
            mrb_value packed = ruby.call("MessagePack", "pack", first);
            expect(mrb->exc == nullptr, "what JSON says is not packed");
            packed = ruby.call("MessagePack", "unpack", packed);
            expect(mrb->exc == nullptr && mrb_equal(mrb, first, packed), "packed it is another value");
        }
    }
    for (const char* path : {"$", "a.b[0]", "[*].a", "/0/x"}) {
        const mrb_value found = ruby.call("JSON", "partial", text, ruby.string(path));
        const bool through = mrb->exc == nullptr;
        mrb->exc = nullptr;
        expect(through == read, "partial and parse disagree");
        if (through && path[0] == '$') expect(mrb_equal(mrb, mrb_ary_entry(found, 0), v), "partial gives another value");
    }
    mrb_gc_arena_restore(mrb, arena);
    return 0;
}
