#include "files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "../src/moment.hpp"
#include "../vm/file.hpp"
#include "../vm/vm.hpp"
#include "file_text.hpp"
#include "host_memory.hpp"
#include "native.hpp"
#include "time.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr std::size_t most_read = std::size_t{64} << 20;  // bytes: what a run may take by default

std::size_t largest(mrb_state* mrb) noexcept {
    const vm* const in = vm::of(mrb);
    return in == nullptr ? most_read : std::min(most_read, in->limits().memory);
}

// Those that scripts rescue by name.
struct error_name {
    int number;
    const char* name;
};
constexpr error_name errors[] = {
    {ENOENT, "ENOENT"},   {EACCES, "EACCES"},       {EEXIST, "EEXIST"}, {EISDIR, "EISDIR"},
    {ENOTDIR, "ENOTDIR"}, {ENOTEMPTY, "ENOTEMPTY"}, {EINVAL, "EINVAL"}, {EFBIG, "EFBIG"},
    {ENOSPC, "ENOSPC"},   {EROFS, "EROFS"},         {ELOOP, "ELOOP"},   {ENAMETOOLONG, "ENAMETOOLONG"},
    {EPERM, "EPERM"},     {EXDEV, "EXDEV"},         {EMFILE, "EMFILE"},
};

[[noreturn]] void fail(mrb_state* mrb, int number, mrb_value path) {
    const auto known =
        std::find_if(std::begin(errors), std::end(errors), [=](const error_name& e) { return e.number == number; });
    RClass* const klass = known == std::end(errors) ? mrb_class_get(mrb, "SystemCallError")
                                                    : mrb_class_get_under(mrb, mrb_module_get(mrb, "Errno"), known->name);
    raise(mrb, mrb_exc_new_str(mrb, klass, mrb_format(mrb, "%s - %v", text_of_error(number), path)));
}

// --- text -------------------------------------------------------------------------------------------------------------------

