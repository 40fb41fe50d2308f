#include "extract/work.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "extract/cut.hpp"
#include "extract/ndjson.hpp"
#include "extract/salvage.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t keep = std::size_t{4} << 20;  // of a buffer that once was larger
constexpr std::size_t tried_whole = 64 * 1024;      // longer texts are looked at before they are tried as one document
constexpr const char* archive_inside = "the entry is itself a Zip; extract it first, archives in archives are not opened";

std::uint64_t count_newlines(bytes text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), static_cast<unsigned char>('\n')));
}

// What no other kind of file begins with; a 7z archive begins with a digit.
bool surely_json(unsigned char c) { return c == '{' || c == '[' || c == '"'; }

}  // namespace

void outcome::clear() noexcept {
    if (rows) rows->clear();
    text.clear();
    quarantine.clear();
    reports.clear();
    count = documents = newlines = kept_rest = blocked = members = 0;
    stopped = full = piece = first = unplaced = false;
    widened.reset();
    disagreement.clear();
    place.clear();
    offender.clear();
    first_rest.clear();
    first_blocked.clear();
}

void worker::work(const task& what, const std::shared_ptr<const schema>& columns, std::uint64_t limit, outcome& out) noexcept {
    out_ = &out;
    watcher_ = nullptr;
    limit_ = limit;
    try {
        out.clear();
        if (!out.rows || &out.rows->of() != columns.get()) out.rows = std::make_unique<batch>(columns, options_.level);
        rows_ = out.rows.get();
        dispatch(what);
        finish();
    } catch (const std::bad_alloc&) {
        out.clear();
        out.stopped = true;
        try {
            failure f;
            f.code = errc::memory;
            f.what = "memory is out; use fewer --jobs (jobs) or a lower --max-size (document_size)";
            out.reports.push_back(
                report_input(report::scope::input, what.from ? what.from->name : std::string(), what.entry, f));
        } catch (const std::bad_alloc&) {
            // Stopped without a word is all that is left.
        }
    }
}

std::uint64_t worker::watch(const task& what, inference& by, std::uint64_t limit, bool all) noexcept {
    outcome nothing;
    watch_sated_ = !all;
    out_ = &nothing;
    watcher_ = &by;
    limit_ = limit;
    rows_ = nullptr;
    try {
        dispatch(what);
    } catch (const std::bad_alloc&) {
    }
    watcher_ = nullptr;
    return nothing.count;
}

void worker::dispatch(const task& what) {
    ctx_.clear();
    over_ = limit_ == 0;
    if (over_) return;
    here_ = {};
    if (what.from) here_.archive = what.from->name;
    here_.entry = what.entry;
    switch (what.as) {
        case task::kind::fault:
            // A fault of the text itself has its line counted from the last piece.
            out_->piece = what.fault.of == report::scope::document;
            fault(what.fault);
            break;
        case task::kind::entries: entries(*what.from, what.entries); break;
        case task::kind::files: files(what.first_file, what.files); break;
        case task::kind::blob:
            ++out_->members;
            blob(what.from->file.data(), report::scope::input, 0);
            break;
        case task::kind::piece:
            ++out_->members;
            piece_of(what.text);
            break;
    }
    expanded_.trim(keep);
    nested_.trim(keep);
    loose_.trim(keep);
}

void worker::finish() {
    outcome& out = *out_;
    if (out.stopped && (out.widened || out.unplaced)) return;
    errc e = errc::ok;
    if (options_.silent != nullptr && options_.silent->load(std::memory_order_relaxed)) {
        rows_->clear();
        return;
    }
    if (options_.out == form::csv) e = write_csv(*rows_, out.text, options_.csv);
    if (options_.out == form::ndjson) e = write_ndjson(*rows_, out.text);
    if (e != errc::ok) throw std::bad_alloc();
    if (options_.out != form::columns && !options_.keep_rows) rows_->clear();
}

void worker::entries(const opened& from, const std::vector<zip_entry>& list) {
    for (const zip_entry& e : list) {
        if (over()) return;
        entry(from.file.data(), from.directory, e);
    }
}

