// Of document_source: blocks of a block file, of a task or of a small file, and where their documents came from.
#include <algorithm>
#include <new>

#include "extract/document_source.hpp"
#include "extract/entry_rules.hpp"

namespace kumihimo::inline v0::extract {

document_source::begun document_source::begin_blocks(packing packed_as, bytes file) {
    small_blocks_.emplace(small_blocks{packed_as, file, block_walk(file, packed_as, how_.format)});
    return begun::open;
}

// The next member of a small block file.
document_source::begun document_source::next_block() {
    small_blocks& s = *small_blocks_;
    std::uint64_t& member = at_.members[0];
    member = std::max(member, skip_.members[0]);
    auto said = block_walk::found::end;
    while (!s.over && s.walked <= member) {
        ctx_.clear();
        said = s.walk.next(s.at_hand, ctx_);
        s.over = said == block_walk::found::plain || said == block_walk::found::end;
        ++s.walked;
    }
    if (s.walked != member + 1) said = block_walk::found::end;
    switch (said) {
        case block_walk::found::block: return begin_block(s.packed_as, s.at_hand);
        case block_walk::found::damaged: return failed(report::scope::input, ctx_.failure);
        case block_walk::found::plain: return begin_rest();
        case block_walk::found::end: break;
    }
    small_blocks_.reset();
    return begun::nothing;
}

document_source::begun document_source::begin_block(packing packed_as, const packed_block& b) {
    // liblz4 expands into the room itself only where the largest block of its own, as repack writes them, could
    // follow.
    constexpr std::size_t lz4_block = std::size_t{1} << 20;
    if (b.size > how_.allowed.size) return refuse(errc::size, b.at, too_large, report::scope::input);
    if (how_.allowed.excessive(b.packed.size(), b.size)) return refuse(errc::size, b.at, bomb, report::scope::input);
    const std::size_t room = packed_as == packing::lz4 ? b.size + lz4_block : b.size + 1;
    char* const to = expanded_.room(room);
    if (to == nullptr) throw std::bad_alloc();
    if (crc32(0, b.packed) != b.check)
        return refuse(errc::syntax, b.at, "the block does not match its checksum (CRC-32): the file is damaged",
                      report::scope::input);
    if (deframer_.proven(packed_as, b.packed, to, b.size, b.at, ctx_, room) != errc::ok)
        return failed(report::scope::input, ctx_.failure);
    piece_ = nullptr;
    block_ = &b;
    origins_open_ = false;
    text_ = {reinterpret_cast<const unsigned char*>(to), b.size};
    base_ = b.text_at;
    text_at_ = in_block_ = 0;
    counted_to_ = counted_lines_ = 0;
    binary_ = b.format;
    mode_ = mode::block;
    return begun::open;
}

origin document_source::provenance() {
    origin from = here_;
    from.offset = offset_;
    if (block_ == nullptr || in_block_ == 0) return from;
    if (!origins_open_) origins_.open(*block_);
    origins_open_ = true;
    origins_.at(in_block_ - 1, from);  // where the block does not say it, the place is all there is
    return from;
}

origin document_source::here() {
    if (block_ == nullptr || in_block_ == 0) return here_;
    const origin from = provenance();
    shown_ = from.archive.data() == here_.archive.data() ? std::string_view() : from.archive;
    if (!from.entry.empty()) (shown_ += shown_.empty() ? "" : ": ") += from.entry;
    origin shown = here_;
    shown.entry = shown_;
    return shown;
}

}  // namespace kumihimo::inline v0::extract