std::string_view last_part(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    if (path == "/") return path;
    return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

std::string_view ending_of(std::string_view path) {
    const std::string_view name = last_part(path);
    const std::size_t visible = name.find_first_not_of('.');
    const std::size_t dot = name.rfind('.');
    if (visible == std::string_view::npos || dot == std::string_view::npos || dot < visible) return {};
    return name.substr(dot);
}

mrb_value file_basename(mrb_state* mrb, mrb_value) {
    mrb_value path, suffix = mrb_nil_value();
    mrb_get_args(mrb, "S|S", &path, &suffix);
    std::string_view name = last_part(bytes_of(path));
    if (mrb_string_p(suffix)) {
        const std::string_view end = bytes_of(suffix) == ".*" ? ending_of(name) : bytes_of(suffix);
        if (name.size() > end.size() && name.ends_with(end)) name.remove_suffix(end.size());
    }
    return new_string(mrb, name);
}

mrb_value file_dirname(mrb_state* mrb, mrb_value) {
    mrb_value path;
    mrb_get_args(mrb, "S", &path);
    return new_string(mrb, folder_of(bytes_of(path)));
}

mrb_value file_extname(mrb_state* mrb, mrb_value) {
    mrb_value path;
    mrb_get_args(mrb, "S", &path);
    return new_string(mrb, ending_of(bytes_of(path)));
}

mrb_value file_split(mrb_state* mrb, mrb_value) {
    mrb_value path;
    mrb_get_args(mrb, "S", &path);
    const mrb_value two[] = {new_string(mrb, folder_of(bytes_of(path))), new_string(mrb, last_part(bytes_of(path)))};
    return mrb_ary_new_from_values(mrb, 2, two);
}

void join(mrb_state* mrb, growing_string& out, mrb_value v, bool& first, int depth) {
    if (mrb_array_p(v)) {
        if (depth == 100) raise(mrb, "ArgumentError", "File.join: arrays are nested more than 100 deep");
        for (mrb_int i = 0; i < RARRAY_LEN(v); ++i) join(mrb, out, RARRAY_PTR(v)[i], first, depth + 1);
        return;
    }
    if (!mrb_string_p(v)) raise(mrb, "TypeError", "File.join takes strings");
    std::string_view part = bytes_of(v);
    if (!first) {
        // One slash between, whichever side has it.
        if (part.starts_with('/')) {
            while (out.size() > 0 && out.view().back() == '/') out.cut(out.size() - 1);
        } else if (out.size() == 0 || out.view().back() != '/') {
            out.put('/');
        }
    }
    first = false;
    out.put(part);
}

mrb_value file_join(mrb_state* mrb, mrb_value) {
    const mrb_value* v;
    mrb_int n;
    mrb_get_args(mrb, "*", &v, &n);
    growing_string out(mrb, 64);
    bool first = true;
    for (mrb_int i = 0; i < n; ++i) join(mrb, out, v[i], first, 0);
    return out.take();
}

mrb_value file_expand_path(mrb_state* mrb, mrb_value) {
    mrb_value path, from = mrb_nil_value();
    mrb_get_args(mrb, "S|S", &path, &from);
    if (bytes_of(path).starts_with('~')) raise(mrb, "ArgumentError", "File.expand_path knows no home folders");
    return with_memory(mrb, [&](auto&& make) {
        const auto here = [] {
            char room[4096];
            return std::string(::getcwd(room, sizeof room) == nullptr ? "/" : room);
        };
        const bool rooted = bytes_of(path).starts_with('/'), has_from = mrb_string_p(from);
        std::string whole;
        if (!rooted && (!has_from || !bytes_of(from).starts_with('/'))) whole.append(here()).append(1, '/');
        if (!rooted && has_from) whole.append(bytes_of(from)).append(1, '/');
        whole.append(bytes_of(path));
        whole = plain_path(whole);
        make([&] { return new_string(mrb, whole); });
    });
}

// --- read -------------------------------------------------------------------------------------------------------------------

// From an offset on, `wanted` bytes at most: a string, whose memory is the run's.
mrb_value text_at(mrb_state* mrb, mrb_value path, std::size_t from, std::size_t wanted) {
    const char* const name = mrb_string_cstr(mrb, path);
    const std::size_t most = largest(mrb);
    char here[4096];
    mrb_value text = mrb_nil_value();
    for (std::size_t room = sizeof here;;) {
        char* const to = mrb_nil_p(text) ? here : RSTRING_PTR(text);
        part_read r;
        {
            host_section section;
            r = read_part(name, from, wanted, to, room);
        }
        if (r.failed != 0) fail(mrb, r.failed, path);
        if (r.room == 0)
            return mrb_nil_p(text) ? new_string(mrb, {here, r.size}) : mrb_str_resize(mrb, text, static_cast<mrb_int>(r.size));
        if (r.room - 1 > most) fail(mrb, EFBIG, path);
        room = r.room;
        text = mrb_str_new(mrb, nullptr, static_cast<mrb_int>(room));
    }
}

constexpr std::size_t all = static_cast<std::size_t>(-1);

mrb_value file_read(mrb_state* mrb, mrb_value) {
    mrb_value path;
    mrb_int length = -1, offset = 0;
    mrb_bool given = FALSE;
    mrb_get_args(mrb, "S|i?i", &path, &length, &given, &offset);
    if ((given && length < 0) || offset < 0) raise(mrb, "ArgumentError", "File.read: a negative length or offset");
    constexpr mrb_int furthest = mrb_int{1} << 62;  // the kernel adds to it
    const mrb_value text = text_at(mrb, path, static_cast<std::size_t>(std::min(offset, furthest)),
                                   given ? static_cast<std::size_t>(length) : all);
    // As of IO#read: asked for some bytes where there are none.
    return given && length > 0 && RSTRING_LEN(text) == 0 ? mrb_nil_value() : text;
}

mrb_value file_readlines(mrb_state* mrb, mrb_value) {
    mrb_value path, options = mrb_nil_value();
    mrb_get_args(mrb, "S|H", &path, &options);
    const bool chomp =
        mrb_hash_p(options) && mrb_test(mrb_hash_get(mrb, options, mrb_symbol_value(mrb_intern_lit(mrb, "chomp"))));
    const mrb_value text = text_at(mrb, path, 0, all);
    mrb_basic_ptr(text)->c = nullptr;  // not to be found
    const mrb_value lines = mrb_ary_new(mrb);
    const int ai = mrb_gc_arena_save(mrb);
    for (std::string_view rest = bytes_of(text); !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end);
        if (chomp && line.ends_with('\n')) line.remove_suffix(line.ends_with("\r\n") ? 2 : 1);
        mrb_ary_push(mrb, lines, new_string(mrb, line));
        mrb_gc_arena_restore(mrb, ai);
    }
    return lines;
}

