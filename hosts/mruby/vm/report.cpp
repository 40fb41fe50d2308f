#include "report.hpp"

#include "deadline.hpp"

#include <charconv>
#include <cstdio>

#include <mruby/debug.h>

namespace kumihimo::inline v0::mruby {
namespace {

mrb_value message_of(mrb_state* mrb, void* data) {
    const mrb_value exception = *static_cast<mrb_value*>(data);
    const mrb_value text = mrb_funcall(mrb, exception, "message", 0);
    return mrb_string_p(text) ? text : mrb_obj_as_string(mrb, text);
}
mrb_value copy_of(mrb_state* mrb, void* data) { return mrb_str_dup(mrb, *static_cast<mrb_value*>(data)); }
mrb_value backtrace_of(mrb_state* mrb, void* data) { return mrb_funcall(mrb, *static_cast<mrb_value*>(data), "backtrace", 0); }

constexpr mrb_int most_lines = 50;  // of a backtrace; those in the middle are left out

// Where a frame is. The instruction it has last noted is that of its last call.
code_place place_of(mrb_state* mrb, const mrb_callinfo* ci) noexcept {
    const mrb_irep* const code = ci->proc->body.irep;
    if (ci->pc < code->iseq || ci->pc > code->iseq + code->ilen) return {};
    const auto instruction = static_cast<std::uint32_t>(ci->pc > code->iseq ? ci->pc - code->iseq - 1 : 0);
    const int line = mrb_debug_get_line(mrb, code, instruction);
    return line < 0 ? code_place{} : code_place{mrb_debug_get_filename(mrb, code, instruction), line};
}

std::string_view view(mrb_value s) { return {RSTRING_PTR(s), static_cast<std::size_t>(RSTRING_LEN(s))}; }

// "file:line" or "file:line:in method" into its parts. A file's name may have colons.
void place(std::string_view text, outcome& out) {
    if (const std::size_t in = text.rfind(":in "); in != std::string_view::npos) text = text.substr(0, in);
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return;
    int line = 0;
    const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), line);
    if (error != std::errc{} || end != text.data() + text.size()) return;
    out.file = text.substr(0, colon);
    out.line = line;
}

}  // namespace

void say(outcome& out, outcome::kind type, std::string message, std::string_view file, int line) {
    out = {};
    out.type = type;
    out.message = std::move(message);
    out.file = file;
    out.line = line;
}

std::string size_text(std::size_t bytes) {
    return bytes % (1 << 20) == 0 ? std::to_string(bytes >> 20) + " MB" : std::to_string(bytes) + " bytes";
}

