// A task becomes rows: the part that runs on every core. Its documents (document_source.hpp) are appended to a batch,
// and the batch is written as text if text is wanted, so that formatting scales with the threads too.
//
// A task is bounded by the text in it, and rows can be much larger than their text: `{}` among 4,000 columns is 4,000
// empty cells. So rows are bounded too, and a task whose rows are more is handed over in parts: work() gives the
// first, resume() the next, until outcome::more is false.
#pragma once
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/buffer.hpp"
#include "engine/json/locate.hpp"
#include "extract/batch.hpp"
#include "extract/csv.hpp"
#include "extract/document_list.hpp"
#include "extract/document_source.hpp"
#include "extract/infer.hpp"
#include "extract/judge.hpp"
#include "extract/path_summary.hpp"
#include "extract/report.hpp"
#include "extract/rewrite.hpp"
#include "extract/row_sample.hpp"
#include "extract/row_walk.hpp"
#include "extract/task.hpp"

namespace kumihimo::inline v0::extract {

/// What becomes of a document, entry or input that cannot be read.
enum class policy : std::uint8_t {
    stop,        // the run ends there; the rows before it are delivered
    skip,        // reported, and left out
    null,        // reported; a bad document or entry becomes a row of nulls
    quarantine,  // reported, left out, and its bytes handed back in result::quarantine
};

/// In which form rows are handed out. `none`: every document is read, judged and counted as for the others, and that
/// is all. `documents`: no rows, but the documents themselves, written in another format. `schema`: no rows, but what
/// stands at each of their paths.
enum class form : std::uint8_t { columns, csv, ndjson, none, documents, schema };

/// A part ends when its rows, their text, and what is said about bad ones hold so many bytes. It is a few times what a
/// task's text (cut_options::target) becomes in columns that have values, so usual tasks are one part.
inline constexpr std::size_t default_part = std::size_t{8} << 20;

inline constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// What a run is told, and with it every worker.
struct options {
    unsigned jobs = 0;  // worker threads; 0: as many as there are cores. One means: no thread but the caller's, unless an
                        // input is a pipe, whose reading must not keep the caller from cancelling
    json::level level = json::level::strict;
    reading read{};
    policy on_error = policy::stop;
    form out = form::columns;
    std::shared_ptr<const rewriter> to{};                   // form::documents
    std::size_t most_keys = path_summary::usual_most_keys;  // form::schema
    bool keep_rows = false;  // with csv and ndjson: hand the rows out beside the text, for a chart
    csv_options csv{};
    std::shared_ptr<const condition> where{};               // rows are of documents for which it holds; null: of all
    std::optional<row_sample> sample{};                     // of those rows a share
    std::uint64_t per_archive = no_limit;                   // of those, rows of one input
    std::vector<std::string> distinct{};                    // columns by which those are distinct; none: all are taken
    std::size_t distinct_size = std::size_t{256} << 20;     // bytes that what was seen for it may take
    std::uint64_t limit = no_limit;                         // rows, at last
    std::size_t part = default_part;                        // bytes of rows in one result, about; at least one row
    kumihimo::limits document{1024, std::size_t{1} << 30};  // depth, and bytes of one document
    // When a value contradicts an inferred type, or a field has no column (beyond::told): true changes the columns
    // from there on (rows that were handed out stay as they were: columns() tells the driver, who does the run again
    // or knows that they can); false ends the run, to be done again with disagreement().widened.
    bool widen = true;
};

/// What a task, or a part of one, gave.
struct outcome {
    std::unique_ptr<batch> rows;  // form::columns; otherwise kept for the next task, empty
    buffer text;                  // form::csv, form::ndjson, form::documents
    document_list listed;         // form::documents: those in `text`
    path_summary paths;           // form::schema
    std::vector<report> reports;
    std::vector<std::string> put_aside;  // policy::quarantine: by report, the document's bytes; empty where there is none
    std::uint64_t count = 0;             // rows
    std::uint64_t documents = 0;         // looked at, good and bad
    bool more = false;                   // the task has further parts
    document_source::position end;       // where the next one begins
    bool stopped = false;                // the last report ends the run
    bool full = false;                   // the row limit was reached
    // An inferred type that a value contradicted; the part then has to be done again with a wider one.
    std::shared_ptr<const schema> widened;
    std::string disagreement;
    // A document had a field without a column (beyond::told), and this is where it is; the part has to be done again
    // too.
    bool unplaced = false;
    std::string place, offender;  // the second: its text
    // Rows whose column `rest` has something, and where the first of them is.
    std::uint64_t kept_rest = 0;
    std::string first_rest;
    // Rows that lack a field because another kind of value stands in its path, and the first: field and place.
    std::uint64_t blocked = 0;
    std::string first_blocked;
    // Documents of which a path of the condition meets another kind of value, and the first: path and place.
    std::uint64_t astray = 0;
    std::string first_astray;
    // Where rows are elements of arrays, and another kind of value stands in an array's place: how often, and the
    // first.
    std::uint64_t no_array = 0;
    std::string first_no_array;
    std::uint64_t members = 0;     // files and entries that were looked into
    std::uint64_t of_archive = 0;  // rows that the input at hand has given, behind this part
    // Pieces of a text count their lines from their own start; the collector knows where that is.
    bool piece = false, first = false;
    std::uint64_t lines_before = 0;  // of the first
    std::uint64_t newlines = 0;      // of the piece, in its last part

