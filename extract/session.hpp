// An extraction as a host drives it: a run, and around it what every host needs. It looks at the sample, starts again
// with wider types while nothing was handed out, holds rows back until guessed types have proven themselves, keeps
// what is to be told until it is taken, and thins series for a chart.
//
//      start()             opens the inputs, looks at the sample, guesses the columns, starts the run
//      decide_columns()    reads ahead into `ready` until the guesses have held for a good while; the columns may change
//                          meanwhile, and then the run is replaced by a new one. After it the columns stay as they are
//      next()              what is in `ready`, then what comes. A value that fits no column is a contradiction(), or goes to
//                          the column `rest`
//
// Calls that can take long come back with step::waiting after their patience, so that the host can look for signals:
// it calls again. One thread at a time drives the session, others wait for it; progress(), cancel() and what is told
// are open to all threads at any time. A host with a lock of its own (Python's GIL) may keep it only in calls that the
// comments call short.
//
// No call throws but std::bad_alloc, and what the standard library throws where the system gives no thread or lock.
#pragma once
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "extract/block_packer.hpp"
#include "extract/candle_series.hpp"
#include "extract/infer.hpp"
#include "extract/path_report.hpp"
#include "extract/resample.hpp"
#include "extract/row_plan.hpp"
#include "extract/run.hpp"
#include "extract/thin.hpp"

namespace kumihimo::inline v0::extract {

/// What is asked for.
struct request {
    std::vector<std::string> inputs;
    std::vector<column_spec> fields;     // none: they are found in the documents. Zones are looked up (zones_wanted)
    options reading;                     // but `out`, which the session decides
    form rows = form::columns;           // what is handed out; form::documents: a file of blocks (block.hpp)
    block_options blocks;                // form::documents
    std::optional<row_path> elements;    // of these arrays are the rows, and not the documents
    std::optional<resampling> resample;  // intervals of time are handed out, made of rows; `fields` are its columns()
    bool nested_types = false;           // types and columns that are guessed may be lists and structs (inference::nest)
    bool source = false;                 // three more columns: archive, entry, offset; with `elements` their numbers, too
    std::uint64_t sample = 1000;         // documents from which types are guessed, at least 1
    bool infer_all = false;              // they are guessed from all documents, which are read for that before any row
    std::size_t chart = 0;               // width in pixels; 0: no series is kept
    bool rewritable = false;             // what was handed out can be thrown away: then columns may come late, see again()
    std::optional<resume_state> resume;  // go on where an earlier session stood (resume.hpp)
    std::uint64_t pause_every = 0;       // bytes of inputs after which a pause comes even without rows; 0: none for that

    /// The names of zones that need a database, each once.
    std::vector<std::string> zones_wanted() const;
    void put_zone(const std::shared_ptr<const zone>& rules);
};

/// Why a call failed.
struct trouble {
    errc code = errc::ok;
    std::string what;              // the whole sentence
    std::optional<report> record;  // when the inputs are at fault, and not what was asked for

    static constexpr const char* was_cancelled = "the extraction was cancelled";
    static trouble about(const report& r) { return {r.code, r.text(), r}; }
    static trouble misuse(std::string why) { return {errc::misuse, std::move(why), {}}; }
};

/// What a chart draws. x: microseconds since 1970, or numbers of rows.
struct series {
    struct line {
        std::string name;
        std::vector<std::int64_t> xs;
        std::vector<double> ys;
        chart_role role;
    };
    std::string x;
    bool is_time = false;
    std::string zone;  // empty: none
    std::vector<line> lines;
    std::uint64_t outside = 0;  // rows left out, at times that no calendar has
    std::int64_t interval = 0;  // rows are intervals of about so many microseconds; 0: they are none
};

class session {
public:
    using milliseconds = std::chrono::milliseconds;
    enum class step : std::uint8_t { ready, waiting, end, failed };
    /// No call waits longer than this at a time, so that threads take turns in driving.
    static constexpr milliseconds turn{50};
    /// How much is held back while types are only guessed, so that a wrong guess can still be corrected: bytes of
    /// column memory.
    static constexpr std::size_t held_back = std::size_t{48} << 20;

    explicit session(request of) : of_(std::move(of)) {}
    /// For the zones. Only before start().
    request& asked() noexcept { return of_; }
    ~session();
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    /// A child of fork() has its parent's memory, but none of its threads, and its locks as they happened to be.
    /// There, no call but this one may be made, and the session is not to be destroyed.
    bool elsewhere() const noexcept { return process_ != ::getpid(); }

