#include "vm.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "allocate.hpp"
#include "arena.hpp"
#include "compile.hpp"
#include "counters.hpp"
#include "deadline.hpp"
#include "descriptors.hpp"
#include "fibers.hpp"
#include "file.hpp"
#include "held.hpp"
#include "image.hpp"
#include "random.hpp"
#include "report.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr std::size_t most_memory = std::size_t{1} << 30;     // bytes a run may be granted
constexpr std::size_t relief = std::size_t{8} << 20;          // garbage is not collected before a run has taken this much
constexpr std::size_t for_last_words = std::size_t{1} << 18;  // to say that memory is out takes some
constexpr std::int64_t least_to_compile = 5'000'000'000;      // nanoseconds
constexpr unsigned most_stale = 64;                           // scripts compiled anew before the VM is
constexpr run_limits to_make{std::size_t{256} << 20, 60'000'000'000};

struct by_name {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const noexcept { return std::hash<std::string_view>{}(s); }
};

}  // namespace

struct vm::compiled {
    mruby::stamp stamp;
    RProc* code = nullptr;  // null: it has errors
    bool has_run = false;
    outcome errors;
};

// A script whose compiling has cost the VM its life, for the VMs after it.
struct refused_script {
    mruby::stamp stamp;
    outcome errors;
};
constexpr std::size_t most_refused = 64;

struct vm::parts {
    arena memory;
    descriptors opened;
    mruby::unwritten unwritten;
    std::unordered_map<std::string, compiled, by_name, std::equal_to<>> scripts;
    std::unordered_map<std::string, refused_script, by_name, std::equal_to<>> refused;
    std::unordered_set<std::string> late;  // could not be compiled for want of a processor, and may try once more
    unsigned stale = 0;
    bool used = false;               // something was run in this VM
    bool unsure = false;             // broken off, and not to be put back: to be made again
    random_state* random = nullptr;  // in the image, written before each run
    // What the counters were last told.
    std::size_t image_told = 0, memory_told = 0, scripts_told = 0, mappings_told = 0;

    void tell_counters(bool gone) noexcept {
        const std::size_t image = gone ? 0 : memory.image(), held = gone ? 0 : memory.held(), n = gone ? 0 : scripts.size();
        const std::size_t mappings = gone ? 0 : memory.mappings();
        if (image != image_told) add(counted().image_bytes, image - std::exchange(image_told, image));
        if (held != memory_told) add(counted().memory_bytes, held - std::exchange(memory_told, held));
        if (mappings != mappings_told) add(counted().mappings, mappings - std::exchange(mappings_told, mappings));
        if (n != scripts_told) add(counted().scripts, n - std::exchange(scripts_told, n));
    }
};

// The work of a run that mruby may leave by a jump. Trivial, since it lives on the stack that is jumped over.
struct vm_run {
    vm* self;
    void (*work)(mrb_state*, vm_run&);
    // What the works need, and what they find.
    vm::compiled* kept = nullptr;  // null: compiled for this run alone
    RProc* code = nullptr;
    const char* text = nullptr;
    std::size_t size = 0;
    const char* name = nullptr;
    int first_line = 1;
    random_state* random = nullptr;  // before a run: what it begins with; of close_image: what it found
    syntax_error syntax{};
    mrb_value exception{};
    raised what{};
    bool failed = false;  // an exception, or left
    int left = 0;         // deadline::reason
    deadline::run time{};
    deadline::whole_time whole{};

    static mrb_value body(mrb_state* mrb, void* data) {
        auto& self = *static_cast<vm_run*>(data);
        self.work(mrb, self);
        return mrb_nil_value();
    }
    static mrb_value last_words(mrb_state* mrb, void* data) {
        auto& self = *static_cast<vm_run*>(data);
        if (surroundings* const around = self.self->here()) around->ended_by(mrb_ptr(self.exception));
        self.what = ask(mrb, self.exception);
        return mrb_nil_value();
    }
};

