#include "src/extraction.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "src/extraction_arguments.hpp"
#include "src/extraction_guard.hpp"
#include "src/row_stream.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace kumihimo::inline v0::python {
namespace {

nb::str utf8(const char* data, std::size_t size) {
    PyObject* o = PyUnicode_DecodeUTF8(data, static_cast<Py_ssize_t>(size), nullptr);
    if (o == nullptr) throw nb::python_error();
    return nb::steal<nb::str>(o);
}

// The inputs that Python brings. No call waits, so a thread may ask until the interpreter ends.
class fetches {
public:
    explicit fetches(kumihimo_extraction* x) {
        std::uint32_t code = KUMIHIMO_OK;
        of_ = taken<owned_fetches>(code, [&](auto** out) { return kumihimo_extract_fetches(x, out); });
        expect(x, code);
    }

    nb::object next() {
        const owned_text url = new_text();
        const std::uint32_t code = kumihimo_fetches_next(of_.get(), url.get());
        if (code == KUMIHIMO_MEMORY) throw std::bad_alloc();
        if (code == KUMIHIMO_EXTRACT_END) return nb::none();
        return code == KUMIHIMO_OK ? nb::object(file_text(bytes_of(url.get()))) : nb::object(nb::str(""));
    }
    bool over() const { return kumihimo_fetches_over(of_.get()) != 0; }
    void give(nb::handle url, int file) {
        const nb::bytes name = file_name(url);
        kumihimo_fetches_give(of_.get(), name.c_str(), name.size(), file);
    }
    void refuse(nb::handle url, nb::handle why) {
        const nb::bytes name = file_name(url), sentence = file_name(why);
        kumihimo_fetches_refuse(of_.get(), name.c_str(), name.size(), sentence.c_str(), sentence.size());
    }

private:
    static nb::bytes file_name(nb::handle text) {
        PyObject* converted = nullptr;
        if (PyUnicode_FSConverter(text.ptr(), &converted) == 0) throw nb::python_error();
        return nb::steal<nb::bytes>(converted);
    }

    owned_fetches of_;
};

class extraction {
public:
    explicit extraction(owned_extraction x) : x_(std::move(x)) {}

    // `options`: as kumihimo/_core.pyi lists them; the engine knows them, and what each is where it is not given.
    extraction(nb::sequence inputs, nb::list fields, nb::object fetcher, nb::kwargs options) {
        description d;
        d.put_names("inputs", inputs);
        d.put_options(options);
        d.put_fields(fields);
        const std::string_view asked = d.finish();
        std::uint32_t code = KUMIHIMO_OK;
        x_ = taken<owned_extraction>(
            code, [&](auto** out) { return kumihimo_extract_open(asked.data(), asked.size(), out, nullptr); });
        expect(x_.get(), code);
        put_zones(x_.get());
        try {
            if (!fetcher.is_none()) fetcher(nb::cast(std::make_unique<fetches>(x_.get())));
            drive(x_.get(), [&] { return kumihimo_extract_start(x_.get(), patience, nullptr); });
        } catch (...) {
            const unlocked free;  // threads are waited for
            x_.reset();
            throw;
        }
    }

    nb::list schema() {
        owned_strings all;
        drive(x_.get(), [&] {
            std::uint32_t code = KUMIHIMO_OK;
            all =
                taken<owned_strings>(code, [&](auto** o) { return kumihimo_extract_columns(x_.get(), patience, o, nullptr); });
            return code;
        });
        const auto text = [&](std::size_t i) {
            std::size_t size = 0;
            const char* const data = kumihimo_strings_at(all.get(), i, &size);
            return utf8(data, size);
        };
        nb::list out;
        for (std::size_t i = 0; i < kumihimo_strings_count(all.get()); i += 3)
            out.append(nb::make_tuple(text(i), text(i + 1), text(i + 2)));
        return out;
    }

