#include "extract/adaptive_shape.hpp"

#include <algorithm>
#include <utility>

namespace kumihimo::inline v0::extract {

void adaptive_shape::adapt(const json::plan& plan, std::span<const element_step> steps, const element_gap& behind,
                           const value_form* values) {
    if (known()) {
        if (!update(steps, values)) return;
    } else {
        if (++met_ < common) return;
        begin(steps, behind, values);
    }
    make(plan, steps, behind);
}

// The lengths of one element.
void adaptive_shape::begin(std::span<const element_step> steps, const element_gap& behind, const value_form* values) {
    lengths_.resize(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto [length, first] = values[i];
        const bool open = !steps[i].deep && (length > longest || first == '{' || first == '[');
        lengths_[i] = {open, first == '"', length, length, 0};
    }
    // With nothing behind it, it would not be seen that a value goes on; null does not.
    if (behind.length == 0) lengths_.back().open = !steps.back().deep;
}

// The lengths after one more element; whether they want another shape.
bool adaptive_shape::update(std::span<const element_step> steps, const value_form* values) noexcept {
    bool again = false;
    const std::uint32_t passed = std::exchange(passed_, 0);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        step_lengths& s = lengths_[i];
        if (s.open || steps[i].deep) continue;
        s.changes -= std::min(s.changes, passed);
        const auto [length, first] = values[i];
        const bool string = first == '"';
        if (length == s.length && string == s.string) continue;
        s.changes += change;
        if (s.changes > most_changes || length > longest || first == '{' || first == '[') {
            s.open = again = true;
        } else if (length == s.other) {
            s.length = length;
            s.string = string;
            again = true;
        }
        s.other = length;
    }
    return again;
}

void adaptive_shape::make(const json::plan& plan, std::span<const element_step> steps, const element_gap& behind) {
    using shape = json::element_shape;
    shape_ = {};  // until it is whole: memory may end in between
    stretches_.clear();
    blocks_.clear();
    values_.clear();
    opens_.clear();
    reach_ = 0;
    std::uint32_t length = 0, first_block = 0, first_value = 0;
    const auto add = [&](const char* text, std::size_t n, std::uint64_t shape::block::*mask) {
        for (std::size_t i = 0; i < n; ++i, ++length) {
            if (length % 64 == 0) blocks_.emplace_back();
            shape::block& b = blocks_.back();
            if (text != nullptr) b.text[length % 64] = text[i];
            b.*mask |= std::uint64_t{1} << length % 64;
        }
    };
    const auto end = [&](std::uint32_t first_open, bool open) {
        const auto blocks = static_cast<std::uint32_t>(blocks_.size()) - first_block;
        stretches_.push_back({length, first_block, blocks, first_value, static_cast<std::uint32_t>(values_.size()), first_open,
                              static_cast<std::uint32_t>(opens_.size()), open});
        reach_ += length + 64;
        length = 0;
        first_block = static_cast<std::uint32_t>(blocks_.size());
        first_value = static_cast<std::uint32_t>(values_.size());
    };
    const auto add_gap = [&](const element_gap& g) {
        add(reinterpret_cast<const char*>(g.text), g.length, &shape::block::fixed);
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const element_step& s = steps[i];
        const step_lengths& lately = lengths_[i];
        add_gap(s.before);
        const std::uint32_t* ends = nullptr;
        std::uint32_t wanted = 0;
        if (s.state != json::nowhere) {
            ends = plan.ends.data() + plan.states[s.state].first_end;
            wanted = plan.states[s.state].end_count;
        }
        if (lately.open) {
            const auto first_open = static_cast<std::uint32_t>(opens_.size());
            opens_.insert(opens_.end(), ends, ends + wanted);
            end(first_open, true);
            continue;
        }
        for (std::uint32_t k = 0; k < wanted; ++k) values_.push_back({length, s.deep ? 4 : lately.length, ends[k]});
        if (s.deep) {
            add("null", 4, &shape::block::fixed);
        } else if (lately.string) {
            add("\"", 1, &shape::block::fixed);
            add(nullptr, lately.length - 2, &shape::block::inside);
            add("\"", 1, &shape::block::fixed);
        } else {
            add(nullptr, lately.length, &shape::block::scalar);
        }
    }
    add_gap(behind);
    end(static_cast<std::uint32_t>(opens_.size()), false);
    shape_ = {stretches_.data(), stretches_.size(), blocks_.data(), values_.data(), opens_.data()};
}

}  // namespace kumihimo::inline v0::extract
