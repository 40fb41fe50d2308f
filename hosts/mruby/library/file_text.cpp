#include "file_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace kumihimo::inline v0::mruby {

std::string plain_path(std::string_view path) {
    const bool rooted = !path.empty() && path.front() == '/';
    std::string out;
    std::size_t up = 0;  // ".." that a relative path begins with
    while (!path.empty()) {
        const std::size_t slash = path.find('/');
        const std::string_view part = path.substr(0, slash);
        path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
        if (part.empty() || part == ".") continue;
        if (part == "..") {
            if (out.size() > 3 * up) {
                const std::size_t last = out.rfind('/');
                out.resize(last == std::string::npos ? 0 : last);
            } else if (!rooted) {
                out += up == 0 ? ".." : "/..";
                up = (out.size() + 1) / 3;
            }
            continue;
        }
        if (rooted || !out.empty()) out += '/';
        out += part;
    }
    if (out.empty()) out += rooted ? '/' : '.';
    return out;
}

bool is_under(std::string_view path, std::string_view folder) noexcept {
    while (folder.size() > 1 && folder.back() == '/') folder.remove_suffix(1);
    if (folder == "/") return path.starts_with('/');
    if (folder == ".") return !path.starts_with('/') && path != ".." && !path.starts_with("../");
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string_view folder_of(std::string_view path) noexcept {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return ".";
    while (slash > 0 && path[slash - 1] == '/') --slash;
    return slash == 0 ? "/" : path.substr(0, slash);
}

part_read read_part(const char* path, std::size_t from, std::size_t wanted, char* to, std::size_t room) noexcept {
    part_read r;
    // O_NONBLOCK: opening a FIFO without a writer must not wait; it is refused below.
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return {errno};
    struct stat is;
    if (::fstat(fd, &is) != 0) {
        r.failed = errno;
    } else if (!S_ISREG(is.st_mode)) {
        r.failed = S_ISDIR(is.st_mode) ? EISDIR : EINVAL;
    } else {
        // One byte more than the file has, so that one read tells that it ends there. A file of /proc says 0.
        const auto size = static_cast<std::size_t>(is.st_size);
        const std::size_t expected = size == 0 ? 4096 : (size > from ? size - from : 0) + 1;
        const std::size_t take = std::min(wanted, room);
        if (room < std::min(wanted, expected)) r.room = std::min(wanted, expected);
        while (r.room == 0 && r.size < take) {
            const ssize_t n = ::pread(fd, to + r.size, take - r.size, static_cast<off_t>(from + r.size));
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) r.failed = errno;
            if (n <= 0) break;
            r.size += static_cast<std::size_t>(n);
        }
        if (r.failed == 0 && r.room == 0 && r.size == take && take < wanted) r.room = std::min(wanted, take * 2);
    }
    ::close(fd);
    return r;
}

}  // namespace kumihimo::inline v0::mruby
