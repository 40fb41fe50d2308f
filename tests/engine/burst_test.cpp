// The bursts of JSON and MessagePack: whatever is sent, the bytes are those of the writer's verbs.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/json/burst.hpp"
#include "engine/json/laid_out_burst.hpp"
#include "engine/json/writer.hpp"
#include "engine/msgpack/burst.hpp"
#include "engine/msgpack/writer.hpp"
#include "tests/engine/helpers.hpp"
#include "tests/engine/random_value.hpp"

using namespace kumihimo;

namespace {

struct json_format {
    using writer = json::basic_writer<buffer>;
    using burst = json::burst<buffer>;
    using dialect = json::dialect;
    static constexpr std::size_t comma = 1;  // behind the document
};
struct laid_out_format {
    using writer = json::basic_writer<buffer>;
    using burst = json::laid_out_burst<buffer>;
    using dialect = json::dialect;
    static constexpr std::size_t comma = 1;
};
struct msgpack_format {
    using writer = msgpack::basic_writer<buffer>;
    using burst = msgpack::burst<buffer>;
    using dialect = msgpack::dialect;
    static constexpr std::size_t comma = 0;
};

/// The same document to a writer and to a burst. Text lies in memory of exactly its size, so that a sanitizer sees a
/// byte too many that is read.
template <class F>
class both {
public:
    explicit both(const typename F::dialect& as, std::uint64_t seed = 0)
        : random_(seed), as_(as), to_(verbs_, ctx_, as), burst_(out_, as) {}

    void null() {
        REQUIRE(to_.null() == errc::ok);
        REQUIRE(burst_.null());
    }
    void boolean(bool b) {
        REQUIRE(to_.boolean(b) == errc::ok);
        REQUIRE(burst_.boolean(b));
    }
    void i64(std::int64_t n) {
        REQUIRE(to_.i64(n) == errc::ok);
        REQUIRE(burst_.i64(n));
    }
    void f64(double x) {
        REQUIRE(to_.f64(x) == errc::ok);
        REQUIRE(burst_.f64(x));
    }
    void str(std::string_view s) {
        const auto exact = copy(s);
        REQUIRE(to_.str(text(exact.get(), s.size(), encoding::utf8)) == errc::ok);
        REQUIRE(burst_.str(exact.get(), s.size()));
    }
    void key(std::string_view s) {
        const auto exact = copy(s);
        REQUIRE(to_.key(text(exact.get(), s.size(), encoding::utf8)) == errc::ok);
        REQUIRE(burst_.key(exact.get(), s.size()));
    }
    void open(bool map, std::size_t n) {
        const count known{static_cast<std::int64_t>(n)};
        REQUIRE((map ? to_.map(known) : to_.array(known)) == errc::ok);
        REQUIRE(burst_.open(map, n));
    }
    void close(bool map) {
        REQUIRE(to_.end() == errc::ok);
        REQUIRE(burst_.close(map));
    }
    /// A value that a burst has no verb for.
    void aside(std::uint64_t n) {
        REQUIRE(to_.u64(n) == errc::ok);
        burst_.stop();
        typename F::writer fresh(out_, ctx_, as_);
        REQUIRE(fresh.u64(n) == errc::ok);
        burst_.resume();
        if constexpr (requires { burst_.value_aside(); }) burst_.value_aside();
    }

    void value(int depth) {
        static constexpr std::int64_t edges[] = {0,     9,     10,       127,       128,        255,       256,
                                                 65535, 65536, 99999999, 100000000, 4294967295, 4294967296};
        switch (random_() % (depth > 5 ? 8 : 12)) {
            case 0: return null();
            case 1: return boolean(random_() % 2 == 0);
            case 2: return i64(static_cast<std::int64_t>(random_()) >> random_() % 64);
            case 3:
                return i64((random_() % 2 ? 1 : -1) *
                           (edges[random_() % std::size(edges)] + static_cast<int>(random_() % 3) - 1));
            case 4: {
                const double x = std::bit_cast<double>(random_());
                return f64(std::isfinite(x) ? x : -0.0);
            }
            case 5: return f64(static_cast<double>(random_() % 1000000) / 100);
            case 6: return str(helpers::random_text(random_));
            case 7: return aside(random_() | std::uint64_t{1} << 63);
            default: {
                const bool map = random_() % 2 == 0;
                const std::size_t n = depth > 1 && random_() % 64 != 0 ? random_() % 5 : random_() % 40;
                open(map, n);
                for (std::size_t i = 0; i < n; ++i) {
                    if (map) key(helpers::random_text(random_));
                    value(depth + 1);
                }
                return close(map);
            }
        }
    }