void worker::entry(bytes file, std::uint64_t directory, const zip_entry& e) {
    here_.entry = zip_name(e, name_room_);
    if (e.lost != nullptr) return refuse(errc::truncated, e.header, e.lost, report::scope::entry);
    if (e.cut) return cut_entry(file, e);
    bytes data;
    ++out_->members;
    if (zip_data(file, directory, e, data, ctx_) != errc::ok) return fault(report::scope::entry, ctx_.failure);
    if (e.size > options_.allowed.size)
        return refuse(errc::size, e.header,
                      "the entry expands beyond the size limit; raise --max-size (document_size) if you trust it",
                      report::scope::entry);
    if (options_.allowed.excessive(e.packed, e.size))
        return refuse(
            errc::size, e.header,
            "the entry expands beyond the allowed ratio, as a Zip bomb does; raise --max-ratio (ratio) if you trust it",
            report::scope::entry);
    if (e.method == zip_entry::deflated) {
        char* to = expanded_.room(e.size);
        if (to == nullptr) throw std::bad_alloc();
        const std::size_t readable = static_cast<std::size_t>(file.data() + file.size() - data.data());
        if (inflater_.exact(data, readable, to, e.size, e.header, ctx_) != errc::ok)
            return fault(report::scope::entry, ctx_.failure);
        data = {reinterpret_cast<const unsigned char*>(to), e.size};
    }
    if (crc32(0, data) != e.crc) [[unlikely]]
        return refuse(
            errc::syntax, e.header,
            "the expanded data does not match its checksum (CRC-32): the archive is damaged; copy or download it again",
            report::scope::entry);
    text(data, report::scope::entry, e.header, false);
}

void worker::files(std::size_t first, std::size_t n) {
    for (std::size_t i = first; i < first + n && !over(); ++i) file(inputs_.paths[i], inputs_.found[i].size);
}

// Open, read, close: mapping a file of a few KB costs more than reading it. A read that comes back short with as many bytes as
// the file was said to have has reached its end; in all other cases another read decides.
void worker::file(const std::string& path, std::uint64_t size) {
    here_.archive = path;
    here_.entry = {};
    const auto system_fault = [&](const char* what) {
        failure f;
        f.code = errc::host;
        f.what = what;
        f.path = std::strerror(errno);
        fault(report::scope::input, f);
    };
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return system_fault("the input cannot be opened");
    std::size_t used = 0;
    for (;;) {
        if (used == loose_.capacity() || loose_.capacity() == 0)
            if (loose_.room(std::max<std::size_t>(loose_.capacity() * 2, cutter::small * 2), used) == nullptr) {
                ::close(fd);
                throw std::bad_alloc();
            }
        const ssize_t got = ::read(fd, loose_.data() + used, loose_.capacity() - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            system_fault("the input cannot be read");
            ::close(fd);
            return;
        }
        if (got == 0) break;
        used += static_cast<std::size_t>(got);
        if (used == size && used < loose_.capacity()) break;
    }
    ::close(fd);
    const bytes data{reinterpret_cast<const unsigned char*>(loose_.data()), used};
    const char* why = "";
    if (used != 0 && data[0] != '{' && data[0] != '[' && sniff_file(data, why) == content::zip) return small_zip(data);
    ++out_->members;
    if (used == 0) return;
    text(data, report::scope::input, 0, false);
}

void worker::small_zip(bytes data) {
    zip_directory directory;
    if (directory.open(data, ctx_) != errc::ok) {
        const failure why = ctx_.failure;
        ctx_.clear();
        if (directory.walkable()) {
            zip_walk walk(data, options_.allowed);
            for (zip_entry e; !over() && walk.next(e);)
                if (cutter::wanted(e, options_.match, name_room_)) entry(data, data.size(), e);
        }
        here_.entry = {};
        if (!over()) fault(report::scope::input, why);
        return;
    }
    while (!directory.done() && !over()) {
        const zip_entry e = directory.next();
        if (cutter::wanted(e, options_.match, name_room_)) entry(data, directory.begin(), e);
    }
}

void worker::blob(bytes packed, report::scope of, std::uint64_t at) {
    bytes t;
    expansion allowed = options_.allowed;
    allowed.size = std::min(allowed.size, cutter::whole * 4);
    const errc e = gunzip(packed, inflater_, nested_, allowed, t, ctx_);
    if (e == errc::size && allowed.size < options_.allowed.size) {
        ctx_.clear();
        return streamed_blob(packed, of, at, false);
    }
    if (e == errc::syntax || e == errc::truncated || e == errc::trailing) {
        ctx_.clear();
        return streamed_blob(packed, of, at, true);
    }
    if (e != errc::ok) {
        if (of == report::scope::entry) ctx_.failure.offset = at;
        return fault(of, ctx_.failure);
    }
    text(t, of, at, true);
}

