// Numbers to text and back against the standard library's to_chars and from_chars.
//
//      bench_scalar [--quick]      canada.json from the folder KUMIHIMO_DATA, else the made coordinates alone
//
// Rivals take turns within a round; a round's figure is its thread CPU time; the median of the rounds' ratios is
// printed. Results are compared before anything is timed.
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/timing.hpp"
#include "engine/scalar/float_read.hpp"
#include "engine/scalar/float_write.hpp"
#include "engine/scalar/integer.hpp"

using namespace kumihimo;

namespace {

int rounds = 61;

volatile std::uint64_t kept;

template <class A, class B>
void compare(const std::string& task, const char* rival, std::size_t n, A ours, B theirs) {
    bench::contest times;
    for (int i = 0; i < rounds; ++i) {
        const double a = bench::cpu_us();
        kept = kept + ours();
        const double b = bench::cpu_us();
        kept = kept + theirs();
        const double c = bench::cpu_us();
        times.add(b - a, c - b);
    }
    std::printf("%-32s kumihimo %6.2f ns   %s %6.2f ns\n", task.c_str(), 1e3 * times.ours() / static_cast<double>(n), rival,
                1e3 * times.theirs() / static_cast<double>(n));
    times.print(task, rival);
}

struct text_and_value {
    std::vector<std::string> texts;
    std::vector<double> numbers;
};

// The numbers of the file, and the very texts it has for them.
text_and_value canada() {
    text_and_value out;
    const char* folder = std::getenv("KUMIHIMO_DATA");
    std::ifstream file(folder ? std::string(folder) + "/canada.json" : "", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] != '-' && (text[i] < '0' || text[i] > '9')) {
            ++i;
            continue;
        }
        const auto n = scalar::scan_number(text.data() + i, text.data() + text.size());
        if (n.end == nullptr) break;
        out.numbers.push_back(n.value());
        out.texts.emplace_back(text.data() + i, n.end);
        i = static_cast<std::size_t>(n.end - text.data());
    }
    return out;
}

[[noreturn]] void differ(const std::string& what) {
    std::printf("%s: results differ\n", what.c_str());
    std::exit(1);
}

// Fifteen digits, as Perl prints them.
void fifteen(const std::string& name, const std::vector<double>& numbers) {
    const auto to_chars = [](char* to, double x) { return std::to_chars(to, to + 40, x, std::chars_format::general, 15).ptr; };
    const auto printf = [](char* to, double x) { return to + std::snprintf(to, 40, "%.15g", x); };
    const auto layout = [](char* to, double x) { return scalar::write_f64(to, x, scalar::float_layout::perl15); };
    char ours[64], theirs[64];
    for (double x : numbers) {
        const std::string text(ours, layout(ours, x));
        if (text != std::string(theirs, to_chars(theirs, x)) || text != std::string(theirs, printf(theirs, x))) differ(name);
    }
    std::vector<char> buffer(numbers.size() * 40 + 64);
    const auto all = [&](auto write) {
        return [&, write] {
            char* to = buffer.data();
            for (double x : numbers) {
                to = write(to, x);
                *to++ = ',';
            }
            return static_cast<std::uint64_t>(to - buffer.data());
        };
    };
    compare("scalar.float_write15." + name, "to_chars", numbers.size(), all(layout), all(to_chars));
    compare("scalar.float_write15." + name, "printf", numbers.size(), all(layout), all(printf));
}

