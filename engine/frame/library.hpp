// Libraries that are found when they are first needed, by dlopen: the engine declares the few functions that it calls
// by itself and needs no header of theirs. What is found stays loaded; what is not found is not looked for again.
// over.hpp makes expanders and compressors of them.
#pragma once
#include <cstdint>
#include <span>

#include "engine/core/sink.hpp"
#include "engine/frame/frame.hpp"

namespace kumihimo::inline v0::frame {

enum class library : std::uint8_t { zlib, libdeflate, libzstd, liblz4, liblzma, libbz2, libarchive };

/// As if the library were not installed; for tests. Objects made before keep it.
void pretend_missing(library which, bool missing) noexcept;
bool pretended_missing(library which) noexcept;

/// A function of a library by its name, and the pointer that it goes to.
struct function {
    const char* name;
    void* pointer;  // to a pointer to a function
};
template <class F>
function wanted(const char* name, F*& pointer) noexcept {
    return {name, static_cast<void*>(&pointer)};
}

/// Fills the pointers from the first library of these names that has all of the functions. False: there is none.
bool find(std::span<const char* const> names, std::span<const function> functions) noexcept;

inline std::uint32_t little(const unsigned char* p) noexcept {
    return static_cast<std::uint32_t>(p[0]) | static_cast<std::uint32_t>(p[1]) << 8 | static_cast<std::uint32_t>(p[2]) << 16 |
           static_cast<std::uint32_t>(p[3]) << 24;
}

/// Whether the bytes begin with a magic number of up to four bytes.
inline codec::match begins_with(bytes head, std::span<const unsigned char> magic) noexcept {
    for (std::size_t i = 0; i < magic.size(); ++i) {
        if (i == head.size()) return codec::match::more;
        if (head[i] != magic[i]) return codec::match::no;
    }
    return codec::match::yes;
}

/// Whether they begin a skippable frame: 5? 2A 4D 18, a length of four bytes, and so many bytes for somebody else.
inline codec::match skippable(bytes head) noexcept {
    static constexpr unsigned char rest[] = {0x2a, 0x4d, 0x18};
    if (head.empty()) return codec::match::more;
    return (head[0] & 0xf0) == 0x50 ? begins_with(head.subspan(1), rest) : codec::match::no;
}

}  // namespace kumihimo::inline v0::frame
