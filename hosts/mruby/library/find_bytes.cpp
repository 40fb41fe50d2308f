// The search for bytes, in time that is linear and can be broken off: in libc's own (memmem) a script could not be
// left, and twenty megabytes take it seconds. A short text is looked for by libc, in windows; a long one by the
// two-way search of Crochemore and Perrin, which needs no memory: the text is cut where its two parts are compared
// with the least loss, the right one forwards, then the left one backwards.
#include <algorithm>

#include "../vm/deadline.hpp"
#include "bytes.hpp"

namespace kumihimo::inline v0::mruby {
namespace {

constexpr std::size_t short_text = 256;
constexpr std::size_t window = std::size_t{1} << 20;
constexpr std::size_t nowhere = std::string_view::npos;

unsigned char at(std::string_view s, std::size_t i) noexcept { return static_cast<unsigned char>(s[i]); }

// Where the greatest suffix begins, by the order of bytes or by the opposite one, and how often it repeats itself.
struct suffix {
    std::size_t begin, period;
};
template <bool Opposite>
suffix greatest_suffix(std::string_view s) noexcept {
    std::size_t best = 0, other = 1, same = 0, period = 1;
    while (other + same < s.size()) {
        const unsigned char a = at(s, best + same), b = at(s, other + same);
        if (a == b) {
            if (++same == period) other += period, same = 0;
        } else if (Opposite ? b > a : b < a) {
            other += same + 1;
            same = 0;
            period = other - best;
        } else {
            best = other++;
            same = 0;
            period = 1;
        }
    }
    return {best, period};
}

std::size_t find_long(std::string_view text, std::string_view what) noexcept {
    const suffix a = greatest_suffix<false>(what), b = greatest_suffix<true>(what);
    const auto [cut, found_period] = a.begin > b.begin ? a : b;
    const std::size_t size = what.size();
    const bool repeats = cut + found_period <= size && same_bytes(what.data(), what.data() + found_period, cut);
    const std::size_t period = repeats ? found_period : std::max(cut, size - cut) + 1;
    // Of what repeats itself, the bytes at the beginning that are known to be there after a step.
    for (std::size_t place = 0, known = 0; place + size <= text.size();) {
        std::size_t i = std::max(cut, known);
        while (i < size && what[i] == text[place + i]) ++i;
        if (i < size) {
            place += i - cut + 1;
            known = 0;
            continue;
        }
        i = cut;
        while (i > known && what[i - 1] == text[place + i - 1]) --i;
        if (i <= known) return place;
        place += period;
        known = repeats ? size - period : 0;
    }
    return nowhere;
}

std::size_t find_short(std::string_view text, std::string_view what) noexcept {
    for (std::size_t from = 0; from + what.size() <= text.size(); from += window) {
        const std::string_view part = text.substr(from, window + what.size() - 1);
        if (const void* const found = memmem(part.data(), part.size(), what.data(), what.size()); found != nullptr)
            return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
        deadline::leave_if_late();
    }
    return nowhere;
}

}  // namespace

std::size_t find_bytes(std::string_view text, std::string_view what, std::size_t from) noexcept {
    if (what.empty()) return from;
    const std::string_view rest = text.substr(from);
    if (what.size() > rest.size()) return nowhere;
    const std::size_t found = what.size() <= short_text ? find_short(rest, what) : find_long(rest, what);
    return found == nowhere ? nowhere : found + from;
}

}  // namespace kumihimo::inline v0::mruby