// More text than should be in memory at once, or damaged: in pieces, one after the other. `unproven`: it is known to be
// damaged. Else rows are given as they come under `stop`, where a fault ends the run, and after a first look at all of it
// elsewhere.
void worker::streamed_blob(bytes packed, report::scope of, std::uint64_t at, bool unproven) {
    proof known;
    if (unproven || (options_.on_error != policy::stop && watcher_ == nullptr)) {
        memory_source raw(packed);
        inflate_source expanded(raw, inflate_source::wrapper::gzip, options_.allowed);
        known = prove(expanded, &expanded, -1, cancelled_);
    }
    memory_source raw(packed);
    inflate_source expanded(raw, inflate_source::wrapper::gzip, options_.allowed);
    proven_source given(expanded, known);
    stream(given, of, at);
}

// The entry that the archive is cut off in.
void worker::cut_entry(bytes file, const zip_entry& e) {
    context ctx;
    bytes data;
    zip_entry there = e;
    there.size = there.method == zip_entry::stored ? there.packed : there.size;
    if (zip_data(file, file.size(), there, data, ctx) != errc::ok) return fault(report::scope::entry, ctx.failure);
    memory_source raw(data);
    inflate_source expanded(raw, inflate_source::wrapper::none, options_.allowed);
    cut_source cut(e.method == zip_entry::stored ? static_cast<byte_source&>(raw) : expanded);
    std::string head(std::size_t{64} << 10, 0);
    std::size_t n = 0;
    for (std::size_t got = 1; got != 0 && n < 512; n += got)
        if (cut.read(head.data() + n, head.size() - n, got, ctx) != errc::ok) break;
    head.resize(n);
    ctx.clear();
    const char* why = "";
    const content is = sniff({reinterpret_cast<const unsigned char*>(head.data()), head.size()}, why);
    if (is == content::zip) why = archive_inside;
    if (is == content::zip || is == content::other) return refuse(errc::unsupported, e.header, why, report::scope::entry);
    prefixed_source all(std::move(head), cut);
    inflate_source inner(all, inflate_source::wrapper::gzip, options_.allowed);
    stream(is == content::gzip ? static_cast<byte_source&>(inner) : all, report::scope::entry, e.header);
}

// The same pieces as the cutter makes, one after the other.
void worker::stream(byte_source& from, report::scope of, std::uint64_t at) {
    text_cutter cut(from, options_.as, options_.document.size);
    piece p;
    std::uint64_t before = 0;
    while (!over()) {
        context ctx;
        const errc e = cut.next(std::size_t{1} << 20, p, ctx);
        if (e != errc::ok) {
            if (cut.in_text())
                of = report::scope::document;
            else if (of == report::scope::entry)
                ctx.failure.offset = at;
            return fault(of, ctx.failure);
        }
        if (p.text.empty()) return;
        const std::size_t reports = out_->reports.size();
        piece_of(p);
        for (std::size_t i = reports; i < out_->reports.size(); ++i) out_->reports[i].line += before;
        before += out_->newlines;
        out_->piece = false;
    }
}

void worker::piece_of(const piece& p) {
    const std::size_t reports = out_->reports.size();
    documents_of(p);
    // The first line of a piece began in an earlier one.
    for (std::size_t i = reports; i < out_->reports.size(); ++i) {
        report& r = out_->reports[i];
        if (r.line == 1 && r.offset >= p.line_start) r.column = r.offset - p.line_start + 1;
    }
}

void worker::documents_of(const piece& p) {
    out_->piece = true;
    out_->first = p.first;
    counted_text_ = p.text;
    counted_base_ = p.offset;
    counted_to_ = counted_lines_ = out_->newlines = 0;
    if (p.as == layout::lines) return lines(p.text, p.offset);
    for (const span_of& d : p.documents)
        if (!document(p.text.subspan(d.offset, d.length), p.offset + d.offset)) return;
    out_->newlines = count_newlines(p.text);
}

