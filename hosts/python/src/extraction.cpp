#include "src/extraction.hpp"

#include <libdeflate.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "extract/arrow.hpp"
#include "extract/csv.hpp"
#include "extract/infer.hpp"
#include "extract/ndjson.hpp"
#include "extract/run.hpp"
#include "extract/thin.hpp"
#include "src/guard.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace kumihimo::inline v0::python {
namespace {

constexpr std::chrono::milliseconds patience{50};

// How much is held back while types are only guessed, so that a wrong guess can still be corrected: bytes of column memory.
constexpr std::size_t held_back = std::size_t{48} << 20;

// A session outlives the Python object when an Arrow stream still reads from it. One consumer at a time; counters and cancel()
// are open to all threads.
struct session {
    const pid_t process = ::getpid();
    std::vector<std::string> paths;
    extract::options how;
    std::shared_ptr<const extract::schema> columns;
    std::unique_ptr<extract::run> run;
    std::uint64_t sample = 1000;

    std::mutex driving;                                 // whoever calls next()
    std::deque<std::unique_ptr<extract::batch>> ready;  // read ahead of the schema's release
    std::shared_ptr<extract::inference> finder;         // when the columns themselves are found in the documents
    bool guessed = false;                               // some type is a guess
    bool settled = false;                               // the schema was handed out: it cannot change any more
    bool over = false;
    bool again = false;       // the inputs can be read a second time
    bool rewritable = false;  // so can what was handed out be thrown away
    bool stale = false;       // the columns have changed under rows that were handed out, or held back

