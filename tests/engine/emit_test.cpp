// core/emit.hpp: the emitters give the bytes of the verbs, for every format of the table and every dialect, over the
// burst and over the writer; what fails raises, and leaves nothing behind.
#include <doctest/doctest.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>

#include "engine/core/emit.hpp"
#include "engine/core/trace.hpp"
#include "engine/formats.hpp"
#include "engine/json/emit.hpp"
#include "engine/msgpack/emit.hpp"
#include "tests/engine/helpers.hpp"

using namespace kumihimo;

namespace {

struct raised {
    errc code;
    std::string what;
};
[[noreturn]] void throw_failure(errc code, const char* what) { throw raised{code, what}; }

// The same document by the verbs of a sink and by those of an emitter.
struct by_sink {
    template <sink K>
    static errc all(K& to) {
        KUMIHIMO_TRY(to.map({9}));
        KUMIHIMO_TRY(to.key(text("plain")));
        KUMIHIMO_TRY(to.array({6}));
        KUMIHIMO_TRY(to.null());
        KUMIHIMO_TRY(to.boolean(true));
        KUMIHIMO_TRY(to.i64(-7));
        KUMIHIMO_TRY(to.u64(UINT64_MAX));
        KUMIHIMO_TRY(to.f64(1.5));
        KUMIHIMO_TRY(to.str(text("caf\xc3\xa9 \"")));
        KUMIHIMO_TRY(to.end());
        KUMIHIMO_TRY(to.key(text("none")));
        KUMIHIMO_TRY(to.array({0}));
        KUMIHIMO_TRY(to.end());
        KUMIHIMO_TRY(to.key(text("u64")));
        KUMIHIMO_TRY(to.i64(12));
        KUMIHIMO_TRY(to.key(next_value{}));
        KUMIHIMO_TRY(to.i64(5));
        KUMIHIMO_TRY(to.str(text("behind a key")));
        KUMIHIMO_TRY(to.key(next_value{}));
        KUMIHIMO_TRY(to.str(text("text")));
        KUMIHIMO_TRY(to.map({0}));
        KUMIHIMO_TRY(to.end());
        KUMIHIMO_TRY(to.key(next_value{}));
        KUMIHIMO_TRY(to.boolean(false));
        KUMIHIMO_TRY(to.boolean(false));
        KUMIHIMO_TRY(to.key(text("time")));
        KUMIHIMO_TRY(to.time({.seconds = 1482630790, .nanoseconds = 5}));
        KUMIHIMO_TRY(to.key(text("local")));
        KUMIHIMO_TRY(to.time({.seconds = 1482630790, .offset = 3600, .clock = instant::kind::offset}));
        KUMIHIMO_TRY(to.key(text("long")));
        KUMIHIMO_TRY(to.str(text(std::string_view(long_text))));
        return to.end();
    }
    static inline const std::string long_text = std::string(5000, 'x') + "\n";
};
struct by_emitter {
    template <emitter E>
    static void all(E& to) {
        to.open(true, 9);
        to.key("plain", 5);
        to.open(false, 6);
        to.null();
        to.boolean(true);
        to.i64(-7);
        to.u64(UINT64_MAX);
        to.f64(1.5);
        to.str("caf\xc3\xa9 \"", 7);
        to.close(false);
        to.key("none", 4);
        to.open(false, 0);
        to.close(false);
        to.unchecked_key("u64", 3);
        to.u64(12);
        to.key(next_value{});
        to.i64(5);
        to.unchecked_str("behind a key", 12);
        to.key(next_value{});
        to.str("text", 4);
        to.open(true, 0);
        to.close(true);
        to.key(next_value{});
        to.boolean(false);
        to.boolean(false);
        to.key("time", 4);
        to.time({.seconds = 1482630790, .nanoseconds = 5});
        to.key("local", 5);
        to.time({.seconds = 1482630790, .offset = 3600, .clock = instant::kind::offset});
        to.key("long", 4);
        to.str(by_sink::long_text.data(), by_sink::long_text.size());
        to.close(true);
        to.finish();
    }
};

std::string content(const buffer& b) { return {b.data(), b.size()}; }

// What either way gives: the bytes, or the code and the sentence.
template <class F>
std::string outcome(const buffer& out, F run) {
    try {
        run();
    } catch (const raised& r) {
        return std::string("raised ") + name(r.code) + ": " + r.what;
    }
    return content(out);
}

template <format F>
std::string by_verbs(const typename F::template writer<buffer>::dialect& as) {
    buffer out;
    context ctx;
    typename F::template writer<buffer> to(out, ctx, as);
    return outcome(out, [&] {
        bytes document;
        errc e = by_sink::all(to);
        if (e == errc::ok) e = to.finish(document);
        if (e != errc::ok) throw_failure(e, ctx.failure.what);
    });
}
template <format F>
std::string over_sink(const typename F::template writer<buffer>::dialect& as) {
    using writer = typename F::template writer<buffer>;
    buffer out;
    context ctx;
    writer w(out, ctx, as);
    emit_sink<writer, throw_failure> to(w, ctx);
    static_assert(emitter<decltype(to)>);
    return outcome(out, [&] { by_emitter::all(to); });
}
template <format F>
std::string over_burst(const typename F::template writer<buffer>::dialect& as) {
    buffer out;
    emit_burst<typename F::template burst<buffer>, typename F::template writer<buffer>, buffer, throw_failure> to(out, as);
    static_assert(emitter<decltype(to)>);
    return outcome(out, [&] { by_emitter::all(to); });
}

}  // namespace