std::string time_text(std::int64_t nanoseconds) {
    constexpr struct {
        std::int64_t size;
        const char* name;
    } units[] = {{1'000'000'000, " s"}, {1'000'000, " ms"}, {1000, " us"}};
    for (const auto& unit : units) {
        if (nanoseconds % unit.size == 0) return std::to_string(nanoseconds / unit.size) + unit.name;
    }
    return std::to_string(nanoseconds) + " ns";
}

raised ask(mrb_state* mrb, mrb_value exception) {
    raised r{mrb_nil_value(), mrb_nil_value(), false};
    r.no_memory = mrb_obj_is_kind_of(mrb, exception, mrb_class_get(mrb, "NoMemoryError"));
    mrb_bool failed = FALSE;
    mrb_value text = mrb_protect_error(mrb, message_of, &exception, &failed);
    if (failed) text = mrb_nil_value();
    const char* const name = mrb_obj_classname(mrb, exception);
    if (!mrb_string_p(text) || RSTRING_LEN(text) == 0) {
        text = mrb_str_new_cstr(mrb, name == nullptr ? "an exception" : name);
    } else {
        text = mrb_protect_error(mrb, copy_of, &text, &failed);
        if (!failed && name != nullptr) {
            mrb_str_cat_lit(mrb, text, " (");
            mrb_str_cat_cstr(mrb, text, name);
            mrb_str_cat_lit(mrb, text, ")");
        }
    }
    r.message = text;
    const mrb_value trace = mrb_protect_error(mrb, backtrace_of, &exception, &failed);
    if (!failed && mrb_array_p(trace)) r.backtrace = trace;
    return r;
}

code_place place_of(mrb_state* mrb) noexcept {
    const mrb_context* const c = mrb->c;
    for (const mrb_callinfo* ci = c->ci; ci >= c->cibase; --ci) {
        if (ci->proc == nullptr || MRB_PROC_CFUNC_P(ci->proc) || ci->proc->body.irep->debug_info == nullptr) continue;
        if (const code_place found = place_of(mrb, ci); found.file != nullptr) return found;
    }
    return {};
}

void tell(const raised& r, outcome& out) {
    out.type = r.no_memory ? outcome::kind::exhausted : outcome::kind::raised;
    out.message = mrb_string_p(r.message) ? view(r.message) : "an exception";
    if (!mrb_array_p(r.backtrace)) return;
    for (mrb_int i = 0; i < RARRAY_LEN(r.backtrace); ++i) {
        const mrb_value line = RARRAY_PTR(r.backtrace)[i];
        if (mrb_string_p(line)) out.backtrace.emplace_back(view(line));
        if (i == most_lines / 2 && RARRAY_LEN(r.backtrace) > most_lines) {
            const mrb_int left_out = RARRAY_LEN(r.backtrace) - most_lines;
            out.backtrace.push_back("... " + std::to_string(left_out) + " more");
            i += left_out;
        }
    }
    if (!out.backtrace.empty()) place(out.backtrace.front(), out);
}

namespace {

// Frames as they are found, in memory that needs no destructor.
struct found_frames {
    static constexpr int most = 50;
    struct frame {
        char file[256];
        int line;
    } all[most];
    int n = 0;
};

// The innermost frames first; a frame says where it called, and the innermost where it last did.
void find_frames(mrb_state* mrb, const arena& memory, found_frames& found) {
    const auto whole = [&memory](const auto* p) { return memory.covers(p, sizeof *p); };
    const mrb_context* const c = mrb->c;
    if (!whole(c)) return;
    for (const mrb_callinfo* ci = c->ci; whole(ci) && ci >= c->cibase && found.n < found_frames::most; --ci) {
        const RProc* const proc = ci->proc;
        if (!whole(proc) || proc->tt != MRB_TT_PROC || MRB_PROC_CFUNC_P(proc)) continue;
        const mrb_irep* const code = proc->body.irep;
        if (!whole(code) || code->debug_info == nullptr || !whole(code->debug_info)) continue;
        const code_place place = place_of(mrb, ci);
        if (place.file == nullptr || !memory.covers(place.file, 1)) continue;
        found_frames::frame& f = found.all[found.n];
        f.line = place.line;
        std::snprintf(f.file, sizeof f.file, "%s", place.file);
        ++found.n;  // last: it is whole now
    }
}

}  // namespace

void tell_place(mrb_state* mrb, const arena& memory, outcome& out) {
    found_frames found;
    // A pointer that leads nowhere ends this as it would have ended the script.
    deadline& clock = deadline::here();
    deadline::run looking;
    if (sigsetjmp(looking.back, 0) == 0) {
        clock.begin(looking, 0);
        find_frames(mrb, memory, found);
        clock.end(looking);
    } else {
        clock.landed(looking);
    }
    for (int i = 0; i < found.n; ++i) {
        const found_frames::frame& f = found.all[i];
        if (i == 0) {
            out.file = f.file;
            out.line = f.line;
        }
        out.backtrace.push_back(std::string(f.file) + ":" + std::to_string(f.line));
    }
}

void say_left(outcome& out, int left, std::int64_t nanoseconds, std::int64_t max_time, std::size_t bytes) {
    switch (left) {
        case deadline::over_time:
            say(out, outcome::kind::expired, "the script ran longer than its limit of " + time_text(nanoseconds));
            break;
        case deadline::over_all:
            say(out, outcome::kind::expired,
                "the run took longer than its limit of " + time_text(max_time) + " in all, with what it waited for");
            break;
        case deadline::over_output: say(out, outcome::kind::exhausted, "the script's response is larger than its limit"); break;
        case deadline::over_memory:
            say(out, outcome::kind::exhausted, "the script took more memory than its limit of " + size_text(bytes));
            break;
        case deadline::over_stack: say(out, outcome::kind::raised, "stack level too deep (SystemStackError)"); break;
        case deadline::unwatched:
            say(out, outcome::kind::unmade,
                "nobody can look after the script's time: is there a limit of threads (ulimit -u), or a filter of system "
                "calls?");
            break;
        default: say(out, outcome::kind::crashed, "mruby crashed in this script");
    }
}

void say_no_memory(outcome& out) noexcept {
    out = {};
    out.type = outcome::kind::unmade;
    out.message = "out of memory";  // short enough to need none
}

}  // namespace kumihimo::inline v0::mruby
