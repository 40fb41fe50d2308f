#include "reading.hpp"

#include <sys/stat.h>

#include <climits>
#include <cstdlib>
#include <cstring>

#include "request_state.hpp"
#include "whole_request.hpp"

namespace kumihimo::inline v0::apache {
namespace {

thread_local int judgements = 0;

bool is_of_module(const char* handler) noexcept { return !std::strncmp(handler, "mruby-", 6); }

// A file that somebody makes something of is not shown as it is: scripts, programs. Code of the configuration is no
// file's.
bool is_own(const char* handler) noexcept {
    return handler && std::strcmp(handler, "default-handler") != 0 && std::strcmp(handler, "mruby-native-script") != 0;
}

// httpd takes a file of the folder that r->filename names for one whose folder it has judged already; but that name
// may be the script's word. No file is in this folder.
char no_folder[] = "//";

class lookup {
public:
    lookup(request_rec* r, const char* path, char* from) noexcept : whole_(r) {
        char* const was = r->filename;
        r->filename = from;
        ++judgements;
        found_ = ap_sub_req_lookup_file(path, r, nullptr);
        --judgements;
        r->filename = was;
    }
    ~lookup() { ap_destroy_sub_req(found_); }
    lookup(const lookup&) = delete;
    lookup& operator=(const lookup&) = delete;
    const request_rec* operator->() const noexcept { return found_; }

private:
    const whole_request whole_;  // what is found refers to it
    request_rec* found_;
};

bool of_one_folder(const char* a, const char* b) noexcept {
    const char* const end = std::strrchr(a, '/');
    const char* const other = b ? std::strrchr(b, '/') : nullptr;
    return end && other && end - a == other - b && !std::memcmp(a, b, static_cast<std::size_t>(end - a));
}

bool has_other_handler(const lookup& found, const char* handler) noexcept {
    return found->finfo.filetype == APR_REG && is_own(found->handler) &&
           (!handler || std::strcmp(handler, found->handler) != 0);
}

refusal judge_found(const lookup& found, const char* handler) noexcept {
    // Of a folder httpd asks for the address with a slash.
    const bool folder = found->finfo.filetype == APR_DIR && ap_is_HTTP_REDIRECT(found->status);
    if (found->status != HTTP_OK && !folder) return refusal::denied;
    if (found->finfo.filetype != APR_REG && found->finfo.filetype != APR_DIR) return refusal::missing;
    return has_other_handler(found, handler) ? refusal::handled : refusal::none;
}

}  // namespace

bool only_judging() noexcept { return judgements != 0; }

bool is_within_root(request_rec* r, const char* path, bool or_is_root) noexcept {
    char real_path[PATH_MAX], real_root[PATH_MAX];
    const char* const root = own_document_root(r);
    if (*path != '/' || !root || !::realpath(path, real_path) || !::realpath(root, real_root)) return false;
    const std::size_t n = std::strlen(real_root);
    return !std::strncmp(real_path, real_root, n) &&
           (real_path[n] == '/' || !std::strcmp(real_root, "/") || (or_is_root && !real_path[n]));
}

refusal judge(request_rec* r, const char* path, const char* handler, const char** type) noexcept {
    if (!is_within_root(r, path, handler != nullptr)) return refusal::outside;
    // What a <Location> of this request's says of its folder counts too.
    if (of_one_folder(path, r->filename)) {
        const lookup found(r, path, r->filename);
        if (has_other_handler(found, handler)) return refusal::handled;
    }
    const lookup found(r, path, no_folder);
    if (type && found->content_type) *type = apr_pstrdup(r->pool, found->content_type);
    return judge_found(found, handler);
}

refusal judge_name(request_rec* r, const char* path) noexcept {
    const char* const handler = r->handler ? r->handler : "";
    struct stat is {};
    if (::stat(path, &is) == 0) return judge(r, path, handler);
    const char* const name = std::strrchr(path, '/');
    if (!name) return refusal::outside;
    const char* const folder = name == path ? "/" : apr_pstrmemdup(r->pool, path, static_cast<apr_size_t>(name - path));
    return ::stat(folder, &is) == 0 ? judge(r, folder, handler) : refusal::none;
}

bool shows_source(request_rec* r) noexcept {
    if (!r->filename || (r->handler && is_of_module(r->handler)) || !std::strncmp(r->filename, "proxy:", 6)) return false;
    const lookup found(r, r->filename, r->filename);
    return has_other_handler(found, r->handler);
}

const char* because(refusal why) noexcept {
    switch (why) {
        case refusal::missing: return "it is no file that can be read";
        case refusal::outside: return "it is not within the document root (other files need MrubyAllow read)";
        case refusal::denied: return "access to it is denied";
        case refusal::handled: return "it is a script, whose source is not sent";
        default: return "the client is gone";
    }
}

}  // namespace kumihimo::inline v0::apache
