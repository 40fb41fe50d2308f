// Who is what: every part of the engine plays the roles it claims, and what lacks a verb plays none.
#include <doctest/doctest.h>

#include "engine/cbor/format.hpp"
#include "engine/core/backpatch.hpp"
#include "engine/core/null.hpp"
#include "engine/core/pipe.hpp"
#include "engine/core/trace.hpp"
#include "engine/json/format.hpp"
#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "engine/msgpack/format.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"
#include "engine/tagged/reader.hpp"
#include "engine/tagged/writer.hpp"
#include "engine/tape/cursor.hpp"
#include "engine/tape/tape.hpp"
#include "hosts/plain/build.hpp"
#include "hosts/plain/walk.hpp"

namespace k = kumihimo;

static_assert(k::sink<k::null_sink>);
static_assert(k::writer<k::trace_sink> && k::reader<k::trace_source>);
static_assert(k::writer<k::json::writer> && k::reader<k::json::reader>);
static_assert(k::writer<k::msgpack::writer> && k::reader<k::msgpack::reader>);
static_assert(k::writer<k::tagged::writer> && k::reader<k::tagged::reader>);
static_assert(k::builder<k::plain::builder> && k::walker<k::plain::walker>);
static_assert(k::sink<k::tape::recorder> && k::source<k::tape::player>);
static_assert(k::output<k::buffer>);

// Every source feeds every sink: N + M parts.
template <class S>
constexpr bool feeds_all = k::source<S, k::null_sink>&& k::source<S, k::trace_sink>&& k::source<S, k::json::writer>&&
    k::source<S, k::msgpack::writer>&& k::source<S, k::tagged::writer>&& k::source<S, k::plain::builder>&&
        k::source<S, k::tape::recorder>;
static_assert(feeds_all<k::trace_source> && feeds_all<k::json::reader> && feeds_all<k::msgpack::reader> &&
              feeds_all<k::tagged::reader>);
static_assert(feeds_all<k::plain::walker> && feeds_all<k::tape::player>);

namespace {

struct no_end : k::null_sink {
    void end() = delete;
};
struct wrong_result : k::null_sink {
    bool null() { return true; }
};
struct no_other_keys : k::null_sink {
    k::errc key(k::text) { return k::errc::ok; }  // hides key(next_value)
};
struct no_finish : k::null_sink {
    using dialect = int;
};

static_assert(!k::sink<int>);
static_assert(!k::sink<no_end>);
static_assert(!k::sink<wrong_result>);
static_assert(!k::sink<no_other_keys>);
static_assert(!k::writer<no_finish>);
static_assert(!k::builder<no_finish>);
static_assert(!k::source<k::json::reader, no_end>);

static_assert(k::header_projecting_format<k::msgpack::format> && k::header_projecting_format<k::cbor::format>);
static_assert(k::projecting_format<k::json::format> && !k::header_projecting_format<k::json::format>);
struct no_skip : k::msgpack::headers {
    static void skip() = delete;
};
struct no_run : k::msgpack::format {
    struct projector : k::msgpack::format::projector {
        void run() = delete;
    };
};
static_assert(!k::json::value_headers<no_skip>);
static_assert(!k::projecting_format<no_run>);

}  // namespace

TEST_CASE("late counts move every piece once, whatever the nesting") {
    // Holes of 3 bytes, filled with a letter and as many digits as the count's tens say.
    k::backpatch late;
    std::string data = "a...b...c...d";
    CHECK(late.open(1, 0));
    CHECK(late.open(5, 1));
    CHECK(late.open(9, 0));
    late.close(0, 1);
    late.close(1, 22);
    late.close(2, 333);
    const std::size_t n = late.join_pieces(data.data(), data.size(), 3, [](char* to, const k::backpatch::hole& h) {
        for (const char c : std::to_string(h.count)) *to++ = static_cast<char>(h.tag != 0 ? c + 1 : c);
        return to;
    });
    CHECK(data.substr(0, n) == "a1b33c333d");
    CHECK(late.empty());
}

TEST_CASE("a buffer grows, keeps what was committed, and can be used again") {
    k::buffer b;
    CHECK(b.size() == 0);
    for (int i = 0; i < 1000; ++i) CHECK(b.append("0123456789", 10));
    CHECK(b.size() == 10000);
    for (std::size_t i = 0; i < 10000; ++i) REQUIRE(b.data()[i] == static_cast<char>('0' + i % 10));
    const std::size_t room = b.capacity();
    b.clear();
    CHECK(b.size() == 0);
    CHECK(b.capacity() == room);
    CHECK(b.reserve(static_cast<std::size_t>(-1)) == nullptr);
    k::buffer moved = std::move(b);
    CHECK(moved.capacity() == room);
}
