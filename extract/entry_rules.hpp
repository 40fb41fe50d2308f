// What is refused of an archive's entries, and with which sentence: the same whether an entry is expanded as a whole
// (document_source.cpp) or as a stream (cut.cpp).
#pragma once
#include "engine/core/errc.hpp"
#include "extract/framed.hpp"
#include "extract/gzip.hpp"
#include "extract/input.hpp"
#include "extract/zip.hpp"

namespace kumihimo::inline v0::extract {

inline constexpr const char* wrong_checksum =
    "the expanded data does not match its checksum (CRC-32): the archive is damaged; copy or download it again";

/// Null, or why an entry is too much, by the sizes that the archive says (errc::size).
inline const char* too_much(const zip_entry& e, const expansion& allowed) noexcept {
    if (e.size > allowed.size)
        return "the entry expands beyond the size limit; raise --max-size (document_size) if you trust it";
    if (allowed.excessive(e.packed, e.size))
        return "the entry expands beyond the allowed ratio, as a Zip bomb does; raise --max-ratio (ratio) if you trust it";
    return nullptr;
}

/// Null, or why what is in an entry is not opened (errc::unsupported). `expanded`: it was packed already. `other`: what
/// sniff() said.
inline const char* not_opened(content is, bool expanded, const char* other) noexcept {
    if (is == content::zip) return "the entry is itself a Zip; extract it first, archives in archives are not opened";
    if (packing_of(is) != packing::none && expanded) return "packed data inside of packed data is not opened; expand it first";
    return is == content::other ? other : nullptr;
}

}  // namespace kumihimo::inline v0::extract
