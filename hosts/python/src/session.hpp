// A run under way, as Python drives it: what was read ahead while types were only guessed, and what is to be told. Nothing here
// but patiently(), sample() and own_process() touches Python objects.
#pragma once
#include <nanobind/nanobind.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "extract/infer.hpp"
#include "extract/run.hpp"
#include "extract/thin.hpp"
#include "src/guard.hpp"

namespace kumihimo::inline v0::python {

inline constexpr std::chrono::milliseconds patience{50};

// A session outlives the Python object when an Arrow stream still reads from it. One consumer at a time; counters and cancel()
// are open to all threads.
//
//      guessed, not settled    rows are read ahead into `ready`; the columns may change, and then `run` is replaced by a new
//      one settled                 the schema was handed out; what does not fit it is a contradiction, or goes to `rest` over
//      nothing comes any more but what is in `ready`
//
// Two locks. `driving` may be held for long and without the GIL: who waits for it holds no GIL, and who holds it takes none.
// `telling` is held for a few instructions in which no Python code can run.
struct session {
    const pid_t process = ::getpid();
    std::vector<std::string> paths;
    extract::options how;
    std::uint64_t sample = 1000;
    bool guessed = false;         // some type is a guess
    bool can_read_again = false;  // the inputs: files, or pipes that are kept
    bool can_rewrite = false;     // what was handed out can be thrown away

    std::mutex driving;                                 // whoever calls next()
    std::deque<std::unique_ptr<extract::batch>> ready;  // read ahead of the schema's release
    std::shared_ptr<extract::inference> finder;         // when the columns themselves are found in the documents
    bool stale = false;                             // the columns have changed under rows that were handed out, or held back
    std::atomic<bool> settled{false}, over{false};  // set while driving, or by the only consumer; read by all

    // Changed while driving and telling, so either is enough to read them.
    std::shared_ptr<const extract::schema> columns;
    std::shared_ptr<extract::run> run;

    mutable std::mutex telling;  // guards what follows, too
    bool cancelled = false;      // also a run that takes the place of this one
    std::optional<extract::report> failure;
    std::vector<std::string> notes;
    std::vector<extract::report> reports;
    buffer quarantine;
    std::string contradiction;
    std::shared_ptr<const extract::schema> widened;

    // A chart is thinned on the way. It needs columns, so text is then written from them here and not by the workers.
    extract::form form = extract::form::columns;
    std::size_t chart = 0;                                        // width in pixels; 0: none
    std::vector<std::pair<std::size_t, extract::thinner>> lines;  // column, its points

    bool text() const noexcept { return form == extract::form::csv || form == extract::form::ndjson; }
    bool columns_out() const noexcept { return form == extract::form::columns; }

    /// The run as it is now, for threads that do not drive it: it lives as long as they hold it.
    std::shared_ptr<extract::run> current_run() const {
        const std::lock_guard lock(telling);
        return run;
    }
    /// The columns that rows are handed out with.
    std::shared_ptr<const extract::schema> current_columns() const {
        const std::lock_guard lock(telling);
        return columns_out() ? columns : run->columns();
    }
    void cancel();
};

/// The column that a chart runs along: the first of times, else batch::none.
std::size_t time_column(const extract::schema& of);

/// So much waits to be told (reports, put aside records) that the consumer should be let come by.
bool much_to_tell(session& s);

/// A run of the same inputs with the columns that the last one came to.
std::shared_ptr<extract::run> run_again(const session& s, std::shared_ptr<const extract::schema> columns);

/// The next rows, without the GIL. May be called again after `waiting`.
extract::progress advance(session& s, extract::result& got);

/// A guess that did not hold, or a column that came late: kept for contradiction and again(). False when there was none. For
/// the consumer, at the end.
bool note_contradiction(session& s);

/// Reads ahead until the guesses have held for a good while, then fixes the schema. GIL held; throws what a signal raised. Any
/// thread may come: one does it.
void settle(session& s);

/// Shows n documents to the inference. Ctrl-C must work while a silent pipe is being sampled, so that is done on a thread of
/// its own. `keep`: what comes through the pipes is needed again.
std::uint64_t sample(session& s, extract::inference& by, bool pipes, bool keep);

/// A child of fork() has its parent's memory, but none of its threads, and its locks as they happened to be: whoever waits for
/// them waits for ever. What was begun in another process is refused, and never taken down.
void own_process(const session& s);
void forget(session* s);

/// Runs `work` and looks for signals in between; false with KeyboardInterrupt (or what a handler raised) pending. GIL held by
/// the caller.
template <class Work>
bool patiently(session& s, Work work) {
    for (;;) {
        bool more;
        {
            const unlocked free;
            more = work();
        }
        if (!more) return true;
        if (PyErr_CheckSignals() != 0) {
            s.cancel();
            return false;
        }
    }
}

}  // namespace kumihimo::inline v0::python
