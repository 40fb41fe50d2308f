// The one switch over a value's first byte, for both walks of the reader. Included by json/reader.hpp.
//
// A walk brings what it knows of the bytes, as `In`:
//
//      const char* string(at, out)     reads the string whose opening quote is at `at`; the byte behind it, or null
//      number read(at)                 reads the number
//      bool ends_at(p)                 whether a number or word that ends at p may end there
//      void place(to, at, until)       tells a sink that asks which bytes the next verb stands for
//      void behind(until)              the value was taken: it ended at `until`
#pragma once
#include "engine/json/reader.hpp"

namespace kumihimo::inline v0::json {

// What a value turned out to be. A container is the walk's to open.
enum class reader::step : unsigned char { scalar, map, array, refused, broken };

/// Hands on the scalar that starts at `at`. refused: `code` is the sink's answer; broken: the document's fault, or no
/// memory.
template <class In, sink K>
[[gnu::always_inline]] inline reader::step reader::value_at(In in, K& to, const char* at, errc& code) {
    const char* until;
    const auto word = [&](std::string_view w) __attribute__((always_inline)) {
        until = word_end(at, end_, w);
        return until != nullptr && in.ends_at(until);
    };
    const auto number_like = [&](double x) __attribute__((always_inline)) {
        in.place(to, at, until);
        code = to.f64(x);
    };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (*at) {
        case '"': {
            text s;
            until = in.string(at, s);
            if (until == nullptr) [[unlikely]]
                return step::broken;
            in.place(to, at, until);
            code = to.str(s);
            break;
        }
        case '{': return step::map;
        case '[': return step::array;
        case '-':
        case '0':
        case '1':
        case '2':
        case '3':
        case '4':
        case '5':
        case '6':
        case '7':
        case '8':
        case '9': {
            const number n = in.read(at);
            if (n.kind == number_kind::broken || !in.ends_at(n.end)) [[unlikely]] {
                // A number that is refused is an earlier fault than what stands behind it.
                if (refuses(n, at)) {
                    code = ctx_.fail(errc::range, failure::nowhere, beyond_double);
                    // As below, and not by `break`: compilers cannot see that fail() is never ok, and warn of `until`.
                    refused_ = at;
                    return step::refused;
                }
                if (!granted_.non_finite || !word("-Infinity")) return step::broken;
                number_like(-infinity);
                break;
            }
            until = n.end;
            in.place(to, at, until);
            code = give(to, n, at);
            break;
        }
        case 't':
            if (!word("true")) [[unlikely]]
                return step::broken;
            in.place(to, at, until);
            code = to.boolean(true);
            break;
        case 'f':
            if (!word("false")) [[unlikely]]
                return step::broken;
            in.place(to, at, until);
            code = to.boolean(false);
            break;
        case 'n':
            if (!word("null")) [[unlikely]]
                return step::broken;
            in.place(to, at, until);
            code = to.null();
            break;
        default:
            if (!granted_.non_finite) return step::broken;
            if (word("NaN")) {
                number_like(std::numeric_limits<double>::quiet_NaN());
            } else if (word("Infinity")) {
                number_like(infinity);
            } else {
                return step::broken;
            }
    }
    if (code != errc::ok) [[unlikely]] {
        refused_ = at;
        return step::refused;
    }
    in.behind(until);
    return step::scalar;
}

}  // namespace kumihimo::inline v0::json
