// One mruby VM: its memory, the scripts it has compiled, and one run after another, each in the state the VM was made
// in.
//
//      make        mrb_open in an arena of its own (arena.hpp), the library, the profile's classes and init files: the image
//      run         the script, compiled into the image the first time; its globals, classes and objects are gone afterwards
//
// A VM belongs to one thread at a time. What a script calls reaches the VM by vm::of(mrb), and its surroundings by
// vm::of(mrb).here().
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "deadline.hpp"
#include "mruby_headers.hpp"

namespace kumihimo::inline v0::mruby {

/// What a script's output and messages reach: an HTTP request, a program's standard output, a test.
class surroundings {
public:
    /// puts, print, p. Called inside a host_section.
    virtual void write(const char* s, std::size_t n) noexcept = 0;
    /// Levels are syslog's: 3 error, 4 warning, 6 info, 7 debug. Called inside a host_section.
    virtual void log(int level, std::string_view message) noexcept = 0;
    /// Which exception ends the run: an RException that is not to be touched any more.
    virtual void ended_by(const void* /*exception*/) noexcept {}

    /// The run waits in here for somebody, and its whole time is over: what it waits for is to end. Called in the
    /// run's thread by a signal's handler.
    virtual void give_up() noexcept {}

protected:
    ~surroundings() = default;
};

/// What scripts may do beyond computing. Nothing by default.
struct permissions {
    bool read = false;     // files: File.read and what tells about files
    bool write = false;    // files: written, renamed, deleted
    bool io = false;       // mruby's own IO and File
    bool process = false;  // IO.popen, `command`, system
    bool socket = false;   // mruby's own sockets
    friend bool operator==(const permissions&, const permissions&) = default;
};

/// What a VM is made with. Lives longer than its VMs.
struct profile {
    bool keep_state = false;  // scripts leave their state to the next run
    permissions allow;
    std::vector<std::string> load_path;               // where `require` looks, besides what is built in
    std::vector<std::string> init;                    // files run once, when the VM is made
    void (*define)(mrb_state*) = nullptr;             // the surroundings' own classes
    std::size_t image_limit = std::size_t{64} << 20;  // bytes; a VM whose compiled scripts take more is made anew
};

/// Limits of one run.
struct run_limits {
    std::size_t memory = std::size_t{64} << 20;  // bytes that the script may take beside the image
    std::int64_t nanoseconds = 30'000'000'000;   // 0: no limit
    std::int64_t in_all = 0;                     // the same with what the script waits for
};

/// Which file, as somebody has just found it (stat). A script is compiled again when one of these is new.
struct stamp {
    std::int64_t modified = 0;  // in the unit of whoever asks
    std::int64_t size = 0;
    std::uint64_t inode = 0;
    std::uint64_t device = 0;
    friend bool operator==(const stamp&, const stamp&) = default;
};

/// A script to run: its name (also __FILE__), and how to come by its text when it is not compiled yet.
struct script {
    enum class reuse : std::uint8_t {
        while_same,  // as long as the stamp is the same
        always,      // whatever the stamp says
        never,       // compiled for each run
    };
    std::string_view name;
    std::string_view key = {};  // what tells scripts of one name apart; none: the name
    mruby::stamp stamp;
    reuse keep = reuse::while_same;
    int first_line = 1;
    /// Reads the text; when it cannot, `error` says why and the outcome is `unreadable`. May give a newer stamp than
    /// asked for: that of what was read.
    bool (*read)(void* from, std::string& text, mruby::stamp& as_read, std::string& error) = nullptr;
    void* from = nullptr;
};

/// How a run ended.
struct outcome {
    enum class kind : std::uint8_t {
        returned,
        raised,      // an exception that nobody rescued
        syntax,      // the script does not compile
        unreadable,  // its file cannot be read
        expired,     // over its time
        exhausted,   // over its memory
        crashed,     // mruby went wrong in its own code; the VM is made anew
        unmade,      // no VM could be made, or the process had no memory left
    };
    kind type = kind::returned;
    std::string message;                 // "undefined method 'x' (NoMethodError)"
    std::string file;                    // where; empty if unknown
    int line = 0;                        // 0 if unknown
    std::vector<std::string> backtrace;  // "file:line:in method"

    explicit operator bool() const noexcept { return type == kind::returned; }
};

struct vm_run;

class vm {
public:
    /// Null when it cannot be made: `why` says the reason (memory, an init file that fails).
    static std::unique_ptr<vm> make(const profile&, outcome& why);
    ~vm();
    vm(const vm&) = delete;
    vm& operator=(const vm&) = delete;

    /// Runs a script. `around` may be null: then what it prints goes nowhere. The VM is ready for the next run
    /// afterwards, whatever happened.
    void run(const script&, const run_limits&, surroundings* around, outcome&) noexcept;

    /// The VM of a script that runs, or null: a plain mruby program has none.
    static vm* of(mrb_state* mrb) noexcept { return static_cast<vm*>(mrb->ud); }
    /// The surroundings of the run of the moment; null outside a run.
    surroundings* here() const noexcept { return around_; }
    /// Those of the run of the moment, or of the last one.
    const run_limits& limits() const noexcept { return limits_; }
    /// Differs from run to run: an object that belongs to one remembers it, and is stale in another.
    std::uint64_t run_number() const noexcept { return run_number_; }
    const profile& made_with() const noexcept { return *profile_; }
    mrb_state* state() const noexcept { return mrb_; }
    /// Bytes of memory held, of which the image.
    std::size_t memory() const noexcept;
    std::size_t image() const noexcept;
    std::size_t scripts() const noexcept;
    /// The name of the script of the run of the moment.
    std::string_view running() const noexcept { return running_; }

private:
    friend struct vm_run;
    struct compiled;
    struct parts;
    explicit vm(const profile&);
    bool open(outcome&);
    void forget() noexcept;
    bool find_code(const script&, const run_limits&, vm_run&, std::string& name, std::string& text, outcome&);
    bool compile_to_keep(const run_limits&, vm_run&, outcome&, bool& may_do);
    void run_once(const script&, const run_limits&, surroundings* around, outcome&);
    void put_back(const vm_run&);

    const profile* profile_;
    mrb_state* mrb_ = nullptr;
    surroundings* around_ = nullptr;
    run_limits limits_;
    std::uint64_t run_number_ = 0;
    std::string_view running_;
    std::unique_ptr<parts> parts_;
};

/// The calling thread's VMs: one for each profile, and one more for each run within a run (a subrequest, a filter).
/// Where they become too many, the one that was longest unused gives way.
class borrowed_vm {
public:
    /// Runs may nest this deep in one thread.
    static constexpr int most_nested = 8;
    /// A thread keeps so many; all threads together as many as have mappings enough (arena.hpp).
    static constexpr std::size_t most_of_thread = 32;
    static std::size_t most_of_process() noexcept;
    borrowed_vm(const profile&, outcome& why);
    ~borrowed_vm();
    borrowed_vm(const borrowed_vm&) = delete;
    borrowed_vm& operator=(const borrowed_vm&) = delete;
    vm* get() const noexcept { return vm_; }  // null: `why` says the reason

private:
    vm* vm_ = nullptr;
};

// What scripts find, which a VM asks for and knows nothing of: these are the library's (library/).

/// Everything that needs no permission.
void define_library(mrb_state*);
/// Takes away what is not allowed; last of all.
void restrict_to(mrb_state*, const permissions&);
/// Puts the list of what was required beside the objects of the runs to come: the last thing before an image is
/// closed.
void renew_features(mrb_state*);

}  // namespace kumihimo::inline v0::mruby
