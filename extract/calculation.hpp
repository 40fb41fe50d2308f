// A formula's value for one row after the other. One per thread and column.
//
//      calculation c(formula);
//      c.give(0, json);             // an input's value: valid JSON, empty where there is none
//      c.run();
//      c.json();                    // what is made of them, empty for null
//
// Rows of one document share what stands around them. An input whose value is in the element that it was in before is
// not given again, and each part of the formula of which that is true of all inputs keeps its value: so a row costs
// what is new in it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "extract/formula.hpp"

namespace kumihimo::inline v0::extract {

class calculation {
public:
    static constexpr std::uint64_t of_no_element = static_cast<std::uint64_t>(-1);
    /// A list of what .. finds has values that are in one another, and is longer than what it was found in: at most so
    /// many times, and so many bytes. Others are about as long.
    static constexpr std::size_t most_times = 4, most_more = std::size_t{16} << 20;

    explicit calculation(const formula& of);

    /// Whether an input's value is still that of this element (row_walk::element::serial, 0 for one that is not
    /// there), so that it need not be given.
    bool has(std::size_t input, std::uint64_t element) const noexcept {
        return inputs_[input].element == element && element != of_no_element;
    }
    /// Without white space around it. It stays where it is until another one is given, or forget().
    void give(std::size_t input, std::string_view json, std::uint64_t element = of_no_element) noexcept;
    /// Room for a value that lies nowhere else. give() follows.
    std::string& room(std::size_t input) noexcept;
    /// What was given is no more, and elements are counted anew.
    void forget() noexcept;

    /// errc::type: a value of another kind than is calculated with, or a text that is not of its form; errc::range: a
    /// number that has no place; errc::encoding: half a surrogate pair in a text; errc::size: a list that is too long.
    /// Throws std::bad_alloc.
    errc run();
    /// In the bytes of a value where it is (part of) one. Until the next give() or room().
    std::string_view json() const noexcept { return json_; }
    /// An input whose path met another kind of value than it leads into, else formula::none.
    std::uint32_t blocked() const noexcept { return blocked_; }

    /// The input that the value is of, or one of several; formula::none where none had a part in it.
    std::uint32_t origin() const noexcept { return origin_; }

    /// After run() failed: the input at fault, and what was wrong as a sentence. None where only constants are.
    std::uint32_t failed_input() const noexcept { return failed_; }
    const std::string& explanation() const noexcept { return why_; }

    /// Memory held, in bytes. trim() gives back what is more than `keep` in one place, and forgets.
    std::size_t capacity() const noexcept;
    void trim(std::size_t keep) noexcept;

private:
    enum class kind : std::uint8_t { nothing, boolean, number, text, container };
    struct value {
        kind type = kind::nothing;
        bool boolean = false;
        std::string_view text;  // of a text what it says, of a number its digits
        std::string_view json;  // as it stands; empty where it was made, and for null
        std::uint32_t input = formula::none;
    };
    struct input {
        explicit input(const path_tail& tail) noexcept : walk(tail) {}
        std::string_view head, found;  // what was given; what the whole path leads to
        std::uint64_t element = of_no_element;
        bool fresh = true;    // given behind the last run
        bool looked = false;  // `found` is that of `head`
        bool blocked = false;
        tail_walk walk;
        std::string room, list;  // of a head that lies nowhere else; of a path that finds several
    };
    // A node's value, and what it was written to.
    struct part {
        bool fresh = true;   // an input is
        bool known = false;  // `is` is its value
        std::uint32_t blocked = formula::none;
        value is;
        std::string room;
    };

    void renew_parts() noexcept;
    std::string_view found(std::uint32_t number);
    value node(std::uint32_t i);
    value make(const formula::node& n, std::string& room);
    value path(const formula::node& n, std::string& room);
    value arithmetic(const formula::node& n, std::string& room);
    value quotient(const value& a, const value& b, std::string& room);
    value coalesce(const formula::node& n);
    value concat(const formula::node& n, std::string& room);
    value length(const formula::node& n, std::string& room);
    value moment(const formula::node& n, std::string& room);
    bool is_number(const value& v);
    bool decimal(const formula::node& n, const value& v, exact_decimal& out);
    value no_number(const value& v);
    bool says(std::string_view json, std::string_view& out, std::uint32_t input, std::string& room);
    value fail(errc code, std::uint32_t input, std::string why);
    std::string shown(const value& v) const;

    const formula* of_;
    std::vector<input> inputs_;
    std::vector<part> parts_;  // by node
    std::string quoted_;       // a text that was made, as JSON
    std::string_view json_;
    errc code_ = errc::ok;
    std::uint32_t failed_ = formula::none, blocked_ = formula::none, origin_ = formula::none;
    std::string why_;
};

}  // namespace kumihimo::inline v0::extract
