#include "file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <new>

namespace kumihimo::inline v0::mruby {
namespace {

constexpr std::size_t largest = std::size_t{16} << 20;  // bytes of a script
constexpr int tries = 20;
// A file younger than this may still be written to: editors that write in place empty it first.
constexpr std::int64_t settled = 50'000;  // microseconds
constexpr useconds_t pause = 10'000;

bool is_young(const stamp& s) {
    timespec t{};
    clock_gettime(CLOCK_REALTIME, &t);
    const std::int64_t age = t.tv_sec * std::int64_t{1'000'000} + t.tv_nsec / 1000 - s.modified;
    return age >= 0 && age < settled;
}

stamp stamp_of(const struct stat& s) {
    return {s.st_mtim.tv_sec * std::int64_t{1'000'000} + s.st_mtim.tv_nsec / 1000, s.st_size, s.st_ino, s.st_dev};
}

bool fail(std::string& error, std::string_view what, int code) noexcept {
    try {
        error = what;
        if (code != 0) error.append(": ").append(text_of_error(code));
    } catch (const std::bad_alloc&) {
        error = "no memory";  // has room in any string
    }
    errno = code;
    return false;
}

bool make_room(std::string& text, std::size_t n) noexcept {
    try {
        text.resize(n);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace

const char* text_of_error(int code) noexcept {
    const char* const text = strerrordesc_np(code);
    return text == nullptr ? "unknown error" : text;
}

bool read_file(int file, std::string& text, stamp& as_read, std::string& error) noexcept {
    for (int t = 0; t < tries; ++t) {
        struct stat before {
        }, after{};
        if (fstat(file, &before) != 0) return fail(error, "cannot be looked at", errno);
        if (!S_ISREG(before.st_mode)) return fail(error, "not a regular file", 0);
        if (static_cast<std::size_t>(before.st_size) > largest) return fail(error, "larger than 16 MB: not a script", 0);
        // One more tells whether it grew.
        if (!make_room(text, static_cast<std::size_t>(before.st_size) + 1)) return fail(error, "cannot be read", ENOMEM);
        std::size_t n = 0;
        while (n < text.size()) {
            const ssize_t got = pread(file, text.data() + n, text.size() - n, static_cast<off_t>(n));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return fail(error, "cannot be read", errno);
            if (got == 0) break;
            n += static_cast<std::size_t>(got);
        }
        if (fstat(file, &after) != 0) return fail(error, "cannot be looked at", errno);
        as_read = stamp_of(before);
        if (n == static_cast<std::size_t>(before.st_size) && as_read == stamp_of(after) && !is_young(as_read)) {
            text.resize(n);
            return true;
        }
        usleep(pause);
    }
    return fail(error, "is being written to; it did not stand still", 0);
}

bool read_file(const char* name, std::string& text, stamp& as_read, std::string& error) noexcept {
    const int file = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) return fail(error, "cannot be opened", errno);
    const bool whole = read_file(file, text, as_read, error);
    const int kept = errno;
    close(file);
    errno = kept;
    return whole;
}

}  // namespace kumihimo::inline v0::mruby
