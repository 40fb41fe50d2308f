// Reads a condition: recursive descent, one rule of the grammar (condition.hpp) a function. What is compared,
// operands and their paths and times, is in condition_operands.cpp, and of which kinds they may be in
// condition_types.cpp.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extract/condition.hpp"
#include "extract/value_kinds.hpp"

namespace kumihimo::inline v0::extract {

class condition_parser : private expression_text {
public:
    condition_parser(condition& to, std::string& why, std::span<const column_spec> columns)
        : expression_text("where", to.text_, why), to_(to), columns_(columns) {}
    bool run();

private:
    using node = condition::node;
    using term = condition::term;

    std::uint32_t put(node n) {
        to_.nodes_.push_back(std::move(n));
        return static_cast<std::uint32_t>(to_.nodes_.size() - 1);
    }
    std::uint32_t put(term t) {
        to_.terms_.push_back(std::move(t));
        return static_cast<std::uint32_t>(to_.terms_.size() - 1);
    }
    std::uint32_t put(column_spec as) {
        to_.clocks_.push_back(std::move(as));
        return static_cast<std::uint32_t>(to_.clocks_.size() - 1);
    }

    void behind();
    std::uint32_t joined(std::size_t depth, node::kind type, std::string_view by,
                         std::uint32_t (condition_parser::*part)(std::size_t));
    std::uint32_t disjunction(std::size_t depth) {
        return joined(depth, node::kind::disjunction, "or", &condition_parser::conjunction);
    }
    std::uint32_t conjunction(std::size_t depth) {
        return joined(depth, node::kind::conjunction, "and", &condition_parser::part);
    }
    std::uint32_t part(std::size_t depth);
    bool encloses_operand() const;
    std::uint32_t test();
    bool comparison(condition::order& out);
    std::uint32_t among(node n, std::size_t left_at);
    std::uint32_t pattern(node n, std::size_t left_at, bool like);

    bool operand(term& out);
    bool begins_expression() const;
    bool sign_ahead() const { return !ended() && std::string_view("+-*/").find(s_[at_]) != std::string_view::npos; }
    bool simple(term& out);
    bool calculated(term& out);
    void read_as_time(const formula& of, term& out);
    bool constant(const formula& of, std::size_t from, term& out);
    bool path_or_time(term& out);
    const column_spec* column_of(const term& t) const;
    kinds::set kinds_of(const term& t) const;
    std::optional<bool> has_zone(const term& t) const;
    // Where the two sides of a comparison stand.
    struct sides {
        std::size_t left, right;
    };
    bool comparable(const sides& at, std::uint32_t left, std::uint32_t right);
    bool take_times(const sides& at, std::uint32_t left, std::uint32_t right);
    bool take_time(std::size_t there, term& t, std::uint32_t clock);
    bool take_list(std::size_t left_at, const node& n, const std::vector<std::size_t>& places);
    bool refuse_zones(std::size_t there, bool has_one);
    bool path_of(term& out);
    std::uint32_t known(const condition::path& p);
    void compile_paths();

    condition& to_;
    std::span<const column_spec> columns_;
    bool in_time_ = false;  // between the parentheses of time( )
};

}  // namespace kumihimo::inline v0::extract