    void compare() {
        bytes document;
        REQUIRE(to_.finish(document) == errc::ok);
        burst_.stop();
        const std::string_view made(out_.data(), out_.size() - F::comma);
        REQUIRE(made == helpers::as_string(document));
    }

private:
    static std::unique_ptr<char[]> copy(std::string_view s) {
        std::unique_ptr<char[]> p(new char[s.size()]);
        s.copy(p.get(), s.size());
        return p;
    }

    std::mt19937_64 random_;
    context ctx_;
    buffer verbs_, out_;
    const typename F::dialect& as_;
    typename F::writer to_;
    typename F::burst burst_;
};

json::dialect with(scalar::float_layout floats) {
    json::dialect as = json::compact;
    as.floats = floats;
    return as;
}

template <class F>
void random_documents(const typename F::dialect& as, int n) {
    REQUIRE(F::burst::suits(as));
    for (int seed = 0; seed < n; ++seed) {
        CAPTURE(seed);
        both<F> to(as, static_cast<std::uint64_t>(seed));
        to.value(0);
        to.compare();
    }
}

}  // namespace

TEST_CASE("random documents") {
    random_documents<json_format>(json::compact, 6000);
    for (const auto floats : {scalar::float_layout::python, scalar::float_layout::ruby, scalar::float_layout::perl15,
                              scalar::float_layout::g17, scalar::float_layout::cpanel15, scalar::float_layout::perl_shortest,
                              scalar::float_layout::json_2_11, scalar::float_layout::json_2_15})
        random_documents<json_format>(with(floats), 400);
    random_documents<msgpack_format>(msgpack::standard, 6000);
}

TEST_CASE("random documents in every layout with lines of one kind") {
    using namespace std::string_view_literals;
    random_documents<laid_out_format>(json::pretty, 3000);
    random_documents<laid_out_format>(json::ruby_pretty, 300);
    for (const auto indent : {""sv, " "sv, "\t"sv, "  "sv, "12345678"sv, "a wide indent is"sv})
        for (const auto newline : {""sv, "\n"sv, "\r\n\r\n"sv})
            for (const auto key : {":"sv, ": "sv, " : "sv, "\n:::::::::::::: "sv})
                for (const auto item : {","sv, ", "sv, " ,\t\t "sv})
                    for (const std::size_t level : {0u, 1u, 40u}) {
                        CAPTURE(std::string(indent));
                        CAPTURE(std::string(newline));
                        CAPTURE(std::string(key));
                        CAPTURE(std::string(item));
                        CAPTURE(level);
                        json::dialect as = json::pretty;
                        as.layout = {.item = item, .key = key, .newline = newline, .indent = indent, .level = level};
                        if (as.layout.compact()) continue;
                        random_documents<laid_out_format>(as, 12);
                        as.layout.array_newline = newline;
                        as.layout.arrays_differ = true;
                        random_documents<laid_out_format>(as, 3);
                    }
}

TEST_CASE("a layout whose lines are deeper than any that is kept ready") {
    for (const std::size_t indent : {1u, 2u, 3u, 16u}) {
        json::dialect as = json::pretty;
        const std::string width(indent, ' ');
        as.layout.indent = width;
        both<laid_out_format> to(as);
        constexpr int deep = 300;
        for (int i = 0; i < deep; ++i) {
            to.open(i % 2 == 0, 1);
            if (i % 2 == 0) to.key("key");
        }
        to.open(false, 0);
        to.close(false);
        for (int i = deep; i-- > 0;) {
            if (i % 3 == 0 && i % 2 != 0) to.aside(UINT64_MAX);
            to.close(i % 2 == 0);
        }
        to.compare();
    }
}

