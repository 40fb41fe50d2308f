// Memory that is out at one allocation: what was begun is not left half done, and nobody waits for ever.
//
// This program's operator new fails on demand, on the thread that asks for it.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "extract/fetch_list.hpp"
#include "extract/resample.hpp"
#include "extract/schedule.hpp"
#include "tests/extract/rows.hpp"

using namespace rows;

namespace {

thread_local long until_failure = -1;  // allocations that succeed before one that does not; below 0: all do

// Whether the allocation at hand was reached.
template <class Work>
bool fails_at(long n, Work work) {
    until_failure = n;
    bool failed = false;
    try {
        work();
    } catch (const std::bad_alloc&) {
        failed = true;
    }
    failed = failed || until_failure < 0;
    until_failure = -1;
    return failed;
}

}  // namespace

void* operator new(std::size_t n) {
    if (until_failure >= 0 && until_failure-- == 0) throw std::bad_alloc();
    if (void* const p = std::malloc(n != 0 ? n : 1)) return p;
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

TEST_CASE("a schedule starts with fewer threads, or not at all") {
    struct job {
        int n = 0;
    };
    struct plan {
        int next = 0;
        bool cut(job& j) {
            j.n = next;
            return next++ < 20;
        }
        bool work(job&, unsigned) { return false; }
    };
    bool failed = true;
    for (long n = 0; failed; ++n) {
        plan p;
        x::schedule<job, plan> s(p);
        bool begun = false;
        failed = fails_at(n, [&] { begun = s.start(3, 4); });
        if (!begun) continue;
        CHECK((failed ? s.threads() < 3 : s.threads() == 3));
        for (int i = 0; i < 20; ++i) {
            job* j = nullptr;
            REQUIRE(s.next(j, std::chrono::hours(1)) == x::progress::ready);
            CHECK(j->n == i);
            s.release();
        }
    }
}

TEST_CASE("an interval that there is no memory for is not begun") {
    x::resampling how;
    std::string why;
    REQUIRE(x::parse_interval("1min", how.every, why) == errc::ok);
    how.time = field("t:timestamp");
    how.fields.resize(1);
    how.fields[0].of = field("v:int64");
    how.fields[0].how = x::aggregate::sum;
    std::vector<x::column_spec> columns;
    REQUIRE(how.columns(columns, why) == errc::ok);
    const auto s = schema(std::move(columns), true);
    const x::batch b = filled(s, {R"({"t":"2016-12-25T00:00:00Z","v":1})", R"({"t":"2016-12-25T00:01:00Z","v":2})"});
    bool failed = true;
    for (long n = 0; failed; ++n) {
        std::unique_ptr<x::resampler> made;
        REQUIRE(x::resampler::make(how, *s, nullptr, made, why) == errc::ok);
        std::vector<x::resampler::refused> left;
        failed = fails_at(n, [&] { made->add(b, false, left); });
        if (failed) made->add(b, false, left);
        CHECK(left.empty());
        made->finish();
        std::unique_ptr<x::batch> got;
        REQUIRE(made->take(got, why) == errc::ok);
        REQUIRE(got != nullptr);
        CHECK(got->rows() == 2);
    }
}

TEST_CASE("an input whose name there was no memory for is asked for again") {
    const std::string name = "https://example.org/" + std::string(100, 'n');
    x::fetch_list list({name});
    std::string path;
    CHECK(fails_at(0, [&] { list.next(path); }));
    CHECK(list.next(path) == x::fetch_list::said::path);
    CHECK(path == name);
}
