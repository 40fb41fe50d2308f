// Reading tar archives: ustar, pax (POSIX.1-2001), GNU tar's long names, and the old form without a mark. From bytes
// at hand or from a stream; an archive is read once, from its beginning to its end, which is how tars are made.
//
//      | header, 512 bytes | data, in blocks of 512 | header | data | ... | blocks of zeros
//        with a check sum    without one
//
// A header may be preceded by others that hold what does not fit in it: a long name, a large size. Names, sizes and
// kinds are therefore proven; data is not, unless the tar is compressed.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "extract/source.hpp"

namespace kumihimo::inline v0::extract {

inline constexpr const char* tar_cut_off =
    "the tar is cut off inside of this entry; documents that end before the cut are given";

struct tar_entry {
    std::string name;            // UTF-8, as tar_name() makes it
    std::uint64_t header = 0;    // where the first of its headers begins, from the start of the tar
    std::uint64_t data = 0;      // where its data begins
    std::uint64_t size = 0;      // bytes of data
    bool file = false;           // no folder, link or device
    const char* lost = nullptr;  // why nothing of it can be given
    errc code = errc::ok;        // when `lost` is set
};

/// A name as UTF-8: as stored when it is valid, else byte for byte by ISO 8859-1. Without "./" at its start.
std::string tar_name(std::string_view stored);

class tar_reader {
public:
    static constexpr std::size_t block = 512;
    static constexpr std::uint64_t most_extra = std::uint64_t{1} << 20;  // bytes of a header that holds a name

    tar_reader() = default;
    /// `file` must outlive the reader.
    explicit tar_reader(bytes file) noexcept : file_(file), at_hand_(true) {}
    /// `from` must outlive the reader.
    explicit tar_reader(byte_source& from) noexcept : from_(&from) {}

    /// Whether the bytes begin with a tar's header: its mark, or its check sum where it has none.
    static bool recognises(bytes head) noexcept;

    enum class found : std::uint8_t {
        entry,
        end,
        fault,  // nothing further can be found; ctx says why, with its place in the tar, or in the source's own input
    };
    /// The next entry; what is left of the last one's data is passed over. Throws std::bad_alloc.
    found next(tar_entry& out, context& ctx);

    /// Of bytes at hand: how much of the entry's data is there.
    bool at_hand() const noexcept { return at_hand_; }
    bytes data(const tar_entry& e) const noexcept;
    /// Of a stream: the data of the entry that next() gave last, in pieces. errc::truncated where the tar ends inside
    /// of it.
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx);
    /// Whether the last failure was the source's, and not the tar's.
    bool source_failed() const noexcept { return source_failed_; }
    /// Bytes of the tar that lie behind.
    std::uint64_t at() const noexcept { return at_; }

private:
    errc take(char* to, std::size_t n, std::size_t& got, context& ctx);
    errc skip(std::uint64_t n, context& ctx);
    errc extra(const unsigned char* header, std::string& to, context& ctx);
    bool long_map(const unsigned char* header, context& ctx);
    found over(found how) noexcept;

    bytes file_;
    byte_source* from_ = nullptr;
    bool at_hand_ = false, over_ = false, zeros_ = false, source_failed_ = false, held_ = false;
    std::uint64_t at_ = 0;       // bytes of the tar that were read or passed over
    std::uint64_t left_ = 0;     // of the last entry's data
    std::uint64_t padding_ = 0;  // behind it
    unsigned char head_[block] = {};
};

/// The data of a tar's entry as a stream, to the entry's end.
class tar_data final : public byte_source {
public:
    explicit tar_data(tar_reader& from) noexcept : from_(&from) {}
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override {
        KUMIHIMO_TRY(from_->read(to, room, got, ctx));
        at_ += got;
        return errc::ok;
    }
    std::uint64_t consumed() const noexcept override { return at_; }

private:
    tar_reader* from_;
    std::uint64_t at_ = 0;
};

}  // namespace kumihimo::inline v0::extract
