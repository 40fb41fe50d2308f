#include "extract/zip.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "engine/scalar/utf8.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t local_size = 30, record_size = 46, end_size = 22, locator_size = 20, end64_size = 56;
constexpr std::uint32_t local_mark = 0x04034b50, record_mark = 0x02014b50, end_mark = 0x06054b50, locator_mark = 0x07064b50,
                        end64_mark = 0x06064b50, spanned_mark = 0x08074b50;
constexpr std::size_t comment_limit = 65535;

// Little-endian loads at any alignment; gcc and clang make one instruction of each.
std::uint16_t u16(const unsigned char* p) { return static_cast<std::uint16_t>(p[0] | p[1] << 8); }
std::uint32_t u32(const unsigned char* p) {
    return static_cast<std::uint32_t>(p[0]) | static_cast<std::uint32_t>(p[1]) << 8 | static_cast<std::uint32_t>(p[2]) << 16 |
           static_cast<std::uint32_t>(p[3]) << 24;
}
std::uint64_t u64(const unsigned char* p) { return u32(p) | static_cast<std::uint64_t>(u32(p + 4)) << 32; }

std::size_t record_length(const unsigned char* p) { return record_size + u16(p + 28) + u16(p + 30) + u16(p + 32); }

// The zip64 extra field holds, in this order, only those values whose 32-bit place is all ones. False when one is
// missing.
bool widen(const unsigned char* extra, std::size_t n, zip_entry& e, bool size, bool packed, bool header) {
    if (!size && !packed && !header) return true;
    while (n >= 4) {
        const std::size_t id = u16(extra), length = u16(extra + 2);
        if (length > n - 4) return false;
        if (id == 1) {
            const unsigned char* p = extra + 4;
            std::size_t left = length;
            const auto take = [&](bool wanted, std::uint64_t& to) {
                if (!wanted) return true;
                if (left < 8) return false;
                to = u64(p);
                p += 8;
                left -= 8;
                return true;
            };
            return take(size, e.size) && take(packed, e.packed) && take(header, e.header);
        }
        extra += 4 + length;
        n -= 4 + length;
    }
    return false;
}

// Decodes a directory record whose lengths are known to be in bounds. False when zip64 values are announced and
// absent.
bool decode(const unsigned char* p, std::uint64_t prefix, zip_entry& e) {
    e.flags = u16(p + 8);
    e.method = u16(p + 10);
    e.time = u16(p + 12);
    e.crc = u32(p + 16);
    e.packed = u32(p + 20);
    e.size = u32(p + 24);
    e.header = u32(p + 42);
    const std::size_t name = u16(p + 28);
    e.name = {reinterpret_cast<const char*>(p) + record_size, name};
    const bool ok =
        widen(p + record_size + name, u16(p + 30), e, e.size == 0xffffffff, e.packed == 0xffffffff, e.header == 0xffffffff);
    e.header += prefix;
    if (e.method == zip_entry::aes) read_aes({p + record_size + name, u16(p + 30)}, e);
    return ok && e.header >= prefix;
}

// From where the last end record starts, searching backwards over the longest possible comment; file.size() when there
// is none. The record whose comment reaches the end of the file exactly is the right one; a signature inside a comment
// is not. Bytes appended after the archive leave only the second best: the last signature of all.
std::size_t find_end(bytes file) {
    if (file.size() < end_size) return file.size();
    const std::size_t last = file.size() - end_size;
    const std::size_t first = last > comment_limit ? last - comment_limit : 0;
    std::size_t loose = file.size();
    for (std::size_t at = last + 1; at-- > first;) {
        const unsigned char* p = file.data() + at;
        if (p[0] != 'P' || u32(p) != end_mark) continue;
        if (at + end_size + u16(p + 20) == file.size()) return at;
        if (loose == file.size()) loose = at;
    }
    return loose;
}

