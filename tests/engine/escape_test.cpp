// Long text into JSON strings: every kernel against the portable form, in room that ends where its contract says.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "engine/core/buffer.hpp"
#include "engine/json/burst.hpp"
#include "engine/json/escape.hpp"
#include "engine/json/kernels.hpp"
#include "engine/json/writer.hpp"
#include "engine/simd/dispatch.hpp"
#include "tests/guarded.hpp"

using namespace kumihimo;

namespace {

std::string expected(std::string_view s) {
    std::string out(json::escaped_bound(s.size()), '\0');
    bool high = false;
    char* const end =
        json::detail::write_escaped<false, false>(out.data(), s.data(), s.data() + s.size(), json::rfc8259_escapes, high);
    out.resize(static_cast<std::size_t>(end - out.data()));
    return out;
}

std::vector<std::string> texts() {
    std::vector<std::string> all;
    std::mt19937_64 random(3);
    for (std::size_t n = 0; n <= 400; ++n) all.emplace_back(n, 'x');
    for (std::size_t n : {64, 128, 129, 200, 256}) {
        for (std::size_t at = 0; at < n; ++at) {
            for (const char stop : {'"', '\\', '\0', '\x1f', '\n', ' ', '!', '[', ']', '#', '\x7f', '\x80', '\xff'}) {
                std::string s(n, 'x');
                s[at] = stop;
                all.push_back(std::move(s));
            }
        }
    }
    for (int c = 0; c < 256; ++c) all.emplace_back(300, static_cast<char>(c));
    for (int i = 0; i < 3000; ++i) {
        std::string s(random() % 700, 'a');
        const std::size_t rare = std::size_t{1} << random() % 9;
        for (char& c : s)
            if (random() % rare == 0) c = static_cast<char>(random() % 3 == 0 ? "\"\\\n\t\x01"[random() % 5] : random());
        all.push_back(std::move(s));
    }
    return all;
}

struct chosen {
    explicit chosen(const json::kernels& k) : before(simd::active().name) { REQUIRE(simd::use(k.name)); }
    ~chosen() { simd::use(before); }
    std::string_view before;
};

}  // namespace

TEST_CASE("every kernel escapes as the portable form does, inside of its room") {
    guarded from(1 << 12), to(1 << 14);
    for (const auto* k : json::available_kernels()) {
        CAPTURE(k->name);
        const chosen use(*k);
        for (const std::string& s : texts()) {
            const std::string wanted = expected(s);
            for (const bool behind : {false, true}) {
                const char* const at = behind ? from.at_end(s) : from.at_start(s);
                char* const out = to.end() - json::escaped_bound(s.size());
                const char* const end = json::write_long(out, at, s.size());
                REQUIRE(std::string_view(out, static_cast<std::size_t>(end - out)) == wanted);
                // With less room it stops early, and what it did is right.
                for (const std::size_t room : {std::size_t{0}, std::size_t{447}, std::size_t{448}, std::size_t{600}}) {
                    char* p = to.end() - room;
                    char* const first = p;
                    const char* q = at;
                    k->escape(p, to.end(), q, at + s.size());
                    REQUIRE(p <= to.end());
                    REQUIRE(std::string_view(first, static_cast<std::size_t>(p - first)) ==
                            expected(std::string_view(at, static_cast<std::size_t>(q - at))));
                }
                char* p = to.begin();
                const char* q = at;
                k->escape(p, to.end(), q, at + s.size());
                CHECK(at + s.size() - q < 128);
            }
        }
    }
}

TEST_CASE("long text through a burst and through the writer") {
    std::mt19937_64 random(4);
    const std::string pieces[] = {"plain text, ", "\xE6\xBC\xA2\xC3\xA9", "\xF0\x9F\x98\x80", "\n", "\"quoted\"",
                                  "\\",           std::string(3000, 'y')};
    for (const auto* k : json::available_kernels()) {
        CAPTURE(k->name);
        const chosen use(*k);
        for (int i = 0; i < 300; ++i) {
            std::string s;
            const std::size_t kinds = 1 + random() % std::size(pieces);
            const std::size_t size = std::size_t{1} << random() % 18;
            while (s.size() < size) s += pieces[random() % kinds];
            const std::string wanted = "[\"" + expected(s) + "\",7]";
            static constexpr json::dialect as{};
            buffer direct;
            json::burst<buffer> b(direct, as);
            REQUIRE(b.open(false, 2));
            REQUIRE(b.str(s.data(), s.size()));
            REQUIRE(b.i64(7));
            REQUIRE(b.close(false));
            b.stop();
            CHECK(std::string_view(direct.data(), direct.size()) == wanted + ",");
            buffer out;
            context ctx;
            json::writer w(out, ctx, as);
            REQUIRE(w.array(count{}) == errc::ok);
            REQUIRE(w.str(text(s.data(), s.size(), encoding::utf8)) == errc::ok);
            REQUIRE(w.i64(7) == errc::ok);
            REQUIRE(w.end() == errc::ok);
            bytes whole;
            REQUIRE(w.finish(whole) == errc::ok);
            CHECK(std::string_view(reinterpret_cast<const char*>(whole.data()), whole.size()) == wanted);
        }
    }
}

TEST_CASE("sets that escape more, or otherwise, do not go to the kernel") {
    const std::string s = std::string(1000, 'x') + "\x1f<\xC3\xA9>" + std::string(5000, 'y');
    static constexpr json::escape_set upper{"", false, false, true};
    static constexpr json::dialect loud{.escapes = &upper};
    CHECK(!json::burst<buffer>::suits(loud));
    const auto one = [&](const json::dialect& as) {
        buffer out;
        context ctx;
        json::writer w(out, ctx, as);
        REQUIRE(w.str(text(s.data(), s.size(), encoding::utf8)) == errc::ok);
        bytes whole;
        REQUIRE(w.finish(whole) == errc::ok);
        return std::string(reinterpret_cast<const char*>(whole.data()) + 1001, 24);
    };
    CHECK(one(json::compact).substr(0, 10) == "\\u001f<\xC3\xA9>");
    CHECK(one(loud).substr(0, 10) == "\\u001F<\xC3\xA9>");
    CHECK(one(json::ascii_only).substr(0, 14) == "\\u001f<\\u00e9>");
    CHECK(one(json::html_safe).substr(0, 20) == "\\u001f\\u003c\xC3\xA9\\u003e");
}
