// kumihimo-mruby: runs a script in a VM as mod_mruby's, without httpd.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "../vm/file.hpp"
#include "../vm/vm.hpp"
//
#include <mruby/version.h>

using namespace kumihimo::mruby;

namespace {

constexpr char help[] = R"(kumihimo-mruby - run a Ruby script in the virtual machine of mod_mruby, without a web server

Usage:
  kumihimo-mruby [options] SCRIPT
  kumihimo-mruby [options] -e CODE
  kumihimo-mruby [options] -            (the script comes from standard input)

The script runs as one in the server does: in a VM of its own thread, with JSON, MessagePack, Regexp, URI and the other classes
of the library, under limits of memory and time, without files, sockets and processes unless they are allowed. What belongs to
a request (Apache::Request and the like) is not here. What it prints goes to standard output, $stderr and warn to standard
error.

Options:
  -e CODE            run CODE instead of a file
  --memory SIZE      what a run may take: bytes, or with K, M or G        (default 64M)
  --time SECONDS     how long a run may take, such as 0.5; 0 is no limit  (default 30)
  --allow LIST       what scripts may do beyond computing, with commas between:
                       read     look at files and read them
                       write    write, rename and delete files
                       io       mruby's own IO and File
                       process  IO.popen and `command`
                       socket   mruby's own sockets
  -I DIR, --load-path DIR
                     where require looks for files; may be given again
  --init FILE        run FILE once, when the VM is made; may be given again
  --runs N           run the script N times in one VM                     (default 1)
  --keep-state       leave globals, classes and objects to the next run, as "MrubyScope thread" does
  --status           say on standard error what memory the VM holds in the end
  -h, --help         show this
  --version          show the version

Exit status:
  0  the last run returned
  1  a run raised an exception, or was over its time or memory, or the script has syntax errors
  2  the options are wrong, or there is no such script

Errors are "FILE:LINE: MESSAGE" on standard error, and where the calls came from below.
)";

class terminal final : public surroundings {
public:
    void write(const char* s, std::size_t n) noexcept override { put(STDOUT_FILENO, {s, n}, out_); }
    void log(int, std::string_view message) noexcept override {
        flush();
        std::string line;
        put(STDERR_FILENO, message, line);
        put(STDERR_FILENO, "\n", line);
        drain(STDERR_FILENO, line);
    }
    void flush() noexcept { drain(STDOUT_FILENO, out_); }
    bool failed() const noexcept { return failed_; }

private:
    void put(int fd, std::string_view s, std::string& to) noexcept {
        to.append(s);
        if (to.size() >= 65536) drain(fd, to);
    }
    void drain(int fd, std::string& from) noexcept {
        std::size_t done = 0;
        while (done < from.size()) {
            const ssize_t n = ::write(fd, from.data() + done, from.size() - done);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) {
                failed_ = failed_ || fd == STDOUT_FILENO;
                break;
            }
            done += static_cast<std::size_t>(n);
        }
        from.clear();
    }
    std::string out_;
    bool failed_ = false;
};

[[noreturn]] void refuse(const std::string& why) {
    std::fprintf(stderr, "kumihimo-mruby: %s (see kumihimo-mruby --help)\n", why.c_str());
    std::exit(2);
}

std::size_t size_of(std::string_view text) {
    std::size_t n = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const int shift = unit.empty()                 ? 0
                      : unit == "K" || unit == "k" ? 10
                      : unit == "M" || unit == "m" ? 20
                      : unit == "G" || unit == "g" ? 30
                                                   : -1;
    if (failed != std::errc() || shift < 0 || n == 0 || n > (~std::size_t{0} >> shift)) {
        refuse("--memory takes a size such as 64M, not \"" + std::string(text) + "\"");
    }
    return n << shift;
}

std::int64_t time_of(std::string_view text) {
    double seconds = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (failed != std::errc() || end != text.data() + text.size() || !(seconds >= 0) || seconds > 1e6) {
        refuse("--time takes seconds such as 30 or 0.5, not \"" + std::string(text) + "\"");
    }
    // 0 is no limit, and nothing else is.
    return seconds > 0 ? std::max<std::int64_t>(1, std::llround(seconds * 1e9)) : 0;
}

permissions permissions_of(std::string_view list) {
    permissions allow;
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        const std::string_view one = list.substr(0, comma);
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
        if (one == "read")
            allow.read = true;
        else if (one == "write")
            allow.write = true;
        else if (one == "io")
            allow.io = true;
        else if (one == "process")
            allow.process = true;
        else if (one == "socket")
            allow.socket = true;
        else
            refuse("--allow knows read, write, io, process and socket, not \"" + std::string(one) + "\"");
    }
    return allow;
}

