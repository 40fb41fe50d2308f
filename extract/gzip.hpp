// gzip files (RFC 1952): one member or many, one after the other. Small ones whole, by libdeflate; large ones and
// pipes as streams, by zlib, which keeps its state between pieces. The stream class also expands one raw deflate
// stream, for large Zip entries.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "extract/expansion.hpp"
#include "extract/inflate.hpp"
#include "extract/source.hpp"

struct z_stream_s;

namespace kumihimo::inline v0::extract {

bool looks_like_gzip(bytes head) noexcept;

/// The length that the last member announces, modulo 2^32: a hint for the buffer's size, nothing to rely on.
std::size_t gzip_announced(bytes file) noexcept;

/// Expands all members of a gzip file at hand into `room`; `out` is the text. Zero bytes after the last member are
/// padding (tapes, block devices); anything else there is refused. Offsets of failures count in the file.
errc gunzip(bytes file, inflater& how, arena& room, const expansion& allowed, bytes& out, context& ctx);

/// A stream on top of another.
class inflate_source final : public expanding_source {
public:
    enum class wrapper : std::uint8_t { gzip, none };

    inflate_source(byte_source& from, wrapper w, const expansion& allowed) noexcept;
    ~inflate_source() override;
    inflate_source(const inflate_source&) = delete;
    inflate_source& operator=(const inflate_source&) = delete;

    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override;
    bool ready(int patience) noexcept override;
    std::uint64_t consumed() const noexcept override { return from_->consumed(); }
    std::uint64_t produced() const noexcept override { return produced_; }
    std::uint64_t proven() const noexcept override { return proven_; }
    std::uint64_t taken() const noexcept override;

private:
    errc refill(context& ctx);

    byte_source* from_;
    expansion allowed_;
    std::unique_ptr<z_stream_s> zlib_;
    std::unique_ptr<char[]> input_;
    std::uint64_t fed_ = 0, produced_ = 0, proven_ = 0;
    wrapper wrapper_;
    bool ready_ = false, input_ended_ = false, between_ = true, ended_ = false, padding_ = false;
};

}  // namespace kumihimo::inline v0::extract
