// MessagePack through mruby on any bytes: no crash, the verdict of the engine's reader, and what is read is packed and read
// again as the same.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "engine/core/null.hpp"
#include "engine/msgpack/reader.hpp"
#include "test/vm/plain.hpp"

using namespace kumihimo;
using mruby::test::plain;

namespace {

void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

bool valid(bytes document) {
    context ctx;
    msgpack::reader from(document, ctx, msgpack::ruby_read);
    null_sink nothing;
    return from.feed(nothing) == errc::ok;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static plain ruby;
    mrb_state* const mrb = ruby.state();
    const int arena = mrb_gc_arena_save(mrb);
    if (size % 3 == 0) ruby.collect_always();
    const mrb_value options = mrb_hash_new(mrb);
    for (const char* name : {"timestamp", "allow_unknown_ext"})
        mrb_hash_set(mrb, options, mrb_symbol_value(mrb_intern_cstr(mrb, name)), mrb_true_value());
    const mrb_value v =
        ruby.call("MessagePack", "unpack", mrb_str_new(mrb, reinterpret_cast<const char*>(data), size), options);
    if (mrb->exc != nullptr) {
        const std::string what = ruby.failure();
        expect(what.rfind("MessagePack::", 0) == 0, what.c_str());
        // A container as a key is the only thing that this host refuses beside the format.
        expect(!valid({data, size}) || what.find("a map's key") != std::string::npos, what.c_str());
    } else {
        expect(valid({data, size}), "what the engine refuses is read");
        const mrb_value packed = ruby.call("MessagePack", "pack", v);
        expect(mrb->exc == nullptr, "what was read is not packed");
        const mrb_value again = ruby.call("MessagePack", "unpack", packed, options);
        expect(mrb->exc == nullptr, "what was packed is not read");
        const mrb_value twice = ruby.call("MessagePack", "pack", again);
        expect(mrb->exc == nullptr && mrb_str_equal(mrb, packed, twice), "packed twice, it differs");
    }
    mrb_gc_arena_restore(mrb, arena);
    return 0;
}
