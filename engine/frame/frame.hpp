// Frames: compression around a document of any format. A file is one member or several, one behind the other:
//
//      | header ... check sum | header ... check sum | ...       gzip calls them members, zstd and lz4 frames
//
//      whole buffers   pack(), unpack()
//      streams         packer, unpacker: feed() with whatever piece is at hand, finish() at the end
//
// The work is done by zlib, libzstd and liblz4, for what is read only by liblzma and libbz2. They are found when first
// needed (library.hpp), so that the engine builds where none of them is installed; where one is missing, every call
// says what to install (errc::unsupported).
//
// Everything that unpacks keeps context::limits: size, ratio, window. Offsets of failures count in the packed bytes.
#pragma once
#include <climits>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"

namespace kumihimo::inline v0::frame {

/// The level that stands for the frame's usual one.
inline constexpr int usual_level = INT_MIN;

/// What one call to a library did.
struct step {
    std::size_t taken = 0, given = 0;  // bytes in, bytes out
    bool ended = false;                // the member is over; taken stands behind it
};

/// A library's decompressor: one member after the other. On failure `what` is the sentence.
class expander {
public:
    virtual ~expander() = default;
    virtual errc expand(bytes in, char* to, std::size_t room, step& done, const char*& what) noexcept = 0;
    /// Ready for a new member, whatever became of the last one.
    virtual void restart() noexcept = 0;
    /// The packed bytes are proven by somebody else: the text's check sum need not be computed, where the library has
    /// a way.
    virtual void trust() noexcept {}
};

/// A library's compressor. A member begins with the first call, or with the first one behind `finish`.
class compressor {
public:
    enum class mode : std::uint8_t {
        more,    // keep back what compresses better with what follows
        flush,   // all that came so far can be unpacked from what is in `out`
        finish,  // the member ends here
    };
    virtual ~compressor() = default;
    virtual errc compress(bytes in, mode flush_mode, buffer& out, const char*& what) noexcept = 0;
};

/// One row of the table of frames. What a row does not name is as of a frame that is read and not written, by a
/// stream.
struct codec {
    enum class match : std::uint8_t { no, more, yes };  // more: too few bytes to tell

    std::string_view name;                   // "gzip"
    std::string_view ending{};               // ".gz", of file names
    std::string_view media{};                // "application/gzip"
    std::string_view encoding{};             // as HTTP's Content-Encoding; empty where none is registered
    int lowest = 1, usual = 0, highest = 0;  // levels; so there are none
    int archival = 0;                        // the level for what is written once and read often
    bool padded = false;                     // zero bytes may follow the last member (tapes, block devices)
    bool padded_between = false;             // zero bytes may also stand between two members
    // A member without text, where the frame also has members that programs pass over, so that a file of it has a
    // place for an index; else nothing.
    bytes empty{};

    // Constant sentences: no such frame; something else behind the last member, where another one may follow; cut off;
    // the library is missing; which levels there are.
    const char* other;
    const char* after = nullptr;
    const char *cut, *missing;
    const char* levels = "this frame is read and not written";

    /// Whether a member begins with these bytes. Four are always enough.
    match (*begins)(bytes head);
    /// How long the text will be, as the frame itself says; 0 where it does not. A hint for a buffer's size, no more.
    std::uint64_t (*announced)(bytes file) = [](bytes) { return std::uint64_t{0}; };
    /// nullptr, and the code with its sentence, when the library is missing or memory is out.
    std::unique_ptr<expander> (*expand)(const limits& allowed, errc& code, const char*& what);
    /// Of frames that are read only it is null, and there are no levels.
    std::unique_ptr<compressor> (*compress)(int level, errc& code, const char*& what) = nullptr;
    /// Whole buffers, where the library has a faster way for them. False: do it as a stream, which also finds the
    /// words for what is wrong. `out` then is what it was.
    bool (*unpack)(bytes in, buffer& out, const limits& allowed) = nullptr;
    bool (*pack)(bytes in, buffer& out, int level) = nullptr;

