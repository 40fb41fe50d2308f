// Rows on their way out: documents become values of columns in one pass, and a whole batch is handed on at once.
//
// One worker fills a batch, then it travels: to a text writer (csv.hpp, ndjson.hpp) or to Arrow (arrow.hpp, which
// takes the memory). clear() keeps the memory for the next rows, so a run allocates while it warms up and not per row.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/given.hpp"
#include "engine/json/project.hpp"
#include "extract/column.hpp"
#include "extract/origin.hpp"
#include "extract/remainder.hpp"
#include "extract/schema.hpp"

namespace kumihimo::inline v0::extract {

struct binary_format;
class row_walk;
class value_projector;

class batch {
public:
    batch(std::shared_ptr<const schema> of, json::level level);
    ~batch();
    batch(batch&&) noexcept;
    batch& operator=(batch&&) noexcept;

    /// One document becomes one row. On an error nothing was added, and the context says why: for a document that is
    /// not valid as json::projector says it; for a value its column cannot hold errc::type (another kind), errc::range
    /// (does not fit) or errc::syntax (text that is not what the column reads), with the path and the value's offset
    /// in the document. failure.what then belongs to the schema and lives as long as it.
    errc append(bytes document, const origin& from, context& ctx);
    /// The same for a document of a binary format that has a projector: `input` is one, or begins with one. Only where
    /// nobody asks for what has no column (beyond::ignored). Also after a failure document_size() says where the
    /// document ends.
    errc append(const binary_format& as, bytes input, json::given what, const origin& from, context& ctx);
    std::size_t document_size() const noexcept { return document_size_; }
    /// The same for the row at hand of a walk (schema::rows()), whose document is open. Of a failure the line is not
    /// known. What elements around it gave is taken over from the row before where they are the same.
    errc append(const row_walk& walk, const origin& from, context& ctx);
    /// Of the rows that the walk has ahead (row_walk::look_ahead) the first ones that are as any: their number, at
    /// most `most`, of which the walk is behind then. 0: the next row has to be appended alone, and errors are found
    /// there.
    std::size_t append_ahead(row_walk& walk, std::uint64_t most, context& ctx);
    /// After that failed: the level whose element's value it was, which may be one around the row's.
    std::size_t failed_level() const noexcept { return failed_level_; }
    /// Nothing is taken over from the rows before: they are another walk's.
    void renew() noexcept;
    /// The document could not even be read: what the last append() said is forgotten.
    void unread() noexcept {
        failed_ = none;
        failed_input_ = none;
        unplaced_ = kept_rest_ = false;
    }
    /// A row of nulls, with its provenance: a bad record under --on-error null.
    errc append_null(const origin& from, context& ctx);

    std::size_t rows() const noexcept { return rows_; }
    /// Takes the row back that was added last.
    void drop_last() noexcept {
        --rows_;
        renew();
    }
    /// Of all rows only these, which are in order.
    void retain(std::span<const std::uint32_t> rows) noexcept {
        for (column& c : columns_) c.retain(rows);
        rows_ = rows.size();
    }
    /// Text and fixed bytes in the rows: what to bound a batch by.
    std::size_t bytes_used() const noexcept;
    /// Of that, what every row takes, whatever is in it.
    std::size_t row_size() const noexcept { return row_size_; }
    /// Memory held, used or not.
    std::size_t capacity() const noexcept;
    /// No rows; the memory is kept, except what giant values left behind: see keep and keep_all.
    void clear() noexcept;
    static constexpr std::size_t keep = std::size_t{4} << 20;       // bytes of one column that clear() keeps
    static constexpr std::size_t keep_all = std::size_t{32} << 20;  // and of all

    const schema& of() const noexcept { return *schema_; }
    const column& at(std::size_t i) const noexcept { return columns_[i]; }
    column& at(std::size_t i) noexcept { return columns_[i]; }

