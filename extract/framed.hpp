// Everything that is expanded on its way to text: which packing it is, and the stream or the call that undoes it.
// deflate and gzip by gzip.hpp, Deflate64 by inflate64.hpp; zstd, lz4, xz, bzip2 and LZMA here, by the engine's frames
// (engine/frame/frame.hpp).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/frame/frame.hpp"
#include "extract/expansion.hpp"
#include "extract/inflate.hpp"
#include "extract/input.hpp"
#include "extract/source.hpp"
#include "extract/zip.hpp"

namespace kumihimo::inline v0::extract {

/// lzma, deflate64: as Zips have them. sealed: what libarchive undoes (sealed.hpp).
enum class packing : std::uint8_t { none, deflate, gzip, zstd, lz4, xz, bzip2, lzma, deflate64, sealed };
inline constexpr std::size_t packings = static_cast<std::size_t>(packing::sealed) + 1;

/// Of a file, or of what an entry holds. none: text, or nothing that is read.
packing packing_of(content is) noexcept;
/// Of an entry's data in its Zip; only of methods that are read (zip_entry::readable).
packing packing_of(const zip_entry& entry) noexcept;

/// The engine's frame for it; nullptr: none is needed, or gzip.hpp does it.
const frame::codec* codec_of(packing packed_as) noexcept;

/// The length that a file's text will have, as far as the file says it; 0: it does not. A hint, no more.
std::uint64_t announced(packing packed_as, bytes file) noexcept;

/// Puts what expands `as` on top of `from`; nothing for none. `single`: one member (deflate is always one), and what
/// follows it is not looked at.
expanding_source& expand(source_chain& chain, byte_source& from, packing packed_as, const expansion& allowed,
                         bool single = false);

/// An LZMA entry of a Zip as .lzma files have it: 13 bytes of a header, and then `rest`. Empty: its own header is
/// damaged.
std::string lzma_header(const zip_entry& entry, bytes data, bytes& rest);

/// A frame of the engine as a stream. Failures have the user's options in their sentences, and count in the packed
/// bytes.
class frame_source final : public expanding_source {
public:
    frame_source(byte_source& from, const frame::codec& codec, const expansion& allowed, bool single) noexcept;
    frame_source(const frame_source&) = delete;
    frame_source& operator=(const frame_source&) = delete;

    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override;
    bool ready(int patience) noexcept override;
    std::uint64_t consumed() const noexcept override { return from_->consumed(); }
    std::uint64_t produced() const noexcept override { return frames_.produced(); }
    std::uint64_t proven() const noexcept override { return frames_.proven(); }
    std::uint64_t taken() const noexcept override { return frames_.taken(); }

private:
    byte_source* from_;
    expansion allowed_;
    context own_;
    frame::unpacker frames_;
    std::unique_ptr<char[]> input_;
    bytes left_;  // of input_
    bool single_, input_ended_ = false, ended_ = false, full_ = false;
};

struct size_words;

/// The engine's frames for data that is all there, one decompressor of each kind per worker.
class deframer {
public:
    deframer() = default;
    deframer(const deframer&) = delete;
    deframer& operator=(const deframer&) = delete;

    /// An entry, to exactly `size` bytes at `to`, where size + arena::slack may be written. As inflater::exact().
    errc exact(packing packed_as, bytes packed, char* to, std::size_t size, std::uint64_t at, context& ctx) noexcept;
    /// An LZMA entry.
    errc exact(const zip_entry& entry, bytes packed, char* to, context& ctx);
    /// The same for a block of a block file, whose bytes are proven already: no check sum of the text is computed.
    errc proven(packing packed_as, bytes packed, char* to, std::size_t size, std::uint64_t at, context& ctx,
                std::size_t room) noexcept;
    /// All frames of a file into `room`; `out` is the text. As gunzip().
    errc all(packing packed_as, bytes file, arena& room, const expansion& allowed, bytes& out, context& ctx) noexcept;

private:
    frame::unpacker& fresh(packing packed_as, const expansion& allowed, bool proven = false) noexcept;
    errc exact(frame::unpacker& from, const size_words& say, bytes head, bytes packed, char* to, std::size_t size,
               std::size_t room, std::uint64_t at, context& ctx) noexcept;

    context own_;
    std::array<std::optional<frame::unpacker>, packings> usual_, proven_;  // by packing
};

}  // namespace kumihimo::inline v0::extract
