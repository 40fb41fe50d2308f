// Made-up archives and inputs for the tests: Zips with every switch that matters, gzip members, zstd and lz4 frames,
// files in a folder of their own, and one call that runs an extraction over them.
#pragma once
#include <libdeflate.h>
#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/frame/frame.hpp"
#include "extract/run.hpp"

namespace archives {

struct member {
    std::string name, content;
    int method = 8;
    int flags = 0x0800;
    bool wide = false;        // sizes and offset in a zip64 extra field
    bool descriptor = false;  // sizes behind the data, none in the local header
    std::optional<std::uint32_t> crc{};
    std::optional<std::uint32_t> size{};    // said, instead of the true one
    std::optional<std::string> packed{};    // instead of what the method makes of the content
    std::optional<std::uint64_t> header{};  // the local header's place as the directory says it
    std::string extra{};                    // extra fields, in both headers
};

struct shape {
    std::string prefix{}, comment{};
    bool wide = false;            // zip64 end records
    bool prefix_counted = false;  // offsets count the prefix
    std::string behind{};         // bytes after the archive
};

inline void put(std::string& to, std::uint64_t v, int n) {
    for (int i = 0; i < n; ++i) to += static_cast<char>(v >> 8 * i & 0xff);
}

inline std::string deflate(std::string_view s) {
    std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> c(libdeflate_alloc_compressor(6),
                                                                               libdeflate_free_compressor);
    std::string out(libdeflate_deflate_compress_bound(c.get(), s.size()), 0);
    out.resize(libdeflate_deflate_compress(c.get(), s.data(), s.size(), out.data(), out.size()));
    return out;
}

/// One frame of zstd or lz4, with its check sum.
inline std::string framed(const kumihimo::frame::codec& as, std::string_view s) {
    kumihimo::context ctx;
    kumihimo::buffer out;
    const kumihimo::bytes in{reinterpret_cast<const unsigned char*>(s.data()), s.size()};
    if (kumihimo::frame::pack(as, in, out, 1, ctx) != kumihimo::errc::ok)
        std::fprintf(stderr, "%s\n", ctx.failure.what), std::abort();
    return {out.data(), out.size()};
}
inline std::string zstd(std::string_view s) { return framed(kumihimo::frame::zstd, s); }
inline std::string lz4(std::string_view s) { return framed(kumihimo::frame::lz4, s); }

inline std::uint32_t crc(std::string_view s) { return libdeflate_crc32(0, s.data(), s.size()); }

/// One gzip member; `flags` as in the header: 2 header checksum, 4 extra field, 8 name, 16 comment.
inline std::string gzip(std::string_view s, int flags = 0) {
    std::string out = "\x1f\x8b\x08";
    put(out, static_cast<unsigned>(flags), 1);
    put(out, 0, 5);
    put(out, 255, 1);
    if (flags & 4) out += std::string("\3\0abc", 5);
    if (flags & 8) out += std::string("name\0", 5);
    if (flags & 16) out += std::string("a comment\0", 10);
    if (flags & 2) put(out, crc(out) & 0xffff, 2);
    out += deflate(s);
    put(out, crc(s), 4);
    put(out, s.size(), 4);
    return out;
}

inline std::string zip(const std::vector<member>& members, const shape& how = {}) {
    std::string out = how.prefix, directory;
    const std::uint64_t base = how.prefix_counted ? 0 : how.prefix.size();
    for (const member& m : members) {
        const std::string packed = m.packed         ? *m.packed
                                   : m.method == 8  ? deflate(m.content)
                                   : m.method == 93 ? zstd(m.content)
                                                    : m.content;
        const std::uint64_t at = m.header.value_or(out.size() - base),
                            size = m.size.value_or(static_cast<std::uint32_t>(m.content.size()));
        const std::uint32_t sum = m.crc.value_or(crc(m.content));
        std::string local_extra = m.extra, extra = m.extra;
        if (m.wide) {
            put(local_extra, 1, 2), put(local_extra, 16, 2), put(local_extra, size, 8), put(local_extra, packed.size(), 8);
            put(extra, 0x5455, 2), put(extra, 1, 2), put(extra, 0, 1);  // another field before it
            put(extra, 1, 2), put(extra, 24, 2), put(extra, size, 8), put(extra, packed.size(), 8), put(extra, at, 8);
        }
        const int flags = m.flags | (m.descriptor ? 8 : 0);
        const auto common = [&](std::string& to, bool local) {
            const bool later = local && m.descriptor;
            put(to, 20, 2), put(to, static_cast<unsigned>(flags), 2), put(to, static_cast<unsigned>(m.method), 2),
                put(to, 0, 4);
            put(to, later ? 0 : sum, 4);
            put(to, later ? 0 : m.wide ? 0xffffffff : packed.size(), 4);
            put(to, later ? 0 : m.wide ? 0xffffffff : size, 4);
            put(to, m.name.size(), 2);
        };
        directory += "PK\1\2";
        put(directory, 0x031e, 2);
        common(directory, false);
        put(directory, extra.size(), 2), put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 2),
            put(directory, 0x81a40000, 4);
        put(directory, m.wide ? 0xffffffff : at, 4);
        directory += m.name + extra;
        out += "PK\3\4";
        common(out, true);
        put(out, local_extra.size(), 2);
        out += m.name + local_extra + packed;
        if (m.descriptor) out += "PK\7\10", put(out, sum, 4), put(out, packed.size(), 4), put(out, size, 4);
    }
    const std::uint64_t start = out.size() - base;
    out += directory;
    if (how.wide) {
        const std::uint64_t end = out.size() - base;
        out += "PK\6\6", put(out, 44, 8), put(out, 45, 2), put(out, 45, 2), put(out, 0, 8);
        put(out, members.size(), 8), put(out, members.size(), 8), put(out, directory.size(), 8), put(out, start, 8);
        out += "PK\6\7", put(out, 0, 4), put(out, end, 8), put(out, 1, 4);
    }
    out += "PK\5\6", put(out, 0, 4);
    put(out, how.wide ? 0xffff : members.size(), 2), put(out, how.wide ? 0xffff : members.size(), 2);
    put(out, how.wide ? 0xffffffff : directory.size(), 4), put(out, how.wide ? 0xffffffff : start, 4);
    put(out, how.comment.size(), 2);
    return out + how.comment + how.behind;
}