    std::mutex telling;  // guards what follows
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
};

std::size_t time_column(const extract::schema& of) {
    for (std::size_t i = 0; i < of.fields(); ++i)
        if (of.columns()[i].meaning().type == extract::column_type::timestamp) return i;
    return extract::batch::none;
}

void draw(session& s, const extract::batch& rows) {
    const extract::schema& of = rows.of();
    const std::size_t x = time_column(of);
    for (std::size_t i = 0; i < of.fields(); ++i) {
        const extract::column_type t = of.columns()[i].meaning().type;
        if (t != extract::column_type::int64 && t != extract::column_type::float64 && t != extract::column_type::decimal)
            continue;
        std::size_t k = 0;
        while (k < s.lines.size() && s.lines[k].first != i) ++k;
        if (k == s.lines.size()) s.lines.emplace_back(i, extract::thinner(s.chart));
        if (s.lines[k].second.push(rows, x, i) != errc::ok) throw std::bad_alloc();
    }
}

void keep(session& s, extract::result& got) {
    const std::lock_guard lock(s.telling);
    for (extract::report& r : got.reports) s.reports.push_back(std::move(r));
    for (std::string& n : got.notes) s.notes.push_back(std::move(n));
    if (got.quarantine.size() != 0) s.quarantine.append(got.quarantine.data(), got.quarantine.size());
    got.reports.clear();
    got.notes.clear();
    got.quarantine.clear();
}

// A run of the same inputs with the columns that the last one came to.
std::unique_ptr<extract::run> run_again(const session& s, std::shared_ptr<const extract::schema> columns) {
    auto run = std::make_unique<extract::run>(s.paths, s.how);
    run->inherit(*s.run);
    if (run->start(std::move(columns), s.finder) != errc::ok) throw std::bad_alloc();
    return run;
}

// Starts again with the columns as they have become. Only while nothing was handed out.
void start_wider(session& s) {
    {
        const std::lock_guard lock(s.telling);
        s.reports.clear();  // the run that starts now reports them again
        s.quarantine.clear();
    }
    s.columns = s.run->columns();
    s.ready.clear();
    s.lines.clear();
    s.stale = false;
    s.run->cancel();
    s.run = run_again(s, s.columns);
}

// The columns have changed: rows that come now are another table's. If all is to be done again, this run goes on to its end to
// meet what else there is, so that once is enough.
bool look_for_changes(session& s) {
    if (!s.stale && s.form != extract::form::none && s.run->columns() != s.columns) {
        s.stale = true;
        s.run->silence();
    }
    return s.stale;
}

// Without the GIL. May be called again after `waiting`.
extract::progress advance(session& s, extract::result& got) {
    const extract::progress p = s.run->next(got, patience);
    if (p != extract::progress::ready) return p;
    keep(s, got);
    if (look_for_changes(s)) {
        got.text.clear();
        if (got.rows) got.rows->clear();
        return p;
    }
    if (s.chart == 0 || !got.rows || got.rows->rows() == 0) return p;
    draw(s, *got.rows);
    if (s.text()) {
        const errc e = s.form == extract::form::csv ? extract::write_csv(*got.rows, got.text, s.how.csv)
                                                    : extract::write_ndjson(*got.rows, got.text);
        if (e != errc::ok) throw std::bad_alloc();
    }
    return p;
}

// Runs `work` and looks for signals in between; false with KeyboardInterrupt (or what a handler raised) pending. GIL held by
// the caller. `run` may become another one meanwhile.
template <class Work>
bool patiently(std::unique_ptr<extract::run>& run, Work work) {
    for (;;) {
        bool more;
        {
            const unlocked free;
            more = work();
        }
        if (!more) return true;
        if (PyErr_CheckSignals() != 0) {
            run->cancel();
            return false;
        }
    }
}

// ---- construction
// -------------------------------------------------------------------------------------------------------------

[[noreturn]] void refuse(const std::string& why) { throw nb::value_error(why.c_str()); }

extract::column_spec field_of(nb::handle given) {
    extract::column_spec spec;
    std::string why;
    if (nb::isinstance<nb::str>(given)) {
        if (extract::parse_field(nb::cast<std::string>(given), spec, why) != errc::ok) refuse(why);
        return spec;
    }
    if (!nb::isinstance<nb::tuple>(given) || nb::len(given) != 3)
        throw nb::type_error("a field is a str, or a tuple (name, path, type)");
    const nb::tuple t = nb::borrow<nb::tuple>(given);
    if (!t[2].is_none()) {
        const std::string type = nb::cast<std::string>(t[2]);
        if (extract::parse_type(type, spec, why) != errc::ok) refuse(why);
    }
    spec.path = nb::cast<std::string>(t[1]);
    context ctx;
    json::path parsed;
    if (json::parse(spec.path, parsed, ctx) != errc::ok)
        refuse("the path \"" + spec.path + "\" is not valid: " + ctx.failure.what);
    spec.name = t[0].is_none() ? extract::default_name(parsed) : nb::cast<std::string>(t[0]);
    return spec;
}

// File names are bytes; Python shows them with surrogateescape.
nb::str file_text(const std::string& s) {
    PyObject* o = PyUnicode_DecodeFSDefaultAndSize(s.data(), static_cast<Py_ssize_t>(s.size()));
    if (o == nullptr) throw nb::python_error();
    return nb::steal<nb::str>(o);
}

// Names of files as the system has them, from str (surrogateescape), bytes or os.PathLike; patterns for them likewise.
std::vector<std::string> file_names(nb::handle given) {
    std::vector<std::string> out;
    for (nb::handle h : given) {
        PyObject* converted = nullptr;
        if (PyUnicode_FSConverter(h.ptr(), &converted) == 0) throw nb::python_error();
        const nb::bytes name = nb::steal<nb::bytes>(converted);
        out.emplace_back(name.c_str(), name.size());
    }
    return out;
}

// The rules of a zone from Python's database; ValueError where it has none of that name.
std::shared_ptr<const extract::zone> zone_of(const std::string& name) {
    if (auto fixed = extract::zone::fixed(name)) return fixed;
    const nb::tuple rules = nb::cast<nb::tuple>(nb::module_::import_("kumihimo.zones").attr("rules")(name));
    std::vector<extract::zone::transition> transitions;
    for (nb::handle h : rules[1]) {
        const nb::tuple pair = nb::cast<nb::tuple>(h);
        transitions.push_back({nb::cast<std::int64_t>(pair[0]), nb::cast<std::int32_t>(pair[1])});
    }
    std::shared_ptr<const extract::zone> out;
    std::string why;
    if (extract::zone::make(name, nb::cast<std::int32_t>(rules[0]), transitions, nb::cast<std::string>(rules[2]), out, why) !=
        errc::ok)
        refuse(why);
    return out;
}

template <class T>
T chosen(const char* what, const std::string& name, std::initializer_list<std::pair<const char*, T>> of) {
    std::string all;
    for (const auto& [n, value] : of) {
        if (name == n) return value;
        all += std::string(all.empty() ? "'" : ", '") + n + "'";
    }
    refuse(std::string(what) + " is one of " + all + ", not '" + name + "'");
}

// Ctrl-C must work while a silent pipe is being sampled, so that is done on a thread of its own. `keep`: what comes through the
// pipes is needed again.
std::uint64_t sample(std::unique_ptr<extract::run>& run, std::uint64_t n, extract::inference& by, bool pipes, bool keep) {
    if (!pipes) {
        const unlocked free;
        return run->sample(n, by);
    }
    std::mutex lock;
    std::condition_variable done;
    bool finished = false;
    std::uint64_t seen = 0;
    std::thread eye([&] {
        if (keep) run->keep_streams();
        const std::uint64_t got = run->sample(n, by);
        const std::lock_guard hold(lock);
        seen = got;
        finished = true;
        done.notify_all();
    });
    const bool whole = patiently(run, [&] {
        std::unique_lock hold(lock);
        return !done.wait_for(hold, patience, [&] { return finished; });
    });
    {
        const unlocked free;
        eye.join();
    }
    if (!whole) throw nb::python_error();
    return seen;
}

// A child of fork() has its parent's memory, but none of its threads, and its locks as they happened to be: whoever waits for
// them waits for ever. What was begun in another process is refused, and never taken down.
void own_process(const session& s) {
    if (s.process == ::getpid()) return;
    PyErr_SetString(PyExc_RuntimeError,
                    "this extraction was begun in another process, which fork() copied without its threads: call extract() in "
                    "the process that reads the rows");
    throw nb::python_error();
}

void forget(session* s) {
    if (s->process == ::getpid()) delete s;
}

class extraction {
public:
    explicit extraction(std::shared_ptr<session> s) : s_(std::move(s)) {}

