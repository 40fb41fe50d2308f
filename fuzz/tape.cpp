// The tape. Even first byte: a JSON document, recorded, looked at and played. Odd: arbitrary nodes, which the check
// must refuse or make safe to play.
#include <cstring>
#include <vector>

#include "engine/json/reader.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/tape/cursor.hpp"
#include "engine/tape/tape.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;

namespace {

/// Visits every value through the cursor; the sum keeps the reads alive.
std::size_t visit(const tape::view& v) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < v.size; ++i) {
        if (v.nodes[i].is() == tape::kind::end) continue;
        const tape::cursor c(v, i);
        std::int64_t n = 0;
        double x = 0;
        text t;
        bytes b;
        instant at;
        sum += static_cast<std::size_t>(c.get(n)) + static_cast<std::size_t>(c.get(x)) + static_cast<std::size_t>(c.get(at));
        if (c.get(t) == errc::ok && t.size != 0) sum += static_cast<unsigned char>(t.view().back());
        if (c.get(b) == errc::ok && !b.empty()) sum += b.back();
        for (const unsigned char byte : c.raw()) sum += byte;
        if (v.nodes[i].is() == tape::kind::array) {
            std::size_t children = 0;
            for (tape::cursor k = c.first(); k && children < 32; k = k.next(), ++children) {
                fuzz::expect(c[children].index() == k.index(), "walking and indexing an array differ");
            }
        }
        if (v.nodes[i].is() == tape::kind::map && i < 64) sum += static_cast<bool>(c["a"]);
    }
    return sum;
}

template <class Reader>
void record(bytes document) {
    std::string lines;
    const bool read = fuzz::trace<Reader>(document, lines);
    context ctx;
    tape::recorder to(ctx, document, true);
    Reader from(document, ctx);
    fuzz::expect((from.feed(to) == errc::ok) == read, "the recorder refuses what was read");
    if (!read) return;
    tape::view v;
    fuzz::expect(to.finish(v) == errc::ok, "the tape of a whole document is not whole");
    fuzz::expect(tape::check(v, ctx) == errc::ok, "the check refuses a recorded tape");
    std::string played;
    tape::player again(v);
    buffer out;
    trace_sink sink(out, ctx, {.counts = false});
    fuzz::expect(again.feed(sink) == errc::ok, "a tape cannot be played");
    fuzz::expect_equal(lines, sink.view(), "recorded and played, the document changed");
    if constexpr (!std::is_same_v<Reader, msgpack::reader>) v.spans = nullptr;
    [[maybe_unused]] static volatile std::size_t kept;
    kept = visit(v);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const unsigned choice = *data++ % 3;
    --size;
    if (choice == 0) record<json::reader>({data, size});
    if (choice == 2) record<msgpack::reader>({data, size});
    if (choice != 1) return 0;

    // Nodes of 16 bytes; the rest and half of it are input and arena.
    std::vector<tape::node> nodes(size / 16);
    if (!nodes.empty()) std::memcpy(nodes.data(), data, nodes.size() * 16);
    const bytes text{data, size};
    tape::view v;
    v.nodes = nodes.data();
    v.size = nodes.size();
    v.input = text.subspan(0, size / 2);
    v.arena = text.subspan(0, size / 3);
    context ctx;
    if (tape::check(v, ctx) != errc::ok) return 0;
    buffer out;
    trace_sink lines(out, ctx);
    tape::player from(v);
    fuzz::expect(from.feed(lines) == errc::ok, "a checked tape cannot be played");
    [[maybe_unused]] static volatile std::size_t kept;
    kept = visit(v);
    return 0;
}