/// A folder that goes away with the test.
class folder {
public:
    folder() {
        std::string name = (std::filesystem::temp_directory_path() / "kumihimo-test-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) std::abort();
        path_ = name;
    }
    ~folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;

    std::string write(const std::string& name, std::string_view content) const {
        const std::filesystem::path p = std::filesystem::path(path_) / name;
        std::filesystem::create_directories(p.parent_path());
        std::ofstream(p, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
        return p.string();
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

struct extracted {
    std::string text;
    std::vector<kumihimo::extract::report> reports;
    std::vector<std::string> notes;
    std::string quarantine;
    std::optional<kumihimo::extract::report> failure;
    kumihimo::extract::counters counters;
    std::uint64_t rows = 0;
    bool disagreed = false;
};

inline std::shared_ptr<const kumihimo::extract::schema> columns(const std::vector<std::string>& fields,
                                                                bool provenance = false) {
    using namespace kumihimo::extract;
    std::vector<column_spec> specs(fields.size());
    std::string why;
    std::shared_ptr<const schema> out;
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (parse_field(fields[i], specs[i], why) != kumihimo::errc::ok)
            std::fprintf(stderr, "%s\n", why.c_str()), std::abort();
    if (schema::make(std::move(specs), provenance, out, why) != kumihimo::errc::ok)
        std::fprintf(stderr, "%s\n", why.c_str()), std::abort();
    return out;
}

inline extracted drive(kumihimo::extract::run& r, std::shared_ptr<const kumihimo::extract::schema> what) {
    extracted e;
    if (r.start(std::move(what)) != kumihimo::errc::ok) std::abort();
    kumihimo::extract::result got;
    while (r.next(got)) {
        if (got.text.size() != 0) e.text.append(got.text.data(), got.text.size());
        if (got.quarantine.size() != 0) e.quarantine.append(got.quarantine.data(), got.quarantine.size());
        e.reports.insert(e.reports.end(), got.reports.begin(), got.reports.end());
        e.notes.insert(e.notes.end(), got.notes.begin(), got.notes.end());
        e.rows += got.count;
    }
    e.failure = r.failure();
    e.counters = r.now();
    e.disagreed = r.disagreement().has_value();
    return e;
}

/// Runs over the inputs, CSV by default; bad records are skipped unless the options say otherwise.
inline extracted extract(const std::vector<std::string>& inputs, const std::vector<std::string>& fields = {"a:json"},
                         kumihimo::extract::options how = {.jobs = 1,
                                                           .on_error = kumihimo::extract::policy::skip,
                                                           .out = kumihimo::extract::form::csv},
                         bool provenance = false) {
    kumihimo::extract::run r(inputs, how);
    return drive(r, columns(fields, provenance));
}

}  // namespace archives
