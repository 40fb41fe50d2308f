// Documents of one format by one of its dialects (`relaxed`, `deterministic_read`), which grants or refuses what the
// paths of extraction do not: they are made for each format's usual dialect. So each document is read by the dialect's
// own reader first, to its end, and becomes plain JSON, out of which rows come as out of any other:
//
//      relaxed   {"a": [1, 2,] /* of two */}   ->   {"a":[1,2]}
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/plan.hpp"

namespace kumihimo::inline v0::extract {

struct binary_format;

class dialect_reader {
public:
    virtual ~dialect_reader() = default;
    /// Appends the document, of `format` (nullptr: text), as compact JSON: what `paths` lead to, or all of it. Numbers
    /// keep their digits. The failure's offset counts in the document. Any number of threads may ask at once.
    virtual errc lower(bytes document, const binary_format* format, const json::plan* paths, buffer& out,
                       context& ctx) const = 0;
    /// Whether a text is one document by what the dialect grants, and if not, why and where. What it refuses for its
    /// meaning, such as a key that comes twice, says nothing about where a document ends: that refuses `lower`.
    virtual errc whole(bytes document, context& ctx) const = 0;
    /// Where the value of a path begins in a document; failure::nowhere where there is none.
    virtual std::size_t place(bytes document, const json::plan& plan, std::uint32_t path, const limits& allowed) const = 0;
    /// Documents may hold comments, whose quotes and brackets would be taken for the document's own by whoever looks
    /// for its end: then a text is one document.
    virtual bool comments() const noexcept = 0;
};

/// The reader of this dialect of this format. Null for the format's usual dialect, which needs none, and where there
/// is none of that name; then `why` is the sentence.
std::shared_ptr<const dialect_reader> reader_by(std::string_view format, std::string_view dialect, std::string& why);

}  // namespace kumihimo::inline v0::extract
