#include "extract/keyed_hash.hpp"

#include <bit>
#include <chrono>
#include <random>

namespace kumihimo::inline v0::extract {
namespace {

struct state {
    std::uint64_t a, b, c, d;
    void round() noexcept {
        a += b, b = std::rotl(b, 13), b ^= a, a = std::rotl(a, 32);
        c += d, d = std::rotl(d, 16), d ^= c;
        a += d, d = std::rotl(d, 21), d ^= a;
        c += b, b = std::rotl(b, 17), b ^= c, c = std::rotl(c, 32);
    }
    void take(std::uint64_t word) noexcept {
        d ^= word;
        round();
        a ^= word;
    }
};

// Up to eight bytes, the first one lowest.
std::uint64_t load(const char* p, std::size_t n) noexcept {
    std::uint64_t w = 0;
    for (std::size_t i = 0; i < n; ++i) w |= static_cast<std::uint64_t>(static_cast<unsigned char>(p[i])) << 8 * i;
    return w;
}

hash_key made() noexcept {
    try {
        std::random_device random;
        const auto word = [&] { return static_cast<std::uint64_t>(random()) << 32 | random(); };
        const std::uint64_t first = word();
        return {first, word()};
    } catch (...) {
        // No source of randomness: the time and where the stack lies are better than a known key.
        hash_key poor;
        poor.first = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
        poor.second = reinterpret_cast<std::uintptr_t>(&poor);
        return poor;
    }
}

}  // namespace

const hash_key& hash_key::of_process() noexcept {
    static const hash_key key = made();
    return key;
}

std::uint64_t keyed_hash(std::string_view text, const hash_key& key) noexcept {
    state s{key.first ^ 0x736f6d6570736575u, key.second ^ 0x646f72616e646f6du, key.first ^ 0x6c7967656e657261u,
            key.second ^ 0x7465646279746573u};
    const std::size_t whole = text.size() & ~std::size_t{7};
    for (std::size_t i = 0; i < whole; i += 8) s.take(load(text.data() + i, 8));
    s.take(load(text.data() + whole, text.size() - whole) | static_cast<std::uint64_t>(text.size()) << 56);
    s.c ^= 0xff;
    for (int i = 0; i < 3; ++i) s.round();
    return s.a ^ s.b ^ s.c ^ s.d;
}

}  // namespace kumihimo::inline v0::extract
