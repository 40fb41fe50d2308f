#include "src/extraction.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "extract/csv.hpp"
#include "extract/infer.hpp"
#include "extract/run.hpp"
#include "src/extraction_arguments.hpp"
#include "src/row_stream.hpp"
#include "src/session.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace kumihimo::inline v0::python {
namespace {

class extraction {
public:
    explicit extraction(std::shared_ptr<session> s) : s_(std::move(s)) {}

    extraction(nb::sequence inputs, nb::list fields, const std::string& form, const std::string& level, unsigned jobs,
               nb::sequence match, const std::string& on_error, bool source, std::optional<std::uint64_t> limit,
               const std::string& layout, const std::string& delimiter, std::int64_t sample_size,
               std::optional<std::size_t> depth, std::optional<std::uint64_t> document_size, std::optional<std::uint64_t> ratio,
               std::optional<bool> widen, std::size_t chart, bool rewritable)
        : s_(new session, forget) {
        session& s = *s_;
        if (sample_size < 1) refuse("sample is at least 1");
        s.sample = static_cast<std::uint64_t>(sample_size);
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
        s.can_rewrite = rewritable;

        std::vector<extract::column_spec> specs;
        for (nb::handle f : fields) specs.push_back(field_of(f));
        for (extract::column_spec& spec : specs)
            if (!spec.zone_name.empty() && !spec.in_zone) spec.in_zone = zone_of(spec.zone_name);

        s.run = std::make_shared<extract::run>(s.paths, how);
        const bool pipes = s.run->reads_streams();
        const bool counted = s.form == extract::form::none && specs.empty();  // no column is needed for that
        const bool discover = specs.empty() && !counted;
        auto guess = std::make_shared<extract::inference>(std::move(specs), source, how.level);
        if (s.text())
            guess->as_text(s.form == extract::form::csv ? extract::layout_of_text::csv : extract::layout_of_text::ndjson,
                           chart != 0);
        s.can_read_again = !pipes;
        if (!counted && guess->needed()) {
            // A file can be written again, so it can have columns that come late; then a pipe has to be read again, too.
            const bool keep = pipes && rewritable && (discover || !s.text());
            sample(s, *guess, pipes, keep);
            s.can_read_again = s.can_read_again || keep;
            s.guessed = true;
        }
        if (discover) s.finder = guess;
        // What is beyond the columns of the sample: if rows can be taken back, there will be columns for it. Else there is one
        // column for all of it, unless the sample was everything.
        const bool whole = s.run->sampled_all() && !guess->unsure();
        const bool back = s.can_read_again && (rewritable || s.columns_out());
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
        return s.run->about_all(why);
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
        if (!patiently(s, [&] {
                return s.run->next(got, patience) != extract::progress::end && got.count == 0 && got.reports.empty();
            }))
            throw nb::python_error();
        if (s.run->failure()) raise(*s.run->failure());
        if (!got.reports.empty()) raise(got.reports[0]);
    }

    nb::list schema() {
        own_process(*s_);
        settle(*s_);
        nb::list out;
        const auto of = s_->current_columns();
        for (const extract::column_spec& c : of->columns()) out.append(nb::make_tuple(c.name, c.type_text(), c.path));
        return out;
    }

    nb::list notes() {
        own_process(*s_);
        std::vector<std::string> closing;
        if (s_->over) closing = s_->current_run()->closing();
        const std::lock_guard lock(s_->telling);
        nb::list all;  // with names of files, which may hold any bytes
        for (const std::string& n : s_->notes) all.append(file_text(n));
        for (const std::string& n : closing) all.append(file_text(n));
        return all;
    }

    // The next chunk of text, None at the end. `pause`: also an empty one, when much waits to be told.
    nb::object next_bytes(bool pause) {
        own_process(*s_);
        if (!s_->text()) throw nb::value_error("this extraction gives no text: ask for form='csv' or 'ndjson'");
        for (extract::result got; next_result(got);)
            if (got.text.size() != 0 || (pause && much_to_tell(*s_))) return nb::bytes(got.text.data(), got.text.size());
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
        if (extract::write_csv_header(*s_->current_columns(), out, s_->how.csv) != errc::ok) throw std::bad_alloc();
        return nb::bytes(out.data(), out.size());
    }

    nb::object arrow_stream(nb::object) {
        own_process(*s_);
        if (!s_->columns_out()) throw nb::value_error("this extraction gives no columns: ask for form='columns'");
        settle(*s_);
        if (taken_) throw nb::value_error("the rows of an extraction can be read once: call extract() again");
        taken_ = true;
        return row_stream(s_);
    }

    nb::object arrow_schema() {
        own_process(*s_);
        settle(*s_);
        return row_schema(*s_->current_columns());
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
        if (!wider || !s.can_read_again) return nb::none();
        std::shared_ptr<session> next(new session, forget);
        next->paths = s.paths;
        next->how = s.how;
        next->form = s.form;
        next->chart = s.chart;
        next->columns = wider;
        next->finder = s.finder;
        next->guessed = next->can_read_again = true;
        next->can_rewrite = s.can_rewrite;
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
        const extract::counters c = s_->current_run()->now();
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
        buffer taken;
        {
            const std::lock_guard lock(s_->telling);
            std::swap(taken, s_->quarantine);
        }
        return nb::bytes(taken.data(), taken.size());
    }

