#include "extract/work.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "extract/ndjson.hpp"
#include "extract/sample_of.hpp"

namespace kumihimo::inline v0::extract {
namespace {

// What a report holds, about: names, path and message are strings of their own.
constexpr std::size_t report_size = 512;

// Text that stands in every row, even one of nulls: NDJSON repeats the names, CSV the delimiters.
std::size_t text_of_row(const schema& of, form out) {
    const std::size_t columns = of.columns().size();
    if (out == form::csv) return columns;
    if (out != form::ndjson) return 0;
    std::size_t n = 2;
    for (const column_spec& c : of.columns()) n += c.name.size() + 8;
    return n;
}

}  // namespace

void outcome::clear() noexcept {
    if (rows) rows->clear();
    text.clear();
    listed.clear();
    paths.clear(paths.most_keys());
    reports.clear();
    put_aside.clear();
    count = documents = newlines = kept_rest = blocked = astray = no_array = members = of_archive = 0;
    more = stopped = full = piece = first = unplaced = false;
    end = {};
    widened.reset();
    disagreement.clear();
    place.clear();
    offender.clear();
    first_rest.clear();
    first_blocked.clear();
    first_astray.clear();
    first_no_array.clear();
}

void worker::work(const task& what, const std::shared_ptr<const schema>& columns, std::uint64_t limit, outcome& out,
                  const document_source::position& from, std::uint64_t had) noexcept {
    task_ = &what;
    item_ = from.item;
    of_item_ = had;
    ctx_.clear();
    source_.open(what, false, from);
    if (walk_) walk_->close();
    resume_ = from.rows;
    members_before_ = 0;
    careful_ = false;
    part_ = from;
    of_part_ = had;
    resume(columns, limit, out);
}

void worker::resume(const std::shared_ptr<const schema>& columns, std::uint64_t limit, outcome& out) noexcept {
    try {
        spoiled_ = false;
        read(columns, limit, out);
        if (spoiled_) {
            go_back();
            read(columns, limit, out);
        }
        part_ = out.end;
        of_part_ = of_item_;
    } catch (const std::bad_alloc&) {
        out.clear();
        out.stopped = true;
        try {
            failure f;
            f.code = errc::memory;
            f.what = "memory is out; use fewer --jobs (jobs) or a lower --max-size (document_size)";
            out.reports.push_back(
                report_input(report::scope::input, task_->from ? task_->from->name : std::string(), task_->entry, f));
        } catch (const std::bad_alloc&) {
            // Stopped without a word is all that is left.
        }
    }
    if (!out.more) source_.close();
}

void worker::read(const std::shared_ptr<const schema>& columns, std::uint64_t limit, outcome& out) {
    out_ = &out;
    limit_ = limit;
    out.clear();
    if (options_.out == form::schema) out.paths.clear(options_.most_keys);
    if (options_.where && !judge_) judge_.emplace(options_.where, options_.level);
    if (!out.rows || &out.rows->of() != columns.get()) {
        // What the condition has looked at is valid already.
        const bool checked = judge_ && !judges_rows() && columns->others() == beyond::ignored;
        const bool again = options_.level != json::level::strict || !checked;
        out.rows = std::make_unique<batch>(columns, again ? options_.level : json::level::structural);
    }
    rows_ = out.rows.get();
    if (columns->rows()) use_walk();
    if (measured_ != columns.get()) {
        text_of_row_ = text_of_row(*columns, options_.out);
        measured_ = columns.get();
    }
    // A fault of the text itself has its line counted from the last piece, as what is bad in a piece has from its own.
    out.piece =
        task_->type == task::kind::piece || (task_->type == task::kind::fault && task_->fault.about == report::scope::document);
    out.first = task_->type == task::kind::piece && task_->text.first;
    out.lines_before = task_->text.lines_before;
    look_again_ = 1;
    aside_ = 0;
    over_ = limit_ == 0 || (task_->from && (of_item_ >= options_.per_archive || is_finished()));
    while (!over_ && !out.more) {
        if (rows_are_open()) {
            go_on_with_rows();
            out.more = !over_ && out.count >= look_again_ && filled();
            continue;
        }
        const document_source::found said = source_.next();
        if (said == document_source::found::end) {
            out.newlines = source_.newlines();
            break;
        }
        if (archive_is_full()) {
            if (said == document_source::found::document) source_.document();  // its end
            counted();
            continue;
        }
        if (said == document_source::found::document)
            document();
        else
            fault(source_.fault());
        out.more = !over_ && out.count >= look_again_ && filled();
    }
    out.end = rows_are_open() ? source_.place_of_document() : source_.place();
    if (rows_are_open()) out.end.rows = walk_->place();
    out.of_archive = task_->from || out.end.item == item_ ? of_item_ : 0;
    out.members = source_.members() - members_before_;
    members_before_ = source_.members();
    finish();
}

std::uint64_t worker::watch(const task& what, inference& by, std::uint64_t limit, bool all) noexcept {
    std::uint64_t seen = 0;
    try {
        if (options_.where && !judge_) judge_.emplace(options_.where, options_.level);
        source_.open(what, true);
        while (seen < limit && (all || !by.sated())) {
            const document_source::found said = source_.next();
            if (said == document_source::found::end) break;
            if (said == document_source::found::fault) continue;
            bool holds = true;
            judge* const of_rows = judges_rows() ? &*judge_ : nullptr;
            bool good = !judge_ || of_rows != nullptr || ask(holds) == errc::ok;
            if (good && !holds && !all) {
                by.pass_over(source_.document().size());
            } else {
                const json::plan* const paths = by.discovers() || of_rows != nullptr ? nullptr : by.paths();
                good = good && (!holds || ((!lowers() || lower(paths) == errc::ok) &&
                                           by.observe(lowers() ? lowered() : source_.document(), ctx_, of_rows) == errc::ok));
                // Damaged documents are no sample where the run will pass over them.
                const bool counts = !good || of_rows == nullptr || by.took_rows();
                if (all || (counts && (good || options_.on_error == policy::stop))) ++seen;
            }
            if (!good) ctx_.clear();
            if (cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed)) break;
        }
    } catch (const std::bad_alloc&) {
    }
    source_.close();
    return seen;
}

