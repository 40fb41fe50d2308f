// The text of a stream that may be in a frame, which its first bytes tell. However much a packed piece holds, its text
// comes in pieces of bounded size: who takes small documents out of them needs little memory, also where somebody
// packed a bomb.
//
//      plain_stream from;
//      from.push(bytes);                      what was read; it stays where it is until next() has no more text
//      while ((code = from.next(text)) == errc::ok && !text.empty()) ...
//      from.end();                            no byte follows; then next() until it has no more
//
// Text that comes before a fault is given before the fault is told.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/frame/frame.hpp"

namespace kumihimo::inline v0::frame {

class plain_stream {
public:
    static constexpr std::size_t piece = std::size_t{256} << 10;  // bytes of text at a time, at most

    // A stream may be of any length; how large a document may be is its reader's question. The ratio's limit stays.
    explicit plain_stream(std::size_t window = limits{}.window) noexcept {
        ctx_.limits.size = static_cast<std::size_t>(-1) >> 1;
        ctx_.limits.window = window;
    }
    plain_stream(const plain_stream&) = delete;
    plain_stream& operator=(const plain_stream&) = delete;

    /// Only when next() has no more.
    void push(bytes read) noexcept {
        if (begun_ || (head_.size() == 0 && tells(read))) {
            left_ = read;
        } else if (!head_.append(reinterpret_cast<const char*>(read.data()), read.size())) {
            failed_ = ctx_.fail(errc::memory, 0, "out of memory");
            return;
        } else {
            left_ = {reinterpret_cast<const unsigned char*>(head_.data()), head_.size()};
        }
        if (!begun_ && tells(left_)) begin();
    }

    void end() noexcept {
        if (!begun_) begin();
        ended_ = true;
    }

    /// The text that comes next, valid until the next call; empty: there is none in what was pushed. After a failure
    /// every further call returns the same code.
    errc next(bytes& text) noexcept {
        text = {};
        if (failed_ != errc::ok || !begun_) return failed_;
        if (!unpacker_) {
            text = left_.first(std::min(left_.size(), piece));
            left_ = left_.subspan(text.size());
            return errc::ok;
        }
        if (!room_ && !(room_ = std::unique_ptr<char[]>(new (std::nothrow) char[piece])))
            return failed_ = ctx_.fail(errc::memory, 0, "out of memory");
        std::size_t got = 0;
        failed_ = unpacker_->expand(left_, room_.get(), piece, got);
        text = {reinterpret_cast<const unsigned char*>(room_.get()), got};
        if (got != 0) return errc::ok;
        if (failed_ == errc::ok && ended_) failed_ = unpacker_->finish();
        return failed_;
    }

    /// What a failure says; its offset counts in the packed bytes.
    const context& said() const noexcept { return ctx_; }
    /// The frame; nullptr: the stream is in none, or too few of its bytes were pushed to tell.
    const codec* found() const noexcept { return codec_; }

    /// Whether more bytes would not change which frame it is: a stream of "1\n" need not wait for a third byte.
    static bool tells(bytes head) noexcept {
        return head.size() >= 4 || std::none_of(all().begin(), all().end(),
                                                [head](const codec* one) { return one->begins(head) == codec::match::more; });
    }

private:
    void begin() noexcept {
        begun_ = true;
        codec_ = recognise(left_);
        if (codec_ != nullptr) unpacker_.emplace(*codec_, ctx_);
    }

    context ctx_;
    const codec* codec_ = nullptr;
    std::optional<unpacker> unpacker_;
    std::unique_ptr<char[]> room_;
    buffer head_;  // the first bytes, while they are too few
    bytes left_;   // of what was pushed
    bool begun_ = false, ended_ = false;
    errc failed_ = errc::ok;
};

}  // namespace kumihimo::inline v0::frame
