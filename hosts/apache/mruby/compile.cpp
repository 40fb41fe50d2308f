#include "compile.hpp"

#include <algorithm>
#include <climits>
#include <cstdio>

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

void run_top(mrb_state* mrb, RProc* proc) {
    // `def` on the top level defines here.
    if (mrb->c->ci == mrb->c->cibase) mrb->c->ci->u.target_class = mrb->object_class;
    mrb_top_run(mrb, proc, mrb_top_self(mrb), 0);
    if (mrb->exc != nullptr) {
        const mrb_value exc = mrb_obj_value(mrb->exc);
        mrb->exc = nullptr;
        mrb_exc_raise(mrb, exc);
    }
}

}  // namespace kumihimo::inline v0::mruby