    // ---- driving. ready: done; failed: `why` says it, and says it again when called again.

    step start(milliseconds patience, trouble& why);
    /// After it the columns stay. At once for text and counts. Only after start().
    step decide_columns(milliseconds patience, trouble& why);
    /// form::columns: the next rows, after decide_columns() if need be. Without rows only when much waits to be told.
    /// A guess that did not hold is errc::unsupported, cancel() is errc::host.
    step next(std::unique_ptr<batch>& out, milliseconds patience, trouble& why);
    /// form::csv, form::ndjson: the next whole lines; the memory of `out` goes back into the run. `pause`: also an
    /// empty text, when much waits to be told. cancel() is the end, and so is a guess that did not hold if the output
    /// can be rewritten. form::documents: the next bytes of the file; `pause`, cancel() and the end are the same.
    step next(buffer& out, bool pause, milliseconds patience, trouble& why);
    /// form::none, form::schema: rows, or documents, that came in since the last call, which may be none.
    step next(std::uint64_t& count, milliseconds patience, trouble& why);
    /// form::schema, when all is read: what stands at each path.
    step schema_of_paths(schema_text as, buffer& out, trouble& why) const;
    /// What was drawn so far.
    series drawn() const;
    /// After a contradiction: the same extraction with the columns that late documents ask for. Null where there was
    /// none, or a pipe is gone.
    std::unique_ptr<session> again();

    // ---- short, from any thread

    form rows() const noexcept { return of_.rows; }
    bool text() const noexcept { return of_.rows == form::csv || of_.rows == form::ndjson; }
    bool columns_out() const noexcept { return of_.rows == form::columns; }
    bool blocks() const noexcept { return of_.rows == form::documents; }
    bool schema_only() const noexcept { return of_.rows == form::schema; }
    /// The columns that rows are handed out with; null before start().
    std::shared_ptr<const schema> columns() const;
    /// The CSV header line; empty before start().
    errc header(buffer& out) const;
    counters progress() const;
    /// The files, after folders were replaced by what is in them.
    std::vector<std::string> inputs() const;
    unsigned threads() const;
    /// What was guessed or changed, and at the end what the user should know.
    std::vector<std::string> notes() const;
    /// The bad records since the last call, in input order.
    std::vector<report> take_reports();
    /// policy::quarantine: one JSON line a bad record since the last call.
    buffer take_quarantine();
    /// What ended the run.
    std::optional<report> failure() const;
    /// The sentence about the guessed type that did not hold; empty: all did.
    std::string contradiction() const;
    /// What another session goes on with behind all that was handed out (request::resume). Empty where none can: while
    /// rows are read ahead, in the middle of a task, after a failure or a contradiction, and where not_resumable()
    /// says why.
    std::string resume_token() const;
    /// Ends the run soon; whoever waits comes back.
    void cancel();
    /// cancel(), and nothing more is handed out.
    void stop();
    /// What was handed out is lost, for want of memory: driving throws std::bad_alloc from here on, as behind a
    /// std::bad_alloc of its own, since what came next would not be all that follows.
    void lose() noexcept;

private:
    enum class phase : std::uint8_t { fresh, sampling, deciding, nothing_seen, running, failed };

