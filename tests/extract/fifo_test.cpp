// FIFOs whose writer is not there yet: whoever waits for one is woken, and a writer may come as late as it likes.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "archives.hpp"
#include "extract/dialect_reader.hpp"
#include "extract/run.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

constexpr std::chrono::milliseconds turn{20};

struct fifo {
    archives::folder in;
    std::string path;

    explicit fifo(const char* name = "fifo") : path(in.path() + "/" + name) { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); }
    /// Comes as a writer, which waits for a reader, and goes again.
    void write(std::string_view content) const {
        const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        CHECK(fd >= 0);
        CHECK(::write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()));
        ::close(fd);
    }
};

/// Comes as a writer when all else fails, so that a test that would wait for ever says so instead.
class rescue {
public:
    explicit rescue(const fifo& of)
        : thread_([this, path = of.path] {
              std::unique_lock lock(mutex_);
              while (!over_.wait_for(lock, std::chrono::seconds(60), [this] { return done_; })) {
                  needed_ = true;
                  const int fd = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
                  ::close(fd);
              }
          }) {}
    ~rescue() {
        if (thread_.joinable()) was_needed();
    }
    bool was_needed() {
        {
            const std::lock_guard lock(mutex_);
            done_ = true;
        }
        over_.notify_all();
        thread_.join();
        return needed_;
    }

private:
    std::mutex mutex_;
    std::condition_variable over_;
    bool done_ = false, needed_ = false;
    std::thread thread_;
};

options how(unsigned jobs, policy p = policy::skip) { return {.jobs = jobs, .on_error = p, .out = form::csv}; }

// Until the run has given this much, and then waits.
void give_and_wait(run& r, const std::string& rows) {
    std::string all;
    result got;
    while (all != rows) {
        const progress p = r.next(got, turn);
        REQUIRE(p != progress::end);
        if (p == progress::ready) all.append(got.text.data(), got.text.size());
    }
    CHECK(r.next(got, turn) == progress::waiting);
}

std::string to_its_end(run& r) {
    std::string all;
    for (result got; r.next(got);) all.append(got.text.data(), got.text.size());
    return all;
}

column_spec guessed(const char* path) {
    column_spec c;
    std::string why;
    REQUIRE(parse_field(path, c, why) == errc::ok);
    return c;
}

}  // namespace

TEST_CASE("a run that waits for a writer can be cancelled, and destroyed") {
    for (const unsigned jobs : {1u, 4u}) {
        for (const bool cancels : {true, false}) {
            const fifo pipe;
            rescue last(pipe);
            {
                run r({pipe.in.write("x", "{\"a\":1}\n"), pipe.path}, how(jobs));
                REQUIRE(r.start(archives::columns({"a:int64"})) == errc::ok);
                give_and_wait(r, "1\n");
                result got;
                if (cancels) r.cancel();
                if (cancels) CHECK(r.next(got, turn) == progress::end);
            }
            CHECK(!last.was_needed());
        }
    }
}

TEST_CASE("a run that a bad record ends does not wait for a writer") {
    for (const unsigned jobs : {1u, 4u}) {
        const fifo pipe;
        rescue last(pipe);
        {
            run r({pipe.in.write("x", "{\"a\":tru}\n"), pipe.path}, how(jobs, policy::stop));
            REQUIRE(r.start(archives::columns({"a:int64"})) == errc::ok);
            CHECK(to_its_end(r).empty());
            CHECK(r.failure().has_value());
        }
        CHECK(!last.was_needed());
    }
}

TEST_CASE("a sample that waits for a writer can be cancelled") {
    for (const bool keeps : {false, true}) {
        const fifo pipe;
        rescue last(pipe);
        {
            run r({pipe.path}, how(2));
            inference guess({}, false, json::level::strict);
            std::thread eye([&] {
                if (keeps) r.keep_streams();
                r.sample(10, guess);
            });
            std::this_thread::sleep_for(turn);  // mostly it waits by then; it must end in any case
            r.cancel();
            eye.join();
        }
        CHECK(!last.was_needed());
    }
}

