// Of the cutter: what is open while it cuts, and how the beginnings of streams are looked at.
#pragma once
#include <unistd.h>

#include <string>
#include <utility>

#include "extract/cut.hpp"
#include "extract/entry_text.hpp"
#include "extract/tar.hpp"

namespace kumihimo::inline v0::extract {

struct descriptor {
    int fd;
    explicit descriptor(int f) noexcept : fd(f) {}
    ~descriptor() {
        if (fd >= 0) ::close(fd);
    }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    int release() noexcept { return std::exchange(fd, -1); }
};

/// A text that is cut into pieces while it is read: the chain of sources, last the one that gives text, and the cutter
/// on top.
struct cutter::text_stream {
    source_chain chain;
    std::unique_ptr<text_cutter> cut;
    std::string entry;
    std::shared_ptr<const opened> from;  // what is kept open for it; null: the input
    std::uint64_t header = 0;            // of the entry, for faults
    std::uint64_t packed = 0;            // its bytes in the archive
    std::uint64_t reported = 0;          // of consumed(), for progress
    std::uint64_t leftover = 0;          // cost of an input at hand, added with the last piece
    std::uint64_t before = 0;            // bytes of the input before those that the chain reads
    content is = content::text;          // of what was looked at last
    const binary_format* binary = nullptr;
    unsigned depth = 0;  // archives around it
    bool only_as_archive = false;
};

/// An archive whose entries become tasks.
struct cutter::open_archive {
    std::shared_ptr<opened> from;
    std::uint64_t left = 0;  // bytes of the input that no task stands for yet
    // A Zip, and why it is walked and its directory not used.
    zip_directory directory;
    zip_walk walk;
    std::optional<failure> broken;
    // A tar, and the sources that it is read from where it is not at hand.
    std::optional<tar_reader> tar;
    source_chain chain;
    std::uint64_t reported = 0;        // of the chain's consumed()
    std::optional<tar_entry> waiting;  // has no place in the task at hand
    std::optional<failure> fault;      // to be told behind the task at hand
};

/// Reads until there are n bytes or no more, or those that are there will do and the source is silent. `binary`: the
/// content is stated, so that any few bytes will do.
errc read_head(byte_source& from, std::size_t n, bool binary, std::string& head, context& ctx);

inline bytes as_bytes(const std::string& s) noexcept { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }

inline constexpr std::size_t head_size = 64 * 1024;  // read to recognise a stream

}  // namespace kumihimo::inline v0::extract
