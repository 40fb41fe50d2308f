// Inputs become tasks, in input order: archives become runs of entries, long texts pieces, small loose files groups.
//
// What decides is size and content. A regular file of at most `small` bytes is not opened here at all: a group of them
// is a task, and the worker opens, reads and recognises them. Larger files are mapped and recognised here. Whatever is
// too large to be expanded as a whole, and every pipe, becomes a stream that is cut into pieces as it is read.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "extract/entry_rules.hpp"
#include "extract/framed.hpp"
#include "extract/input.hpp"
#include "extract/salvage.hpp"
#include "extract/source.hpp"
#include "extract/split.hpp"
#include "extract/tar.hpp"
#include "extract/task.hpp"

namespace kumihimo::inline v0::extract {

struct cut_options : reading {
    std::size_t target = std::size_t{2} << 20;   // bytes of text that a task aims at
    std::size_t start = std::size_t{256} << 10;  // of the first tasks, so that the first rows are soon there
};

/// What was read from a pipe before the run began, to sample it.
struct read_ahead {
    std::string bytes;
    int file = -1;       // a Zip, or what is kept to be read again: all of it, in an unnamed temporary file; owned
    int rest = -1;       // else the pipe, still open: a named one that is closed loses what it holds, and its writer; owned
    bool ended = false;  // the pipe holds nothing more
    std::optional<failure>
        lost{};  // why it could not be kept: a part was taken out of the pipe, so what is left begins anywhere

    read_ahead() = default;
    read_ahead(const read_ahead&) = delete;
    read_ahead& operator=(const read_ahead&) = delete;
    ~read_ahead();
};

/// What the system said when an input was opened or read; `error` is its errno.
failure system_failure(const char* what, int error);

/// Writes all that comes through a pipe to an unnamed temporary file in $TMPDIR or /var/tmp; -1 on failure.
int spool(byte_source& from, context& ctx);

class cutter {
public:
    static constexpr std::uint64_t small = 128 * 1024;               // files up to here are grouped
    static constexpr std::size_t group = 256;                        // files in a group at most
    static constexpr std::uint64_t whole = std::uint64_t{16} << 20;  // expanded in one go up to here

    /// `wake`: a descriptor that becomes readable when the run is cancelled, -1 for none. `ahead`: what was read from
    /// the pipes among the paths already, by path. The list must not change while the cutter lives.
    cutter(const input_list& inputs, cut_options options, int wake, std::unordered_map<std::string, read_ahead> ahead = {});
    ~cutter();

    /// Begins where an input begins: its tasks come next. `made`: how many came before. Before the first task.
    void begin_at(std::size_t input, std::size_t made) noexcept {
        at_ = input;
        made_ = made;
    }
    /// The next task; false at the end.
    bool next(task& out);

    /// Whether an entry holds data and its path, below `prefix`, matches; `opens`: it may be an archive that is
    /// opened. `room` is for its path.
    static pick wanted(const zip_entry& entry, const reading& how, std::string_view prefix, bool opens, std::string& room);

private:
    struct text_stream;
    struct open_archive;
    bool open(task& out);
    bool open_bytes(task& out, std::shared_ptr<opened> file);
    bool open_zip(task& out, std::shared_ptr<opened> file);
    void open_tar(std::shared_ptr<opened> file, source_chain chain, byte_source* from);
    bool open_expanded(task& out, std::unique_ptr<text_stream> made, std::shared_ptr<opened> file, byte_source& text);
    bool expands_to_archive(text_stream& made, byte_source*& text, const binary_format* binary);
    bool open_joined(task& out);
    bool open_stream(task& out, std::unique_ptr<text_stream> made, byte_source& input, std::string head,
                     const std::string& path);
    bool open_spooled(task& out, int fd);
    bool next_blocks(task& out);
    bool open_packed(task& out, std::shared_ptr<opened> file, packing packed_as, const binary_format* binary,
                     const block_walk* behind);
    bool next_entries(task& out);
    bool next_walked(task& out);
    bool next_members(task& out);
    bool next_piece(task& out);
    bool open_entry(task& out, const zip_entry& entry);
    bool open_member(task& out, const tar_entry& entry, bool only_as_archive);
    bool look_within(task& out, text_stream& made, byte_source*& text);
    bool open_within(task& out, std::unique_ptr<text_stream> made, byte_source* text);
    std::unique_ptr<text_stream> entry_stream(std::string path, std::uint64_t header, std::uint64_t packed,
                                              bool only_as_archive);
    bool read_member(open_archive& a, const tar_entry& e, tar_member& m, task& out, std::size_t& room, std::size_t& used);
    void close_archive() noexcept;
    void measure(const opened& archive, std::uint64_t packed) noexcept;
    bool affordable(const open_archive& in, std::uint64_t size) noexcept;
    bool fault(task& out, report::scope of, const std::string& entry, const failure& why);
    std::size_t aim() const noexcept;

    const input_list& inputs_;
    cut_options options_;
    std::unordered_map<std::string, read_ahead> ahead_;
    int wake_;
    std::size_t at_ = 0;  // the path to open next
    std::size_t made_ = 0;
    cut_place here_;  // of the next task, if that is still of the input that is open

    std::shared_ptr<opened> now_;
    std::vector<std::unique_ptr<open_archive>> archives_;  // each lies in the one before it
    std::uint64_t budget_ = 0;                             // of what archives in archives may hold
    // A block file, and a damaged index in it that nobody was told of yet.
    std::optional<block_walk> blocks_;
    packing blocks_packed_as_ = packing::none;
    std::optional<failure> damage_;
    std::unique_ptr<text_stream> stream_;
};

}  // namespace kumihimo::inline v0::extract
