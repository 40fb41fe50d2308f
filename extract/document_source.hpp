// The documents of a task, one after the other: files are opened, entries and packed files expanded, check sums
// compared, texts cut. What cannot be read comes as a report in its place.
//
//      items of the task             entries of a Zip or tar, loose files, blocks of a block file, or one text
//          members                   of a small archive or block file among the files, of an archive among the entries, and so
//          on
//              pieces                of a text that is too long, or too damaged, to be expanded as a whole
//                  documents
//
// A position counts these, so that another source can go on where one stood.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/context.hpp"
#include "extract/binary.hpp"
#include "extract/entry_rules.hpp"
#include "extract/inflate.hpp"
#include "extract/origin.hpp"
#include "extract/report.hpp"
#include "extract/row_position.hpp"
#include "extract/salvage.hpp"
#include "extract/split.hpp"
#include "extract/task.hpp"

namespace kumihimo::inline v0::extract {

/// How many of each lie behind. `rows`: and where in the next document rows of its arrays go on.
struct task_position {
    std::uint64_t item = 0;
    std::array<std::uint64_t, most_nested + 1> members{};  // of archives, each in the one before it
    std::uint64_t piece = 0, document = 0;
    row_position rows{};
};

class document_source {
public:
    using position = task_position;
    enum class found : std::uint8_t { document, fault, end };

    /// `trusted`: documents are not checked, so a line break has to be looked for before a text is taken for one
    /// document. `cancelled` may be null; everything must outlive the source.
    document_source(const input_list& inputs, const reading& how, bool trusted, const std::atomic<bool>* cancelled) noexcept;
    ~document_source();

    /// The documents of this task from here on. `sampled`: for a sample, where nothing has to be proven first.
    void open(const task& what, bool sampled, const position& from = {});
    /// Throws std::bad_alloc.
    found next();
    /// The memory of what was open, but for buffers of a usual size.
    void close() noexcept;

    // After found::document.
    bytes document() {
        if (!bounded_) find_end();
        return document_;
    }
    /// Whether its end is known. It need not be where one binary document stands behind the other: then ahead() begins
    /// with it, and whoever reads it says how long it was.
    bool bounded() const noexcept { return bounded_; }
    bytes ahead() const noexcept { return document_; }
    void bound(std::size_t size) noexcept {
        if (bounded_) return;
        document_ = document_.first(size);
        text_at_ += size;
        bounded_ = true;
        binary_scanner_->ended(document_, text_at_ == text_.size());
    }
    std::uint64_t offset() const noexcept { return offset_; }
    /// The usual text is one document, and trying it as one costs nothing extra: whoever reads it finds out when it is
    /// not. Then look_inside() is called, and the documents come from next().
    bool tentative() const noexcept { return tentative_; }
    /// The document's format; nullptr: JSON text, and it has lines.
    const binary_format* binary() const noexcept { return binary_; }
    void look_inside();
    /// The line and column of an offset that is not before the last one asked for.
    std::uint64_t line_at(std::uint64_t offset);
    std::uint64_t column_at(std::uint64_t offset) const noexcept {
        std::uint64_t column = 1;
        for (std::uint64_t i = offset - base_; i > 0 && text_[i - 1] != '\n'; --i) ++column;
        return column;
    }

    /// After found::fault.
    const report& fault() const noexcept { return fault_; }

    /// What is at hand, as reports name it: of a block the file, and as its entry where the document came from. The
    /// texts live until the next question.
    origin here();
    /// Where the document came from: of a block what its index says, else the place where it is.
    origin provenance();
    /// A report's line and column count in what is at hand; in a piece they become those of the task's text.
    void relocate(report& r) const noexcept;
    /// Behind what next() gave last.
    position place() const noexcept {
        position p = at_;
        if (mode_ == mode::spent) step(p);
        return p;
    }
    /// The number in the task of what next() gave last: an entry, a file, a block.
    std::uint64_t item() const noexcept { return at_.item; }
    /// Before the document that next() gave last.
    position place_of_document() const noexcept {
        position p = at_;
        --p.document;
        return p;
    }
    /// Files and entries that were looked into since open().
    std::uint64_t members() const noexcept { return members_; }
    /// Of a task that is a piece: the line breaks in it, when all of it was read.
    std::uint64_t newlines() const noexcept { return newlines_; }

private:
    struct stream;
    struct archive;
    // A small block file that was read as a loose file: its members are its blocks, the report about a damaged index,
    // and what is left as a stream. One block is at hand, so that an index full of lies takes the memory of one.
    struct small_blocks {
        packing packed_as;
        bytes file;
        block_walk walk;
        packed_block at_hand{};
        std::uint64_t walked = 0;  // members that the walk gave
        bool over = false;         // the last of them was the stream
    };
    enum class begun : std::uint8_t { open, nothing, faulted };
    // How the text at hand becomes documents; `spent`: its last one was given.
    enum class mode : std::uint8_t { none, single, lines, listed, scanned, binary, block, spent };

