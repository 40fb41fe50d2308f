// Scripts from text, and what they print: for the tests of the VM.
#pragma once
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "../vm/vm.hpp"

namespace kumihimo::inline v0::mruby::test {

struct recorded final : surroundings {
    std::string out, logged;
    void write(const char* s, std::size_t n) noexcept override { out.append(s, n); }
    void log(int, std::string_view message) noexcept override { (logged += message) += '\n'; }
};

/// A script whose text is at hand. Its stamp is a number that the test counts up.
struct from_text {
    std::string name, text;
    std::int64_t version = 1;
    script::reuse keep = script::reuse::while_same;
    int reads = 0;
    bool unreadable = false;

    script as_script() {
        script s;
        s.name = name;
        s.stamp.modified = version;
        s.keep = keep;
        s.from = this;
        s.read = [](void* from, std::string& to, stamp&, std::string& error) {
            auto& self = *static_cast<from_text*>(from);
            ++self.reads;
            to = self.text;
            error = "permission denied";
            return !self.unreadable;
        };
        return s;
    }
};

struct result {
    outcome end;
    std::string out;
};

inline result run(vm& in, from_text& what, const run_limits& limits = {}) {
    recorded around;
    result r;
    in.run(what.as_script(), limits, &around, r.end);
    r.out = around.out;
    return r;
}
inline result run(vm& in, std::string_view text, const run_limits& limits = {}) {
    from_text once{"script.rb", std::string(text)};
    once.keep = script::reuse::never;
    return run(in, once, limits);
}

/// One that outlives the VMs made from it.
inline profile& some() {
    static std::list<profile> all;
    return all.emplace_back();
}
inline std::unique_ptr<vm> vm_with(const profile& made_with) {
    outcome why;
    auto v = vm::make(made_with, why);
    if (v == nullptr) FAIL(why.message);
    return v;
}
inline std::unique_ptr<vm> usual_vm() { return vm_with(some()); }
inline profile& keeping() {
    profile& p = some();
    p.keep_state = true;
    return p;
}
inline std::string file_with(const std::string& text) {
    static int n = 0;
    std::string name = std::filesystem::temp_directory_path() / "kumihimo_vm_test_";
    name += std::to_string(getpid()) + "_" + std::to_string(++n) + ".rb";
    std::ofstream(name) << text;
    return name;
}

inline constexpr std::int64_t ms = 1'000'000;

}  // namespace kumihimo::inline v0::mruby::test
