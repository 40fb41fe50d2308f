#include "compile.hpp"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "deadline.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

void tell(syntax_error& why, int line, int column, const char* message) {
    why.line = line;
    why.column = column;
    std::snprintf(why.message, sizeof why.message, "%s", message);
}

}  // namespace

RProc* compile(mrb_state* mrb, const char* text, std::size_t size, const char* name, int first_line, syntax_error& why) {
    // mruby counts a script's bytes, and its lines in 16 bits, in ints.
    if (size > INT_MAX / 2) return tell(why, first_line, 0, "the script is larger than 1 GB"), nullptr;
    if (const void* const nul = std::memchr(text, '\0', size); nul != nullptr) {
        const auto before = static_cast<const char*>(nul);
        return tell(why, first_line + static_cast<int>(std::count(text, before, '\n')), 0, "a NUL byte: this is no text"),
               nullptr;
    }
    mrbc_context* const context = mrbc_context_new(mrb);
    context->capture_errors = TRUE;
    context->lineno = static_cast<uint16_t>(std::clamp(first_line, 1, UINT16_MAX));
    mrbc_filename(mrb, context, name);
    mrb_parser_state* const parser = mrb_parse_nstring(mrb, text, size, context);
    RProc* proc = nullptr;
    if (parser == nullptr) {
        tell(why, first_line, 0, "out of memory");
    } else if (parser->nerr > 0) {
        const auto& first = parser->error_buffer[0];
        tell(why, first.lineno, first.column, first.message == nullptr ? "syntax error" : first.message);
    } else {
        proc = mrb_generate_code(mrb, parser);
        if (proc == nullptr) tell(why, first_line, 0, "this cannot be compiled: too long, or nested too deeply");
    }
    if (parser != nullptr) mrb_parser_free(parser);
    mrbc_context_free(mrb, context);
    if (proc != nullptr) MRB_PROC_SET_TARGET_CLASS(proc, mrb->object_class);
    return proc;
}

namespace {

struct trial {
    const char* text;
    std::size_t size;
    const char* name;
    int first_line;
    syntax_error& why;
    std::int64_t until = 0;  // of the thread's own work; 0: nobody looks
    unsigned asked = 0;
    bool late = false;
    bool good = false;

    // Memory is what the compiler asks for all the time: where it gets none, mruby leaves it in order.
    static void* allocate(mrb_state* mrb, void* p, std::size_t n, void* argument) {
        auto& self = *static_cast<trial*>(argument);
        if (n == 0) return std::free(p), nullptr;
        // mruby 3.1 takes its GC arena for grown when it was refused, and writes behind it.
        if (mrb != nullptr && p != nullptr && p == mrb->gc.arena) return std::realloc(p, n);
        if (self.until != 0 && ++self.asked % 16 == 0 && deadline::worked() > self.until) self.late = true;
        return self.until != 0 && self.late ? nullptr : std::realloc(p, n);
    }
    static mrb_value body(mrb_state* mrb, void* argument) {
        auto& self = *static_cast<trial*>(argument);
        self.good = compile(mrb, self.text, self.size, self.name, self.first_line, self.why) != nullptr;
        return mrb_nil_value();
    }
};

}  // namespace

bool compiles(const char* text, std::size_t size, const char* name, int first_line, std::int64_t nanoseconds,
              syntax_error& why) {
    trial t{text, size, name, first_line, why};
    mrb_state* const mrb = mrb_open_core(trial::allocate, &t);
    if (mrb == nullptr) return tell(why, first_line, 0, "out of memory: no VM can be made to compile it"), false;
    t.until = deadline::worked() + nanoseconds;
    mrb_bool failed = FALSE;
    mrb_protect_error(mrb, trial::body, &t, &failed);
    t.until = 0;
    mrb_close(mrb);
    if (t.good && !failed) return true;
    if (t.late) {
        tell(why, first_line, 0, "");
        std::snprintf(why.message, sizeof why.message, "the script could not be compiled in %lld s: it has %zu bytes",
                      static_cast<long long>(nanoseconds / 1'000'000'000), size);
    } else if (failed) {
        tell(why, first_line, 0, "out of memory");
    }
    return false;
}

// mruby lets all that runs on the top level share variables, for its shell's sake: closures would read and write those
// of the script that runs.
void close_top(mrb_state* mrb) {
    release::close_environment(mrb, mrb->c->cibase);  // `def` on the top level defines in Object
}

void run_top(mrb_state* mrb, RProc* proc) {
    if (mrb->c->ci == mrb->c->cibase) close_top(mrb);
    mrb_top_run(mrb, proc, mrb_top_self(mrb), 0);
    if (mrb->exc != nullptr) {
        const mrb_value exc = mrb_obj_value(mrb->exc);
        mrb->exc = nullptr;
        mrb_exc_raise(mrb, exc);
    }
}

}  // namespace kumihimo::inline v0::mruby
