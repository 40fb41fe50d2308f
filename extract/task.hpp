// A task: what one worker does at a time, some hundred KB to a few MB of text, in whole documents. The cutter makes
// tasks from the inputs in order (cut.hpp); a worker turns each into rows (work.hpp).
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "extract/block.hpp"
#include "extract/dialect_reader.hpp"
#include "extract/expansion.hpp"
#include "extract/framed.hpp"
#include "extract/input.hpp"
#include "extract/report.hpp"
#include "extract/split.hpp"
#include "extract/zip.hpp"

namespace kumihimo::inline v0::extract {

/// How inputs are read, by whoever opens them.
struct reading {
    std::vector<std::string> match;  // entries of archives and files below folders: any of these patterns (glob.hpp)
    layout text_layout = layout::automatic;
    std::string format;  // that all documents are stated to be of; empty: each input's ending or mark says it
    bool lines = false;  // it was stated by an ending of files with a document a line
    std::shared_ptr<const dialect_reader> dialect;  // of that format; null: its usual one
    expansion allowed;
    // These two a run fills in.
    bool prove = false;  // look at all of a large compressed text before any of it is given (salvage.hpp)
    std::size_t document_limit = std::size_t{1} << 30;
    unsigned nested = 0;                  // archives in an archive that are opened, so many in one another
    std::string password;                 // of encrypted entries; empty: there is none
    bool joined = false;                  // the inputs are the parts of one file
    std::shared_ptr<fetch_list> fetched;  // the inputs that the host brings; null: none
    std::unordered_map<std::string, std::string>
        shown;  // names of inputs that reports and columns give in place of their paths

    const std::string& shown_as(const std::string& path) const {
        const auto known = shown.find(path);
        return known == shown.end() ? path : known->second;
    }

    /// How the text of a file or entry of this name is cut.
    cutting_rules rules(std::string_view name) const noexcept;
};

/// An input that is open, or an archive in it: its bytes, shared by the tasks that read it.
struct opened {
    std::string name;    // the input's
    std::string entry;   // of an archive in an archive: its own path
    std::string prefix;  // of its entries' paths
    unsigned depth = 0;  // archives that it lies in
    mapping file;
    bytes data;                           // of the file, or of what holds it
    std::shared_ptr<const opened> outer;  // keeps `data` alive where it is no file's
    std::uint64_t directory = 0;          // of a Zip: where its directory begins
    bool only_as_archive = false;         // as of zip_entry

    /// The input that all of it lies in.
    const opened* input() const noexcept {
        const opened* o = this;
        while (o->outer) o = o->outer.get();
        return o;
    }
};

/// An entry of a tar, whose data is at hand.
struct tar_member {
    std::string name;  // with the prefix
    std::uint64_t header = 0;
    bytes data;
    bool cut = false;  // the tar ends inside of it
    bool only_as_archive = false;
    errc code = errc::ok;
    const char* lost = nullptr;  // why nothing of it can be given
};

/// Which task is cut next: of the input with that index, where `done` tasks of it lie behind; and how many tasks came
/// before all of that input's, because their sizes grow.
struct cut_place {
    std::size_t input = 0, made = 0, done = 0;
};

struct task {
    enum class kind : std::uint8_t {
        fault,    // nothing to do: an input could not be read; `fault` says why
        entries,  // a run of entries of one Zip
        members,  // a run of entries of one tar
        files,    // a run of small loose files, not yet opened
        blob,     // one mapped packed file that is expanded as a whole
        piece,    // a piece of a long text
        blocks,   // a run of blocks of one block file
    };
    kind type = kind::fault;
    packing packed = packing::none;      // blob, blocks
    std::shared_ptr<const opened> from;  // entries, members, blob, piece, blocks
    std::vector<zip_entry> entries;
    std::vector<tar_member> members;
    std::shared_ptr<const char[]> held;     // members: what keeps their data alive, where it was read
    std::size_t first_file = 0, files = 0;  // indices into the inputs' list
    std::vector<packed_block> blocks;
    piece text;
    std::string entry;  // piece: the member's name, empty outside of archives
    report fault;
    std::uint64_t cost = 0;  // bytes of the inputs that this task stands for, for progress
    std::size_t of = 0;      // the index of the input that it is of, or of the first one
    cut_place behind;        // where cutting goes on
};

}  // namespace kumihimo::inline v0::extract
