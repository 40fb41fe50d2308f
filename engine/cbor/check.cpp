#include "engine/cbor/check.hpp"

#include <algorithm>

#include "engine/cbor/floats.hpp"
#include "engine/core/stack.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/simd/dispatch.hpp"

namespace kumihimo::inline v0::cbor {
namespace {

using kind = header::kind;

struct frame {
    std::uint64_t left;         // items to come
    const unsigned char* key;   // of the pair under way; nullptr: none yet
    const unsigned char* last;  // the key before it, to compare with
    std::size_t last_size;
    bool map;
    bool open;  // of indefinite length
};

/// Negative, 0 or positive. An item is never the beginning of another one.
int compare(const unsigned char* a, std::size_t n, const unsigned char* b, std::size_t m) noexcept {
    const int order = std::memcmp(a, b, std::min(n, m));
    return order != 0 ? order : n < m ? -1 : n > m;
}

/// What keeps this header from being the preferred one, or nullptr. p is behind it.
const char* longer_than_needed(const header& h, const unsigned char* p, const unsigned char* e) noexcept {
    if (h.is == kind::floating) {
        std::uint64_t bits = 0;
        const unsigned width = h.size - 1u;
        const double x = float_value(h.argument, width);
        if (shortest_float(x, bits) != width || bits != h.argument) return "a float is not in its shortest form";
        return nullptr;
    }
    if (h.is == kind::simple || h.is == kind::stop || h.indefinite) return nullptr;
    if (h.size != 1 + width_of(h.argument)) return "an integer, length or tag is not in its shortest form";
    if (h.is == kind::tag && (h.argument == tags::natural || h.argument == tags::negative)) {
        const header content = read_header(p, e);
        if (content.is == kind::bytes && !content.indefinite && content.size < e - p &&
            (content.argument <= 8 || p[content.size] == 0))
            return "a bignum has leading zeros, or is an integer that needs no bignum";
        if (content.is == kind::bytes && !content.indefinite && content.argument == 0)
            return "a bignum has leading zeros, or is an integer that needs no bignum";
    }
    return nullptr;
}

}  // namespace

errc check(const unsigned char*& p, const unsigned char* const e, const check_rules& rules, fault& found) noexcept {
    stack<frame, 16> outer;
    frame now{1, nullptr, nullptr, 0, false, false};
    const unsigned char* tagged = nullptr;  // where the content of a tag must begin
    const auto stop = [&](errc code, const unsigned char* at, const char* what) {
        found = {code, at, what};
        return code;
    };
    const bool strict = rules.insist == insist_on::deterministic;

    for (;;) {
        const header h = read_header(p, e);
        const unsigned char* const start = p;
        if (h.is == kind::cut)
            return stop(errc::truncated, p, p == e ? "the input ends where a value is due" : "the input ends inside a value");
        if (h.is == kind::reserved) return stop(errc::syntax, p, "these bytes begin no CBOR item");
        p += h.size;
        if (h.is == kind::stop) {
            if (!now.open || tagged == start)
                return stop(errc::syntax, start, "a break where no container of indefinite length can end");
            if (now.map && (now.left & 1) != 0) return stop(errc::syntax, start, "a map ends after a key without a value");
            now.left = 0;
        } else {
            if (now.map && tagged != start) {
                if ((now.left & 1) == 0) {
                    now.key = start;
                } else if (strict) {
                    const auto size = static_cast<std::size_t>(start - now.key);
                    if (now.last != nullptr) {
                        const int order = compare(now.last, now.last_size, now.key, size);
                        if (order == 0) return stop(errc::duplicate, now.key, "a key comes twice in a map");
                        if (order > 0) return stop(errc::syntax, now.key, "a map's keys are not in ascending order");
                    }
                    now.last = now.key;
                    now.last_size = size;
                }
            }
            if (rules.insist != insist_on::anything) {
                if (const char* const what = longer_than_needed(h, p, e)) return stop(errc::syntax, start, what);
                if (strict && h.indefinite) return stop(errc::syntax, start, "an indefinite length, which the dialect refuses");
            }
            if (h.is == kind::tag) {
                tagged = p;
                continue;
            }
            --now.left;
            if (h.string()) {
                const bool text = rules.text && h.is == kind::text;
                KUMIHIMO_TRY(pieces(p, e, h, found, [&](const unsigned char* b, std::size_t n) {
                    const char* const s = reinterpret_cast<const char*>(b);
                    if (!text || (n > 64 && simd::active().utf8(s, n))) return errc::ok;
                    const std::size_t good = scalar::utf8_valid_prefix(s, n);
                    return good == n ? errc::ok : stop(errc::encoding, b + good, "a text string is not valid UTF-8");
                }));
            } else if (h.container()) {
                if (outer.size() >= rules.depth) return stop(errc::depth, start, "containers are nested deeper than the limit");
                const bool map = h.is == kind::map;
                if (h.argument > static_cast<std::uint64_t>(e - p) / (map ? 2 : 1))
                    return stop(errc::truncated, start, "a container announces more values than there are bytes left");
                if (!outer.push(now)) return stop(errc::memory, start, "out of memory");
                // Even, and never reached by counting down.
                const std::uint64_t left = h.indefinite ? ~std::uint64_t{1} : h.argument * (map ? 2 : 1);
                now = {left, nullptr, nullptr, 0, map, h.indefinite};
            }
        }
        while (now.left == 0) {
            if (outer.empty()) return errc::ok;
            now = outer.top();
            outer.pop();
        }
    }
}

}  // namespace kumihimo::inline v0::cbor
