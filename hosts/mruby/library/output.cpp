// puts, print, p, printf, and the objects $stdout and $stderr: what they print reaches the run's surroundings, byte
// for byte what Ruby prints. Outside a run, and where there are no surroundings, it goes nowhere.
#include "../vm/vm.hpp"
#include "library.hpp"
#include "native.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr int error_level = 3, warning_level = 4;

// Where a piece of text goes. A log takes lines: what is written to it without a newline is a message of its own.
enum class target : std::uint8_t { output, errors, warnings };

void send(mrb_state* mrb, target to, std::string_view s) noexcept {
    vm* const v = vm::of(mrb);
    if (v == nullptr) return;
    surroundings* const around = v->here();
    if (around == nullptr || s.empty()) return;
    host_section section;
    if (to == target::output) return around->write(s.data(), s.size());
    const int level = to == target::errors ? error_level : warning_level;
    while (!s.empty()) {
        const std::size_t end = s.find('\n');
        const std::string_view line = s.substr(0, end);
        if (!line.empty()) around->log(level, line);
        s.remove_prefix(end == std::string_view::npos ? s.size() : end + 1);
    }
}

void send_line(mrb_state* mrb, target to, std::string_view s) noexcept {
    char line[512];
    if (!s.empty() && s.back() == '\n') return send(mrb, to, s);
    if (s.size() < sizeof line) {
        std::memcpy(line, s.data(), s.size());
        line[s.size()] = '\n';
        return send(mrb, to, {line, s.size() + 1});
    }
    send(mrb, to, s);
    send(mrb, to, "\n");
}

// The arrays that are being printed, outermost last: one within itself is printed as Ruby does.
struct open_array {
    RArray* array;
    const open_array* outer;
};

void put(mrb_state* mrb, target to, mrb_value v, const open_array* outer, int depth) {
    if (mrb_array_p(v)) {
        const open_array self{mrb_ary_ptr(v), outer};
        for (auto* o = outer; o != nullptr; o = o->outer) {
            if (o->array == self.array) return send_line(mrb, to, "[...]");
        }
        if (depth == 200) mrb_raise(mrb, mrb_class_get(mrb, "ArgumentError"), "puts: arrays are nested more than 200 deep");
        // The array may change while to_s runs, and what held it may let go of it.
        const int ai = mrb_gc_arena_save(mrb);
        mrb_gc_protect(mrb, v);
        for (mrb_int i = 0; i < RARRAY_LEN(v); ++i) put(mrb, to, RARRAY_PTR(v)[i], &self, depth + 1);
        mrb_gc_arena_restore(mrb, ai);
        return;
    }
    const int ai = mrb_gc_arena_save(mrb);
    send_line(mrb, to, bytes_of(text_of(mrb, v)));
    mrb_gc_arena_restore(mrb, ai);
}

void put_all(mrb_state* mrb, target to, const mrb_value* v, mrb_int n) {
    if (n == 0) return send(mrb, to, "\n");
    for (mrb_int i = 0; i < n; ++i) put(mrb, to, v[i], nullptr, 0);
}

mrb_int print_all(mrb_state* mrb, target to, const mrb_value* v, mrb_int n) {
    mrb_int written = 0;
    for (mrb_int i = 0; i < n; ++i) {
        const int ai = mrb_gc_arena_save(mrb);
        const std::string_view s = bytes_of(text_of(mrb, v[i]));
        written += static_cast<mrb_int>(s.size());
        send(mrb, to, s);
        mrb_gc_arena_restore(mrb, ai);
    }
    return written;
}

mrb_value show_all(mrb_state* mrb, target to, const mrb_value* v, mrb_int n) {
    for (mrb_int i = 0; i < n; ++i) {
        const int ai = mrb_gc_arena_save(mrb);
        send_line(mrb, to, bytes_of(mrb_inspect(mrb, v[i])));
        mrb_gc_arena_restore(mrb, ai);
    }
    return n == 0 ? mrb_nil_value() : n == 1 ? v[0] : mrb_ary_new_from_values(mrb, n, v);
}

mrb_value formatted(mrb_state* mrb, const mrb_value* v, mrb_int n) {
    return mrb_funcall_argv(mrb, mrb_top_self(mrb), mrb_intern_lit(mrb, "sprintf"), n, v);
}

