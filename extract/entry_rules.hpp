// What is refused of an archive's entries, and with which sentence: the same whether an entry is expanded as a whole
// (document_source_archive.cpp) or as a stream (cut_archive.cpp).
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/errc.hpp"
#include "engine/frame/frame.hpp"
#include "extract/expansion.hpp"
#include "extract/framed.hpp"
#include "extract/glob.hpp"
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

/// The same for an entry of a tar, which is as large as it is said to be.
inline const char* too_much(std::uint64_t size, const expansion& allowed) noexcept {
    return size > allowed.size ? "the entry is larger than the size limit; raise --max-size (document_size) if you trust it"
                               : nullptr;
}

/// An array and not a pointer, for it is told from other sentences by its address, which is one in all of the program.
inline constexpr char too_nested[] =
    "the archives in this entry expand beyond the allowed ratio, as a Zip bomb does; raise --max-ratio (ratio) if you trust it";

/// What all that lies in one archive in an archive, of so many packed bytes, may expand to together: as much as one
/// entry of that size.
inline std::uint64_t nested_budget(std::uint64_t packed, const expansion& allowed) noexcept {
    packed = std::max<std::uint64_t>(packed, 1);
    const std::uint64_t ratio = std::max<std::uint64_t>(allowed.ratio, 1);
    return std::max(allowed.floor, packed > UINT64_MAX / ratio ? UINT64_MAX : packed * ratio);
}

/// Archives in archives, at most.
inline constexpr unsigned most_nested = 15;

/// Null, or why what is in an entry is not opened (errc::unsupported). `expanded`: it was packed already. `depth`: so
/// many archives lie around it; up to `nested` archives in an archive are opened. `other`: what sniff() said.
inline const char* not_opened(content is, bool expanded, unsigned depth, unsigned nested, const char* other) noexcept {
    if (is_archive(is) && depth > nested) {
        if (nested != 0) return "an archive lies deeper in archives than is opened; raise --nested (nested)";
        return is == content::zip ? "the entry is itself a Zip, and archives in archives are opened with --nested (nested)"
                                  : "the entry is itself a tar, and archives in archives are opened with --nested (nested)";
    }
    if (packing_of(is) != packing::none && expanded) return "packed data inside of packed data is not opened; expand it first";
    return is == content::other ? other : nullptr;
}

/// Whether a path ends so, in small letters or large ones.
inline bool ends_as(std::string_view path, std::string_view ending) noexcept {
    if (path.size() < ending.size()) return false;
    path.remove_prefix(path.size() - ending.size());
    for (std::size_t i = 0; i < ending.size(); ++i)
        if (path[i] != ending[i] && !(path[i] >= 'A' && path[i] <= 'Z' && path[i] + 32 == ending[i])) return false;
    return true;
}

/// Whether a path has an ending of archives that are opened.
inline bool named_archive(std::string_view path) noexcept {
    if (const frame::codec* const packed = frame::by_ending(path, frame::readable())) {
        path.remove_suffix(packed->ending.size());
        return ends_as(path, ".tar") || ends_as(path, ".zip");
    }
    for (const std::string_view ending : {".zip", ".tar", ".jar", ".whl", ".tgz", ".tbz2", ".txz", ".tzst"})
        if (ends_as(path, ending)) return true;
    return false;
}

enum class pick : std::uint8_t { no, yes, only_as_archive };

/// Whether an entry of that path is read. `opens`: archives among the entries are opened, and are then looked into
/// under any path that an archive may have, for their entries may match.
inline pick picked(std::string_view path, const std::vector<std::string>& match, bool opens) {
    if (ignorable(path)) return pick::no;
    if (match.empty() || glob_any(match, path)) return pick::yes;
    return opens && named_archive(path) ? pick::only_as_archive : pick::no;
}

}  // namespace kumihimo::inline v0::extract
