// What is left of damaged archives. One rule for Zip, tar, gzip, zstd, lz4, xz and bzip2, small and large:
//
//      what its check sum proves whole    is given
//      what is cut off                    its documents that end before the cut are given: nothing says that they are wrong,
//                                         and the report says that no check sum proves them
//      what is damaged                    is not given, for nothing says how much of it is wrong
//      (broken data, another check sum)
//
// and whatever is not given whole is reported with its place. gzip counts by members, zstd and lz4 by frames, Zip by
// entries.
#pragma once
#include <atomic>
#include <cstdint>

#include "engine/core/context.hpp"
#include "extract/framed.hpp"
#include "extract/source.hpp"
#include "extract/zip.hpp"

namespace kumihimo::inline v0::extract {

inline constexpr const char* cut_off =
    "the compressed data is cut off; documents that end before the cut are given, though no check sum proves them";

/// How much of an expanded stream may be given.
struct proof {
    std::uint64_t good = static_cast<std::uint64_t>(-1);  // bytes
    errc code = errc::ok;                                 // what is met behind them
    failure why;
};

/// Reads `from` to its end. `members` is the stream that counts members, the last of the chain; null: nothing counts
/// but the whole. A cut is no reason to give less. `wake` as for cutter; the proof is of nothing when it becomes
/// readable, or `cancelled` true.
proof prove(byte_source& from, const expanding_source* members, int wake, const std::atomic<bool>* cancelled = nullptr);

/// Ends with the proof's failure where the proof ends.
class proven_source final : public byte_source {
public:
    proven_source(byte_source& from, proof of) noexcept : from_(&from), of_(static_cast<proof&&>(of)) {}
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override;
    std::uint64_t consumed() const noexcept override { return from_->consumed(); }

private:
    byte_source* from_;
    proof of_;
    std::uint64_t seen_ = 0;
};

/// Data that is not packed and ends in the middle.
class cut_source final : public byte_source {
public:
    explicit cut_source(byte_source& from, const char* why = cut_off) noexcept : from_(&from), why_(why) {}
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override {
        KUMIHIMO_TRY(from_->read(to, room, got, ctx));
        return got == 0 ? ctx.fail(errc::truncated, from_->consumed(), why_) : errc::ok;
    }
    std::uint64_t consumed() const noexcept override { return from_->consumed(); }

private:
    byte_source* from_;
    const char* why_;
};

/// The entries of a Zip whose directory cannot be used, by their local headers, one behind the other. Entries say
/// themselves whether they are cut off or lost; whether the others are whole, their check sums say.
class zip_walk {
public:
    zip_walk() = default;
    /// `file` must outlive the walk and its entries.
    zip_walk(bytes file, const expansion& allowed);

    /// The next entry; false at the end.
    bool next(zip_entry& out);

private:
    bool headed(std::uint64_t at) const noexcept;
    bool header(zip_entry& out, std::uint64_t& data);
    bool described(zip_entry& out, std::uint64_t data);
    bool descriptor(zip_entry& out, std::uint64_t data, std::uint64_t at) const noexcept;
    bool whole(const zip_entry& entry, std::uint64_t data);

    bytes file_;
    expansion allowed_;
    std::uint64_t at_ = 0;
    std::uint64_t budget_ = 0;  // bytes that may still be expanded or searched to see where entries end
};

}  // namespace kumihimo::inline v0::extract
