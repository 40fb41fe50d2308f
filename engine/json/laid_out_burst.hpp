// The burst (json/burst.hpp) of indented dialects: what the writer writes for them, without the writer's checks.
//
//      "a": 1,\n    "b": [\n        close()   ->   "a": 1,\n    "b": [],\n
//                  ^^^^         ^^^^^^^^                                 ^^^^
// Every value is followed by what stands before the next one: the separator, a line's end and the indentation. That
// line is kept ready, since the one of a level begins with that of the level above, and a short one is copied in two
// vectors. A container's end takes the last line back; at the document's level a line is a single byte, the caller's
// to take off.
//
// A verb is false where nothing was written, as in every burst. When memory is out for a long line behind a value,
// that value's verb is true, and lost(): no verb writes any more.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "engine/json/burst.hpp"

namespace kumihimo::inline v0::json {

namespace detail {
/// Bytes of a line that are copied without a look at its length.
inline constexpr std::size_t short_line = 32;
}  // namespace detail

template <output B, const escape_set& Escapes = rfc8259_escapes>
class laid_out_burst : private burst<B, Escapes, detail::short_line> {
    using base = burst<B, Escapes, detail::short_line>;
    using base::now_;
    using base::out_;

public:
    using base::any_double;
    using base::keys_are_values;
    using base::ready_room;
    using base::resume;
    using base::stop;
    using base::suspend;
    using base::trailing;

    /// Layouts whose lines all end alike, whose separator does not end in an opening bracket, and whose parts have 16
    /// bytes at most each. For any other one the writer is used.
    static bool suits(const dialect& dialect) noexcept {
        const layout& l = dialect.layout;
        const bool one_newline = !l.arrays_differ || l.array_newline == l.newline;
        const bool ends_a_value = !l.item.empty() && l.item.back() != '[' && l.item.back() != '{';
        return !l.compact() && one_newline && ends_a_value && l.item.size() <= most && l.key.size() <= most &&
               l.newline.size() <= most && l.indent.size() <= most && base::has_escapes(dialect);
    }

    laid_out_burst(B& out, const dialect& dialect, std::size_t largest = static_cast<std::size_t>(-1)) noexcept
        : base(out, dialect, largest),
          indent_(dialect.layout.indent),
          head_(dialect.layout.item.size()),
          key_size_(dialect.layout.key.size()),
          lines_(!dialect.layout.newline.empty()) {
        dialect.layout.key.copy(key_, most);
        std::size_t n = dialect.layout.item.copy(line_, most);
        n += dialect.layout.newline.copy(line_ + n, most);
        first_ = n;
        for (full_ = n; full_ + indent_.size() <= longest && !indent_.empty(); full_ += indent_.size())
            indent_.copy(line_ + full_, indent_.size());
        ready_ = full_;
        full_ = first_ + dialect.layout.level * indent_.size();
    }
    laid_out_burst(B&, const dialect&&, std::size_t = 0) = delete;  // the dialect must outlive it
    laid_out_burst(const laid_out_burst&) = default;
    laid_out_burst& operator=(const laid_out_burst&) = delete;

    [[gnu::always_inline]] bool null() noexcept { return base::null() && behind(); }
    [[gnu::always_inline]] bool boolean(bool b) noexcept { return base::boolean(b) && behind(); }
    [[gnu::always_inline]] bool i64(std::int64_t n) noexcept { return base::i64(n) && behind(); }
    [[gnu::always_inline]] bool f64(double x) noexcept { return base::f64(x) && behind(); }
    [[gnu::always_inline]] bool str(const char* s, std::size_t n) noexcept { return base::str(s, n) && behind(); }
    [[gnu::always_inline]] bool key(const char* s, std::size_t n) noexcept { return base::key(s, n) && colon(); }
    /// A short key that is ready, with a colon behind it.
    [[gnu::always_inline]] bool ready(const char* s, std::size_t n) noexcept { return base::ready(s, n) && colon(); }

    [[gnu::always_inline]] bool open(bool map, std::size_t) noexcept {
        if (!this->room(1 + detail::short_line)) [[unlikely]]
            return false;
        *now_.at++ = map ? '{' : '[';
        ++depth_;
        full_ += indent_.size();
        behind_ = full_;
        put(head_, full_ - head_);
        return true;
    }
    [[gnu::always_inline]] bool close(bool map) noexcept {
        if (!this->room(1 + detail::short_line)) [[unlikely]]
            return false;
        char* const p = now_.at - (full_ - head_);  // behind the last separator, or behind the bracket of an empty one
        full_ -= indent_.size();
        --depth_;
        if (p[-1] == (map ? '{' : '[')) {
            now_.at = p;
        } else {
            now_.at = p - head_;
            if (lines_) put(head_, full_ - head_);
            if (lost_) [[unlikely]]
                return true;
        }
        *now_.at++ = map ? '}' : ']';
        behind_ = depth_ == 0 ? 1 : full_;
        put(0, behind_);
        return true;
    }

    /// After resume(): the buffer was given a value, which is followed by its line now.
    void value_aside() noexcept {
        if (this->room(detail::short_line)) [[likely]]
            put(0, behind_);
        else
            lose();
    }
    bool lost() const noexcept { return lost_; }

private:
    static constexpr std::size_t most = 16;      // bytes of a layout's part
    static constexpr std::size_t longest = 128;  // of a line that is kept ready: more than a short one and a separator

    // Over the comma that the value brings.
    [[gnu::always_inline]] bool behind() noexcept {
        --now_.at;
        put(0, behind_);
        return true;
    }
    [[gnu::always_inline]] bool colon() noexcept {
        std::memcpy(now_.at - 1, key_, most);
        now_.at += key_size_ - 1;
        return true;
    }
    // A part of the line. short_line bytes are there.
    [[gnu::always_inline]] void put(std::size_t from, std::size_t n) noexcept {
        if (n <= detail::short_line) [[likely]] {
            std::memcpy(now_.at, line_ + from, detail::short_line);
            now_.at += n;
        } else {
            put_long(from, n);
        }
    }
    [[gnu::noinline]] void put_long(std::size_t from, std::size_t n) noexcept {
        // Another value's short line may follow at once.
        if (!this->room(n + 1 + detail::short_line)) return lose();
        const std::size_t known = std::min(n, ready_ - from);
        std::memcpy(now_.at, line_ + from, known);
        now_.at += known;
        for (n -= known; n != 0; n -= indent_.size()) now_.at += indent_.copy(now_.at, indent_.size());
    }
    [[gnu::cold]] void lose() noexcept {
        this->suspend();
        lost_ = true;
    }

    std::string_view indent_;
    std::size_t head_;  // bytes of the separator
    std::size_t key_size_;
    std::size_t first_;       // of the line without indentation
    std::size_t ready_;       // of line_: whole indentations
    std::size_t full_;        // of the line at this depth
    std::size_t behind_ = 1;  // of what follows a value
    std::size_t depth_ = 0;
    bool lines_;
    bool lost_ = false;
    char key_[most]{};
    char line_[longest + detail::short_line]{};  // separator, newline, indentations
};
static_assert(kumihimo::burst<laid_out_burst<buffer>, buffer, dialect>);

}  // namespace kumihimo::inline v0::json