TEST_CASE("an emitter writes what the verbs write, or raises what they refuse") {
    each_format([](auto row) {
        using rows = decltype(row);
        for (const auto& as : rows::write_dialects) {
            CAPTURE(rows::name);
            CAPTURE(as.name);
            const std::string expected = by_verbs<rows>(*as.dialect);
            CHECK(over_sink<rows>(*as.dialect) == expected);
            if constexpr (bursting_format<rows, buffer>) {
                if (rows::template burst<buffer>::suits(*as.dialect)) CHECK(over_burst<rows>(*as.dialect) == expected);
            }
        }
    });
}

TEST_CASE("at least one dialect of each format takes the whole document") {
    each_format([](auto row) {
        using rows = decltype(row);
        bool taken = false;
        for (const auto& as : rows::write_dialects) taken = taken || !by_verbs<rows>(*as.dialect).starts_with("raised ");
        CAPTURE(rows::name);
        CHECK(taken);
    });
}

namespace {

template <class To, class F>
std::string emitted(const typename To::dialect& as, F send) {
    buffer out;
    To to(out, as);
    return outcome(out, [&] {
        send(to);
        to.finish();
    });
}
using json_burst = kumihimo::emit_burst<json::burst<buffer>, json::writer, buffer, throw_failure>;
using msgpack_burst = kumihimo::emit_burst<msgpack::burst<buffer>, msgpack::writer, buffer, throw_failure>;

}  // namespace

TEST_CASE("values that a burst has no verb for take the writer's way, and the burst goes on behind them") {
    const auto send = [](auto& to) {
        to.open(false, 5);
        to.f64(std::numeric_limits<double>::infinity());
        to.i64(1);
        to.big("123456789012345678901234567890", 30);
        to.bin("\xff\x00", 2);
        to.i64(2);
        to.close(false);
    };
    CHECK(emitted<json_burst>(json::lenient, send) == R"([null,1,123456789012345678901234567890,"/wA=",2])");
    CHECK(emitted<json_burst>(json::compact, send).starts_with("raised unsupported: NaN or an infinity"));
    CHECK(emitted<msgpack_burst>(msgpack::standard, send) == "raised unsupported: MessagePack has no number of this size");
    CHECK(emitted<msgpack_burst>(msgpack::big_text, send).substr(0, 11) == std::string("\x95\xcb\x7f\xf0\0\0\0\0\0\0\x01", 11));
}

TEST_CASE("broken text is the dialect's question") {
    const auto text = [](auto& to) { to.unchecked_str("a\xff", 2); };
    CHECK(emitted<json_burst>(json::compact, text) == "raised encoding: text that is not valid UTF-8");
    CHECK(emitted<json_burst>(json::lenient, text) == "\"a\xef\xbf\xbd\"");
    CHECK(emitted<msgpack_burst>(msgpack::standard, text) == "raised encoding: a string is not valid UTF-8");
    CHECK(emitted<msgpack_burst>(msgpack::lenient, text) == "\xc4\x02\x61\xff");
    const auto key = [](auto& to) {
        to.open(true, 1);
        to.unchecked_key("\xff", 1);
        to.null();
        to.close(true);
    };
    CHECK(emitted<json_burst>(json::lenient, key) == "{\"\xef\xbf\xbd\":null}");
    CHECK(emitted<msgpack_burst>(msgpack::lenient, key) == "\x81\xc4\x01\xff\xc0");
}

TEST_CASE("a key that is no scalar") {
    const auto send = [](auto& to) {
        to.open(true, 1);
        to.key(next_value{});
        to.open(false, 1);
        to.i64(1);
        to.close(false);
        to.null();
        to.close(true);
    };
    CHECK(emitted<json_burst>(json::javascript, send) == "raised unsupported: a container as a key: JSON's keys are text");
    CHECK(emitted<msgpack_burst>(msgpack::standard, send) == "\x81\x91\x01\xc0");
}