// Whether what this part holds is enough. It is asked when so many rows were added as may be half of what is left, so
// a part of usual rows is looked at a few times.
bool worker::filled() {
    const std::uint64_t rows = std::max<std::uint64_t>(out_->count, 1);
    const std::size_t held = rows_->bytes_used() + out_->text.size() + out_->listed.bytes_used() +
                             static_cast<std::size_t>(out_->count) * text_of_row_ + out_->reports.size() * report_size + aside_;
    if (held >= options_.part) return true;
    const std::uint64_t each = std::max<std::uint64_t>({held / rows, rows_->row_size() + text_of_row_, 1});
    look_again_ = out_->count + std::max<std::uint64_t>((options_.part - held) / (2 * each), 1);
    return false;
}

void worker::finish() {
    outcome& out = *out_;
    if (out.stopped && (out.widened || out.unplaced)) return;
    errc e = errc::ok;
    if (silent_ != nullptr && silent_->load(std::memory_order_relaxed)) {
        rows_->clear();
        return;
    }
    if (!options_.distinct.empty()) return;  // their text is made when it is known which are
    if (options_.out == form::csv) e = write_csv(*rows_, out.text, options_.csv);
    if (options_.out == form::ndjson) e = write_ndjson(*rows_, out.text);
    if (e != errc::ok) throw std::bad_alloc();
    if (options_.out != form::columns && !options_.keep_rows) rows_->clear();
}

