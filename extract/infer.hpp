// Guessing what nobody said: the columns' types, and the columns themselves when no field was named, from the first
// documents.
//
// What was seen in a column is `evidence`; decide() makes the narrowest type of it that keeps everything:
//
//      only integers                   int64; decimal when one needs more than 64 bits
//      integers and fractions          float64; decimal when a double would change a number: an integer above 2^53 that is not
//                                      a double, more than 17 significant digits, beyond 1.8e308
//      only true and false             bool
//      only texts                      timestamp when each is a full date and time, all written the same way; else string
//      arrays, objects, a mixture      json: the text as it is; with nested types list[...] where all are arrays, struct[...]
//      where
//                                      all are objects with the members that were seen, the same way inside of them
//      nothing but null                json, until the first value decides
//
// The same function widens a column whose guess met a value that it cannot hold, so a run that is done again ends.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/project.hpp"
#include "extract/row_plan.hpp"
#include "extract/schema.hpp"

namespace kumihimo::inline v0::extract {

class evidence {
public:
    enum kind : std::uint16_t {
        integer = 1,         // fits int64, and a double holds it exactly
        wide_integer = 2,    // fits int64, a double would change it
        huge_integer = 4,    // does not fit int64
        fraction = 8,        // has a point, an exponent, or is -0
        long_fraction = 16,  // the same, and a double would change it
        boolean = 32,
        text = 64,  // any text that is not a time of one shape with all others
        time = 128,
        container = 256,
        anything = 512,  // whatever only json holds
    };

    evidence();
    evidence(const evidence&);
    evidence(evidence&&) noexcept;
    evidence& operator=(evidence) noexcept;
    ~evidence();

    /// One JSON value, its exact and valid bytes; null and absence tell nothing. `nested`: also of what is in it.
    void value(std::string_view json, bool nested = false);
    /// The same for a list, by its elements.
    void list();
    void element(std::string_view json);
    /// The same for a document that is one of many; `number` is another one for each. All of its members are seen.
    void document(std::string_view json, std::uint64_t number);
    void number(std::string_view lexeme) noexcept;
    void string(std::string_view unescaped) noexcept;
    void whole(std::int64_t n) noexcept {
        const bool exact = n >= -(std::int64_t{1} << 53) && n <= (std::int64_t{1} << 53);
        add(exact || static_cast<__int128>(static_cast<double>(n)) == n ? integer : wide_integer);
    }
    void add(kind k) noexcept { kinds_ |= k; }
    /// What other values have shown, wherever they stood.
    void unite(const evidence& other) noexcept;
    /// Everything that a column of this (inferred) type can hold.
    void column(const column_spec& spec) noexcept;

    bool none() const noexcept { return kinds_ == 0; }
    bool shows(unsigned kinds) const noexcept { return (kinds_ & kinds) != 0; }
    /// Of texts that are all times.
    const time_shape& shape() const noexcept { return shape_; }
    /// "numbers, text": what a column of mixed values has seen.
    std::string summary() const;
    /// Sets type, inferred, and for times shape, naive, nanoseconds and in_zone.
    /// Where `spec.nested`, also its members.
    void decide(column_spec& spec) const;

    // What was seen in objects.
    struct member;
    bool only_objects() const noexcept;  // and one of them had a member
    std::span<const member> members() const noexcept;
    /// More places than anyone names: json then, and columns are not made of them.
    bool overflow() const noexcept;

private:
    struct inside;
    class growth;
    inside& open();
    void look_inside(std::string_view json);
    void column_inside(const column_spec& spec);
    bool decide_inside(column_spec& spec) const;

    std::uint16_t kinds_ = 0;
    time_shape shape_;
    std::unique_ptr<inside> inside_;
};

struct evidence::member {
    std::string key;
    evidence seen;
    std::uint64_t present = 0;  // in so many documents it had a value
    std::uint64_t counted = 0;  // the last of them
};

/// How text is written from columns: they hold the fields' text for CSV, the JSON values for NDJSON.
enum class layout_of_text : std::uint8_t { none, csv, ndjson };

class judge;

class inference {
public:
    /// `fields` as given by the user: those whose type is `infer` are guessed, and of `timestamp` without a zone
    /// whether their texts have one. Empty: every value at the top level and below in objects, in the order first
    /// seen, under dotted names; arrays, and objects without members, as json. `rows`: the elements of these arrays
    /// are looked at, and not the documents.
    inference(std::vector<column_spec> fields, bool provenance, json::level level, std::optional<row_path> rows = {});
    ~inference();
    inference(const inference&) = delete;
    inference& operator=(const inference&) = delete;

    /// Whether there is anything to guess. If not, finish() may be called at once.
    bool needed() const noexcept;
    /// Looks at one document. One that is not valid changes nothing; the caller counts it as it counts bad records.
    /// `by`, of a condition over rows: only rows for which it holds are seen.
    errc observe(bytes document, context& ctx, judge* by = nullptr);
    /// Whether the last document that was observed had a row that was seen.
    bool took_rows() const noexcept;
    std::size_t documents() const noexcept;
    /// Whether what several have seen can be put together: not of what is in lists and structs.
    bool unites() const noexcept;
    /// One that is asked the same and has seen nothing; and that what one has seen came behind all that this one has:
    /// then this one is as if it had seen it itself.
    std::unique_ptr<inference> another() const;
    void unite(const inference& later);
    /// A document of so many bytes has no rows, so it says nothing of the columns: only the time counts that it took.
    void pass_over(std::size_t bytes) noexcept;
    /// Rows go out as `form`: columns whose type was not given keep what stands in the documents
    /// (column_spec::verbatim). Then their types are guessed only if the user is to see them: with `types`, and when
    /// the columns themselves are found. Before anything else.
    void as_text(layout_of_text form, bool types) noexcept;
    /// Arrays and objects are guessed as lists and structs, and columns are the documents' members, whatever is in
    /// them. Before anything else.
    void nest() noexcept;
    /// Whether a guess may be a list or a struct. Then more documents may be shown to it, and finish() be called
    /// again.
    bool nests() const noexcept;
    /// Enough was seen for any sample: nothing is left to be asked, or the documents have so many bytes that more of
    /// them would only take time and memory.
    bool sated() const noexcept;
    /// Whether a document that the sample had to pass over may be good to a run at this level.
    bool unsure() const noexcept;
    /// What observe() looks at, where the columns are not found in the documents; nullptr: at all of them.
    const json::plan* paths() const noexcept;
    /// Whether the columns themselves are found in the documents.
    bool discovers() const noexcept;
    /// errc::misuse with advice in `why`, as schema::make, and when there is nothing to make columns of. `others`:
    /// what is to become of what a later document has beyond these columns; for columns that the user named it is
    /// passed over. Where columns are found in the documents, or nests(), it may be called again after more were
    /// observed.
    errc finish(std::shared_ptr<const schema>& out, std::string& why, beyond others = beyond::ignored);
    /// From now on any value goes into the column of this path: more evidence was of no help.
    void give_up(std::string_view path);
    /// What finish() decided, one sentence per guessed column, to be shown to the user.
    const std::vector<std::string>& notes() const noexcept;

    /// More columns than this are refused, with advice to name the fields: a map keyed by ids would make one for each.
    static constexpr std::size_t most_columns = 4096;
    /// Bytes of documents that are a large enough sample, however few they are.
    static constexpr std::uint64_t most_bytes = std::uint64_t{32} << 20;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace kumihimo::inline v0::extract
