// What core/burst.hpp promises beside the bytes: who offers bursts, by which dialects, and that the size limit holds.
#include <doctest/doctest.h>

#include <string>

#include "engine/json/burst.hpp"
#include "engine/json/laid_out_burst.hpp"
#include "engine/json/writer.hpp"
#include "engine/msgpack/burst.hpp"
#include "engine/msgpack/writer.hpp"
#include "tests/engine/helpers.hpp"

using namespace kumihimo;
using namespace helpers;

namespace {

static_assert(burst<json::burst<buffer>, buffer, json::dialect>);
static_assert(burst<json::laid_out_burst<buffer>, buffer, json::dialect>);
static_assert(burst<msgpack::burst<buffer>, buffer, msgpack::dialect>);
static_assert(bursting_writer<json::writer>);
static_assert(!bursting_writer<msgpack::writer>);
static_assert(!burst<json::writer, buffer, json::dialect>);

}  // namespace

TEST_CASE("a burst stops near the size limit, however much is still to come") {
    const std::string s(100, 'x');
    for (const std::size_t limit : {0, 1, 255, 256, 1000, 100000}) {
        CAPTURE(limit);
        const auto fill = [&](auto& b) {
            long n = 0;
            while (n < 10'000'000 && b.open(false, 1) && b.i64(n) && b.str(s.data(), s.size()) && b.close(false)) ++n;
            b.stop();
            return n;
        };
        buffer out;
        json::burst<buffer> j(out, json::compact, limit);
        CHECK(fill(j) < 10'000'000);
        CHECK(out.size() > limit);
        CHECK(out.size() <= limit + 1024);
        buffer other;
        msgpack::burst<buffer> m(other, msgpack::standard, limit);
        CHECK(fill(m) < 10'000'000);
        CHECK(other.size() > limit);
        CHECK(other.size() <= limit + 1024);
    }
}

TEST_CASE("a writer's burst: values aside keep the limit, and the last comma does not count") {
    for (const std::size_t limit : {9, 10, 11}) {
        buffer out;
        context ctx;
        ctx.limits.size = limit;
        json::writer to(out, ctx);
        REQUIRE(to.bursts());
        auto b = to.start_burst();
        REQUIRE((b.open(false, 2) && b.i64(123456) && b.i64(1) && b.close(false)));  // 10 bytes
        b.stop();
        bytes document;
        errc e = to.end_burst();
        CHECK((e == errc::ok) == (limit >= 10));
        if (e == errc::ok) e = to.finish(document);
        CHECK(e == (limit >= 10 ? errc::ok : errc::size));
        if (e == errc::ok) CHECK(as_string(document) == "[123456,1]");
    }
    buffer out;
    context ctx;
    ctx.limits.size = 1000;
    json::writer to(out, ctx);
    auto b = to.start_burst();
    REQUIRE(b.open(false, 0));
    errc e = errc::ok;
    for (int i = 0; e == errc::ok && i < 100000; ++i) {
        b.stop();
        e = to.value_aside([](json::writer& one) { return one.big(std::string_view("12345678901234567890123")); });
        b.resume();
    }
    CHECK(e == errc::size);
    CHECK(out.size() < 1100);
}

TEST_CASE("a burst is for compact dialects with the escapes of RFC 8259") {
    CHECK(json::burst<buffer>::suits(json::compact));
    CHECK(json::burst<buffer>::suits(json::javascript));
    CHECK_FALSE(json::burst<buffer>::suits(json::pretty));
    CHECK_FALSE(json::burst<buffer>::suits(json::ascii_only));
    CHECK_FALSE(json::burst<buffer>::suits(json::html_safe));
    CHECK(msgpack::burst<buffer>::suits(msgpack::standard));
}

namespace {

// An output that has so many bytes and no more.
class small_output {
public:
    explicit small_output(std::size_t n) : text_(n, '\0') {}
    char* reserve(std::size_t n) { return n <= text_.size() - size_ ? text_.data() + size_ : nullptr; }
    void commit(char* p) { size_ = static_cast<std::size_t>(p - text_.data()); }
    const char* data() const { return text_.data(); }
    std::size_t size() const { return size_; }

private:
    std::string text_;
    std::size_t size_ = 0;
};

// Lines of every length, up to one that is longer than any that is kept ready. False where a verb was, or the burst is
// lost.
template <class Burst>
bool deep_document(Burst& b) {
    constexpr int deep = 30;
    for (int i = 0; i < deep; ++i)
        if (!b.open(true, 1) || !b.key("key", 3) || !b.open(false, 3) || !b.i64(i) || !b.str("text", 4)) return false;
    for (int i = 0; i < deep; ++i)
        if (!b.null() || !b.close(false) || !b.close(true)) return false;
    return !b.lost();
}

}  // namespace

TEST_CASE("an indented burst that runs out of memory writes a beginning of the document") {
    json::dialect as = json::pretty;
    as.layout.indent = "     ";
    small_output all(1 << 20);
    json::laid_out_burst<small_output> whole(all, as);
    REQUIRE(deep_document(whole));
    whole.stop();
    const std::string document(all.data(), all.size());
    bool through = false;
    for (std::size_t n = 256; !through; ++n) {
        CAPTURE(n);
        small_output out(n);
        json::laid_out_burst<small_output> b(out, as);
        through = deep_document(b);
        b.stop();
        REQUIRE(document.compare(0, out.size(), out.data(), out.size()) == 0);
        if (!through && b.lost()) {
            CHECK_FALSE(b.null());
            CHECK_FALSE(b.open(false, 0));
            CHECK_FALSE(b.close(true));
        }
    }
}