// The document at hand, in the format that is written.
void worker::rewrite() {
    const std::size_t before = out_->text.size();
    const bytes d = source_.document();
    const errc e = options_.to->write(d, source_.binary(), out_->text, ctx_);
    if (e == errc::ok) [[likely]] {
        ++out_->documents;
        if (in_sample()) {
            ++out_->count;
            ++of_item_;
            out_->listed.add(out_->text.size() - before, source_.provenance());
        } else {
            out_->text.commit(out_->text.data() + before);
        }
    } else if (source_.tentative()) {
        ctx_.clear();
        return source_.look_inside();
    } else {
        ++out_->documents;
        rows_->unread();
        bad(d, d, source_.offset());
    }
    counted();
}

// In the place of what cannot be given.
void worker::append_null(const origin& from) {
    if (options_.out != form::documents) {
        if (rows_->append_null(from, ctx_) != errc::ok) throw std::bad_alloc();
        ++out_->count;
        ++of_item_;
        return;
    }
    const std::size_t before = out_->text.size();
    if (const errc e = options_.to->write_null(out_->text, ctx_); e == errc::memory) throw std::bad_alloc();
    ctx_.clear();  // a format that has no such document leaves it out
    if (out_->text.size() == before) return;
    out_->listed.add(out_->text.size() - before, from);
    ++out_->count;
    ++of_item_;
}

// The document at hand as JSON: what the paths lead to, or all of it.
errc worker::lower(const json::plan* paths) {
    lowered_.clear();
    const binary_format* const binary = source_.binary();
    if (options_.read.dialect) return options_.read.dialect->lower(source_.document(), binary, paths, lowered_, ctx_);
    const care how = options_.level == json::level::strict ? care::all : care::wanted;
    return binary->lower(source_.document(), paths, how, lowered_, ctx_);
}

// Of a value that its column does not take, in the document at hand, of which rows have seen the JSON only.
std::size_t worker::place_of_failure() {
    if (rows_->failed_column() == batch::none) return failure::nowhere;
    return place_of(rows_->of().paths().plan(), static_cast<std::uint32_t>(rows_->failed_column()));
}

std::size_t worker::place_of(const json::plan& plan, std::uint32_t path) {
    if (options_.read.dialect) return options_.read.dialect->place(source_.document(), plan, path, ctx_.limits);
    return source_.binary()->place(source_.document(), plan, path, ctx_.limits);
}

// Whether the condition holds for the document at hand.
errc worker::ask(bool& holds) {
    const binary_format* const binary = source_.binary();
    if (binary != nullptr && binary->project != nullptr && options_.read.dialect == nullptr) {
        const json::given what = source_.bounded() ? json::given::document : json::given::stream;
        const errc e = judge_->look(*binary, source_.ahead(), what, ctx_);
        source_.bound(judge_->document_size());
        return e != errc::ok ? e : judge_->decide(holds, ctx_);
    }
    if (!lowers()) {
        KUMIHIMO_TRY(judge_->look(source_.document(), ctx_));
        return judge_->decide(holds, ctx_);
    }
    const json::plan& paths = judge_->of().of_document().plan();
    KUMIHIMO_TRY(lower(&paths));
    KUMIHIMO_TRY(judge_->look(lowered(), ctx_));
    const errc e = judge_->decide(holds, ctx_);
    if (e != errc::ok) batch::moved_to(place_of(paths, judge_->of().paths()[judge_->failed_path()].place), ctx_);
    return e;
}

// The same, and what becomes of a document for which nobody can say it. False: there is nothing more to do with the
// document.
bool worker::passes(std::uint64_t offset) {
    bool holds = false;
    if (ask(holds) == errc::ok) [[likely]] {
        if (const std::uint32_t path = judge_->blocked(); path != condition::none) [[unlikely]] {
            if (out_->astray++ == 0) out_->first_astray = '"' + judge_->of().paths()[path].text + "\" in " + place(offset);
        }
        if (holds) return true;
        ++out_->documents;
    } else if (source_.tentative()) {
        ctx_.clear();
        source_.look_inside();
        return false;
    } else {
        ++out_->documents;
        rows_->unread();
        bad(source_.document(), {}, offset);
    }
    counted();
    return false;
}

