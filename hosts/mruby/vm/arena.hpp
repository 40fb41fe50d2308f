// A VM's memory: one range of addresses that no other VM shares, and a picture of it to come back to.
//
//      begin           image_end             at                     limit of the run
//      | image         | what the run took   | never used yet ...   |
//        read-only until written: a page that is written for the first time faults, its old bytes are saved, and it is writable
//
// restore() copies the saved pages back and forgets what lies behind image_end, so the cost of isolation is that of
// the pages a script writes, not of the image: two for a small script, of an image of sixty. Pages written once will
// be written again, so they stay writable, and saved; every so often those that were not are protected again. What was
// tried: copying the whole image back, 250 KB and more with every script: 16 us, and 46 where 32 VMs take turns.
//
// The system keeps a mapping for each stretch of pages with the same rights, and a process has 65530 of these
// (vm.max_map_count), without which nobody in it gets memory. So what is saved and writable is a few pieces: where one
// more would be too many, the two that lie closest are joined, and the pages between them copied for nothing. Where
// the process has few mappings left, an image is a single piece: all of it is copied.
//
//      image   |  read-only  | piece |   read-only   |  piece  | read-only |
//      copies                | piece |               |  piece  |                at the same distance from their begin
//
// Blocks have eight bytes before them with their size class, and whether they are free. What is freed is kept by
// class, and cut or joined where memory would be full; not so blocks of the image, which a restore() brings back
// anyway. Only its own thread may touch an arena.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace kumihimo::inline v0::mruby {

class arena {
public:
    /// Reserves addresses, not memory, and takes the signals of faults; false if that is not possible. The first block
    /// of each of the sizes `together` will lie beside the one before, at the begin.
    bool open(std::size_t reserve, std::initializer_list<std::size_t> together = {}) noexcept;
    void close() noexcept;
    arena() = default;
    ~arena() { close(); }
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;

    /// Like realloc: p null is a new block, n 0 frees. Null where the limit is reached.
    void* allocate(void* p, std::size_t n) noexcept;
    /// What may be taken beside the image, in bytes; and how much makes `relief` true, for whoever collects garbage.
    void limit_to(std::size_t bytes, std::size_t relief) noexcept;
    /// Told, once per run, that the run has taken more than `relief`; and whenever there is no more to take.
    void (*on_relief)(void*) = nullptr;
    void (*on_full)(void*) = nullptr;
    /// Told when memory is refused although garbage was collected since. Need not return.
    void (*on_exhausted)(void*) = nullptr;
    void* told = nullptr;  // their argument

    /// Moves the limit by so much; it may then lie below what was taken.
    void spare(std::ptrdiff_t bytes) noexcept { limit_ += bytes; }
    bool over_limit() const noexcept { return at_ > limit_; }

    /// What is there now is the image. False if it cannot be protected: then there is no way back to it.
    bool commit() noexcept;
    /// Back to the image, except for what is known to be as it was, or to be of no matter: ranges in the order of
    /// their addresses.
    struct range {
        const char* begin;
        const char* end;
    };
    /// `again`: what the run has taken may be taken again by the next.
    /// False: the system refuses what it takes, and the image is lost.
    bool restore(std::span<const range> but = {}, bool again = false) noexcept;
    /// What is taken next will belong to the image: what is free in it may be used. Ends with commit() or restore().
    void extend_image() noexcept;

    bool covers(const void* p, std::size_t n) const noexcept {
        const auto* const c = static_cast<const char*>(p);
        return c >= begin_ && c < at_ && n <= static_cast<std::size_t>(at_ - c);
    }
    bool in_image(const void* p) const noexcept { return p >= begin_ && p < image_end_; }
    /// Bytes: of the image; taken in all; held from the system; and pages that restore() copies.
    std::size_t image() const noexcept { return static_cast<std::size_t>(image_end_ - begin_); }
    std::size_t taken() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
    std::size_t held() const noexcept { return static_cast<std::size_t>(touched_ - begin_) + saved_ * page; }
    std::size_t pages_copied() const noexcept { return saved_; }
    /// Mappings of the system's that this arena takes, and those that it takes at most.
    std::size_t mappings() const noexcept { return told_; }
    static constexpr std::size_t most_pieces = 8, most_mappings = 2 * most_pieces + 5;

