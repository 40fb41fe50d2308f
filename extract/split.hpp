// Cutting text into documents, and long text into pieces for the workers.
//
//      lines         {...}\n{...}\n{...}         NDJSON: one document a line, CRLF and blank lines allowed
//      array         [ {...}, {...}, {...} ]     one top-level array: each element is a row
//      concatenated  {...}{...} {...\n...}       one or more documents, one behind the other, pretty-printed or not
//      document      ...                         all of the text is one document
//
// Which of them a text is, is decided by its content: names lie. Its first lines are looked at (17 lines or 64 KB),
// because any one of them may be damaged, the first too:
//
// - If the first line is a valid document, the text is lines. If it is an array and all there is, valid or not: an array.
// - Else it is lines if more of them are a document each, by their brackets, than belong to documents that share a line or span
//   several, and at least as many as belong to nothing.
// - Else it is concatenated documents, or, if it begins with a bracket, an array. Concatenated documents may be arrays, too: a
//   text that begins with a bracket and is not one valid array is taken for such if more of its lines share documents, or hold
//   a part of one, than end in a comma and belong to nothing.
//
// In lines a broken document ends with its line; in the others with its brackets, or before the next line that begins
// a document (scanner.cpp). A byte order mark is allowed at the start of a text, and only there; RS (U+001E, RFC 7464)
// counts as white space between concatenated documents.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/boundary.hpp"
#include "extract/source.hpp"

namespace kumihimo::inline v0::extract {

struct binary_format;
class binary_scanner;
class dialect_reader;

enum class layout : std::uint8_t { automatic, document, lines, array, concatenated };

/// As much of a text is looked at to say what it is, at most.
inline constexpr std::size_t sniff_window = 64 * 1024;

/// How a text is cut: its layout, and the dialect by which documents are judged where brackets do not say enough
/// (null: JSON's usual one).
struct cutting_rules {
    layout text_layout;
    const dialect_reader* dialect;
    cutting_rules(layout l, const dialect_reader* by = nullptr) noexcept : text_layout(l), dialect(by) {}
};

/// What the text that begins with `head` is. `whole`: there is nothing behind head.
layout sniff_layout(bytes head, bool whole, const dialect_reader* dialect = nullptr);

/// Whether sniff_layout() will say the same of all texts that begin with `head`: a live pipe need not be read further
/// then.
bool sniffed_enough(bytes head, const dialect_reader* dialect = nullptr);

/// Where a document lies in its text.
struct span_of {
    std::uint64_t offset = 0, length = 0;
};

/// Finds one document after the other in text that arrives in growing windows.
class scanner {
public:
    explicit scanner(cutting_rules rules) noexcept : layout_(rules.text_layout), dialect_(rules.dialect) {}

    enum class found : std::uint8_t {
        document,  // `where` is one, `at` stands behind it
        more,      // the window ends inside a document that starts at `at`: come again with a longer window from there
        fault,     // the array's own syntax is broken, at `at`; ctx says how; nothing further can be found
        end,       // no document any more
    };
    /// Looks from text[at] on. `last`: no byte follows the window. The caller may drop what is before `at` and move
    /// the rest, if it lets `at` point to the same byte.
    found next(bytes text, std::size_t& at, bool last, span_of& where, context& ctx);

    layout text_layout() const noexcept { return layout_; }

private:
    static constexpr std::size_t npos = static_cast<std::size_t>(-1), sound = npos, first_step = 512;
    enum class examined : std::uint8_t { sound, later, broken };

    found line(bytes text, std::size_t& at, bool last, span_of& where);
    found element(bytes text, std::size_t& at, bool last, span_of& where, context& ctx);
    found concatenated(bytes text, std::size_t& at, bool last, span_of& where);
    found all(bytes text, std::size_t& at, bool last, span_of& where);
    found salvage(bytes text, std::size_t& at, span_of& where);
    examined scan(bytes text, std::size_t at, bool last);
    examined examine(bytes text, std::size_t at, bool last, bool ended);
    examined by_line(std::size_t n);
    bool begins(bytes text, std::size_t at, std::size_t line_end, bool& alone) const;
    bool swallowed(bytes known) const;
    std::size_t suspicious(bytes text, std::size_t from) const;
    void skip(bytes text, std::size_t& at, bool separators);
    void reset();

    enum class place : std::uint8_t { before, first, element, behind, after };
    layout layout_;
    const dialect_reader* dialect_;
    place place_ = place::before;  // in an array
    json::boundary state_;         // of the document that starts at `at`
    std::size_t scanned_ = 0;      // bytes behind `at` that state_ has seen