    extraction(nb::sequence inputs, nb::list fields, const std::string& form, const std::string& level, unsigned jobs,
               nb::sequence match, const std::string& on_error, bool source, std::optional<std::uint64_t> limit,
               const std::string& layout, const std::string& delimiter, std::uint64_t sample_size,
               std::optional<std::size_t> depth, std::optional<std::uint64_t> document_size, std::optional<std::uint64_t> ratio,
               std::optional<bool> widen, std::size_t chart, bool rewritable)
        : s_(new session, forget) {
        session& s = *s_;
        s.sample = sample_size;
        s.paths = file_names(inputs);
        extract::options& how = s.how;
        how.jobs = jobs;
        how.match = file_names(match);
        how.level = chosen<json::level>(
            "level", level,
            {{"strict", json::level::strict}, {"structural", json::level::structural}, {"trusted", json::level::trusted}});
        how.as = chosen<extract::layout>("layout", layout,
                                         {{"auto", extract::layout::automatic},
                                          {"document", extract::layout::document},
                                          {"lines", extract::layout::lines},
                                          {"array", extract::layout::array},
                                          {"concatenated", extract::layout::concatenated}});
        how.on_error = chosen<extract::policy>("on_error", on_error,
                                               {{"stop", extract::policy::stop},
                                                {"skip", extract::policy::skip},
                                                {"null", extract::policy::null},
                                                {"quarantine", extract::policy::quarantine}});
        s.form = chosen<extract::form>("form", form,
                                       {{"columns", extract::form::columns},
                                        {"csv", extract::form::csv},
                                        {"ndjson", extract::form::ndjson},
                                        {"none", extract::form::none}});
        s.chart = chart;
        how.out = chart != 0 ? extract::form::columns : s.form;
        if (delimiter.size() != 1) refuse("delimiter is one character");
        how.csv.delimiter = delimiter[0];
        if (limit) how.limit = *limit;
        if (depth) how.document.depth = *depth;
        if (document_size) {
            how.document.size = *document_size;
            how.allowed.size = *document_size;
        }
        if (ratio) how.allowed.ratio = *ratio;
        how.widen = widen.value_or(true);
        s.rewritable = rewritable;

        std::vector<extract::column_spec> specs;
        for (nb::handle f : fields) specs.push_back(field_of(f));
        for (extract::column_spec& spec : specs)
            if (!spec.zone_name.empty() && !spec.in_zone) spec.in_zone = zone_of(spec.zone_name);

        s.run = std::make_unique<extract::run>(s.paths, how);
        const bool pipes = s.run->reads_streams();
        const bool counted = s.form == extract::form::none && specs.empty();  // no column is needed for that
        const bool discover = specs.empty() && !counted;
        auto guess = std::make_shared<extract::inference>(std::move(specs), source, how.level);
        if (s.text())
            guess->as_text(s.form == extract::form::csv ? extract::layout_of_text::csv : extract::layout_of_text::ndjson,
                           chart != 0);
        s.again = !pipes;
        if (!counted && guess->needed()) {
            // A file can be written again, so it can have columns that come late; then a pipe has to be read again, too.
            const bool keep = pipes && rewritable && (discover || !s.text());
            sample(s.run, s.sample, *guess, pipes, keep);
            s.again = s.again || keep;
            s.guessed = true;
        }
        if (discover) s.finder = guess;
        // What is beyond the columns of the sample: if rows can be taken back, there will be columns for it. Else there is one
        // column for all of it, unless the sample was everything.
        const bool whole = s.run->sampled_all() && !guess->unsure();
        const bool back = s.again && (rewritable || s.columns_out());
        std::string why;
        const errc decided = counted
                                 ? extract::schema::make({}, false, s.columns, why)
                                 : guess->finish(s.columns, why, back || whole ? extract::beyond::told : extract::beyond::kept);
        if (decided != errc::ok) {
            if (s.guessed && guess->documents() == 0) {
                give_up_early();
                if (nb::len(fields) == 0) raise(nothing_found(s));
            }
            refuse(why);
        }
        for (const std::string& n : guess->notes()) s.notes.push_back(n);
        // Rows of a pipe are handed out as they come.
        const bool fixed = s.guessed && !back && s.form != extract::form::none;
        if (fixed && !whole && s.columns->fixed(s.columns, why) != errc::ok) refuse(why);
        if (s.run->start(s.columns, s.finder) != errc::ok) throw std::bad_alloc();
        if (fixed) s.run->fix(s.columns);
        s.settled = fixed;
    }