TEST_CASE("layouts that the burst leaves to the writer") {
    using burst = json::laid_out_burst<buffer>;
    const auto with = [](json::layout l) {
        json::dialect as = json::pretty;
        as.layout = l;
        return as;
    };
    CHECK(burst::suits(json::pretty));
    const json::dialect refused[] = {
        with({.newline = "\n", .arrays_differ = true}),
        with({.item = "", .newline = "\n"}),
        with({.item = ",[", .newline = "\n"}),
        with({.item = "{", .newline = "\n"}),
        with({.item = "12345678901234567"}),
        with({.key = "12345678901234567"}),
        with({.newline = "12345678901234567"}),
        with({.indent = "12345678901234567"}),
        json::python_default,
        json::compact,
    };
    for (const json::dialect& as : refused) CHECK_FALSE(burst::suits(as));
}

TEST_CASE_TEMPLATE("text of every length, with every stop at every place", F, json_format, msgpack_format) {
    static const typename F::dialect as{};
    REQUIRE(F::burst::suits(as));
    both<F> to(as);
    std::size_t values = 0;
    for (std::size_t n = 0; n <= 70; ++n) values += 1 + 6 * n;
    to.open(true, values);
    for (std::size_t n = 0; n <= 70; ++n) {
        const std::string plain(n, 'x');
        to.key(plain);
        to.str(plain);
        for (std::size_t at = 0; at < n; ++at) {
            for (const char stop : {'"', '\\', '\0', '\x1f', '\n', '\x7f'}) {
                std::string s = plain;
                s[at] = stop;
                to.key(s);
                to.str(s);
            }
        }
    }
    to.close(true);
    to.compare();
}

TEST_CASE_TEMPLATE("every size of header and every empty container", F, json_format, msgpack_format) {
    static const typename F::dialect as{};
    for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 31u, 32u, 255u, 256u, 65535u, 65536u, 70000u}) {
        CAPTURE(n);
        for (const bool map : {false, true}) {
            both<F> to(as);
            to.open(map, n);
            for (std::size_t i = 0; i < n; ++i) {
                if (map) to.key(std::to_string(i));
                to.open(i % 2 == 0, 0);
                to.close(i % 2 == 0);
            }
            to.close(map);
            to.compare();
        }
        both<F> to(as);
        to.str(std::string(n, 'y'));
        to.compare();
    }
}

TEST_CASE_TEMPLATE("integers and doubles at the edges", F, json_format, msgpack_format) {
    static const typename F::dialect as{};
    std::vector<std::int64_t> all = {INT64_MIN, INT64_MAX};
    for (int shift = 0; shift < 63; ++shift)
        for (const int d : {-1, 0, 1})
            for (const int sign : {-1, 1}) all.push_back(sign * ((std::int64_t{1} << shift) + d));
    for (std::int64_t ten = 1; ten <= 100000000000000000; ten *= 10)
        for (const int d : {-1, 0, 1}) all.push_back(ten * 10 + d), all.push_back(-ten * 10 + d);
    const double doubles[] = {0.0,
                              -0.0,
                              0.1,
                              1.0,
                              1e15,
                              1e16,
                              1e17,
                              1e21,
                              1e22,
                              1e-4,
                              1e-5,
                              1e-7,
                              5e-324,
                              2.2250738585072014e-308,
                              1.7976931348623157e308};
    both<F> to(as);
    to.open(false, all.size() + 2 * std::size(doubles));
    for (const std::int64_t n : all) to.i64(n);
    for (const double x : doubles) to.f64(x), to.f64(-x);
    to.close(false);
    to.compare();
}

TEST_CASE("dialects that need the writer are not suited") {
    CHECK(json::burst<buffer>::suits(json::compact));
    for (const json::dialect* const as : {&json::pretty, &json::html_safe, &json::script_safe, &json::ascii_only,
                                          &json::escape_slash, &json::python_default, &json::ruby_pretty})
        CHECK(!json::burst<buffer>::suits(*as));
}

namespace {

/// Gives out at most so many bytes.
struct short_buffer {
    buffer inner;
    std::size_t most;
    char* reserve(std::size_t n) { return inner.size() + n > most ? nullptr : inner.reserve(n); }
    void commit(char* p) { inner.commit(p); }
    const char* data() const { return inner.data(); }
    std::size_t size() const { return inner.size(); }
};

template <class Burst, class Dialect>
void stops_when_full(const Dialect& as) {
    for (std::size_t room = 0; room < 3000; room += 97) {
        short_buffer out{{}, room};
        Burst to(out, as);
        std::size_t written = 0;
        while (written < 10000 && to.str("0123456789", 10)) ++written;
        CHECK(written < 10000);
        CHECK(!to.open(true, 3));
        CHECK(!to.i64(-5));
        to.stop();
        CHECK(out.size() <= room);
    }
    for (std::size_t limit = 0; limit < 20000; limit += 1237) {
        short_buffer out{{}, static_cast<std::size_t>(-1)};
        Burst to(out, as, limit);
        std::size_t written = 0;
        while (written < 100000 && to.str("0123456789", 10)) ++written;
        CHECK(written < 100000);
        to.stop();
        CHECK(out.size() <= limit + 1024);
        CHECK(out.size() + 16 >= limit);
    }
}

}  // namespace

