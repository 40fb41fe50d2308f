#include "extract/session.hpp"

#include <algorithm>
#include <new>
#include <system_error>

#include "extract/block.hpp"
#include "extract/csv.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t report_size = 512;  // bytes of one, about

}  // namespace

// ----------------------------------------------------------------------------------------------------------------- request

namespace {

void find_zones(const std::vector<column_spec>& in, std::vector<std::string>& out) {
    for (const column_spec& f : in) {
        if (!f.zone_name.empty() && !f.in_zone && std::find(out.begin(), out.end(), f.zone_name) == out.end())
            out.push_back(f.zone_name);
        find_zones(f.members, out);
    }
}

void put_zones(std::vector<column_spec>& in, const std::shared_ptr<const zone>& rules) {
    for (column_spec& f : in) {
        if (f.zone_name == rules->name()) f.in_zone = rules;
        put_zones(f.members, rules);
    }
}

}  // namespace

std::vector<std::string> request::zones_wanted() const {
    std::vector<std::string> out;
    find_zones(fields, out);
    if (resample && !resample->zone_name.empty() && !resample->in_zone &&
        std::find(out.begin(), out.end(), resample->zone_name) == out.end())
        out.push_back(resample->zone_name);
    return out;
}

void request::put_zone(const std::shared_ptr<const zone>& rules) {
    put_zones(fields, rules);
    if (resample && resample->zone_name == rules->name()) resample->in_zone = rules;
    if (reading.where) reading.where = reading.where->in_zone(rules);
}

// ------------------------------------------------------------------------------------------------------------------- start

session::~session() {
    cancel();
    if (eye_.joinable()) eye_.join();
}

session::step session::refuse(trouble because, trouble& why) {
    phase_ = phase::failed;
    why = refused_ = std::move(because);
    return step::failed;
}

void session::lose() noexcept {
    const std::lock_guard lock(driving_);
    lost();
}

session::step session::start(milliseconds patience, trouble& why) {
    return driving([&]() -> step {
        if (phase_ == phase::fresh && blocks() && of_.blocks.frame != nullptr && !frame::available(*of_.blocks.frame))
            return refuse({errc::unsupported, of_.blocks.frame->missing, {}}, why);
        if (phase_ == phase::fresh) {
            open();
            if (of_.resume || of_.pause_every != 0)
                if (const char* const what = not_resumable())
                    return refuse(
                        trouble::misuse(std::string(of_.pause_every != 0 ? "resume" : "resume_token") + " is not for " + what),
                        why);
        }
        if (phase_ == phase::sampling && look_at_sample(patience)) phase_ = phase::deciding;
        if (phase_ == phase::sampling) return step::waiting;
        if (phase_ == phase::deciding && !decide(why)) return step::failed;
        if (phase_ == phase::nothing_seen) return tell_nothing_seen(patience, why);
        if (phase_ == phase::running) return step::ready;
        why = refused_;
        return step::failed;
    });
}

void session::open() {
    of_.reading.out = (of_.chart != 0 && !blocks()) || of_.resample ? form::columns : of_.rows;
    if (of_.resample) of_.resample->limit = std::exchange(of_.reading.limit, no_limit);
    of_.reading.to = of_.blocks.to;
    auto made = std::make_shared<extract::run>(of_.inputs, of_.reading);
    {
        const std::lock_guard lock(telling_);
        run_ = std::move(made);
        if (cancelled_) run_->cancel();
    }
    if (const frame::codec* const as = of_.blocks.frame; blocks() && (as == nullptr || !has_index(*as))) {
        const std::lock_guard lock(telling_);
        notes_.push_back((as == nullptr ? "a file that is not compressed" : std::string(as->name)) +
                         " has no place for an index: it is read as one stream");
    }
    counts_ = (of_.rows == form::none || blocks() || schema_only()) && of_.fields.empty();  // no column is needed for that
    discovers_ = of_.fields.empty() && !counts_;
    if (!finds_time()) make_guess();
    can_read_again_ = !run_->reads_streams();
    guessed_ = !counts_ && (finds_time() || guess_->needed());
    phase_ = guessed_ ? phase::sampling : phase::deciding;
}

void session::make_guess() {
    guess_ = std::make_shared<inference>(std::move(of_.fields), of_.source || of_.resample, of_.reading.level, of_.elements);
    if (of_.nested_types && !of_.resample) guess_->nest();
    if (text() && !of_.resample)
        guess_->as_text(of_.rows == form::csv ? layout_of_text::csv : layout_of_text::ndjson, of_.chart != 0);
}

void session::sample() {
    if (finds_time()) {
        find_time();
        make_guess();
        guessed_ = !no_time_.empty() || guess_->needed();
    }
    if (!guessed_) return;
    if (of_.infer_all)
        run_->sample_all(*guess_);
    else
        run_->sample(of_.sample, *guess_);
}

