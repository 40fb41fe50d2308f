#include "arena.hpp"

#include "deadline.hpp"
#include "earlier_handler.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace kumihimo::inline v0::mruby {

namespace {

// A stack for the handlers, so that a thread that has used up its own can be told from one that has not. A thread that has one
// keeps it.
class signal_stack {
public:
    static bool give() noexcept {
        static thread_local signal_stack mine;
        if (mine.memory_ != nullptr) return true;
        stack_t now{};
        if (sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) == 0) return true;
        void* const p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) return false;
        stack_t ours{};
        ours.ss_sp = p;
        ours.ss_size = size;
        if (sigaltstack(&ours, nullptr) != 0) return munmap(p, size), false;
        mine.memory_ = p;
        return true;
    }
    ~signal_stack() {
        if (memory_ == nullptr) return;
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        sigaltstack(&none, nullptr);
        munmap(memory_, size);
    }

private:
    static constexpr std::size_t size = 64 * 1024;
    void* memory_ = nullptr;
};

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

std::atomic<std::size_t> taken_now{0}, allowed{0}, kept_now{0};

}  // namespace

std::size_t mappings_taken() noexcept { return taken_now.load(std::memory_order_relaxed); }
std::size_t mappings_allowed() noexcept { return allowed.load(std::memory_order_relaxed); }
void allow_mappings(std::size_t n) noexcept { allowed = n; }

struct arena::block {
    std::uint64_t size_class;  // before the block's memory
    block* next;               // in it, while free
};

// Signals of a thread's own doing: a page of an image is written to for the first time, or mruby goes wrong.
struct fault {
    static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    static constexpr std::size_t count = sizeof signals / sizeof *signals;
    static thread_local arena* expected;  // whose image this thread may be writing to
    static earlier_handler before[count];
    static void on_fault(int, siginfo_t*, void*) noexcept;
    static bool ready() noexcept;
    static bool save(arena& a, const void* p) noexcept {
        return a.in_image(p) && a.save(static_cast<std::size_t>(static_cast<const char*>(p) - a.begin_) / arena::page);
    }
};
thread_local arena* fault::expected = nullptr;
earlier_handler fault::before[count];

void fault::on_fault(int signal, siginfo_t* info, void* context) noexcept {
    arena* const a = expected;
    if (a != nullptr && signal == SIGSEGV && save(*a, info->si_addr)) return;
    // mruby went wrong in its own code: the run ends, and its VM with it. What it may have destroyed is its arena. Or it did so
    // within libc (memcpy of what is nowhere, the stack's end in snprintf), where a lock may be held that nobody will let go.
    // A deadline waits until the thread is outside; this instruction does not go on, and the only other way is the end of the
    // process with all its requests. What of mruby's takes such locks (localtime_r, getaddrinfo) does it with pointers that
    // are sound.
    if (a != nullptr && deadline::here().may_leave()) deadline::here().leave(deadline::crashed, context);
    // Not ours. Whoever hands it back has nothing to do with it either.
    static thread_local earlier_handler::passing passing;
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const earlier_handler& next = before[std::find(signals, signals + count, signal) - signals];
    if (!passing.is_back(context, frame) && next.call(passing, frame, signal, info, context)) return;
    struct sigaction fatal {};
    fatal.sa_handler = SIG_DFL;
    sigaction(signal, &fatal, nullptr);  // the instruction faults again
}

// The handlers are put there by the first arena of the process, and again should somebody have replaced them.
bool fault::ready() noexcept {
    static std::mutex one;
    const std::lock_guard lock(one);
    sigset_t ours;
    sigemptyset(&ours);
    for (std::size_t i = 0; i < count; ++i) {
        sigaddset(&ours, signals[i]);
        struct sigaction now {};
        if (sigaction(signals[i], nullptr, &now) != 0) return false;
        if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault) continue;
        struct sigaction action {};
        action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
        action.sa_sigaction = on_fault;
        sigfillset(&action.sa_mask);  // a deadline waits until the page is saved
        if (!before[i].keep(now)) return false;
        if (sigaction(signals[i], &action, nullptr) != 0) return false;
    }
    return pthread_sigmask(SIG_UNBLOCK, &ours, nullptr) == 0 && signal_stack::give();
}

