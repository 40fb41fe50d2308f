// Elements of one form in an array of valid JSON: the text between their values is the same, so that a comparison of
// it says which key comes next, and only the values' ends are looked for.
//
//      {"price": 107910.0, "side": "ask"}, {"price": 107911.5, "side": "bid"}
//      `---------'~~~~~~~~'---------'~~~~~'                                         compared, and ~ passed over
//
// Many elements in a row are passed over by a kernel, which also compares across values that are as long as those
// before (adaptive_shape.hpp); single ones, and those whose values have other lengths, are compared gap by gap.
//
// It is the sibling of core/mold.hpp for text. What an element's form gives is what the exact walk gave for the one
// that it was learnt from: keys, their nesting and their order are in the text that is compared, and a value that
// could lead further than a leaf (an object where a path goes on) makes the element one of another form.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "engine/json/element_shape.hpp"
#include "engine/json/plan.hpp"
#include "engine/json/scan.hpp"
#include "engine/simd/lanes.hpp"
#include "extract/adaptive_shape.hpp"
#include "extract/element_step.hpp"

namespace kumihimo::inline v0::extract {

/// Ends of values in JSON that is known to be valid.
namespace valid {

inline const char* string_end(const char* p, const char* end) noexcept {
    const json::scanned s = json::scan_string(p + 1, end, true);
    return s.end == nullptr ? end : s.end + 1;
}

/// A number or a word, which ends before a comma, a bracket or white space.
[[gnu::always_inline]] inline const char* scalar_end(const char* p, const char* end) noexcept {
    using simd::lanes;
    while (static_cast<std::size_t>(end - p) >= lanes::width) {
        const lanes v = lanes::load(p);
        const std::uint64_t stop = (v.eq(',') | v.eq(']') | v.eq('}') | v.below(0x21)).bits();
        if (stop != 0) return p + lanes::first(stop);
        p += lanes::width;
    }
    while (p != end && *p != ',' && *p != ']' && *p != '}' && static_cast<unsigned char>(*p) > 0x20) ++p;
    return p;
}

/// p is at an opening bracket.
inline const char* container_end(const char* p, const char* end) noexcept {
    using simd::lanes;
    std::size_t depth = 0;
    for (;;) {
        while (static_cast<std::size_t>(end - p) >= lanes::width) {
            const lanes v = lanes::load(p);
            // The bit that tells a brace from a bracket is left out: 0x5B and 0x7B, 0x5D and 0x7D.
            const lanes folded = v.masked(0xDF);
            const std::uint64_t stop = (folded.eq('[') | folded.eq(']') | v.eq('"')).bits();
            if (stop == 0) {
                p += lanes::width;
                continue;
            }
            p += lanes::first(stop);
            break;
        }
        if (p == end) return end;
        const char c = *p;
        if (c == '"') {
            p = string_end(p, end);
            continue;
        }
        ++p;
        if (c == '{' || c == '[') ++depth;
        if ((c == '}' || c == ']') && --depth == 0) return p;
    }
}

[[gnu::always_inline]] inline const char* value_end(const char* p, const char* end) noexcept {
    if (*p == '"') return string_end(p, end);
    if (*p == '{' || *p == '[') return container_end(p, end);
    return scalar_end(p, end);
}

/// Elements of an array, members of an object; p is at its bracket.
inline std::uint64_t count(const char* p, const char* end) noexcept {
    const bool object = *p == '{';
    std::uint64_t n = 0;
    p = json::skip_space(p + 1, end);
    while (p != end && *p != ']' && *p != '}') {
        ++n;
        if (object) {
            p = json::skip_space(string_end(p, end), end);
            if (p != end) p = json::skip_space(p + 1, end);
            if (p == end) break;
        }
        p = json::skip_space(value_end(p, end), end);
        if (p != end && *p == ',') p = json::skip_space(p + 1, end);
    }
    return n;
}

}  // namespace valid

class element_forms {
public:
    explicit element_forms(const json::plan& plan) : plan_(plan), learnt_(plan.wild.size()), met_(plan.wild.size()) {}

    /// The byte behind the element at p, if it is of a form that is known: then `found` has its values by path. Else
    /// nullptr.
    const char* match(const char* p, const char* end, const char* document, json::slice* found) noexcept {
        if (p == std::exchange(refused_, nullptr)) return nullptr;
        if (resting_ != 0) {
            --resting_;
            return nullptr;
        }
        for (std::size_t k = 0; k < forms_.size(); ++k) {
            const std::size_t i = (likely_ + k) % forms_.size();
            if (const char* const behind = fits(forms_[i], p, end, document, found); behind != nullptr) {
                likely_ = i;
                hits_ += hits_ < patience;
                return behind;
            }
        }
        return nullptr;
    }

    /// As many elements as have forms that are known: run.count, run.at and run.more say how far it came. `end`: of
    /// the document.
    void pass(json::element_run& run, const char* end);

    /// The element [p, behind) has none of the forms that are known, and the exact walk gave `found` for it. `odd`: it
    /// says nothing about others.
    void learn(const char* p, const char* behind, const char* document, const json::slice* found, bool odd);

private:
    struct form {
        std::vector<element_step> steps;
        element_gap behind;
        std::vector<std::uint32_t> absent;  // paths that have no value
        adaptive_shape shape;
    };
    static constexpr std::size_t kept = 16, most_steps = 64, most_nested = 8, patience = 64, rest = 256;

    const char* fits(const form& f, const char* p, const char* end, const char* document, json::slice* found) noexcept {
        value_form* now = seen_;
        for (const element_step& s : f.steps) {
            if (!s.before.at(p, end)) return nullptr;
            p += s.before.length;
            if (p == end || (s.deep && *p != 'n')) return nullptr;
            const char* const from = p;
            p = valid::value_end(p, end);
            if (p == from) return nullptr;
            *now++ = {static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(p - from, adaptive_shape::longest + 1)), *from};
            if (s.state != json::nowhere) {
                const json::plan::state& state = plan_.states[s.state];
                for (std::uint32_t i = 0; i < state.end_count; ++i)
                    found[plan_.ends[state.first_end + i]] = {static_cast<std::uint64_t>(from - document),
                                                              static_cast<std::uint64_t>(p - from)};
            }
        }
        if (!f.behind.at(p, end)) return nullptr;
        for (const std::uint32_t path : f.absent) found[path] = {};
        return p + f.behind.length;
    }
    bool read(const char* p, const char* behind, form& to) const;
    void pass(form& f, json::element_run& run, const char* end);

    const json::plan& plan_;
    std::vector<form> forms_;
    std::vector<json::slice> learnt_, met_;
    value_form seen_[most_steps];    // the values of the element that fitted last
    const char* refused_ = nullptr;  // an element for which there is no form
    std::size_t likely_ = 0, oldest_ = 0, hits_ = patience, resting_ = 0;
};

}  // namespace kumihimo::inline v0::extract