    // The inputs' fault and not the arguments': the error says so, and the command's exit status.
    static extract::report nothing_found(const session& s) {
        kumihimo::failure why;
        why.code = errc::truncated;
        why.what = "there is no document to find columns in";
        const std::vector<std::string>& in = s.run->inputs();
        return extract::report_input(extract::report::scope::input, in.size() == 1 ? in[0] : std::string(), {}, why);
    }

    // No document was seen, so there is nothing to guess from. If an input cannot be read that is the reason to tell, and the
    // run itself knows it: it is done with one column that takes anything.
    void give_up_early() {
        session& s = *s_;
        extract::column_spec any;
        any.name = "value";
        any.path = std::string("$");
        any.type = extract::column_type::json;
        std::vector<extract::column_spec> one{any};
        std::string why;
        std::shared_ptr<const extract::schema> columns;
        if (extract::schema::make(one, false, columns, why) != errc::ok) return;
        if (s.run->start(columns) != errc::ok) throw std::bad_alloc();
        extract::result got;
        if (!patiently(s.run, [&] { return s.run->next(got, patience) != extract::progress::end && got.count == 0; }))
            throw nb::python_error();
        if (s.run->failure()) raise(*s.run->failure());
        if (!got.reports.empty()) raise(got.reports[0]);
    }

    nb::list schema() {
        own_process(*s_);
        settle();
        nb::list out;
        for (const extract::column_spec& c : current()->columns()) out.append(nb::make_tuple(c.name, c.type_text(), c.path));
        return out;
    }

    std::vector<std::string> notes() {
        own_process(*s_);
        const std::lock_guard lock(s_->telling);
        std::vector<std::string> all = s_->notes;
        if (s_->over)
            for (std::string& n : s_->run->closing()) all.push_back(std::move(n));
        return all;
    }

    // The next chunk of text, None at the end.
    nb::object next_bytes() {
        own_process(*s_);
        if (!s_->text()) throw nb::value_error("this extraction gives no text: ask for form='csv' or 'ndjson'");
        for (extract::result got; next_result(got);)
            if (got.text.size() != 0) return nb::bytes(got.text.data(), got.text.size());
        return nb::none();
    }

    // How many rows came in since the last call, None at the end.
    nb::object next_count() {
        own_process(*s_);
        if (s_->form != extract::form::none) throw nb::value_error("rows are only counted with form='none'");
        extract::result got;
        return next_result(got) ? nb::object(nb::int_(got.count)) : nb::none();
    }

    nb::bytes header() {
        own_process(*s_);
        buffer out;
        if (extract::write_csv_header(*current(), out, s_->how.csv) != errc::ok) throw std::bad_alloc();
        return nb::bytes(out.data(), out.size());
    }

    // ---- Arrow ----

