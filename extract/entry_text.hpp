// A Zip entry's text as a stream, whatever its method.
#pragma once
#include <string>

#include "extract/entry_rules.hpp"
#include "extract/framed.hpp"
#include "extract/sealed.hpp"
#include "extract/source.hpp"
#include "extract/zip.hpp"

namespace kumihimo::inline v0::extract {

/// Passes on what it reads, as long as the budget lasts.
class budgeted_source final : public byte_source {
public:
    /// Both must outlive the source.
    budgeted_source(byte_source& from, std::uint64_t& budget, std::uint64_t at) noexcept
        : from_(&from), budget_(&budget), at_(at) {}
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override {
        KUMIHIMO_TRY(from_->read(to, room, got, ctx));
        if (got > *budget_) {
            got = 0;
            *budget_ = 0;
            return ctx.fail(errc::size, at_, too_nested);
        }
        *budget_ -= got;
        return errc::ok;
    }
    std::uint64_t consumed() const noexcept override { return from_->consumed(); }

private:
    byte_source* from_;
    std::uint64_t* budget_;
    std::uint64_t at_;
};

struct entry_sources {
    byte_source* text;
    expanding_source* expanding;  // the same; nullptr: the entry is stored
};

/// Adds to the chain what gives the text of `data`, which is zip_data()'s. `single`: what follows it is not looked at.
inline entry_sources entry_text(source_chain& chain, bytes data, const zip_entry& entry, const std::string& password,
                                const expansion& allowed, bool single = false) {
    const auto expanding = [](expanding_source& by) { return entry_sources{&by, &by}; };
    const packing packed_as = packing_of(entry);
    if (packed_as == packing::sealed) return expanding(chain.add<sealed_source>(data, entry, password, allowed));
    if (packed_as == packing::lzma) {
        bytes rest;
        std::string head = lzma_header(entry, data, rest);
        auto& behind = chain.add<memory_source>(rest);
        auto& all = chain.add<prefixed_source>(std::move(head), behind);
        return expanding(expand(chain, all, packed_as, allowed, true));
    }
    auto& raw = chain.add<memory_source>(data);
    if (packed_as == packing::none) return {&raw, nullptr};
    return expanding(expand(chain, raw, packed_as, allowed, single));
}

/// Passes an entry's text on, and compares its length and check sum at its end.
class checked_source final : public byte_source {
public:
    checked_source(byte_source& from, const zip_entry& entry) noexcept : from_(&from), entry_(entry) {}
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override {
        KUMIHIMO_TRY(from_->read(to, room, got, ctx));
        crc_ = crc32(crc_, {reinterpret_cast<const unsigned char*>(to), got});
        seen_ += got;
        if (seen_ > entry_.size)
            return ctx.fail(errc::syntax, entry_.header, "the compressed data expands to more than the archive says");
        if (got != 0) return errc::ok;
        if (seen_ < entry_.size)
            return ctx.fail(errc::truncated, entry_.header, "the compressed data expands to less than the archive says");
        if (entry_.has_crc() && crc_ != entry_.crc) return ctx.fail(errc::syntax, entry_.header, wrong_checksum);
        return errc::ok;
    }
    std::uint64_t consumed() const noexcept override { return from_->consumed(); }

private:
    byte_source* from_;
    zip_entry entry_;
    std::uint64_t seen_ = 0;
    std::uint32_t crc_ = 0;
};

}  // namespace kumihimo::inline v0::extract
