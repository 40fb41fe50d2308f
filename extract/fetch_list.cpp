#include "extract/fetch_list.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::chrono::milliseconds look{20};  // for a run that was cancelled

bool readable(int descriptor) noexcept {
    pollfd one{descriptor, POLLIN, 0};
    return descriptor >= 0 && ::poll(&one, 1, 0) > 0;
}

// What it takes on the disk: of a Zip the entries that are not wanted are holes.
std::uint64_t size_of(int file) noexcept {
    struct stat s;
    return ::fstat(file, &s) == 0 ? static_cast<std::uint64_t>(s.st_blocks) * 512 : 0;
}

}  // namespace

fetch_list::fetch_list(std::vector<std::string> order) {
    for (std::string& path : order) {
        const auto [known, fresh] = at_.try_emplace(path, items_.size());
        order_.push_back(known->second);
        if (fresh) items_.emplace_back().path = std::move(path);
    }
}

fetch_list::~fetch_list() {
    for (item& i : items_)
        if (i.file >= 0) ::close(i.file);
}

fetch_list::item* fetch_list::find(std::string_view path) noexcept {
    const auto known = at_.find(path);
    return known == at_.end() ? nullptr : &items_[known->second];
}

// It is another's, or closed.
void fetch_list::drop(item& i) noexcept {
    i.file = -1;
    i.is = state::away;
    if (!i.kept) return;
    i.kept = false;
    --kept_;
    bytes_ -= i.size;
}

int fetch_list::take(std::string_view path, int wake, failure& why) {
    why = {};
    why.code = errc::host;
    std::unique_lock lock(lock_);
    const std::size_t index = at_.find(path)->second;
    item* const i = &items_[index];
    while (i->is == state::away || i->is == state::asked_for) {
        if (readable(wake)) {
            why.what = "the run was cancelled";
            return -1;
        }
        // Another reader of the same may have taken what came.
        if (i->is == state::away && std::find(wanted_.begin(), wanted_.end(), index) == wanted_.end()) wanted_.push_back(index);
        came_.wait_for(lock, look);
    }
    const auto here = [&](std::size_t from) {
        return std::find(order_.begin() + static_cast<std::ptrdiff_t>(from), order_.end(), index);
    };
    auto place = here(next_);
    if (place == order_.end()) place = here(0);  // from the beginning again
    next_ = static_cast<std::size_t>(place - order_.begin()) + 1;
    if (i->is == state::refused) {
        why.what = i->why.c_str();
        return -1;
    }
    const bool room = i->kept || kept_ == 0 || (kept_ < most_kept && bytes_ + i->size <= most_bytes);
    if (last_ || !room) {
        const int file = i->file;
        drop(*i);
        return file;
    }
    const int file = ::fcntl(i->file, F_DUPFD_CLOEXEC, 3);
    if (file < 0) {
        why.what = "the temporary file of this input cannot be opened again";
        why.path = std::strerror(errno);
    } else if (!i->kept) {
        i->kept = true;
        ++kept_;
        bytes_ += i->size;
    }
    return file;
}

void fetch_list::last_reading() {
    const std::lock_guard lock(lock_);
    last_ = true;
}

fetch_list::said fetch_list::next(std::string& path) {
    const std::lock_guard lock(lock_);
    const auto ask = [&](std::size_t index) {
        item& i = items_[index];
        if (i.is != state::away) return false;
        path = i.path;  // without memory for it, it is asked for later
        i.is = state::asked_for;
        return true;
    };
    while (!wanted_.empty()) {
        const std::size_t index = wanted_.front();
        wanted_.pop_front();
        if (ask(index)) return said::path;
    }
    for (std::size_t k = next_; k < order_.size() && k < next_ + ahead; ++k)
        if (ask(order_[k])) return said::path;
    return last_ && next_ == order_.size() ? said::over : said::nothing_now;
}

void fetch_list::give(std::string_view path, int file) noexcept {
    {
        const std::lock_guard lock(lock_);
        item* const i = find(path);
        if (i == nullptr || i->is != state::asked_for) {
            ::close(file);
            return;
        }
        i->file = file;
        i->size = size_of(file);
        i->is = state::here;
    }
    came_.notify_all();
}

void fetch_list::refuse(std::string_view path, std::string why) noexcept {
    {
        const std::lock_guard lock(lock_);
        item* const i = find(path);
        if (i == nullptr || i->is != state::asked_for) return;
        i->why = std::move(why);
        i->is = state::refused;
    }
    came_.notify_all();
}

}  // namespace kumihimo::inline v0::extract