namespace {

// Everything that can jump is in here.
[[gnu::noinline]] void work_within(mrb_state* mrb, arena& memory, vm_run& r, std::int64_t nanoseconds, std::size_t bytes) {
    deadline& clock = deadline::here();
    if (const int why = sigsetjmp(r.time.back, 0); why != 0) {
        clock.landed(r.time);
        r.left = why;
        r.failed = true;
        return;
    }
    if (!clock.begin(r.time, nanoseconds, r.whole)) {
        r.left = deadline::unwatched;
        r.failed = true;
        return;
    }
    mrb_bool failed = FALSE;
    r.exception = mrb_protect_error(mrb, vm_run::body, &r, &failed);
    if (failed) {
        r.failed = true;
        memory.limit_to(bytes + for_last_words, 0);
        mrb_protect_error(mrb, vm_run::last_words, &r, &failed);
        if (failed) r.what = {mrb_nil_value(), mrb_nil_value(), mrb_obj_ptr(r.exception) == mrb->nomem_err};
    }
    clock.end(r.time);
}

/// Does the work under a time limit.
void within(mrb_state* mrb, arena& memory, vm_run& r, std::int64_t nanoseconds, std::size_t bytes) {
    const std::uint64_t first = held_objects::next_number();
    work_within(mrb, memory, r, nanoseconds, bytes);
    held_objects::drop_since(first);
}

void collect_garbage(void* data) { static_cast<mrb_state*>(data)->gc.disabled = FALSE; }

void define_all(mrb_state* mrb, vm_run& r) {
    define_library(mrb);
    define_random(mrb);
    guard_fibers(mrb);
    const profile& made_with = r.self->made_with();
    if (made_with.define != nullptr) made_with.define(mrb);
    restrict_to(mrb, made_with.allow);
}

void close_image(mrb_state* mrb, vm_run& r) {
    close_top(mrb);
    prepare_image(mrb);
    r.random = renew_default_random(mrb);
    renew_features(mrb);
}
void compile_code(mrb_state* mrb, vm_run& r) {
    r.code = compile(mrb, r.text, r.size, r.name, r.first_line, r.syntax);
    if (r.code != nullptr) mrb_gc_register(mrb, mrb_obj_value(r.code));
}
void seed_random(const vm_run& r) noexcept {
    if (r.random != nullptr) seed(*r.random);
}
void run_code(mrb_state* mrb, vm_run& r) {
    seed_random(r);
    run_top(mrb, r.code);
}
void compile_and_run(mrb_state* mrb, vm_run& r) {
    seed_random(r);
    r.code = compile(mrb, r.text, r.size, r.name, r.first_line, r.syntax);
    if (r.code != nullptr) run_top(mrb, r.code);
}

void say_syntax(outcome& out, const syntax_error& e, std::string_view file) {
    say(out, outcome::kind::syntax, std::string(e.message) + " (SyntaxError)", file, e.line);
}

// How a run ended that has failed.
void say_failed(outcome& out, const vm_run& r, mrb_state* mrb, const arena& memory, std::int64_t nanoseconds,
                std::size_t bytes) {
    if (r.left != 0) {
        say_left(out, r.left, nanoseconds, r.time.whole.nanoseconds, bytes);
        if (r.left != deadline::unwatched) tell_place(mrb, memory, out);
        return;
    }
    tell(r.what, out);
    if (const code_place& place = last_refusal();
        out.type == outcome::kind::exhausted && out.file.empty() && place.file != nullptr) {
        out.file = place.file;
        out.line = place.line;
    }
}

}  // namespace

vm::vm(const profile& made_with) : profile_(&made_with), parts_(std::make_unique<parts>()) {}

vm::~vm() {
    forget();
    parts_->tell_counters(true);
}

// Before its memory goes.
void vm::forget() noexcept {
    if (mrb_ == nullptr) return;
    parts_->opened.close_all();
    mrb_ = nullptr;
    add(counted().vms, static_cast<std::uint64_t>(-1));
}

std::unique_ptr<vm> vm::make(const profile& made_with, outcome& why) {
    std::unique_ptr<vm> made(new vm(made_with));
    const own_refusal refusals;
    if (!made->open(why)) {
        add(counted().unmade, 1);
        return nullptr;
    }
    return made;
}