// The methods that today's 7z reads; the others (APPNOTE.TXT, 4.4.5) few programs know but the one that packed them.
const char* method_refusal(const zip_entry& entry) {
    switch (entry.method == zip_entry::aes ? entry.sealed_method : entry.method) {
        case 1: return "the entry is compressed with Shrink (method 1), which is not read: unpack it first (7z x)";
        case 6: return "the entry is compressed with Implode (method 6), which is not read: unpack it first (7z x)";
        default:
            return "the entry's compression method is unknown; stored, deflate, Deflate64, bzip2, LZMA, Zstandard, xz and PPMd "
                   "are read: unpack it with what packed it";
    }
}

// CP437's upper half, by Unicode's table VENDORS/MICSFT/PC/CP437.TXT.
constexpr std::array<char16_t, 128> cp437 = {
    0x00c7, 0x00fc, 0x00e9, 0x00e2, 0x00e4, 0x00e0, 0x00e5, 0x00e7, 0x00ea, 0x00eb, 0x00e8, 0x00ef, 0x00ee, 0x00ec, 0x00c4,
    0x00c5, 0x00c9, 0x00e6, 0x00c6, 0x00f4, 0x00f6, 0x00f2, 0x00fb, 0x00f9, 0x00ff, 0x00d6, 0x00dc, 0x00a2, 0x00a3, 0x00a5,
    0x20a7, 0x0192, 0x00e1, 0x00ed, 0x00f3, 0x00fa, 0x00f1, 0x00d1, 0x00aa, 0x00ba, 0x00bf, 0x2310, 0x00ac, 0x00bd, 0x00bc,
    0x00a1, 0x00ab, 0x00bb, 0x2591, 0x2592, 0x2593, 0x2502, 0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557,
    0x255d, 0x255c, 0x255b, 0x2510, 0x2514, 0x2534, 0x252c, 0x251c, 0x2500, 0x253c, 0x255e, 0x255f, 0x255a, 0x2554, 0x2569,
    0x2566, 0x2560, 0x2550, 0x256c, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559, 0x2558, 0x2552, 0x2553, 0x256b, 0x256a, 0x2518,
    0x250c, 0x2588, 0x2584, 0x258c, 0x2590, 0x2580, 0x03b1, 0x00df, 0x0393, 0x03c0, 0x03a3, 0x03c3, 0x00b5, 0x03c4, 0x03a6,
    0x0398, 0x03a9, 0x03b4, 0x221e, 0x03c6, 0x03b5, 0x2229, 0x2261, 0x00b1, 0x2265, 0x2264, 0x2320, 0x2321, 0x00f7, 0x2248,
    0x00b0, 0x2219, 0x00b7, 0x221a, 0x207f, 0x00b2, 0x25a0, 0x00a0};

}  // namespace

bool looks_like_zip(bytes head) noexcept {
    if (head.size() < 4) return false;
    const std::uint32_t mark = u32(head.data());
    return mark == local_mark || mark == end_mark || mark == spanned_mark;
}

bool ends_like_zip(bytes file) noexcept { return find_end(file) != file.size(); }

errc zip_directory::open(bytes file, context& ctx) {
    file_ = file;
    prefix_ = begin_ = end_ = at_ = count_ = 0;
    walkable_ = true;
    KUMIHIMO_TRY(find(ctx));
    KUMIHIMO_TRY(examine(ctx));
    rewind();
    return errc::ok;
}