    // All counted from `at`.
    std::size_t searched_ = 0;    // no line break is looked for before this byte any more
    std::size_t suspect_ = 0;     // the first line inside the document that looks like another one's; 0: none
    std::size_t judged_ = 0;      // how many bytes must be known before the document is judged (again)
    std::size_t broken_ = sound;  // where the document is not valid
    std::size_t resumed_ = 0;     // from where a line is looked for that begins a document
    std::size_t by_lines_ = 0;    // so many bytes are taken line by line
    std::size_t indent_ = 0;      // of the document on its line
    bool alone_ = false;          // by_lines_ begins with a line that is a document
    bool fresh_ = true;           // only white space since the line began
};

/// A piece of a long text: whole documents, in order.
struct piece {
    bytes text;
    std::uint64_t offset = 0;               // of text[0], from the start of the entry
    layout text_layout = layout::lines;     // lines: the worker finds them; otherwise `documents` lists them
    std::vector<span_of> documents;         // offsets in text
    std::shared_ptr<const char[]> holder;   // what keeps the bytes alive, when they were read and not mapped
    const binary_format* binary = nullptr;  // the documents are of this format; nullptr: JSON text
    bool first = false;                     // of its text: line numbers begin anew
    std::uint64_t lines_before = 0;         // where they begin
    std::uint64_t line_start = 0;           // where in the text the line began that the piece begins in
};

/// Cuts a long text into pieces of about `want` bytes: a view of mapped bytes, or buffers read from a source. When the
/// source falls silent and a whole document is at hand, the piece ends there: what follows the end of a log sees its
/// lines at once.
class text_cutter {
public:
    /// At hand: pieces are views. `binary`: what the documents are known to be; nullptr: text, unless it begins with
    /// the mark of a binary format.
    text_cutter(bytes text, cutting_rules rules, std::size_t limit, const binary_format* binary = nullptr);
    /// Streamed: each piece holds its own buffer. `from` must live as long as the cutter.
    text_cutter(byte_source& from, cutting_rules rules, std::size_t limit, const binary_format* binary = nullptr);
    ~text_cutter();
    text_cutter(const text_cutter&) = delete;
    text_cutter& operator=(const text_cutter&) = delete;

    /// The text is the rest of one of which so many bytes and lines were read already. Before the first piece.
    void behind(std::uint64_t bytes, std::uint64_t lines) noexcept {
        done_ = line_start_ = bytes;
        lines_before_ = lines;
    }

    /// The next piece; an empty text is the end. After an error the cutter has nothing more to give; what was cut off
    /// before it has been handed out. The failure's offset counts in the text when `in_text()`, else in the source's
    /// input.
    errc next(std::size_t want, piece& out, context& ctx);
    bool in_text() const noexcept { return in_text_; }
    /// Whether it is known that nothing comes any more, no error either.
    bool spent() const noexcept { return begun_ && last_ && pending_ == errc::ok && (ended_ || window_.empty()); }

private:
    enum class wait : std::uint8_t { for_more, not_long };
    errc fill(std::size_t upto, wait how, context& ctx);
    errc cut_lines(std::size_t want, piece& out, context& ctx);
    errc cut_documents(std::size_t want, piece& out, context& ctx);
    errc begin(context& ctx);
    errc in_window(context& ctx, std::size_t at);
    void take(std::size_t n, piece& out);
    bool marked();

    bytes window_;  // what is at hand from done_ on
    byte_source* from_ = nullptr;
    std::shared_ptr<char[]> buffer_;
    std::size_t capacity_ = 0, limit_;
    std::uint64_t done_ = 0;          // bytes of the text handed out or skipped
    std::uint64_t lines_before_ = 0;  // before the first piece
    layout asked_;
    const dialect_reader* dialect_;
    scanner scanner_;
    const binary_format* binary_ = nullptr;
    std::unique_ptr<binary_scanner> binary_scanner_;  // takes the place of scanner_
    std::uint64_t line_start_ = 0;                    // of the line that window_ begins in
    bool last_ = false, pending_in_text_ = false, begun_ = false, first_ = true, in_text_ = true, ended_ = false;
    errc pending_ = errc::ok;  // met while reading ahead: reported when what came before it is out
    failure pending_failure_;
};

/// The text without a UTF-8 byte order mark.
bytes without_mark(bytes text) noexcept;

/// The text without white space around it.
bytes trimmed(bytes text) noexcept;
/// The document in a text: without the white space around it. But where the dialect grants comments, what stands
/// behind it stays, for a line end may be a comment's.
bytes document_in(bytes text, const dialect_reader* dialect) noexcept;

}  // namespace kumihimo::inline v0::extract
