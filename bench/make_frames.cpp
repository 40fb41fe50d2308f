// Writes a recording of exchange frames (bench/frames.hpp), the input of the demo and the benches:
//
//      make_frames --zips FOLDER --count N      a Zip for every five minutes, an entry per frame
//      make_frames --files FOLDER --count N     a file per frame
//      make_frames --ndjson FILE --count N      a line per frame
//
// The same count and --seed give the same bytes.
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "bench/frames.hpp"
#include "bench/zip_writer.hpp"

namespace {

[[noreturn]] void usage() {
    std::fputs("usage: make_frames --zips FOLDER | --files FOLDER | --ndjson FILE  --count N [--seed N]\n", stderr);
    std::exit(2);
}

void write_file(const std::string& path, const std::string& content) {
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    if (file == nullptr || std::fwrite(content.data(), 1, content.size(), file) != content.size() || std::fclose(file) != 0)
        throw std::runtime_error("cannot write " + path);
}

std::string padded(std::uint64_t n, int width) {
    std::string s = std::to_string(n);
    return s.size() < static_cast<std::size_t>(width) ? std::string(static_cast<std::size_t>(width) - s.size(), '0') + s : s;
}

void make(const std::string& kind, const std::string& to, std::uint64_t count, std::uint64_t seed) {
    constexpr std::uint64_t per_archive = 207;  // about five minutes
    bench::frame_maker maker(seed);
    std::unique_ptr<bench::zip_writer> zip;
    std::FILE* lines = nullptr;
    if (kind == "--ndjson") {
        if ((lines = std::fopen(to.c_str(), "wb")) == nullptr) throw std::runtime_error("cannot write " + to);
    } else if (mkdir(to.c_str(), 0777) != 0) {
        throw std::runtime_error("cannot make the folder " + to);
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string text = maker.next().text;
        if (lines != nullptr) {
            std::fwrite(text.data(), 1, text.size(), lines);
            std::fputc('\n', lines);
        } else if (kind == "--files") {
            write_file(to + "/" + padded(i, 7) + ".json", text);
        } else {
            if (i % per_archive == 0) zip = std::make_unique<bench::zip_writer>(to + "/" + padded(i / per_archive, 5) + ".zip");
            zip->add("btc_jpy/" + padded(i, 7) + ".json", text);
        }
    }
    if (lines != nullptr && std::fclose(lines) != 0) throw std::runtime_error("cannot write " + to);
}

}  // namespace

int main(int argc, char** argv) {
    std::string kind, to;
    std::uint64_t count = 0, seed = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--count") == 0) {
            count = std::strtoull(argv[i + 1], nullptr, 10);
        } else if (std::strcmp(argv[i], "--seed") == 0) {
            seed = std::strtoull(argv[i + 1], nullptr, 10);
        } else {
            kind = argv[i];
            to = argv[i + 1];
        }
    }
    if ((kind != "--zips" && kind != "--files" && kind != "--ndjson") || count == 0 || argc % 2 == 0) usage();
    try {
        make(kind, to, count, seed);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "make_frames: %s\n", e.what());
        return 1;
    }
}