void worker::document() {
    const std::uint64_t offset = source_.offset();
    if (judge_ && !judges_rows() && !passes(offset)) return;
    if (options_.out == form::documents) return rewrite();
    if (options_.out == form::schema) return summarize();
    if (rows_->of().rows()) return document_of_rows();
    const origin from = rows_->of().provenance() ? source_.provenance() : origin();
    const binary_format* const binary = source_.binary();
    const bool by_headers = binary != nullptr && binary->project != nullptr && rows_->of().others() == beyond::ignored &&
                            options_.read.dialect == nullptr;
    bytes text;  // as rows are made of it
    errc e = errc::ok;
    if (by_headers) {
        const json::given what = source_.bounded() ? json::given::document : json::given::stream;
        e = rows_->append(*binary, source_.ahead(), what, from, ctx_);
        source_.bound(rows_->document_size());
    } else if (lowers()) {
        const schema& of = rows_->of();
        e = lower(of.others() == beyond::ignored ? &of.of_document().plan() : nullptr);
        text = lowered();
        if (e != errc::ok)
            rows_->unread();
        else if ((e = rows_->append(text, from, ctx_)) != errc::ok)
            batch::moved_to(place_of_failure(), ctx_);
    } else {
        text = source_.document();
        e = rows_->append(text, from, ctx_);
    }
    if (e == errc::ok) [[likely]] {
        ++out_->documents;
        added(offset);
    } else if (source_.tentative()) {
        ctx_.clear();
        return source_.look_inside();
    } else {
        ++out_->documents;
        // Only a guess that was wrong needs all of it.
        if (by_headers && rows_->disagreed()) {
            const failure why = std::exchange(ctx_.failure, {});
            if (lower(&rows_->of().of_document().plan()) == errc::ok) text = lowered();
            ctx_.failure = why;
        }
        bad(source_.document(), text, offset);
    }
    counted();
}

bool worker::is_finished() const noexcept {
    return finished_ != nullptr && finished_->load(std::memory_order_acquire) == task_->from->input();
}

// Whether what source_.next() gave is of an input that has all its rows. Of one that other tasks are of too, nothing
// more is read.
bool worker::archive_is_full() {
    if (options_.per_archive == no_limit || task_->from) return false;
    if (const std::uint64_t item = source_.item(); item != item_) {
        item_ = item;
        of_item_ = 0;
    }
    return of_item_ >= options_.per_archive;
}

// Behind a document or a fault: whether it was the last one.
void worker::counted() {
    if (task_->from && of_item_ >= options_.per_archive) over_ = true;
    if (out_->count >= limit_) {
        out_->full = true;
        over_ = true;
    }
    if (cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed)) over_ = true;
}

// A row was added.
void worker::added(std::uint64_t offset, std::uint64_t row) {
    if (!in_sample(row)) return rows_->drop_last();
    ++out_->count;
    ++of_item_;
    if (rows_->kept_rest()) [[unlikely]] {
        if (out_->kept_rest++ == 0) out_->first_rest = place(offset);
    } else if (const std::size_t field = rows_->blocked(); field != batch::none) [[unlikely]] {
        if (out_->blocked++ == 0)
            out_->first_blocked = '"' + sample_of(definition(rows_->of().columns()[field])) + "\" in " + place(offset);
    }
}

// Where a document is, for notes: lines of a piece are not counted from the text's beginning here.
std::string worker::place(std::uint64_t offset) {
    const origin here = source_.here();
    std::string s = here.archive == "-" ? "standard input" : std::string(here.archive);
    if (!here.entry.empty()) (s += ": ") += here.entry;
    return s + ": byte " + std::to_string(offset);
}

