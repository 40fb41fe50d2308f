// Of a worker: rows that are elements of a document's arrays. A document with many of them goes out in several parts,
// so that what is in memory does not grow with it.
#include <algorithm>
#include <new>
#include <utility>

#include "engine/json/locate.hpp"
#include "extract/work.hpp"

namespace kumihimo::inline v0::extract {

// The walk of these columns. Where they have changed in the midst of a document it goes on at the same row.
void worker::use_walk() {
    const std::shared_ptr<const row_plan>& plan = rows_->of().rows();
    rows_->renew();
    if (judge_) judge_->renew();
    if (walk_ && walk_->plan() == plan) return;
    auto made = std::make_unique<row_walk>(plan, options_.level);
    if (rows_are_open()) {
        const bytes d = walk_->document();
        const errc said =
            walk_->binary() != nullptr ? made->open(*walk_->binary(), d, json::given::document, ctx_) : made->open(d, ctx_);
        if (said != errc::ok || made->resume(walk_->place(), ctx_) != errc::ok) throw std::bad_alloc();  // it was read before
        made->take_astray();
    }
    walk_ = std::move(made);
}

// Looks at the document at hand and gives its first rows.
void worker::document_of_rows() {
    const schema& of = rows_->of();
    const binary_format* const binary = source_.binary();
    bytes text;
    errc e = errc::ok;
    if (binary != nullptr && binary->project != nullptr && of.others() == beyond::ignored && options_.read.dialect == nullptr) {
        const json::given what = source_.bounded() ? json::given::document : json::given::stream;
        e = walk_->open(*binary, source_.ahead(), what, ctx_);
        source_.bound(walk_->document_size());
    } else if (lowers()) {
        e = lower(of.others() == beyond::ignored && !judges_rows() ? &of.of_document().plan() : nullptr);
        text = lowered();
        if (e == errc::ok && (e = walk_->open(text, ctx_)) != errc::ok) batch::moved_to(failure::nowhere, ctx_);
    } else {
        text = source_.document();
        e = walk_->open(text, ctx_);
    }
    if (e == errc::ok && judges_rows())
        e = walk_->binary() != nullptr ? judge_->look(*binary, walk_->document(), json::given::document, ctx_)
                                       : judge_->look(walk_->document(), ctx_);
    const row_position from = std::exchange(resume_, {});
    if (e != errc::ok) {
        walk_->close();
        rows_->unread();
        if (source_.tentative()) {
            ctx_.clear();
            return source_.look_inside();
        }
        ++out_->documents;
        bad(source_.document(), text, source_.offset());
        return counted();
    }
    row_place_ = {};
    row_place_at_ = 0;
    row_column_ = 0;
    if (from.begun) {
        if (walk_->resume(from, ctx_) != errc::ok) throw std::bad_alloc();
        walk_->take_astray();
    } else {
        ++out_->documents;
        if (const std::uint32_t path = judges_rows() ? judge_->blocked() : condition::none; path != condition::none)
            [[unlikely]] {
            if (out_->astray++ == 0)
                out_->first_astray = '"' + judge_->of().paths()[path].text + "\" in " + place(source_.offset());
        }
    }
    go_on_with_rows();
}

// Whether the condition holds for the row at hand, and what becomes of one for which nobody can say it.
bool worker::row_passes(std::uint64_t offset) {
    bool holds = false;
    if (judge_->look_at_row(*walk_, ctx_) == errc::ok && judge_->decide(holds, ctx_) == errc::ok) [[likely]]
        return holds;
    if (ctx_.failure.code == errc::memory) throw std::bad_alloc();
    rows_->unread();
    if (judge_->failed_path() == condition::none) {  // only the reader knows of it, and what is read here was vouched for
        walk_->close();
        bad(source_.document(), {}, offset);
        return false;
    }
    const condition::path& of = judge_->of().paths()[judge_->failed_path()];
    ctx_.failure.path = walk_->where(walk_->plan()->level_of(of.dots)) + (of.key ? std::string() : of.printed.substr(1));
    const row_walk::element& e = walk_->at(walk_->elements().size());
    place_row_failure();
    bad_element(walk_->elements().size(), walk_->document().subspan(e.begin(), e.size()), judge_->explanation());
    return false;
}

void worker::go_on_with_rows() {
    const std::uint64_t offset = source_.offset();
    const bool provenance = rows_->of().provenance();
    origin from = provenance ? source_.provenance() : origin();
    const bool alone = judges_rows() || provenance || options_.sample;  // each row is asked for something
    for (;;) {
        const std::uint64_t most = std::min(limit_ - out_->count, options_.per_archive - of_item_);
        if (!alone && out_->count < look_again_) {
            const std::size_t n = rows_->append_ahead(*walk_, std::min(most, look_again_ - out_->count), ctx_);
            if (n != 0) {
                out_->count += n;
                of_item_ += n;
                counted();
                if (of_item_ >= options_.per_archive) return walk_->close();
                if (over_ || (out_->count >= look_again_ && filled())) return;
                continue;
            }
        }
        bool more = false;
        errc e = walk_->next(more, ctx_);
        if (const std::uint64_t n = walk_->take_astray(); n != 0) [[unlikely]] {
            if (out_->no_array == 0) out_->first_no_array = place(offset);
            out_->no_array += n;
        }
        if (e != errc::ok) [[unlikely]] {  // only the reader knows of it, and what is read here was vouched for
            rows_->unread();
            walk_->close();
            bad(source_.document(), {}, offset);
            return counted();
        }
        if (!more) return counted();
        if (judges_rows() && !row_passes(offset)) {
            if (!walk_->is_open()) return counted();
            if (provenance) from = source_.provenance();
        } else {
            if (provenance && options_.sample) from = source_.provenance();  // which is asked for each row, too
            if (provenance) from.elements = walk_->elements();
            e = rows_->append(*walk_, from, ctx_);
            if (e == errc::ok) [[likely]] {
                added(offset, walk_->row());
            } else {
                bad_row();
                if (provenance) from = source_.provenance();
            }
        }
        counted();
        if (of_item_ >= options_.per_archive) return walk_->close();
        if (over_ || (out_->count >= look_again_ && filled())) return;
    }
}

// Where the failure is in the document, without counting again what was counted for the row before.
void worker::place_row_failure() {
    failure& why = ctx_.failure;
    if (lowers()) {
        if (walk_->binary() == nullptr) why.offset = failure::nowhere;
        return;
    }
    if (why.offset < row_place_at_) row_place_ = {}, row_place_at_ = 0;
    const bytes d = walk_->document();
    const std::size_t from = row_place_at_;
    const json::place further = json::locate(d.subspan(from), why.offset - from);
    row_place_.column = further.line == 1 ? row_place_.column + further.column - 1 : further.column;
    row_place_.line += further.line - 1;
    row_place_at_ = why.offset;
    why.line = row_place_.line;
    why.column = row_place_.column;
}

// The row at hand is no row, or an element around it has a value that its column does not take.
void worker::bad_row() {
    if (ctx_.failure.code == errc::memory) throw std::bad_alloc();
    const std::uint64_t offset = source_.offset();
    if (rows_->unplaced() || rows_->disagreed()) {
        bytes text = walk_->document();
        if (walk_->binary() != nullptr) {
            const failure why = std::exchange(ctx_.failure, {});
            text = lower(&rows_->of().of_document().plan()) == errc::ok ? lowered() : bytes();
            ctx_.failure = why;
        }
        return bad(source_.document(), text, offset);
    }
    const std::size_t level = rows_->failed_level();
    const row_walk::element& e = walk_->at(level);
    const bytes record = walk_->document().subspan(e.begin(), e.size());
    place_row_failure();
    bad_element(level, record, rows_->explanation());
    if (level != rows_->of().rows()->last()) walk_->leave(level);
}

// Reports what is wrong with an element of a level, whose text this is; ctx_ says what and where.
void worker::bad_element(std::size_t level, bytes record, std::string message) {
    const std::uint64_t offset = source_.offset();
    origin from = source_.here();
    from.offset = offset;
    const bool lines = source_.binary() == nullptr;
    if (lines) from.line = source_.line_at(offset);
    report r = report_document(from, record, ctx_.failure, std::move(message));
    ctx_.clear();
    if (!lines) {
        r.line = r.column = 0;
    } else {
        if (row_column_ == 0) row_column_ = source_.column_at(offset);
        if (r.line == from.line) r.column += row_column_ - 1;
        source_.relocate(r);
    }
    tell(std::move(r), &record);
    if (options_.on_error == policy::null) {
        origin null = source_.provenance();
        null.elements = walk_->elements().first(level);
        append_null(null);
    }
}

}  // namespace kumihimo::inline v0::extract
