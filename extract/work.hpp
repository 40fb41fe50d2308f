// A task becomes rows: the part that runs on every core. Expand into a buffer that stays in the cache, check the checksum, find
// the documents, append each to the batch; at the end of the task write the batch as text if text is wanted, so that formatting
// scales with the threads too.
#pragma once
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/buffer.hpp"
#include "extract/batch.hpp"
#include "extract/csv.hpp"
#include "extract/gzip.hpp"
#include "extract/infer.hpp"
#include "extract/inflate.hpp"
#include "extract/report.hpp"
#include "extract/task.hpp"

namespace kumihimo::inline v0::extract {

/// What becomes of a document, entry or input that cannot be read.
enum class policy : std::uint8_t {
    stop,        // the run ends there; the rows before it are delivered
    skip,        // reported, and left out
    null,        // reported; a bad document or entry becomes a row of nulls
    quarantine,  // reported, left out, and its bytes handed back in result::quarantine
};

/// In which form rows are handed out. `none`: every document is read, judged and counted as for the others, and that is all.
enum class form : std::uint8_t { columns, csv, ndjson, none };

struct work_options {
    json::level level = json::level::strict;
    layout as = layout::automatic;
    policy on_error = policy::stop;
    form out = form::columns;
    bool keep_rows = false;  // with csv and ndjson: hand the rows out beside the text, for a chart
    csv_options csv;
    expansion allowed;
    std::vector<std::string> match;
    kumihimo::limits document;                  // depth, and bytes of one document
    const std::atomic<bool>* silent = nullptr;  // when it is set nobody reads the rows: no text is made of them
};

/// What a task gave.
struct outcome {
    std::unique_ptr<batch> rows;  // form::columns; otherwise kept for the next task, empty
    buffer text;                  // form::csv, form::ndjson
    buffer quarantine;            // NDJSON, one line a bad record
    std::vector<report> reports;
    std::uint64_t count = 0;      // rows
    std::uint64_t documents = 0;  // looked at, good and bad
    bool stopped = false;         // the last report ends the run
    bool full = false;            // the row limit was reached
    // An inferred type that a value contradicted; the task then has to be done again with a wider one.
    std::shared_ptr<const schema> widened;
    std::string disagreement;
    // A document had a field without a column (beyond::told), and this is where it is; the task has to be done again too.
    bool unplaced = false;
    std::string place, offender;  // the second: its text
    // Rows whose column `rest` has something, and where the first of them is.
    std::uint64_t kept_rest = 0;
    std::string first_rest;
    // Rows that lack a field because another kind of value stands in its path, and the first: field and place.
    std::uint64_t blocked = 0;
    std::string first_blocked;
    std::uint64_t members = 0;  // files and entries that were looked into
    // Pieces of a text count their lines from their own start; the collector knows where that is.
    bool piece = false, first = false;
    std::uint64_t newlines = 0;

    void clear() noexcept;
};

class worker {
public:
    static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

    /// `cancelled` may be null; everything must outlive the worker.
    worker(const input_list& inputs, const work_options& options, const std::atomic<bool>* cancelled) noexcept
        : inputs_(inputs), options_(options), cancelled_(cancelled) {
        ctx_.limits = options.document;
    }

    /// Does the task; at most `limit` rows. Never throws: what memory would not allow is a report that stops the run.
    void work(const task& what, const std::shared_ptr<const schema>& columns, std::uint64_t limit, outcome& out) noexcept;

    /// Shows the documents of a task to an inference instead; at most `limit` of them, and no more than it needs for a sample
    /// unless `all` are to be seen. Bad ones are passed over. Returns how many.
    std::uint64_t watch(const task& what, inference& by, std::uint64_t limit, bool all = false) noexcept;

private:
    void dispatch(const task& what);
    void entries(const opened& from, const std::vector<zip_entry>& list);
    void entry(bytes file, std::uint64_t directory, const zip_entry& e);
    void files(std::size_t first, std::size_t n);
    void file(const std::string& path, std::uint64_t size);
    void small_zip(bytes data);
    void blob(bytes packed, report::scope of, std::uint64_t at);
    void streamed_blob(bytes packed, report::scope of, std::uint64_t at, bool unproven);
    void cut_entry(bytes file, const zip_entry& e);
    void stream(byte_source& from, report::scope of, std::uint64_t at);
    void piece_of(const piece& p);
    void documents_of(const piece& p);
    void text(bytes t, report::scope of, std::uint64_t at, bool expanded);
    void lines(bytes t, std::uint64_t offset);
    void documents(bytes t, layout as);
    bool document(bytes d, std::uint64_t offset);
    void bad(bytes d, std::uint64_t offset);
    void fault(report::scope of, const failure& why);
    void fault(const report& what);
    void refuse(errc code, std::uint64_t at, const char* what, report::scope of);
    void added(std::uint64_t offset);
    std::string place(std::uint64_t offset) const;
    void finish();
    std::uint64_t line_at(std::uint64_t offset);
    bool over() const noexcept { return over_; }

    const input_list& inputs_;
    const work_options& options_;
    const std::atomic<bool>* cancelled_;
    inflater inflater_;
    arena expanded_, nested_, loose_;  // an entry's text, a gzip member's inside of it, a small file
    context ctx_;
    std::string name_room_;

    // Of the task at hand.
    outcome* out_ = nullptr;
    inference* watcher_ = nullptr;
    bool watch_sated_ = false;
    batch* rows_ = nullptr;
    std::uint64_t limit_ = no_limit;
    origin here_;
    bytes counted_text_;                                                   // where lines are being counted,
    std::uint64_t counted_base_ = 0, counted_to_ = 0, counted_lines_ = 0;  // from which offset, how far, how many
    bool over_ = false;
    bool many_ = false;  // the last text held more than one document: look before trying it as one
};

}  // namespace kumihimo::inline v0::extract