// False while a pipe keeps us waiting.
bool session::look_at_sample(milliseconds patience) {
    if (!run_->waits() && !of_.infer_all) {
        sample();
        return true;
    }
    if (!eye_.joinable()) {
        // A file can be written again, so it can have columns that come late; then a pipe has to be read again, too.
        // So has it where all of it is looked at first.
        const bool keeps = run_->reads_streams() && (of_.infer_all || (of_.rewritable && (discovers_ || !text())));
        can_read_again_ = can_read_again_ || keeps;
        const auto look = [this, keeps] {
            bool lacked = false;
            try {
                if (keeps) run_->keep_streams();
                sample();
            } catch (const std::bad_alloc&) {
                lacked = true;
            }
            const std::lock_guard hold(eye_lock_);
            eye_lacked_memory_ = lacked;
            eye_finished_ = true;
            eye_done_.notify_all();
        };
        try {
            eye_ = std::thread(look);
        } catch (const std::system_error&) {  // no more threads: here then, however long it takes
            look();
        }
    }
    {
        std::unique_lock hold(eye_lock_);
        if (!eye_done_.wait_for(hold, std::min(patience, turn), [&] { return eye_finished_; })) return false;
    }
    if (eye_.joinable()) eye_.join();
    if (eye_lacked_memory_) throw std::bad_alloc();
    return true;
}

bool session::decide(trouble& why) {
    if (discovers_ || guess_->nests()) finder_ = guess_;
    // What is beyond the columns of the sample: if rows can be taken back, there will be columns for it. Else there is
    // one column for all of it, unless the sample was everything.
    const bool whole = run_->sampled_all() && !guess_->unsure();
    const bool back = can_read_again_ && (of_.rewritable || tabular());
    if (of_.reading.read.fetched && !(guessed_ && back)) of_.reading.read.fetched->last_reading();
    std::string sentence;
    std::shared_ptr<const schema> columns;
    sentence = no_time_;
    const errc decided =
        !no_time_.empty() ? errc::misuse
        : counts_         ? schema::make({}, false, columns, sentence, beyond::ignored, of_.elements ? &*of_.elements : nullptr)
                          : guess_->finish(columns, sentence, back || whole ? beyond::told : beyond::kept);
    if (decided != errc::ok) {
        if (!guessed_ || guess_->documents() != 0) return refuse(trouble::misuse(sentence), why), false;
        // No document was seen, so there is nothing to guess from. If an input cannot be read that is the reason to
        // tell, and the run itself knows it: it is done with one column that takes anything.
        refused_ = trouble::misuse(sentence);
        column_spec any;
        any.name = "value";
        any.path = "$";
        any.type = column_type::json;
        if (schema::make({any}, false, columns, sentence) == errc::ok && run_->start(columns) != errc::ok)
            throw std::bad_alloc();
        phase_ = phase::nothing_seen;
        return true;
    }
    if (sentence = distinct_rows::refusal(of_.reading.distinct, *columns); !sentence.empty())
        return refuse(trouble::misuse(sentence), why), false;
    // Rows of a pipe are handed out as they come.
    const bool fixed = guessed_ && !back && (tabular() || of_.rows != form::none);
    std::shared_ptr<const schema> stay = columns;
    if (fixed && !whole && columns->fixed(stay, sentence) != errc::ok) return refuse(trouble::misuse(sentence), why), false;
    sampled_ = stay;
    if (of_.resume && !restore(why, stay)) return false;
    const bool again = of_.resume && of_.resume->has_columns;
    if (of_.resample && !resample_into(*stay, sentence)) return refuse(trouble::misuse(sentence), why), false;
    {
        const std::lock_guard lock(telling_);
        for (const std::string& n : again ? of_.resume->notes : guess_->notes()) notes_.push_back(n);
        first_notes_ = notes_;
        columns_ = std::move(stay);
    }
    if (run_->start(columns_, finder_) != errc::ok) throw std::bad_alloc();
    if (blocks()) {
        const unsigned jobs = of_.reading.jobs != 0 ? of_.reading.jobs : std::max(1u, std::thread::hardware_concurrency());
        packer_ = std::make_unique<block_packer>(of_.blocks, jobs == 1 ? 0 : jobs);
    }
    const bool stays = fixed || (again && !of_.rewritable);
    if (stays) run_->fix(columns_);
    // Rows were handed out before: the columns stay as they are.
    settled_ = stays || (of_.resume && of_.resume->point.documents != 0);
    phase_ = phase::running;
    return true;
}

// What of this session no other one could go on with; nullptr: nothing.
const char* session::not_resumable() const {
    if (run_->reads_streams()) return "what comes through a pipe or standard input (-), which is gone by then: name files";
    if (of_.reading.read.fetched != nullptr) return "URLs, of which nobody sees whether they changed: name files";
    if (!of_.reading.distinct.empty())
        return "distinct, which keeps all that it has seen in memory: make the rows distinct behind it";
    if (of_.resample) return "every, whose intervals are open while the rows pass: resume the rows, and make intervals of them";
    if (of_.chart != 0) return "chart, which is drawn while the rows pass: draw it of the output";
    if (blocks()) return "a file of blocks, which is written from its beginning";
    return nullptr;
}

