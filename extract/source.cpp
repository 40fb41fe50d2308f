#include "extract/source.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kumihimo::inline v0::extract {

bytes memory_source::view(std::size_t at_most) noexcept {
    const bytes piece = data_.subspan(at_, std::min(at_most, data_.size() - at_));
    at_ += piece.size();
    return piece;
}

errc memory_source::read(char* to, std::size_t room, std::size_t& got, context&) {
    const bytes piece = view(room);
    if (!piece.empty()) std::memcpy(to, piece.data(), piece.size());
    got = piece.size();
    return errc::ok;
}

descriptor_source::~descriptor_source() {
    if (owned_) ::close(fd_);
}

errc descriptor_source::read(char* to, std::size_t room, std::size_t& got, context& ctx) {
    got = 0;
    while (!ended_) {
        // Until a FIFO has had a writer, read() takes it for one that was closed; poll() does not.
        pollfd waiting[2] = {{fd_, POLLIN, 0}, {wake_, POLLIN, 0}};
        if (::poll(waiting, wake_ >= 0 ? 2 : 1, -1) < 0) {
            if (errno == EINTR) continue;
            return ctx.fail(errc::host, at_, "waiting for the input failed");
        }
        if (waiting[1].revents != 0) return ctx.fail(errc::host, at_, "the run was cancelled");
        const ssize_t n = ::read(fd_, to, room);
        if (n >= 0) {
            got = static_cast<std::size_t>(n);
            at_ += got;
            ended_ = n == 0 && room != 0;
            return errc::ok;
        }
        if (errno == EINTR || errno == EAGAIN) continue;
        ctx.fail(errc::host, at_, "reading failed");
        ctx.failure.path = std::strerror(errno);
        return errc::host;
    }
    return errc::ok;
}

bool descriptor_source::ready(int patience) noexcept {
    if (ended_) return true;
    pollfd waiting[2] = {{fd_, POLLIN, 0}, {wake_, POLLIN, 0}};
    return ::poll(waiting, wake_ >= 0 ? 2 : 1, patience) > 0;  // a signal brings no bytes
}

joined_source::~joined_source() {
    if (fd_ >= 0) ::close(fd_);
}

errc joined_source::open(context& ctx) {
    const std::string& path = paths_[next_];
    if (fetched_ != nullptr && fetched_->has(path)) {
        fd_ = fetched_->take(path, wake_, ctx.failure);
        if (fd_ < 0) {
            // Its name may hold a password.
            ctx.failure.path = "part " + std::to_string(next_ + 1) + " of " + std::to_string(paths_.size());
            return ctx.failure.code;
        }
        ::lseek(fd_, 0, SEEK_SET);  // one that is kept has one place for all who read it, one after the other
    } else {
        fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
        if (fd_ < 0) {
            ctx.fail(errc::host, at_, "a part cannot be opened");
            ctx.failure.path = path + ": " + std::strerror(errno);
            return errc::host;
        }
    }
    ++next_;
    return errc::ok;
}

errc joined_source::read(char* to, std::size_t room, std::size_t& got, context& ctx) {
    got = 0;
    for (;;) {
        if (fd_ < 0) {
            if (next_ == paths_.size()) return errc::ok;
            KUMIHIMO_TRY(open(ctx));
        }
        const ssize_t n = ::read(fd_, to, room);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            ctx.fail(errc::host, at_, "a part cannot be read");
            ctx.failure.path = paths_[next_ - 1] + ": " + std::strerror(errno);
            return errc::host;
        }
        got = static_cast<std::size_t>(n);
        at_ += got;
        if (n != 0 || room == 0) return errc::ok;
        ::close(fd_);
        fd_ = -1;
    }
}

errc prefixed_source::read(char* to, std::size_t room, std::size_t& got, context& ctx) {
    if (at_ == head_.size()) return rest_->read(to, room, got, ctx);
    got = std::min(room, head_.size() - at_);
    std::memcpy(to, head_.data() + at_, got);
    at_ += got;
    if (at_ == head_.size()) {
        head_ = {};
        at_ = 0;
    }
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
