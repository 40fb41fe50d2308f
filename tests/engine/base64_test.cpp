// Base64: the vectors of RFC 4648, everything random both ways, everything wrong refused.
#include "engine/scalar/base64.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace kumihimo;
using scalar::base64_alphabet;

namespace {

std::string encoded(std::string_view s, base64_alphabet a = base64_alphabet::standard) {
    std::string out(scalar::base64_size(s.size(), a), '#');
    char* end = scalar::base64_encode(reinterpret_cast<const unsigned char*>(s.data()), s.size(), out.data(), a);
    CHECK(end == out.data() + out.size());
    return out;
}

errc decode(std::string_view s, std::string& out, base64_alphabet a = base64_alphabet::standard) {
    std::vector<unsigned char> b(scalar::base64_bound(s.size()) + 1, '#');
    std::size_t n = 0;
    const errc e = scalar::base64_decode(s.data(), s.size(), b.data(), n, a);
    CHECK(n < b.size());
    CHECK(b.back() == '#');
    out.assign(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(n));
    return e;
}

// Bit by bit, for comparison.
std::string plain(std::string_view s, base64_alphabet a) {
    std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    letters += a == base64_alphabet::standard ? "+/" : "-_";
    std::string bits, out;
    for (unsigned char c : s)
        for (int i = 7; i >= 0; --i) bits += static_cast<char>('0' + (c >> i & 1));
    while (bits.size() % 6 != 0) bits += '0';
    for (std::size_t i = 0; i < bits.size(); i += 6) out += letters[std::stoul(bits.substr(i, 6), nullptr, 2)];
    while (a == base64_alphabet::standard && out.size() % 4 != 0) out += '=';
    return out;
}

}  // namespace

TEST_CASE("RFC 4648, section 10") {
    const char* vectors[][2] = {{"", ""},
                                {"f", "Zg=="},
                                {"fo", "Zm8="},
                                {"foo", "Zm9v"},
                                {"foob", "Zm9vYg=="},
                                {"fooba", "Zm9vYmE="},
                                {"foobar", "Zm9vYmFy"}};
    for (const auto& v : vectors) {
        CHECK(encoded(v[0]) == v[1]);
        std::string back;
        CHECK(decode(v[1], back) == errc::ok);
        CHECK(back == v[0]);
    }
    CHECK(encoded("\xFB\xFF\xFE", base64_alphabet::standard) == "+//+");
    CHECK(encoded("\xFB\xFF\xFE", base64_alphabet::url) == "-__-");
    CHECK(encoded("f", base64_alphabet::url) == "Zg");
}

TEST_CASE("random bytes, both ways, with padding and without") {
    std::mt19937_64 random(7);
    for (int i = 0; i < 3000; ++i) {
        std::string s(random() % 80, 0);
        for (char& c : s) c = static_cast<char>(random());
        for (auto a : {base64_alphabet::standard, base64_alphabet::url}) {
            std::string text = encoded(s, a), back;
            CHECK(text == plain(s, a));
            CHECK(decode(text, back, a) == errc::ok);
            CHECK(back == s);
            while (!text.empty() && text.back() == '=') text.pop_back();
            CHECK(decode(text, back, a) == errc::ok);
            CHECK(back == s);
            while (text.size() % 4 != 0) text += '=';
            CHECK(decode(text, back, a) == errc::ok);
            CHECK(back == s);
        }
    }
}

TEST_CASE("what is wrong is refused, what was good before it is kept") {
    std::string out;
    for (std::string_view bad : {"Z",      "=",      "==",       "===",       "====",     "Z===",    "Zg=",  "Zg===", "Zm8==",
                                 "Zm9v=",  "Zm9v==", "Zm9v====", "Z=g=",      "Zg==Zg==", "Zh==",    "Zm9=", "Zh",    "Zm9",
                                 "Zm9v\n", "Zm 9v",  " Zm9v",    "Zm9v Zm9v", "-__-",     "Zm9\x80", "Zm9.", "Zg=a"}) {
        CHECK_MESSAGE(decode(bad, out) == errc::encoding, std::string(bad));
    }
    CHECK(decode("+//+", out, base64_alphabet::url) == errc::encoding);
    CHECK(decode("Zm9vYmFyZm9.", out) == errc::encoding);
    CHECK(out == "foobar");
    for (int c = 0; c < 256; ++c) {
        const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
        for (std::size_t at = 0; at < 7; ++at) {
            std::string s = "AAAAAAAA";
            s[at] = static_cast<char>(c);
            CHECK((decode(s, out) == errc::ok) == letter);
        }
    }
}
