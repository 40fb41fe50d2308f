// Scripts that wait for what never comes: the limit of time ends them within the system call, whichever it is.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <thread>

#include "scripts.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

using kind = outcome::kind;

namespace {

profile& open_to_all() {
    profile& made_with = some();
    made_with.allow.read = made_with.allow.write = made_with.allow.io = made_with.allow.process = made_with.allow.socket = true;
    return made_with;
}

run_limits within(std::int64_t milliseconds) { return {std::size_t{16} << 20, milliseconds * ms}; }

int open_now() {
    int n = 0;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) n += each.is_symlink() ? 1 : 0;
    return n;
}

// Whether it runs. One that has ended and that nobody has asked for its status is a zombie.
bool runs(const std::string& process) {
    std::ifstream file("/proc/" + process + "/stat");
    std::string stat;
    if (!std::getline(file, stat)) return false;
    const std::size_t name_end = stat.rfind(')');
    return name_end != std::string::npos && stat[name_end + 2] != 'Z' && stat[name_end + 2] != 'X';
}

}  // namespace

TEST_CASE("a script that waits is left in time") {
    const std::string fifo = file_with("");
    std::remove(fifo.c_str());
    REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
    const std::string locked = file_with("x");
    const auto v = vm_with(open_to_all());
    const std::string pair = "a, b = UNIXSocket.pair; ";
    const std::string server = "s = TCPServer.new('127.0.0.1', 0); ";
    const std::string udp = "u = UDPSocket.new; u.bind('127.0.0.1', 0); ";
    const std::string waits[] = {
        "r, w = IO.pipe; r.read(1)",
        "r, w = IO.pipe; r.sysread(1)",
        "r, w = IO.pipe; w.write('x' * 1_000_000)",
        "r, w = IO.pipe; IO.select([r])",
        "r, w = IO.pipe; loop { begin; r.read(1); rescue Exception; end }",
        "File.open('" + fifo + "')",
        "a = File.open('" + locked + "'); b = File.open('" + locked + "'); a.flock(File::LOCK_EX); b.flock(File::LOCK_EX)",
        "`sleep 1000`",
        "IO.popen('sleep 1000').read",
        "IO.popen('sleep 1000').close",
        "IO.popen('sleep 1000'); loop { Object.new }",  // the collector waits for it
        "IO.popen('cat >/dev/null; sleep 1000', 'w').close",
        pair + "a.recv(1)",
        pair + "a.read(1)",
        pair + "loop { a.send('x' * 10_000, 0) }",
        udp + "u.recvfrom(1)",
        server + "s.accept",
        server + "c = TCPSocket.new('127.0.0.1', s.addr[1]); c.gets",
    };
    run(*v, "1");
    const int before = open_now();
    for (const std::string& script : waits) {
        INFO(script);
        const result r = run(*v, script, within(100));
        CHECK(r.end.type == kind::expired);
        CHECK(r.end.line == 1);
        CHECK(open_now() == before);
        CHECK(run(*v, "print `echo well`").out == "well\n");
    }
    std::remove(fifo.c_str());
    std::remove(locked.c_str());
}

// Of a hundred runs nearly each is left while something is opened, or stands between there and the IO that takes its
// number.
TEST_CASE("nothing that a script was opening is lost") {
    const auto v = vm_with(open_to_all());
    for (const std::string script :
         {"loop { File.open('/etc/passwd').close }", "loop { File.open('/etc/passwd') { |f| f.read } }",
          "loop { a, b = IO.pipe; a.close; b.close }", "loop { a, b = UNIXSocket.pair; a.close; b.close }",
          "loop { UDPSocket.new.close }", "loop { File.open('/etc/passwd').dup.close }",
          "s = TCPServer.new('127.0.0.1', 0); loop { c = TCPSocket.new('127.0.0.1', s.addr[1]); s.accept.close; c.close }",
          "loop { IO.popen('true') }", "loop { `true` }"}) {
        INFO(script);
        run(*v, "1");
        const int before = open_now();
        for (int i = 0; i < 100; ++i) CHECK(run(*v, script, within(5)).end.type == kind::expired);
        CHECK(open_now() == before);
        // No child is left, a zombie neither.
        CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
        CHECK(errno == ECHILD);
    }
}

TEST_CASE("what comes in time is read whole") {
    const auto v = vm_with(open_to_all());
    const result r = run(*v,
                         "print `sleep 0.05; echo one`\n"
                         "print IO.popen('sleep 0.05; cat', 'r+') { |c| c.puts 'two'; c.gets }\n"
                         "r, w = IO.pipe\n"
                         "p IO.select([r], nil, nil, 0.05), IO.select([r], [w], nil, 5).map(&:size)\n",
                         within(60'000));
    CHECK(r.end.message == "");
    CHECK(r.out == "one\ntwo\nnil\n[0, 1, 0]\n");
}

TEST_CASE("what a script's program has started ends with the run") {
    const auto v = vm_with(open_to_all());
    const std::pair<std::string, std::string> scripts[] = {
        {"sleep 1000 & echo $!; wait", ""},
        {"sleep 1000 & echo $!; wait", "r, w = IO.pipe\nr.read(1)"},
        {"sleep 1000 >&- & echo $!", "$p.read\nr, w = IO.pipe\nr.read(1)"},  // the program has ended, and this one not
    };
    for (const auto& [program, then] : scripts) {
        const result r = run(*v, "$p = IO.popen('" + program + "'); print $p.gets\n" + then, within(3'000));
        const std::string process = r.out.substr(0, r.out.find('\n'));
        REQUIRE(process.find_first_not_of("0123456789") == std::string::npos);
        REQUIRE(!process.empty());
        while (runs(process)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}
