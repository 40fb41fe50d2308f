// Documents of the binary formats in the table (engine/formats.hpp), as extraction sees them: which format an input
// has, where its documents end, and the values that paths lead to, which a format's projector finds by their headers:
//
//      bytes  82 a1 61 01 a1 62 c4 ..      fields  a      ->      01
//
// Where a format has no projector, and where all of a document is wanted (columns that are to be found, the column
// `rest`), it becomes JSON text, out of which rows come as out of any other: {"a":1}
//
// No file of extraction names a format: all comes out of the table.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/mold.hpp"
#include "engine/core/opening.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/given.hpp"
#include "engine/json/plan.hpp"
#include "engine/json/project.hpp"
#include "extract/input.hpp"
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

class cell_sink;

/// A few values out of documents of one format, without the rest of them (json/project_headers.hpp).
class value_projector {
public:
    virtual ~value_projector() = default;
    virtual errc run(bytes input, json::given what, context& ctx) = 0;
    virtual std::size_t size() const noexcept = 0;
    virtual std::span<const json::slice> values(std::size_t i) const = 0;
    virtual std::uint32_t blocked() const noexcept = 0;
    /// One value's verbs.
    virtual errc give(json::slice value, cell_sink& to, context& ctx) = 0;
    virtual bool is_array(json::slice value) const noexcept = 0;
};

struct binary_format {
    std::string_view name;
    bool (*certain)(bytes head);  // begins with a mark that only this format has
    std::unique_ptr<document_ends> (*ends)();
    /// Appends the document as compact JSON; all of it where `paths` is null. The failure's offset counts in the
    /// document.
    errc (*lower)(bytes document, const json::plan* paths, care how, buffer& out, context& ctx);
    /// Where the value of a path begins in a document; failure::nowhere where there is none.
    std::size_t (*place)(bytes document, const json::plan& plan, std::uint32_t path, const limits& allowed);
    // What only formats with a projector have.
    std::unique_ptr<value_projector> (*project)(const json::projection& what, json::level how) = nullptr;
    // Of the document that the input begins with; 0: it does not end there.
    std::size_t (*length)(bytes input, molds& known) = nullptr;
    opening (*open)(bytes input) = nullptr;  // what the input begins with
    bool (*closes)(bytes input) = nullptr;   // whether an array of open end that the input is in ends there
};

/// The format of that name; nullptr where there is none, or its documents are text.
const binary_format* binary_format_of(std::string_view name) noexcept;
/// Whether a format of any kind has that name.
bool is_format(std::string_view name) noexcept;
/// What an input is before it is opened: of the format that was stated, if any was (nullptr if that one is text), else
/// by the name's ending, with a frame's ending behind it or not (x.msgpack.zst).
const binary_format* binary_by_name(std::string_view stated, std::string_view path) noexcept;
/// The format whose mark these first bytes are; nullptr where they are none.
const binary_format* binary_by_mark(bytes head) noexcept;

/// What sniff() says of an input's first bytes, corrected by what is known of its documents: binary ones may begin
/// with any bytes. But where the name says that they lie in a frame, bytes that are none are `other`: out of a damaged
/// frame one would read documents that nobody wrote. `named`: what binary_by_name() says of `path`.
content binary_content(content is, const binary_format* named, std::string_view path, bytes head, const char*& why) noexcept;

/// What the text is: `array` where it begins with one, and nothing follows as far as its first sniff_window bytes
/// tell; else `concatenated`. More of it is not looked at even where it is at hand, so that a file is what it would be
/// as a stream. `asked`, where it is not automatic, counts more. `whole`: there is nothing behind `text`; where that
/// is not so, it has to be longer than sniff_window, or sure.
layout binary_layout(const binary_format& of, bytes text, bool whole, layout asked);
/// Whether binary_layout() will say the same of all texts that begin with `head`.
bool binary_layout_is_sure(const binary_format& of, bytes head);

/// One binary document after the other, in text that arrives in growing windows: the sibling of scanner, with its
/// rules. What is left when the input ends inside a document is given as one, so that its reader says what is missing.
class binary_scanner {
public:
    binary_scanner(const binary_format& of, layout as);
    scanner::found next(bytes text, std::size_t& at, bool last, span_of& where, context& ctx);

    // The same in two steps, for text of which all is there, and whose reader finds the documents' ends.
    /// found::document: one begins at `at`.
    scanner::found start(bytes text, std::size_t& at, bool last, context& ctx);
    /// The bytes of the document that `text` begins with; nothing follows the text.
    std::size_t length(bytes text);
    /// The document `d` at hand is over; `at_end`: the text ends with it. What is no document is then cut off.
    void ended(bytes d, bool at_end) noexcept;
    /// The document is over. `whole`: with its own end, not the text's.
    void ended(bool whole) noexcept;

private:
    enum class place : std::uint8_t { outside, before, inside, after };
    const binary_format& of_;
    layout as_;
    place place_;
    std::unique_ptr<document_ends> ends_;
    molds known_;
    std::size_t scanned_ = 0;  // bytes behind `at` that were looked at
    opening array_;            // the one whose elements are the documents; `count` of them are to come
    bool cut_ = false;         // the text ended inside a document
};

}  // namespace kumihimo::inline v0::extract
