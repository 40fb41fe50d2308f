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

}  // namespace kumihimo::inline v0::extract