    nb::object arrow_stream(nb::object) {
        own_process(*s_);
        if (!s_->columns_out()) throw nb::value_error("this extraction gives no columns: ask for form='columns'");
        settle();
        if (taken_) throw nb::value_error("the rows of an extraction can be read once: call extract() again");
        taken_ = true;
        auto stream = std::make_unique<ArrowArrayStream>();
        stream->release = nullptr;
        const std::shared_ptr<session> s = s_;
        const errc e = extract::to_arrow(
            s->columns, [s](std::unique_ptr<extract::batch>& out, std::string& why) { return next_batch(*s, out, why); },
            stream.get());
        if (e != errc::ok) throw std::bad_alloc();
        PyObject* capsule = PyCapsule_New(stream.get(), "arrow_array_stream", [](PyObject* c) {
            auto* p = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(c, "arrow_array_stream"));
            if (p->release != nullptr) p->release(p);
            delete p;
        });
        if (capsule == nullptr) {
            stream->release(stream.get());
            throw nb::python_error();
        }
        stream.release();
        return nb::steal(capsule);
    }

    nb::object arrow_schema() {
        own_process(*s_);
        settle();
        auto schema = std::make_unique<ArrowSchema>();
        schema->release = nullptr;
        if (extract::to_arrow(*current(), schema.get()) != errc::ok) throw std::bad_alloc();
        PyObject* capsule = PyCapsule_New(schema.get(), "arrow_schema", [](PyObject* c) {
            auto* p = static_cast<ArrowSchema*>(PyCapsule_GetPointer(c, "arrow_schema"));
            if (p->release != nullptr) p->release(p);
            delete p;
        });
        if (capsule == nullptr) {
            schema->release(schema.get());
            throw nb::python_error();
        }
        schema.release();
        return nb::steal(capsule);
    }

    // A new extraction with the columns that late documents ask for; None where there were none, or a pipe is gone.
    nb::object again() {
        own_process(*s_);
        session& s = *s_;
        std::shared_ptr<const extract::schema> wider;
        {
            const std::lock_guard lock(s.telling);
            wider = s.widened;
        }
        if (!wider || !s.again) return nb::none();
        std::shared_ptr<session> next(new session, forget);
        next->paths = s.paths;
        next->how = s.how;
        next->form = s.form;
        next->chart = s.chart;
        next->columns = wider;
        next->finder = s.finder;
        next->guessed = next->again = true;
        next->rewritable = s.rewritable;
        next->sample = s.sample;
        {
            const std::lock_guard lock(s.telling);
            next->notes = s.notes;
        }
        next->run = run_again(s, wider);
        return nb::cast(std::make_unique<extraction>(next));
    }

    nb::dict progress() const {
        own_process(*s_);
        const extract::counters c = s_->run->now();
        nb::dict d;
        d["bytes"] = c.bytes;
        d["total"] = c.total;
        d["complete_total"] = c.complete_total;
        d["documents"] = c.documents;
        d["rows"] = c.rows;
        d["bad"] = c.bad;
        return d;
    }

    nb::list take_reports() {
        own_process(*s_);
        std::vector<extract::report> taken;
        {
            const std::lock_guard lock(s_->telling);
            taken.swap(s_->reports);
        }
        nb::list out;
        for (extract::report& r : taken) out.append(nb::cast(std::move(r)));
        return out;
    }

    nb::bytes take_quarantine() {
        own_process(*s_);
        const std::lock_guard lock(s_->telling);
        nb::bytes out(s_->quarantine.data(), s_->quarantine.size());
        s_->quarantine.clear();
        return out;
    }

    nb::object failure() const {
        own_process(*s_);
        const auto& f = s_->run->failure();
        return f ? nb::cast(*f) : nb::none();
    }

    nb::object contradiction() const {
        own_process(*s_);
        const std::lock_guard lock(s_->telling);
        return s_->contradiction.empty() ? nb::none() : nb::object(nb::str(s_->contradiction.c_str()));
    }

