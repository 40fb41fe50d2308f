// Writes whole documents as JSON from values in memory, against RapidJSON's Writer from its Document.
//
//      bench_write [--quick]      twitter, citm_catalog and canada from the folder KUMIHIMO_DATA
//
// Ours walks hosts/plain values, as the builder left them, into json::writer. A plain string was looked at when it was
// made and cannot change, so it is known to be valid UTF-8 (the rival never looks). Both keep their buffer from round
// to round. The texts differ in doubles (RapidJSON's are not always the shortest), so both are read again and every
// value compared before anything is timed. Rivals take turns within a round; a round's figure is its thread CPU time;
// the median of the rounds' ratios is printed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "bench/rapid.hpp"
#include "bench/timing.hpp"
#include "engine/core/pipe.hpp"
#include "engine/core/trace.hpp"
#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "hosts/plain/build.hpp"
#include "hosts/plain/walk.hpp"

using namespace kumihimo;

namespace {

bytes as_bytes(std::string_view s) { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }

// The document's values as a trace, integers that are written as doubles by one side told as doubles by both.
std::string values(std::string_view json) {
    struct widened : trace_sink {
        using trace_sink::trace_sink;
        errc i64(std::int64_t n) {
            return static_cast<std::int64_t>(static_cast<double>(n)) == n ? f64(static_cast<double>(n)) : trace_sink::i64(n);
        }
    };
    context ctx;
    buffer out;
    json::reader from(as_bytes(json), ctx);
    widened to(out, ctx);
    if (from.feed(to) != errc::ok) return {};
    return std::string(to.view());
}

bool run(const std::string& task, const std::string& document, int rounds) {
    context ctx;
    json::reader from(as_bytes(document), ctx);
    plain::builder built(ctx);
    if (from.feed(built) != errc::ok) return false;
    const plain::value tree = built.take();
    bench::rapid_document* const rival = bench::rapid_parse(document);
    if (rival == nullptr) return false;

    buffer out;
    const auto ours = [&] {
        out.clear();
        context c;
        plain::walker walk(tree, c);
        json::writer to(out, c);
        bytes written;
        if (pipe(walk, to, written) != errc::ok) return std::string_view{};
        return std::string_view(reinterpret_cast<const char*>(written.data()), written.size());
    };
    if (const std::string a = values(ours()), b = values(bench::rapid_write(*rival)); a.empty() || a != b) {
        std::fprintf(stderr, "%s: the two sides wrote different values\n", task.c_str());
        return false;
    }
    bench::contest times;
    volatile std::size_t kept = 0;
    std::size_t size = 0;
    for (int i = 0; i < rounds; ++i) {
        const double t0 = bench::cpu_us();
        size = ours().size();
        const double t1 = bench::cpu_us();
        kept = kept + bench::rapid_write(*rival).size();
        const double t2 = bench::cpu_us();
        times.add(t1 - t0, t2 - t1);
    }
    bench::rapid_free(rival);
    std::printf("%-24s kumihimo %8.1f us (%5.2f GB/s)   rapidjson %8.1f us\n", task.c_str(), times.ours(),
                static_cast<double>(size) / 1e3 / times.ours(), times.theirs());
    times.print(task, "rapidjson");
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
    std::printf("rapidjson %s\n", bench::rapid_version());
    bool good = true;
    for (const char* name : {"twitter", "citm", "canada"}) {
        const std::string path =
            std::string(folder) + "/" + (std::string_view(name) == "citm" ? "citm_catalog" : name) + ".json";
        std::ifstream in(path, std::ios::binary);
        if (!in) {
            std::printf("not measured: no %s\n", path.c_str());
            continue;
        }
        const std::string document(std::istreambuf_iterator<char>(in), {});
        good = run(std::string("json.write.") + name, document, rounds) && good;
    }
    return good ? 0 : 1;
}
