// Zip archives of any bytes: the directory is walked, every entry's data found and expanded, as extract does it.
#include <vector>

#include "engine/scalar/utf8.hpp"
#include "extract/entry_text.hpp"
#include "extract/framed.hpp"
#include "extract/inflate.hpp"
#include "extract/salvage.hpp"
#include "extract/zip.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

// Entries without the directory: each in bounds, each behind the one before, and the walk ends.
void walk(bytes file) {
    zip_walk entries(file, {});
    std::uint64_t behind = 0, seen = 0;
    for (zip_entry e; entries.next(e); ++seen) {
        fuzz::expect(seen <= file.size(), "the walk does not end");
        fuzz::expect(e.header >= behind && e.header <= file.size(), "the walk goes back");
        behind = e.header;
        if (e.lost != nullptr) continue;
        context ctx;
        bytes packed;
        if (zip_data(file, file.size(), e, false, packed, ctx) != errc::ok) continue;
        fuzz::expect(packed.data() >= file.data() && packed.data() + packed.size() <= file.data() + file.size(),
                     "data outside the file");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bytes file{data, size};
    walk(file);
    looks_like_zip(file);
    ends_like_zip(file);
    context ctx;
    zip_directory directory;
    const errc code = directory.open(file, ctx);
    fuzz::expect_told(code, ctx, size);
    if (code != errc::ok) return 0;
    static inflater how;
    static arena room;
    std::uint64_t entries = 0;
    for (; !directory.done(); ++entries) {
        const zip_entry entry = directory.next();
        std::string name_room;
        const std::string_view name = zip_name(entry, name_room);
        fuzz::expect(scalar::utf8_valid_prefix(name.data(), name.size()) == name.size(), "an entry's name is not UTF-8");
        context entry_ctx;
        bytes packed;
        if (zip_data(file, directory.begin(), entry, false, packed, entry_ctx) != errc::ok) {
            fuzz::expect(entry_ctx.failure.code != errc::ok, "an entry is refused without a reason");
            continue;
        }
        fuzz::expect(packed.data() >= file.data() && packed.data() + packed.size() <= file.data() + size,
                     "data outside the file");
        if (packing_of(entry) == packing::none || packing_of(entry) == packing::sealed || entry.size > (1u << 22)) continue;
        char* const to = room.room(static_cast<std::size_t>(entry.size));
        if (to == nullptr) continue;
        const auto readable = static_cast<std::size_t>(file.data() + size - packed.data());
        context inflate_ctx;
        if (packing_of(entry) == packing::deflate64) {
            source_chain chain;
            byte_source& text = *entry_text(chain, packed, entry, {}, {}).text;
            for (std::size_t got = 1, n = 0; got != 0 && n < entry.size; n += got)
                if (text.read(to + n, static_cast<std::size_t>(entry.size) - n, got, inflate_ctx) != errc::ok) break;
            continue;
        }
        static deframer frames;
        const std::size_t said = static_cast<std::size_t>(entry.size);
        const packing packed_as = packing_of(entry);
        const errc expanded = packed_as == packing::lzma ? frames.exact(entry, packed, to, inflate_ctx)
                              : codec_of(packed_as) != nullptr
                                  ? frames.exact(packed_as, packed, to, said, entry.header, inflate_ctx)
                                  : how.exact(packed, readable, to, said, entry.header, inflate_ctx);
        if (expanded == errc::ok) crc32(0, {reinterpret_cast<const unsigned char*>(to), static_cast<std::size_t>(entry.size)});
    }
    fuzz::expect(entries == directory.count(), "the walk finds another number of entries");
    directory.rewind();
    fuzz::expect(directory.done() == (entries == 0), "the walk cannot begin again");
    return 0;
}
