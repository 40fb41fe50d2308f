// The elements that become rows, one after the other, with the values that the columns want: of the row's element, of
// the ones around it, of the document.
//
//      row_walk walk(plan, level::strict);          // one per thread
//      walk.open(document, ctx);
//      while (walk.next(more, ctx) == errc::ok && more)
//          walk.at(1).value(0) ...
//
// JSON is checked as json::projector checks a document, once and as a whole. So all that is walked here is valid, and
// elements are compared with the form of those before them (element_forms.hpp). Elements of a binary document are
// found by headers.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/context.hpp"
#include "engine/core/opening.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/given.hpp"
#include "engine/json/project.hpp"
#include "extract/binary.hpp"
#include "extract/element_forms.hpp"
#include "extract/row_plan.hpp"
#include "extract/row_position.hpp"

namespace kumihimo::inline v0::extract {

class row_walk {
public:
    /// One level's element at hand.
    class element {
    public:
        /// False for what is lacking behind an array that has no element, where rows are `outer`.
        bool there() const noexcept { return there_; }
        /// Its bytes begin here in the document. Of the document itself: 0.
        std::size_t begin() const noexcept { return begin_; }
        std::size_t size() const noexcept { return size_; }
        /// Changes with every element.
        std::uint64_t serial() const noexcept { return serial_; }
        /// Of a member of an object: its key, encoded, in the document.
        json::slice key() const noexcept { return key_; }
        /// Of a path without [*]: its bytes in the document; length 0 when absent.
        json::slice value(std::size_t path) const noexcept { return found_[path]; }
        /// Of a path with [*].
        std::span<const json::slice> values(std::size_t path) const noexcept {
            return values_ ? values_->values(path) : projector_ ? projector_->values(path) : walked_.slices(path);
        }
        /// Of a binary document: gives the values, whose slices count in the element.
        value_projector* projector() const noexcept { return values_.get(); }
        /// The path that met a value it does not lead into, or json::nowhere.
        std::uint32_t blocked() const noexcept { return blocked_; }

    private:
        friend class row_walk;
        bool there_ = false;
        std::size_t begin_ = 0, size_ = 0;
        json::slice key_;
        std::uint64_t serial_ = 0;
        std::uint32_t blocked_ = json::nowhere;
        std::vector<json::slice> found_;
        std::optional<json::projector> projector_;  // of the document
        json::harvest walked_;
        std::optional<element_forms> forms_;
        std::unique_ptr<value_projector> values_;  // of a binary format

        // The array in it whose elements are the next level's.
        bool array_ = false;         // it is under way
        std::size_t at_ = 0;         // the next element
        std::size_t array_end_ = 0;  // binary: no byte of it lies behind
        std::uint64_t next_ = 0;     // elements that lie behind
        opening of_;                 // binary: what is to come
    };

    row_walk(std::shared_ptr<const row_plan> plan, json::level level);
    const std::shared_ptr<const row_plan>& plan() const noexcept { return plan_; }

    /// Looks at a document; the bytes have to stay until it is done. Fails as json::projector::run.
    errc open(bytes document, context& ctx);
    /// The same for a document of a binary format that has a projector. Also after a failure document_size() says
    /// where it ends.
    errc open(const binary_format& as, bytes input, json::given what, context& ctx);
    std::size_t document_size() const noexcept { return document_.size(); }
    bytes document() const noexcept { return document_; }
    /// Its format; nullptr: JSON.
    const binary_format* binary() const noexcept { return binary_; }
    bool is_open() const noexcept { return open_; }
    void close() noexcept { open_ = false; }

    /// To the next row; `more` is false behind the last one, and then the document is closed.
    errc next(bool& more, context& ctx);
    /// Several rows at once: how many of those that next() would give have elements of known forms, and are looked at
    /// already; at most `most`, and often none. Then their values are there, and pass() goes behind as many of them as
    /// are wanted, in one array, whose elements stand around all of them.
    std::size_t look_ahead(std::size_t most);
    /// Of a path of the last level and the i-th of them; length 0 when absent.
    std::string_view ahead(std::size_t path, std::size_t i) const noexcept {
        const json::element_value v = ahead_values_[path * json::element_run::most + i];
        return {ahead_.base + v.from, v.length};
    }
    void pass(std::size_t rows) noexcept;

    /// What is left in an element of this level is passed over; 0: of the document.
    void leave(std::size_t level) noexcept;

    /// The elements around the row at hand, and its own: the last level's.
    const element& at(std::size_t level) const noexcept { return levels_[level]; }
    /// Their numbers, by level from 1 on.
    std::span<const std::uint64_t> elements() const noexcept {
        std::size_t n = 0;
        while (n + 1 < levels_.size() && levels_[n + 1].there_) ++n;
        return {numbers_.data(), n};
    }
    /// The key of a level's element as JSON; empty where it is no member of an object.
    errc key(std::size_t level, std::string& json, context& ctx) const;
    /// "$.a[3].b[1]" or "$.pairs.btc": where a level's element is. Level 0 is "$".
    std::string where(std::size_t level) const;
    /// The number of the row at hand among those of its document.
    std::uint64_t row() const noexcept { return rows_ - 1; }
    /// How often since the last question something else, and not null, stood where an array was looked for.
    std::uint64_t take_astray() noexcept { return std::exchange(astray_, 0); }

    /// Where next() stands, and to go on from there in the same document, which was just opened.
    row_position place() const noexcept;
    errc resume(const row_position& from, context& ctx);

private:
    static constexpr std::size_t none = row_position::no_array;

    bool open_array(std::size_t level);
    bool pass_key(element& in, element& e, context& ctx);
    errc element_of(std::size_t level, bool& more, context& ctx);
    errc binary_element(element& in, element& e, context& ctx);
    void json_element(element& in, element& e, std::size_t level);

    std::shared_ptr<const row_plan> plan_;
    json::level level_;
    const binary_format* binary_ = nullptr;
    std::vector<element> levels_;
    bytes document_;
    bool open_ = false;
    bool hole_ = false;         // the document itself has no element, and that is a row
    std::size_t depth_ = none;  // the innermost level whose array is under way
    std::uint64_t astray_ = 0, serial_ = 0;
    std::uint64_t rows_ = 0;  // that next() gave
    std::array<std::uint64_t, row_position::most> numbers_{};
    std::unique_ptr<value_projector> keys_;  // of a binary format

    json::element_run ahead_{};  // what look_ahead() found
    std::vector<json::element_value> ahead_values_;
    std::vector<std::uint32_t> ahead_begins_;
};

}  // namespace kumihimo::inline v0::extract