    nb::list notes() { return file_texts(kumihimo_extract_notes); }
    nb::list inputs() { return file_texts(kumihimo_extract_inputs); }

    // The next chunk of text, None at the end. `pause`: also an empty one, when much waits to be told.
    nb::object next_bytes(bool pause) {
        // The chunk's memory goes back into the run. Two threads may be here, so it is taken out meanwhile.
        owned_text chunk = spare_ != nullptr ? std::move(spare_) : new_text();
        const std::uint32_t flags = pause ? KUMIHIMO_PAUSE : 0;
        const bool more =
            drive(x_.get(), [&] { return kumihimo_extract_next_text(x_.get(), patience, flags, chunk.get(), nullptr); });
        if (!more) return nb::none();
        const std::string_view text = bytes_of(chunk.get());
        nb::bytes out(text.data(), text.size());
        spare_ = std::move(chunk);
        return out;
    }

    // How many rows came in since the last call, None at the end.
    nb::object next_count() {
        std::uint64_t rows = 0;
        const bool more = drive(x_.get(), [&] { return kumihimo_extract_next_count(x_.get(), patience, &rows, nullptr); });
        return more ? nb::object(nb::int_(rows)) : nb::none();
    }

    // What stands at each path, when all is counted.
    nb::bytes paths(bool json_schema) {
        const owned_text out = new_text();
        const std::uint32_t as = json_schema ? KUMIHIMO_JSON_SCHEMA : KUMIHIMO_PATHS;
        drive(x_.get(), [&] { return kumihimo_extract_paths(x_.get(), as, out.get(), nullptr); });
        return bytes(out);
    }

    nb::bytes header() {
        const owned_text out = new_text();
        expect(x_.get(), kumihimo_extract_header(x_.get(), out.get(), nullptr));
        return bytes(out);
    }

    nb::object arrow_stream(nb::object) {
        schema();  // which looks for signals until it is there
        if (taken_) throw nb::value_error("the rows of an extraction can be read once: call extract() again");
        taken_ = true;
        try {
            return row_stream(x_.get());
        } catch (...) {
            taken_ = false;
            throw;
        }
    }

    nb::object arrow_schema() { return row_schema(x_.get()); }

    // A new extraction with the columns that late documents ask for; None where there were none, or a pipe is gone.
    nb::object again() {
        owned_extraction next;
        const bool made = drive(x_.get(), [&] {
            std::uint32_t code = KUMIHIMO_OK;
            next = taken<owned_extraction>(code, [&](auto** out) { return kumihimo_extract_again(x_.get(), out, nullptr); });
            return code;
        });
        return made ? nb::cast(std::make_unique<extraction>(std::move(next))) : nb::none();
    }

    nb::dict progress() const {
        const kumihimo_progress p = figures();
        nb::dict d;
        d["bytes"] = p.bytes;
        d["total"] = p.total;
        d["complete_total"] = p.complete_total != 0;
        d["documents"] = p.documents;
        d["rows"] = p.rows;
        d["bad"] = p.bad;
        d["inputs"] = p.inputs;
        return d;
    }
    std::uint64_t threads() const { return figures().threads; }

    nb::list take_reports() {
        nb::list out;
        const owned_records all = records(kumihimo_extract_bad_records);
        for (std::size_t i = 0; i < kumihimo_records_count(all.get()); ++i) out.append(nb::cast(at(all, i)));
        return out;
    }

    nb::bytes take_quarantine() {
        const owned_text out = new_text();
        expect(x_.get(), kumihimo_extract_quarantine(x_.get(), out.get()));
        return bytes(out);
    }

    nb::object failure() const {
        const owned_records all = records(kumihimo_extract_failure);
        return kumihimo_records_count(all.get()) != 0 ? nb::cast(at(all, 0)) : nb::none();
    }

    nb::object contradiction() const {
        const owned_text why = new_text();
        expect(x_.get(), kumihimo_extract_contradiction(x_.get(), why.get()));
        const std::string_view text = bytes_of(why.get());
        return text.empty() ? nb::none() : nb::object(file_text(text));
    }

