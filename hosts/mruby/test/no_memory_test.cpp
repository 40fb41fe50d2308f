// Where the memory of the process ends, not the run's: what natives take of it for a moment.
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <thread>

#include "answers.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

namespace {

constexpr std::size_t all = ~std::size_t{0};
std::size_t most_at_once = all;  // bytes that operator new gives
std::size_t times = all;         // that it gives any

std::string with_little(vm& in, const std::string& code, std::size_t most = 15'000) {
    from_text text{"script.rb", "begin; " + code + "; rescue Exception => e; print e.class, ': ', e.message[0, 100]; end"};
    text.keep = script::reuse::never;
    most_at_once = most;
    const result r = run(in, text);
    most_at_once = all;
    return r.end ? r.out : r.end.message;
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    if (n > most_at_once || times == 0) return nullptr;
    if (times != all) --times;
    return std::malloc(n);
}
[[gnu::noinline]] void* operator new(std::size_t n) {
    void* const p = operator new(n, std::nothrow);
    return p != nullptr ? p : throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

TEST_CASE("for a file's text or name") {
    const std::string large = file_with("#" + std::string(300'000, '-')), small = file_with("print 'small'");
    ::usleep(60'000);  // a file of this moment is taken for one that is still written
    profile made_with;
    made_with.load_path.push_back(std::filesystem::path(large).parent_path());
    const auto v = vm_with(made_with);
    CHECK(with_little(*v, "require '" + large + "'") ==
          "LoadError: cannot load such file -- " + large + ": cannot be read: Cannot allocate memory");
    for (const char* how : {"require", "require_relative", "load"}) {
        INFO(how);
        CHECK(with_little(*v, std::string(how) + " '" + made_with.load_path[0] + "/' + 'x' * 200_000")
                  .starts_with("NoMemoryError: "));
    }
    CHECK(with_little(*v, "require '" + small + "'") == "small");
    CHECK(run(*v, "print require('" + large + "')").out == "true");
    std::filesystem::remove(large);
    std::filesystem::remove(small);
}

TEST_CASE("for a pattern") {
    const auto v = usual_vm();
    CHECK(with_little(*v, "Regexp.new('a' * 20_000)").starts_with("RegexpError: out of memory"));
    // In its other form, when a text needs that.
    CHECK(run(*v, "print Regexp.new('a' * 20_000) =~ 'a' * 20_000").out == "0");
    CHECK(with_little(*v, "Regexp.new('a' * 20_000) =~ 'é' + 'a' * 20_000").starts_with("RegexpError: cannot be matched here"));
    CHECK(run(*v, "print Regexp.new('a' * 20_000) =~ 'é' + 'a' * 20_000").out == "2");
}

TEST_CASE("for the names of a pattern's groups, which PCRE2 has compiled by then") {
    const auto v = usual_vm();
    const std::string code = "s = '(?<' + 'n' * 32 + '>a)'; 509.times { |i| s << \"(?<a#{i}>)\" }; Regexp.new(s)";
    // The list of all names in one size is what is largest.
    CHECK(with_little(*v, code, 17'000).starts_with("RegexpError: out of memory"));
    const std::size_t before = ::mallinfo2().uordblks;
    for (int i = 0; i < 100; ++i) (void)with_little(*v, code, 17'000);
    CHECK(::mallinfo2().uordblks < before + 1'000'000);
    CHECK(with_little(*v, code, 18'000).empty());
}

// Each memory that is taken on the way is refused once.
TEST_CASE("for what packs and unpacks") {
    const auto v = usual_vm();
    const std::string source = "Class.new { def initialize(s) @s = s end; def read(n) (s, @s = @s, nil)[0] end }.new(packed)";
    const std::string code = "packed = Kumihimo.pack('[1] ' * 400_000, 'gzip'); n = 0; Kumihimo.each_document(" + source +
                             ") { n += 1 }; print n, Kumihimo.unpack(packed).size";
    CHECK(run(*v, code).out == "4000001600000");
    unsigned refused = 0;
    bool through = false;
    for (std::size_t given = 0; given < 4000 && !through; ++given) {
        from_text text{"script.rb",
                       "begin; $go = true; " + code + "; rescue NoMemoryError, Kumihimo::ParserError => e; print e.class; end"};
        CHECK(run(*v, text).out == "4000001600000");  // compiled, and what VMs and threads keep is there
        recorded around;
        result r;
        const script s = text.as_script();
        times = given;
        v->run(s, {}, &around, r.end);
        times = all;
        through = around.out == "4000001600000";
        if (!through) ++refused;
        INFO(around.out << r.end.message);
        CHECK((through || around.out.ends_with("Error") || !r.end));
    }
    CHECK(through);
    CHECK(refused > 3);
}

// Who borrows a VM is httpd, through whose frames no exception may pass: each memory that it takes on the way is
// refused once.
TEST_CASE("for a thread's VMs and what is known of profiles that fail") {
    const std::string init = file_with("$x = 'made'"), failing = file_with("raise 'no'");
    for (const std::string& file : {std::string(), init, failing}) {
        INFO(file);
        unsigned made = 0, refused = 0;
        for (std::size_t given = 0; given < 4000 && made < 2; ++given) {
            profile made_with;
            if (!file.empty()) made_with.init.push_back(file);
            outcome why;
            bool is = false;
            std::thread([&] {
                times = given;
                const borrowed_vm mine(made_with, why);
                times = all;
                is = mine.get() != nullptr;
                if (!is) return;
                from_text s{"s.rb", "print $x.to_s"};
                CHECK(run(*mine.get(), s).out == (file.empty() ? "" : "made"));
            }).join();
            if (is) {
                ++made;
            } else {
                CHECK(why.type == outcome::kind::unmade);
                refused += why.message == "out of memory";
                if (file == failing && why.message.find("no (RuntimeError)") != std::string::npos) ++made;
            }
        }
        CHECK(made == 2);
        CHECK(refused > 0);
    }
    std::filesystem::remove(init);
    std::filesystem::remove(failing);
}
