#include "extract/path_tail.hpp"

#include <bit>

#include "engine/json/scan.hpp"
#include "extract/element_forms.hpp"
#include "extract/text_of_json.hpp"

namespace kumihimo::inline v0::extract {
namespace {

using kind = json::step::kind;

constexpr std::uint64_t bit(std::size_t step) noexcept { return std::uint64_t{1} << step; }

// Whether step i leads to several values by itself or by the .. before it.
bool several(std::span<const json::step> path, std::size_t i) noexcept {
    const kind k = path[i].type;
    return k == kind::each || k == kind::members || (i != 0 && path[i - 1].type == kind::descend);
}

}  // namespace

bool path_tail::many(std::span<const json::step> path) noexcept {
    for (std::size_t i = 0; i < path.size(); ++i)
        if (several(path, i)) return true;
    return false;
}

std::size_t path_tail::head_of(std::span<const json::step> path, bool lists) noexcept {
    std::size_t i = 0;
    while (i < path.size() && json::is_compiled(path[i].type) && !(lists && path[i].type == kind::each)) ++i;
    if (i == path.size()) return i;
    // What is behind a [*] is a list's already.
    for (std::size_t k = 0; k < i; ++k)
        if (path[k].type == kind::each) return k;
    return i;
}

bool path_tail::make(std::span<const json::step> steps, path_tail& out, const char*& why) {
    path_tail made;
    made.steps_.assign(steps.begin(), steps.end());
    if (steps.size() > most) return why = "it has more than 60 steps behind the first *, .. or negative index", false;
    bool any = false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        made.deep_ = made.deep_ || steps[i].type == kind::descend;
        made.counts_ = made.counts_ || steps[i].type == kind::from_end;
        if (steps[i].type == kind::descend || several(steps, i)) {
            if (!any) made.first_ = i;
            any = true;
        }
        if (several(steps, i)) made.behind_ = i + 1;
    }
    if (made.deep_ && made.counts_)
        return why = "an element is not counted from the end in a path with .., whose arrays would be counted at every depth",
               false;
    out = std::move(made);
    return true;
}

// With .. a value is at the step behind it as well.
std::uint64_t tail_walk::closed(std::uint64_t at) const noexcept {
    if (!of_->deep_) return at;
    for (std::uint64_t left = at; left != 0; left &= left - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(left));
        if (i < of_->steps_.size() && of_->steps_[i].type == kind::descend) at |= bit(i + 1);
    }
    return at;
}

// The slot that a value fills which is at the end of the path: the one that began as many values further out as there
// are steps behind the list's last one. `begun`: by the value itself.
std::size_t tail_walk::slot_of(std::size_t step, std::size_t begun) const noexcept {
    if (!of_->many()) return 0;
    const std::size_t out = step - of_->behind_;
    return out == 0 ? begun : frames_[frames_.size() - out].begun;
}

// A step by its name leads to a member: what an earlier one of the same name gave is forgotten.
void tail_walk::again(const frame& in, std::size_t step) {
    if (!of_->many() || step > of_->behind_)
        slots_[slot_of(step, none)] = {};
    else if (step < of_->behind_ && !of_->deep_)
        slots_.resize(in.had);
}

bool tail_walk::is_key(const json::step& s, std::string_view key, std::string_view& plain) {
    if (plain.data() == nullptr) {
        if (!plain_text(inside_of(key), unescaped_, plain)) plain = key;  // no key that a path can name
    }
    return plain == s.key;
}

// The steps that a member's value is at. `key` has its quotes.
std::uint64_t tail_walk::member(const frame& in, std::string_view key) {
    std::uint64_t to = 0;
    std::string_view plain;
    for (std::uint64_t left = in.at; left != 0; left &= left - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(left));
        const json::step& s = of_->steps_[i];
        switch (s.type) {
            case kind::key:
            case kind::either:
                if (!is_key(s, key, plain)) break;
                to |= bit(i + 1);
                again(in, i + 1);
                break;
            case kind::members:
                if (i + 1 < of_->steps_.size() && of_->steps_[i + 1].type == kind::name)
                    slots_.push_back(key);
                else
                    to |= bit(i + 1);
                break;
            case kind::descend: to |= bit(i); break;
            default: break;
        }
    }
    return to;
}

std::uint64_t tail_walk::element(const frame& in) const noexcept {
    std::uint64_t to = 0;
    for (std::uint64_t left = in.at; left != 0; left &= left - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(left));
        const json::step& s = of_->steps_[i];
        const bool on = s.type == kind::each || ((s.type == kind::index || s.type == kind::either) && s.index == in.next) ||
                        (s.type == kind::from_end && s.index <= in.count && in.count - s.index == in.next);
        if (s.type == kind::descend)
            to |= bit(i);
        else if (on)
            to |= bit(i + 1);
    }
    return to;
}

