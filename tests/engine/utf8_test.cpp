// UTF-8, UTF-16 and Latin-1: every scalar value both ways, every short byte sequence against the Unicode standard's
// table.
#include "engine/scalar/utf8.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using namespace kumihimo;

namespace {

// Table 3-7 of the Unicode standard, row by row; the length of the well-formed sequence at i, or 0.
std::size_t well_formed(const std::string& s, std::size_t i) {
    const auto in = [&](std::size_t k, int low, int high) {
        return i + k < s.size() && static_cast<unsigned char>(s[i + k]) >= low && static_cast<unsigned char>(s[i + k]) <= high;
    };
    const auto tail = [&](std::size_t k) { return in(k, 0x80, 0xBF); };
    if (in(0, 0x00, 0x7F)) return 1;
    if (in(0, 0xC2, 0xDF) && tail(1)) return 2;
    if (in(0, 0xE0, 0xE0) && in(1, 0xA0, 0xBF) && tail(2)) return 3;
    if (in(0, 0xE1, 0xEC) && tail(1) && tail(2)) return 3;
    if (in(0, 0xED, 0xED) && in(1, 0x80, 0x9F) && tail(2)) return 3;
    if (in(0, 0xEE, 0xEF) && tail(1) && tail(2)) return 3;
    if (in(0, 0xF0, 0xF0) && in(1, 0x90, 0xBF) && tail(2) && tail(3)) return 4;
    if (in(0, 0xF1, 0xF3) && tail(1) && tail(2) && tail(3)) return 4;
    if (in(0, 0xF4, 0xF4) && in(1, 0x80, 0x8F) && tail(2) && tail(3)) return 4;
    return 0;
}

std::size_t valid_prefix(const std::string& s) {
    std::size_t i = 0;
    while (i < s.size()) {
        const std::size_t n = well_formed(s, i);
        if (n == 0) break;
        i += n;
    }
    return i;
}

}  // namespace

TEST_CASE("every scalar value, both ways") {
    long differ = 0;
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
        char b[4];
        const std::string s(b, scalar::encode_utf8(b, c));
        const scalar::decoded d = scalar::decode_utf8(s.data(), s.data() + s.size());
        if (c >= 0xD800 && c <= 0xDFFF) {
            differ += d.length != 0 || scalar::utf8_valid_prefix(s.data(), s.size()) != 0;
            continue;
        }
        differ += d.scalar != c || d.length != s.size() || scalar::utf8_valid_prefix(s.data(), s.size()) != s.size();
        differ += scalar::utf8_valid_prefix(s.data(), s.size() - 1) != 0;  // cut
        char16_t u[4];
        std::size_t n = 0;
        differ += scalar::utf8_to_utf16(s.data(), s.size(), u, n) != errc::ok || n != scalar::utf16_size(s.data(), s.size());
        const scalar::decoded w = scalar::decode_utf16(u, u + n);
        differ += w.scalar != c || w.length != n || scalar::utf8_size_of_utf16(u, n) != s.size();
        char back[12];
        std::size_t m = 0;
        differ += scalar::utf16_to_utf8(u, n, back, m) != errc::ok || std::string(back, m) != s;
        differ += scalar::utf8_length(s.data(), s.size()) != 1;
        char narrow[4];
        const errc e = scalar::utf8_to_latin1(s.data(), s.size(), narrow, m);
        if (c <= 0xFF) {
            differ += e != errc::ok || m != 1 || static_cast<unsigned char>(narrow[0]) != c;
            differ +=
                std::string(b, scalar::latin1_to_utf8(narrow, 1, b)) != s || scalar::utf8_size_of_latin1(narrow, 1) != s.size();
        } else {
            differ += e != errc::range || m != 0;
        }
    }
    CHECK(differ == 0);
}

TEST_CASE("every sequence of two bytes, and of three and four over the interesting ones") {
    long differ = 0;
    const auto check = [&](const std::string& s) {
        const std::size_t want = valid_prefix(s);
        differ += scalar::utf8_valid_prefix(s.data(), s.size()) != want;
        const scalar::decoded d = scalar::decode_utf8(s.data(), s.data() + s.size());
        differ += d.length != well_formed(s, 0);
        char16_t u[16];
        std::size_t n = 0;
        differ += (scalar::utf8_to_utf16(s.data(), s.size(), u, n) == errc::ok) != (want == s.size());
        differ += n != scalar::utf16_size(s.data(), want);
    };
    const auto byte = [](int b) { return static_cast<char>(b); };
    for (int a = 0; a < 256; ++a)
        for (int b = 0; b < 256; ++b) check({byte(a), byte(b)});
    std::vector<int> edges;
    for (int b : {0x00, 0x22, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF,
                  0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF})
        edges.push_back(b);
    for (int a : edges)
        for (int b : edges)
            for (int c : edges) {
                check({byte(a), byte(b), byte(c)});
                for (int d : edges) check({byte(a), byte(b), byte(c), byte(d)});
            }
    CHECK(differ == 0);
}

TEST_CASE("an error anywhere in a longer text") {
    std::mt19937_64 random(5);
    long differ = 0;
    for (int i = 0; i < 100000; ++i) {
        std::string s;
        while (s.size() < random() % 60) {
            char b[4];
            constexpr int shift[] = {14, 14, 10, 5, 0};
            auto c = static_cast<char32_t>(random() % 0x110000 >> shift[random() % 5]);
            if (c >= 0xD800 && c <= 0xDFFF) c = 'x';
            s.append(b, scalar::encode_utf8(b, c));
        }
        differ += scalar::utf8_valid_prefix(s.data(), s.size()) != s.size();
        if (s.empty()) continue;
        s[random() % s.size()] = static_cast<char>(random());
        const std::size_t want = valid_prefix(s);
        differ += scalar::utf8_valid_prefix(s.data(), s.size()) != want;
        std::size_t ascii = 0;
        while (ascii < s.size() && static_cast<unsigned char>(s[ascii]) < 0x80) ++ascii;
        differ += scalar::ascii_prefix(s.data(), s.size()) != ascii;
        std::vector<char16_t> u(s.size());
        std::size_t n = 0;
        scalar::utf8_to_utf16(s.data(), s.size(), u.data(), n);
        std::vector<char> back(scalar::utf8_bound_of_utf16(n));
        std::size_t m = 0;
        differ +=
            scalar::utf16_to_utf8(u.data(), n, back.data(), m) != errc::ok || std::string(back.data(), m) != s.substr(0, want);
    }
    CHECK(differ == 0);
}

TEST_CASE("half a surrogate pair") {
    const std::u16string bad[] = {u"\xD800", u"\xDC00", u"a\xDBFFz", u"\xDC00\xD800", u"\xD800\xD800\xDC00"};
    const std::size_t good[] = {0, 0, 1, 0, 0};
    const std::string wtf8[] = {"\xED\xA0\x80", "\xED\xB0\x80", "a\xED\xAF\xBFz", "\xED\xB0\x80\xED\xA0\x80",
                                "\xED\xA0\x80\xF0\x90\x80\x80"};
    for (std::size_t i = 0; i < std::size(bad); ++i) {
        char b[32];
        std::size_t n = 99;
        CHECK(scalar::utf16_to_utf8(bad[i].data(), bad[i].size(), b, n) == errc::encoding);
        CHECK(n == good[i]);
        const std::string kept(b, scalar::utf16_to_wtf8(bad[i].data(), bad[i].size(), b));
        CHECK(kept == wtf8[i]);
        CHECK(kept.size() == scalar::utf8_size_of_utf16(bad[i].data(), bad[i].size()));
    }
}