// $stdout and $stderr are two objects of one class, told apart by this.
target target_of(mrb_state* mrb, mrb_value stream) {
    return mrb_test(mrb_iv_get(mrb, stream, mrb_intern_lit(mrb, "errors"))) ? target::errors : target::output;
}

// What Kernel's methods print to. A script may put an object of its own into $stdout, which then gets the call.
bool is_ours(mrb_state* mrb, mrb_value& stream, const char* name) {
    stream = mrb_gv_get(mrb, mrb_intern_cstr(mrb, name));
    return mrb_nil_p(stream) ||
           (mrb_type(stream) == MRB_TT_OBJECT && mrb_iv_defined(mrb, stream, mrb_intern_lit(mrb, "errors")));
}

template <class Do>
mrb_value kernel(mrb_state* mrb, const char* method, Do work) {
    const arguments a(mrb);
    mrb_value stream;
    if (is_ours(mrb, stream, "$stdout")) {
        return work(a, mrb_nil_p(stream) ? target::output : target_of(mrb, stream));
    }
    return mrb_funcall_argv(mrb, stream, mrb_intern_cstr(mrb, method), a.n, a.v);
}

mrb_value kernel_puts(mrb_state* mrb, mrb_value) {
    return kernel(mrb, "puts", [mrb](const arguments& a, target to) {
        put_all(mrb, to, a.v, a.n);
        return mrb_nil_value();
    });
}

mrb_value kernel_print(mrb_state* mrb, mrb_value) {
    return kernel(mrb, "print", [mrb](const arguments& a, target to) {
        print_all(mrb, to, a.v, a.n);
        return mrb_nil_value();
    });
}

mrb_value kernel_p(mrb_state* mrb, mrb_value) {
    const arguments a(mrb);
    mrb_value stream;
    if (is_ours(mrb, stream, "$stdout")) {
        return show_all(mrb, mrb_nil_p(stream) ? target::output : target_of(mrb, stream), a.v, a.n);
    }
    for (mrb_int i = 0; i < a.n; ++i) {
        mrb_value line = mrb_inspect(mrb, a.v[i]);
        mrb_funcall_argv(mrb, stream, mrb_intern_lit(mrb, "puts"), 1, &line);
    }
    return a.n == 0 ? mrb_nil_value() : a.n == 1 ? a.v[0] : mrb_ary_new_from_values(mrb, a.n, a.v);
}

mrb_value kernel_printf(mrb_state* mrb, mrb_value) {
    const arguments a(mrb);
    if (a.n == 0) return mrb_nil_value();
    mrb_value text = formatted(mrb, a.v, a.n), stream;
    if (is_ours(mrb, stream, "$stdout")) {
        send(mrb, mrb_nil_p(stream) ? target::output : target_of(mrb, stream), bytes_of(text));
    } else {
        mrb_funcall_argv(mrb, stream, mrb_intern_lit(mrb, "write"), 1, &text);
    }
    return mrb_nil_value();
}

mrb_value kernel_warn(mrb_state* mrb, mrb_value) {
    const arguments a(mrb);
    mrb_value stream;
    if (a.n == 0) return mrb_nil_value();
    if (is_ours(mrb, stream, "$stderr")) {
        put_all(mrb, target::warnings, a.v, a.n);
        return mrb_nil_value();
    }
    return mrb_funcall_argv(mrb, stream, mrb_intern_lit(mrb, "puts"), a.n, a.v);
}

// mruby's own print and p, written in Ruby, end in this one, which would write to the process's standard output.
mrb_value kernel_printstr(mrb_state* mrb, mrb_value) {
    mrb_value s;
    mrb_get_args(mrb, "o", &s);
    if (mrb_string_p(s)) send(mrb, target::output, bytes_of(s));
    return s;
}

mrb_value stream_puts(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    put_all(mrb, target_of(mrb, self), a.v, a.n);
    return mrb_nil_value();
}

mrb_value stream_print(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    print_all(mrb, target_of(mrb, self), a.v, a.n);
    return mrb_nil_value();
}

mrb_value stream_write(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    return mrb_int_value(mrb, print_all(mrb, target_of(mrb, self), a.v, a.n));
}

mrb_value stream_append(mrb_state* mrb, mrb_value self) {
    mrb_value v;
    mrb_get_args(mrb, "o", &v);
    print_all(mrb, target_of(mrb, self), &v, 1);
    return self;
}

