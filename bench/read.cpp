// Reads whole JSON documents, every value converted and consumed, against simdjson's DOM.
//
//      bench_read [--quick]      twitter, citm_catalog and canada from the folder KUMIHIMO_DATA
//
// Both sides end in the same checksum over every value and every byte of every string and key: ours is the sink that
// the reader feeds, simdjson's walks the parsed document. A rival's time is parse and walk; the parse alone is printed
// beside it. Each kernel runs against simdjson's own for the same instruction set. Rivals take turns within a round; a
// round's figure is its thread CPU time; the median of the rounds' ratios is printed.
#include <simdjson.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "bench/timing.hpp"
#include "engine/json/reader.hpp"
#include "engine/simd/dispatch.hpp"

using namespace kumihimo;

namespace {

/// What every value adds. Sums, so that neither side waits for its own last value.
struct checksum {
    std::uint64_t sum = 0;
    std::uint64_t values = 0;

    void add(std::uint64_t x) {
        sum += x * 0x9E3779B97F4A7C15u;
        ++values;
    }
    [[gnu::always_inline]] void bytes_of(const char* p, std::size_t n) {
        std::uint64_t h = n;
        if (n >= 8) {
            for (std::size_t i = 0; i + 8 < n; i += 8) h += word(p + i);
            h += word(p + n - 8);
        } else if (n >= 4) {
            std::uint32_t a, b;
            std::memcpy(&a, p, 4);
            std::memcpy(&b, p + n - 4, 4);
            h += a + (std::uint64_t{b} << 32);
        } else if (n != 0) {
            h += static_cast<unsigned char>(p[0]) + (static_cast<unsigned char>(p[n / 2]) << 8) +
                 (static_cast<unsigned char>(p[n - 1]) << 16);
        }
        add(h);
    }
    static std::uint64_t word(const char* p) {
        std::uint64_t w;
        std::memcpy(&w, p, 8);
        return w;
    }
};

struct checksum_sink : checksum {
    errc null() { return add(1), errc::ok; }
    errc boolean(bool b) { return add(b ? 2 : 3), errc::ok; }
    errc i64(std::int64_t n) { return add(static_cast<std::uint64_t>(n)), errc::ok; }
    errc u64(std::uint64_t n) { return add(n), errc::ok; }
    errc f64(double x) { return add(std::bit_cast<std::uint64_t>(x)), errc::ok; }
    errc big(text t) { return bytes_of(t.view().data(), t.size), errc::ok; }
    errc str(text t) { return bytes_of(t.view().data(), t.size), errc::ok; }
    errc bin(bytes) { return errc::unsupported; }
    errc time(const instant&) { return errc::unsupported; }
    errc ext(int, bytes) { return errc::unsupported; }
    errc array(count) { return add(4), errc::ok; }
    errc map(count) { return add(5), errc::ok; }
    errc key(text t) { return bytes_of(t.view().data(), t.size), errc::ok; }
    errc key(next_value) { return errc::unsupported; }
    errc end() { return errc::ok; }
};

void consume(simdjson::dom::element e, checksum& c) {
    using simdjson::dom::element_type;
    switch (e.type()) {
        case element_type::ARRAY:
            c.add(4);
            for (const simdjson::dom::element item : simdjson::dom::array(e)) consume(item, c);
            break;
        case element_type::OBJECT:
            c.add(5);
            for (const simdjson::dom::key_value_pair pair : simdjson::dom::object(e)) {
                c.bytes_of(pair.key.data(), pair.key.size());
                consume(pair.value, c);
            }
            break;
        case element_type::INT64: c.add(static_cast<std::uint64_t>(std::int64_t(e))); break;
        case element_type::UINT64: c.add(std::uint64_t(e)); break;
        case element_type::DOUBLE: c.add(std::bit_cast<std::uint64_t>(double(e))); break;
        case element_type::STRING: {
            const std::string_view s(e);
            c.bytes_of(s.data(), s.size());
            break;
        }
        case element_type::BOOL: c.add(bool(e) ? 2 : 3); break;
        case element_type::NULL_VALUE: c.add(1); break;
    }
}

volatile std::uint64_t kept;

bool run(const std::string& task, const std::string& document, int rounds) {
    const simdjson::padded_string padded(document);
    simdjson::dom::parser parser;
    const auto theirs = [&](checksum& c) {
        simdjson::dom::element root;
        if (parser.parse(padded).get(root) != simdjson::SUCCESS) return false;
        consume(root, c);
        return true;
    };
    const bytes mine(reinterpret_cast<const unsigned char*>(document.data()), document.size());
    const auto ours = [&](checksum_sink& c) {
        context ctx;
        json::reader from(mine, ctx);
        return from.feed(c) == errc::ok;
    };
    checksum a;
    checksum_sink b;
    if (!theirs(a) || !ours(b) || a.sum != b.sum || a.values != b.values) {
        std::fprintf(stderr, "%s: the two sides read different values\n", task.c_str());
        return false;
    }
    bench::contest times;
    std::vector<double> us_parse;
    for (int i = 0; i < rounds; ++i) {
        checksum x;
        checksum_sink y;
        const double t0 = bench::cpu_us();
        ours(y);
        const double t1 = bench::cpu_us();
        theirs(x);
        const double t2 = bench::cpu_us();
        kept = kept + static_cast<std::uint64_t>(parser.parse(padded).error());
        const double t3 = bench::cpu_us();
        kept = kept + x.sum + y.sum;
        times.add(t1 - t0, t2 - t1);
        us_parse.push_back(t3 - t2);
    }
    const double gb = static_cast<double>(document.size()) / 1e3;
    std::printf("%-24s kumihimo %8.1f us (%5.2f GB/s)   simdjson_dom %8.1f us   its parse alone %8.1f us\n", task.c_str(),
                times.ours(), gb / times.ours(), times.theirs(), bench::median(us_parse));
    times.print(task, "simdjson_dom");
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    int rounds = 201;
    for (int i = 1; i < argc; ++i)
        if (std::string_view(argv[i]) == "--quick") rounds = 61;
    const char* const folder = std::getenv("KUMIHIMO_DATA");
    if (folder == nullptr) {
        std::printf(
            "not measured: KUMIHIMO_DATA does not name a folder with twitter.json, citm_catalog.json and canada.json\n");
        return 0;
    }
    struct pair {
        const char* ours;
        const char* theirs;
    };
    std::printf("simdjson %s\n", SIMDJSON_STRINGIFY(SIMDJSON_VERSION));
    const std::string best = simd::active().name;
    bool good = true;
    for (const pair k : {pair{"avx512", "icelake"}, pair{"avx2", "haswell"}, pair{"sse2", "westmere"}, pair{"neon", "arm64"},
                         pair{"scalar", "fallback"}}) {
        const auto* const rival = simdjson::get_available_implementations()[k.theirs];
        if (rival == nullptr || !rival->supported_by_runtime_system() || !simd::use(k.ours)) continue;
        simdjson::get_active_implementation() = rival;
        for (const char* name : {"twitter", "citm", "canada"}) {
            const std::string path =
                std::string(folder) + "/" + (std::string_view(name) == "citm" ? "citm_catalog" : name) + ".json";
            std::ifstream in(path, std::ios::binary);
            if (!in) {
                std::printf("not measured: no %s\n", path.c_str());
                continue;
            }
            const std::string document(std::istreambuf_iterator<char>(in), {});
            const std::string task =
                std::string("json.read.") + name + (k.ours == best ? std::string() : std::string("@") + k.ours);
            good = run(task, document, rounds) && good;
        }
    }
    simd::use(best);
    return good ? 0 : 1;
}