    void clear() noexcept;
};

class worker {
public:
    /// While `silent` is set nobody reads the rows, and no text is made of them. Both flags may be null; everything
    /// must outlive the worker.
    worker(const input_list& inputs, const options& how, const std::atomic<bool>* cancelled,
           const std::atomic<bool>* silent) noexcept
        : source_(inputs, how.read, how.level == json::level::trusted, cancelled),
          options_(how),
          cancelled_(cancelled),
          silent_(silent) {
        ctx_.limits = how.document;
    }

    /// While an input stands there, it has all its rows (options::per_archive), and its tasks give nothing. Whoever
    /// puts it there keeps it meanwhile.
    void watch_for(const std::atomic<const opened*>& finished) noexcept { finished_ = &finished; }

    /// Does the task's first part, or the one that begins at `from`; at most `limit` rows. `had`: rows that the input
    /// there has given before. Never throws: what memory would not allow is a report that stops the run.
    void work(const task& what, const std::shared_ptr<const schema>& columns, std::uint64_t limit, outcome& out,
              const document_source::position& from = {}, std::uint64_t had = 0) noexcept;
    /// The next part of the same task, when the last one said that there is more.
    void resume(const std::shared_ptr<const schema>& columns, std::uint64_t limit, outcome& out) noexcept;

    /// Shows the documents of a task to an inference instead; at most `limit` of them, and no more than it needs for a
    /// sample unless `all` are to be seen. Bad ones are passed over. Returns how many. Ends a task that has further
    /// parts.
    std::uint64_t watch(const task& what, inference& by, std::uint64_t limit, bool all = false) noexcept;

private:
    void read(const std::shared_ptr<const schema>& columns, std::uint64_t limit, outcome& out);
    void document();
    bool passes(std::uint64_t offset);
    errc ask(bool& holds);
    bool judges_rows() const noexcept { return judge_ && judge_->of().judges_rows(); }
    bool row_passes(std::uint64_t offset);
    void rewrite();
    void summarize();
    void go_back();
    void stop_for_paths();
    void document_of_rows();
    void go_on_with_rows();
    void use_walk();
    bool rows_are_open() const noexcept { return walk_ != nullptr && walk_->is_open(); }
    void bad_row();
    void bad_element(std::size_t level, bytes record, std::string message);
    void place_row_failure();
    void append_null(const origin& from);
    bool lowers() const noexcept { return source_.binary() != nullptr || options_.read.dialect != nullptr; }
    errc lower(const json::plan* paths);
    std::size_t place_of_failure();
    std::size_t place_of(const json::plan& plan, std::uint32_t path);
    bool only_its_name_says(const origin& of, bytes text) const;
    void bad(bytes d, bytes text, std::uint64_t offset);
    void fault(report what);
    void tell(report&& what, const bytes* document);
    void added(std::uint64_t offset, std::uint64_t row = 0);
    bool in_sample(std::uint64_t row = 0) { return !options_.sample || options_.sample->takes(source_.provenance(), row); }
    bool archive_is_full();
    bool is_finished() const noexcept;
    void counted();
    bool filled();
    void finish();
    std::string place(std::uint64_t offset);

    document_source source_;
    const options& options_;
    const std::atomic<bool>* cancelled_;
    const std::atomic<bool>* silent_;
    const std::atomic<const opened*>* finished_ = nullptr;
    context ctx_;

    bytes lowered() const noexcept { return {reinterpret_cast<const unsigned char*>(lowered_.data()), lowered_.size()}; }
    buffer lowered_;  // a document as JSON, where it is not plain JSON itself
    std::optional<judge> judge_;

    // Where the rows are elements of arrays: the document at hand, which may go on in the next part.
    std::unique_ptr<row_walk> walk_;
    row_position resume_;    // where its first rows in this task begin
    json::place row_place_;  // of row_place_at_ in the document: how far lines were counted
    std::size_t row_place_at_ = 0;
    std::uint64_t row_column_ = 0;  // the document's own column; 0: not counted yet

    // Of the task at hand.
    const task* task_ = nullptr;
    outcome* out_ = nullptr;
    batch* rows_ = nullptr;
    std::uint64_t limit_ = no_limit;
    std::uint64_t members_before_ = 0;
    std::uint64_t look_again_ = 0;          // at so many rows: whether the part is full
    std::size_t aside_ = 0;                 // bytes in put_aside
    std::uint64_t item_ = 0, of_item_ = 0;  // an input among the files of the task, and its rows
    const schema* measured_ = nullptr;      // of which text_of_row_ was counted
    std::size_t text_of_row_ = 0;           // that stands in every row of text, whatever is in it
    bool over_ = false;

    // form::schema: whether documents are checked before they are looked at, whether a bad one was looked at all the
    // same, and where the part at hand begins.
    bool careful_ = false, spoiled_ = false;
    document_source::position part_;
    std::uint64_t of_part_ = 0;  // rows that the input there had given
};

}  // namespace kumihimo::inline v0::extract
