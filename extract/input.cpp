#include "extract/input.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/frame/frame.hpp"
#include "extract/glob.hpp"
#include "extract/gzip.hpp"
#include "extract/split.hpp"
#include "extract/tar.hpp"
#include "extract/zip.hpp"

namespace kumihimo::inline v0::extract {
namespace {

bool begins(bytes head, std::string_view with) {
    return head.size() >= with.size() && std::memcmp(head.data(), with.data(), with.size()) == 0;
}

struct signature {
    std::string_view bytes;
    const char* refusal;
};
using namespace std::string_view_literals;
constexpr signature refused[] = {
    {"7z\xbc\xaf\x27\x1c"sv, "this is a 7z archive; unpack it first (7z x FILE)"},
    {"Rar!\x1a\x07"sv, "this is a RAR archive; unpack it first"},
    {"\x02\x21\x4c\x18"sv, "this is LZ4's legacy format; decompress it first (lz4 -dc FILE | kumihimo extract -)"},
    {"\x1f\x9d"sv, "this is compress (.Z); decompress it first (zcat FILE | kumihimo extract -)"},
    {"\xff\xfe"sv, "this is UTF-16 or UTF-32; JSON is UTF-8 (iconv -f UTF-16 -t UTF-8)"},
    {"\xfe\xff"sv, "this is UTF-16; JSON is UTF-8 (iconv -f UTF-16 -t UTF-8)"},
    {"PAR1"sv, "this is Parquet; its columns are columns already"},
    {"ARROW1"sv, "this is an Arrow file; its columns are columns already"},
    {"\x7f"
     "ELF"sv,
     "this is a program, not data"},
    {"%PDF-"sv, "this is a PDF"},
};

}  // namespace

content sniff(bytes head, const char*& why) noexcept {
    if (looks_like_zip(head)) return content::zip;
    if (looks_like_gzip(head)) return content::gzip;
    if (tar_reader::recognises(head)) return content::tar;  // its name may look like anything below
    if (const frame::codec* const as = frame::recognise(head)) return as == &frame::zstd ? content::zstd : content::lz4;
    if (frame::xz.recognises(head)) return content::xz;
    if (frame::bzip2.recognises(head)) return content::bzip2;
    for (const signature& s : refused)
        if (begins(head, s.bytes)) {
            why = s.refusal;
            return content::other;
        }
    return content::text;
}

content sniff_file(bytes file, const char*& why) noexcept {
    const content is = sniff(file, why);
    if (is != content::text && is != content::other) return is;
    const bytes start = trimmed(without_mark(file.first(std::min<std::size_t>(file.size(), 4096))));
    if (start.empty() || std::strchr("{[\"-0123456789tfn\x1e", start[0]) != nullptr) return is;
    return ends_like_zip(file) ? content::zip : is;
}

mapping::~mapping() {
    if (at_ != nullptr) ::munmap(at_, size_);
}

bool mapping::map(int fd, std::size_t size) noexcept {
    if (size == 0) return true;
    void* p = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) return false;
    at_ = p;
    size_ = size;
    ::madvise(p, size, MADV_SEQUENTIAL);
    return true;
}

void unopened_zips::add(std::string path) {
    const std::string_view ending = std::string_view(path).substr(path.size() - 4);
    one_ending = one_ending && (count == 0 || std::string_view(first).substr(first.size() - 4) == ending);
    if (count++ == 0) first = std::move(path);
}

std::string unopened_zips::sentence() const {
    // Patterns know upper from lower case.
    const std::string advice =
        " match; add --match '**" + (one_ending ? first.substr(first.size() - 4) : ".[zZ][iI][pP]") + "' for ";
    if (count == 1) return first + " is not looked into, as its own path does not" + advice + "its entries";
    return first + " and " + std::to_string(count - 1) + (count == 2 ? " other Zip" : " other Zips") +
           " are not looked into, as their own paths do not" + advice + "their entries";
}

void links_met::add(std::string path) {
    if (count++ == 0 || path < first) first = std::move(path);
}

std::string links_met::sentence() const {
    if (count == 1) return first + " is passed over: it is a link; name it to have it read";
    return first + " and " + std::to_string(count - 1) + (count == 2 ? " other link" : " other links") +
           " are passed over: links are read where they are named, as by FOLDER/*";
}

found_file look(const std::string& path) noexcept {
    found_file f;
    if (path == "-") {
        f.type = found_file::kind::stream;
        return f;
    }
    struct stat s;
    if (::stat(path.c_str(), &s) != 0) {
        f.error = errno;
    } else if (S_ISREG(s.st_mode)) {
        f.type = found_file::kind::regular;
        f.size = static_cast<std::uint64_t>(s.st_size);
    } else {
        f.type = S_ISDIR(s.st_mode) ? found_file::kind::folder : found_file::kind::stream;
    }
    return f;
}

input_list::input_list(std::vector<std::string> p) : paths(std::move(p)) {
    found.reserve(paths.size());
    for (const std::string& path : paths) found.push_back(look(path));
}

void input_list::add(std::string path, const found_file& f) {
    paths.push_back(std::move(path));
    found.push_back(f);
}