// A text at hand. `of` and `at` say where faults that concern all of it lie.
void worker::text(bytes t, report::scope of, std::uint64_t at, bool expanded) {
    counted_text_ = t;
    counted_base_ = counted_to_ = counted_lines_ = 0;
    const bytes body = trimmed(without_mark(t));
    if (body.empty()) return;
    const std::uint64_t offset = static_cast<std::uint64_t>(body.data() - t.data());
    if (!surely_json(body[0])) [[unlikely]] {
        const char* why = "";
        const content is = sniff(t, why);
        if (is == content::gzip && !expanded) return blob(t, of, at);
        if (is == content::gzip) why = "gzip inside of gzip is not opened; expand it first";
        if (is == content::zip) why = archive_inside;
        if (is != content::text) return refuse(errc::unsupported, at, why, of);
    }
    // The usual text is one document, and trying it as one costs nothing extra: the level's own check finds out when it is not.
    // `trusted` checks nothing, so there a line break has to be looked for.
    if (options_.as == layout::document) {
        document(body, offset);
        return;
    }
    if (options_.as == layout::automatic && body[0] == '{' && !many_ && body.size() <= tried_whole && watcher_ == nullptr) {
        const bool one = options_.level != json::level::trusted || std::memchr(body.data(), '\n', body.size()) == nullptr;
        if (one) {
            origin from = here_;
            from.offset = offset;
            from.line = 1;
            if (rows_->append(body, from, ctx_) == errc::ok) [[likely]] {
                ++out_->documents;
                added(offset);
                if (out_->count >= limit_) {
                    out_->full = true;
                    over_ = true;
                }
                if (cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed)) over_ = true;
                return;
            }
            ctx_.clear();
        }
    }
    const std::uint64_t before = out_->documents;
    documents(t, options_.as == layout::automatic ? sniff_layout(body, true) : options_.as);
    many_ = out_->documents > before + 1;
}

void worker::lines(bytes t, std::uint64_t offset) {
    std::size_t at = 0;
    while (at < t.size()) {
        const void* p = std::memchr(t.data() + at, '\n', t.size() - at);
        const std::size_t end =
            p == nullptr ? t.size() : static_cast<std::size_t>(static_cast<const unsigned char*>(p) - t.data());
        const bytes d = trimmed(t.subspan(at, end - at));
        if (!d.empty() && !document(d, offset + static_cast<std::uint64_t>(d.data() - t.data()))) return;
        if (p != nullptr) ++out_->newlines;
        at = end + 1;
    }
}

void worker::documents(bytes t, layout as) {
    scanner s(as);
    std::size_t at = t.size() - without_mark(t).size();
    for (;;) {
        span_of where;
        switch (s.next(t, at, true, where, ctx_)) {
            case scanner::found::document:
                if (!document(t.subspan(where.offset, where.length), where.offset)) return;
                break;
            case scanner::found::fault: {
                report r = report_input(report::scope::document, here_.archive, here_.entry, ctx_.failure);
                ctx_.clear();
                r.line = line_at(r.offset);
                r.column = 1;
                for (std::uint64_t i = r.offset; i > 0 && t[i - 1] != '\n'; --i) ++r.column;
                return fault(r);
            }
            default: return;
        }
    }
}

// False when the task is over.
bool worker::document(bytes d, std::uint64_t offset) {
    ++out_->documents;
    if (watcher_ != nullptr) {
        if (watcher_->observe(d, ctx_) != errc::ok) ctx_.clear();
        ++out_->count;
        if (watch_sated_ && watcher_->sated()) over_ = true;
    } else {
        origin from = here_;
        from.offset = offset;
        if (rows_->append(d, from, ctx_) == errc::ok) [[likely]]
            added(offset);
        else
            bad(d, offset);
    }
    if (out_->count >= limit_) {
        out_->full = true;
        over_ = true;
    }
    if (cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed)) over_ = true;
    return !over_;
}

// A row was added.
void worker::added(std::uint64_t offset) {
    ++out_->count;
    if (rows_->kept_rest()) [[unlikely]] {
        if (out_->kept_rest++ == 0) out_->first_rest = place(offset);
    } else if (const std::size_t field = rows_->blocked(); field != batch::none) [[unlikely]] {
        if (out_->blocked++ == 0) out_->first_blocked = '"' + rows_->of().columns()[field].path + "\" in " + place(offset);
    }
}

