// Where a document came from: what provenance columns show and what every report of a bad record names.
//
//      archive   the input as the user named it: "frames/2016-12-25.zip", "ticks.ndjson", "-" for standard input
//      entry     the member's path inside it ("a/b.json"); empty when the input is not an archive
//      offset    of the document's first byte in the decompressed entry (or in the input itself), 0-based
//      line      on which that byte stands, 1-based; 0 while nobody has counted
//      elements  of a row that is an element of an array: its number, behind those of the elements around it
//
// Both texts are valid during the call that gets them, not longer: a batch that keeps them copies them. Zip names in
// CP437 have been decoded to UTF-8 already; loose file names are the bytes the operating system has.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace kumihimo::inline v0::extract {

struct origin {
    std::string_view archive;
    std::string_view entry;
    std::uint64_t offset = 0;
    std::uint64_t line = 0;
    std::span<const std::uint64_t> elements{};
};

}  // namespace kumihimo::inline v0::extract