bool vm::open(outcome& why) {
    arena& memory = parts_->memory;
    forget();
    memory.close();
    parts_->scripts.clear();
    parts_->stale = 0;
    parts_->used = false;
    parts_->unsure = false;
    parts_->random = nullptr;
    if (!memory.open(profile_->image_limit + most_memory, written_always)) {
        say(why, outcome::kind::unmade, "no addresses are left for a VM: is there a limit of virtual memory (ulimit -v)?");
        return false;
    }
    const arena::use here(memory);
    const descriptors::use noted(parts_->opened);
    memory.limit_to(to_make.memory, to_make.memory);
    {
        // The pack gem makes a table in static memory when the first VM of the process is opened.
        static std::mutex one;
        const std::lock_guard lock(one);
        mrb_ = mrb_open_allocf(allocate, &memory);
    }
    if (mrb_ == nullptr) {
        say(why, outcome::kind::unmade, "mruby cannot be started: out of memory");
        return false;
    }
    mrb_->ud = this;
    add(counted().vms, 1);
    memory.told = mrb_;
    memory.on_full = note_refusal;
    memory.on_exhausted = leave_exhausted;
    const auto done = [&](vm_run& r, std::string_view file) {
        within(mrb_, memory, r, to_make.nanoseconds, to_make.memory);
        if (!r.failed && r.syntax.line == 0) return true;
        outcome inner;
        if (r.failed)
            say_failed(inner, r, mrb_, memory, to_make.nanoseconds, to_make.memory);
        else
            say_syntax(inner, r.syntax, file);
        why = std::move(inner);
        why.type = outcome::kind::unmade;
        return false;
    };
    vm_run define{this, define_all};
    if (!done(define, {})) return false;
    for (const std::string& file : profile_->init) {
        std::string text, error;
        mruby::stamp stamp;
        if (!read_file(file.c_str(), text, stamp, error)) {
            say(why, outcome::kind::unmade, error, file);
            return false;
        }
        vm_run init{this, compile_and_run};
        init.text = text.data();
        init.size = text.size();
        init.name = file.c_str();
        if (!done(init, file)) return false;
    }
    if (!profile_->keep_state) {
        vm_run close{this, close_image};
        if (!done(close, {})) return false;
        if (parts_->opened.any()) {
            parts_->opened.close_all();
            say(why, outcome::kind::unmade,
                "an init file leaves a file, socket or program open, which no run could close: open it in the script, or use "
                "the scope thread");
            return false;
        }
        if (!memory.commit()) {
            say(why, outcome::kind::unmade,
                "the VM's memory cannot be protected: is there a limit of virtual memory (ulimit -v), or of ranges of it "
                "(vm.max_map_count)?");
            return false;
        }
        parts_->unwritten.look(mrb_);
        parts_->random = close.random;
        memory.on_relief = collect_garbage;
    }
    parts_->tell_counters(false);
    return true;
}

// The code of a script that is kept, or its text. `name` and `text` live as long as the run.
bool vm::find_code(const script& s, const run_limits& l, vm_run& r, std::string& name, std::string& text, outcome& out) {
    parts& p = *parts_;
    const std::string_view key = s.key.empty() ? s.name : s.key;
    const auto found = p.scripts.find(key);
    if (s.keep != script::reuse::never && found != p.scripts.end() &&
        (s.keep == script::reuse::always || found->second.stamp == s.stamp)) {
        r.kept = &found->second;
        r.code = r.kept->code;
        if (r.code == nullptr) out = r.kept->errors;
        return r.code != nullptr;
    }
    if (const auto no = p.refused.find(key); s.keep != script::reuse::never && no != p.refused.end()) {
        if (s.keep == script::reuse::always || no->second.stamp == s.stamp) {
            out = no->second.errors;
            return false;
        }
        p.refused.erase(no);
    }
    mruby::stamp as_read = s.stamp;
    std::string error;
    if (s.read == nullptr || !s.read(s.from, text, as_read, error)) {
        say(out, outcome::kind::unreadable, error, s.name);
        return false;
    }
    name = s.name;
    r.text = text.data();
    r.size = text.size();
    r.name = name.c_str();
    r.first_line = s.first_line;
    if (s.keep == script::reuse::never) {
        r.work = compile_and_run;
        return true;
    }
    compiled made{as_read, nullptr, false, {}};
    bool may_do = false;
    const bool was_late = p.late.erase(std::string(key)) != 0;
    // As long as the script is the same, it is not tried again.
    if (compile_to_keep(l, r, out, may_do)) {
        made.code = r.code;
    } else if (may_do && !was_late) {
        p.late.emplace(key);
        return false;
    } else if (p.unsure) {
        // Memory may have been short for what other runs have left.
        if (out.type != outcome::kind::exhausted || !p.used) {
            if (p.refused.size() >= most_refused) p.refused.clear();
            p.refused.insert_or_assign(std::string(key), refused_script{as_read, out});
        }
        return false;
    } else {
        made.errors = out;
    }
    if (found != p.scripts.end()) {
        ++p.stale;
        found->second = std::move(made);
        r.kept = &found->second;
    } else {
        r.kept = &p.scripts.emplace(key, std::move(made)).first->second;
    }
    p.tell_counters(false);
    r.work = run_code;
    return r.kept->code != nullptr;
}

