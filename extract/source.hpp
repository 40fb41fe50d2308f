// Where raw bytes are pulled from in pieces, when they are not all at hand: a file descriptor, mapped bytes, a
// decompressor on top of either (gzip.hpp). Called once per some hundred KB, so a virtual call costs nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "extract/fetch_list.hpp"

namespace kumihimo::inline v0::extract {

class byte_source {
public:
    virtual ~byte_source() = default;

    /// Up to `room` bytes to `to`; got == 0 with errc::ok is the end. The failure's offset counts in the source's own
    /// input, and `detail` in the failure's path is the operating system's word, if it has one.
    virtual errc read(char* to, std::size_t room, std::size_t& got, context& ctx) = 0;

    /// Waits up to `patience` milliseconds until read() has something to say at once: bytes, the end, a failure.
    /// False: the other side is silent, so that whoever has something at hand should go on with it.
    virtual bool ready(int patience) noexcept {
        static_cast<void>(patience);
        return true;
    }

    /// Bytes of the original input taken so far: compressed ones where a decompressor is on top. For progress.
    virtual std::uint64_t consumed() const noexcept = 0;
};

/// A decompressor on top of another source.
class expanding_source : public byte_source {
public:
    virtual std::uint64_t produced() const noexcept = 0;
    /// Of that, bytes of whole members, whose check sums matched.
    virtual std::uint64_t proven() const noexcept = 0;
    /// Packed bytes that it used.
    virtual std::uint64_t taken() const noexcept = 0;
};

/// Bytes at hand.
class memory_source final : public byte_source {
public:
    explicit memory_source(bytes data) noexcept : data_(data) {}
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override;
    std::uint64_t consumed() const noexcept override { return at_; }
    /// The next bytes without copying them; empty at the end.
    bytes view(std::size_t at_most) noexcept;

private:
    bytes data_;
    std::size_t at_ = 0;
};

/// A file descriptor, blocking or not: a pipe, a terminal, standard input. Waits in poll(), so that `wake` (readable =
/// cancelled) ends a read that would otherwise last as long as the other side is silent, or not there yet; -1 for
/// none. Owns the descriptor when asked to. `before` bytes were read from it already, and count.
class descriptor_source final : public byte_source {
public:
    descriptor_source(int fd, bool owned, int wake, std::uint64_t before = 0) noexcept
        : fd_(fd), wake_(wake), owned_(owned), at_(before) {}
    ~descriptor_source() override;
    descriptor_source(const descriptor_source&) = delete;
    descriptor_source& operator=(const descriptor_source&) = delete;
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override;
    bool ready(int patience) noexcept override;
    std::uint64_t consumed() const noexcept override { return at_; }
    /// Nothing more is read: its end was seen before.
    void end() noexcept { ended_ = true; }

private:
    int fd_, wake_;
    bool owned_;
    bool ended_ = false;  // a FIFO that is read behind its end gives what another writer brings
    std::uint64_t at_;
};

/// Files one behind the other, as one.
class joined_source final : public byte_source {
public:
    /// `paths` must outlive the source, and so must `fetched`, which may be null; `wake` as of descriptor_source.
    joined_source(std::span<const std::string> paths, fetch_list* fetched, int wake) noexcept
        : paths_(paths), fetched_(fetched), wake_(wake) {}
    ~joined_source() override;
    joined_source(const joined_source&) = delete;
    joined_source& operator=(const joined_source&) = delete;
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override;
    std::uint64_t consumed() const noexcept override { return at_; }

private:
    errc open(context& ctx);

    std::span<const std::string> paths_;
    fetch_list* fetched_;
    int wake_;
    std::size_t next_ = 0;
    int fd_ = -1;
    std::uint64_t at_ = 0;
};

/// Some bytes read ahead (to see what they are), then the rest of the source.
class prefixed_source final : public byte_source {
public:
    prefixed_source(std::string head, byte_source& rest) noexcept : head_(static_cast<std::string&&>(head)), rest_(&rest) {}
    errc read(char* to, std::size_t room, std::size_t& got, context& ctx) override;
    bool ready(int patience) noexcept override { return at_ != head_.size() || rest_->ready(patience); }
    std::uint64_t consumed() const noexcept override { return rest_->consumed(); }

private:
    std::string head_;
    std::size_t at_ = 0;
    byte_source* rest_;
};

/// Owns sources that stand on top of one another: the first reads the input, each other one reads the one before it.
class source_chain {
public:
    template <class S, class... A>
    S& add(A&&... arguments) {
        auto made = std::make_unique<S>(std::forward<A>(arguments)...);
        S& s = *made;
        sources_.push_back(std::move(made));
        return s;
    }
    bool empty() const noexcept { return sources_.empty(); }
    const byte_source& first() const noexcept { return *sources_.front(); }

private:
    std::vector<std::unique_ptr<byte_source>> sources_;
};

}  // namespace kumihimo::inline v0::extract