// Whether a text was taken for one document for want of an ending that says lines (reading::rules), and its first line
// is one.
bool worker::only_its_name_says(const origin& of, bytes text) const {
    const reading& how = options_.read;
    if (how.text_layout != layout::automatic ||
        how.rules(of.entry.empty() ? of.archive : of.entry).text_layout != layout::document)
        return false;
    const void* const end = std::memchr(text.data(), '\n', text.size());
    if (end == nullptr) return false;
    context ctx;
    const auto n = static_cast<std::size_t>(static_cast<const unsigned char*>(end) - text.data());
    return how.dialect->whole(text.first(n + 1), ctx) == errc::ok;
}

// `text`: the document as rows are made of it; d itself unless it was lowered.
void worker::bad(bytes d, bytes text, std::uint64_t offset) {
    if (ctx_.failure.code == errc::memory) throw std::bad_alloc();
    if (rows_->unplaced()) {
        out_->unplaced = out_->stopped = over_ = true;
        out_->place = place(offset);
        out_->offender.assign(reinterpret_cast<const char*>(text.data()), text.size());
        ctx_.clear();
        return;
    }
    if (rows_->disagreed()) {
        out_->disagreement = rows_->disagreement();
        out_->offender.assign(reinterpret_cast<const char*>(text.data()), text.size());
        std::string why;
        if (rows_->of().with(rows_->failed_column(), rows_->becomes(), out_->widened, why) == errc::ok) {
            out_->stopped = true;
            over_ = true;
            ctx_.clear();
            return;
        }
        out_->disagreement.clear();
    }
    origin from = source_.here();
    from.offset = offset;
    const bool lines = source_.binary() == nullptr;
    if (lines) {
        from.line = source_.line_at(offset);
        // Of white space behind it a reader may have seen the next line's beginning.
        d = trimmed(d);
        if (ctx_.failure.offset != failure::nowhere && ctx_.failure.offset > d.size()) {
            ctx_.failure.offset = d.size();
            ctx_.failure.line = ctx_.failure.column = 0;
        }
    }
    std::string message = rows_->failed_column() != batch::none ? rows_->explanation() : std::string();
    if (judge_ && message.empty()) message = judge_->explanation();
    // The reader knows its limits, and not what they are called here.
    if (message.empty() && ctx_.failure.code == errc::depth)
        message = std::string(ctx_.failure.what) + "; raise --max-depth (depth) if you trust the input";
    if (message.empty() && ctx_.failure.code == errc::size)
        message = std::string(ctx_.failure.what) + "; raise --max-size (document_size) if you trust the input";
    if (message.empty() && ctx_.failure.code == errc::trailing && lines && only_its_name_says(from, d))
        message = std::string(ctx_.failure.what) + "; state --from ndjson (layout=\"lines\") if each line is a document";
    report r = report_document(from, d, ctx_.failure, std::move(message));
    ctx_.clear();
    if (!lines)
        r.line = r.column = 0;
    else if (r.line == from.line)
        r.column += source_.column_at(offset) - 1;  // it need not begin at the start of its line
    if (lines) source_.relocate(r);
    tell(std::move(r), &d);
    if (options_.on_error != policy::null) return;
    append_null(source_.provenance());
}

void worker::fault(report what) {
    if (what.code == errc::memory) throw std::bad_alloc();
    if (what.about == report::scope::entry) ++out_->documents;
    tell(std::move(what), nullptr);
    if (options_.on_error != policy::null) return;
    // Every report is a row, so that whoever counts rows misses nothing.
    append_null(source_.here());
    counted();
}

// What is bad, and the document if it is one.
void worker::tell(report&& what, const bytes* document) {
    out_->reports.push_back(std::move(what));
    if (options_.on_error == policy::stop) out_->stopped = over_ = true;
    if (options_.on_error == policy::quarantine) {
        std::string& text = out_->put_aside.emplace_back();
        if (document != nullptr) text.assign(reinterpret_cast<const char*>(document->data()), document->size());
        aside_ += text.size();
    }
    // Reports take memory as rows do.
    if (out_->reports.size() % 64 == 0 || aside_ >= options_.part / 64) look_again_ = std::min(look_again_, out_->count);
}

}  // namespace kumihimo::inline v0::extract
