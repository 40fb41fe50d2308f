// require, require_relative and load. Built-in names are there already; files come from the profile's load path only,
// and require_relative's also from the folder (and below) of the script that runs. What a name leads to is decided by
// its text: a link inside such a folder is its owner's decision.
//
// Loaded once per run: the list, $", is a global as others are, gone after the run.
#include <sys/stat.h>

#include <algorithm>
#include <string>

#include "../vm/file.hpp"
#include "../vm/report.hpp"
#include "../vm/thread_specific.hpp"
#include "../vm/vm.hpp"
#include "file_text.hpp"
#include "host_memory.hpp"
#include "library.hpp"
#include "native.hpp"
//
#include "../vm/compile.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr std::string_view built_in[] = {
    "apache",     "json",     "json/ext", "msgpack",    "uri",   "time",       "cgi",      "cgi/util",
    "cgi/escape", "erb/util", "rack",     "rack/utils", "fiber", "enumerator", "rational", "complex",
};

bool is_built_in(std::string_view name) noexcept {
    if (name.ends_with(".rb")) name.remove_suffix(3);
    return name == "Apache" || std::find(std::begin(built_in), std::end(built_in), name) != std::end(built_in);
}

// What is found outlives jumps, as it is the thread's.
struct found {
    std::string path, error;
};
constinit thread_local thread_specific<found> at_hand;

bool is_file(const std::string& path) noexcept {
    struct stat is;
    return ::stat(path.c_str(), &is) == 0 && S_ISREG(is.st_mode);
}

// `path` and, where it has no ending, with Ruby's.
bool find_with_ending(std::string path, bool literally) {
    if (literally || path.ends_with(".rb") || path.ends_with(".mrb")) {
        if (!is_file(path)) return false;
        at_hand->path = std::move(path);
        return true;
    }
    for (const char* ending : {".rb", ".mrb"}) {
        if (is_file(path + ending)) {
            at_hand->path = path + ending;
            return true;
        }
    }
    return false;
}

bool find_in_load_path(const profile& made_with, std::string_view name, bool literally) {
    const std::string plain = plain_path(name);
    if (plain.starts_with("..")) return false;
    for (const std::string& folder : made_with.load_path) {
        const std::string root = plain_path(folder);
        if (plain.front() == '/') {
            if (is_under(plain, root) && find_with_ending(plain, literally)) return true;
        } else if (find_with_ending(root == "/" ? root + plain : root + "/" + plain, literally)) {
            return true;
        }
    }
    return false;
}

bool find_beside(const vm& v, std::string_view from, std::string_view name, bool literally) {
    const std::string path =
        name.starts_with('/') ? plain_path(name) : plain_path(std::string(folder_of(from)) + "/" + std::string(name));
    bool allowed = is_under(path, plain_path(folder_of(v.running())));
    for (const std::string& folder : v.made_with().load_path) allowed = allowed || is_under(path, plain_path(folder));
    return allowed && find_with_ending(path, literally);
}

[[noreturn]] void cannot_load(mrb_state* mrb, std::string_view name, const char* why = nullptr) {
    growing_string message(mrb, 64 + name.size());
    message.put("cannot load such file -- ");
    message.put(name);
    if (why != nullptr) {
        message.put(": ");
        message.put(why);
    }
    raise(mrb, mrb_exc_new_str(mrb, mrb_class_get(mrb, "LoadError"), message.take()));
}

mrb_value features(mrb_state* mrb) {
    const mrb_sym name = mrb_intern_lit(mrb, "$\"");
    mrb_value list = mrb_gv_get(mrb, name);
    if (!mrb_array_p(list)) {
        list = mrb_ary_new(mrb);
        mrb_gv_set(mrb, name, list);
        mrb_gv_set(mrb, mrb_intern_lit(mrb, "$LOADED_FEATURES"), list);
    }
    return list;
}

bool is_loaded(mrb_value list, std::string_view feature) noexcept {
    for (mrb_int i = 0; i < RARRAY_LEN(list); ++i) {
        const mrb_value have = RARRAY_PTR(list)[i];
        if (mrb_string_p(have) && bytes_of(have) == feature) return true;
    }
    return false;
}

mrb_value run_code(mrb_state* mrb, void* proc) {
    run_top(mrb, static_cast<RProc*>(proc));
    return mrb_nil_value();
}

// The text of the file at hand, in memory of the run's. Undefined: at_hand->error.
mrb_value text_at_hand(mrb_state* mrb) {
    return with_memory(mrb, [mrb](auto&& make) {
        std::string text;
        stamp ignored;
        if (read_file(at_hand->path.c_str(), text, ignored, at_hand->error)) make([&] { return new_string(mrb, text); });
    });
}

