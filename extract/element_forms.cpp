#include "extract/element_forms.hpp"

#include <algorithm>
#include <utility>

#include "engine/json/kernels.hpp"

namespace kumihimo::inline v0::extract {

// The form of one element; false when it has none that can be kept.
bool element_forms::read(const char* p, const char* behind, form& to) const {
    struct frame {
        std::uint32_t state;
        bool object;
        std::uint64_t element;
    };
    frame open[most_nested];
    std::size_t depth = 0;
    std::uint32_t state = 0;
    const char* from = p;  // behind the last value
    to.steps.clear();
    for (;;) {
        if (p == behind) return false;
        const bool object = *p == '{';
        const bool inside = state != json::nowhere &&
                            (object ? plan_.states[state].wants_members() : *p == '[' && plan_.states[state].wants_elements());
        if (inside) {
            if (depth == most_nested || plan_.states[state].end_count != 0) return false;
            open[depth++] = {state, object, 0};
            p = json::skip_space(p + 1, behind);
        } else {
            if (to.steps.size() == most_steps) return false;
            element_step& s = to.steps.emplace_back();
            if (!s.before.set(from, static_cast<std::size_t>(p - from))) return false;
            s.state = state;
            s.deep = state != json::nowhere && (plan_.states[state].wants_members() || plan_.states[state].wants_elements());
            from = p = valid::value_end(p, behind);
            if (depth != 0) p = json::skip_space(p, behind);
        }
        // At a key, an element, a comma or a bracket of the container that p is in.
        for (;;) {
            if (depth == 0) return p == behind && to.behind.set(from, static_cast<std::size_t>(behind - from));
            if (p == behind) return false;
            if (*p == '}' || *p == ']') {
                ++p;
                if (--depth != 0) p = json::skip_space(p, behind);
                continue;
            }
            frame& in = open[depth - 1];
            if (*p == ',') {
                ++in.element;
                p = json::skip_space(p + 1, behind);
            }
            const json::plan::state& s = plan_.states[in.state];
            if (!in.object) {
                state = plan_.find(s, in.element);
                break;
            }
            const char* const key = p + 1;
            p = valid::string_end(p, behind);
            if (p == behind || std::memchr(key, '\\', static_cast<std::size_t>(p - key)) != nullptr) return false;
            const std::uint32_t found = plan_.find(s, key, static_cast<std::size_t>(p - key) - 1);
            state = found == json::nowhere ? found : plan_.keys[found].target;
            p = json::skip_space(p, behind);
            if (p == behind || *p != ':') return false;
            p = json::skip_space(p + 1, behind);
            break;
        }
    }
}

void element_forms::learn(const char* p, const char* behind, const char* document, const json::slice* found, bool odd) {
    if (resting_ != 0) return;
    // Where forms do not hold, looking for them costs more than it saves.
    if (--hits_ == 0) {
        hits_ = patience;
        resting_ = rest;
        return;
    }
    if (odd) return;
    form made;
    if (!read(p, behind, made)) return;
    // A key that comes twice, and whatever else the walk knows better, shows in what it found.
    std::fill(learnt_.begin(), learnt_.end(), json::slice{});
    if (fits(made, p, behind, document, learnt_.data()) != behind) return;
    for (std::uint32_t i = 0; i < learnt_.size(); ++i) {
        if (!(learnt_[i] == found[i])) return;
        if (learnt_[i].length == 0) made.absent.push_back(i);
    }
    if (forms_.size() < kept) {
        likely_ = forms_.size();
        forms_.push_back(std::move(made));
        return;
    }
    likely_ = oldest_;
    forms_[oldest_] = std::move(made);
    oldest_ = (oldest_ + 1) % kept;
}

// As many elements as are of the form's shape.
void element_forms::pass(form& f, json::element_run& run, const char* end) {
    const std::size_t before = run.count;
    const json::kernels& k = json::active_kernels();
    const json::element_shape& shape = f.shape.shape();
    k.elements(shape, run);
    const auto left = static_cast<std::size_t>(end - run.at);
    constexpr std::size_t tail = 1024;
    if (run.more && run.count != run.limit && left < std::min(f.shape.reach(), tail)) {
        // So near to the end it only looks where it may read.
        char copy[tail + 64];
        std::memcpy(copy, run.at, left);
        std::memset(copy + left, 0, 64);
        json::element_run rest = run;
        rest.first += static_cast<std::uint32_t>(run.at - run.base);
        rest.base = rest.at = copy;
        rest.end = copy + left + 64;
        k.elements(shape, rest);
        run.at += rest.at - copy;
        run.count = rest.count;
        run.more = rest.more;
    }
    for (const std::uint32_t path : f.absent)
        for (std::size_t i = before; i < run.count; ++i) run.values[path * json::element_run::most + i] = {0, 0};
    f.shape.passed(static_cast<std::uint32_t>(run.count - before));
}

void element_forms::pass(json::element_run& run, const char* end) {
    while (run.more && run.count != run.limit && resting_ == 0) {
        const std::size_t before = run.count;
        for (std::size_t k = 0; k < forms_.size() && run.count == before; ++k) {
            const std::size_t i = (likely_ + k) % forms_.size();
            if (forms_[i].shape.known()) pass(forms_[i], run, end);
            if (run.count != before) likely_ = i;
        }
        if (run.count != before) {
            hits_ = std::min(patience, hits_ + run.count - before);
            continue;
        }
        const char* const behind = match(run.at, end, run.base, met_.data());
        if (behind == nullptr || behind > run.end) {
            refused_ = behind == nullptr ? run.at : nullptr;
            return;
        }
        form& met = forms_[likely_];
        met.shape.adapt(plan_, met.steps, met.behind, seen_);
        const std::size_t i = run.count++;
        run.begins[i] = static_cast<std::uint32_t>(run.at - run.base) + run.first;
        for (std::size_t path = 0; path < met_.size(); ++path)
            run.values[path * json::element_run::most + i] = {static_cast<std::uint32_t>(met_[path].offset) + run.first,
                                                              static_cast<std::uint32_t>(met_[path].length)};
        const char* const next = json::skip_space(behind, end);
        run.more = *next == ',';
        run.at = run.more ? json::skip_space(next + 1, end) : next;
    }
}

}  // namespace kumihimo::inline v0::extract
