// Documents become blocks of a file (block.hpp), compressed by threads of its own, handed out in order:
//
//      add() --> [ gathered ] --> [ block 7 ] [ block 6 ] [ block 5 ] --> take()
//                                 \________ packed by threads _______/
//
// One thread adds and takes; when full() says so it takes before it adds, so memory is bounded. Without threads add()
// packs.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/frame/frame.hpp"
#include "extract/document_list.hpp"
#include "extract/rewrite.hpp"
#include "extract/schedule.hpp"

namespace kumihimo::inline v0::extract {

/// What a file of blocks is to be.
struct block_options {
    static constexpr std::size_t smallest = std::size_t{4} << 10, usual = std::size_t{1} << 20,
                                 largest = std::size_t{256} << 20;
    // Of a block, so that its index stays small; a reader believes no more. Bytes of names are those of archives and
    // entries, counted where they differ from those of the document before.
    static constexpr std::size_t most_documents = std::size_t{1} << 16, most_names = std::size_t{4} << 20;

    std::shared_ptr<const rewriter> to;
    const frame::codec* frame = nullptr;  // nullptr: none
    int level = frame::usual_level;       // which here is the archival one
    std::size_t size = usual;             // bytes of a block's text, but for a document that is longer
};

class block_packer {
public:
    /// When the system gives fewer threads than asked for, it goes on with those.
    block_packer(block_options how, unsigned threads);
    ~block_packer();
    block_packer(const block_packer&) = delete;
    block_packer& operator=(const block_packer&) = delete;

    /// Documents that lie one behind the other in `text`. Throws std::bad_alloc.
    void add(bytes text, const document_list& documents);
    /// There are no more. Throws std::bad_alloc.
    void finish();
    bool full() const noexcept { return blocks_.size() > threads_.size() * 2; }

    /// The next bytes of the file. `waiting`: they are not ready within `patience`. `end`: there are none, or none
    /// yet. When a block could not be packed, ctx says why.
    progress take(buffer& out, std::chrono::milliseconds patience, context& ctx);

private:
    struct job {
        buffer text, packed;
        document_list documents;
        bool first = false, done = false;
        errc said = errc::ok;
        kumihimo::failure why;
    };

    void dispatch();
    void pack(job& j) const noexcept;
    void serve() noexcept;

    block_options how_;
    std::unique_ptr<job> gathered_;
    std::vector<std::unique_ptr<job>> spare_;
    bool begun_ = false;  // a block was made
    std::vector<std::thread> threads_;
    std::mutex mutex_;  // guards what follows
    std::condition_variable work_, done_;
    std::deque<std::unique_ptr<job>> blocks_;
    std::size_t started_ = 0;  // of blocks_
    bool ended_ = false;
};

}  // namespace kumihimo::inline v0::extract
