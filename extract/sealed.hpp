// Zip entries that libarchive reads: encrypted ones (PKWARE's old cipher, WinZip's AES) and PPMd. libarchive is found
// when such an entry comes.
//
// It reads whole Zips, and is shown one of the entry alone: a local header, the data as it lies in the archive, a
// directory of one record. So entries are read in any order, by any thread, and what it is shown of the archive's
// structure is ours.
#pragma once
#include <memory>
#include <string>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "extract/expansion.hpp"
#include "extract/source.hpp"
#include "extract/zip.hpp"

namespace kumihimo::inline v0::extract {

/// Whether libarchive is there.
bool opens_sealed() noexcept;

class sealed_source final : public expanding_source {
public:
    /// `data` is zip_data()'s and must outlive the source. Throws std::bad_alloc.
    sealed_source(bytes data, const zip_entry& entry, const std::string& password, const expansion& allowed);
    ~sealed_source() override;
    sealed_source(const sealed_source&) = delete;
    sealed_source& operator=(const sealed_source&) = delete;

    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override;
    std::uint64_t consumed() const noexcept override { return most_; }
    std::uint64_t produced() const noexcept override { return produced_; }
    std::uint64_t proven() const noexcept override { return 0; }
    std::uint64_t taken() const noexcept override { return most_; }

private:
    struct shown;
    errc begin(context& ctx);
    errc explain(context& ctx) const;

    std::unique_ptr<shown> zip_;
    std::string password_;
    expansion allowed_;
    void* by_ = nullptr;
    std::uint64_t header_, packed_, size_, most_ = 0, produced_ = 0;
    bool encrypted_, begun_ = false;
};

}  // namespace kumihimo::inline v0::extract
