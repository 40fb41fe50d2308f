// The table of kernels, the choice among them, and the two small kernels that have no test of their own: utf8 and
// boundary.
#include "engine/simd/dispatch.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "engine/json/boundary.hpp"
#include "engine/json/kernels.hpp"
#include "engine/json/project.hpp"

using namespace kumihimo;

namespace {

// Byte by byte, from the table of well-formed sequences (Unicode 15, table 3-7).
bool valid_utf8(const std::string& s) {
    for (std::size_t i = 0; i < s.size();) {
        const auto at = [&](std::size_t k) { return i + k < s.size() ? static_cast<unsigned char>(s[i + k]) : 0u; };
        const auto in = [&](std::size_t k, unsigned a, unsigned b) { return at(k) >= a && at(k) <= b; };
        const unsigned c = at(0);
        if (c < 0x80)
            i += 1;
        else if (c >= 0xC2 && c <= 0xDF && in(1, 0x80, 0xBF))
            i += 2;
        else if (c >= 0xE0 && c <= 0xEF && in(1, c == 0xE0 ? 0xA0 : 0x80, c == 0xED ? 0x9F : 0xBF) && in(2, 0x80, 0xBF))
            i += 3;
        else if (c >= 0xF0 && c <= 0xF4 && in(1, c == 0xF0 ? 0x90 : 0x80, c == 0xF4 ? 0x8F : 0xBF) && in(2, 0x80, 0xBF) &&
                 in(3, 0x80, 0xBF))
            i += 4;
        else
            return false;
    }
    return true;
}

// Where the first document ends, one byte at a time; npos when it does not.
std::size_t end_of_document(const std::string& s, std::size_t from) {
    std::size_t i = s.find_first_not_of(" \t\r\n", from);
    if (i == std::string::npos) return i;
    if (s[i] != '{' && s[i] != '[' && s[i] != '"') return s.find_first_of(" \t\r\n\"{}[]", i + 1);
    const bool text = s[i] == '"';
    bool inside = text, escaped = false;
    long depth = 0;
    for (i += text ? 1 : 0; i < s.size(); ++i) {
        const char c = s[i];
        if (escaped) {
            escaped = false;
        } else if (c == '\\') {
            escaped = true;
        } else if (c == '"') {
            inside = !inside;
            if (text) return i + 1;
        } else if (!inside && (c == '{' || c == '[')) {
            ++depth;
        } else if (!inside && (c == '}' || c == ']')) {
            if (--depth == 0) return i + 1;
        }
    }
    return std::string::npos;
}

}  // namespace

TEST_CASE("the portable kernel is there, every kernel is complete, names are distinct") {
    const auto all = simd::available();
    REQUIRE(all.size() >= 1);
    REQUIRE(json::available_kernels().size() == all.size());
    CHECK(std::string(all[0]->name) == "scalar");
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK((all[i]->utf8 != nullptr));
        const json::kernels& k = *json::available_kernels()[i];
        CHECK(std::string(k.name) == all[i]->name);
        CHECK((k.check != nullptr));
        CHECK((k.project_strict != nullptr));
        CHECK((k.project_structural != nullptr));
        CHECK((k.project_trusted != nullptr));
        CHECK((k.boundary != nullptr));
        CHECK((k.index != nullptr));
        CHECK((k.escape != nullptr));
        for (std::size_t j = 0; j < i; ++j) CHECK(std::string(all[j]->name) != k.name);
    }
}

TEST_CASE("KUMIHIMO_KERNEL or else the best is active; use() changes it; an unknown name changes nothing") {
    const auto all = simd::available();
    const char* wish = std::getenv("KUMIHIMO_KERNEL");
    bool known = false;
    for (const auto* k : all) known = known || (wish != nullptr && std::string(wish) == k->name);
    CHECK(std::string(simd::active().name) == (known ? std::string(wish) : std::string(all.back()->name)));
    for (const auto* k : all) {
        CHECK(simd::use(k->name));
        CHECK(&simd::active() == k);
        CHECK(all[simd::chosen()] == k);
        CHECK(std::string(json::active_kernels().name) == k->name);
        CHECK_FALSE(simd::use("abacus"));
        CHECK(&simd::active() == k);
    }
}

