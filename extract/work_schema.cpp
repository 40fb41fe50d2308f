// Of a worker: documents whose schema is wanted, and no rows.
#include <new>
#include <utility>

#include "engine/json/check.hpp"
#include "extract/work.hpp"

namespace kumihimo::inline v0::extract {

// The document at hand, at whose paths is looked. Usually nothing has to be known of it before. But what a bad one has
// left in the counts cannot be taken out again: then all of the part is done once more, and each document checked
// first.
void worker::summarize() {
    const bytes d = source_.document();
    const bool wanted = in_sample();
    const bool read_before = lowers() || careful_ || !wanted;
    errc e = errc::ok;
    if (lowers())
        e = lower(nullptr);
    else if (read_before)
        e = json::check(d, ctx_, json::exact_decimals);
    if (e == errc::ok && wanted) e = out_->paths.observe(lowers() ? lowered() : d, ctx_);
    if (out_->paths.full()) return stop_for_paths();
    if (e == errc::ok) [[likely]] {
        ++out_->documents;
        if (wanted) {
            ++out_->count;
            ++of_item_;
        }
        return counted();
    }
    if (ctx_.failure.code == errc::memory) throw std::bad_alloc();
    const bool ends = options_.on_error == policy::stop && !source_.tentative();
    if (!read_before && !ends) {
        spoiled_ = over_ = true;
        return;
    }
    if (source_.tentative()) {
        ctx_.clear();
        return source_.look_inside();
    }
    ++out_->documents;
    rows_->unread();
    bad(d, lowers() ? lowered() : d, source_.offset());
    counted();
}

// To where the part began.
void worker::go_back() {
    careful_ = true;
    ctx_.clear();
    source_.open(*task_, false, part_);
    item_ = part_.item;
    of_item_ = of_part_;
    members_before_ = 0;
}

// There is no room for more paths.
void worker::stop_for_paths() {
    failure why;
    why.code = errc::size;
    report r = report_input(report::scope::input, source_.here().archive, source_.here().entry, why);
    r.message = path_summary::full_sentence(options_.most_keys);
    ctx_.clear();
    out_->reports.push_back(std::move(r));
    out_->stopped = over_ = true;
}

}  // namespace kumihimo::inline v0::extract
