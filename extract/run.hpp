// A run: inputs in, rows out, in input order. What the command, the Python package and the tests drive.
//
//      run r(paths, options);
//      inference guess(fields, ...);   r.sample(1000, guess);   guess.finish(columns, why);      // when types are not given
//      r.start(columns);
//      for (result got; r.next(got);) use(got.rows or got.text, got.reports);
//      if (auto why = r.failure()) ...
//
// One thread drives the run; now(), columns(), threads() and cancel() may be called from any. No call throws but for
// std::bad_alloc in constructors.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "extract/cut.hpp"
#include "extract/distinct.hpp"
#include "extract/resume.hpp"
#include "extract/schedule.hpp"
#include "extract/work.hpp"

namespace kumihimo::inline v0::extract {

/// Rows in input order, and what went wrong among them. Reuse one object: its memory goes back into the run.
struct result {
    std::unique_ptr<batch> rows;     // form::columns, options::keep_rows; may be moved from
    buffer text;                     // form::csv (no header: write_csv_header) and form::ndjson: whole lines; form::documents
    document_list listed;            // form::documents: those in `text`
    std::vector<report> reports;     // bad records, in input order
    buffer quarantine;               // policy::quarantine: one JSON line a report, with the document's bytes
    std::vector<std::string> notes;  // "column \"price\" was taken for int64, but holds 1.5; it becomes float64"
    std::uint64_t count = 0;         // rows in this result
};

/// How far a run is. Bytes are of the inputs as they lie on disk; `total` leaves pipes out.
struct counters {
    std::uint64_t bytes = 0, total = 0;
    std::uint64_t documents = 0, rows = 0, bad = 0;
    bool complete_total = true;  // false: there are pipes or fetched inputs, so `total` is not all
    std::uint64_t inputs = 0;    // of which all is read: the first ones
};

class run {
public:
    /// Folders among the paths are replaced by their files, "-" is standard input.
    run(std::vector<std::string> paths, options how);
    ~run();
    run(const run&) = delete;
    run& operator=(const run&) = delete;

    /// Shows about n documents to an inference, taken from the beginnings of up to 16 inputs spread over the list. Of
    /// a pipe it takes as many as of a file, however long they take to come; what is read for that is not lost to the
    /// run. Only before start(). Returns how many documents were seen.
    std::uint64_t sample(std::uint64_t n, inference& by);
    /// Shows all documents of all inputs to an inference, by all threads if it unites(). Pipes must be kept. Ends
    /// early after cancel(). Only before start().
    void sample_all(inference& by);
    /// Whether the sample was all there is: every document of every input.
    bool sampled_all() const noexcept { return sampled_all_; }

    /// Writes what comes through the pipes among the inputs to unnamed temporary files, so that it can be read again:
    /// by this run and by those that inherit() it. Before sample(). A pipe that cannot be kept to its end gives a
    /// report and no rows, here and there: what is left in it begins anywhere.
    void keep_streams();
    void inherit(const run& other);

    /// Starts the workers. `finder`: the inference that found the columns, or what is in them, in the documents, to
    /// find more. Fails with errc::memory, and with errc::misuse when the run was started before, or has columns that
    /// ask for more (beyond::told) and no finder.
    errc start(std::shared_ptr<const schema> columns, std::shared_ptr<inference> finder = nullptr);
    /// Goes on at a point of an earlier run over the same inputs, with the same options. Before start(). False when
    /// there is no such input.
    bool resume(const resume_point& from);
    /// Where the next result begins, if that is between two tasks.
    const std::optional<resume_point>& point() const noexcept { return point_; }

    /// From here on these columns, with the same fields, and no others: what does not fit them is a disagreement(), or
    /// goes to `rest`.
    void fix(std::shared_ptr<const schema> columns);
    /// Rows are read and judged from here on, but nobody wants them: no text is made.
    void silence() noexcept { silent_.store(true, std::memory_order_relaxed); }

    /// The next rows; false at the end, which is also: after a failure, a disagreement or cancel(). A result may hold
    /// reports and no rows.
    bool next(result& out);
    /// The same, but comes back with progress::waiting when nothing is ready within `patience`, so that the caller can
    /// look for signals.
    progress next(result& out, std::chrono::milliseconds patience);

    /// Ends the run soon, from any thread. Nothing is delivered after it.
    void cancel() noexcept;
    bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

    /// What ended the run before its end: the bad record under policy::stop, memory.
    const std::optional<report>& failure() const noexcept { return failure_; }