// errno's number, 0 when it is there.
int look(mrb_state* mrb, mrb_value path, struct stat& is) {
    const char* const name = mrb_string_cstr(mrb, path);
    host_section section;
    return ::stat(name, &is) == 0 ? 0 : errno;
}

mrb_value path_argument(mrb_state* mrb) {
    mrb_value path;
    mrb_get_args(mrb, "S", &path);
    return path;
}

mrb_value file_exist(mrb_state* mrb, mrb_value) {
    struct stat is;
    return mrb_bool_value(look(mrb, path_argument(mrb), is) == 0);
}

mrb_value file_file(mrb_state* mrb, mrb_value) {
    struct stat is;
    return mrb_bool_value(look(mrb, path_argument(mrb), is) == 0 && S_ISREG(is.st_mode));
}

mrb_value file_directory(mrb_state* mrb, mrb_value) {
    struct stat is;
    return mrb_bool_value(look(mrb, path_argument(mrb), is) == 0 && S_ISDIR(is.st_mode));
}

mrb_value file_size(mrb_state* mrb, mrb_value) {
    struct stat is;
    const mrb_value path = path_argument(mrb);
    if (const int failed = look(mrb, path, is); failed != 0) fail(mrb, failed, path);
    return mrb_int_value(mrb, is.st_size);
}

mrb_value file_mtime(mrb_state* mrb, mrb_value) {
    struct stat is;
    const mrb_value path = path_argument(mrb);
    if (const int failed = look(mrb, path, is); failed != 0) fail(mrb, failed, path);
    return time_at(mrb, mrb_obj_value(mrb_class_get(mrb, "Time")), is.st_mtim.tv_sec, is.st_mtim.tv_nsec, false);
}

mrb_value dir_children(mrb_state* mrb, mrb_value) {
    const mrb_value path = path_argument(mrb);
    const char* const name = mrb_string_cstr(mrb, path);
    const std::size_t most = largest(mrb);
    int failed = 0;
    const mrb_value made = with_memory(mrb, [&](auto&& make) {
        const int fd = ::open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR* const dir = fd < 0 ? nullptr : ::fdopendir(fd);
        if (dir == nullptr) {
            failed = errno;
            if (fd >= 0) ::close(fd);
            return;
        }
        const std::unique_ptr<DIR, int (*)(DIR*)> open(dir, ::closedir);
        std::vector<std::string> list;
        std::size_t taken = 0;
        while (const dirent* const entry = ::readdir(dir)) {
            const std::string_view s = entry->d_name;
            if (s == "." || s == "..") continue;
            taken += sizeof list[0] + s.size();
            if (taken > most) throw std::bad_alloc();
            list.emplace_back(s);
        }
        std::sort(list.begin(), list.end());
        make([&] {
            const mrb_value children = mrb_ary_new_capa(mrb, static_cast<mrb_int>(list.size()));
            const int ai = mrb_gc_arena_save(mrb);
            for (const std::string& one : list) {
                mrb_ary_push(mrb, children, new_string(mrb, one));
                mrb_gc_arena_restore(mrb, ai);
            }
            return children;
        });
    });
    if (failed != 0) fail(mrb, failed, path);
    return made;
}