TEST_CASE("utf8: every sequence of up to three bytes and the edges of four, across the border of blocks") {
    for (const auto* k : simd::available()) {
        CAPTURE(k->name);
        std::size_t wrong = 0;
        std::string s;
        const auto judge = [&](const std::string& sequence, std::size_t at) {
            s.assign(at, 'a');
            s += sequence;
            s.append(70, 'z');
            wrong += k->utf8(s.data(), s.size()) != valid_utf8(s);
            wrong += k->utf8(s.data(), at + sequence.size()) != valid_utf8(s.substr(0, at + sequence.size()));
        };
        static constexpr unsigned char edge[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0,
                                                 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFE, 0xFF};
        for (int a = 0; a < 256; ++a)
            for (int b = 0; b < 256; ++b) judge({static_cast<char>(a), static_cast<char>(b)}, 63);
        for (const std::size_t at : {0, 30, 61, 62, 63, 127})
            for (const unsigned char a : edge)
                for (const unsigned char b : edge)
                    for (const unsigned char c : edge) {
                        const char text[] = {static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)};
                        judge({text, 3}, at);
                        if (a < 0xE0) continue;
                        for (const unsigned char d : edge) judge(std::string(text, 3) + static_cast<char>(d), at);
                    }
        CHECK(wrong == 0);
    }
}

TEST_CASE("utf8: random text with random damage") {
    std::mt19937_64 random(7);
    static const char* const pieces[] = {
        "a", "é", "漢", "😀", "\x7f", "߿", "ࠀ", "￿", "𐀀", "\xf4\x8f\xbf\xbf", "long plain text in between"};
    for (int round = 0; round < 4000; ++round) {
        std::string s;
        const std::size_t n = random() % 60;
        for (std::size_t i = 0; i < n; ++i) s += pieces[random() % std::size(pieces)];
        if (random() % 2 != 0 && !s.empty()) s[random() % s.size()] = static_cast<char>(random());
        if (random() % 4 == 0) s.resize(s.size() - random() % (s.size() + 1));
        const bool good = valid_utf8(s);
        for (const auto* k : simd::available()) {
            CAPTURE(k->name);
            CHECK(k->utf8(s.data(), s.size()) == good);
        }
    }
}

TEST_CASE("boundary: documents of every kind, whole and in pieces of every size") {
    static const char* const documents[] = {
        "{}",
        "[]",
        "[[[]]]",
        "12",
        "-1.5e3",
        "true",
        "\"a\"",
        "\"\"",
        R"("quote \" and \\")",
        R"({"a":"}]{[","b":[1,{"c":"\\"}]})",
        "{\n  \"pretty\": [\n    1,\n    2\n  ]\n}",
        R"(["\\\\\\\"",["]"]])",
    };
    static const char* const gaps[] = {"", " ", "\n", "\r\n\t  ",
                                       "                                                                      "};
    std::mt19937_64 random(11);
    for (int round = 0; round < 600; ++round) {
        std::string stream;
        for (int i = 0, n = 1 + static_cast<int>(random() % 12); i < n; ++i) {
            std::string gap = gaps[random() % 5];
            const std::string next = documents[random() % std::size(documents)];
            const bool glued = !stream.empty() && gap.empty() && stream.back() != '}' && stream.back() != ']' &&
                               stream.back() != '"' && next[0] != '{' && next[0] != '[' && next[0] != '"';
            stream += glued ? " " : gap;
            stream += next;
            if (random() % 6 == 0) stream.append(random() % 130, ' ');
        }
        std::vector<std::size_t> ends;
        for (std::size_t at = 0;;) {
            const std::size_t end = end_of_document(stream, at);
            if (end == std::string::npos) break;
            ends.push_back(end);
            at = end;
        }
        for (const auto* k : json::available_kernels()) {
            CAPTURE(k->name);
            CAPTURE(stream);
            for (const std::size_t piece : {stream.size(), std::size_t{1} + random() % 5, std::size_t{1} + random() % 150}) {
                json::boundary state;
                std::vector<std::size_t> found;
                for (std::size_t at = 0; at < stream.size();) {
                    const std::size_t n = std::min(piece, stream.size() - at);
                    state.complete = false;
                    const std::size_t used = k->boundary(state, stream.data() + at, n);
                    REQUIRE(used <= n);
                    at += used;
                    if (state.complete) {
                        found.push_back(at);
                        state = {};
                    } else {
                        REQUIRE(used == n);
                    }
                }
                CHECK(found == ends);
            }
        }
    }
}