// A container begins whose elements or members are looked at.
void tail_walk::enter(frame& in, const char* end) {
    bool goes_in = false, counts = false;
    for (std::uint64_t left = in.at; left != 0; left &= left - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(left));
        const kind k = of_->steps_[i].type;
        const bool member = k == kind::key || k == kind::members || k == kind::either || k == kind::descend;
        const bool element =
            k == kind::index || k == kind::each || k == kind::from_end || k == kind::either || k == kind::descend;
        const bool here = in.object ? member : element;
        goes_in = goes_in || here;
        counts = counts || (k == kind::from_end && !in.object);
        list_ = list_ || (here && i == of_->first_);
    }
    blocked_ = blocked_ || (!goes_in && !of_->deep_ && in.fill == none);
    if (counts) in.count = valid::count(in.begin, end);
}

void tail_walk::run(std::string_view json) {
    slots_.clear();
    frames_.clear();
    list_ = blocked_ = false;
    if (!of_->many()) slots_.emplace_back();
    const char* p = json.data();
    const char* const end = p + json.size();
    const std::uint64_t ends = bit(of_->steps_.size());
    std::uint64_t at = closed(1);
    std::size_t begun = none;

    // One turn: a value begins at p and is at the steps `at`.
    while (p != end) {
        const std::size_t fill = (at & ends) != 0 ? slot_of(of_->steps_.size(), begun) : none;
        const bool object = *p == '{';
        if ((object || *p == '[') && (at & ~ends) != 0) {
            frame f{p, at & ~ends, 0, 0, begun, fill, slots_.size(), object};
            p = json::skip_space(p + 1, end);
            enter(f, end);
            frames_.push_back(f);
        } else {
            const char* const from = p;
            blocked_ = blocked_ || (fill == none && at != 0 && *p != 'n' && !of_->deep_);
            p = valid::value_end(p, end);
            if (fill != none) slots_[fill] = {from, static_cast<std::size_t>(p - from)};
            if (frames_.empty()) return;
            p = json::skip_space(p, end);
            if (p != end && *p == ',') p = json::skip_space(p + 1, end);
        }
        // To the next element or member, out of the containers that end.
        for (;;) {
            if (p == end) return;
            frame& in = frames_.back();
            if (*p == ']' || *p == '}') {
                ++p;
                if (in.fill != none) slots_[in.fill] = {in.begin, static_cast<std::size_t>(p - in.begin)};
                frames_.pop_back();
                if (frames_.empty()) return;
                p = json::skip_space(p, end);
                if (p != end && *p == ',') p = json::skip_space(p + 1, end);
                continue;
            }
            if (in.object) {
                const char* const key = p;
                p = valid::string_end(p, end);
                at = member(in, {key, static_cast<std::size_t>(p - key)});
                p = json::skip_space(p, end);
                if (p != end) p = json::skip_space(p + 1, end);
            } else {
                at = element(in);
                ++in.next;
            }
            begun = none;
            if (of_->many() && (at & bit(of_->behind_)) != 0) {
                begun = slots_.size();
                slots_.emplace_back();
            }
            at = closed(at);
            break;
        }
    }
}

bool tail_walk::join(std::string& to, std::size_t most) const {
    constexpr std::string_view absent = "null";
    std::size_t size = slots_.empty() ? 2 : 1;  // brackets, and a comma behind each but the last
    for (const std::string_view s : slots_) {
        size += (s.empty() ? absent : s).size() + 1;
        if (size > most) return false;
    }
    to.reserve(to.size() + size);
    to += '[';
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (i != 0) to += ',';
        to += slots_[i].empty() ? absent : slots_[i];
    }
    to += ']';
    return true;
}

std::size_t tail_walk::capacity() const noexcept {
    return frames_.capacity() * sizeof(frame) + slots_.capacity() * sizeof(std::string_view) + unescaped_.capacity();
}

void tail_walk::trim(std::size_t keep) noexcept {
    if (frames_.capacity() * sizeof(frame) > keep) frames_ = std::vector<frame>();
    if (slots_.capacity() * sizeof(std::string_view) > keep) slots_ = std::vector<std::string_view>();
    if (unescaped_.capacity() > keep) std::string().swap(unescaped_);
}

}  // namespace kumihimo::inline v0::extract
