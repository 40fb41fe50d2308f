#include "extract/element_forms.hpp"

#include <algorithm>

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
            step& s = to.steps.emplace_back();
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

}  // namespace kumihimo::inline v0::extract