mrb_value stream_p(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    return show_all(mrb, target_of(mrb, self), a.v, a.n);
}

mrb_value stream_printf(mrb_state* mrb, mrb_value self) {
    const arguments a(mrb);
    if (a.n != 0) send(mrb, target_of(mrb, self), bytes_of(formatted(mrb, a.v, a.n)));
    return mrb_nil_value();
}

mrb_value stream_self(mrb_state*, mrb_value self) { return self; }
mrb_value stream_true(mrb_state*, mrb_value) { return mrb_true_value(); }
mrb_value stream_false(mrb_state*, mrb_value) { return mrb_false_value(); }
mrb_value stream_argument(mrb_state* mrb, mrb_value) {
    mrb_value v;
    mrb_get_args(mrb, "o", &v);
    return v;
}

mrb_value stream_inspect(mrb_state* mrb, mrb_value self) {
    return new_string(mrb, target_of(mrb, self) == target::errors ? "#<StandardStream:stderr>" : "#<StandardStream:stdout>");
}

}  // namespace

void define_output(mrb_state* mrb) {
    RClass* const kernel_module = mrb->kernel_module;
    const auto in_kernel = [&](const char* name, mrb_func_t f, mrb_aspec args) {
        mrb_define_method(mrb, kernel_module, name, f, args);
    };
    in_kernel("puts", kernel_puts, MRB_ARGS_ANY());
    in_kernel("print", kernel_print, MRB_ARGS_ANY());
    in_kernel("p", kernel_p, MRB_ARGS_ANY());
    in_kernel("pp", kernel_p, MRB_ARGS_ANY());
    in_kernel("printf", kernel_printf, MRB_ARGS_ANY());
    in_kernel("warn", kernel_warn, MRB_ARGS_ANY());
    in_kernel("__printstr__", kernel_printstr, MRB_ARGS_REQ(1));

    RClass* const stream = mrb_define_class(mrb, "StandardStream", mrb->object_class);
    const auto in_stream = [&](const char* name, mrb_func_t f, mrb_aspec args) {
        mrb_define_method(mrb, stream, name, f, args);
    };
    in_stream("puts", stream_puts, MRB_ARGS_ANY());
    in_stream("print", stream_print, MRB_ARGS_ANY());
    in_stream("write", stream_write, MRB_ARGS_ANY());
    in_stream("<<", stream_append, MRB_ARGS_REQ(1));
    in_stream("p", stream_p, MRB_ARGS_ANY());
    in_stream("printf", stream_printf, MRB_ARGS_ANY());
    in_stream("flush", stream_self, MRB_ARGS_NONE());
    in_stream("fsync", stream_self, MRB_ARGS_NONE());
    in_stream("sync", stream_true, MRB_ARGS_NONE());
    in_stream("sync=", stream_argument, MRB_ARGS_REQ(1));
    in_stream("tty?", stream_false, MRB_ARGS_NONE());
    in_stream("isatty", stream_false, MRB_ARGS_NONE());
    in_stream("inspect", stream_inspect, MRB_ARGS_NONE());
    const mrb_value out = mrb_obj_new(mrb, stream, 0, nullptr), err = mrb_obj_new(mrb, stream, 0, nullptr);
    mrb_iv_set(mrb, out, mrb_intern_lit(mrb, "errors"), mrb_false_value());
    mrb_iv_set(mrb, err, mrb_intern_lit(mrb, "errors"), mrb_true_value());
    mrb_undef_class_method(mrb, stream, "new");
    const mrb_sym names[] = {mrb_intern_lit(mrb, "$stdout"), mrb_intern_lit(mrb, "$>"), mrb_intern_lit(mrb, "$stderr")};
    mrb_gv_set(mrb, names[0], out);
    mrb_gv_set(mrb, names[1], out);
    mrb_gv_set(mrb, names[2], err);
    // Warnings about constants that are defined again do not exist in mruby.
    mrb_const_set(mrb, mrb_obj_value(mrb->object_class), mrb_intern_lit(mrb, "STDOUT"), out);
    mrb_const_set(mrb, mrb_obj_value(mrb->object_class), mrb_intern_lit(mrb, "STDERR"), err);
}

}  // namespace kumihimo::inline v0::mruby
