// The calling thread's compiled regular expressions. They lie outside of mruby's memory, as no finalizer would free
// them: a Regexp of a script's holds its source and a place to look here first.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kumihimo::inline v0::mruby {

/// Text to search in, and what it is made of, which decides how a pattern is compiled for it.
struct subject {
    enum class kind : std::uint8_t { ascii, utf8, bytes };
    const char* data = "";
    std::size_t size = 0;
    kind type = kind::ascii;

    subject() = default;
    explicit subject(std::string_view s) noexcept;
    subject(std::string_view s, kind type) noexcept : data(s.data()), size(s.size()), type(type) {}
    std::string_view view() const noexcept { return {data, size}; }
    /// How long the character at `at` is; 1 at the end.
    std::size_t character(std::size_t at) const noexcept;
};

enum class matched : std::uint8_t { yes, no, too_hard, failed };

/// A pattern that compiles. Valid until the thread finds a pattern, or matches another: what that compiles may take
/// its place.
class pattern {
public:
    pattern() = default;
    ~pattern();
    pattern(const pattern&) = delete;
    pattern& operator=(const pattern&) = delete;
    static constexpr std::size_t unset = ~std::size_t{0};

    /// Begins at `from`, or with `here` only exactly there. The bounds of group i are at()[2i] and at()[2i+1], until
    /// the thread's next match. Opens host_sections of its own, so that a deadline can leave between two; the caller
    /// is in none.
    matched match(const subject& in, std::size_t from, bool here = false);
    static const std::size_t* offsets() noexcept;

    unsigned groups() const noexcept { return groups_; }  // with the whole match as the first
    /// The names one after the other: the number of group `i` among the named ones, and its name; false behind the
    /// last.
    bool name(unsigned i, std::string_view& name, unsigned& group) const noexcept;
    /// The group of that name that took part in the last match, or the last of the name; 0: there is none.
    unsigned group_of(std::string_view name, const std::size_t* bounds) const noexcept;
    std::uint64_t id() const noexcept { return id_; }
    std::uint32_t place() const noexcept { return place_; }

private:
    friend class pattern_cache;
    struct compiled {
        void* code = nullptr;
        unsigned uses = 0;
        bool jit = false, tried = false;
    };
    compiled& code_for(const subject& in);
    compiled* ready_for(const subject& in, matched& result);
    bool compile(bool utf8, compiled& to, std::string& error);
    std::size_t place_in_source(bool utf8, std::size_t place) const;

    std::string source_;
    unsigned options_ = 0;
    compiled utf8_, bytes_;
    std::string names_;  // pairs of a group's number (2 bytes) and its name with a NUL, one size each
    std::size_t name_size_ = 0;
    unsigned named_ = 0;
    unsigned groups_ = 1;
    std::uint32_t nesting_ = 0;  // groups within groups, at most
    bool anchored_search_ = false, needs_utf8_ = false, needs_bytes_ = false;
    std::uint64_t id_ = 0, used_ = 0;
    std::uint32_t place_ = 0;
    std::size_t size_ = 0;
};

/// Finds the pattern, compiled before or now. Null: `error` says why it does not compile; it lives until the next
/// call. Inside a host_section.
pattern* find_pattern(std::string_view source, unsigned options, std::string_view& error);

/// The same without looking for it: as long as it is still at the place, under the id. Null if not.
pattern* pattern_at(std::uint32_t place, std::uint64_t id) noexcept;

/// What the thread's patterns take, as PCRE2 tells it, and at most take, unless one alone takes more.
std::size_t patterns_memory() noexcept;
constexpr std::size_t most_patterns_memory = std::size_t{8} << 20;

}  // namespace kumihimo::inline v0::mruby
