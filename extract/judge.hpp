// A condition asked of one document after the other, before any column is made of it.
//
//      judge j(condition, level);                                   // one per thread
//      j.look(document, ctx);                                       // finds the values of the condition's paths
//      j.decide(holds, ctx);                                        // what it says of them
//
// A condition over rows (condition::judges_rows) is decided once for each of them, after a look at the document and
// one at the elements around the row and its own: look(document) of one that row_walk::open() has taken, then for each
// row look_at_row(walk), decide().
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/context.hpp"
#include "engine/json/given.hpp"
#include "engine/json/project.hpp"
#include "extract/calculation.hpp"
#include "extract/column.hpp"
#include "extract/condition.hpp"

namespace kumihimo::inline v0::extract {

struct binary_format;
class cell_sink;
class row_walk;
class value_projector;

class judge {
public:
    judge(std::shared_ptr<const condition> of, json::level level);
    ~judge();
    judge(const judge&) = delete;
    judge& operator=(const judge&) = delete;

    /// A JSON document, whose bytes have to live until the last decide(). Fails as json::projector does.
    errc look(bytes document, context& ctx);
    /// A document of a binary format that has a projector: `input` is one, or begins with one. Also after a failure
    /// document_size() says where it ends.
    errc look(const binary_format& as, bytes input, json::given what, context& ctx);
    std::size_t document_size() const noexcept { return document_size_; }
    /// The row at hand of a walk over the document that was looked at.
    errc look_at_row(const row_walk& walk, context& ctx);
    /// Another walk comes: what is known of elements is not of its.
    void renew() noexcept {
        for (side& s : sides_) s.serial = 0;
        for (expression& e : expressions_) e.by.forget(), e.known = false;
    }

    /// Whether the condition holds; what is unknown does not. errc::type where a value is of another kind than it is
    /// compared with, errc::encoding where a text has half a surrogate pair, errc::range where no order of numbers is
    /// known: the failure has the value's place. Throws std::bad_alloc.
    errc decide(bool& holds, context& ctx);

    const condition& of() const noexcept { return *of_; }
    /// After look(): a path that does not lead into what stands in the document (p.x, where p is 5), else
    /// condition::none. Its value counts as absent.
    std::uint32_t blocked() const noexcept;
    /// After decide() failed: the number of the path whose value was at fault.
    std::uint32_t failed_path() const noexcept { return failed_; }
    /// ... and the failure as one sentence: `the condition compares "price" with a number, but here is text, "n/a"`.
    /// Empty when the last one did not fail.
    std::string explanation() const;
    void forget() noexcept { failed_ = condition::none; }

private:
    enum class truth : std::uint8_t { no, yes, unknown };
    enum class kind : std::uint8_t { nothing, boolean, number, text, array, object, time };
    struct found {
        std::string_view json;  // empty: absent
        std::size_t offset = 0;
    };
    struct slots {
        std::uint32_t first = 0, count = 0;  // in its side's `values`
        bool list = false;                   // of several values: there is a list of them
    };
    // What was found in the document, or in the element of a path that begins with points.
    struct side {
        std::vector<found> values;
        std::uint64_t serial = 0;  // of the element
        std::optional<json::projector> in;
        // Of a binary format.
        std::unique_ptr<value_projector> encoded;
        std::string rendered;  // the values as JSON, one behind the other, and where each ends
        std::vector<std::size_t> ends;
        std::string key;  // of the element
    };
    // What is calculated of them, once for a row.
    struct expression {
        explicit expression(const condition::calculated& of) : by(*of.by) {}
        calculation by;
        bool known = false;
        found is;
        std::uint32_t origin = 0;  // the path of a value that it is of
    };
    // A side of a comparison.
    struct value {
        kind type = kind::nothing;
        bool boolean = false;
        std::string_view text;  // of a text what it says; of a number its digits
        const exact_number* number = nullptr;
        moment when;
        const condition::term* of = nullptr;
        std::uint32_t path = condition::none;
        const found* at = nullptr;
    };

    static kind kind_of(std::string_view json) noexcept;
    static truth opposite(truth t, bool if_so = true) noexcept;
    template <class Values>
    void take(std::size_t dots, const char* text, std::size_t offset, const Values& values_of);
    void absent(std::size_t dots);
    errc render(std::size_t dots, bytes of, value_projector& from, context& ctx);
    void follow(std::size_t dots);
    errc look_at_element(std::size_t dots, const row_walk& walk, std::size_t level, context& ctx);
    truth node(std::uint32_t i);
    truth test(const condition::node& n, const found* left, const found* right);
    truth over(const condition::node& n, const condition::term& t, bool on_the_right);
    truth exists(std::uint32_t path) const noexcept;
    truth compare(const condition::node& n, const value& a, const value& b);
    truth among(const condition::node& n, const value& v);
    bool read(const condition::term& t, const found* at, std::string& room, exact_number& number, value& out);
    bool fits(const value& v);
    bool no_number(const value& v);
    truth refuse(const condition::node& n, const value& v, const value* other = nullptr);
    truth fail(errc code, const value& v, std::string why);
    std::string name_of(const value& v) const;
    /// Null of a constant, and after a failure.
    const found* single(const condition::term& t) {
        return t.type == condition::term::kind::path   ? &of(t.path)[0]
               : t.type == condition::term::kind::made ? calculated(t)
                                                       : nullptr;
    }
    const found* calculated(const condition::term& t);
    const found* of(std::uint32_t path) const noexcept {
        return sides_[of_->paths()[path].dots].values.data() + of_path_[path].first;
    }
    bool read_time(const condition::term& t, value& out);

    std::shared_ptr<const condition> of_;
    json::level level_;
    std::vector<search> searches_;  // by pattern
    std::vector<side> sides_;       // by points
    std::vector<slots> of_path_;
    std::vector<tail_walk> tails_;  // by path
    std::vector<expression> expressions_;
    std::vector<zone::stretch> stretches_;  // by clock
    bytes document_;
    std::size_t document_size_ = 0;
    const binary_format* binary_ = nullptr;
    std::unique_ptr<cell_sink> cell_;
    column cell_column_;

    std::string left_, right_;  // texts without their escapes
    std::uint32_t failed_ = condition::none;
    errc code_ = errc::ok;
    bool calculating_ = false;  // that failed
    const found* fault_ = nullptr;
    std::string why_;
};

}  // namespace kumihimo::inline v0::extract