    // (x name, whether x is a time, the zone or None, [(name, xs, ys)]): xs are microseconds since 1970, or numbers of rows.
    nb::tuple series() const {
        own_process(*s_);
        const std::lock_guard lock(s_->driving);
        const auto of = current();
        const std::size_t x = time_column(*of);
        const bool is_time = x != extract::batch::none;
        const bool nano = is_time && of->columns()[x].meaning().nanoseconds;
        nb::list lines;
        for (const auto& [column, points] : s_->lines) {
            nb::list xs, ys;
            for (const extract::thinner::point& p : points.points()) {
                xs.append(nano ? p.x / 1000 - (p.x % 1000 < 0) : p.x);
                ys.append(p.y);
            }
            if (nb::len(xs) != 0) lines.append(nb::make_tuple(of->columns()[column].name, xs, ys));
        }
        const bool zoned = is_time && of->columns()[x].meaning().in_zone;
        return nb::make_tuple(is_time ? of->columns()[x].name : std::string("row"), is_time,
                              zoned ? nb::object(nb::str(of->columns()[x].meaning().in_zone->name().c_str())) : nb::none(),
                              lines);
    }

    void cancel() {
        own_process(*s_);
        s_->run->cancel();
    }
    nb::list inputs() const {
        own_process(*s_);
        nb::list out;
        for (const std::string& path : s_->run->inputs()) out.append(file_text(path));
        return out;
    }
    unsigned threads() const {
        own_process(*s_);
        return s_->run->threads();
    }

private:
    std::shared_ptr<const extract::schema> current() const { return s_->columns_out() ? s_->columns : s_->run->columns(); }

    // False at the end; raises what ended the run early. Ctrl-C is looked for meanwhile.
    bool next_result(extract::result& got) {
        session& s = *s_;
        extract::progress p = extract::progress::waiting;
        const bool calm = patiently(s.run, [&] {
            const std::lock_guard lock(s.driving);
            p = s.over ? extract::progress::end : advance(s, got);
            return p == extract::progress::waiting;
        });
        if (!calm) throw nb::python_error();
        if (p == extract::progress::ready) return true;
        s.over = true;
        if (s.run->failure() && !s.run->cancelled()) raise(*s.run->failure());
        if (note_contradiction(s) && !s.rewritable) {
            kumihimo::failure why;
            why.code = errc::unsupported;
            why.what = "rows without it were handed out already";
            extract::report r = extract::report_input(extract::report::scope::input, {}, {}, why);
            r.message = s.contradiction + ", but " + r.message;
            raise(r);
        }
        return false;
    }

    [[noreturn]] static void raise(const extract::report& r) {
        const ref type = package_attribute("kumihimo.errors", "ExtractionError");
        if (!type) throw nb::python_error();
        const nb::object error = nb::steal(PyObject_CallOneArg(type.get(), nb::cast(r).ptr()));
        if (!error.is_valid()) throw nb::python_error();
        PyErr_SetObject(type.get(), error.ptr());
        throw nb::python_error();
    }

    // A guess that did not hold, or a column that came late: kept for contradiction and again().
    static bool note_contradiction(session& s) {
        const auto& found = s.run->disagreement();
        if (!found && !s.stale) return false;
        const std::lock_guard told(s.telling);
        if (found && s.contradiction.empty()) s.notes.push_back(found->note);
        s.contradiction = found ? found->note : s.notes.empty() ? std::string("the columns have changed") : s.notes.back();
        s.widened = found ? found->widened : s.run->columns();
        return true;
    }

    // Reads ahead until the guesses have held for a good while, then fixes the schema.
    void settle() {
        own_process(*s_);
        session& s = *s_;
        if (s.settled || !s.columns_out()) return;
        if (s.guessed) {
            std::size_t held = 0;
            const bool calm = patiently(s.run, [&] {
                const std::lock_guard lock(s.driving);
                extract::result got;
                const extract::progress p = advance(s, got);
                if (p == extract::progress::waiting) return true;
                if (p == extract::progress::ready) {
                    if (got.rows) held += got.rows->capacity();
                    if (got.rows && !s.stale) s.ready.push_back(std::move(got.rows));
                    if (held < held_back || (s.stale && s.rewritable)) return true;
                }
                if (s.stale && !s.run->failure()) {
                    start_wider(s);
                    held = 0;
                    return true;
                }
                s.over = p == extract::progress::end;
                return false;
            });
            if (!calm) throw nb::python_error();
            if (!s.over && !s.rewritable) fix(s);
        }
        s.settled = true;
    }

    // The schema is handed out now and rows are still to come: what no column holds goes to `rest` from here on.
    static void fix(session& s) {
        std::shared_ptr<const extract::schema> fixed;
        std::string why;
        const std::lock_guard lock(s.driving);
        if (s.columns->fixed(fixed, why) != errc::ok) refuse(why);
        for (const auto& rows : s.ready)
            if (rows->adopt(fixed) != errc::ok) throw std::bad_alloc();
        s.columns = fixed;
        s.run->fix(std::move(fixed));
    }