// The run and its columns as the token has them.
bool session::restore(trouble& why, std::shared_ptr<const schema>& columns) {
    const auto no = [&](std::string sentence) { return refuse(trouble::misuse(std::move(sentence)), why), false; };
    if (!run_->resume(of_.resume->point)) return no("resume_token: there are fewer inputs than were read before");
    std::string sentence;
    if (of_.resume->has_columns && restore_columns(*of_.resume, *columns, of_.source, of_.elements ? &*of_.elements : nullptr,
                                                   columns, sentence) != errc::ok)
        return no("resume_token: " + sentence);
    return true;
}

session::step session::tell_nothing_seen(milliseconds patience, trouble& why) {
    const extract::progress p = run_->next(got_, std::min(patience, turn));
    if (p != extract::progress::end && got_.count == 0 && got_.reports.empty()) return step::waiting;
    if (run_->cancelled()) return refuse({errc::host, trouble::was_cancelled, {}}, why);
    if (run_->failure()) return refuse(trouble::about(*run_->failure()), why);
    if (!got_.reports.empty()) return refuse(trouble::about(got_.reports[0]), why);
    const bool finds_time = of_.resample && !of_.resample->time;
    if (!discovers_ && !finds_time) return refuse(refused_, why);
    // The inputs' fault and not the arguments': the error says so, and the command's exit status.
    kumihimo::failure nothing;
    nothing.code = errc::truncated;
    nothing.what = finds_time ? "there is no document to find times in" : "there is no document to find columns in";
    return refuse(trouble::about(run_->about_all(nothing)), why);
}

// ------------------------------------------------------------------------------------------------------------------- telling

std::size_t session::untold() const {
    const std::lock_guard lock(telling_);
    return reports_.size() * report_size + quarantine_.size();
}

// So much waits to be told that the consumer should be let come by.
bool session::much_to_tell() const { return untold() > held_back / 4 || read_much(); }

bool session::read_much() const noexcept { return of_.pause_every != 0 && run_->now().bytes - paused_at_ >= of_.pause_every; }

// The run as it is now, for threads that do not drive it: it lives as long as they hold it.
std::shared_ptr<extract::run> session::current_run() const {
    const std::lock_guard lock(telling_);
    return run_;
}

std::shared_ptr<const schema> session::columns() const {
    const std::lock_guard lock(telling_);
    if (of_.resample) return shown_;
    if (columns_out() || schema_only() || !run_) return columns_;
    const std::shared_ptr<const schema> now = run_->columns();
    return now ? now : columns_;  // null while the run is being started
}

errc session::header(buffer& out) const {
    const std::shared_ptr<const schema> of = columns();
    return of ? write_csv_header(*of, out, of_.reading.csv) : errc::ok;
}

counters session::progress() const {
    const auto one = current_run();
    if (!one) return {};
    counters now = one->now();
    if (of_.resample) now.rows = given_, now.bad += left_;
    return now;
}

std::vector<std::string> session::inputs() const {
    const auto one = current_run();
    return one ? one->inputs() : of_.inputs;
}

unsigned session::threads() const {
    const auto one = current_run();
    return one ? one->threads() : 0;
}

std::vector<std::string> session::notes() const {
    std::vector<std::string> closing;
    if (const auto one = current_run(); over_ && one) closing = one->closing();
    if (const std::uint64_t none = timeless_; over_ && none != 0)
        closing.push_back(std::to_string(none) + (none == 1 ? " row has" : " rows have") +
                          " no time, and no part in any interval");
    const std::lock_guard lock(telling_);
    std::vector<std::string> all = notes_;
    all.insert(all.end(), closing.begin(), closing.end());
    return all;
}

std::vector<report> session::take_reports() {
    const std::lock_guard lock(telling_);
    return std::exchange(reports_, {});
}

buffer session::take_quarantine() {
    const std::lock_guard lock(telling_);
    return std::exchange(quarantine_, {});
}

std::optional<report> session::failure() const {
    const std::lock_guard lock(telling_);
    return failure_;
}

std::string session::resume_token() const {
    const std::lock_guard lock(driving_);
    if (phase_ != phase::running || stale_ || !ready_.empty() || not_resumable() != nullptr) return {};
    if (!run_->point() || run_->failure() || run_->cancelled() || run_->disagreement()) return {};
    resume_state state;
    state.point = *run_->point();
    state.has_columns = columns_ != sampled_;
    if (state.has_columns) {
        state.fields.assign(columns_->columns().begin(),
                            columns_->columns().begin() + static_cast<std::ptrdiff_t>(columns_->fields()));
        state.others = columns_->others();
        const std::lock_guard told(telling_);
        state.notes = first_notes_;
    }
    return write_token(state);
}

std::string session::contradiction() const {
    const std::lock_guard lock(telling_);
    return contradiction_;
}

void session::cancel() {
    std::shared_ptr<extract::run> one;
    {
        const std::lock_guard lock(telling_);
        cancelled_ = true;
        one = run_;
    }
    if (one) one->cancel();
}

void session::stop() {
    cancel();
    over_ = true;
}

}  // namespace kumihimo::inline v0::extract