    // (x name, whether x is a time, the zone or None, [(name, xs, ys)], rows left out): xs are microseconds since
    // 1970, or numbers of rows.
    nb::tuple series() const {
        const owned_series all = drawn();
        const kumihimo_axis axis = axis_of(all);
        nb::list lines;
        for (std::size_t i = 0; i < axis.lines; ++i) {
            const kumihimo_line line = line_of(all, i);
            nb::list xs, ys;
            for (std::size_t k = 0; k < line.count; ++k) {
                xs.append(line.xs[k]);
                ys.append(line.ys[k]);
            }
            lines.append(nb::make_tuple(utf8(line.name, line.name_size), xs, ys));
        }
        const nb::object zone = axis.zone_size != 0 ? nb::object(utf8(axis.zone, axis.zone_size)) : nb::none();
        return nb::make_tuple(utf8(axis.name, axis.name_size), axis.is_time != 0, zone, lines, axis.outside);
    }

    nb::object resume_token() const {
        const owned_text token = new_text();
        drive(x_.get(), [&] { return kumihimo_extract_resume_token(x_.get(), token.get()); });
        const std::string_view text = bytes_of(token.get());
        return text.empty() ? nb::none() : nb::object(utf8(text.data(), text.size()));
    }

    // Of the same lines: (microseconds that one x stands for, [(role, field)]); None where rows are no intervals.
    nb::object intervals() const {
        static constexpr const char* roles[] = {"value", "open", "high", "low", "close", "bar"};
        const owned_series all = drawn();
        const kumihimo_axis axis = axis_of(all);
        if (axis.interval == 0) return nb::none();
        nb::list lines;
        for (std::size_t i = 0; i < axis.lines; ++i) {
            const kumihimo_line line = line_of(all, i);
            lines.append(nb::make_tuple(roles[line.role], utf8(line.of, line.of_size)));
        }
        return nb::make_tuple(axis.interval, lines);
    }

    void cancel() { expect(x_.get(), kumihimo_extract_cancel(x_.get())); }

private:
    owned_series drawn() const {
        owned_series all;
        drive(x_.get(), [&] {
            std::uint32_t code = KUMIHIMO_OK;
            all = taken<owned_series>(code, [&](auto** out) { return kumihimo_extract_series(x_.get(), out); });
            return code;
        });
        return all;
    }
    static kumihimo_axis axis_of(const owned_series& all) {
        kumihimo_axis axis{};
        axis.struct_size = sizeof axis;
        kumihimo_series_axis(all.get(), &axis);
        return axis;
    }
    static kumihimo_line line_of(const owned_series& all, std::size_t i) {
        kumihimo_line line{};
        line.struct_size = sizeof line;
        kumihimo_series_line(all.get(), i, &line);
        return line;
    }
    static nb::bytes bytes(const owned_text& t) {
        const std::string_view all = bytes_of(t.get());
        return nb::bytes(all.data(), all.size());
    }
    static report at(const owned_records& all, std::size_t i) {
        kumihimo_record r{};
        r.struct_size = sizeof r;
        kumihimo_records_at(all.get(), i, &r);
        return report(r);
    }
    owned_records records(std::uint32_t (*call)(kumihimo_extraction*, kumihimo_records**)) const {
        std::uint32_t code = KUMIHIMO_OK;
        owned_records all = taken<owned_records>(code, [&](auto** out) { return call(x_.get(), out); });
        expect(x_.get(), code);
        return all;
    }
    // Sentences and names of files, which may hold any bytes.
    nb::list file_texts(std::uint32_t (*call)(kumihimo_extraction*, kumihimo_strings**)) const {
        std::uint32_t code = KUMIHIMO_OK;
        const owned_strings all = taken<owned_strings>(code, [&](auto** out) { return call(x_.get(), out); });
        expect(x_.get(), code);
        nb::list out;
        for (std::size_t i = 0; i < kumihimo_strings_count(all.get()); ++i) {
            std::size_t size = 0;
            const char* const data = kumihimo_strings_at(all.get(), i, &size);
            out.append(file_text({data, size}));
        }
        return out;
    }
    kumihimo_progress figures() const {
        kumihimo_progress p{};
        p.struct_size = sizeof p;
        expect(x_.get(), kumihimo_extract_progress(x_.get(), &p));
        return p;
    }

