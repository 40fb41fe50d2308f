// Of the documents' source: what is open in it.
#pragma once
#include <optional>
#include <string>

#include "extract/document_source.hpp"
#include "extract/entry_rules.hpp"
#include "extract/source.hpp"
#include "extract/tar.hpp"

namespace kumihimo::inline v0::extract {

// An archive among the files or entries: a Zip's directory, or the walk through one that has none, and why; or a tar.
struct document_source::archive {
    bytes file;
    std::string entry;   // its own path in the archive that it lies in
    std::string prefix;  // of its entries' paths
    arena own;           // where `file` was expanded to
    mapping spooled;     // or the temporary file that it is
    zip_directory directory;
    std::optional<zip_walk> walk;
    failure why;
    std::optional<tar_reader> tar;
    source_chain chain;  // that a tar is read from, where it is not at hand
};

// Sources on top of one another, and what cuts the uppermost into pieces.
struct document_source::stream {
    source_chain chain;
    std::optional<text_cutter> cut;
    piece at_hand;
    report::scope of = report::scope::input;
    std::uint64_t at = 0;      // of the entry's header, for faults
    std::uint64_t before = 0;  // bytes of the input before those that the chain reads
};

// Passes on what it reads, as long as the budget lasts.
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

}  // namespace kumihimo::inline v0::extract
