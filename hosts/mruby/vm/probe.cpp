// Looks whether what a file of releases/ says by heart is so in the libmruby that is installed. CMake builds and runs
// it, with each of them in turn, before anything else is compiled (../CMakeLists.txt). What it prints is the reason
// why not.
#include <cstdio>
#include <cstdlib>

#include "layout.cpp"

using namespace kumihimo::mruby;

namespace {

// How large the blocks were that mruby has asked for.
struct sizes {
    std::size_t first = 0, n = 0, size[4096];
    bool has(std::size_t wanted) const noexcept {
        for (std::size_t i = 0; i < n; ++i)
            if (size[i] == wanted) return true;
        return false;
    }
};
void* allocate(mrb_state*, void* p, std::size_t n, void* seen) {
    auto& s = *static_cast<sizes*>(seen);
    if (n == 0) return std::free(p), nullptr;
    if (s.first == 0) s.first = n;
    if (s.n != sizeof s.size / sizeof *s.size) s.size[s.n++] = n;
    return std::realloc(p, n);
}

int wrong(const char* what) {
    std::printf("%s\n", what);
    return 1;
}

mrb_value asked(mrb_state* mrb, const char* code) {
    const mrb_value v = mrb_load_string(mrb, code);
    if (mrb->exc == nullptr) return v;
    mrb->exc = nullptr;
    return mrb_undef_value();
}
bool is(mrb_state* mrb, mrb_value v, const char* text) {
    if (mrb_undef_p(v)) return false;
    const mrb_value s = mrb_inspect(mrb, v);
    return mrb_string_p(s) && std::strcmp(RSTRING_PTR(s), text) == 0;
}

bool times_as_known(mrb_state* mrb) {
    const mrb_value t = asked(mrb, "Time.at(1234567890, 123456).utc"), local = asked(mrb, "Time.at(5)");
    if (mrb_undef_p(t) || mrb_type(t) != MRB_TT_DATA || mrb_undef_p(local) || mrb_type(local) != MRB_TT_DATA) return false;
    const auto& utc = *static_cast<const time_data*>(DATA_PTR(t));
    return std::strcmp(DATA_TYPE(t)->struct_name, "Time") == 0 && utc.sec == 1234567890 && utc.microseconds == 123'456 &&
           utc.timezone == time_zone::utc && utc.datetime.tm_sec == 30 && utc.datetime.tm_min == 31 &&
           utc.datetime.tm_year == 109 && static_cast<const time_data*>(DATA_PTR(local))->timezone == time_zone::local;
}

// A Random whose state is another's goes on like it, and like no other.
bool randoms_as_known(mrb_state* mrb) {
    const mrb_value a = asked(mrb, "$a = Random.new(1)"), b = asked(mrb, "$b = Random.new(2)");
    if (mrb_undef_p(a) || mrb_undef_p(b) || mrb_type(a) != MRB_TT_ISTRUCT || mrb_type(b) != MRB_TT_ISTRUCT) return false;
    if (!is(mrb, asked(mrb, "$a.rand(1 << 30) == $b.rand(1 << 30)"), "false")) return false;
    random_state_of(b) = random_state_of(a);
    if (!is(mrb, asked(mrb, "(1..9).map { $a.rand(1 << 30) } == (1..9).map { $b.rand(1 << 30) }"), "true")) return false;
    // So does the class's own.
    const mrb_value own = mrb_iv_get(mrb, asked(mrb, "Random"), mrb_intern_cstr(mrb, release::default_random));
    if (mrb_type(own) != MRB_TT_ISTRUCT) return false;
    random_state_of(own) = random_state_of(a);
    return is(mrb, asked(mrb, "(1..9).map { $a.rand(1 << 30) } == (1..9).map { rand(1 << 30) }"), "true");
}

mrb_value twice(mrb_state* mrb, mrb_value self) {
    mrb_value block;
    mrb_get_args(mrb, "&", &block);
    mrb_callinfo* const frame = mrb->c->ci;
    RClass* c = mrb->object_class;
    const mrb_method_t m = mrb_method_search_vm(mrb, &c, mrb_intern_lit(mrb, "two_of"));
    if (frame->cci != 0 || MRB_METHOD_UNDEF_P(m) || !MRB_METHOD_PROC_P(m)) return mrb_nil_value();
    frame->n = 0;
    frame->nk = 0;
    frame->stack[1] = block;
    return mrb_exec_irep(mrb, self, const_cast<RProc*>(MRB_METHOD_PROC(m)));
}
// A native's place is taken by a method, out of whose block one may return (blocks.cpp).
bool frames_as_known(mrb_state* mrb) {
    mrb_define_method(mrb, mrb->object_class, "twice", twice, MRB_ARGS_BLOCK());
    asked(mrb, "def two_of; yield 1; yield 2; :both; end");
    return is(mrb, asked(mrb, "$seen = []; twice { |i| $seen << i }"), ":both") && is(mrb, asked(mrb, "$seen"), "[1, 2]") &&
           is(mrb, asked(mrb, "def out; twice { |i| return i * 7 }; nil; end; out"), "7");
}

}  // namespace

int main() {
    static sizes seen;
    mrb_state* const mrb = mrb_open_allocf(allocate, &seen);
    if (mrb == nullptr) return wrong("no VM can be made");
    if (seen.first != sizeof(mrb_state))
        return wrong("mrb_state has another size: the library was compiled with other definitions (mruby-config --cflags)");
    if (!layout_known_here) return wrong("mruby's values are not boxed in words of 64 bits");
    if (!seen.has(first_stack * sizeof(mrb_value)) || !seen.has(first_calls * sizeof(mrb_callinfo)) ||
        !seen.has(sizeof(mrb_context)))
        return wrong("the first stack or context has another size");
    if (!seen.has(static_cast<std::size_t>(static_cast<char*>(release::first_object(newest_page(mrb))) -
                                           reinterpret_cast<char*>(newest_page(mrb))) +
                  heap_objects * object_size))
        return wrong("a page of the heap has another size");
    check_layout(mrb);
    if (!layout_known()) return wrong("hashes, objects or pages lie in memory otherwise");
    if (!times_as_known(mrb)) return wrong("a Time is something else");
    if (!randoms_as_known(mrb)) return wrong("a Random is something else");
    if (!frames_as_known(mrb)) return wrong("a native's frame is something else");
    mrb_close(mrb);
    std::printf("%d.%d.%d\n", MRUBY_RELEASE_MAJOR, MRUBY_RELEASE_MINOR, MRUBY_RELEASE_TEENY);
    return 0;
}
