#include "script.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <string>

#include "hosts/mruby/vm/compile.hpp"
#include "hosts/mruby/vm/file.hpp"

namespace kumihimo::inline v0::apache {
namespace {

using mruby::script;
using mruby::stamp;

// As mruby::read_file gives it.
stamp stamp_of(const struct stat& s) {
    return {s.st_mtim.tv_sec * std::int64_t{1'000'000} + s.st_mtim.tv_nsec / 1000, s.st_size, s.st_ino, s.st_dev};
}
stamp stamp_of(const apr_finfo_t& f) {
    return {f.mtime, f.size, static_cast<std::uint64_t>(f.inode), static_cast<std::uint64_t>(f.device)};
}

int status_of(int error) {
    switch (error) {
        case ENOENT:
        case ENOTDIR: return HTTP_NOT_FOUND;
        case EACCES:
        case EPERM:
        case ELOOP: return HTTP_FORBIDDEN;
        default: return HTTP_INTERNAL_SERVER_ERROR;
    }
}

// httpd has judged links already, when it looked at the file. What is opened must be what it judged: where links are
// not simply followed, a link that came in between is refused.
int open_as_allowed(request_rec* r) {
    constexpr int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    const int options = ap_allow_options(r);
    if ((options & OPT_SYM_LINKS) != 0) return open(r->filename, flags);
    const int file = open(r->filename, flags | O_NOFOLLOW);
    if (file >= 0 || errno != ELOOP || (options & OPT_SYM_OWNER) == 0) return file;
    const int linked = open(r->filename, flags);
    struct stat s {};
    if (linked < 0) return linked;
    if (fstat(linked, &s) == 0 && s.st_ino == r->finfo.inode && s.st_dev == r->finfo.device) return linked;
    close(linked);
    errno = ELOOP;
    return -1;
}

bool read_request_file(void* from, std::string& text, stamp& as_read, std::string& error) {
    auto& s = *static_cast<source*>(from);
    const int file = open_as_allowed(s.r);
    if (file < 0) {
        s.status = status_of(errno);
        error = std::string("cannot be opened: ") + mruby::text_of_error(errno);
        return false;
    }
    const bool whole = mruby::read_file(file, text, as_read, error);
    if (!whole) s.status = status_of(errno);
    close(file);
    return whole;
}

bool read_code_file(void* from, std::string& text, stamp& as_read, std::string& error) {
    auto& s = *static_cast<source*>(from);
    s.status = HTTP_INTERNAL_SERVER_ERROR;
    return mruby::read_file(s.file, text, as_read, error);
}

bool read_inline_code(void* from, std::string& text, stamp&, std::string&) {
    const code& c = *static_cast<source*>(from)->inline_code;
    text.assign(c.text, c.size);
    return true;
}

}  // namespace

script script_of_file(source& from, script::reuse keep) {
    script s;
    s.name = from.r->filename;
    s.stamp = stamp_of(from.r->finfo);
    s.keep = keep;
    s.read = read_request_file;
    s.from = &from;
    return s;
}

script script_of(source& from, const code& c, script::reuse keep) {
    script s;
    s.name = c.file;
    s.from = &from;
    if (c.text != nullptr) {
        from.inline_code = &c;
        s.key = c.key;
        s.first_line = c.first_line;
        s.keep = keep == script::reuse::never ? keep : script::reuse::while_same;
        s.read = read_inline_code;
        return s;
    }
    from.file = c.file;
    s.keep = c.read_once ? script::reuse::always : keep;
    if (struct stat f{}; s.keep == script::reuse::while_same && stat(c.file, &f) == 0) s.stamp = stamp_of(f);
    s.read = read_code_file;
    return s;
}

namespace {

constexpr std::int64_t to_check = 10'000'000'000;  // nanoseconds

// In the parent, before anything runs: nothing is left behind.
const char* check_text(const cmd_parms* cmd, const char* file, const char* text, std::size_t size, int first_line) {
    mruby::syntax_error why;
    if (mruby::compiles(text, size, file, first_line, to_check, why)) return nullptr;
    return apr_psprintf(cmd->pool, "%s: %s:%d: %s", cmd->cmd->name, file, why.line, why.message);
}

}  // namespace

const char* check_file(const cmd_parms* cmd, const char* path) {
    std::string text, error;
    stamp as_read;
    if (!mruby::read_file(path, text, as_read, error))
        return apr_psprintf(cmd->pool, "%s: %s: %s", cmd->cmd->name, path, error.c_str());
    return check_text(cmd, path, text.data(), text.size(), 1);
}

const char* check(const cmd_parms* cmd, const code& c) {
    return c.text != nullptr ? check_text(cmd, c.file, c.text, c.size, c.first_line) : check_file(cmd, c.file);
}

}  // namespace kumihimo::inline v0::apache
