// Cutting text into documents. The first byte chooses the layout and the size of the pieces; the text at hand and the
// same text as a stream must give the same documents.
#include <vector>

#include "extract/source.hpp"
#include "extract/split.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

/// All documents of a text, through pieces of about `want` bytes; what lines they stand on in lines layout is the
/// worker's job.
std::string documents(text_cutter& from, std::size_t want, std::size_t size) {
    std::string all;
    for (std::size_t pieces = 0;; ++pieces) {
        fuzz::expect(pieces <= size + 2, "the pieces do not end");
        context ctx;
        piece p;
        const errc code = from.next(want, p, ctx);
        if (code != errc::ok) {
            fuzz::expect(ctx.failure.code == code, "a cut is refused without a reason");
            return all + "error " + name(code) + "\n";
        }
        if (p.text.empty()) return all;
        if (p.text_layout == layout::lines) {
            all += fuzz::as_string(p.text);
        } else {
            for (const span_of& d : p.documents) {
                fuzz::expect(d.offset <= p.text.size() && d.length <= p.text.size() - d.offset, "a document outside its piece");
                all += "document at " + std::to_string(p.offset + d.offset) + "\n";
                all += fuzz::as_string(p.text.subspan(static_cast<std::size_t>(d.offset), static_cast<std::size_t>(d.length))) +
                       "\n";
            }
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const layout as = static_cast<layout>(data[0] % 5);
    const std::size_t want = 1 + data[0] / 5 * 7;
    const bytes text{data + 1, size - 1};
    sniff_layout(text, true);
    text_cutter at_hand(text, as, 1 << 20);
    const std::string first = documents(at_hand, want, size);
    memory_source from(text);
    text_cutter streamed(from, as, 1 << 20);
    fuzz::expect_equal(first, documents(streamed, want, size), "the stream is cut in another way");
    text_cutter other(text, as, 1 << 20);
    fuzz::expect_equal(first, documents(other, want + 100, size), "larger pieces hold other documents");
    return 0;
}