// Runs the file at hand.
void run_file(mrb_state* mrb, mrb_value name) {
    const mrb_value text = text_at_hand(mrb);
    if (mrb_undef_p(text)) cannot_load(mrb, bytes_of(name), at_hand->error.c_str());
    const mrb_value path = new_string(mrb, at_hand->path);
    syntax_error why;
    RProc* const proc = compile(mrb, RSTRING_PTR(text), bytes_of(text).size(), mrb_string_cstr(mrb, path), 1, why);
    if (proc == nullptr) {
        mrb_raisef(mrb, mrb_class_get(mrb, "SyntaxError"), "%v:%d: %s", path, why.line, why.message);
    }
    mrb_gc_protect(mrb, mrb_obj_value(proc));
    mrb_bool raised = FALSE;
    const mrb_value result = mrb_protect_error(mrb, run_code, proc, &raised);
    if (raised) {
        // It may be asked for again: it was not loaded.
        const mrb_value list = features(mrb);
        for (mrb_int i = RARRAY_LEN(list); i-- > 0;) {
            const mrb_value have = RARRAY_PTR(list)[i];
            if (!mrb_string_p(have) || bytes_of(have) != bytes_of(path)) continue;
            for (mrb_int j = i; j + 1 < RARRAY_LEN(list); ++j) mrb_ary_set(mrb, list, j, RARRAY_PTR(list)[j + 1]);
            mrb_ary_pop(mrb, list);
        }
        raise(mrb, result);
    }
}

mrb_value name_argument(mrb_state* mrb) {
    mrb_value name;
    mrb_get_args(mrb, "S", &name);
    mrb_string_cstr(mrb, name);  // raises where it holds a NUL byte
    return name;
}

mrb_value load_once(mrb_state* mrb, mrb_value name) {
    const mrb_value list = features(mrb);
    if (is_loaded(list, at_hand->path)) return mrb_false_value();
    mrb_ary_push(mrb, list, new_string(mrb, at_hand->path));
    run_file(mrb, name);
    return mrb_true_value();
}

mrb_value kernel_require(mrb_state* mrb, mrb_value) {
    const mrb_value name = name_argument(mrb);
    const std::string_view asked = bytes_of(name);
    const vm* const v = vm::of(mrb);
    if (is_built_in(asked) || (asked == "socket" && v != nullptr && v->made_with().allow.socket)) {
        const std::string_view feature = asked == "Apache" ? std::string_view("apache") : asked;
        const mrb_value list = features(mrb);
        if (is_loaded(list, feature)) return mrb_false_value();
        mrb_ary_push(mrb, list, new_string(mrb, feature));
        return mrb_true_value();
    }
    bool there = false;
    if (v != nullptr && !asked.empty())
        with_memory(mrb, [&](auto&&) { there = find_in_load_path(v->made_with(), asked, false); });
    if (!there) cannot_load(mrb, asked);
    return load_once(mrb, name);
}

mrb_value kernel_require_relative(mrb_state* mrb, mrb_value) {
    const mrb_value name = name_argument(mrb);
    const vm* const v = vm::of(mrb);
    const char* const from = place_of(mrb).file;
    if (from == nullptr) cannot_load(mrb, bytes_of(name), "the file of the caller is not known");
    bool there = false;
    if (v != nullptr) with_memory(mrb, [&](auto&&) { there = find_beside(*v, from, bytes_of(name), false); });
    if (!there) cannot_load(mrb, bytes_of(name));
    return load_once(mrb, name);
}

mrb_value kernel_load(mrb_state* mrb, mrb_value) {
    const mrb_value name = name_argument(mrb);
    const vm* const v = vm::of(mrb);
    bool there = false;
    if (v != nullptr) {
        with_memory(mrb, [&](auto&&) {
            there =
                find_in_load_path(v->made_with(), bytes_of(name), true) || find_beside(*v, v->running(), bytes_of(name), true);
        });
    }
    if (!there) cannot_load(mrb, bytes_of(name));
    run_file(mrb, name);
    return mrb_true_value();
}

}  // namespace

void renew_features(mrb_state* mrb) {
    const mrb_sym name = mrb_intern_lit(mrb, "$\"");
    const mrb_value list = mrb_gv_get(mrb, name);
    if (!mrb_array_p(list)) return;
    const int arena = mrb_gc_arena_save(mrb);
    const mrb_value renewed = mrb_ary_new_from_values(mrb, RARRAY_LEN(list), RARRAY_PTR(list));
    mrb_gv_set(mrb, name, renewed);
    mrb_gv_set(mrb, mrb_intern_lit(mrb, "$LOADED_FEATURES"), renewed);
    mrb_gc_arena_restore(mrb, arena);
}

void define_require(mrb_state* mrb) {
    mrb_define_class(mrb, "LoadError", mrb_class_get(mrb, "ScriptError"));
    mrb_define_method(mrb, mrb->kernel_module, "require", kernel_require, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, mrb->kernel_module, "require_relative", kernel_require_relative, MRB_ARGS_REQ(1));
    mrb_define_method(mrb, mrb->kernel_module, "load", kernel_load, MRB_ARGS_REQ(1));
    features(mrb);
}

}  // namespace kumihimo::inline v0::mruby