// --- write ------------------------------------------------------------------------------------------------------------------

mrb_value write_file(mrb_state* mrb, int flags) {
    mrb_value path, text;
    mrb_get_args(mrb, "So", &path, &text);
    kept(mrb, path);  // whatever a to_s does
    text = text_of(mrb, text);
    const char* const name = mrb_string_cstr(mrb, path);
    std::string_view s = bytes_of(text);
    int failed = 0;
    {
        host_section section;
        const int fd = ::open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0666);
        struct stat is;
        if (fd < 0) {
            failed = errno;
        } else if (::fstat(fd, &is) != 0 || !S_ISREG(is.st_mode)) {
            failed = EINVAL;
        }
        while (failed == 0 && !s.empty()) {
            const ssize_t n = ::write(fd, s.data(), s.size());
            if (n >= 0) {
                s.remove_prefix(static_cast<std::size_t>(n));
            } else if (errno != EINTR) {
                failed = errno;
            }
        }
        if (fd >= 0 && ::close(fd) != 0 && failed == 0) failed = errno;
    }
    if (failed != 0) fail(mrb, failed, path);
    return mrb_int_value(mrb, RSTRING_LEN(text));
}

mrb_value file_write(mrb_state* mrb, mrb_value) { return write_file(mrb, O_TRUNC); }
mrb_value file_append(mrb_state* mrb, mrb_value) { return write_file(mrb, O_APPEND); }

mrb_value file_delete(mrb_state* mrb, mrb_value) {
    const mrb_value* v;
    mrb_int n;
    mrb_get_args(mrb, "*", &v, &n);
    for (mrb_int i = 0; i < n; ++i) {
        if (!mrb_string_p(v[i])) raise(mrb, "TypeError", "File.delete takes strings");
        const char* const name = mrb_string_cstr(mrb, v[i]);
        int failed;
        {
            host_section section;
            failed = ::unlink(name) == 0 ? 0 : errno;
        }
        if (failed != 0) fail(mrb, failed, v[i]);
    }
    return mrb_int_value(mrb, n);
}

mrb_value file_rename(mrb_state* mrb, mrb_value) {
    mrb_value from, to;
    mrb_get_args(mrb, "SS", &from, &to);
    const char* const a = mrb_string_cstr(mrb, from);
    const char* const b = mrb_string_cstr(mrb, to);
    int failed;
    {
        host_section section;
        failed = std::rename(a, b) == 0 ? 0 : errno;
    }
    if (failed != 0) fail(mrb, failed, from);
    return mrb_fixnum_value(0);
}

mrb_value make_folder(mrb_state* mrb, mrb_value) {
    mrb_value path;
    mrb_int mode = 0777;
    mrb_get_args(mrb, "S|i", &path, &mode);
    const char* const name = mrb_string_cstr(mrb, path);
    int failed;
    {
        host_section section;
        failed = ::mkdir(name, static_cast<mode_t>(mode)) == 0 ? 0 : errno;
    }
    if (failed != 0) fail(mrb, failed, path);
    return mrb_fixnum_value(0);
}

mrb_value remove_folder(mrb_state* mrb, mrb_value) {
    const mrb_value path = path_argument(mrb);
    const char* const name = mrb_string_cstr(mrb, path);
    int failed;
    {
        host_section section;
        failed = ::rmdir(name) == 0 ? 0 : errno;
    }
    if (failed != 0) fail(mrb, failed, path);
    return mrb_fixnum_value(0);
}

struct definition {
    const char* name;
    mrb_func_t f;
    mrb_aspec args;
};

