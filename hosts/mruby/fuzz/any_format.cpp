// Kumihimo's calls on any bytes, as a document of every format: no crash, the verdict of the engine's reader, what is
// read is written and read again as the same, in every format that takes it.
#include "engine/core/null.hpp"
#include "engine/formats.hpp"
#include "ruby.hpp"

using namespace fuzz;

namespace {

constexpr const char* refused = "Kumihimo::ParserError Kumihimo::NestingError";
constexpr const char* unsaid = "Kumihimo::GeneratorError Kumihimo::NestingError";

template <format F>
bool valid(bytes document) {
    context ctx;
    typename F::reader from(document, ctx);
    null_sink nothing;
    return from.feed(nothing) == errc::ok;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ruby in(size % 3 == 0);
    const mrb_value document = in.string({reinterpret_cast<const char*>(data), size});
    const auto options = [&](std::string_view name, std::initializer_list<const char*> keys) {
        const mrb_value all = mrb_hash_new(in.state());
        for (const char* const key : keys) in.set(all, key, in.string(name));
        return all;
    };
    each_format([&](auto row) {
        using rows = decltype(row);
        const mrb_value format = options(rows::name, {"format"});
        in.set(format, "timestamp", mrb_true_value());
        mrb_value v;
        const bool read = in.call(v, refused, "Kumihimo", "load", document, format);
        // A container as a key is the only thing that this host refuses beside the format.
        if (!read) expect(!valid<rows>({data, size}) || in.said().find("a map's key") != std::string::npos, in.said().c_str());
        if (read) expect(valid<rows>({data, size}), "what the engine refuses is read");
        // A tape has no type of an extension beyond a byte, and no offset of a day or more.
        mrb_value place;
        const bool recorded = in.call(place, refused, "Kumihimo", "lazy", document, format);
        if (recorded) expect(valid<rows>({data, size}), "what the engine refuses is on a tape");
        if (read && !recorded)
            expect(in.said().find("an extension's type") != std::string::npos ||
                       in.said().find("an instant's") != std::string::npos,
                   in.said().c_str());
        each_format([&](auto other) {
            const mrb_value wanted = options(decltype(other)::name, {"format"});
            in.set(wanted, "timestamp", mrb_true_value());
            const mrb_value ways = options(rows::name, {"from"});
            in.set(ways, "to", in.string(decltype(other)::name));
            mrb_value converted, written;
            if (in.call(converted, refused, "Kumihimo", "convert", document, ways))
                expect(valid<decltype(other)>(
                           {reinterpret_cast<const unsigned char*>(text_of(converted).data()), text_of(converted).size()}),
                       "what was converted cannot be read");
            // Keys that differ as values may be one text, so a first document can have a key twice: from the second on
            // they are equal.
            if (!read || !in.call(written, unsaid, "Kumihimo", "dump", v, options(decltype(other)::name, {"format"}))) return;
            mrb_value last = written;
            for (int i = 0; i < 2; ++i) {
                mrb_value again;
                last = written;
                expect(in.call(again, refused, "Kumihimo", "load", written, wanted), in.said().c_str());
                expect(in.call(written, unsaid, "Kumihimo", "dump", again, options(decltype(other)::name, {"format"})),
                       in.said().c_str());
            }
            expect_equal(text_of(written), text_of(last), "written again, it differs");
        });
    });
    return 0;
}
