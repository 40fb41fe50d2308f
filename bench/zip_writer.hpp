// A small Zip writer for made-up archives: deflate level 6 by libdeflate, no zip64, names in UTF-8, a fixed date.
#pragma once
#include <libdeflate.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

class zip_writer {
public:
    explicit zip_writer(const std::string& path, int level = 6)
        : file_(std::fopen(path.c_str(), "wb")), deflate_(libdeflate_alloc_compressor(level)) {
        if (file_ == nullptr) throw std::runtime_error("cannot write " + path);
    }
    zip_writer(const zip_writer&) = delete;
    zip_writer& operator=(const zip_writer&) = delete;
    ~zip_writer() {
        if (file_ != nullptr) close();
        libdeflate_free_compressor(deflate_);
    }

    void add(std::string_view name, std::string_view content) {
        packed_.resize(libdeflate_deflate_compress_bound(deflate_, content.size()));
        const std::size_t size =
            libdeflate_deflate_compress(deflate_, content.data(), content.size(), packed_.data(), packed_.size());
        std::string common;  // what the local header and the directory's record share
        put(common, 20, 2);
        put(common, 0x0800, 2);
        put(common, 8, 2);
        put(common, 0, 2);
        put(common, 0x4999, 2);
        put(common, libdeflate_crc32(0, content.data(), content.size()), 4);
        put(common, size, 4);
        put(common, content.size(), 4);
        put(common, name.size(), 2);
        put(common, 0, 2);

        directory_ += "PK\1\2";
        put(directory_, 0x0314, 2);
        directory_ += common;
        put(directory_, 0, 2);
        put(directory_, 0, 2);
        put(directory_, 0, 2);
        put(directory_, 0x81A40000, 4);
        put(directory_, at_, 4);
        directory_ += name;
        ++entries_;

        write("PK\3\4" + common + std::string(name));
        write({reinterpret_cast<const char*>(packed_.data()), size});
    }

    void close() {
        std::string end = "PK\5\6";
        put(end, 0, 4);
        put(end, entries_, 2);
        put(end, entries_, 2);
        put(end, directory_.size(), 4);
        put(end, at_, 4);
        put(end, 0, 2);
        write(directory_);
        write(end);
        std::fclose(file_);
        file_ = nullptr;
    }

private:
    static void put(std::string& to, std::uint64_t value, int size) {
        for (int i = 0; i < size; ++i) to += static_cast<char>(value >> 8 * i & 0xFF);
    }
    void write(std::string_view s) {
        if (std::fwrite(s.data(), 1, s.size(), file_) != s.size()) throw std::runtime_error("the disk is full");
        at_ += s.size();
    }

    std::FILE* file_;
    libdeflate_compressor* deflate_;
    std::vector<unsigned char> packed_;
    std::string directory_;
    std::uint64_t at_ = 0, entries_ = 0;
};

}  // namespace bench
