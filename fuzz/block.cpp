// Block files of any bytes: every block lies in the file, behind the one before, with lengths that add up, and the
// walk ends. A fuzzer does not find check sums, so the same bytes are also an index inside of its frame, and the
// origins inside of that.
#include "extract/block.hpp"
#include "extract/block_packer.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

void origins(const packed_block& of, std::size_t documents) {
    constexpr std::size_t most = block_options::most_names;
    block_origins from;
    from.open(of);
    origin o;
    std::size_t known = 0;
    std::string last;
    while (known < documents && from.at(known, o)) {
        fuzz::expect(o.archive.size() <= most && o.entry.size() <= most, "a name from nowhere");
        last = o.entry;
        ++known;
    }
    // Not in order: the same.
    if (known == documents && known > 1) {
        fuzz::expect(from.at(0, o) && from.at(known - 1, o), "what was known is not");
        fuzz::expect_equal(last, o.entry, "another name than before");
    }
}

void walk(bytes file, packing as) {
    block_walk blocks(file, as, {});
    std::uint64_t behind = 0, text = 0, seen = 0;
    block_walk::begins(file, as);
    for (packed_block b;; ++seen) {
        context ctx;
        fuzz::expect(seen <= file.size(), "the walk does not end");
        const block_walk::found said = blocks.next(b, ctx);
        fuzz::expect(blocks.at() >= behind && blocks.at() <= file.size(), "the walk goes back");
        behind = blocks.at();
        fuzz::expect((said == block_walk::found::damaged) == (ctx.failure.code != errc::ok), "damage without a reason");
        if (said != block_walk::found::block) break;
        fuzz::expect(b.packed.data() >= file.data() && b.packed.data() + b.packed.size() == file.data() + blocks.at(),
                     "a block outside of the file");
        std::uint64_t sum = 0;
        for (const std::uint64_t n : b.lengths) {
            fuzz::expect(n != 0 && n <= b.size - sum, "lengths beyond the block");
            sum += n;
        }
        fuzz::expect(sum == b.size && b.text_at == text && blocks.text_at() == text + sum, "lengths do not add up");
        text += sum;
        origins(b, b.lengths.size());
    }
}

void wrapped(bytes index, const frame::codec& codec, packing as) {
    context ctx;
    buffer packed;
    if (frame::pack(codec, index, packed, frame::usual_level, ctx) != errc::ok) return;
    std::string file;
    const bytes start = block_file_start(codec);
    file.append(reinterpret_cast<const char*>(start.data()), start.size());
    file += "\x5b\x2a\x4d\x18";
    for (int i = 0; i < 4; ++i) file += static_cast<char>((9 + packed.size()) >> 8 * i);
    file += "kumihimo\x01";
    file.append(packed.data(), packed.size());
    file.append(100, 'x');
    walk(fuzz::as_bytes(file), as);
}

// These bytes as the origins in an index.
void only_origins(bytes input) {
    std::string map("\x81\xa7origins\xc6", 10);
    for (int i = 3; i >= 0; --i) map += static_cast<char>(input.size() >> 8 * i);
    map.append(reinterpret_cast<const char*>(input.data()), input.size());
    context ctx;
    buffer index;
    index.append("kumihimo\x01", 9);
    if (frame::pack(frame::lz4, fuzz::as_bytes(map), index, frame::usual_level, ctx) != errc::ok) return;
    packed_block of;
    of.codec = &frame::lz4;
    of.index = fuzz::as_bytes({index.data(), index.size()});
    for (const std::size_t documents : {std::size_t{1}, std::size_t{3}}) origins(of, documents);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bytes input{data, size};
    walk(input, packing::zstd);
    walk(input, packing::lz4);
    wrapped(input, frame::lz4, packing::lz4);
    wrapped(input, frame::zstd, packing::zstd);
    only_origins(input);
    return 0;
}