TEST_CASE("any sink: the trace of an emitter's document") {
    buffer out;
    context ctx;
    trace_sink to(out, ctx);
    emit_sink<trace_sink, throw_failure> emit(to, ctx);
    emit.open(false, 2);
    emit.u64(3);
    emit.f64(0.5);
    emit.close(false);
    emit.finish();
    CHECK(content(out) == "array 2\ni64 3\nf64 0x3fe0000000000000 0.5\nend\n");
}

TEST_CASE("a writer begins again, and begins with a key") {
    each_format([](auto row) {
        using rows = decltype(row);
        CAPTURE(rows::name);
        buffer out;
        context ctx;
        typename rows::template writer<buffer> to(out, ctx);
        bytes first, second;
        REQUIRE(to.array({1}) == errc::ok);
        REQUIRE(to.i64(7) == errc::ok);
        REQUIRE(to.end() == errc::ok);
        REQUIRE(to.finish(first) == errc::ok);
        const std::string one = helpers::as_string(first);
        to.begin();
        REQUIRE(to.map({1}) == errc::ok);  // left open
        to.begin();
        REQUIRE(to.array({}) == errc::ok);
        REQUIRE(to.i64(7) == errc::ok);
        REQUIRE(to.end() == errc::ok);
        REQUIRE(to.finish(second) == errc::ok);
        CHECK(helpers::as_string(second) == one);
        to.begin_key();
        CHECK(to.key(text("k")) == errc::ok);
        to.begin_key();
        CHECK(to.i64(1) == errc::misuse);
    });
}

namespace {

// As a host's that leaves functions by jumps: the blocks are its own.
class lending_buffer : public buffer {
public:
    class memory {
    public:
        explicit memory(lending_buffer& of) noexcept : of_(of) {}
        void* resize(std::size_t n) {
            if (of_.blocks == 0) return nullptr;
            std::string* const was = at_;
            at_ = &of_.room[--of_.blocks];
            at_->assign(was == nullptr ? std::string() : *was);
            at_->resize(n);
            return at_->data();
        }

    private:
        lending_buffer& of_;
        std::string* at_ = nullptr;
    };
    std::string room[12];
    std::size_t blocks = 0;
};

template <class Writer>
errc nest(Writer& to, std::size_t levels, count inside) {
    for (std::size_t i = 0; i < levels; ++i) KUMIHIMO_TRY(to.array(inside));
    KUMIHIMO_TRY(to.i64(1));
    for (std::size_t i = 0; i < levels; ++i) KUMIHIMO_TRY(to.end());
    bytes document;
    return to.finish(document);
}

}  // namespace

TEST_CASE("a writer's levels lie where its output says, and it has no destructor then") {
    int without = 0;
    each_format([&](auto row) {
        using rows = decltype(row);
        CAPTURE(rows::name);
        using lent = typename rows::template writer<lending_buffer>;
        // A format that keeps more than levels may own it; hosts that jump hold such writers elsewhere.
        if constexpr (std::is_trivially_destructible_v<lent>) {
            for (const count inside : {count{1}, count{}}) {
                buffer plain;
                context ctx;
                typename rows::template writer<buffer> expected(plain, ctx);
                REQUIRE(nest(expected, 1000, inside) == errc::ok);
                lending_buffer out;
                out.blocks = std::size(out.room);
                lent to(out, ctx);
                REQUIRE(nest(to, 1000, inside) == errc::ok);
                CHECK(content(out) == content(plain));
                CHECK(out.blocks < std::size(out.room));
            }
            lending_buffer nothing;
            context ctx;
            lent to(nothing, ctx);
            CHECK(nest(to, 1000, {1}) == errc::memory);
            ++without;
        }
    });
    CHECK(without >= 2);  // JSON and MessagePack
}

TEST_CASE("a verb aside needs no memory but the output's") {
    lending_buffer out;
    const json::dialect objects{.extension = json::extension::object};
    kumihimo::emit_burst<json::burst<lending_buffer>, json::basic_writer<lending_buffer>, lending_buffer, throw_failure> to(
        out, objects);
    static_assert(std::is_trivially_destructible_v<decltype(to)>);
    CHECK(outcome(out, [&] {
              to.open(false, 2);
              to.ext(5, "\xff", 1);
              to.f64(1);
              to.close(false);
              to.finish();
          }) == R"([{"type":5,"data":"/w=="},1.0])");
}