// Into the image, where the VM has one. False: `out` says why not, and `may_do` whether another time may do, since it
// was the machine that had none.
bool vm::compile_to_keep(const run_limits& l, vm_run& r, outcome& out, bool& may_do) {
    arena& memory = parts_->memory;
    const bool has_image = !profile_->keep_state;
    bool lost = false;  // an image that is half the old one and half the new one
    add(counted().compiled, 1);
    // A large script may take longer to compile than a small one may run.
    const std::int64_t to_compile = l.nanoseconds == 0 ? to_make.nanoseconds : std::max(l.nanoseconds, least_to_compile);
    r.work = compile_code;
    if (has_image) memory.extend_image();
    memory.limit_to(profile_->image_limit, profile_->image_limit);
    const std::int64_t began = deadline::worked();
    within(mrb_, memory, r, to_compile, profile_->image_limit);
    may_do = r.left == deadline::over_time && deadline::worked() - began < to_compile / 4;
    if (!r.failed && r.code != nullptr && has_image) {
        vm_run close{this, close_image};
        within(mrb_, memory, close, 0, profile_->image_limit);
        lost = !close.failed && !memory.commit();
        if (close.failed || lost) {
            r.failed = true;
            r.left = close.left;
            r.what = {mrb_nil_value(), mrb_nil_value(), true};
        } else {
            parts_->unwritten.look(mrb_);
            parts_->random = close.random;
        }
    }
    if (!r.failed && r.code != nullptr) return true;
    if (r.failed)
        say_failed(out, r, mrb_, memory, to_compile, profile_->image_limit);
    else
        say_syntax(out, r.syntax, r.name);
    if (r.left == deadline::over_time) out.message = "the script could not be compiled in " + time_text(to_compile);
    parts_->unsure = lost || r.left == deadline::crashed || (!has_image && r.failed);
    if (has_image && !parts_->unsure) parts_->unsure = !memory.restore();
    return false;
}

// Whoever asks for a run is C code in the end, through which no exception may pass.
void vm::run(const script& s, const run_limits& l, surroundings* around, outcome& out) noexcept {
    try {
        run_once(s, l, around, out);
    } catch (const std::bad_alloc&) {
        around_ = nullptr;
        running_ = {};
        parts_->opened.close_all();
        parts_->unsure = true;  // wherever that was
        say_no_memory(out);
        count_end(out.type);
        parts_->tell_counters(false);
    }
}

void vm::run_once(const script& s, const run_limits& l, surroundings* around, outcome& out) {
    parts& p = *parts_;
    const own_refusal refusals;
    add(counted().runs, 1);
    out.type = outcome::kind::returned;
    ++run_number_;
    if ((p.unsure || p.stale > most_stale || p.memory.image() > profile_->image_limit) && !open(out)) {
        p.unsure = true;
        add(counted().unmade, 1);
        return;
    }
    const arena::use here(p.memory);
    const descriptors::use noted(p.opened);
    const std::size_t bytes = std::min(l.memory, most_memory);
    vm_run r{this, run_code};
    std::string name, text;
    if (!find_code(s, l, r, name, text, out)) {
        count_end(out.type);
        return;
    }

    around_ = around;
    limits_ = {bytes, l.nanoseconds, l.in_all};
    if (l.in_all > 0 && around != nullptr)
        r.whole = {l.in_all, [](void* argument) noexcept { static_cast<surroundings*>(argument)->give_up(); }, around};
    running_ = s.name;
    p.memory.limit_to(bytes, std::min(relief, bytes / 2));
    r.random = p.random;
    p.used = true;
    within(mrb_, p.memory, r, l.nanoseconds, bytes);
    around_ = nullptr;
    running_ = {};

    if (r.failed || r.syntax.line != 0) [[unlikely]] {
        try {
            if (r.failed)
                say_failed(out, r, mrb_, p.memory, l.nanoseconds, bytes);
            else
                say_syntax(out, r.syntax, s.name);
            // A script can take its exception's backtrace away; which script it was, is known.
            if (out.file.empty()) out.file = s.name;
        } catch (const std::bad_alloc&) {
            say_no_memory(out);
        }
        count_end(out.type);
        // No exception that a script can raise leaves the VM unsure; being left does, unless it is put back.
        if (r.left == deadline::crashed || (profile_->keep_state && r.left != 0)) p.unsure = true;
    }
    put_back(r);
    p.tell_counters(false);
}

void vm::put_back(const vm_run& r) {
    parts& p = *parts_;
    // A state that is kept has its connections too.
    if (!profile_->keep_state || p.unsure) p.opened.close_all();
    if (p.unsure) return;
    if (profile_->keep_state) {
        mrb_gc_arena_restore(mrb_, 0);
    } else if (r.kept != nullptr && !r.kept->has_run && !r.failed) [[unlikely]] {
        r.kept->has_run = true;
        p.unsure = !restore_and_remember(mrb_, p.memory);
    } else {
        arena::range but[2];
        p.unsure = !p.memory.restore({but, r.left == 0 ? p.unwritten.ranges(but) : 0}, !r.failed);
    }
}

std::size_t vm::memory() const noexcept { return parts_->memory.held(); }
std::size_t vm::image() const noexcept { return parts_->memory.image(); }
std::size_t vm::scripts() const noexcept { return parts_->scripts.size(); }

}  // namespace kumihimo::inline v0::mruby