    // Called by an Arrow consumer, on any thread, with or without the GIL.
    static errc next_batch(session& s, std::unique_ptr<extract::batch>& out, std::string& why) {
        if (s.process != ::getpid()) {
            why = "this extraction was begun in another process: call extract() in the process that reads the rows";
            return errc::host;
        }
        const bool holding = PyGILState_Check() != 0;
        PyThreadState* const state = holding ? PyEval_SaveThread() : nullptr;
        const errc e = next_batch_free(s, out, why);
        if (state != nullptr) PyEval_RestoreThread(state);
        return e;
    }

    static errc next_batch_free(session& s, std::unique_ptr<extract::batch>& out, std::string& why) {
        const std::lock_guard lock(s.driving);
        if (!s.ready.empty()) {
            out = std::move(s.ready.front());
            s.ready.pop_front();
            return errc::ok;
        }
        out.reset();
        extract::result got;
        for (;;) {
            const extract::progress p = s.over ? extract::progress::end : advance(s, got);
            if (p == extract::progress::ready) {
                if (s.stale || !got.rows || got.rows->rows() == 0) continue;
                out = std::move(got.rows);
                return errc::ok;
            }
            if (p == extract::progress::end) {
                s.over = true;
                if (s.run->cancelled()) {
                    why = "the extraction was cancelled";
                    return errc::host;
                }
                if (s.run->failure()) {
                    why = s.run->failure()->text();
                    return s.run->failure()->code;
                }
                if (note_contradiction(s)) {
                    why = s.contradiction + ", but rows with the guessed type were handed out already: give the column's type";
                    return errc::unsupported;
                }
                return errc::ok;
            }
            // Waiting. The consumer may be the main thread, where nobody else looks for Ctrl-C meanwhile.
            const PyGILState_STATE gil = PyGILState_Ensure();
            const bool interrupted = PyErr_CheckSignals() != 0;
            if (interrupted) {
                // The consumer will raise an error of its own; what the handler raised comes again as soon as Python code runs.
                raise_soon();
            }
            PyGILState_Release(gil);
            if (interrupted) {
                s.run->cancel();
                s.over = true;
                why = "interrupted";
                return errc::host;
            }
        }
    }

    // Keeps the pending error and raises it again in the main thread, between two instructions of its.
    static void raise_soon() {
        struct kept {
            PyObject *type, *value, *trace;
        };
        auto* k = new (std::nothrow) kept{};
        if (k == nullptr) {
            PyErr_Clear();
            PyErr_SetInterrupt();
            return;
        }
        PyErr_Fetch(&k->type, &k->value, &k->trace);
        const auto deliver = [](void* p) -> int {
            const std::unique_ptr<kept> mine(static_cast<kept*>(p));
            PyErr_Restore(mine->type, mine->value, mine->trace);
            return -1;
        };
        if (Py_AddPendingCall(deliver, k) == 0) return;
        Py_XDECREF(k->type);
        Py_XDECREF(k->value);
        Py_XDECREF(k->trace);
        delete k;
        PyErr_SetInterrupt();
    }

    std::shared_ptr<session> s_;
    bool taken_ = false;
};

nb::object number_or_none(std::uint64_t n) { return n == extract::report::nowhere ? nb::none() : nb::object(nb::int_(n)); }

const char* scope_name(extract::report::scope s) {
    return s == extract::report::scope::document ? "document" : s == extract::report::scope::entry ? "entry" : "input";
}

nb::str any_text(const std::string& s) {
    PyObject* o = PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "replace");
    if (o == nullptr) throw nb::python_error();
    return nb::steal<nb::str>(o);
}

}  // namespace

