// Projection of two fields out of exchange frames, against simdjson's On-Demand parser of the same instruction set.
//
//      project [--quick]
//
// Both sides answer the same question of the same frames: the bytes of last_price.price and of timestamp. The answers
// are compared with the generator's before anything is timed. 100 distinct frames, so that no branch predictor learns
// them by heart; rivals alternate round by round and the lowest thread CPU time of each counts. On-Demand validates
// UTF-8 and that strings close: like for like is the level `structural`. A second set is read with the order of keys
// varying, through the lookup that On-Demand documents for it.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bench/frames.hpp"
#include "bench/on_demand.hpp"
#include "bench/timing.hpp"
#include "engine/json/project.hpp"
#include "engine/simd/dispatch.hpp"

namespace {

using namespace kumihimo;

struct data_set {
    std::vector<bench::frame> frames;
    std::vector<simdjson::padded_string> padded;
};

data_set make(std::size_t count, bench::frame_maker::order keys) {
    data_set d{bench::frames(count, 20, keys), {}};
    for (const auto& f : d.frames) d.padded.emplace_back(f.text);
    return d;
}

std::uint64_t sum = 0;

void take(std::string_view s) {
    sum = sum * 31 + s.size();
    for (char c : s) sum += static_cast<unsigned char>(c);
}

bool ours(json::projector& p, const std::string& text, std::string_view& price, std::string_view& stamp, context& ctx) {
    if (p.run(bytes(reinterpret_cast<const unsigned char*>(text.data()), text.size()), ctx) != errc::ok) return false;
    const json::slice a = p.value(0), b = p.value(1);
    price = {text.data() + a.offset, a.length};
    stamp = {text.data() + b.offset, b.length};
    return true;
}

double time_rival(const data_set& d, const bench::on_demand& rival, void* parser) {
    std::string_view price, stamp;
    const double from = bench::cpu_us();
    for (const auto& text : d.padded)
        if (rival.fields(parser, text, price, stamp)) {
            take(price);
            take(stamp);
        }
    return 1e3 * (bench::cpu_us() - from) / static_cast<double>(d.padded.size());
}

double time_ours(const data_set& d, json::projector& p, context& ctx) {
    std::string_view price, stamp;
    const double from = bench::cpu_us();
    for (const auto& f : d.frames)
        if (ours(p, f.text, price, stamp, ctx)) {
            take(price);
            take(stamp);
        }
    return 1e3 * (bench::cpu_us() - from) / static_cast<double>(d.frames.size());
}

struct contest {
    const char* ours;
    const bench::on_demand* rival;  // of the same width
};

}  // namespace

int main(int argc, char** argv) {
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    const int rounds = quick ? 60 : 400;
    const data_set usual = make(100, bench::frame_maker::order::usual), any = make(100, bench::frame_maker::order::any);

    const std::string_view paths[] = {"last_price.price", "timestamp"};
    json::projection wanted;
    context ctx;
    if (json::projection::compile(paths, wanted, ctx) != errc::ok) return 1;

    std::size_t total = 0;
    for (const auto& f : usual.frames) total += f.text.size();
    std::printf("%zu frames, %.0f bytes on average; simdjson %d.%d.%d\n", usual.frames.size(),
                static_cast<double>(total) / static_cast<double>(usual.frames.size()), simdjson::SIMDJSON_VERSION_MAJOR,
                simdjson::SIMDJSON_VERSION_MINOR, simdjson::SIMDJSON_VERSION_REVISION);

    const std::string best = simd::active().name;
#if defined(__x86_64__)
    static const contest contests[] = {
        {"avx512", &bench::on_demand_icelake}, {"avx2", &bench::on_demand_haswell}, {"sse2", &bench::on_demand_plain}};
#else
    static const contest contests[] = {{"neon", &bench::on_demand_plain}};
#endif
    static constexpr const char* levels[] = {"strict", "structural", "trusted"};
    for (const contest& c : contests) {
        if (!simd::use(c.ours)) continue;
        const std::string isa = c.rival->compiled();
        const simdjson::implementation* implementation = simdjson::get_available_implementations()[isa];
        if (implementation == nullptr || !implementation->supported_by_runtime_system()) continue;
        simdjson::get_active_implementation() = implementation;
        void* parser = c.rival->open();
        json::projector ps[] = {json::projector(wanted, json::level::strict), json::projector(wanted, json::level::structural),
                                json::projector(wanted, json::level::trusted)};
        const std::string suffix = best == c.ours ? "" : std::string("@") + c.ours;
        for (const data_set* d : {&usual, &any}) {
            for (std::size_t i = 0; i < d->frames.size(); ++i) {
                const bench::frame& f = d->frames[i];
                std::string_view price, stamp;
                bool same = c.rival->fields(parser, d->padded[i], price, stamp) && price == f.price && stamp == f.timestamp;
                for (auto& p : ps)
                    same = same && ours(p, f.text, price, stamp, ctx) && price == f.price && stamp == f.timestamp;
                if (!same) {
                    std::printf("answers differ on frame %zu with %s\n", i, c.ours);
                    return 1;
                }
            }
            double rival_best = 1e30, best_ns[3] = {1e30, 1e30, 1e30};
            for (int r = 0; r < rounds; ++r) {
                rival_best = std::min(rival_best, time_rival(*d, *c.rival, parser));
                for (int l = 0; l < 3; ++l) best_ns[l] = std::min(best_ns[l], time_ours(*d, ps[l], ctx));
            }
            const char* task = d == &usual ? "two_fields" : "two_fields_any_order";
            std::printf("%s %s: simdjson On-Demand (%s) %.0f ns per frame\n", task, c.ours, isa.c_str(), rival_best);
            for (int l = 0; l < 3; ++l) {
                std::printf("  %-10s %6.0f ns\n", levels[l], best_ns[l]);
                const std::string level = l == 0 ? "" : std::string("_") + levels[l];  // strict is the default
                bench::print_ratio(std::string("json.project.") + task + level + suffix, "simdjson_ondemand",
                                   rival_best / best_ns[l], rounds);
            }
        }
    }
    std::printf("(checksum %llu)\n", static_cast<unsigned long long>(sum));
    return 0;
}
