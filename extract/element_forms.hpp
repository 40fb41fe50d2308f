// Elements of one form in an array of valid JSON: the text between their values is the same, so that a comparison of
// it says which key comes next, and only the values' ends are looked for.
//
//      {"price": 107910.0, "side": "ask"}, {"price": 107911.5, "side": "bid"}
//      `---------'~~~~~~~~'---------'~~~~~'                                         compared, and ~ passed over
//
// Many elements in a row are passed over by a kernel (json/element_shape.hpp), which also compares across values that
// are as long as those before; single ones, and those whose values have other lengths, are compared gap by gap.
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
#include "engine/json/kernels.hpp"
#include "engine/json/plan.hpp"
#include "engine/json/scan.hpp"
#include "engine/simd/lanes.hpp"

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
    // What lies before a value, and after the one before it.
    struct gap {
        static constexpr std::size_t most = 64;
        std::size_t length = 0;
        std::uint64_t last = 0;  // the bits of the last word that count
        std::uint64_t text[most / 8] = {};

        bool set(const char* p, std::size_t n) noexcept {
            if (n > most) return false;
            length = n;
            std::memcpy(text, p, n);
            last = n % 8 == 0 ? ~std::uint64_t{0} : 0;
            if (n % 8 != 0) std::memset(&last, 0xff, n % 8);
            return true;
        }
        [[gnu::always_inline]] bool at(const char* p, const char* end) const noexcept {
            if (static_cast<std::size_t>(end - p) < length + 8) [[unlikely]]
                return static_cast<std::size_t>(end - p) >= length && std::memcmp(p, text, length) == 0;
            std::uint64_t here;
            std::size_t i = 0;
            for (; 8 * i + 8 < length; ++i) {
                std::memcpy(&here, p + 8 * i, 8);
                if (here != text[i]) return false;
            }
            if (length == 0) return true;
            std::memcpy(&here, p + 8 * i, 8);
            return ((here ^ text[i]) & last) == 0;
        }
    };
    struct step {
        gap before;
        std::uint32_t state;  // of the value, or nowhere
        bool deep;            // a path goes on in it, so that nothing but null is a leaf
        // What the values before were; `open`: of many lengths, or of kinds that have no shape.
        bool open, string;
        std::uint32_t length, other;  // other: that of the last one that was not as long
        std::uint32_t changes;        // how often that was, lately
    };
    struct form {
        std::vector<step> steps;
        gap behind;
        std::vector<std::uint32_t> absent;  // paths that have no value
        // The same for the kernel.
        json::element_shape shape;
        std::vector<json::element_shape::stretch> stretches;
        std::vector<json::element_shape::block> blocks;
        std::vector<json::element_shape::value> values;
        std::vector<std::uint32_t> opens;
        std::size_t reach = 0;     // bytes that an element of short values takes, and a block behind it
        std::uint32_t passed = 0;  // elements since the lengths were looked at
        unsigned met = 0;          // until it has a shape: elements that fitted
    };
    struct seen {
        std::uint32_t length;
        char first;
    };
    static constexpr std::size_t kept = 16, most_steps = 64, most_nested = 8, patience = 64, rest = 256;
    static constexpr unsigned common = 4;                           // a form that was met so often is worth a shape
    static constexpr std::uint32_t longest = 64;                    // a value of one length, at most
    static constexpr std::uint32_t change = 16, most_changes = 64;  // one of 16 values may be of another length

    const char* fits(const form& f, const char* p, const char* end, const char* document, json::slice* found) noexcept {
        seen* now = seen_;
        for (const step& s : f.steps) {
            if (!s.before.at(p, end)) return nullptr;
            p += s.before.length;
            if (p == end || (s.deep && *p != 'n')) return nullptr;
            const char* const from = p;
            p = valid::value_end(p, end);
            if (p == from) return nullptr;
            *now++ = {static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(p - from, longest + 1)), *from};
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
    void take_lengths(form& f) const;
    void adapt(form& f) const;
    void make_shape(form& f) const;
    void pass(form& f, json::element_run& run, const char* end);

    const json::plan& plan_;
    std::vector<form> forms_;
    std::vector<json::slice> learnt_, met_;
    seen seen_[most_steps];          // the values of the element that fitted last
    const char* refused_ = nullptr;  // an element for which there is no form
    std::size_t likely_ = 0, oldest_ = 0, hits_ = patience, resting_ = 0;
};

}  // namespace kumihimo::inline v0::extract
