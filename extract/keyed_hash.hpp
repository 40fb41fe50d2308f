// A hash of bytes under a secret key: SipHash-1-3 (Aumasson and Bernstein, 2012). Without the key nobody finds texts
// that share their hash, so hostile input cannot make a table of them slow.
#pragma once
#include <cstdint>
#include <string_view>

namespace kumihimo::inline v0::extract {

struct hash_key {
    std::uint64_t first = 0, second = 0;

    /// Another one in every process.
    static const hash_key& of_process() noexcept;
};

std::uint64_t keyed_hash(std::string_view text, const hash_key& key) noexcept;

}  // namespace kumihimo::inline v0::extract
