#include "extract/row_walk.hpp"

#include <algorithm>
#include <new>

#include "engine/core/path_text.hpp"
#include "extract/cell_sink.hpp"
#include "extract/text_of_json.hpp"

namespace kumihimo::inline v0::extract {

row_walk::row_walk(std::shared_ptr<const row_plan> plan, json::level level)
    : plan_(std::move(plan)), level_(level), levels_(plan_->levels.size()) {
    for (std::size_t k = 0; k < levels_.size(); ++k) {
        element& e = levels_[k];
        const row_plan::level& of = plan_->levels[k];
        e.found_.resize(of.paths.size());
        if (k == 0)
            e.projector_.emplace(of.paths, level_);
        else if (!of.wild)
            e.forms_.emplace(of.paths.plan());
        e.walked_.depth_limit = static_cast<std::size_t>(-1) / 2;  // the document was checked
    }
}

errc row_walk::open(bytes document, context& ctx) {
    open_ = false;
    rows_ = 0;
    binary_ = nullptr;
    document_ = document;
    element& e = levels_[0];
    if (e.values_) {
        for (element& other : levels_) other.values_.reset();
        e.projector_.emplace(plan_->levels[0].paths, level_);
    }
    KUMIHIMO_TRY(e.projector_->run(document, ctx));
    for (std::size_t i = 0; i < e.found_.size(); ++i) e.found_[i] = e.projector_->value(i);
    e.blocked_ = e.projector_->blocked();
    e.there_ = open_ = true;
    e.size_ = document.size();
    e.serial_ = ++serial_;
    depth_ = open_array(0) ? 0 : none;
    hole_ = depth_ == none && plan_->of.outer;
    return errc::ok;
}

errc row_walk::open(const binary_format& as, bytes input, json::given what, context& ctx) {
    open_ = false;
    rows_ = 0;
    document_ = input;
    if (binary_ != &as || !levels_[0].values_) {
        binary_ = &as;
        keys_.reset();
        // What lies in the arrays was checked with the document.
        for (std::size_t k = 0; k < levels_.size(); ++k)
            levels_[k].values_ = as.project(plan_->levels[k].paths, k == 0 ? level_ : json::level::structural);
    }
    element& e = levels_[0];
    const errc said = e.values_->run(input, what, ctx);
    document_ = input.first(e.values_->size());
    KUMIHIMO_TRY(said);
    for (std::size_t i = 0; i < e.found_.size(); ++i) {
        const auto all = e.values_->values(i);
        e.found_[i] = all.empty() ? json::slice{} : all[0];
    }
    e.blocked_ = e.values_->blocked();
    e.there_ = open_ = true;
    e.size_ = document_.size();
    e.serial_ = ++serial_;
    depth_ = open_array(0) ? 0 : none;
    hole_ = depth_ == none && plan_->of.outer;
    return errc::ok;
}

// Whether the element of that level has an array with something in it.
bool row_walk::open_array(std::size_t level) {
    element& e = levels_[level];
    const json::slice s = e.found_[0];
    const bool members = plan_->of.members[level];
    e.array_ = false;
    astray_ += e.blocked_ == 0;
    if (s.length == 0) return false;
    if (binary_ != nullptr) {
        const std::size_t from = e.begin_ + static_cast<std::size_t>(s.offset);
        const bytes all = document_.subspan(from, static_cast<std::size_t>(s.length));
        e.of_ = binary_->open(all);
        if (e.of_.is != (members ? opening::kind::map : opening::kind::array)) {
            astray_ += e.of_.is != opening::kind::null;
            return false;
        }
        e.at_ = from + e.of_.size;
        e.array_end_ = from + all.size();
        if (e.of_.open_ended ? binary_->closes(document_.subspan(e.at_)) : e.of_.count == 0) return false;
    } else {
        const char* const data = reinterpret_cast<const char*>(document_.data());
        const char* p = data + s.offset;
        if (*p != (members ? '{' : '[')) {
            astray_ += *p != 'n';
            return false;
        }
        p = json::skip_space(p + 1, data + document_.size());
        if (*p == (members ? '}' : ']')) return false;
        e.at_ = static_cast<std::size_t>(p - data);
    }
    e.next_ = 0;
    return e.array_ = true;
}

void row_walk::json_element(element& in, element& e, std::size_t level) {
    const char* const data = reinterpret_cast<const char*>(document_.data());
    const char* const end = data + document_.size();
    const char* begin = data + in.at_;
    e.key_ = {};
    if (plan_->of.members[level - 1]) {
        const char* const behind_key = valid::string_end(begin, end);
        e.key_ = {in.at_, static_cast<std::uint64_t>(behind_key - begin)};
        begin = json::skip_space(json::skip_space(behind_key, end) + 1, end);
    }
    const char* behind = e.forms_ ? e.forms_->match(begin, end, data, e.found_.data()) : nullptr;
    e.blocked_ = json::nowhere;
    if (behind == nullptr) {
        const json::plan& paths = plan_->levels[level].paths.plan();
        e.walked_.begin(paths, data);
        behind = json::walk(paths, 0, begin, end, 0, e.walked_);
        if (behind == nullptr) throw std::bad_alloc();  // it is valid
        for (std::size_t i = 0; i < e.found_.size(); ++i) {
            const auto all = e.walked_.slices(i);
            e.found_[i] = all.empty() ? json::slice{} : all[0];
        }
        e.blocked_ = e.walked_.blocked();
        if (e.forms_) e.forms_->learn(begin, behind, data, e.found_.data(), e.blocked_ != json::nowhere);
    }
    e.begin_ = static_cast<std::size_t>(begin - data);
    e.size_ = static_cast<std::size_t>(behind - begin);
    behind = json::skip_space(behind, end);
    in.array_ = *behind == ',';
    if (in.array_) in.at_ = static_cast<std::size_t>(json::skip_space(behind + 1, end) - data);
}

// Over the key of a member, in a binary document.
bool row_walk::pass_key(element& in, element& e, context& ctx) {
    if (!keys_) {
        json::projection whole;
        constexpr std::string_view path = "$";
        if (json::projection::compile({&path, 1}, whole, ctx) != errc::ok) return false;
        keys_ = binary_->project(whole, json::level::structural);
    }
    if (keys_->run(document_.subspan(in.at_, in.array_end_ - in.at_), json::given::stream, ctx) != errc::ok) return false;
    e.key_ = {in.at_, keys_->size()};
    in.at_ += keys_->size();
    return true;
}

errc row_walk::binary_element(element& in, element& e, context& ctx) {
    e.key_ = {};
    if (in.of_.is == opening::kind::map && !pass_key(in, e, ctx)) {
        if (ctx.failure.offset != failure::nowhere) ctx.failure.offset += in.at_;
        return ctx.failure.code;
    }
    const bytes ahead = document_.subspan(in.at_, in.array_end_ - in.at_);
    if (const errc said = e.values_->run(ahead, json::given::stream, ctx); said != errc::ok) {
        if (ctx.failure.offset != failure::nowhere) ctx.failure.offset += in.at_;
        return said;
    }
    e.begin_ = in.at_;
    e.size_ = e.values_->size();
    for (std::size_t i = 0; i < e.found_.size(); ++i) {
        const auto all = e.values_->values(i);
        e.found_[i] = all.empty() ? json::slice{} : all[0];
    }
    e.blocked_ = e.values_->blocked();
    in.at_ += e.size_;
    in.of_.count -= !in.of_.open_ended;
    in.array_ = in.of_.open_ended ? !binary_->closes(document_.subspan(in.at_, in.array_end_ - in.at_)) : in.of_.count != 0;
    return errc::ok;
}

// The next element of the array that is under way in a level's element; `more` is false when there is none.
errc row_walk::element_of(std::size_t level, bool& more, context& ctx) {
    element& in = levels_[level];
    more = in.array_;
    if (!more) return errc::ok;
    element& e = levels_[level + 1];
    numbers_[level] = in.next_++;
    if (binary_ != nullptr)
        KUMIHIMO_TRY(binary_element(in, e, ctx));
    else
        json_element(in, e, level + 1);
    e.there_ = true;
    e.serial_ = ++serial_;
    return errc::ok;
}

errc row_walk::next(bool& more, context& ctx) {
    const std::size_t last = plan_->last();
    more = true;
    ++rows_;
    if (hole_) {
        hole_ = false;
        for (std::size_t k = 1; k <= last; ++k) levels_[k].there_ = false;
        return errc::ok;
    }
    while (depth_ != none) {
        bool here = false;
        KUMIHIMO_TRY(element_of(depth_, here, ctx));
        if (!here) {
            depth_ = depth_ == 0 ? none : depth_ - 1;
            continue;
        }
        const std::size_t k = depth_ + 1;
        if (k == last) return errc::ok;
        if (open_array(k)) {
            depth_ = k;
            continue;
        }
        if (!plan_->of.outer) continue;
        for (std::size_t i = k + 1; i <= last; ++i) levels_[i].there_ = false;
        return errc::ok;
    }
    more = open_ = false;
    return errc::ok;
}

std::size_t row_walk::look_ahead(std::size_t most) {
    const std::size_t last = plan_->last();
    if (hole_ || binary_ != nullptr || depth_ + 1 != last || plan_->of.members[depth_]) return 0;
    element& in = levels_[depth_];
    element& e = levels_[last];
    if (!in.array_ || !e.forms_) return 0;
    if (ahead_begins_.empty()) {
        ahead_values_.resize(e.found_.size() * json::element_run::most);
        ahead_begins_.resize(json::element_run::most);
        ahead_.values = ahead_values_.data();
        ahead_.begins = ahead_begins_.data();
    }
    const char* const end = reinterpret_cast<const char*>(document_.data()) + document_.size();
    ahead_.base = ahead_.at = reinterpret_cast<const char*>(document_.data()) + in.at_;
    ahead_.end = ahead_.base + std::min(document_.size() - in.at_, std::size_t{0x7fffffff});
    ahead_.count = 0;
    ahead_.limit = std::min(most, json::element_run::most);
    ahead_.more = true;
    e.forms_->pass(ahead_, end);
    return ahead_.count;
}

void row_walk::pass(std::size_t rows) noexcept {
    element& in = levels_[depth_];
    element& e = levels_[depth_ + 1];
    rows_ += rows;
    in.next_ += rows;
    numbers_[depth_] = in.next_ - 1;
    e.there_ = true;
    e.serial_ = ++serial_;
    const bool all = rows == ahead_.count;
    in.array_ = !all || ahead_.more;
    in.at_ += all ? static_cast<std::size_t>(ahead_.at - ahead_.base) : ahead_begins_[rows];
}

errc row_walk::key(std::size_t level, std::string& json, context& ctx) const {
    const json::slice s = levels_[level].key_;
    json.clear();
    if (s.length == 0) return errc::ok;
    const bytes encoded = document_.subspan(static_cast<std::size_t>(s.offset), static_cast<std::size_t>(s.length));
    if (binary_ == nullptr) {
        json.assign(reinterpret_cast<const char*>(encoded.data()), encoded.size());
        return errc::ok;
    }
    column_spec any;
    any.type = column_type::json;
    column unused(any);
    cell_sink to(ctx);
    std::string_view text;
    if (!unused.room(0)) return ctx.fail(errc::memory, failure::nowhere, "no memory for a key");
    KUMIHIMO_TRY(keys_->run(encoded, json::given::document, ctx));
    to.begin(unused, column_type::json, 0);
    KUMIHIMO_TRY(keys_->give({0, encoded.size()}, to, ctx));
    KUMIHIMO_TRY(to.finish(text));
    json = text;
    return errc::ok;
}

std::string row_walk::where(std::size_t level) const {
    std::string out = "$", text;
    for (std::size_t k = 0; k < level; ++k) {
        out += json::print(plan_->of.arrays[k]).substr(1);
        if (!plan_->of.members[k]) {
            add_index(out, numbers_[k]);
            continue;
        }
        context aside;
        if (key(k + 1, text, aside) != errc::ok || text.size() < 2 || text[0] != '"') {
            add_key(out, text);
            continue;
        }
        std::string room;
        std::string_view plain;
        add_key(out, plain_text(inside_of(text), room, plain) ? plain : inside_of(text));
    }
    return out;
}

void row_walk::leave(std::size_t level) noexcept {
    hole_ = false;
    depth_ = level == 0 ? none : std::min(depth_, level - 1);
}

row_position row_walk::place() const noexcept {
    row_position p;
    p.begun = open_ && !hole_;
    p.depth = depth_;
    p.rows = rows_;
    for (std::size_t k = 0; depth_ != none && k <= depth_; ++k) p.behind[k] = levels_[k].next_;
    return p;
}

errc row_walk::resume(const row_position& from, context& ctx) {
    if (!from.begun) return errc::ok;
    hole_ = false;
    rows_ = from.rows;
    if (from.depth == none) depth_ = none;
    for (std::size_t k = 0; depth_ == k; ++k) {
        for (bool more = true; more && levels_[k].next_ < from.behind[k];) KUMIHIMO_TRY(element_of(k, more, ctx));
        if (k == from.depth) break;
        depth_ = open_array(k + 1) ? k + 1 : none;
    }
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
