// Of the cutter: a block file becomes runs of its blocks. Behind what is none, or a damaged index, of which there is a
// report, the file is a stream as any other.
#include <utility>

#include "extract/binary.hpp"
#include "extract/cut.hpp"

namespace kumihimo::inline v0::extract {

bool cutter::next_blocks(task& out) {
    if (damage_) return fault(out, report::scope::input, {}, *std::exchange(damage_, std::nullopt));
    const std::uint64_t want = aim(), begin = blocks_->at();
    std::uint64_t held = 0;  // text, and what a block takes before it is expanded: of small ones that is more
    context ctx;
    block_walk::found said = block_walk::found::block;
    while (said == block_walk::found::block && held < want) {
        packed_block next;
        said = blocks_->next(next, ctx);
        if (said == block_walk::found::damaged) damage_ = ctx.failure;
        if (said != block_walk::found::block) break;
        held += next.size + next.lengths.size() * sizeof next.lengths[0] + sizeof next;
        out.blocks.push_back(std::move(next));
    }
    if (!out.blocks.empty()) {
        out.type = task::kind::blocks;
        out.packed = blocks_packed_as_;
        out.from = now_;
        out.cost = blocks_->at() - begin;
        return true;
    }
    if (said == block_walk::found::damaged) return false;
    if (said == block_walk::found::plain)
        open_packed(out, now_, blocks_packed_as_, blocks_->format(binary_by_name(options_.format, now_->name)), &*blocks_);
    blocks_.reset();
    return false;
}

}  // namespace kumihimo::inline v0::extract
