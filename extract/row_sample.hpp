// A share of the rows: each is taken or not by a hash of the seed and of where it came from. So the same rows are
// taken whatever the number of threads, the fields and the other rows are.
#pragma once
#include <cstdint>
#include <string_view>

#include "extract/origin.hpp"

namespace kumihimo::inline v0::extract {

class row_sample {
public:
    /// `share` from 0 to 1.
    row_sample(double share, std::uint64_t seed) noexcept
        : all_(share >= 1), below_(all_ ? 0 : static_cast<std::uint64_t>(share * 0x1p64)), seed_(mixed(seed)) {}

    /// `row`: its number among the rows of its document.
    bool takes(const origin& from, std::uint64_t row = 0) const noexcept {
        if (all_) return true;
        std::uint64_t h = text(seed_, from.archive);
        h = text(h, from.entry);
        h = mixed(h ^ from.offset);
        return mixed(h ^ row) < below_;
    }

private:
    // splitmix64's last step.
    static constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
        z += 0x9E3779B97F4A7C15u;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        return z ^ z >> 31;
    }
    static std::uint64_t text(std::uint64_t h, std::string_view s) noexcept {
        for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
        return mixed(h ^ s.size());
    }

    bool all_;
    std::uint64_t below_, seed_;
};

}  // namespace kumihimo::inline v0::extract
