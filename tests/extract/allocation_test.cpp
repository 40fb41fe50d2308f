// Memory that is out at one allocation: what was begun is not left half done, and nobody waits for ever.
//
// This program's operator new fails on demand, on the thread that asks for it.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "extract/description.hpp"
#include "extract/fetch_list.hpp"
#include "extract/resample.hpp"
#include "extract/schedule.hpp"
#include "extract/session.hpp"
#include "tests/extract/archives.hpp"
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

TEST_CASE("a session is over where memory was out") {
    std::string text;
    for (int i = 0; i < 300; ++i) text += "{\"t\":" + std::to_string(i * 40) + ",\"v\":\"" + std::string(20, 'v') + "\"}\n";
    archives::folder f;
    const std::string file = f.write("a.ndjson", text);
    for (const bool intervals : {false, true}) {
        const auto opened = [&] {
            x::request asked;
            std::string why;
            const std::string description =
                R"({"inputs":[")" + file + R"("],"form":"csv","jobs":1,"fields":)" +
                (intervals ? R"(["t:timestamp","v:string:last"],"every":"1min"})" : R"(["t:int64","v:string"]})");
            REQUIRE(x::read_description(as_bytes(description), asked, why) == errc::ok);
            auto s = std::make_unique<x::session>(std::move(asked));
            x::trouble trouble;
            while (s->start(x::session::turn, trouble) == x::session::step::waiting) {
            }
            return s;
        };
        const auto rest = [](x::session& s, std::string& out) {
            x::trouble why;
            buffer part;
            for (;;) {
                const x::session::step said = s.next(part, false, x::session::turn, why);
                if (said == x::session::step::ready) out.append(part.data(), part.size());
                if (said == x::session::step::end) return;
                if (said != x::session::step::failed) continue;
                REQUIRE(why.code == errc::memory);  // of the run, which says it again
                throw std::bad_alloc();
            }
        };
        std::string whole;
        rest(*opened(), whole);
        REQUIRE(std::count(whole.begin(), whole.end(), '\n') == (intervals ? 200 : 300));
        bool failed = true;
        for (long n = 0; failed; ++n) {
            const auto s = opened();
            std::string out;
            out.reserve(whole.size());
            bool thrown = false;
            failed = fails_at(n, [&] {
                try {
                    rest(*s, out);
                } catch (const std::bad_alloc&) {
                    thrown = true;
                    throw;
                }
            });
            if (!thrown) {  // memory was out where it is of no matter
                CHECK(out == whole);
                continue;
            }
            CHECK(whole.starts_with(out));
            CHECK_THROWS_AS(rest(*s, out), std::bad_alloc);
            CHECK(s->resume_token().empty());
        }
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
