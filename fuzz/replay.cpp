// Runs a fuzz target over the files of its corpus, without libFuzzer: a test for any compiler. Each file is copied to
// memory of exactly its size, so that a sanitizer sees a read behind its end.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& content) {
    const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[content.size()]);
    std::memcpy(exact.get(), content.data(), content.size());
    LLVMFuzzerTestOneInput(exact.get(), content.size());
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t files = 0;
    for (int i = 1; i < argc; ++i) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
            if (!entry.is_regular_file()) continue;
            std::ifstream in(entry.path(), std::ios::binary);
            std::fprintf(stderr, "%s\n", entry.path().c_str());  // of a crash the last line names the cause
            run({std::istreambuf_iterator<char>(in), {}});
            ++files;
        }
    }
    run("");
    if (files == 0) {
        std::fprintf(stderr, "no corpus: give a folder with at least one file\n");
        return 1;
    }
    return 0;
}