    begun begin_item();
    begun begin_entry(bytes file, std::uint64_t directory, const zip_entry& e);
    begun begin_file(const std::string& path, std::uint64_t size);
    begun begin_member(const tar_member& m);
    begun expand_entry(const zip_entry& e, bytes file, bytes& data);
    begun begin_archive(content is, bytes data, report::scope of);
    begun passed_over() noexcept;
    begun begin_zip(std::unique_ptr<archive> made, bytes data, report::scope of);
    begun begin_spooled(byte_source& from, report::scope of, std::uint64_t at);
    begun begin_tar(source_chain chain, byte_source* from, bytes below);
    void open_archive(std::unique_ptr<archive> made, bytes data);
    bool affordable(std::uint64_t size) noexcept;
    begun next_entry();
    begun next_tar_entry();
    begun next_archive_member();
    begun close_archive(const failure* why);
    begun begin_blocks(packing packed_as, bytes file);
    begun begin_block(packing packed_as, const packed_block& b);
    begun begin_rest();
    begun begin_stream(packing packed_as, bytes packed, report::scope of, std::uint64_t at, bool damaged,
                       const binary_format* binary);
    begun begin_packed(packing packed_as, bytes packed, report::scope of, std::uint64_t at);
    begun begin_proven(packing packed_as, bytes packed, report::scope of, std::uint64_t at, bool damaged);
    begun begin_large(bytes data, const zip_entry& e);
    begun begin_cut(bytes file, const zip_entry& e);
    begun begin_looked_at(std::unique_ptr<stream> made, byte_source* from, bytes below, std::uint64_t at, bool cut);
    std::optional<begun> begin_if_archive(stream& made, byte_source*& text, const binary_format* binary, report::scope of,
                                          std::uint64_t at, bytes below);
    begun begin_text(bytes t, report::scope of, std::uint64_t at, bool expanded);
    begun begin_binary(bytes t, report::scope of, std::uint64_t at, bool expanded);
    /// Of the entry or file at hand.
    std::string_view name() const noexcept { return here_.entry.empty() ? here_.archive : here_.entry; }
    const binary_format* by_name() const noexcept;
    void begin_piece(const piece& p);
    begun next_block();
    std::size_t levels() const noexcept { return archives_.size() + (small_blocks_ ? 1 : 0); }
    /// Archives around what is at hand.
    unsigned depth() const noexcept {
        const bool inside = task_->type == task::kind::entries || task_->type == task::kind::members;
        return (task_->from ? task_->from->depth : 0) + inside + static_cast<unsigned>(archives_.size());
    }
    bool opens() const noexcept { return depth() <= how_.nested; }
    begun next_piece();
    found next_in_text();
    found next_line();
    static std::uint64_t newlines_in(bytes text) noexcept;
    void find_end();
    begun refuse(errc code, std::uint64_t at, const char* what, report::scope of);
    begun failed(report::scope of, const failure& why);
    void passed() noexcept;
    void step(position& p) const noexcept;

    const input_list& inputs_;
    const reading& how_;
    const std::atomic<bool>* cancelled_;
    inflater inflater_;
    deframer deframer_;
    arena expanded_, nested_, loose_;  // an entry's text, what is packed inside of it, a small file
    context ctx_;
    std::string name_room_;
    bool trusted_;
    bool many_ = false;  // the last text held more than one document: look before trying it as one

    const task* task_ = nullptr;
    bool sampled_ = false;
    position at_, skip_;
    std::vector<std::unique_ptr<archive>> archives_;  // each lies in the one before it
    std::uint64_t budget_ = 0;                        // of what archives in archives may hold
    std::uint64_t packed_ = 0;                        // bytes of the entry at hand in its archive
    bool only_as_archive_ = false;                    // the entry at hand is read if it is an archive
    std::string path_;                                // of the entry at hand, where its archive has a prefix
    std::optional<small_blocks> small_blocks_;
    std::unique_ptr<stream> stream_;
    const piece* piece_ = nullptr;
    const packed_block* block_ = nullptr;
    block_origins origins_;
    bool origins_open_ = false;
    std::string shown_;
    origin here_;
    std::uint64_t members_ = 0, newlines_ = 0, lines_before_ = 0;  // the last: of the stream's pieces that are done
    report fault_;

    mode mode_ = mode::none;
    layout layout_ = layout::automatic;  // of the text at hand, as far as it is known without a look at it
    bytes text_;                         // the text at hand, and what its first byte counts as
    std::uint64_t base_ = 0;
    std::size_t text_at_ = 0;   // how far it is read, or documents of a piece that were given
    std::size_t in_block_ = 0;  // documents of a block that were given
    std::optional<scanner> scanner_;
    const binary_format* binary_ = nullptr;
    std::optional<binary_scanner> binary_scanner_;
    bytes document_;
    std::uint64_t offset_ = 0;
    bool tentative_ = false, bounded_ = true;
    std::uint64_t counted_to_ = 0, counted_lines_ = 0;  // how far lines were counted, and how many
};

}  // namespace kumihimo::inline v0::extract