void add_extraction(nb::module_& m) {
    using extract::report;
    nb::class_<report>(m, "Report", "What was wrong with one document, archive entry or input, and where.")
        .def_prop_ro(
            "scope", [](const report& r) { return scope_name(r.of); }, "'document', 'entry' or 'input'")
        .def_prop_ro(
            "code", [](const report& r) { return name(r.code); }, "One word for the kind of mistake, such as 'syntax'.")
        .def_prop_ro(
            "archive", [](const report& r) { return file_text(r.archive); }, "The input as it was named.")
        .def_prop_ro(
            "entry", [](const report& r) { return file_text(r.entry); }, "The member inside the archive, or ''.")
        .def_prop_ro(
            "document", [](const report& r) { return number_or_none(r.document); },
            "Byte at which the bad document begins, in the decompressed entry; None where that is unknown.")
        .def_prop_ro(
            "offset", [](const report& r) { return number_or_none(r.offset); }, "Byte of the fault itself, or None.")
        .def_prop_ro(
            "line", [](const report& r) { return r.line; }, "From 1; 0 where there are no lines.")
        .def_prop_ro(
            "column", [](const report& r) { return r.column; }, "From 1, in bytes.")
        .def_prop_ro(
            "path", [](const report& r) { return any_text(r.path); }, "The place in the document, such as '$.asks[0]'.")
        .def_prop_ro(
            "message", [](const report& r) { return any_text(r.message); }, "One sentence without the place.")
        .def("__str__", [](const report& r) { return file_text(r.text()); })
        .def("__repr__", [](const report& r) { return nb::str("<kumihimo Report: {}>").format(file_text(r.text())); });

    nb::class_<extraction>(m, "Extraction",
                           "Rows of many documents, read as they are asked for. Made by kumihimo.extract().\n\n"
                           "Offers the Arrow C stream interface: pyarrow.table(x), polars.DataFrame(x), duckdb's FROM x, "
                           "pandas.DataFrame.from_arrow(x).")
        .def(nb::init<nb::sequence, nb::list, const std::string&, const std::string&, unsigned, nb::sequence,
                      const std::string&, bool, std::optional<std::uint64_t>, const std::string&, const std::string&,
                      std::uint64_t, std::optional<std::size_t>, std::optional<std::uint64_t>, std::optional<std::uint64_t>,
                      std::optional<bool>, std::size_t, bool>(),
             "inputs"_a, "fields"_a, nb::kw_only(), "form"_a = "columns", "level"_a = "strict", "jobs"_a = 0,
             "match"_a = nb::tuple(), "on_error"_a = "stop", "source"_a = false, "limit"_a = nb::none(), "layout"_a = "auto",
             "delimiter"_a = ",", "sample"_a = 1000, "depth"_a = nb::none(), "document_size"_a = nb::none(),
             "ratio"_a = nb::none(), "widen"_a = nb::none(), "chart"_a = 0, "rewritable"_a = false)
        .def_prop_ro("schema", &extraction::schema, "The columns: a list of (name, type, path).")
        .def_prop_ro("notes", &extraction::notes, "What was guessed or changed, one sentence each.")
        .def("next_bytes", &extraction::next_bytes,
             "The next chunk of CSV or NDJSON, whole lines in input order; None at the end.")
        .def("next_count", &extraction::next_count,
             "With form='none': the number of rows that came in since the last call, which may be 0; None at the end.")
        .def("header", &extraction::header, "The CSV header line.")
        .def("__arrow_c_stream__", &extraction::arrow_stream, "requested_schema"_a = nb::none(),
             "A PyCapsule with an ArrowArrayStream of the rows; once.")
        .def("__arrow_c_schema__", &extraction::arrow_schema, "A PyCapsule with the ArrowSchema.")
        .def("again", &extraction::again,
             "After an Arrow consumer failed because a guessed type did not hold (see contradiction): a new Extraction with a "
             "wider type. Else None.")
        .def("progress", &extraction::progress, "A dict: bytes, total, complete_total, documents, rows, bad.")
        .def("take_reports", &extraction::take_reports,
             "The bad records since the last call, in input order: a list of Report.")
        .def("take_quarantine", &extraction::take_quarantine,
             "With on_error='quarantine': NDJSON, one line a bad record since the last call.")
        .def("series", &extraction::series,
             "With chart=WIDTH: the thinned numeric columns, (x name, x is a time, zone or None, [(name, xs, ys)]); times in "
             "microseconds since 1970.")
        .def("cancel", &extraction::cancel, "Ends the run soon; may be called from any thread.")
        .def_prop_ro("failure", &extraction::failure, "The Report of what ended the run, or None.")
        .def_prop_ro("contradiction", &extraction::contradiction,
                     "The sentence about the guessed type that did not hold, or None.")
        .def_prop_ro("inputs", &extraction::inputs, "The files, after folders were replaced by what is in them.")
        .def_prop_ro("threads", &extraction::threads, "Worker threads; 0: the caller's own does the work.");
}

}  // namespace kumihimo::inline v0::python