struct source {
    std::string name, code;
    enum { file, given, input } from = file;
};

bool read_source(void* from, std::string& text, stamp& as_read, std::string& error) {
    auto& s = *static_cast<source*>(from);
    if (s.from == source::file) return read_file(s.name.c_str(), text, as_read, error);
    text = s.code;
    return true;
}

std::string read_input() {
    std::string text;
    char part[65536];
    for (;;) {
        const ssize_t n = ::read(STDIN_FILENO, part, sizeof part);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return text;
        text.append(part, static_cast<std::size_t>(n));
    }
}

void report(const outcome& o, std::string_view name) {
    std::string text = o.file.empty() ? std::string(name) : o.file;
    if (o.line > 0) text += ":" + std::to_string(o.line);
    text += ": " + o.message + "\n";
    for (const std::string& from : o.backtrace) text += "\tfrom " + from + "\n";
    std::fputs(text.c_str(), stderr);
}

}  // namespace

int main(int count, char** arguments) {
    profile made_with;
    run_limits limits;
    source from;
    long runs = 1;
    bool status = false, code = false;
    int i = 1;
    const auto value = [&](std::string_view option) -> std::string {
        if (++i >= count) refuse(std::string(option) + " takes a value");
        return arguments[i];
    };
    for (; i < count; ++i) {
        std::string_view option = arguments[i];
        if (option == "--") {
            ++i;
            break;
        }
        if (option.size() < 2 || option.front() != '-') break;
        std::string given;
        bool has = false;
        if (const std::size_t equals = option.find('='); option.starts_with("--") && equals != std::string_view::npos) {
            given = option.substr(equals + 1);
            option = option.substr(0, equals);
            has = true;
        }
        const auto argument = [&] { return has ? given : value(option); };
        if (option == "--help" || option == "-h") return std::fputs(help, stdout), 0;
        if (option == "--version") return std::puts("kumihimo-mruby " KUMIHIMO_VERSION " (mruby " MRUBY_VERSION ")"), 0;
        if (option == "-e") {
            from.code += value(option) + "\n";
            code = true;
        } else if (option == "--memory") {
            limits.memory = size_of(argument());
        } else if (option == "--time") {
            limits.nanoseconds = time_of(argument());
        } else if (option == "--allow") {
            made_with.allow = permissions_of(argument());
        } else if (option == "--load-path" || option == "-I") {
            made_with.load_path.push_back(argument());
        } else if (option == "--init") {
            made_with.init.push_back(argument());
        } else if (option == "--runs") {
            const std::string n = argument();
            const auto [end, failed] = std::from_chars(n.data(), n.data() + n.size(), runs);
            if (failed != std::errc() || end != n.data() + n.size() || runs < 1)
                refuse("--runs takes a number from 1, not \"" + n + "\"");
        } else if (option == "--keep-state") {
            made_with.keep_state = true;
        } else if (option == "--status") {
            status = true;
        } else {
            refuse("no option " + std::string(option));
        }
    }
    if (code) {
        from.name = "-e";
        from.from = source::given;
        if (i < count) refuse("-e and a script: one of the two");
    } else if (i < count) {
        from.name = arguments[i++];
        if (i < count) refuse("one script, not \"" + std::string(arguments[i]) + "\" too");
        if (from.name == "-") {
            from.from = source::input;
            from.code = read_input();
        }
    } else {
        refuse("no script");
    }

    outcome end;
    const auto vm = vm::make(made_with, end);
    if (vm == nullptr) {
        report(end, "the VM cannot be made");
        return 1;
    }
    terminal around;
    script what;
    what.name = from.name;
    what.read = read_source;
    what.from = &from;
    what.keep = script::reuse::always;
    for (long run = 0; run < runs; ++run) {
        end = {};
        vm->run(what, limits, &around, end);
        around.flush();
        if (!end) {
            report(end, from.name);
            break;
        }
    }
    if (status) {
        std::fprintf(stderr, "memory %zu bytes, of which the image %zu; %zu scripts compiled\n", vm->memory(), vm->image(),
                     vm->scripts());
    }
    if (around.failed()) {
        std::fputs("kumihimo-mruby: standard output cannot be written\n", stderr);
        return 1;
    }
    return end ? 0 : end.type == outcome::kind::unreadable ? 2 : 1;
}
