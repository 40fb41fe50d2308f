// Guessing what nobody said: the columns' types, and the columns themselves when no field was named, from the first documents.
//
// What was seen in a column is a set of kinds (`evidence`); decide() makes the narrowest type of it that keeps everything:
//
//      only integers                        int64; decimal when one needs more than 64 bits
//      integers and fractions               float64; decimal when a double would change a digit (above 2^53, 17 digits, 1e308)
//      only true and false                  bool
//      only texts                           timestamp when each is a full date and time, all of them with a zone or all without
//                                           (those stay without one), else string
//      arrays, objects, a mixture           json: the text as it is
//      nothing but null                     json
//
// The same function widens a column whose guess met a value it cannot hold, so a run that is done again ends.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/json/project.hpp"
#include "extract/schema.hpp"

namespace kumihimo::inline v0::extract {

/// Kinds of values seen, one bit each.
enum class evidence : std::uint16_t {
    none = 0,
    integer = 1,         // fits int64, and a double holds it exactly
    wide_integer = 2,    // fits int64, a double would change it
    huge_integer = 4,    // does not fit int64
    fraction = 8,        // has a point, an exponent or is -0, and a double says what the digits say
    long_fraction = 16,  // a double would change it: more than 17 significant digits, or out of range
    boolean = 32,
    text = 64,         // anything that is not one of the next
    time = 128,        // a date and time with its zone
    time_fine = 256,   // the same with digits below the microsecond, years 1677 to 2262
    naive_time = 512,  // a date and time without a zone
    naive_time_fine = 1024,
    container = 2048,
};
constexpr evidence operator|(evidence a, evidence b) noexcept {
    return static_cast<evidence>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// What one JSON value (its exact bytes, valid) is. null is none.
evidence evidence_of(std::string_view value) noexcept;
/// What values an inferred column can hold, so that evidence_in(spec) | evidence_of(value) decides what it becomes.
evidence evidence_in(const column_spec& spec) noexcept;
/// Sets type, nanoseconds, naive and inferred.
void decide(evidence seen, column_spec& spec) noexcept;

class inference {
public:
    /// `fields` as given by the user; those whose type is `infer` are guessed. Empty: every scalar at the top level and below,
    /// in the order first seen, under dotted names; arrays, and objects without members, as json.
    inference(std::vector<column_spec> fields, bool provenance, json::level level);
    ~inference();
    inference(const inference&) = delete;
    inference& operator=(const inference&) = delete;

    /// Whether there is anything to guess. If not, finish() may be called at once.
    bool needed() const noexcept;
    /// Looks at one document. A document that is not valid changes nothing; the caller counts it as it counts bad records.
    errc observe(bytes document, context& ctx);
    std::size_t documents() const noexcept;
    errc finish(std::shared_ptr<const schema>& out, std::string& why);
    /// What finish() decided, one sentence a column, for standard error: `price: float64 (seen in 100 of 100 documents)`.
    const std::vector<std::string>& notes() const noexcept;

    /// More columns than this are refused, with advice to name the fields: a map keyed by ids would make one for each.
    static constexpr std::size_t most_columns = 4096;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace kumihimo::inline v0::extract
