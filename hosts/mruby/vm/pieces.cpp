// An arena's image: what of it is protected, saved and copied back, and how many of the system's mappings that takes.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "arena.hpp"

namespace kumihimo::inline v0::mruby {

namespace {

constexpr std::size_t always_retained = std::size_t{1} << 20;        // of what a run took, this stays for the next
constexpr std::size_t most_retained = std::size_t{16} << 20;         // or this, where runs take it again and again
constexpr std::size_t most_retained_by_all = std::size_t{64} << 20;  // beyond that, of all arenas together
constexpr std::size_t many_pages = 64;                               // of saved ones: to be looked at more often
constexpr std::uint32_t look_every = 256;  // restores between two looks at which pages are still written

std::atomic<std::size_t> taken_now{0}, allowed{0}, retained_by_all{0};

// What the system lets a process have; 65530 where it does not say.
std::size_t read_most() noexcept {
    char text[32] = "";
    if (const int file = open("/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC); file >= 0) {
        const ssize_t n = read(file, text, sizeof text - 1);
        close(file);
        text[n < 0 ? 0 : n] = '\0';
    }
    const std::size_t most = std::strtoul(text, nullptr, 10);
    return most == 0 ? 65530 : most;
}

}  // namespace

std::size_t mappings_taken() noexcept { return taken_now.load(std::memory_order_relaxed); }
std::size_t mappings_allowed() noexcept { return allowed.load(std::memory_order_relaxed); }
void allow_mappings(std::size_t n) noexcept { allowed = n; }

void arena::know_mappings_allowed() noexcept {
    if (allowed == 0) allowed = read_most() / 2;
}

// The image's stretches, the memory behind it that is taken, the rest of the addresses, and the copies.
void arena::tell_mappings() noexcept {
    std::size_t n = 0;
    if (begin_ != nullptr) {
        n = 3;
        if (image() != 0 && n_pieces_ == 0) ++n;
        for (std::size_t i = 0; i < n_pieces_; ++i) n += 1 + (pieces_[i].begin != 0);
        if (n_pieces_ != 0 && pieces_[n_pieces_ - 1].end != pages()) ++n;
    }
    if (n != told_) taken_now.fetch_add(n - told_, std::memory_order_relaxed);
    told_ = n;
}

bool arena::commit() noexcept {
    char* const end = at_ == image_end_ + head ? image_end_ : begin_ + up(static_cast<std::size_t>(at_ - begin_), page);
    if (!grow(end)) return false;
    const auto size = static_cast<std::size_t>(end - begin_);
    // Room for the copies of all, though few will be used.
    if (size <= copies_size_) {
        madvise(copies_, copies_size_, MADV_DONTNEED);
    } else {
        const std::size_t room = up(size + size / 8, page);
        void* const copies = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (copies == MAP_FAILED) return false;
        if (copies_ != nullptr) munmap(copies_, copies_size_);
        copies_ = static_cast<char*>(copies);
        copies_size_ = room;
    }
    image_end_ = end;
    at_ = end + head;
    std::copy(free_, free_ + classes, free_in_image_);
    forget_freed();
    to_place_ = 0;
    extending_ = false;
    n_pieces_ = saved_ = 0;
    // Where it cannot be protected (too many mappings), the pages are all saved and stay writable.
    const bool done = (mappings_taken() <= mappings_allowed() && mprotect(begin_, size, PROT_READ) == 0) || save_all();
    tell_mappings();
    return done;
}

// Page by page: this is the handler's work, and a larger copy is an end of a run that is late (long_calls.cpp).
void arena::copy_pages(std::size_t begin, std::size_t end) noexcept {
    for (std::size_t i = begin; i < end; ++i) std::memcpy(copies_ + i * page, begin_ + i * page, page);
}

// Pages that are in no piece yet; at most one piece more than there may be.
bool arena::save_pages(std::size_t begin, std::size_t end) noexcept {
    copy_pages(begin, end);
    if (mprotect(begin_ + begin * page, (end - begin) * page, PROT_READ | PROT_WRITE) != 0) return false;
    saved_ += end - begin;
    std::size_t i = 0;
    while (i < n_pieces_ && pieces_[i].end < begin) ++i;
    if (i == n_pieces_ || pieces_[i].begin > end) {
        std::copy_backward(pieces_ + i, pieces_ + n_pieces_, pieces_ + n_pieces_ + 1);
        pieces_[i] = {begin, end};
        ++n_pieces_;
        return true;
    }
    pieces_[i].begin = std::min(pieces_[i].begin, begin);
    pieces_[i].end = std::max(pieces_[i].end, end);
    if (i + 1 < n_pieces_ && pieces_[i + 1].begin == pieces_[i].end) {
        pieces_[i].end = pieces_[i + 1].end;
        std::copy(pieces_ + i + 2, pieces_ + n_pieces_, pieces_ + i + 1);
        --n_pieces_;
    }
    return true;
}

void arena::join_closest() noexcept {
    std::size_t closest = 0;
    for (std::size_t i = 1; i + 1 < n_pieces_; ++i)
        if (pieces_[i + 1].begin - pieces_[i].end < pieces_[closest + 1].begin - pieces_[closest].end) closest = i;
    if (!save_pages(pieces_[closest].end, pieces_[closest + 1].begin)) save_all();
}

bool arena::save(std::size_t index) noexcept {
    // A page that is writable already: it was not for writing that it faulted.
    for (std::size_t i = 0; i < n_pieces_; ++i)
        if (index >= pieces_[i].begin && index < pieces_[i].end) return false;
    // One piece too many stays where two could not be joined.
    if (mappings_taken() > mappings_allowed() || n_pieces_ > most_pieces || !save_pages(index, index + 1)) return save_all();
    if (n_pieces_ > most_pieces) join_closest();
    tell_mappings();
    return true;
}

// The pages that are not saved yet are as they were: they could not be written. Where the system refuses, the list
// goes on saying which ones can be.
bool arena::save_all() noexcept {
    if (all_saved() && n_pieces_ != 0) return false;
    std::size_t at = 0;
    for (std::size_t i = 0; i <= n_pieces_; ++i) {
        const std::size_t end = i == n_pieces_ ? pages() : pieces_[i].begin;
        copy_pages(at, end);
        at = i == n_pieces_ ? end : pieces_[i].end;
    }
    if (mprotect(begin_, image(), PROT_READ | PROT_WRITE) != 0) return false;
    pieces_[0] = {0, pages()};
    n_pieces_ = 1;
    saved_ = pages();
    tell_mappings();
    return true;
}

// Pages that this run has not written are protected again, and saved no more, as far as they are not between two
// pieces that were joined. Comes before they are copied back. False: a page that is to be can no more be written.
bool arena::protect_unwritten() noexcept {
    if (mappings_taken() > mappings_allowed()) return true;
    piece now[most_pieces + 1];
    std::size_t n = 0;
    const auto written = [&](std::size_t i) { return std::memcmp(begin_ + i * page, copies_ + i * page, page) != 0; };
    for (std::size_t k = 0; k < n_pieces_; ++k) {
        for (std::size_t i = pieces_[k].begin; i < pieces_[k].end; ++i) {
            if (!written(i)) continue;
            if (n != 0 && now[n - 1].end == i) {
                now[n - 1].end = i + 1;
                continue;
            }
            now[n++] = {i, i + 1};
            if (n <= most_pieces) continue;
            // Only what lies within one piece can be joined: between two of them nothing is saved.
            std::size_t closest = n;
            for (std::size_t j = 0; j + 1 < n; ++j) {
                const bool saved_between = std::any_of(pieces_, pieces_ + n_pieces_, [&](const piece& p) {
                    return now[j].begin >= p.begin && now[j + 1].end <= p.end;
                });
                if (saved_between &&
                    (closest == n || now[j + 1].begin - now[j].end < now[closest + 1].begin - now[closest].end))
                    closest = j;
            }
            now[closest].end = now[closest + 1].end;
            std::copy(now + closest + 2, now + n, now + closest + 1);
            --n;
        }
    }
    // What of a piece is not in the new ones. It is as its copy, so where the system refuses nothing is lost.
    const auto each_left = [&](auto&& work) {
        std::size_t k = 0;
        for (std::size_t i = 0; i < n_pieces_; ++i) {
            for (std::size_t at = pieces_[i].begin; at < pieces_[i].end;) {
                while (k < n && now[k].end <= at) ++k;
                const bool more = k < n && now[k].begin < pieces_[i].end;
                const std::size_t to = more ? now[k].begin : pieces_[i].end;
                if (to > at && !work(at * page, (to - at) * page)) return false;
                at = more ? now[k].end : to;
            }
        }
        return true;
    };
    if (!each_left([&](std::size_t at, std::size_t size) { return mprotect(begin_ + at, size, PROT_READ) == 0; })) {
        if (!all_saved()) return save_all();
        return mprotect(begin_, image(), PROT_READ | PROT_WRITE) == 0;
    }
    each_left([&](std::size_t at, std::size_t size) { return madvise(copies_ + at, size, MADV_DONTNEED) == 0; });
    std::size_t saved = 0;
    for (std::size_t i = 0; i < n; ++i) saved += now[i].end - now[i].begin;
    std::copy(now, now + n, pieces_);
    n_pieces_ = n;
    saved_ = saved;
    tell_mappings();
    return true;
}

bool arena::restore(std::span<const range> but, bool again) noexcept {
    if (copies_ == nullptr) return true;
    const bool look = ++restores_ >= look_every;
    if ((look || (saved_ > many_pages && restores_ % (look_every / 16) == 0)) && !protect_unwritten()) return false;
    if (look) restores_ = 0;
    for (std::size_t i = 0; i < n_pieces_; ++i) {
        char* const to = begin_ + pieces_[i].begin * page;
        const char* const from = copies_ + pieces_[i].begin * page;
        const std::size_t size = (pieces_[i].end - pieces_[i].begin) * page;
        std::size_t done = 0;
        for (const range& r : but) {
            if (r.end <= to + done || r.begin >= to + size) continue;
            const std::size_t until = r.begin <= to + done ? done : static_cast<std::size_t>(r.begin - to);
            std::memcpy(to + done, from + done, until - done);
            done = static_cast<std::size_t>(std::min<const char*>(r.end, to + size) - to);
        }
        std::memcpy(to + done, from + done, size - done);
    }
    at_ = image_end_ + head;
    forget_freed();
    extending_ = false;
    give_back(look, again);
    return true;
}

// Memory beyond `always_retained` stays where run after run takes it: given back and taken again, each of its pages is
// a fault, which costs as much as writing the page. Now and then all of it goes, and what comes back is what runs take
// now.
void arena::give_back(bool look, bool again) noexcept {
    const auto used = static_cast<std::size_t>(touched_ - image_end_);
    if (look) {
        retain_up_to(std::min(retained_, up(used, page)));
        large_runs_ = 0;
    } else if (again && used > retained_) {
        if (++large_runs_ > 1) retain_up_to(up(used, step));
    }
    char* const keep = image_end_ + (look || !again ? always_retained : std::max(retained_, always_retained));
    if (touched_ <= keep) return;
    madvise(keep, static_cast<std::size_t>(touched_ - keep), MADV_DONTNEED);
    touched_ = keep;
}

// All arenas together keep no more than most_retained_by_all beyond what each may.
void arena::retain_up_to(std::size_t bytes) noexcept {
    const std::size_t before = std::max(retained_, always_retained) - always_retained,
                      wanted = std::clamp(bytes, always_retained, most_retained) - always_retained;
    if (wanted > before &&
        retained_by_all.fetch_add(wanted - before, std::memory_order_relaxed) + wanted - before > most_retained_by_all) {
        retained_by_all.fetch_sub(wanted - before, std::memory_order_relaxed);
        return;
    }
    if (wanted < before) retained_by_all.fetch_sub(before - wanted, std::memory_order_relaxed);
    retained_ = always_retained + wanted;
}

}  // namespace kumihimo::inline v0::mruby
