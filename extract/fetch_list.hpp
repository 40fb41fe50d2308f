// Inputs that the host fetches, because this library does not know how: files behind URLs. A run asks for one when it
// comes to it and waits; whoever fetches asks which is wanted next, and gives an open file or the reason why there is
// none.
//
//      in order   | read | read | at hand | next  next  next | not asked for yet ...
//                                ^ the run   `-- ahead --'
//
// So at most `ahead` files wait to be read. Some that were read are kept for another reading, while types are only
// guessed: as many as the first in order that `most_kept` and `most_bytes` have room for. Others are asked for again.
//
// All calls are open to any thread.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/context.hpp"

namespace kumihimo::inline v0::extract {

class fetch_list {
public:
    static constexpr std::size_t ahead = 3, most_kept = 128;
    static constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30;

    /// `order`: in which they are read; one that comes twice is read twice.
    explicit fetch_list(std::vector<std::string> order);
    ~fetch_list();
    fetch_list(const fetch_list&) = delete;
    fetch_list& operator=(const fetch_list&) = delete;

    bool has(std::string_view path) const noexcept { return at_.find(path) != at_.end(); }

    // ---- the run

    /// Of one that it has. An open file, the caller's own; -1: `why` says, and its texts live as long as this list.
    /// Comes back when `wake` becomes readable; -1: there is no such descriptor.
    int take(std::string_view path, int wake, failure& why);
    /// What is read from here on is not read again.
    void last_reading();

    // ---- who fetches

    enum class said : std::uint8_t { path, nothing_now, over };
    /// The next one to fetch, which is then the caller's to give() or to refuse().
    said next(std::string& path);
    /// The descriptor is the list's from here on.
    void give(std::string_view path, int file) noexcept;
    void refuse(std::string_view path, std::string why) noexcept;

private:
    enum class state : std::uint8_t { away, asked_for, here, refused };
    struct item {
        std::string path, why;
        state is = state::away;
        int file = -1;
        std::uint64_t size = 0;
        bool kept = false;
    };

    item* find(std::string_view path) noexcept;
    void drop(item& i) noexcept;

    std::mutex lock_;
    std::condition_variable came_;
    std::vector<item> items_;
    std::map<std::string, std::size_t, std::less<>> at_;  // by path
    std::vector<std::size_t> order_;                      // of items
    std::size_t next_ = 0;                                // of order_: behind what was taken last
    std::deque<std::size_t> wanted_;                      // somebody waits for these
    std::size_t kept_ = 0;
    std::uint64_t bytes_ = 0;  // of what is kept
    bool last_ = false;
};

}  // namespace kumihimo::inline v0::extract
