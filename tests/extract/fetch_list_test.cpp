// Inputs that a host fetches: in order and a few ahead, the first ones kept as long as they may be read again, none
// left open.
#include "extract/fetch_list.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "archives.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

std::vector<std::string> names(std::size_t n) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back("u" + std::to_string(i));
    return all;
}

std::size_t descriptors() {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator("/proc/self/fd")) ++n;
    return n;
}

std::vector<std::string> asked(fetch_list& list) {
    std::vector<std::string> all;
    for (std::string path; list.next(path) == fetch_list::said::path;) all.push_back(path);
    return all;
}

struct files {
    archives::folder in;
    std::string path = in.write("one", "{}");
    int open() const { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }
    void give_all(fetch_list& list) const {
        for (const std::string& one : asked(list)) list.give(one, open());
    }
};

}  // namespace

TEST_CASE("a few ahead of the reader, each asked for once") {
    const files f;
    fetch_list list(names(9));
    failure why;
    CHECK(asked(list) == std::vector<std::string>{"u0", "u1", "u2"});
    CHECK(asked(list).empty());
    for (const char* name : {"u2", "u1", "u0"}) list.give(name, f.open());
    const int file = list.take("u0", -1, why);
    REQUIRE(file >= 0);
    ::close(file);
    CHECK(asked(list) == std::vector<std::string>{"u3"});
    // One that is far ahead, as for a sample, goes before the others.
    std::thread reader([&] { ::close(list.take("u7", -1, why)); });
    std::string path;
    while (list.next(path) != fetch_list::said::path) std::this_thread::yield();
    CHECK(path == "u7");
    list.give("u7", f.open());
    reader.join();
    CHECK(asked(list) == std::vector<std::string>{"u8"});
    list.refuse("u8", "no");
    CHECK(list.take("u8", -1, why) == -1);
    CHECK(std::string(why.what) == "no");
    CHECK(why.code == errc::host);
}

TEST_CASE("what is read again is kept as far as there is room, and nothing stays open") {
    const files f;
    const std::size_t before = descriptors();
    {
        fetch_list list(names(fetch_list::most_kept + 40));
        const auto read_all = [&] {
            std::set<std::string> fetched;
            for (const std::string& name : names(fetch_list::most_kept + 40)) {
                for (const std::string& one : asked(list)) {
                    fetched.insert(one);
                    list.give(one, f.open());
                }
                failure why;
                const int file = list.take(name, -1, why);
                REQUIRE(file >= 0);
                ::close(file);
            }
            return fetched;
        };
        CHECK(read_all().size() == fetch_list::most_kept + 40);
        CHECK(descriptors() <= before + fetch_list::most_kept + fetch_list::ahead);
        list.last_reading();
        CHECK(read_all().size() == 40);
        CHECK(descriptors() == before);
        std::string path;
        CHECK(list.next(path) == fetch_list::said::over);
    }
    CHECK(descriptors() == before);
    {
        fetch_list list(names(3));
        f.give_all(list);
        f.give_all(list);
        list.give("u0", f.open());  // nobody asked
        list.give("another", f.open());
    }
    CHECK(descriptors() == before);
}

TEST_CASE("one that comes twice is read twice; whoever waits is woken") {
    const files f;
    fetch_list list({"a", "b", "a"});
    list.last_reading();
    failure why;
    for (const char* name : {"a", "b", "a"}) {
        std::thread host([&] {
            while (true) {
                std::string path;
                const auto said = list.next(path);
                if (said == fetch_list::said::path) list.give(path, f.open());
                if (said == fetch_list::said::over || path == name) return;
                std::this_thread::yield();
            }
        });
        const int file = list.take(name, -1, why);
        CHECK(file >= 0);
        ::close(file);
        host.join();
    }
    fetch_list silent(names(1));
    const int wake = ::eventfd(1, EFD_CLOEXEC);
    CHECK(silent.take("u0", wake, why) == -1);
    CHECK(std::string(why.what).find("cancelled") != std::string::npos);
    ::close(wake);
}