    template <class Call>
    step driving(Call call) {
        const std::lock_guard lock(driving_);
        if (phase_ == phase::failed && refused_.code == errc::memory) throw std::bad_alloc();
        try {
            return call();
        } catch (const std::bad_alloc&) {
            lost();
            throw;
        }
    }
    void lost() noexcept { phase_ = phase::failed, refused_.code = errc::memory; }
    void open();
    bool look_at_sample(milliseconds patience);
    bool decide(trouble& why);
    step tell_nothing_seen(milliseconds patience, trouble& why);
    step refuse(trouble because, trouble& why);
    bool can_drive(bool asked_for_form, const char* otherwise, trouble& why) const;
    extract::progress advance(milliseconds patience);
    void keep();
    void draw(const batch& rows);
    bool look_for_changes();
    // Rows are needed as columns, whatever is made of them then.
    bool tabular() const noexcept { return columns_out() || of_.resample.has_value(); }
    step take_rows(std::unique_ptr<batch>& out, milliseconds patience, trouble& why);
    bool resample_into(const schema& rows, std::string& why);
    void take_in();
    bool hand_out_intervals();
    bool finish_intervals();
    step next_interval_text(buffer& out, bool pause, milliseconds patience, trouble& why);
    step next_interval_count(std::uint64_t& count, milliseconds patience, trouble& why);
    void end_by(report what);
    const std::optional<report>& ended_by() const { return own_failure_ ? own_failure_ : run_->failure(); }
    void draw_intervals(series& to) const;
    bool finds_time() const noexcept { return of_.resample && !of_.resample->time; }
    void find_time();
    void make_guess();
    void sample();
    step next_block(buffer& out, bool pause, milliseconds patience, trouble& why);
    bool fix(trouble& why);
    bool decide_by_paths(trouble& why);
    bool start_wider(trouble& why);
    bool note_contradiction();
    bool much_to_tell() const;
    std::size_t untold() const;
    bool read_much() const noexcept;
    const char* not_resumable() const;
    bool restore(trouble& why, std::shared_ptr<const schema>& columns);
    step ended(trouble& why);
    std::shared_ptr<extract::run> current_run() const;
    std::shared_ptr<extract::run> run_again(std::shared_ptr<const schema> columns) const;

    const pid_t process_ = ::getpid();
    request of_;

    // Two locks. Of `driving_` threads take turns of up to `turn`. `telling_` is held for a few instructions.
    mutable std::mutex driving_;
    phase phase_ = phase::fresh;
    trouble refused_;  // phase::failed; phase::nothing_seen: what is told if the run itself knows nothing
    std::shared_ptr<inference> guess_, finder_;  // finder_: the columns themselves are found in the documents
    bool discovers_ = false, counts_ = false;    // no field was named; nothing but the number of documents is asked for
    bool guessed_ = false;                       // some type is a guess
    bool can_read_again_ = false;                // the inputs: files, or pipes that are kept
    bool stale_ = false;                         // the columns have changed under rows that were handed out, or held back
    std::deque<std::unique_ptr<batch>> ready_;   // read ahead
    std::size_t held_ = 0;                       // bytes of column memory in it; of intervals also of the rows read
    result got_;
    std::vector<std::pair<std::size_t, thinner>> lines_;  // column, its points
    std::unique_ptr<block_packer> packer_;                // form::documents
    bool all_packed_ = false;                             // it was told that there are no more
    std::atomic<bool> settled_{false}, over_{false};      // set while driving, read by all

    // request::resample (session_resample.cpp).
    std::unique_ptr<resampler> intervals_;
    std::optional<candle_series> candles_;              // of a chart
    std::unique_ptr<batch> spare_;                      // the rows that came last: their memory goes back into the run
    std::size_t read_ = 0;                              // bytes of it
    std::string no_time_;                               // why none was found
    bool last_given_ = false;                           // no row will come
    std::optional<report> own_failure_;                 // what ended it here, and not in the run
    std::atomic<std::uint64_t> given_{0};               // intervals handed out
    std::atomic<std::uint64_t> left_{0}, timeless_{0};  // rows left out: their interval is closed; they have no time

    // A pipe, and what is fetched, is sampled on a thread of its own, because it may be silent; so is all that there
    // is, because it takes long.
    std::thread eye_;
    std::mutex eye_lock_;
    std::condition_variable eye_done_;
    bool eye_finished_ = false, eye_lacked_memory_ = false;

    // Changed while driving and telling, so either is enough to read them.
    std::shared_ptr<const schema> columns_, shown_;  // of the run's rows; of intervals, where these are handed out
    std::shared_ptr<extract::run> run_;
    std::shared_ptr<const schema> sampled_;  // the columns as the sample gives them, and a token need not say
    std::uint64_t paused_at_ = 0;            // bytes read when the consumer came by last

    mutable std::mutex telling_;  // guards what follows, too
    bool cancelled_ = false;      // also a run that takes the place of this one
    std::optional<report> failure_;
    std::vector<std::string> notes_;
    std::vector<report> reports_;
    buffer quarantine_;
    std::vector<std::string> first_notes_;  // those at the beginning of a run whose columns are not the sample's
    std::string contradiction_;
    std::shared_ptr<const schema> widened_;
};

}  // namespace kumihimo::inline v0::extract