void define(mrb_state* mrb, RClass* c, const definition* d, std::size_t n) {
    RClass* const singleton = mrb_class_ptr(mrb_singleton_class(mrb, mrb_obj_value(c)));
    for (; n != 0; --n, ++d) {
        if (!mrb_obj_respond_to(mrb, singleton, mrb_intern_cstr(mrb, d->name))) {
            mrb_define_class_method(mrb, c, d->name, d->f, d->args);
        }
    }
}
template <std::size_t n>
void define(mrb_state* mrb, RClass* c, const definition (&d)[n]) {
    define(mrb, c, d, n);
}

}  // namespace

void define_files(mrb_state* mrb, const permissions& allow) {
    const mrb_value object = mrb_obj_value(mrb->object_class);
    const mrb_sym symbol = mrb_intern_lit(mrb, "File");
    RClass* const file = mrb_const_defined(mrb, object, symbol) ? mrb_class_ptr(mrb_const_get(mrb, object, symbol))
                                                                : mrb_define_module(mrb, "File");
    const definition text[] = {
        {"basename", file_basename, MRB_ARGS_ARG(1, 1)},
        {"dirname", file_dirname, MRB_ARGS_REQ(1)},
        {"extname", file_extname, MRB_ARGS_REQ(1)},
        {"split", file_split, MRB_ARGS_REQ(1)},
        {"join", file_join, MRB_ARGS_ANY()},
        {"expand_path", file_expand_path, MRB_ARGS_ARG(1, 1)},
    };
    define(mrb, file, text);
    for (const char* name : {"SEPARATOR", "Separator"}) {
        const mrb_sym separator = mrb_intern_cstr(mrb, name);
        if (!mrb_const_defined(mrb, mrb_obj_value(file), separator)) {
            mrb_const_set(mrb, mrb_obj_value(file), separator, mrb_str_new_lit(mrb, "/"));
        }
    }
    if (!allow.read && !allow.write) return;

    RClass* const failure = mrb_define_class(mrb, "SystemCallError", mrb->eStandardError_class);
    RClass* const numbers = mrb_define_module(mrb, "Errno");
    for (const error_name& e : errors) {
        RClass* const c = mrb_define_class_under(mrb, numbers, e.name, failure);
        mrb_const_set(mrb, mrb_obj_value(c), mrb_intern_lit(mrb, "Errno"), mrb_fixnum_value(e.number));
    }
    RClass* const dir = mrb_define_module(mrb, "Dir");
    if (allow.read) {
        const definition read[] = {
            {"read", file_read, MRB_ARGS_ARG(1, 2)},         {"readlines", file_readlines, MRB_ARGS_ARG(1, 1)},
            {"exist?", file_exist, MRB_ARGS_REQ(1)},         {"file?", file_file, MRB_ARGS_REQ(1)},
            {"directory?", file_directory, MRB_ARGS_REQ(1)}, {"size", file_size, MRB_ARGS_REQ(1)},
            {"mtime", file_mtime, MRB_ARGS_REQ(1)},
        };
        define(mrb, file, read);
        const definition in_dir[] = {{"exist?", file_directory, MRB_ARGS_REQ(1)}, {"children", dir_children, MRB_ARGS_REQ(1)}};
        define(mrb, dir, in_dir);
    }
    if (allow.write) {
        const definition write[] = {
            {"write", file_write, MRB_ARGS_REQ(2)},   {"append", file_append, MRB_ARGS_REQ(2)},
            {"delete", file_delete, MRB_ARGS_ANY()},  {"unlink", file_delete, MRB_ARGS_ANY()},
            {"rename", file_rename, MRB_ARGS_REQ(2)}, {"mkdir", make_folder, MRB_ARGS_ARG(1, 1)},
        };
        define(mrb, file, write);
        const definition in_dir[] = {{"mkdir", make_folder, MRB_ARGS_ARG(1, 1)}, {"rmdir", remove_folder, MRB_ARGS_REQ(1)}};
        define(mrb, dir, in_dir);
    }
}

}  // namespace kumihimo::inline v0::mruby