    /// After append() failed on a value: which column, else `none`.
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t failed_column() const noexcept { return failed_; }
    /// After append() failed on JSON that was made of another document: where the failure is in that one, whose reader
    /// may know (failure::nowhere, if not).
    static void moved_to(std::size_t offset, context& ctx) noexcept {
        ctx.failure.line = ctx.failure.column = 0;
        ctx.failure.offset = offset;
    }
    /// Whether that column's type was only inferred. Then the document is not bad, the guess was: do the run again
    /// with of().with(failed_column(), becomes()), and tell the user disagreement().
    bool disagreed() const noexcept {
        return failed_ != none && failed_input_ == none && schema_->columns()[failed_].inferred && !other_kind_;
    }
    const column_spec& becomes() const noexcept { return becomes_; }
    /// After append() failed under beyond::told: the document has something that no column holds.
    bool unplaced() const noexcept { return unplaced_; }
    /// After append() under beyond::kept: whether the row's `rest` has something.
    bool kept_rest() const noexcept { return kept_rest_; }
    /// After append(): a field whose path does not lead into what stands in the document (p.x, where p is 5), else
    /// `none`. Its value is null; where all of the document is wanted that is no loss.
    std::size_t blocked() const noexcept;
    /// These rows under a schema with the same fields, which may have a column `rest` behind them.
    errc adopt(std::shared_ptr<const schema> wider);
    /// `column "price" was taken for int64, but holds 1.5; it becomes float64`
    std::string disagreement() const;
    /// The failure as one sentence with the column and the beginning of the value: `column "price" takes a number
    /// (float64), but here is "n/a"`. Empty when the last append() did not fail on a value.
    std::string explanation() const;

private:
    struct scratch;
    // Where a value goes: row `row` of a column, which is that of a field or one inside of it.
    struct slot {
        const column_spec* spec = nullptr;
        column* to = nullptr;
        std::size_t row = 0;
        std::size_t field = 0;
    };
    class filler;
    slot slot_of(std::size_t field) noexcept { return {&schema_->columns()[field], &columns_[field], rows_, field}; }
    bool is_field(const slot& at) const noexcept { return at.spec == &schema_->columns()[at.field]; }
    errc convert(const slot& at, std::string_view value, bytes document, context& ctx);
    errc convert_time(const slot& at, std::string_view value, bytes document, context& ctx);
    errc convert_nested(const slot& at, std::string_view value, bytes document, context& ctx);
    errc convert_list(std::size_t i, context& ctx, bytes document);
    errc put_joined(std::size_t i, std::span<const json::slice> all, bytes document, context& ctx);
    template <class Put>
    errc put_elements(std::size_t i, std::size_t n, context& ctx, Put put);
    void name_element(std::size_t i, std::size_t element, context& ctx);
    void guess_again(std::size_t i, std::span<const std::string_view> values, bool elements);
    value_projector& values_of(const binary_format& as, bool lists);
    errc put_value(const slot& at, value_projector& found, json::slice value, context& ctx);
    errc join(std::size_t i, std::span<const json::slice> all, value_projector& found, context& ctx, std::string_view& text);
    errc put_list(std::size_t i, value_projector& found, std::size_t path, context& ctx);
    errc put_level(const row_walk& walk, std::size_t level, context& ctx);
    errc put_field(const row_walk& walk, std::size_t level, std::size_t field, context& ctx);
    std::size_t put_ahead(const row_walk& walk, std::size_t path, std::size_t i, std::size_t n, context& ctx);
    bool has_list(std::size_t i, const binary_format& as, bytes document, context& ctx);
    bool has_list(const row_walk& walk, std::size_t level, std::size_t path, context& ctx);
    errc place_failure(const row_walk& walk, std::size_t level, std::size_t offset, context& ctx);
    errc place_failure(std::size_t field, std::size_t offset, context& ctx);
    std::size_t failed_input() const noexcept { return failed_input_ == none ? 0 : failed_input_; }
    errc render(value_projector& found, json::slice value, std::string& to, context& ctx);
    errc put_calculated(std::size_t k, std::size_t i, context& ctx);
    errc put_made(bytes document, context& ctx);
    errc put_made(value_projector& found, context& ctx);
    errc put_made(const row_walk& walk, context& ctx);
    errc put_text(const slot& at, std::string_view text, context& ctx);
    errc put_provenance(const origin& from, context& ctx);
    errc put_rest(bytes document, context& ctx);
    errc put_null_rest(context& ctx);
    errc refuse(errc code, const slot& at, std::string_view value, bytes document, context& ctx);
    errc refuse_member(std::size_t i, std::string_view key, bytes document, context& ctx);
    errc place_of_refusal(errc code, std::size_t i, const char* wanted, std::string_view value, bytes document, context& ctx);
    void show(std::string_view value);
    static errc full(context& ctx);
    static std::string repaired(std::string_view name);
    bool unquoted(std::string_view value, std::string_view& out);

    std::shared_ptr<const schema> schema_;
    std::vector<column> columns_;
    std::unique_ptr<scratch> scratch_;
    std::size_t rows_ = 0, row_size_ = 0;
    std::size_t failed_ = none, failed_level_ = 0, document_size_ = 0;
    std::size_t failed_input_ = none;  // of a column that could not be calculated
    std::uint32_t blocked_ = json::nowhere;
    std::size_t ahead_ = 1;                   // rows to look at ahead: fewer where some of them came to nothing
    std::size_t alone_ = 0, last_alone_ = 0;  // rows to append alone first, and how many they were the last time
    bool unplaced_ = false, kept_rest_ = false;
    bool other_kind_ = false;  // of the value that failed: not of the kind that the user asked for, whatever the guess
    const char* wanted_ = "";  // what the column, or what is in it, takes
    column_spec becomes_;
    std::string sample_;  // the beginning of the value that failed
    json::level level_;
};

}  // namespace kumihimo::inline v0::extract