    bool recognises(bytes head) const noexcept { return begins(head) == match::yes; }
};

extern const codec gzip, zstd, lz4;
/// Read, and not written; extraction knows them, and the table of frames does not.
extern const codec xz, bzip2;
/// An LZMA stream behind the 13 bytes of .lzma files' headers. Nothing tells it by its first bytes.
extern const codec lzma;

/// All frames, in the order in which their names are listed to users.
std::span<const codec* const> all() noexcept;
/// Those, and what is read only; not lzma.
std::span<const codec* const> readable() noexcept;
/// By name ("zstd"), by a file name's ending ("data.json.zst"), by its first bytes; nullptr: none.
const codec* by_name(std::string_view name) noexcept;
const codec* by_ending(std::string_view file, std::span<const codec* const> among = all()) noexcept;
const codec* recognise(bytes head) noexcept;

/// The level that a caller asks for, in `level`. `by` nullptr: no frame is named (errc::misuse). errc::range: the
/// frame has no such level. `what` is then the sentence. Hosts' numbers of any size come as doubles, which levels are
/// well within.
errc choose_level(const codec* by, double asked, int& level, const char*& what) noexcept;

/// Whether the frame's library is there; what to install otherwise is its `missing`.
bool available(const codec& by) noexcept;

/// Appends the text of all members to `out`. After a failure `out` holds what it held before.
errc unpack(const codec& by, bytes in, buffer& out, context& ctx) noexcept;
/// Appends one member that holds `in`. errc::range: the frame has no such level. After a failure as above. The bytes
/// may differ from one release of a library to the next.
errc pack(const codec& by, bytes in, buffer& out, int level, context& ctx) noexcept;

/// Unpacks a stream of members. After a failure every further call returns the same code.
class unpacker {
public:
    /// `single`: of one member; what follows it is not taken.
    /// `proven`: the packed bytes are known to be those that were written, so that no check sum of the text is needed.
    unpacker(const codec& by, context& ctx, bool single = false, bool proven = false) noexcept
        : codec_(&by), ctx_(&ctx), single_(single), trusted_(proven) {}

    /// Appends to `out` all text that the bytes so far hold.
    errc feed(bytes chunk, buffer& out) noexcept;
    /// The same for a caller with room of its own: takes bytes from the front of `in`, and writes at most `room` bytes
    /// of text. got < room: there is no more text in what was given, and `in` is empty, unless a single member is
    /// over.
    errc expand(bytes& in, char* to, std::size_t room, std::size_t& got) noexcept;
    /// No byte follows: errc::truncated inside of a member, or where there was none.
    errc finish() noexcept;
    /// Ready for another stream, whatever became of the last one; keeps the library's memory.
    void restart() noexcept;

    bool between() const noexcept { return between_ && held_ == 0; }  // at a member's end
    std::uint64_t taken() const noexcept { return taken_; }           // packed bytes
    std::uint64_t produced() const noexcept { return produced_; }     // bytes of text
    std::uint64_t proven() const noexcept { return proven_; }         // of whole members, whose check sums matched
    std::uint64_t members() const noexcept { return members_; }

private:
    errc begin(bytes& in) noexcept;
    errc run(bytes in, char* to, std::size_t room, step& done) noexcept;
    errc fail(errc code, std::uint64_t offset, const char* what) noexcept;

    const codec* codec_;
    context* ctx_;
    std::unique_ptr<expander> library_;
    std::uint64_t taken_ = 0, produced_ = 0, proven_ = 0, members_ = 0;
    unsigned char head_[4] = {};  // a member's first bytes, while they are too few to tell what they are
    std::size_t held_ = 0;
    bool single_, trusted_, between_ = true, padding_ = false, drained_ = true;
    errc failed_ = errc::ok;
};

/// Packs a stream into one member, or several: what is fed after finish() is the next one.
class packer {
public:
    packer(const codec& by, context& ctx, int level = usual_level) noexcept : codec_(&by), ctx_(&ctx), level_(level) {}

    /// The library keeps back what it likes.
    errc feed(bytes chunk, buffer& out) noexcept { return run(chunk, compressor::mode::more, out); }
    /// All that was fed can be unpacked by now. Costs size, if done often.
    errc flush(buffer& out) noexcept { return run({}, compressor::mode::flush, out); }
    errc finish(buffer& out) noexcept { return run({}, compressor::mode::finish, out); }

private:
    errc run(bytes in, compressor::mode flush_mode, buffer& out) noexcept;

    const codec* codec_;
    context* ctx_;
    std::unique_ptr<compressor> library_;
    std::uint64_t fed_ = 0;
    int level_;
    errc failed_ = errc::ok;
};

}  // namespace kumihimo::inline v0::frame
