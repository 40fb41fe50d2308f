// Documents of the binary formats in the table (engine/formats.hpp), as extraction sees them: which format an input has, where
// its documents end, and a document as JSON text, out of which rows come as out of any other.
//
//      bytes  82 a1 61 01 a1 62 c4 ..      fields  a      ->      {"a":1}
//
// No file of extraction names a format: all comes out of the table.
#pragma once
#include <cstddef>
#include <memory>
#include <string_view>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/plan.hpp"
#include "extract/split.hpp"

namespace kumihimo::inline v0::extract {

/// Where the documents of a stream end; one state for one document after the other.
class document_ends {
public:
    virtual ~document_ends() = default;
    /// Continues the document at hand. Returns how many of the bytes belong to it; `complete`: it ends there.
    virtual std::size_t next(bytes chunk, bool& complete) = 0;
    virtual void restart() = 0;
};

/// What is read of a document of which not all is wanted.
enum class care : std::uint8_t {
    all,     // every value is read and checked, and what no path leads to is left out of the text
    wanted,  // what no path leads to is passed over where the format tells its length, and then not checked inside
};

struct binary_format {
    std::string_view name;
    bool (*certain)(bytes head);  // begins with a mark that only this format has
    std::unique_ptr<document_ends> (*ends)();
    /// Appends the document as compact JSON; all of it where `paths` is null. The failure's offset counts in the document.
    errc (*lower)(bytes document, const json::plan* paths, care how, buffer& out, context& ctx);
};

/// The format of that name; nullptr where there is none, or its documents are text.
const binary_format* binary_format_of(std::string_view name) noexcept;
/// Whether a format of any kind has that name.
bool is_format(std::string_view name) noexcept;
/// What an input is before it is opened: of the format that was stated, if any was (nullptr if that one is text), else by the
/// name's ending, with a frame's ending behind it or not (x.msgpack.zst).
const binary_format* binary_by_name(std::string_view stated, std::string_view path) noexcept;
/// The format whose mark these first bytes are; nullptr where they are none.
const binary_format* binary_by_mark(bytes head) noexcept;

/// One binary document after the other, in text that arrives in growing windows: the sibling of scanner, with its rules. What
/// is left when the input ends inside a document is given as one, so that its reader says what is missing.
class binary_scanner {
public:
    explicit binary_scanner(const binary_format& as) : ends_(as.ends()) {}
    scanner::found next(bytes text, std::size_t& at, bool last, span_of& where);

private:
    std::unique_ptr<document_ends> ends_;
    std::size_t scanned_ = 0;  // bytes behind `at` that were looked at
};

}  // namespace kumihimo::inline v0::extract
