// What of a document has no column: asked when all of it is wanted, that is, when nobody named the fields.
//
// The projector has found the values of the columns, so what is left of the document is what stands between them, and
// that is short: brackets, commas, and the keys that lead to the next value.
//
//      {"id":1,"p":{"x":7},"late":true}         columns id, p.x
//      `-----' `-------' `------------'         three gaps; the last one has a value in it: that has no column
//
// A gap that was looked at once is known by its bytes and by the columns at its ends, so documents of one kind cost a
// comparison per value. Only when a gap has something in it that does not lead to the next column (a value, null, an
// empty object, a key that comes twice) the document is walked, key by key.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/buffer.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/project.hpp"
#include "extract/schema.hpp"

namespace kumihimo::inline v0::extract {

class remainder {
public:
    explicit remainder(const schema& of);

    /// Whether every value of a document has a column, as far as a look at the gaps can tell: false means that walk()
    /// is to be asked. `found` has just been run over the document.
    bool none(bytes document, const json::projector& found);

    /// The same question answered key by key. The document is valid. `astray`: by field, columns whose value in this
    /// document has no place in them; empty for none. What is left is appended to `out` as JSON: the members without a
    /// column, in the objects that they stand in. Throws std::bad_alloc.
    ///
    ///     columns id, p.x     {"id":1,"p":{"x":7,"y":8},"late":true}   ->   {"p":{"y":8},"late":true}
    ///
    /// Of a key that comes twice the last value counts, as a whole: what was appended for one before it is taken back.
    /// So nothing may be left although something was met on the way, and only false says that nothing was.
    bool walk(bytes document, const std::vector<bool>& astray, std::string& out);

    /// After walk() met nothing: the gaps of this document are remembered as ones that hold nothing.
    void remember(bytes document);

private:
    struct present {
        std::uint64_t offset, length;
        std::uint32_t column;
    };
    struct gap {
        std::uint32_t before = 0xFFFFFFFF;  // the column that it follows
        std::string text;
    };
    struct frame {
        std::uint32_t state;
        bool open;             // written to `out`
        std::string_view key;  // that it stands under, with its quotes
        std::size_t begun;     // the length of `out` when it was met
        std::size_t from = 0;  // where it begins in `out`, when it is open
        std::size_t live = 0;  // its members in `out` that were not taken back
    };
    // A stretch of `out`: a member, with the comma before it.
    struct stretch {
        std::size_t from = nothing, to = 0;
    };
    static constexpr std::size_t nothing = static_cast<std::size_t>(-1);
    static constexpr std::size_t known = 2;            // gaps remembered per column
    static constexpr std::size_t longest_gap = 256;    // that is remembered
    static constexpr std::uint32_t edge = 0xFFFFFFFE;  // the document's beginning

    bool alike(bytes document, const json::projector& found) const;
    void locate(const json::projector& found);
    std::uint32_t target(std::uint32_t state, std::string_view key);
    void open(std::string& out);
    void put(std::string& out, std::string_view key, std::string_view value);
    void close(std::string& out);
    void take_back(std::uint32_t state);
    void written(std::uint32_t state, stretch at);
    void drop(std::string& out);

    const json::plan* plan_;
    std::size_t fields_;
    std::vector<std::uint32_t> order_;  // the columns as they stood in the last document
    std::vector<present> found_;
    std::vector<gap> gaps_;  // `known` for each column, and for the document's end
    std::vector<std::uint8_t> oldest_;
    std::vector<frame> frames_;
    std::vector<stretch> latest_;         // by state: where its last member stands in `out`; of keys that lead to columns
    std::vector<std::uint32_t> touched_;  // states that have one
    std::vector<stretch> dropped_;        // what was taken back; it goes at the end, in one pass
    std::string key_;
};

}  // namespace kumihimo::inline v0::extract
