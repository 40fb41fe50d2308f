// Opening what the user named: files, folders, standard input; and seeing by the first bytes what they are.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "extract/fetch_list.hpp"
#include "extract/report.hpp"

namespace kumihimo::inline v0::extract {

/// What bytes are, by their content; names are not looked at.
enum class content : std::uint8_t { text, zip, tar, gzip, zstd, lz4, xz, bzip2, other };

/// What holds entries.
constexpr bool is_archive(content is) noexcept { return is == content::zip || is == content::tar; }

/// For `other`, `why` is the sentence that refuses it: compressed in another way, UTF-16, something binary.
content sniff(bytes head, const char*& why) noexcept;

/// The same for all of a file: a Zip is also found by its end, behind a prefix such as a self-extracting program. Text
/// begins with a JSON value, so that costs nothing for text.
content sniff_file(bytes file, const char*& why) noexcept;

/// A file mapped for reading. The pages belong to the page cache, not to this process; a file that another program
/// cuts short while it is read ends the process (SIGBUS), as with every program that maps files.
class mapping {
public:
    mapping() = default;
    ~mapping();
    mapping(const mapping&) = delete;
    mapping& operator=(const mapping&) = delete;

    /// Maps all of the open regular file; an empty file maps to no bytes. On failure the system's word is in errno.
    bool map(int fd, std::size_t size) noexcept;
    bytes data() const noexcept { return {static_cast<const unsigned char*>(at_), size_}; }

private:
    void* at_ = nullptr;
    std::size_t size_ = 0;
};

/// What an input is to the file system.
struct found_file {
    /// fetched: the host brings it when it is wanted (fetch_list.hpp).
    enum class kind : std::uint8_t { missing, regular, folder, stream, fetched };
    kind type = kind::missing;
    std::uint64_t size = 0;
    int error = 0;               // errno when missing
    const char* what = nullptr;  // when missing: what is wrong, if more is known than errno
};
/// "-" is a stream, whatever it is connected to.
found_file look(const std::string& path) noexcept;

/// Zips of folders that are not looked into, since their own paths match no pattern.
struct unopened_zips {
    std::string first;
    std::size_t count = 0;
    bool one_ending = true;  // all are .zip, or all .ZIP

    void add(std::string path);
    /// What the user is told; of at least one.
    std::string sentence() const;
};

/// Links in folders that match, or lead to folders. None is followed: what it leads to may lie elsewhere, be in the
/// folder already, or be a ring.
struct links_met {
    std::string first;  // by name
    std::size_t count = 0;

    void add(std::string path);
    /// What the user is told; of at least one.
    std::string sentence() const;
};

/// The inputs of a run in order, and what look() said of each.
struct input_list {
    std::vector<std::string> paths;
    std::vector<found_file> found;
    unopened_zips unopened;
    links_met links;

    input_list() = default;
    explicit input_list(std::vector<std::string> p);
    void add(std::string path, const found_file& f);
    std::size_t size() const noexcept { return paths.size(); }
};

/// Opens for reading; -1 and errno when it cannot. "-" gives a copy of standard input's descriptor. A FIFO is opened
/// whether it has a writer or not, and does not block: descriptor_source waits for what comes.
int open_input(const std::string& path) noexcept;

/// Replaces folders among the paths by the files in them, recursively and sorted by name; files whose path below the
/// folder matches none of `patterns` are left out (Zips are counted in `unopened`), so are names that begin with a
/// dot. Everything else stays as it is, also a link. What cannot be listed is a missing input; what is passed over
/// because it is no file (links in a folder, pipes, sockets, devices) is a note. What is on the list of `fetched`,
/// which may be null, is not looked at.
input_list expand(std::span<const std::string> paths, const std::vector<std::string>& patterns, std::vector<std::string>& notes,
                  const fetch_list* fetched = nullptr);

/// Entries of archives that hold no data of the user's: folders, what macOS and Windows add (._name, .DS_Store,
/// Thumbs.db).
bool ignorable(std::string_view entry) noexcept;

}  // namespace kumihimo::inline v0::extract
