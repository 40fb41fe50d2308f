// MessagePack through mruby on any bytes: no crash, the verdict of the engine's reader, and what is read is packed and
// read again as the same.
#include "engine/core/null.hpp"
#include "engine/msgpack/reader.hpp"
#include "ruby.hpp"

using namespace fuzz;

namespace {

bool valid(bytes document) {
    context ctx;
    msgpack::reader from(document, ctx, msgpack::ruby_read);
    null_sink nothing;
    return from.feed(nothing) == errc::ok;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ruby in(size % 3 == 0);
    const mrb_value options = mrb_hash_new(in.state());
    for (const char* name : {"timestamp", "allow_unknown_ext"}) in.set(options, name, mrb_true_value());
    mrb_value arguments[] = {in.string({reinterpret_cast<const char*>(data), size}), options}, v;
    // A container as a key is the only thing that this host refuses beside the format.
    const bool read = in.call(v, "MessagePack::UnpackError MessagePack::NestingError", "MessagePack", "unpack", arguments, 2);
    if (!read) {
        expect(!valid({data, size}) || in.said().find("a map's key") != std::string::npos, in.said().c_str());
        return 0;
    }
    expect(valid({data, size}), "what the engine refuses is read");
    const mrb_value packed = in.must("MessagePack", "pack", v);
    const mrb_value again = in.must("MessagePack", "unpack", packed, options);
    expect_equal(text_of(in.must("MessagePack", "pack", again)), text_of(packed), "packed twice, it differs");
    return 0;
}