TEST_CASE("a writer may come late, and go without a word") {
    for (const unsigned jobs : {1u, 4u}) {
        const fifo pipe;
        const std::string file = pipe.in.write("x", "{\"a\":1}\n");
        {
            run r({file, pipe.path, file}, how(jobs));
            REQUIRE(r.start(archives::columns({"a:int64"})) == errc::ok);
            give_and_wait(r, "1\n");
            pipe.write("{\"a\":2}\n{\"a\":3}");
            CHECK(to_its_end(r) == "2\n3\n1\n");
        }
        run r({file, pipe.path, file}, how(jobs));
        REQUIRE(r.start(archives::columns({"a:int64"})) == errc::ok);
        give_and_wait(r, "1\n");
        pipe.write("");
        CHECK(to_its_end(r) == "1\n");
    }
}

TEST_CASE("a FIFO gives a Zip, and what is sampled of it is not lost") {
    for (const std::string& content : {archives::zip({{"e", "{\"a\":1.50}"}}), std::string("{\"a\":1.50}"),
                                       archives::gzip("{\"a\":1.50}"), archives::zstd("{\"a\":1.50}")}) {
        for (const bool keeps : {false, true}) {
            const fifo pipe;
            std::thread writer([&] { pipe.write(content); });
            run r({pipe.path}, how(2));
            if (keeps) r.keep_streams();
            inference guess({guessed("a")}, false, json::level::strict);
            CHECK(r.sample(10, guess) == 1);
            writer.join();
            const auto e = archives::drive(r, archives::columns({"a:json"}));
            CHECK(e.text == "1.50\n");
        }
    }
}

TEST_CASE("what another writer brings behind the end is not read") {
    for (const auto& [first, rows] : {std::pair{"{\"a\":1", ""}, {"{\"a\":1}\n", "1\n"}}) {
        const fifo pipe;
        std::thread writer([&] { pipe.write(first); });
        run r({pipe.path}, how(1));
        inference guess({guessed("a")}, false, json::level::strict);
        CHECK(r.sample(10, guess) == (*rows != 0 ? 1 : 0));
        writer.join();
        pipe.write("7}\n");
        const auto e = archives::drive(r, archives::columns({"a:json"}));
        CHECK(e.text == rows);
    }
    const fifo pipe;
    descriptor_source from(open_input(pipe.path), true, -1);
    char some[4];
    std::size_t got = 0;
    context ctx;
    pipe.write("x");
    CHECK(from.read(some, sizeof some, got, ctx) == errc::ok);
    CHECK(got == 1);
    CHECK(from.read(some, sizeof some, got, ctx) == errc::ok);
    CHECK(got == 0);
    pipe.write("y");
    CHECK(from.ready(0));
    CHECK(from.read(some, sizeof some, got, ctx) == errc::ok);
    CHECK(got == 0);
}

TEST_CASE("a source waits for the writer whether it can be woken or not") {
    for (const bool wakes : {false, true}) {
        const fifo pipe;
        const int wake = wakes ? ::eventfd(0, EFD_CLOEXEC) : -1;
        descriptor_source from(open_input(pipe.path), true, wake);
        CHECK(!from.ready(0));
        std::thread writer([&] { pipe.write("x"); });
        char some[4];
        std::size_t got = 0;
        context ctx;
        CHECK(from.read(some, sizeof some, got, ctx) == errc::ok);
        CHECK(got == 1);
        writer.join();
        CHECK(from.read(some, sizeof some, got, ctx) == errc::ok);
        CHECK(got == 0);
        if (wakes) ::close(wake);
    }
}

TEST_CASE("a FIFO's own name says how its text is cut") {
    std::string why;
    const auto relaxed = reader_by("json", "relaxed", why);
    for (const bool keeps : {false, true}) {
        for (const auto& [name, documents] : {std::pair{"x.ndjson", 2u}, {"x.json", 1u}}) {
            const fifo pipe(name);
            std::thread writer([&] { pipe.write("{\"a\":1} // one\n{\"a\":2,}\n"); });
            options as = how(2);
            as.read.format = "json";
            as.read.dialect = relaxed;
            run r({pipe.path}, as);
            if (keeps) r.keep_streams();
            inference guess({guessed("a")}, false, json::level::strict);
            CHECK(r.sample(10, guess) == (documents == 2 ? 2 : 0));
            writer.join();
            const auto e = archives::drive(r, archives::columns({"a:json"}));
            CHECK(e.text == (documents == 2 ? "1\n2\n" : ""));
            CHECK(e.reports.size() == (documents == 2 ? 0 : 1));
        }
    }
}