int open_input(const std::string& path) noexcept {
    if (path == "-") return ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    constexpr int how = O_RDONLY | O_CLOEXEC | O_NOCTTY;
    // Opened otherwise, a FIFO would wait for its writer here, where nothing wakes it.
    struct stat s;
    return ::open(path.c_str(), ::stat(path.c_str(), &s) == 0 && S_ISFIFO(s.st_mode) ? how | O_NONBLOCK : how);
}

bool ignorable(std::string_view entry) noexcept {
    if (entry.empty() || entry.back() == '/' || entry.back() == '\\') return true;
    const std::size_t slash = entry.rfind('/');
    const std::string_view last = slash == std::string_view::npos ? entry : entry.substr(slash + 1);
    return last.substr(0, 2) == "._" || last == ".DS_Store" || last == "Thumbs.db";
}

namespace {

// What a folder holds: a folder, a file, or what cannot be read, which `missing` then describes.
struct folder_item {
    std::string path;
    bool folder = false;
    found_file missing;
};

found_file cannot(const char* what, int error) noexcept {
    found_file f;
    f.what = what;
    f.error = error;
    return f;
}

// A Zip by its name alone: its first bytes would be a disk's seek for each file that is not wanted.
bool named_zip(std::string_view path) noexcept {
    if (path.size() < 4) return false;
    const std::string_view end = path.substr(path.size() - 4);
    return end[0] == '.' && (end[1] | 32) == 'z' && (end[2] | 32) == 'i' && (end[3] | 32) == 'p';
}

}  // namespace

input_list expand(std::span<const std::string> paths, const std::vector<std::string>& patterns, std::vector<std::string>& notes,
                  const fetch_list* fetched) {
    input_list out;
    for (const std::string& path : paths) {
        if (fetched != nullptr && fetched->has(path)) {
            found_file later;
            later.type = found_file::kind::fetched;
            out.add(path, later);
            continue;
        }
        if (const found_file given = look(path); path == "-" || given.type != found_file::kind::folder) {
            out.add(path, given);
            continue;
        }
        // Folders still to list, deepest last; each is listed sorted, its files and folders in one order. `below` is
        // the length of the part of the path that the user gave.
        const std::size_t below = path.back() == '/' ? path.size() : path.size() + 1;
        std::vector<folder_item> open{{path, true, {}}};
        while (!open.empty()) {
            folder_item now = std::move(open.back());
            open.pop_back();
            if (!now.folder) {
                if (!glob_any(patterns, std::string_view(now.path).substr(below))) {
                    if (now.missing.what == nullptr && named_zip(now.path)) out.unopened.add(std::move(now.path));
                    continue;
                }
                const found_file file = now.missing.what != nullptr ? now.missing : look(now.path);
                out.add(std::move(now.path), file);
                continue;
            }
            DIR* dir = ::opendir(now.path.c_str());
            if (dir == nullptr) {
                const int error = errno;
                out.add(std::move(now.path), cannot("the folder cannot be listed", error));
                continue;
            }
            std::vector<folder_item> found;
            const auto notes_before = static_cast<std::ptrdiff_t>(notes.size());
            for (;;) {
                errno = 0;
                const dirent* const d = ::readdir(dir);
                if (d == nullptr) {
                    if (errno != 0) out.add(now.path, cannot("the folder cannot be listed to its end", errno));
                    break;
                }
                const std::string_view name = d->d_name;
                if (name.empty() || name[0] == '.') continue;
                std::string full = now.path;
                if (full.back() != '/') full += '/';
                full += name;
                if (d->d_type == DT_REG || d->d_type == DT_DIR) {
                    found.push_back({std::move(full), d->d_type == DT_DIR, {}});
                    continue;
                }
                const found_file is = look(full);
                struct stat own;
                if (d->d_type == DT_LNK ||
                    (d->d_type == DT_UNKNOWN && ::lstat(full.c_str(), &own) == 0 && S_ISLNK(own.st_mode))) {
                    // What is in a folder may match where its own name does not.
                    if (is.type == found_file::kind::folder || glob_any(patterns, std::string_view(full).substr(below)))
                        out.links.add(std::move(full));
                    continue;
                }
                switch (is.type) {
                    case found_file::kind::regular: found.push_back({std::move(full), false, {}}); break;
                    case found_file::kind::folder: found.push_back({std::move(full), true, {}}); break;
                    case found_file::kind::missing:
                        found.push_back({std::move(full), false, cannot("the file cannot be looked at", is.error)});
                        break;
                    case found_file::kind::stream:
                        if (glob_any(patterns, std::string_view(full).substr(below)))
                            notes.push_back(full + " is passed over: it is a pipe, a socket or a device");
                        break;
                    case found_file::kind::fetched: break;  // never in a folder
                }
            }
            ::closedir(dir);
            std::sort(notes.begin() + notes_before, notes.end());
            std::sort(found.begin(), found.end(), [](const folder_item& a, const folder_item& b) { return a.path > b.path; });
            for (folder_item& i : found) open.push_back(std::move(i));
        }
    }
    if (out.links.count != 0) notes.push_back(out.links.sentence());
    return out;
}

}  // namespace kumihimo::inline v0::extract