namespace {

constexpr std::size_t head = 8;                             // bytes before a block
constexpr std::size_t step = std::size_t{1} << 20;          // memory is taken from the system by this much
constexpr std::size_t kept = std::size_t{1} << 20;          // of what a run took, this stays for the next
constexpr std::size_t most_of_one = std::size_t{16} << 20;  // or this, where runs take it again and again
constexpr std::size_t most_kept = std::size_t{64} << 20;    // beyond that, of all arenas together
constexpr std::size_t many_pages = 64;                      // of saved ones: to be looked at more often
constexpr std::uint32_t look_every = 256;                   // restores between two looks at which pages are still written

constexpr std::size_t up(std::size_t n, std::size_t to) noexcept { return (n + to - 1) & ~(to - 1); }

// Sizes with their head: multiples of 16 up to 1024, then four to a doubling. The first head is 8 bytes behind a page's begin,
// so the memory behind each head is aligned to 16.
constexpr std::size_t small = 1024;
constexpr unsigned small_classes = small / 16;
unsigned class_of(std::size_t size, std::size_t& rounded) noexcept {
    if (size <= small) {
        rounded = up(size, 16);
        return static_cast<unsigned>(rounded / 16) - 1;
    }
    const unsigned bits = static_cast<unsigned>(std::bit_width(size - 1));  // 2^(bits-1) < size <= 2^bits
    const std::size_t quarter = (std::size_t{1} << (bits - 1)) / 4;
    rounded = up(size, quarter);
    const auto quarters = static_cast<unsigned>((rounded - (std::size_t{1} << (bits - 1))) / quarter);  // 1 to 4
    return small_classes + (bits - 11) * 4 + quarters - 1;
}
std::size_t size_of(unsigned c) noexcept {
    if (c < small_classes) return (c + 1) * std::size_t{16};
    const unsigned bits = (c - small_classes) / 4 + 11, quarters = (c - small_classes) % 4 + 1;
    return (std::size_t{1} << (bits - 1)) + quarters * ((std::size_t{1} << (bits - 1)) / 4);
}

}  // namespace

arena::use::use(arena& a) noexcept : outer_(fault::expected) { fault::expected = &a; }
arena::use::~use() { fault::expected = outer_; }

