// The shape of elements of one form as they have been lately, for the kernel that passes over many at once
// (json/element_shape.hpp): which values have one length, which is part of the shape, and which have many. It adapts
// to the elements that are not of it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/json/element_shape.hpp"
#include "engine/json/plan.hpp"
#include "extract/element_step.hpp"

namespace kumihimo::inline v0::extract {

/// A value's length, at most longest + 1, and its first byte.
struct value_form {
    std::uint32_t length;
    char first;
};

class adaptive_shape {
public:
    static constexpr std::uint32_t longest = 64;  // a value of one length, at most

    /// Whether there is one yet; then what it says, and how many bytes an element of short values takes, with a block
    /// behind it.
    bool known() const noexcept { return shape_.count != 0; }
    const json::element_shape& shape() const noexcept { return shape_; }
    std::size_t reach() const noexcept { return reach_; }

    /// So many more elements were of it.
    void passed(std::uint32_t count) noexcept { passed_ += count; }
    /// An element of the form, `values` by step, that is not of the shape: a value is longer or shorter, or of another
    /// kind. `behind`: the text behind the last value. Throws std::bad_alloc.
    void adapt(const json::plan& plan, std::span<const element_step> steps, const element_gap& behind,
               const value_form* values);

private:
    // What the values of a step were; `open`: of many lengths, or of kinds that have no shape.
    struct step_lengths {
        bool open, string;
        std::uint32_t length, other;  // other: that of the last one that was not as long
        std::uint32_t changes;        // how often that was, lately
    };
    static constexpr unsigned common = 4;                           // a form that was met so often is worth a shape
    static constexpr std::uint32_t change = 16, most_changes = 64;  // one of 16 values may be of another length

    void begin(std::span<const element_step> steps, const element_gap& behind, const value_form* values);
    bool update(std::span<const element_step> steps, const value_form* values) noexcept;
    void make(const json::plan& plan, std::span<const element_step> steps, const element_gap& behind);

    json::element_shape shape_;  // of the next four
    std::vector<json::element_shape::stretch> stretches_;
    std::vector<json::element_shape::block> blocks_;
    std::vector<json::element_shape::value> values_;
    std::vector<std::uint32_t> opens_;
    std::vector<step_lengths> lengths_;  // by step
    std::size_t reach_ = 0;
    std::uint32_t passed_ = 0;  // elements since the lengths were looked at
    unsigned met_ = 0;          // until there is a shape: elements that fitted
};

}  // namespace kumihimo::inline v0::extract