    struct contradiction {
        std::string note;
        std::shared_ptr<const schema> widened;
    };
    /// options::widen == false: the inferred type that did not hold, and the columns to try instead.
    const std::optional<contradiction>& disagreement() const noexcept { return disagreement_; }
    /// options::widen: the sentence about the last change of the columns; empty when there was none. For the driving
    /// thread.
    const std::string& last_change() const noexcept { return last_change_; }

    /// What the user should know at the end, beside the notes: "3 rows have fields without a column ...".
    std::vector<std::string> closing() const;

    counters now() const noexcept;
    /// form::schema: what stands at the paths of the documents so far. For the driving thread.
    const path_summary& paths() const noexcept { return paths_; }
    /// The columns as they are now; widening replaces them. Null before start(), as threads() is 0.
    std::shared_ptr<const schema> columns() const;
    /// Whether an input is a pipe or a device, which can be read once only.
    bool reads_streams() const noexcept;
    /// Whether an input is one that the host fetches.
    bool fetches() const noexcept;
    /// Whether what comes next can take long to come.
    bool waits() const noexcept { return reads_streams() || fetches(); }
    /// About the inputs as a whole: the report names the one that was given, none of several.
    report about_all(const kumihimo::failure& why) const;
    /// The inputs after folders were replaced.
    const std::vector<std::string>& inputs() const noexcept { return inputs_.paths; }
    unsigned threads() const noexcept { return threads_.load(std::memory_order_acquire); }

private:
    struct job {
        task what;
        outcome got;
        std::shared_ptr<const schema> with;
        // Of the parts that were handed out: where the next one begins, and how many documents they had.
        document_source::position from;
        std::uint64_t documents = 0;
        std::uint64_t had = 0;  // rows of the input there, where each input has a limit
        bool begun = false;     // by the worker that has it
        bool here = false;      // it was done again, by the collector, who goes on with it
    };
    struct engine;
    struct survey;

    void look_ahead(const std::string& path);
    void use_kept(const std::string& path);
    std::uint64_t sample_list(const input_list& list, std::unordered_map<std::string, read_ahead> ahead, inference& by,
                              std::uint64_t n);
    std::uint64_t sample_pipe(const std::string& path, inference& by, std::uint64_t n);
    bool bring_up_to_date(job& j);
    bool find_columns(job& j, std::shared_ptr<const schema>& out);
    bool end(result& out);
    bool take(job& j, result& out);
    resume_point stand(const cut_place& at) const;
    bool archive_overflows(job& j);
    bool make_distinct(job& j);
    bool unite_paths(job& j);
    // How many rows a worker may give: others are taken out of them where they are to be distinct.
    std::uint64_t most_rows(std::uint64_t n) const noexcept { return distinct_ ? no_limit : n; }
    void place_reports(outcome& got, result& out);
    std::uint64_t left() const noexcept { return how_.limit - rows_.load(std::memory_order_relaxed); }

    std::vector<std::string> given_;
    input_list inputs_;  // given_ with folders replaced
    options how_;
    std::shared_ptr<inference> finder_;
    std::unordered_map<std::string, int> kept_;                // pipes: all that came through them; owned
    std::unordered_map<std::string, kumihimo::failure> lost_;  // pipes that were to be kept, and could not be
    bool sampled_all_ = false, all_of_input_ = false;
    std::atomic<bool> silent_{false};
    std::uint64_t members_ = 0, kept_rest_ = 0, blocked_ = 0, astray_ = 0, no_array_ = 0;
    std::string first_rest_, first_blocked_, first_astray_, first_no_array_;
    std::unordered_map<std::string, read_ahead> ahead_;
    std::optional<distinct_rows> distinct_;
    path_summary paths_;
    // Where each input has a limit: the one whose tasks are handed out, its rows, and the same for workers when it has
    // all.
    std::shared_ptr<const opened> archive_;
    std::uint64_t of_archive_ = 0;
    std::atomic<const opened*> finished_{nullptr};
    int wake_ = -1;
    std::unique_ptr<engine> engine_;
    std::atomic<unsigned> threads_{0};  // set behind engine_, so who sees it may look into that
    job* going_ = nullptr;              // a job of which this thread does the further parts
    std::atomic<bool> cancelled_{false};
    std::atomic<std::uint64_t> bytes_{0}, total_{0}, documents_{0}, rows_{0}, bad_{0};
    bool pipes_ = false, over_ = false, started_ = false;
    std::uint64_t lines_ = 0;  // of the text whose pieces are being delivered
    std::optional<resume_point> point_{std::in_place};
    resume_point from_;  // where it began
    std::atomic<std::uint64_t> inputs_done_{0};
    std::vector<std::string> notes_;
    std::string last_change_;
    std::optional<report> failure_;
    std::optional<contradiction> disagreement_;
};

}  // namespace kumihimo::inline v0::extract
