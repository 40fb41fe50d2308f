// Block files: what `kumihimo repack` writes, and extraction reads by blocks. docs/repack.md has the picture of the
// bytes. To everybody else they are zstd or lz4 files of documents.
//
// A file may be a lie from its first byte to its last. What its index says is compared with what is there before it is
// believed: a block's bytes lie in the file, its documents' lengths add up to its text. Whether each document is one,
// its reader finds out, within the bytes that the index gives it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/frame/frame.hpp"
#include "engine/tape/cursor.hpp"
#include "engine/tape/tape.hpp"
#include "extract/document_list.hpp"
#include "extract/framed.hpp"

namespace kumihimo::inline v0::extract {

struct binary_format;

/// Whether files of this frame have a place for an index: zstd and lz4 know frames that are passed over.
bool has_index(const frame::codec& codec) noexcept;

/// What stands at the beginning of a block file, before its first block; nothing where there is no index.
bytes block_file_start(const frame::codec& codec) noexcept;

/// Appends a block: its index, if the frame has a place for it, and its documents. errc::range: there is no such
/// level.
errc write_block(const frame::codec& codec, int level, std::string_view format, bytes text, const document_list& documents,
                 buffer& out, context& ctx);

/// A block as its index describes it.
struct packed_block {
    std::uint64_t at = 0;                   // of the file: where its index begins
    bytes packed;                           // its frame
    std::uint64_t size = 0;                 // bytes of its text
    std::uint32_t check = 0;                // CRC-32 of `packed`
    std::uint64_t text_at = 0;              // bytes of the file's text before it, if the file was begun at its start
    std::uint64_t before = 0;               // documents before it, likewise
    const binary_format* format = nullptr;  // nullptr: JSON text
    std::vector<std::uint64_t> lengths;     // of its documents, none of them empty; their sum is `size`
    bytes index;                            // of the file, where block_origins reads on
    const frame::codec* codec = nullptr;    // of both
};

/// From one block to the next. Behind the last one `plain` or `end` is said as often as it is asked.
class block_walk {
public:
    enum class found : std::uint8_t {
        block,    // here is one
        plain,    // what stands at at() is no index, or one of another kind: from there on the file is a stream as any other
        damaged,  // an index once; ctx says what is wrong with it, and then it is `plain`
        end,      // no bytes are left
    };

    block_walk() = default;
    /// `packed_as`: zstd or lz4. `stated`: the format that all documents are said to be of, or empty. Blocks of
    /// another one are `plain`.
    block_walk(bytes file, packing packed_as, std::string_view stated) noexcept
        : file_(file), codec_(codec_of(packed_as)), stated_(stated) {}

    /// Whether the file begins as block files do.
    static bool begins(bytes file, packing packed_as) noexcept;

    found next(packed_block& out, context& ctx);
    /// Where next() goes on: behind the last block, or at what is none.
    std::uint64_t at() const noexcept { return at_; }
    std::uint64_t text_at() const noexcept { return text_at_; }
    std::uint64_t documents() const noexcept { return documents_; }
    /// What the stream behind the blocks is taken for: of the last block's format. Else, before the first one, of
    /// this.
    const binary_format* format(const binary_format* first) const noexcept { return documents_ == 0 ? first : format_; }

private:
    found read(bytes index, packed_block& out, context& ctx);

    bytes file_;
    const frame::codec* codec_ = nullptr;
    std::string stated_;
    std::uint64_t at_ = 0, text_at_ = 0, documents_ = 0;
    const binary_format* format_ = nullptr;  // of the last block
    bool over_ = false;                      // what stands at at_ is no block
};

/// Where the documents of a block came from, in their order. It is expanded only here, for who asks.
class block_origins {
public:
    block_origins() noexcept : tape_(ctx_) {}
    block_origins(const block_origins&) = delete;
    block_origins& operator=(const block_origins&) = delete;

    /// Nothing of the block is needed any more. Throws std::bad_alloc.
    void open(const packed_block& of);
    /// Of the i-th document. Quick where the last question was about the one before. False: the block does not say it.
    /// The texts live until the next question.
    bool at(std::size_t i, origin& out);

private:
    void rewind() noexcept;
    bool counted(std::size_t name) noexcept;
    bool step();

    context ctx_;
    buffer text_;  // the index
    tape::recorder tape_;
    tape::view all_;
    bool good_ = false;
    tape::cursor archive_, entry_, offset_;  // what comes next
    std::uint64_t from_archive_ = 0;         // documents that still come from the archive at hand
    std::size_t next_ = 0;                   // the document that step() comes to
    std::size_t names_ = 0;                  // bytes of the names so far, each counted where it is another one than before
    std::string entry_name_;
    std::string_view archive_name_;
    std::uint64_t at_ = 0;
};

}  // namespace kumihimo::inline v0::extract