errc zip_directory::find(context& ctx) {
    const std::size_t tail = find_end(file_);
    if (tail == file_.size())
        return ctx.fail(
            errc::truncated, file_.size(),
            "the Zip has no end record: it is cut off, or was never finished; its whole entries are read, for the others copy "
            "or download it again");
    const unsigned char* p = file_.data() + tail;
    std::uint64_t size = u32(p + 12), offset = u32(p + 16), behind = tail;
    std::uint32_t disk = u16(p + 4), directory_disk = u16(p + 6);
    count_ = u16(p + 10);
    // The zip64 records stand directly before the end record. They count when the locator is there, whatever the 16-
    // and 32-bit fields say: some writers fill both.
    if (tail >= locator_size && u32(p - locator_size) == locator_mark) {
        const std::uint64_t said = u64(p - locator_size + 8);
        std::uint64_t at = said;
        // With a prefix the announced place is too low; without an extensible data sector the record is right before
        // the locator.
        const auto here = [&](std::uint64_t a) {
            return a <= tail - locator_size && tail - locator_size - a >= end64_size && u32(file_.data() + a) == end64_mark;
        };
        if (!here(at) && tail >= locator_size + end64_size) at = tail - locator_size - end64_size;
        if (!here(at)) return ctx.fail(errc::syntax, tail - locator_size, "the zip64 end record is not where its locator says");
        const unsigned char* q = file_.data() + at;
        disk = u32(q + 16);
        directory_disk = u32(q + 20);
        count_ = u64(q + 32);
        size = u64(q + 40);
        offset = u64(q + 48);
        behind = at;
    }
    walkable_ = disk == directory_disk;
    if (!walkable_) return ctx.fail(errc::unsupported, tail, "the Zip is split over several files; join them first (zip -s 0)");
    if (size > behind)
        return ctx.fail(errc::truncated, tail, "the Zip's directory is longer than the file: the start is missing");
    begin_ = behind - size;
    end_ = behind;
    if (offset > begin_)
        return ctx.fail(
            errc::truncated, tail,
            "the Zip's directory is said to start behind its end: the file is damaged or cut; copy or download it again");
    // What does not add up is a prefix, unless the directory stands at the announced place after all (something
    // between it and the end record, such as a signature block).
    prefix_ = begin_ - offset;
    const auto marked = [&](std::uint64_t at) { return at + 4 <= file_.size() && u32(file_.data() + at) == record_mark; };
    if (prefix_ != 0 && size != 0 && !marked(begin_) && marked(offset)) {
        begin_ = offset;
        end_ = offset + size;
        prefix_ = 0;
    }
    return errc::ok;
}

errc zip_directory::examine(context& ctx) {
    std::uint64_t free_from = prefix_, seen = 0;
    bool ascending = true;
    for (std::uint64_t at = begin_; at < end_; ++seen) {
        if (end_ - at < record_size || u32(file_.data() + at) != record_mark) {
            // A directory may be followed by a digital signature; then all entries have been seen.
            if (seen == count_) {
                end_ = at;
                break;
            }
            return ctx.fail(
                errc::syntax, at,
                "the Zip's directory is damaged: a record does not begin with its signature; copy or download it again");
        }
        const std::size_t length = record_length(file_.data() + at);
        if (length > end_ - at)
            return ctx.fail(errc::truncated, at, "the Zip's directory is cut off inside a record; copy or download it again");
        zip_entry e;
        if (!decode(file_.data() + at, prefix_, e)) return ctx.fail(errc::syntax, at, "a zip64 entry lacks its sizes");
        if (e.header > begin_ || begin_ - e.header < local_size || begin_ - e.header - local_size < e.packed)
            return ctx.fail(errc::range, at, "an entry of the Zip lies outside the file");
        if (e.header < free_from) ascending = false;
        free_from = e.header + local_size + e.name.size() + e.packed;
        at += length;
    }
    // The 16-bit count wraps in archives that should be zip64 and are not; such archives are read.
    if (seen != count_ && (seen & 0xffff) != count_)
        return ctx.fail(errc::syntax, begin_, "the Zip's directory does not hold as many entries as it says");
    count_ = seen;
    return ascending ? errc::ok : examine_sorted(ctx);
}

// Entries out of file order: sort what they occupy. 24 bytes per entry, and only for such archives.
errc zip_directory::examine_sorted(context& ctx) {
    struct extent {
        std::uint64_t from, to, record;
    };
    std::vector<extent> extents;
    extents.reserve(count_);
    for (std::uint64_t at = begin_; at < end_;) {
        zip_entry e;
        decode(file_.data() + at, prefix_, e);
        extents.push_back({e.header, e.header + local_size + e.name.size() + e.packed, at});
        at += record_length(file_.data() + at);
    }
    std::sort(extents.begin(), extents.end(), [](const extent& a, const extent& b) { return a.from < b.from; });
    for (std::size_t i = 1; i < extents.size(); ++i)
        if (extents[i].from < extents[i - 1].to) {
            walkable_ = false;
            return ctx.fail(errc::syntax, extents[i].record,
                            "entries of the Zip share the same bytes, as in a Zip bomb; it is not read");
        }
    return errc::ok;
}

