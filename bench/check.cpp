// Full validation against simdjson's DOM parse, and strict projection's first half on exchange frames.
//
//      bench_check [--quick]      files from the folder KUMIHIMO_DATA
//
// Each kernel meets simdjson's kernel for the same instruction set: avx512 icelake, avx2 haswell, the others westmere
// (or whatever simdjson has there). Rivals take turns within a round; a round's figure is its thread CPU time; printed
// are the medians, and the median of the rounds' ratios. Verdicts are compared before anything is timed.
#include <simdjson.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "bench/frames.hpp"
#include "bench/timing.hpp"
#include "engine/json/kernels.hpp"

#define KUMIHIMO_TEXT_(x) #x
#define KUMIHIMO_TEXT(x) KUMIHIMO_TEXT_(x)

using namespace kumihimo;

namespace {

const char* rival_of(std::string_view kernel) {
    if (kernel == "avx512") return "icelake";
    if (kernel == "avx2") return "haswell";
    if (kernel == "sse2") return "westmere";
    if (kernel == "neon") return "arm64";
    return "fallback";
}

/// The documents of one task, padded as simdjson wants them.
struct task {
    std::string name;
    std::vector<simdjson::padded_string> documents;
    std::size_t bytes = 0;
    void add(const std::string& s) {
        documents.emplace_back(s);
        bytes += s.size();
    }
};

bool compare(const task& t, const json::kernels& k, bool best, int rounds) {
    const auto* rival = simdjson::get_available_implementations()[rival_of(k.name)];
    if (rival == nullptr || !rival->supported_by_runtime_system()) return true;
    simdjson::get_active_implementation() = rival;
    simdjson::dom::parser parser;
    bool may_overflow = false;
    for (const auto& d : t.documents)
        if (!k.check(d.data(), d.size(), 1024, may_overflow) || parser.parse(d).error() != simdjson::SUCCESS) {
            std::fprintf(stderr, "%s: %s refuses what should be valid\n", t.name.c_str(), k.name);
            return false;
        }
    bench::contest times;
    bool fine = true;
    for (int i = 0; i < rounds; ++i) {
        const double a = bench::cpu_us();
        for (const auto& d : t.documents) fine &= k.check(d.data(), d.size(), 1024, may_overflow);
        const double b = bench::cpu_us();
        for (const auto& d : t.documents) fine &= parser.parse(d).error() == simdjson::SUCCESS;
        const double c = bench::cpu_us();
        times.add(b - a, c - b);
    }
    const std::string name = "json.check." + t.name + (best ? "" : std::string("@") + k.name);
    const double n = static_cast<double>(t.documents.size()), gb = static_cast<double>(t.bytes) / 1e3;
    std::printf(
        "%-28s kumihimo %9.2f us (%5.2f GB/s)   simdjson " KUMIHIMO_TEXT(SIMDJSON_VERSION) " %s dom %9.2f us (%5.2f GB/s)\n",
        name.c_str(), times.ours() / n, gb / times.ours(), rival_of(k.name), times.theirs() / n, gb / times.theirs());
    times.print(name, "simdjson_dom");
    return fine;
}

}  // namespace

int main(int argc, char** argv) {
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    std::vector<task> tasks;
    if (const char* folder = std::getenv("KUMIHIMO_DATA")) {
        for (const auto& [name, file] :
             {std::pair{"twitter", "twitter.json"}, {"citm", "citm_catalog.json"}, {"canada", "canada.json"}}) {
            std::ifstream in(std::string(folder) + "/" + file, std::ios::binary);
            const std::string s(std::istreambuf_iterator<char>(in), {});
            if (s.empty()) {
                std::fprintf(stderr, "no %s in %s\n", file, folder);
                return 1;
            }
            tasks.push_back({name, {}, 0});
            tasks.back().add(s);
        }
    } else {
        std::fprintf(stderr, "KUMIHIMO_DATA is not set: exchange frames alone\n");
    }
    tasks.push_back({"frames", {}, 0});
    bench::frame_maker maker;
    for (int i = 0; i < 100; ++i) tasks.back().add(maker.next().text);

    bool fine = true;
    const auto kernels = json::available_kernels();
    for (const task& t : tasks)
        for (const json::kernels* k : kernels) fine &= compare(t, *k, k == kernels.back(), quick ? 31 : 101);
    return fine ? 0 : 1;
}