TEST_CASE("memory that is out and the size limit end a burst") {
    stops_when_full<json::burst<short_buffer>>(json::compact);
    stops_when_full<msgpack::burst<short_buffer>>(msgpack::standard);
}

TEST_CASE("a key that is ready is the writer's, at any place of the buffer") {
    using burst = json::burst<buffer>;
    for (std::size_t before = 0; before < 300; ++before) {
        const std::string filler(before, 'x');
        context ctx;
        buffer verbs, out;
        json::writer to(verbs, ctx, json::compact);
        burst b(out, json::compact);
        REQUIRE(to.map(count{}) == errc::ok);
        REQUIRE(b.open(true, 0));
        for (std::size_t n = 0; n + 3 <= burst::ready_room; ++n) {
            const std::string name(n, static_cast<char>('a' + n % 26));
            // Memory of exactly the room that may be read.
            const std::unique_ptr<char[]> ready(new char[burst::ready_room]);
            std::memset(ready.get(), '#', burst::ready_room);
            const std::string written = '"' + name + "\":";
            written.copy(ready.get(), written.size());
            REQUIRE(to.key(text(name.data(), name.size(), encoding::utf8)) == errc::ok);
            REQUIRE(b.ready(ready.get(), written.size()));
            REQUIRE(to.str(text(filler.data(), filler.size(), encoding::utf8)) == errc::ok);
            REQUIRE(b.str(filler.data(), filler.size()));
        }
        REQUIRE(to.end() == errc::ok);
        REQUIRE(b.close(true));
        b.stop();
        bytes document;
        REQUIRE(to.finish(document) == errc::ok);
        REQUIRE(std::string_view(out.data(), out.size() - 1) == helpers::as_string(document));
    }
    short_buffer none{{}, 1000};
    json::burst<short_buffer> b(none, json::compact);
    const std::string ready = "\"k\":" + std::string(burst::ready_room, '#');
    std::size_t keys = 0;
    while (keys < 100000 && b.ready(ready.data(), 4)) ++keys;
    CHECK(keys < 100000);
}

TEST_CASE("MessagePack's own values in a burst are the writer's") {
    const auto same = [](auto&& write, auto&& burst_write) {
        context ctx;
        buffer verbs, out;
        msgpack::writer to(verbs, ctx);
        REQUIRE(write(to) == errc::ok);
        bytes document;
        REQUIRE(to.finish(document) == errc::ok);
        msgpack::burst<buffer> b(out, msgpack::standard);
        REQUIRE(burst_write(b));
        b.stop();
        CHECK(std::string_view(out.data(), out.size()) == helpers::as_string(document));
    };
    const std::string content(70000, 'x');
    for (const std::size_t n : {0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 255, 256, 65535, 65536, 70000}) {
        const bytes data(reinterpret_cast<const unsigned char*>(content.data()), n);
        same([&](auto& w) { return w.bin(data); }, [&](auto& b) { return b.bin(content.data(), n); });
        for (const int type : {-128, -1, 0, 127})
            same([&](auto& w) { return w.ext(type, data); }, [&](auto& b) { return b.ext(type, content.data(), n); });
    }
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{200}, std::uint64_t{1} << 63, ~std::uint64_t{0}})
        same([&](auto& w) { return w.u64(n); }, [&](auto& b) { return b.u64(n); });
    constexpr std::int64_t seconds[] = {0, 1, -1, 4294967295, 4294967296, 17179869183, 17179869184, INT64_MIN, INT64_MAX};
    for (const std::int64_t s : seconds) {
        for (const std::uint32_t ns : {0u, 1u, 999'999'999u})
            same([&](auto& w) { return w.time({s, ns, 0, instant::kind::utc}); }, [&](auto& b) { return b.timestamp(s, ns); });
    }
}
