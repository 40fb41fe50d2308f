// What a run extracts: the columns, in order, and the paths compiled once for all threads. Immutable.
//
//      -f [NAME=]PATH[:TYPE]          last_price.price
//                                     price=last_price.price:float64
//                                     at=timestamp:timestamp[Asia/Tokyo]
//                                     "a.b".c:string             a key that has . = : or [ in it is quoted
//                                     prices=trades[*].price     every one of them, as json text
//                                     prices=trades[*].price:list[float64]
//                                     id=/order/0/id:int64       JSON Pointer
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/errc.hpp"
#include "engine/json/path.hpp"
#include "extract/column.hpp"
#include "extract/made_column.hpp"

namespace kumihimo::inline v0::json {
class projection;
}

namespace kumihimo::inline v0::extract {

struct row_path;
struct row_plan;

/// Reads one field in the command line's syntax. On errc::misuse `why` says what is wrong and what to write instead.
/// A zone that needs a database is left in `zone_name` for the caller to look up; fixed zones ("UTC", "+09:00") are
/// filled in.
errc parse_field(std::string_view text, column_spec& out, std::string& why);
/// Where the := of a field NAME := EXPRESSION stands; npos: it is another one.
std::size_t sign_of_calculation(std::string_view field) noexcept;
/// Reads only a TYPE: "decimal(18,8)", "timestamp[ns,Asia/Tokyo]", "list[struct[a:int64]]". "list" and "struct" alone
/// leave what is in them to a guess.
errc parse_type(std::string_view text, column_spec& out, std::string& why);

/// The path of a field. On errc::misuse `why` says what is wrong with it.
errc read_path(std::string_view text, column_spec& out, json::path& steps, std::string& why);

/// `text` from byte `from` on is the expression of a column, of which the type may be known already. The same.
errc calculated_column(std::string_view text, std::size_t from, column_spec& out, std::string& why);

/// The header of a column that was given none: its path's names and steps without quotes; "value" for the whole
/// document, "key" for a row's own key.
std::string default_name(const json::path& path);

/// What becomes of the parts of a document that no column holds.
enum class beyond : std::uint8_t {
    ignored,  // the user named the fields that are wanted
    told,     // there should be none: batch::append fails and says so, so that columns can be added
    kept,     // they go to one more column, `rest`, as JSON
};

class schema {
public:
    /// Checks and compiles. Every type must be decided (no `infer`), every zone looked up, no name used twice.
    /// With `provenance`, three columns follow the fields: archive, entry (string) and offset (int64); a field that
    /// has one of these names already makes them source_archive, source_entry, source_offset. With beyond::kept a
    /// column `rest` (or rest_2, rest_3 ... where there is one) comes last. `rows`: the elements of these arrays are
    /// the rows, and not the documents. Then provenance has a column `element` (of arrays in arrays element_1,
    /// element_2 ...), and with others than beyond::ignored all fields are of the row's element.
    static errc make(std::vector<column_spec> fields, bool provenance, std::shared_ptr<const schema>& out, std::string& why,
                     beyond others = beyond::ignored, const row_path* rows = nullptr);

    /// All columns: fields() from the document, then provenance, then rest.
    std::span<const column_spec> columns() const noexcept { return columns_; }
    std::size_t fields() const noexcept { return fields_; }
    bool provenance() const noexcept { return provenance_; }
    /// How many columns are of the provenance.
    std::size_t sources() const noexcept { return sources_; }
    beyond others() const noexcept { return others_; }
    /// From the document, or with rows() from the element of the field's level. Path i is that of field i; behind the
    /// fields lie further paths of made().
    const json::projection& paths() const noexcept { return *paths_; }
    /// The fields that are calculated, in order; with rows() the plan has them.
    std::span<const made_column> made() const noexcept { return made_; }
    /// Where rows are elements of arrays; else null.
    const std::shared_ptr<const row_plan>& rows() const noexcept { return rows_; }
    /// What is looked at in a document of which not all is wanted.
    const json::projection& of_document() const noexcept;
    /// The arrays that the first [*] of each field walks, by field; any value for fields without [*]. Null when no
    /// field has one.
    const json::projection* lists() const noexcept { return lists_.get(); }

    /// What a column wants, as the errors say it. Lives as long as the schema.
    const char* wants(std::size_t column) const noexcept { return wants_[column].c_str(); }
    /// The same for what is in a column: one of its members, or theirs.
    const char* wants(const column_spec& inside) const noexcept;
    /// The field's path as reports print it: $.last_price.price, with rows() from the element of its level
    const std::string& where(std::size_t field) const noexcept { return where_[field]; }
    /// The same schema, but for one field (see batch::disagreement).
    errc with(std::size_t field, const column_spec& becomes, std::shared_ptr<const schema>& out, std::string& why) const;
    /// The same columns for rows whose schema was handed out and stays: a column that had no value yet takes any, as
    /// json; what has no column goes to `rest`, if all of a document is wanted.
    errc fixed(std::shared_ptr<const schema>& out, std::string& why) const;
    /// Whether both have the same columns of the same types.
    bool same(const schema& other) const noexcept;

private:
    schema() = default;
    void say_wants(const column_spec& c, const std::string& name);
    std::vector<column_spec> columns_;
    std::vector<std::string> wants_, where_;
    std::unordered_map<const column_spec*, std::string> wants_inside_;
    std::vector<made_column> made_;
    std::size_t fields_ = 0, sources_ = 0;
    bool provenance_ = false;
    beyond others_ = beyond::ignored;
    std::shared_ptr<const json::projection> paths_, lists_;
    std::shared_ptr<const row_plan> rows_;
};

}  // namespace kumihimo::inline v0::extract
