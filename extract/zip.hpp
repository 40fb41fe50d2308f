// Reading Zip archives (PKWARE APPNOTE 6.3) from mapped bytes, by the central directory alone.
//
//      | prefix | local header, data | local header, data | ... | central directory | [zip64 records] | end record, comment |
//        |        ^------------------------ header offsets of the directory are relative to here
//        a self-extracting stub, a script line; usually empty
//
// The directory is never copied: entries are decoded one by one while it is walked, so an archive of a million entries
// costs no memory. Sizes and checksums come from it too, which is why data descriptors need no care. Of the local
// header only its own length is used.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"

namespace kumihimo::inline v0::extract {

struct zip_entry {
    std::string_view name;     // as stored: zip_name() gives the text
    std::uint64_t header = 0;  // of the local header, from the start of the file
    std::uint64_t packed = 0;  // bytes of the compressed data
    std::uint64_t size = 0;    // bytes it expands to
    std::uint32_t crc = 0;
    std::uint16_t method = 0;
    std::uint16_t flags = 0;
    std::uint16_t time = 0;  // MS-DOS's

    // Of an archive whose directory cannot be used (salvage.hpp).
    bool cut = false;              // the file ends inside of the data
    const char* lost = nullptr;    // why nothing of it can be given
    std::uint64_t packed_end = 0;  // behind the data and its descriptor

    // Of one that is encrypted by AES: the method below it, and how it is encrypted, as its extra field says.
    std::uint16_t sealed_method = 0;
    std::uint8_t aes_strength = 0, aes_version = 0;

    // Nothing matches its path, but it may be an archive whose entries do.
    bool only_as_archive = false;

    static constexpr std::uint16_t stored = 0, deflated = 8, deflate64 = 9, bzip2 = 12, lzma = 14, zstd = 93, xz = 95,
                                   ppmd = 98, aes = 99;
    /// Said to be encrypted by its method, and not to be by its flag: no packer writes this.
    bool contradictory() const noexcept { return method == aes && (flags & 1) == 0; }
    /// Whether its method is one of those that are read.
    bool readable() const noexcept {
        if (contradictory()) return false;
        const std::uint16_t m = method == aes ? sealed_method : method;
        return m == stored || m == deflated || m == deflate64 || m == bzip2 || m == lzma || m == zstd || m == xz || m == ppmd;
    }
    bool encrypted() const noexcept { return (flags & 0x2041) != 0; }
    /// Encrypted in a way that nobody reads but who wrote it.
    bool locked() const noexcept { return (flags & 0x2040) != 0; }
    /// Encrypted, and packed by a method that libarchive does not decrypt: it would expand what is not decrypted.
    bool beyond_libarchive() const noexcept {
        const std::uint16_t m = method == aes ? sealed_method : method;
        return encrypted() && m != stored && m != deflated;
    }
    /// Whether it takes libarchive to read it (sealed.hpp).
    bool sealed() const noexcept { return encrypted() || method == ppmd; }
    /// Whether `crc` is the text's. The second version of AES has a proof of its own instead.
    bool has_crc() const noexcept { return method != aes || aes_version != 2; }
    bool folder() const noexcept { return !name.empty() && (name.back() == '/' || name.back() == '\\'); }
};

/// The walk through an archive's central directory.
class zip_directory {
public:
    /// Finds the directory and checks all of it: in bounds, every record whole, no two entries sharing bytes (what the
    /// densest Zip bombs do). The failure's offset counts from the start of the file. `file` must outlive the
    /// directory and its entries.
    errc open(bytes file, context& ctx);

    std::uint64_t count() const noexcept { return count_; }
    bool done() const noexcept { return at_ >= end_; }
    /// The next entry in directory order; only while !done(). open() has checked the record, so it cannot fail.
    zip_entry next() noexcept;
    /// Back to the first entry.
    void rewind() noexcept { at_ = begin_; }
    /// Where the directory starts: entries' data must end before it.
    std::uint64_t begin() const noexcept { return begin_; }
    /// After open() failed: whether the entries may be looked for without the directory.
    bool walkable() const noexcept { return walkable_; }

private:
    errc find(context& ctx);
    errc examine(context& ctx);
    errc examine_sorted(context& ctx);

    bytes file_;
    std::uint64_t prefix_ = 0;  // bytes before the archive proper
    std::uint64_t begin_ = 0, end_ = 0, at_ = 0;
    std::uint64_t count_ = 0;
    bool walkable_ = true;
};

/// What an entry's extra fields say of its encryption.
void read_aes(bytes extra, zip_entry& to) noexcept;

/// The entry's compressed bytes, after its local header was checked. Methods that are not read are refused here by
/// name, and so are encrypted entries where there is no password. `directory` is zip_directory::begin().
errc zip_data(bytes file, std::uint64_t directory, const zip_entry& entry, bool password, bytes& data, context& ctx);

/// The entry's name as UTF-8: as stored when it is valid UTF-8, else CP437, which is decoded into `room`. The entry's
/// flag is not asked: many writers forget it, and a broken one sets it on what is no UTF-8. The view is of one of the
/// two.
std::string_view zip_name(const zip_entry& entry, std::string& room);

/// The same behind a prefix; with one it is in `room`.
std::string_view zip_path(const zip_entry& entry, std::string_view prefix, std::string& room);

/// Whether the file begins like a Zip: a local header, an empty archive, or a spanned archive's marker.
bool looks_like_zip(bytes head) noexcept;

/// Whether an end record can be found: a Zip behind a prefix, such as a self-extracting program.
bool ends_like_zip(bytes file) noexcept;

}  // namespace kumihimo::inline v0::extract