void floats(const std::string& name, const std::vector<double>& numbers, std::vector<std::string> texts = {}) {
    char ours[64], theirs[64];
    const bool own = texts.empty();
    for (double x : numbers) {
        char* e = scalar::write_f64(ours, x, scalar::float_layout::python);
        char* f = std::to_chars(theirs, theirs + sizeof theirs, x).ptr;
        double a = 0, b = 0;
        std::from_chars(ours, e, a);
        if (scalar::read_f64(theirs, f, b) != errc::ok || a != x || b != x) differ(name);
        if (own) texts.emplace_back(ours, e);
    }
    std::vector<char> buffer(numbers.size() * 40 + 64);
    compare(
        "scalar.float_write." + name, "to_chars", numbers.size(),
        [&] {
            char* to = buffer.data();
            for (double x : numbers) {
                to = scalar::write_f64(to, x, scalar::float_layout::python);
                *to++ = ',';
            }
            return static_cast<std::uint64_t>(to - buffer.data());
        },
        [&] {
            char* to = buffer.data();
            for (double x : numbers) {
                to = std::to_chars(to, to + 40, x).ptr;
                *to++ = ',';
            }
            return static_cast<std::uint64_t>(to - buffer.data());
        });
    fifteen(name, numbers);
    std::string joined;
    std::vector<std::size_t> ends;
    for (const auto& t : texts) {
        joined += t;
        ends.push_back(joined.size());
        joined += ',';
    }
    compare(
        "scalar.float_read." + name, "from_chars", numbers.size(),
        [&] {
            std::uint64_t sum = 0;
            const char* at = joined.data();
            for (std::size_t end : ends) {
                double x = 0;
                scalar::read_f64(at, joined.data() + end, x);
                sum += std::bit_cast<std::uint64_t>(x);
                at = joined.data() + end + 1;
            }
            return sum;
        },
        [&] {
            std::uint64_t sum = 0;
            const char* at = joined.data();
            for (std::size_t end : ends) {
                double x = 0;
                std::from_chars(at, joined.data() + end, x);
                sum += std::bit_cast<std::uint64_t>(x);
                at = joined.data() + end + 1;
            }
            return sum;
        });
}

template <class N>
void integers(const std::string& name, const std::vector<N>& numbers, char* (*write)(char*, N) noexcept) {
    char ours[64], theirs[64];
    for (N n : numbers)
        if (std::string(ours, write(ours, n)) != std::string(theirs, std::to_chars(theirs, theirs + sizeof theirs, n).ptr))
            differ(name);
    std::vector<char> buffer(numbers.size() * 24 + 64);
    compare(
        "scalar.integer_write" + name, "to_chars", numbers.size(),
        [&] {
            char* to = buffer.data();
            for (N n : numbers) {
                to = scalar::write_i64(to, static_cast<std::int64_t>(n));
                *to++ = ',';
            }
            return static_cast<std::uint64_t>(to - buffer.data());
        },
        [&] {
            char* to = buffer.data();
            for (N n : numbers) {
                to = std::to_chars(to, to + 24, n).ptr;
                *to++ = ',';
            }
            return static_cast<std::uint64_t>(to - buffer.data());
        });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "--quick") == 0) rounds = 15;
    std::mt19937_64 random(20240501);
    const auto made = [&](auto make) {
        std::vector<double> v(100000);
        for (double& x : v) x = make();
        return v;
    };
    if (auto v = canada(); !v.numbers.empty())
        floats("canada", v.numbers, std::move(v.texts));
    else
        std::puts("not measured: canada, KUMIHIMO_DATA names no folder with canada.json");
    floats("coordinates", made([&] { return static_cast<double>(static_cast<std::int64_t>(random())) * 180 / 0x1p63; }));
    floats("prices", made([&] { return static_cast<double>(random() % 10'000'000'000) / (random() % 2 != 0 ? 100 : 10000); }));
    floats("random", made([&] {
               for (;;)
                   if (const auto x = std::bit_cast<double>(random()); std::isfinite(x)) return x;
           }));
    std::vector<std::int64_t> mixed(100000), ids(100000);
    for (auto& n : mixed) n = static_cast<std::int64_t>(random()) >> (random() % 64);
    for (auto& n : ids) n = static_cast<std::int64_t>(500'000'000'000'000'000 + random() % 1'000'000'000'000'000);
    integers<std::int64_t>("", mixed, scalar::write_i64);
    integers<std::int64_t>(".ids", ids, scalar::write_i64);
}
