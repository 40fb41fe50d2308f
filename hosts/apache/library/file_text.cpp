#include "file_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>

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
    if (out.empty()) out = rooted ? "/" : ".";
    return out;
}

bool is_under(std::string_view path, std::string_view folder) noexcept {
    while (folder.size() > 1 && folder.back() == '/') folder.remove_suffix(1);
    if (folder == "/") return path.starts_with('/');
    if (folder == ".") return !path.starts_with('/') && path != ".." && !path.starts_with("../");
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

int read_whole(const char* path, std::size_t most, std::string& text) {
    text.clear();
    // O_NONBLOCK: opening a FIFO without a writer must not wait; it is refused below.
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return errno;
    struct stat is;
    int failed = 0;
    if (::fstat(fd, &is) != 0) {
        failed = errno;
    } else if (!S_ISREG(is.st_mode)) {
        failed = S_ISDIR(is.st_mode) ? EISDIR : EINVAL;
    } else if (is.st_size > 0 && static_cast<std::size_t>(is.st_size) > most) {
        failed = EFBIG;
    } else {
        // One byte more than the file has, so that one read tells that it ends there. A file of /proc says 0.
        std::size_t room = is.st_size > 0 ? static_cast<std::size_t>(is.st_size) + 1 : 4096, size = 0;
        try {
            for (;;) {
                text.resize(room);
                const ssize_t n = ::read(fd, text.data() + size, room - size);
                if (n < 0 && errno == EINTR) continue;
                if (n < 0) {
                    failed = errno;
                    break;
                }
                if (n == 0) break;
                size += static_cast<std::size_t>(n);
                if (size > most) {
                    failed = EFBIG;
                    break;
                }
                if (size == room) room *= 2;
            }
            text.resize(failed == 0 ? size : 0);
        } catch (const std::bad_alloc&) {
            failed = ENOMEM;
        }
    }
    ::close(fd);
    return failed;
}

}  // namespace kumihimo::inline v0::mruby