    owned_extraction x_;
    owned_text spare_;
    bool taken_ = false;
};

nb::object number_or_none(std::uint64_t n) { return n == UINT64_MAX ? nb::none() : nb::object(nb::int_(n)); }

const char* scope_name(std::uint32_t scope) {
    return scope == KUMIHIMO_SCOPE_DOCUMENT ? "document" : scope == KUMIHIMO_SCOPE_ENTRY ? "entry" : "input";
}

nb::str any_text(const std::string& s) {
    PyObject* o = PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "replace");
    if (o == nullptr) throw nb::python_error();
    return nb::steal<nb::str>(o);
}

}  // namespace

void add_extraction(nb::module_& m) {
    nb::class_<report>(m, "Report", "What was wrong with one document, archive entry or input, and where.")
        .def_prop_ro(
            "scope", [](const report& r) { return scope_name(r.place.scope); }, "'document', 'entry' or 'input'")
        .def_prop_ro(
            "code", [](const report& r) { return kumihimo_code_name(r.place.code); },
            "One word for the kind of mistake, such as 'syntax'.")
        .def_prop_ro(
            "archive", [](const report& r) { return file_text(r.archive); }, "The input as it was named.")
        .def_prop_ro(
            "entry", [](const report& r) { return file_text(r.entry); }, "The member inside the archive, or ''.")
        .def_prop_ro(
            "document", [](const report& r) { return number_or_none(r.place.document); },
            "Byte at which the bad document begins, in the decompressed entry; None where that is unknown.")
        .def_prop_ro(
            "offset", [](const report& r) { return number_or_none(r.place.offset); }, "Byte of the fault itself, or None.")
        .def_prop_ro(
            "line", [](const report& r) { return r.place.line; }, "From 1; 0 where there are no lines.")
        .def_prop_ro(
            "column", [](const report& r) { return r.place.column; }, "From 1, in bytes.")
        .def_prop_ro(
            "path", [](const report& r) { return any_text(r.path); }, "The place in the document, such as '$.asks[0]'.")
        .def_prop_ro(
            "message", [](const report& r) { return any_text(r.message); }, "One sentence without the place.")
        .def("__str__", [](const report& r) { return file_text(r.text()); })
        .def("__repr__", [](const report& r) { return nb::str("<kumihimo Report: {}>").format(file_text(r.text())); });

    m.def(
        "glob_matches",
        [](nb::bytes pattern, nb::bytes path) {
            return kumihimo_extract_matches(pattern.c_str(), pattern.size(), path.c_str(), path.size()) != 0;
        },
        "pattern"_a, "path"_a,
        "Whether an extraction's `match` picks the path: of an entry, or below a folder that is an input.");

    m.def(
        "names_archive", [](nb::bytes path) { return kumihimo_extract_names_archive(path.c_str(), path.size()) != 0; },
        "path"_a, "Whether an entry's path has an ending of archives.");

    m.def(
        "has_libarchive", [] { return kumihimo_extract_has_libarchive() != 0; },
        "Whether encrypted entries of Zips, and those in PPMd, can be read.");

    nb::class_<fetches>(m, "Fetches", "Inputs of an extraction that somebody brings when they are wanted.")
        .def("next", &fetches::next, "The next one, '' where there is none for now, None at the end.")
        .def("over", &fetches::over, "Whether nobody wants any of them any more.")
        .def("give", &fetches::give, "input"_a, "file"_a, "The descriptor of a file that is all there; it is closed here.")
        .def("refuse", &fetches::refuse, "input"_a, "why"_a, "Why there is none: a bad record.");

    nb::class_<extraction>(m, "Extraction",
                           "Rows of many documents, read as they are asked for. Made by kumihimo.extract().\n\n"
                           "Offers the Arrow C stream interface: pyarrow.table(x), polars.DataFrame(x), duckdb's FROM x, "
                           "pandas.DataFrame.from_arrow(x).")
        .def(nb::init<nb::sequence, nb::list, nb::object, nb::kwargs>(), "inputs"_a, "fields"_a, nb::kw_only(),
             "fetcher"_a = nb::none(), "options"_a)
        .def_prop_ro("schema", &extraction::schema, "The columns: a list of (name, type, path).")
        .def_prop_ro("notes", &extraction::notes, "What was guessed or changed, one sentence each.")
        .def(
            "next_bytes", &extraction::next_bytes, nb::kw_only(), "pause"_a = false,
            "The next chunk of CSV or NDJSON, whole lines in input order, or with form='documents' of the file of blocks; None "
            "at the end. With pause it may be empty, when many reports wait to be taken and no row has come for long.")
        .def(
            "next_count", &extraction::next_count,
            "With form='none' or 'schema': the number of rows, or documents, that came in since the last call, which may be 0; "
            "None at the end.")
        .def("paths", &extraction::paths, nb::kw_only(), "json_schema"_a = false,
             "With form='schema', when next_count() came to its end: what stands at each path, as JSON of its own or as JSON "
             "Schema.")
        .def("header", &extraction::header, "The CSV header line.")
        .def("__arrow_c_stream__", &extraction::arrow_stream, "requested_schema"_a = nb::none(),
             "A PyCapsule with an ArrowArrayStream of the rows; once.")
        .def("__arrow_c_schema__", &extraction::arrow_schema, "A PyCapsule with the ArrowSchema.")
        .def("again", &extraction::again,
             "After an Arrow consumer failed because a guessed type did not hold (see contradiction): a new Extraction with a "
             "wider type. Else None.")
        .def("progress", &extraction::progress,
             "A dict: bytes, total, complete_total, documents, rows, bad, and of how many inputs all is read.")
        .def("take_reports", &extraction::take_reports,
             "The bad records since the last call, in input order: a list of Report.")
        .def("take_quarantine", &extraction::take_quarantine,
             "With on_error='quarantine': NDJSON, one line a bad record since the last call.")
        .def("series", &extraction::series,
             "With chart=WIDTH: the thinned numeric columns, (x name, x is a time, zone or None, [(name, xs, ys)], rows left "
             "out); times in microseconds since 1970, those no calendar has left out.")
        .def("intervals", &extraction::intervals,
             "With every: what the lines of series() are, (microseconds that one x stands for, [(role, field)]), where a role "
             "is 'open', 'high', 'low' or 'close' of a candle, 'bar' of a sum or count, or 'value'. Else None.")
        .def("cancel", &extraction::cancel, "Ends the run soon; may be called from any thread.")
        .def_prop_ro(
            "resume_token", &extraction::resume_token,
            "What stands for all rows that were handed out so far: kumihimo.extract(..., resume_token=...) with the same "
            "inputs and options gives those behind. None where nothing can go on; ask again after more rows.")
        .def_prop_ro("failure", &extraction::failure, "The Report of what ended the run, or None.")
        .def_prop_ro("contradiction", &extraction::contradiction,
                     "The sentence about the guessed type that did not hold, or None.")
        .def_prop_ro("inputs", &extraction::inputs, "The files, after folders were replaced by what is in them.")
        .def_prop_ro("threads", &extraction::threads, "Worker threads; 0: the caller's own does the work.");
}

}  // namespace kumihimo::inline v0::python