zip_entry zip_directory::next() noexcept {
    zip_entry e;
    const unsigned char* p = file_.data() + at_;
    decode(p, prefix_, e);
    at_ += record_length(p);
    return e;
}

void read_aes(bytes extra, zip_entry& to) noexcept {
    for (std::size_t at = 0; extra.size() - at >= 4;) {
        const unsigned char* p = extra.data() + at;
        const std::size_t length = u16(p + 2);
        if (length > extra.size() - at - 4) return;
        if (u16(p) == 0x9901 && length >= 7) {
            to.aes_version = p[4];
            to.aes_strength = p[8];
            to.sealed_method = u16(p + 9);
        }
        at += 4 + length;
    }
}

errc zip_data(bytes file, std::uint64_t directory, const zip_entry& entry, bool password, bytes& data, context& ctx) {
    if (entry.locked())
        return ctx.fail(errc::unsupported, entry.header,
                        "the entry is encrypted in a way that only its packer reads; decrypt the archive first");
    if (entry.encrypted() && !password)
        return ctx.fail(errc::unsupported, entry.header,
                        "the entry is encrypted; name a file that holds its password with --password-file (password)");
    if (entry.contradictory())
        return ctx.fail(
            errc::syntax, entry.header,
            "the entry has the method of encrypted ones (99) and is not marked as one: the archive is damaged; copy "
            "or download it again");
    if (!entry.readable()) return ctx.fail(errc::unsupported, entry.header, method_refusal(entry));
    if (entry.beyond_libarchive())
        return ctx.fail(errc::unsupported, entry.header,
                        "the entry is encrypted, and packed by another method than deflate, which libarchive does not read "
                        "together; decrypt the archive first (7z x)");
    const unsigned char* p = file.data() + entry.header;  // zip_directory::open() checked that a header fits here
    if (u32(p) != local_mark)
        return ctx.fail(errc::syntax, entry.header,
                        "the entry's local header is missing: the archive is damaged; copy or download it again");
    const std::uint64_t start = entry.header + local_size + u16(p + 26) + u16(p + 28);
    if (start > directory || directory - start < entry.packed)
        return ctx.fail(
            errc::range, entry.header,
            "the entry's data runs into the archive's directory: the archive is damaged; copy or download it again");
    if (entry.method == zip_entry::stored && !entry.encrypted() && entry.packed != entry.size)
        return ctx.fail(errc::syntax, entry.header,
                        "a stored entry has two different sizes: the archive is damaged; copy or download it again");
    data = file.subspan(start, entry.packed);
    return errc::ok;
}

std::string_view zip_name(const zip_entry& entry, std::string& room) {
    if (scalar::utf8_valid_prefix(entry.name.data(), entry.name.size()) == entry.name.size()) return entry.name;
    room.clear();
    for (const char c : entry.name) {
        const unsigned char b = static_cast<unsigned char>(c);
        if (b < 0x80) {
            room.push_back(c);
            continue;
        }
        const char16_t u = cp437[b - 0x80];
        if (u < 0x800) {
            room.push_back(static_cast<char>(0xc0 | u >> 6));
        } else {
            room.push_back(static_cast<char>(0xe0 | u >> 12));
            room.push_back(static_cast<char>(0x80 | (u >> 6 & 0x3f)));
        }
        room.push_back(static_cast<char>(0x80 | (u & 0x3f)));
    }
    return room;
}

std::string_view zip_path(const zip_entry& entry, std::string_view prefix, std::string& room) {
    const std::string_view name = zip_name(entry, room);
    if (prefix.empty()) return name;
    std::string path(prefix);
    path += name;
    room = std::move(path);
    return room;
}

}  // namespace kumihimo::inline v0::extract
