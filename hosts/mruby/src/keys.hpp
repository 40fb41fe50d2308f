// The keys of one document and what was made of them: frozen Strings that its hashes share, or Symbols.
//
// The table is the thread's and its memory is C++'s, but no value lives longer in it than one document: begin() makes
// all that it knows unknown, by a new number, and touches nothing.
#pragma once
#include <cstdint>

#include "engine/core/key_table.hpp"
#include "values.hpp"

namespace kumihimo::inline v0::mruby {

class key_cache {
public:
    /// The calling thread's; null when there is no memory for one. Inside a host_section.
    static key_cache* here() noexcept;

    /// `new_symbols`: those that the document has brought before, where it is read in parts.
    void begin(bool symbols, std::uint32_t new_symbols = 0) noexcept {
        ++document_;
        symbols_ = symbols;
        new_symbols_ = new_symbols;
        exact_ = true;
    }
    [[gnu::always_inline]] mrb_value get(mrb_state* mrb, const char* p, std::size_t n) {
        if (auto* const s = table_.guess(p, n); s != nullptr && s->made.document == document_) [[likely]]
            return s->made.key;
        return look_up(mrb, p, n);
    }
    /// mruby finds a Symbol by a walk over a 256th of all that there are, so a document may bring this many new ones.
    static constexpr std::uint32_t most_symbols = 16384;
    std::uint32_t new_symbols() const noexcept { return new_symbols_; }
    /// A key that does not go through the table. RangeError beyond most_symbols.
    mrb_value symbol(mrb_state* mrb, const char* p, std::size_t n);
    /// Whether two keys of this document that are the same text are the same value.
    bool exact() const noexcept { return exact_; }
    /// A key that is not of this table.
    void came_otherwise() noexcept { exact_ = false; }

private:
    struct made {
        mrb_value key;
        std::uint64_t document;
    };
    using table = key_table<made, 9, 44>;

    [[gnu::noinline]] mrb_value look_up(mrb_state* mrb, const char* p, std::size_t n);
    mrb_value make(mrb_state* mrb, const char* p, std::size_t n);

    std::uint64_t document_ = 0;
    bool symbols_ = false;
    std::uint32_t new_symbols_ = 0;
    bool exact_ = true;
    table table_{};
};

}  // namespace kumihimo::inline v0::mruby
