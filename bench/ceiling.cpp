// How near extract comes to what inflating alone costs: 20,000 exchange frames in 97 Zip archives, two fields, one
// thread.
//
//      ceiling [--quick]      data in the folder KUMIHIMO_WORK, made there by make_frames when it is missing
//
// The ceiling does what no reader of these archives can do without: walk the central directories, inflate every entry
// into a buffer of its exact size, compute its CRC-32. It does so by the system's libdeflate, loaded at run time, so
// that the copy built into Kumihimo cannot answer in its place. Ours ends in finished Arrow arrays. Both map the files
// anew in every round; they take turns within a round, and the median of the rounds' ratios counts. Thread CPU time,
// page cache warm.
//
// Further lines: two threads against one by the wall clock, and 20,000 loose files against open, read and close alone.
#include <dlfcn.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/frames.hpp"
#include "engine/simd/dispatch.hpp"
#include "extract/arrow.hpp"
#include "extract/input.hpp"
#include "extract/run.hpp"

namespace {

using namespace kumihimo;
using namespace kumihimo::extract;

constexpr std::size_t frames = 20000;

double seconds(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

template <class F>
double timed(clockid_t clock, F&& work) {
    const double from = seconds(clock);
    work();
    return seconds(clock) - from;
}

double median(std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

[[noreturn]] void fail(const std::string& why) { throw std::runtime_error(why); }

// The system's libdeflate.
struct rival {
    void* (*alloc)();
    int (*inflate)(void*, const void*, std::size_t, void*, std::size_t, std::size_t*);
    std::uint32_t (*crc)(std::uint32_t, const void*, std::size_t);
    std::string path;

    rival() {
        void* lib = dlopen("libdeflate.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        if (lib == nullptr) fail("the ceiling needs the system's libdeflate.so.0 (Debian: apt install libdeflate0)");
        const auto find = [&](auto& to, const char* name) {
            to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(dlsym(lib, name));
            if (to == nullptr) fail(std::string("libdeflate.so.0 has no ") + name);
        };
        find(alloc, "libdeflate_alloc_decompressor");
        find(inflate, "libdeflate_deflate_decompress");
        find(crc, "libdeflate_crc32");
        Dl_info where{};
        dladdr(reinterpret_cast<void*>(inflate), &where);
        path = where.dli_fname != nullptr ? where.dli_fname : "libdeflate.so.0";
    }
};

std::uint32_t u16(const unsigned char* p) { return static_cast<std::uint32_t>(p[0] | p[1] << 8); }
std::uint32_t u32(const unsigned char* p) { return u16(p) | u16(p + 2) << 16; }

// The least that can be done with an archive; no prefix, no zip64, no comment. Returns the bytes of all entries.
std::uint64_t ceiling(const rival& r, void* inflater, std::vector<unsigned char>& to,
                      const std::vector<std::string>& archives) {
    std::uint64_t total = 0;
    for (const std::string& path : archives) {
        const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat s {};
        if (fd < 0 || fstat(fd, &s) != 0) fail("cannot open " + path);
        const auto size = static_cast<std::size_t>(s.st_size);
        void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
        close(fd);
        if (mapped == MAP_FAILED) fail("cannot map " + path);
        const auto* file = static_cast<const unsigned char*>(mapped);
        const unsigned char* end = file + size - 22;
        const unsigned char* record = file + u32(end + 16);
        for (std::uint32_t n = u16(end + 10); n != 0; --n) {
            const std::uint32_t packed = u32(record + 20), length = u32(record + 24);
            const unsigned char* local = file + u32(record + 42);
            if (r.inflate(inflater, local + 30 + u16(local + 26) + u16(local + 28), packed, to.data(), length, nullptr) != 0 ||
                r.crc(0, to.data(), length) != u32(record + 16))
                fail("the ceiling found a damaged entry in " + path);
            total += length;
            record += 46 + u16(record + 28) + u16(record + 30) + u16(record + 32);
        }
        munmap(mapped, size);
    }
    return total;
}

std::shared_ptr<const schema> two_fields() {
    std::vector<column_spec> fields(2);
    std::string why;
    std::shared_ptr<const schema> out;
    if (parse_field("price=last_price.price:float64", fields[0], why) != errc::ok ||
        parse_field("timestamp=timestamp:string", fields[1], why) != errc::ok ||
        schema::make(std::move(fields), false, out, why) != errc::ok)
        fail(why);
    return out;
}

// The whole job, into Arrow arrays.
std::uint64_t ours(const std::vector<std::string>& inputs, const std::shared_ptr<const schema>& columns, unsigned jobs,
                   json::level level) {
    options how;
    how.jobs = jobs;
    how.level = level;
    run r(inputs, how);
    if (r.start(columns) != errc::ok) fail("out of memory");
    std::uint64_t rows = 0;
    for (result got; r.next(got);) {
        if (got.count == 0) continue;
        ArrowArray array{};
        if (to_arrow(*got.rows, &array) != errc::ok) fail("out of memory");
        rows += static_cast<std::uint64_t>(array.length);
        array.release(&array);
    }
    if (r.failure()) fail(r.failure()->text());
    return rows;
}

// What the generator says the rows are, against what comes out as CSV. float64 and text both print these values as
// written.
void verify(const std::vector<std::string>& inputs, const std::shared_ptr<const schema>& columns, json::level level) {
    bench::frame_maker maker;
    std::string want;
    for (std::size_t i = 0; i < frames; ++i) {
        const bench::frame f = maker.next();
        want += f.price + "," + f.timestamp.substr(1, f.timestamp.size() - 2) + "\n";
    }
    options how;
    how.jobs = 2;
    how.out = form::csv;
    how.level = level;
    run r(inputs, how);
    if (r.start(columns) != errc::ok) fail("out of memory");
    std::string found;
    for (result got; r.next(got);) found.append(got.text.data(), got.text.size());
    if (found != want) fail("the rows are not those that were generated");
}

std::string data(const char* kind) {
    const char* work = std::getenv("KUMIHIMO_WORK");
    if (work == nullptr) fail("KUMIHIMO_WORK is not set: the folder for the generated archives");
    const std::string to = std::string(work) + "/" + kind + "-" + std::to_string(frames);
    if (look(to).type != found_file::kind::missing) return to;
    std::string self(4096, 0);
    const ssize_t n = readlink("/proc/self/exe", self.data(), self.size());
    self.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    const std::string maker = self.substr(0, self.rfind('/') + 1) + "make_frames", part = to + ".part",
                      flag = std::string("--") + kind;
    const std::string count = std::to_string(frames);
    const pid_t child = fork();
    if (child == 0) {
        execl(maker.c_str(), maker.c_str(), flag.c_str(), part.c_str(), "--count", count.c_str(), nullptr);
        _exit(127);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0 || std::rename(part.c_str(), to.c_str()) != 0)
        fail("cannot make " + to + " with " + maker);
    return to;
}

std::vector<std::string> listed(const std::string& folder) {
    std::vector<std::string> notes;
    return expand(std::vector<std::string>{folder}, {}, notes).paths;
}

void ratio(const std::string& task, const char* rival, const std::vector<double>& values) {
    std::printf("ratio\t%s\tkumihimo/%s\t%.3f\t%zu\n", task.c_str(), rival, median(values), values.size());
    std::fflush(stdout);
}

void measure(bool quick) {
    const rival system;
    std::printf("ours: libdeflate %s; ceiling: %s\n", LIBDEFLATE_VERSION_STRING, system.path.c_str());
    const int rounds = quick ? 9 : 31;
    const auto columns = two_fields();
    const std::vector<std::string> archives = listed(data("zips"));
    void* inflater = system.alloc();
    std::vector<unsigned char> to(1 << 16);

    struct {
        const char* name;
        json::level level;
    } const levels[] = {
        {"", json::level::strict}, {"_structural", json::level::structural}, {"_trusted", json::level::trusted}};
    const auto kernels = simd::available();
    for (const simd::kernels* k : kernels) {
        const bool best = k == kernels.back();
        if (quick && !best && std::string_view(k->name) != "avx2") continue;
        simd::use(k->name);
        for (const auto& l : levels) {
            verify(archives, columns, l.level);
            std::vector<double> us, them, ratios;
            for (int i = 0; i < rounds; ++i) {
                us.push_back(timed(CLOCK_THREAD_CPUTIME_ID, [&] {
                    if (ours(archives, columns, 1, l.level) != frames) fail("rows are missing");
                }));
                them.push_back(timed(CLOCK_THREAD_CPUTIME_ID, [&] { ceiling(system, inflater, to, archives); }));
                ratios.push_back(them.back() / us.back());
            }
            const std::string task = std::string("bulk.zip.two_fields") + l.name + (best ? "" : std::string("@") + k->name);
            std::printf("%-40s %7.0f documents/s, ceiling %7.0f\n", task.c_str(), frames / median(us), frames / median(them));
            ratio(task, "ceiling", ratios);
        }
    }
    simd::use(kernels.back()->name);

    // The best of several, as the machine may have other things to do.
    double one = 1e9, two = 1e9;
    for (int i = 0; i < rounds; ++i) {
        one = std::min(one, timed(CLOCK_MONOTONIC, [&] { ours(archives, columns, 1, json::level::strict); }));
        two = std::min(two, timed(CLOCK_MONOTONIC, [&] { ours(archives, columns, 2, json::level::strict); }));
    }
    std::printf("%-40s %7.0f documents/s, one thread %7.0f (wall)\n", "bulk.zip.two_threads", frames / two, frames / one);
    std::printf("ratio\tbulk.zip.two_threads\tkumihimo/one_thread\t%.3f\t%d\n", one / two, rounds);

    const std::vector<std::string> files = listed(data("files"));
    verify(files, columns, json::level::strict);
    std::vector<double> us, them, ratios;
    std::vector<char> room(1 << 16);
    for (int i = 0; i < rounds; ++i) {
        us.push_back(timed(CLOCK_THREAD_CPUTIME_ID, [&] {
            if (ours(files, columns, 1, json::level::strict) != frames) fail("rows are missing");
        }));
        them.push_back(timed(CLOCK_THREAD_CPUTIME_ID, [&] {
            for (const std::string& f : files) {
                const int fd = open(f.c_str(), O_RDONLY | O_CLOEXEC);
                if (read(fd, room.data(), room.size()) <= 0) fail("cannot read " + f);
                close(fd);
            }
        }));
        ratios.push_back(them.back() / us.back());
    }
    std::printf("%-40s %7.0f documents/s, open, read and close alone %7.0f\n", "bulk.files.two_fields", frames / median(us),
                frames / median(them));
    ratio("bulk.files.two_fields", "open_read_close", ratios);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        measure(argc > 1 && std::strcmp(argv[1], "--quick") == 0);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "ceiling: %s\n", e.what());
        return 1;
    }
}