// Where a document is, for notes: lines of a piece are not counted from the text's beginning here.
std::string worker::place(std::uint64_t offset) const {
    std::string s = here_.archive == "-" ? "standard input" : std::string(here_.archive);
    if (!here_.entry.empty()) (s += ": ") += here_.entry;
    return s + ": byte " + std::to_string(offset);
}

void worker::bad(bytes d, std::uint64_t offset) {
    if (ctx_.failure.code == errc::memory) throw std::bad_alloc();
    if (rows_->unplaced()) {
        out_->unplaced = out_->stopped = over_ = true;
        out_->place = place(offset);
        out_->offender.assign(reinterpret_cast<const char*>(d.data()), d.size());
        ctx_.clear();
        return;
    }
    if (rows_->disagreed()) {
        out_->disagreement = rows_->disagreement();
        out_->offender.assign(reinterpret_cast<const char*>(d.data()), d.size());
        std::string why;
        if (rows_->of().with(rows_->failed_column(), rows_->becomes(), out_->widened, why) == errc::ok) {
            out_->stopped = true;
            over_ = true;
            ctx_.clear();
            return;
        }
        out_->disagreement.clear();
    }
    origin from = here_;
    from.offset = offset;
    from.line = line_at(offset);
    std::string message = rows_->failed_column() != batch::none ? rows_->explanation() : std::string();
    // The reader knows its limits, and not what they are called here.
    if (message.empty() && ctx_.failure.code == errc::depth)
        message = std::string(ctx_.failure.what) + "; raise --max-depth (depth) if you trust the input";
    if (message.empty() && ctx_.failure.code == errc::size)
        message = std::string(ctx_.failure.what) + "; raise --max-size (document_size) if you trust the input";
    report r = report_document(from, d, ctx_.failure, std::move(message));
    ctx_.clear();
    if (r.line == from.line) {
        // The document need not begin at the start of its line.
        const std::uint64_t inside = offset - counted_base_;
        for (std::uint64_t i = inside; i > 0 && counted_text_[i - 1] != '\n'; --i) ++r.column;
    }
    out_->reports.push_back(std::move(r));
    switch (options_.on_error) {
        case policy::stop:
            out_->stopped = true;
            over_ = true;
            break;
        case policy::skip: break;
        case policy::null:
            if (rows_->append_null(from, ctx_) != errc::ok) throw std::bad_alloc();
            ++out_->count;
            break;
        case policy::quarantine:
            if (!write_report(out_->reports.back(), &d, out_->quarantine)) throw std::bad_alloc();
            break;
    }
}

void worker::refuse(errc code, std::uint64_t at, const char* what, report::scope of) {
    failure f;
    f.code = code;
    f.offset = at;
    f.what = what;
    fault(of, f);
}

void worker::fault(report::scope of, const failure& why) {
    const report r = report_input(of, here_.archive, here_.entry, why);
    ctx_.clear();
    fault(r);
}

void worker::fault(const report& what) {
    if (watcher_ != nullptr) return;
    if (what.code == errc::memory) throw std::bad_alloc();
    out_->reports.push_back(what);
    if (what.of == report::scope::entry) ++out_->documents;
    switch (options_.on_error) {
        case policy::stop:
            out_->stopped = true;
            over_ = true;
            break;
        case policy::skip: break;
        case policy::null:
            // Every report is a row, so that whoever counts rows misses nothing.
            if (rows_->append_null(here_, ctx_) != errc::ok) throw std::bad_alloc();
            if (++out_->count >= limit_) {
                out_->full = true;
                over_ = true;
            }
            break;
        case policy::quarantine:
            if (!write_report(what, nullptr, out_->quarantine)) throw std::bad_alloc();
            break;
    }
}

// Counts on from where the last question left off: questions come in order.
std::uint64_t worker::line_at(std::uint64_t offset) {
    const std::uint64_t inside = offset - counted_base_;
    if (inside > counted_to_) {
        counted_lines_ += count_newlines(counted_text_.subspan(counted_to_, inside - counted_to_));
        counted_to_ = inside;
    }
    return counted_lines_ + 1;
}

}  // namespace kumihimo::inline v0::extract
