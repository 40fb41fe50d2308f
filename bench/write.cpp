// Writes whole documents as JSON from values in memory, against RapidJSON's Writer from its Document.
//
//      bench_write [--quick]      twitter, citm_catalog and canada from the folder KUMIHIMO_DATA
//
// Ours walks hosts/plain values, as the builder left them, into json::writer. A plain string was looked at when it was made and
// cannot change, so it is known to be valid UTF-8 (the rival never looks). Both keep their buffer from round to round. The
// texts differ in doubles (RapidJSON's are not always the shortest), so both are read again and every value compared before
// anything is timed. Rivals take turns within a round; a round's figure is its thread CPU time; the median of the rounds'
// ratios is printed.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "bench/rapid.hpp"
#include "engine/core/pipe.hpp"
#include "engine/core/trace.hpp"
#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "hosts/plain/build.hpp"
#include "hosts/plain/walk.hpp"

using namespace kumihimo;

namespace {

double now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
}

double median(std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

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
    std::vector<double> us_ours, us_theirs, ratio;
    volatile std::size_t kept = 0;
    std::size_t size = 0;
    for (int i = 0; i < rounds; ++i) {
        const double t0 = now();
        size = ours().size();
        const double t1 = now();
        kept = kept + bench::rapid_write(*rival).size();
        const double t2 = now();
        us_ours.push_back(t1 - t0);
        us_theirs.push_back(t2 - t1);
        ratio.push_back((t2 - t1) / (t1 - t0));
    }
    bench::rapid_free(rival);
    std::printf("%-24s kumihimo %8.1f us (%5.2f GB/s)   rapidjson %8.1f us\n", task.c_str(), median(us_ours),
                static_cast<double>(size) / 1e3 / median(us_ours), median(us_theirs));
    std::printf("ratio\t%s\tkumihimo/rapidjson\t%.3f\t%d\n", task.c_str(), median(ratio), rounds);
    std::fflush(stdout);
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