bool arena::open(std::size_t reserve, std::initializer_list<std::size_t> together) noexcept {
    reserve = up(reserve, step);
    if (allowed == 0) allowed = read_most() / 2;
    if (!fault::ready()) return false;
    void* const all = mmap(nullptr, reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return false;
    begin_ = image_end_ = writable_ = touched_ = static_cast<char*>(all);
    at_ = begin_ + head;
    end_ = limit_ = relief_ = begin_ + reserve;
    std::fill(free_, free_ + classes, nullptr);
    std::fill(freed_, freed_ + classes / 64, 0);
    extending_ = true;
    n_pieces_ = saved_ = 0;
    restores_ = 0;
    to_place_ = 0;
    tell_mappings();
    for (const std::size_t n : together) {
        std::size_t size;
        const unsigned c = class_of(n + head, size);
        if (to_place_ == sizeof places_ / sizeof *places_ || !grow(at_ + size)) return false;
        reinterpret_cast<block*>(at_)->size_class = c;
        places_[to_place_++] = {n, at_ + head};
        at_ += size;
    }
    return true;
}

void* arena::placed(std::size_t n) noexcept {
    for (place& p : places_) {
        if (p.size != n) continue;
        p.size = 0;
        --to_place_;
        return p.at;
    }
    return nullptr;
}

void arena::forget_freed() noexcept {
    for (unsigned i = 0; i < classes / 64; ++i) {
        for (std::uint64_t bits = freed_[i]; bits != 0; bits &= bits - 1)
            free_[i * 64 + static_cast<unsigned>(std::countr_zero(bits))] = nullptr;
        freed_[i] = 0;
    }
}

void arena::close() noexcept {
    if (begin_ == nullptr) return;
    munmap(begin_, static_cast<std::size_t>(end_ - begin_));
    if (copies_ != nullptr) munmap(copies_, copies_size_);
    begin_ = nullptr;
    copies_ = nullptr;
    copies_size_ = 0;
    keep_up_to(0);
    tell_mappings();
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

bool arena::grow(char* end) noexcept {
    if (end > end_) return false;
    if (end > writable_) {
        char* const to = std::min(begin_ + up(static_cast<std::size_t>(end - begin_), step), end_);
        if (mprotect(writable_, static_cast<std::size_t>(to - writable_), PROT_READ | PROT_WRITE) != 0) return false;
        writable_ = to;
    }
    touched_ = std::max(touched_, end);
    return true;
}

void* arena::full() noexcept {
    // Refused once, mruby collects its garbage and asks again. Refused twice, it would raise NoMemoryError from the middle of
    // anything, a way that few have gone before.
    if (on_full != nullptr) on_full(told);
    if (refused_ && on_exhausted != nullptr) on_exhausted(told);
    refused_ = true;
    return nullptr;
}

void* arena::fresh(std::size_t size, unsigned of) noexcept {
    char* const p = at_;
    if (over_limit() || size > static_cast<std::size_t>(limit_ - p) || (p + size > touched_ && !grow(p + size))) [[unlikely]]
        return full();
    at_ = p + size;
    refused_ = false;
    if (at_ > relief_) [[unlikely]] {
        relief_ = end_;
        if (on_relief != nullptr) on_relief(told);
    }
    auto* const b = reinterpret_cast<block*>(p);
    b->size_class = of;
    return p + head;
}

void* arena::allocate(void* p, std::size_t n) noexcept {
    if (p == nullptr) {
        if (n == 0) return nullptr;
        if (n > most()) return full();
        if (to_place_ != 0) [[unlikely]] {
            if (void* const there = placed(n)) return there;
        }
        std::size_t size;
        const unsigned c = class_of(n + head, size);
        if (block* const b = free_[c]; b != nullptr) {
            free_[c] = b->next;
            refused_ = false;
            return reinterpret_cast<char*>(b) + head;
        }
        return fresh(size, c);
    }
    auto* const b = reinterpret_cast<block*>(static_cast<char*>(p) - head);
    const auto c = static_cast<unsigned>(b->size_class);
    const std::size_t has = size_of(c);
    char* const start = reinterpret_cast<char*>(b);
    if (n == 0) {
        if (in_image(p) && !extending_) return nullptr;
        if (start + has == at_) {
            at_ = start;
        } else {
            b->next = free_[c];
            // Noted before it is done: a run may be left between the two.
            freed_[c / 64] |= std::uint64_t{1} << (c % 64);
            std::atomic_signal_fence(std::memory_order_seq_cst);
            free_[c] = b;
        }
        return nullptr;
    }
    if (n + head <= has && n + head > has / 2) return p;
    if (n > most()) return full();
    if (n + head > has && start + has == at_ && !in_image(p)) {  // the last block grows where it is
        std::size_t size;
        const unsigned larger = class_of(n + head, size);
        at_ = start;
        if (fresh(size, larger) != nullptr) return p;
        at_ = start + has;
        b->size_class = c;
        return nullptr;
    }
    void* const moved = allocate(nullptr, n);
    if (moved == nullptr) return n + head <= has ? p : nullptr;
    std::memcpy(moved, p, std::min(n, has - head));
    allocate(p, 0);
    return moved;
}

void arena::limit_to(std::size_t bytes, std::size_t relief) noexcept {
    const auto room = static_cast<std::size_t>(end_ - image_end_);
    refused_ = false;
    limit_ = std::max(at_, image_end_ + std::min(bytes, room));
    relief_ = image_end_ + std::min(relief, room);
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

// The pages that are not saved yet are as they were: they could not be written. Where the system refuses, the list goes on
// saying which ones can be.
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

// Pages that this run has not written are protected again, and saved no more, as far as they are not between two pieces that
// were joined. Comes before they are copied back. False: a page that is to be can no more be written.
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

// Memory beyond `kept` stays where run after run takes it: given back and taken again, each of its pages is a fault, which
// costs as much as writing the page. Now and then all of it goes, and what comes back is what runs take now.
void arena::give_back(bool look, bool again) noexcept {
    const auto used = static_cast<std::size_t>(touched_ - image_end_);
    if (look) {
        keep_up_to(std::min(keep_, up(used, page)));
        large_runs_ = 0;
    } else if (again && used > keep_) {
        if (++large_runs_ > 1) keep_up_to(up(used, step));
    }
    char* const keep = image_end_ + (look || !again ? kept : std::max(keep_, kept));
    if (touched_ <= keep) return;
    madvise(keep, static_cast<std::size_t>(touched_ - keep), MADV_DONTNEED);
    touched_ = keep;
}

// All arenas together keep no more than most_kept beyond what each may.
void arena::keep_up_to(std::size_t bytes) noexcept {
    const std::size_t before = std::max(keep_, kept) - kept, wanted = std::clamp(bytes, kept, most_of_one) - kept;
    if (wanted > before && kept_now.fetch_add(wanted - before, std::memory_order_relaxed) + wanted - before > most_kept) {
        kept_now.fetch_sub(wanted - before, std::memory_order_relaxed);
        return;
    }
    if (wanted < before) kept_now.fetch_sub(before - wanted, std::memory_order_relaxed);
    keep_ = kept + wanted;
}

void arena::extend_image() noexcept {
    std::copy(free_in_image_, free_in_image_ + classes, free_);
    std::fill(freed_, freed_ + classes / 64, ~std::uint64_t{0});
    extending_ = true;
}

}  // namespace kumihimo::inline v0::mruby
