// Every 32-bit float, as a double, and every 32-bit integer, through text and back, against the standard library.
//
//      exhaustive_scalar [STEP]        every STEPth value only; 1 is all of them: some minutes on all cores
//
// Of a float: the digits are those of to_chars, the text reads back as the same bits, and (every 64th) %.15g and %.17g
// are what to_chars prints for them. Exit status 1 when anything differs.
#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "engine/scalar/float_read.hpp"
#include "engine/scalar/float_write.hpp"
#include "engine/scalar/integer.hpp"

using namespace kumihimo;
using scalar::float_layout;

namespace {

std::atomic<long> differ{0};

void report(const char* what, std::uint64_t bits, const char* b, const char* e) {
    if (++differ <= 20)
        std::printf("%s of %llx: %.*s\n", what, static_cast<unsigned long long>(bits), static_cast<int>(e - b), b);
}

// The significant digits of a number's text, without zeros at either end.
char* digits_of(const char* b, const char* e, char* out) {
    char* const first = out;
    for (; b != e && *b != 'e'; ++b)
        if (*b >= '0' && *b <= '9' && (out != first || *b != '0')) *out++ = *b;
    while (out != first && out[-1] == '0') --out;
    return out;
}

void check_float(std::uint32_t bits) {
    const double x = std::bit_cast<float>(bits);
    if (!std::isfinite(x)) return;
    char ours[64], theirs[64], a[64], b[64];
    char* const e = scalar::write_f64(ours, x, float_layout::python);
    double back = 0;
    if (scalar::read_f64(ours, e, back) != errc::ok || std::bit_cast<std::uint64_t>(back) != std::bit_cast<std::uint64_t>(x))
        report("round trip", bits, ours, e);
    const char* const f = std::to_chars(theirs, theirs + sizeof theirs, x, std::chars_format::scientific).ptr;
    if (!std::equal(a, digits_of(ours, e, a), b, digits_of(theirs, f, b))) report("digits", bits, ours, e);
    if (bits % 64 != 0) return;
    for (int precision : {15, 17}) {
        char* const g = scalar::write_f64(ours, x, precision == 15 ? float_layout::perl15 : float_layout::g17);
        if (!std::equal(ours, g, theirs,
                        std::to_chars(theirs, theirs + sizeof theirs, x, std::chars_format::general, precision).ptr))
            report(precision == 15 ? "%.15g" : "%.17g", bits, ours, g);
    }
}

void check_integer(std::uint32_t n) {
    char ours[64], theirs[64];
    char* e = scalar::write_u64(ours, n);
    std::uint64_t back = 0;
    if (!std::equal(ours, e, theirs, std::to_chars(theirs, theirs + sizeof theirs, n).ptr) ||
        !scalar::read_u64(ours, e, back) || back != n)
        report("u64", n, ours, e);
    const auto s = static_cast<std::int32_t>(n);
    std::int64_t signed_back = 0;
    e = scalar::write_i64(ours, s);
    if (!std::equal(ours, e, theirs, std::to_chars(theirs, theirs + sizeof theirs, s).ptr) ||
        !scalar::read_i64(ours, e, signed_back) || signed_back != s)
        report("i64", n, ours, e);
}

template <class F>
void every(const char* what, std::uint64_t step, F check) {
    constexpr std::uint64_t all = std::uint64_t{1} << 32, slice = std::uint64_t{1} << 22;
    std::atomic<std::uint64_t> next{0};
    const auto work = [&] {
        for (std::uint64_t from = next.fetch_add(slice); from < all; from = next.fetch_add(slice))
            for (std::uint64_t i = (from + step - 1) / step * step; i < from + slice; i += step)
                check(static_cast<std::uint32_t>(i));
    };
    std::vector<std::thread> threads;
    for (unsigned i = std::max(1u, std::thread::hardware_concurrency()); i > 0; --i) threads.emplace_back(work);
    for (auto& t : threads) t.join();
    std::printf("%s: %llu values, %ld differences so far\n", what, static_cast<unsigned long long>((all + step - 1) / step),
                differ.load());
}

}  // namespace

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, 4096);  // what was found so far is seen when a long run is stopped
    const std::uint64_t step = argc > 1 ? std::max(1LL, std::atoll(argv[1])) : 1;
    every("integers", step, check_integer);
    every("floats", step, check_float);
    return differ != 0;
}
