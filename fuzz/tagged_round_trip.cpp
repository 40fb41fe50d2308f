// MessagePack documents through tagged and back: `safe` keeps everything, and what `study` takes is the same bytes
// when it is read and written again.
#include "engine/msgpack/reader.hpp"
#include "engine/tagged/reader.hpp"
#include "engine/tagged/writer.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;

namespace {

/// What the layout study makes of a document. It may be refused when it is whole, which is no place in the input.
template <class Reader>
errc study_of(bytes document, std::string& out) {
    context ctx;
    buffer memory;
    Reader from(document, ctx);
    tagged::writer to(memory, ctx, tagged::study);
    bytes b;
    const errc code = pipe(from, to, b);
    fuzz::expect(code == ctx.failure.code, "the context holds another code than was returned");
    if (code == errc::ok) out = fuzz::as_string(b);
    return code;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bytes document{data, size};
    std::string lines, safe, study, again;
    if (!fuzz::trace<msgpack::reader>(document, lines)) return 0;
    fuzz::expect(fuzz::convert<msgpack::reader, tagged::writer>(document, safe, tagged::safe) == errc::ok,
                 "safe refuses a document");
    fuzz::expect(fuzz::trace<tagged::reader>(fuzz::as_bytes(safe), again), "what was written is not read");
    fuzz::expect_equal(lines, again, "the layout safe changed the document");

    const errc code = study_of<msgpack::reader>(document, study);
    fuzz::expect(code == errc::ok || code == errc::unsupported || code == errc::duplicate, "study refuses for another reason");
    if (code != errc::ok) return 0;
    fuzz::expect(study_of<tagged::reader>(fuzz::as_bytes(study), again) == errc::ok,
                 "the layout study refuses its own document");
    fuzz::expect_equal(study, again, "the layout study is not stable");
    return 0;
}