    nb::object failure() const {
        own_process(*s_);
        std::optional<extract::report> f;
        {
            const std::lock_guard lock(s_->telling);
            f = s_->failure;
        }
        return f ? nb::cast(std::move(*f)) : nb::none();
    }

    nb::object contradiction() const {
        own_process(*s_);
        std::string why;
        {
            const std::lock_guard lock(s_->telling);
            why = s_->contradiction;
        }
        return why.empty() ? nb::none() : nb::object(file_text(why));
    }

    // (x name, whether x is a time, the zone or None, [(name, xs, ys)], rows left out): xs are microseconds since 1970, or
    // numbers of rows.
    nb::tuple series() const {
        own_process(*s_);
        std::vector<std::pair<std::size_t, std::vector<extract::thinner::point>>> all;
        std::uint64_t outside = 0;
        {
            const unlocked free;
            const std::lock_guard lock(s_->driving);
            for (const auto& [column, points] : s_->lines) {
                all.emplace_back(column, points.points());
                outside = std::max(outside, points.outside());
            }
        }
        const auto of = s_->current_columns();
        const std::size_t x = time_column(*of);
        const bool is_time = x != extract::batch::none;
        const bool nano = is_time && of->columns()[x].meaning().nanoseconds;
        nb::list lines;
        for (const auto& [column, points] : all) {
            nb::list xs, ys;
            for (const extract::thinner::point& p : points) {
                xs.append(nano ? p.x / 1000 - (p.x % 1000 < 0) : p.x);
                ys.append(p.y);
            }
            lines.append(nb::make_tuple(of->columns()[column].name, xs, ys));
        }
        const bool zoned = is_time && of->columns()[x].meaning().in_zone;
        return nb::make_tuple(is_time ? of->columns()[x].name : std::string("row"), is_time,
                              zoned ? nb::object(nb::str(of->columns()[x].meaning().in_zone->name().c_str())) : nb::none(),
                              lines, outside);
    }

    void cancel() {
        own_process(*s_);
        s_->cancel();
    }
    nb::list inputs() const {
        own_process(*s_);
        nb::list out;
        const auto run = s_->current_run();
        for (const std::string& path : run->inputs()) out.append(file_text(path));
        return out;
    }
    unsigned threads() const {
        own_process(*s_);
        return s_->current_run()->threads();
    }

private:
    // False at the end; raises what ended the run early. Ctrl-C is looked for meanwhile.
    bool next_result(extract::result& got) {
        session& s = *s_;
        extract::progress p = extract::progress::waiting;
        const bool calm = patiently(s, [&] {
            const std::lock_guard lock(s.driving);
            p = s.over ? extract::progress::end : advance(s, got);
            return p == extract::progress::waiting;
        });
        if (!calm) throw nb::python_error();
        if (p == extract::progress::ready) return true;
        s.over = true;
        if (s.run->failure() && !s.run->cancelled()) raise(*s.run->failure());
        if (note_contradiction(s) && !s.can_rewrite) {
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
                      std::int64_t, std::optional<std::size_t>, std::optional<std::uint64_t>, std::optional<std::uint64_t>,
                      std::optional<bool>, std::size_t, bool>(),
             "inputs"_a, "fields"_a, nb::kw_only(), "form"_a = "columns", "level"_a = "strict", "jobs"_a = 0,
             "match"_a = nb::tuple(), "on_error"_a = "stop", "source"_a = false, "limit"_a = nb::none(), "layout"_a = "auto",
             "delimiter"_a = ",", "sample"_a = 1000, "depth"_a = nb::none(), "document_size"_a = nb::none(),
             "ratio"_a = nb::none(), "widen"_a = nb::none(), "chart"_a = 0, "rewritable"_a = false)
        .def_prop_ro("schema", &extraction::schema, "The columns: a list of (name, type, path).")
        .def_prop_ro("notes", &extraction::notes, "What was guessed or changed, one sentence each.")
        .def("next_bytes", &extraction::next_bytes, nb::kw_only(), "pause"_a = false,
             "The next chunk of CSV or NDJSON, whole lines in input order; None at the end. With pause it may be empty, when "
             "many "
             "reports wait to be taken and no row has come for long.")
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
             "With chart=WIDTH: the thinned numeric columns, (x name, x is a time, zone or None, [(name, xs, ys)], rows left "
             "out); times in microseconds since 1970, those no calendar has left out.")
        .def("cancel", &extraction::cancel, "Ends the run soon; may be called from any thread.")
        .def_prop_ro("failure", &extraction::failure, "The Report of what ended the run, or None.")
        .def_prop_ro("contradiction", &extraction::contradiction,
                     "The sentence about the guessed type that did not hold, or None.")
        .def_prop_ro("inputs", &extraction::inputs, "The files, after folders were replaced by what is in them.")
        .def_prop_ro("threads", &extraction::threads, "Worker threads; 0: the caller's own does the work.");
}

}  // namespace kumihimo::inline v0::python