    static constexpr std::size_t page = 4096;
    /// n, or the next multiple of a power of two.
    static constexpr std::size_t up(std::size_t n, std::size_t to) noexcept { return (n + to - 1) & ~(to - 1); }

    /// While one exists, writing to the image is what this thread does. They nest: one VM's code may wait for
    /// another's.
    class use {
    public:
        explicit use(arena&) noexcept;
        ~use();
        use(const use&) = delete;
        use& operator=(const use&) = delete;

    private:
        arena* outer_;
    };

private:
    struct block;
    static constexpr unsigned classes = 192;
    void* fresh(std::size_t size, unsigned size_class) noexcept;
    void* cut_or_join_free(std::size_t size, unsigned size_class) noexcept;
    void join_free() noexcept;
    void set_free(char* here, std::size_t bytes) noexcept;
    void set_free(block*, unsigned size_class) noexcept;
    bool room_for(std::size_t size, const char* from) const noexcept {
        return !over_limit() && size <= static_cast<std::size_t>(limit_ - from);
    }
    void* full() noexcept;
    void* placed(std::size_t n) noexcept;
    void forget_freed() noexcept;
    std::size_t most() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
    bool grow(char* end) noexcept;
    bool save(std::size_t index) noexcept;
    void copy_pages(std::size_t begin, std::size_t end) noexcept;
    bool save_pages(std::size_t begin, std::size_t end) noexcept;
    bool save_all() noexcept;
    void join_closest() noexcept;
    bool protect_unwritten() noexcept;
    std::size_t pages() const noexcept { return image() / page; }
    bool all_saved() const noexcept { return saved_ == pages(); }
    void tell_mappings() noexcept;
    void give_back(bool look, bool again) noexcept;
    void retain_up_to(std::size_t bytes) noexcept;
    static void know_mappings_allowed() noexcept;
    static constexpr std::size_t head = 8;                     // bytes before a block
    static constexpr std::size_t step = std::size_t{1} << 20;  // memory is taken from the system by this much
    friend struct fault;

    char* begin_ = nullptr;
    char* image_end_ = nullptr;  // a whole page
    char* at_ = nullptr;
    char* writable_ = nullptr;  // end of what the system lets be written
    char* touched_ = nullptr;   // end of what may hold memory
    char* limit_ = nullptr;
    char* relief_ = nullptr;
    char* end_ = nullptr;
    block* free_[classes] = {};
    block* free_in_image_[classes] = {};
    std::uint64_t freed_[classes / 64] = {};  // which of free_ may be other than null
    struct place {
        std::size_t size;
        char* at;
    };
    place places_[8] = {};
    std::size_t to_place_ = 0;  // how many of these are not taken yet
    bool extending_ = true;
    bool refused_ = false;

    char* copies_ = nullptr;  // as large as the image
    std::size_t copies_size_ = 0;
    struct piece {
        std::size_t begin, end;  // pages
    };
    piece pieces_[most_pieces + 1] = {};  // saved and writable, in the order of their addresses, apart
    std::size_t n_pieces_ = 0;
    std::size_t saved_ = 0;  // pages of all pieces
    std::uint32_t restores_ = 0;
    std::size_t told_ = 0;
    std::size_t retained_ = 0;  // bytes behind the image that stay for the next run
    unsigned large_runs_ = 0;   // that took more, since the last look
};

/// The mappings that this process's arenas take now.
std::size_t mappings_taken() noexcept;
/// How many they should take: half of what the process may have. Beyond it images are single pieces.
std::size_t mappings_allowed() noexcept;
/// For tests.
void allow_mappings(std::size_t) noexcept;

}  // namespace kumihimo::inline v0::mruby
