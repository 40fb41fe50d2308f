// Random documents of the whole data model, for round trips.
#pragma once
#include <bit>
#include <cmath>
#include <random>
#include <string>

#include "engine/scalar/utf8.hpp"
#include "hosts/plain/value.hpp"

namespace helpers {
using namespace kumihimo;

/// What the format under test cannot hold without change.
struct random_shape {
    bool utc_only = false;   // no other clocks
    bool small_ext = false;  // extension types of 8 bits, and not -1, which is a timestamp
    bool no_big = false;
    bool json_only = false;  // null, booleans, numbers, text, text keys; finite doubles
    bool unique_keys = false;
};

inline std::string random_text(std::mt19937_64& random) {
    std::string s;
    const std::size_t n = random() % 8 == 0 ? random() % 300 : random() % 12;
    for (std::size_t i = 0; i < n; ++i) {
        char32_t c = 0;
        switch (random() % 8) {
            case 0: c = static_cast<char32_t>(random() % 0x20); break;
            case 1: c = static_cast<char32_t>(random() % 0x110000); break;
            case 2: c = static_cast<char32_t>(0x80 + random() % 0x780); break;
            case 3: c = U"\"\\/<>&\x7f\u2028"[random() % 8]; break;
            default: c = static_cast<char32_t>(0x20 + random() % 0x5f);
        }
        if (c >= 0xd800 && c < 0xe000) c = 0xfffd;
        char utf8[4];
        s.append(utf8, static_cast<std::size_t>(scalar::encode_utf8(utf8, c) - utf8));
    }
    return s;
}

inline plain::value random_value(std::mt19937_64& random, const random_shape& shape, int depth = 0) {
    plain::value v;
    const auto length = [&] { return depth > 4 ? 0 : random() % 64 == 0 ? random() % 40 : random() % 5; };
    const auto any_bytes = [&] {
        plain::bin b(random() % 20);
        for (auto& c : b) c = static_cast<unsigned char>(random());
        return b;
    };
    unsigned kind = random() % (shape.json_only ? 8 : 12);
    if (depth == 0 && random() % 4) kind = 6 + random() % 2;
    switch (kind) {
        case 0: break;
        case 1: v = random() % 2 == 0; break;
        case 2: v = static_cast<std::int64_t>(random()) >> random() % 64; break;
        case 3: v = random() | std::uint64_t{1} << 63; break;
        case 4: {
            double x = random() % 2 ? std::bit_cast<double>(random()) : static_cast<double>(random() % 100000) / 100;
            if (std::isnan(x) || (shape.json_only && !std::isfinite(x))) x = 0.5;
            // ECMAScript prints these without an exponent: as JSON they are long integers, and arrive through big().
            if (shape.json_only && std::abs(x) >= 9e18 && std::abs(x) < 1e21) x = 0.25;
            v = plain::real{x};
            break;
        }
        case 5: v = plain::string(random_text(random)); break;
        case 6: {
            std::vector<plain::value> a;
            for (std::size_t n = length(); n > 0; --n) a.push_back(random_value(random, shape, depth + 1));
            v = plain::array(std::move(a));
            break;
        }
        case 7: {
            std::vector<plain::member> m;
            for (std::size_t n = length(); n > 0; --n) {
                plain::member pair;
                pair.key = plain::string(shape.unique_keys ? random_text(random) + std::to_string(n) : random_text(random));
                if (!shape.json_only && random() % 4 == 0) pair.key = random_value(random, shape, depth + 3);
                pair.item = random_value(random, shape, depth + 1);
                m.push_back(std::move(pair));
            }
            v = plain::map(std::move(m));
            break;
        }
        case 8: v = any_bytes(); break;
        case 9: {
            plain::ext e{static_cast<int>(random() % 256) - 128, any_bytes()};
            if (shape.small_ext && e.type == -1) e.type = 1;
            v = e;
            break;
        }
        case 10: {
            instant at{static_cast<std::int64_t>(random()) >> random() % 64, static_cast<std::uint32_t>(random() % 1000000000),
                       0, static_cast<instant::kind>(shape.utc_only ? 0 : random() % 5)};
            if (random() % 2) at.nanoseconds = 0;
            if (at.clock == instant::kind::offset || at.clock == instant::kind::local) {
                at.offset = static_cast<std::int32_t>(random() % 172799) - 86399;
            }
            v = at;
            break;
        }
        default:
            if (shape.no_big) break;
            v = plain::big{std::to_string(random()) + std::to_string(random() | 1) + (random() % 2 ? "" : ".50e+400")};
    }
    return v;
}

}  // namespace helpers
