// Frames on any bytes: what is unpacked is what the engine unpacks, what is packed comes back, and the documents of a
// stream are the same in a frame as without, in one piece and in small ones, with the same error at the same place.
#include "engine/formats.hpp"
#include "engine/frame/frame.hpp"
#include "ruby.hpp"

using namespace fuzz;

namespace {

constexpr const char* refused = "Kumihimo::ParserError";
constexpr const char* helpers = R"(
    module Streams
      class Pieces
        def initialize(whole, size) @whole, @size, @at = whole, size, 0 end
        def read(_)
          piece = @whole.byteslice(@at, @size)
          @at += @size
          piece
        end
      end
      # The documents, and the error that ended them.
      def self.documents(source, format)
        found = []
        Kumihimo.each_document(source, format: format, timestamp: true) { |value| found << value }
        shown(found)
      rescue Kumihimo::ParserError => error
        shown([found, error.message, error.offset, error.path])
      end
      def self.shown(found) found.inspect.gsub(/:0x\h+/, '') end  # without the addresses of objects
      def self.in_pieces(source, format, size) documents(Pieces.new(source, size), format) end
    end)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ruby in(size % 5 == 0);
    static const bool defined = [&] { return mrb_load_string(in.state(), helpers), in.state()->exc == nullptr; }();
    expect(defined, "the helpers are wrong");
    const mrb_value document = in.string({reinterpret_cast<const char*>(data), size});
    const mrb_value piece = mrb_int_value(in.state(), static_cast<mrb_int>(1 + size % 7));
    const auto documents = [&](mrb_value source, std::string_view format, bool cut) {
        const mrb_value arguments[] = {source, in.string(format), piece};
        mrb_value all;
        in.call(all, "", "Streams", cut ? "in_pieces" : "documents", arguments, cut ? 3 : 2);
        return std::string(text_of(all));
    };
    const bool framed = frame::recognise({data, size}) != nullptr;
    for (const frame::codec* const codec : frame::all()) {
        if (!frame::available(*codec)) continue;
        const mrb_value name = in.string(codec->name);
        context ctx;
        buffer text;
        const bool valid = frame::unpack(*codec, {data, size}, text, ctx) == errc::ok;
        mrb_value unpacked;
        const bool taken = in.call(unpacked, refused, "Kumihimo", "unpack", document, name);
        expect(taken == valid, taken ? "what the engine refuses is unpacked" : in.said().c_str());
        if (taken) expect_equal(text_of(unpacked), std::string_view(text.data(), text.size()), "unpacked otherwise");
        const mrb_value packed = in.must("Kumihimo", "pack", document, name);
        expect_equal(text_of(in.must("Kumihimo", "unpack", packed, name)), text_of(document),
                     "packed and unpacked, it differs");
        if (framed || codec != frame::all()[size % frame::all().size()]) continue;
        each_format([&](auto row) {
            constexpr std::string_view format = decltype(row)::name;
            const std::string plain = documents(document, format, false);
            expect_equal(documents(document, format, true), plain, "in pieces, the documents differ");
            expect_equal(documents(packed, format, false), plain, "in a frame, the documents differ");
            expect_equal(documents(packed, format, true), plain, "in a frame and in pieces, the documents differ");
        });
    }
    if (framed) each_format([&](auto row) { documents(document, decltype(row)::name, true); });
    return 0;
}
