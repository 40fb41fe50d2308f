// Going on where another run stood: between two tasks, whose rows are all handed out.
//
//      in the order of the inputs    | task | task | task |   task | task | ...
//                 of one run         |                    ^
//                 of two             | the first one's    | resume_point: the second one's
//
// Tasks are cut in the same way whatever the number of threads (cut.hpp), so a point is an input and how many tasks of
// it lie behind; the rest is what the run has counted until there. The host keeps it as a text, the token, and makes
// sure that the inputs and what is asked for are still the same: of that the token knows nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/errc.hpp"
#include "extract/column.hpp"
#include "extract/schema.hpp"
#include "extract/task.hpp"

namespace kumihimo::inline v0::extract {

struct row_path;

/// What a run notices on its way, and says at its end: how often, and the first of them.
struct noticed {
    std::uint64_t count = 0;
    std::string first;
};

struct resume_point {
    cut_place at;
    std::uint64_t lines = 0;       // of the text at hand, whose pieces are being delivered
    std::uint64_t of_archive = 0;  // rows of the input at hand
    std::uint64_t bytes = 0, documents = 0, rows = 0, bad = 0, members = 0;
    noticed kept_rest, blocked, astray, no_array;
};

/// All that a token says.
struct resume_state {
    resume_point point;
    // The columns where they are not those that the sample gives: they were widened, or fixed. Then the notes so far,
    // too.
    bool has_columns = false;
    std::vector<column_spec> fields;
    beyond others = beyond::ignored;
    std::vector<std::string> notes;
};

/// As a text of digits and small letters, so that it can stand in any quotes.
std::string write_token(const resume_state& state);
/// False when that is no token, or one of another version of it.
bool read_token(std::string_view token, resume_state& out);

/// The schema that the token's columns make. `sampled`: that of the sample, which knows the rules of zones. On
/// errc::misuse `why` says what is wrong.
errc restore_columns(const resume_state& state, const schema& sampled, bool provenance, const row_path* rows,
                     std::shared_ptr<const schema>& out, std::string& why);

}  // namespace kumihimo::inline v0::extract
