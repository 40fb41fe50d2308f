// Runs tests/extract/abi.c, which is compiled as C: the header must be C, not only look like it.
#include <doctest/doctest.h>

#include <string>

#include "archives.hpp"

extern "C" {
int extracts_columns(const char* folder);
int extracts_text(const char* folder);
int goes_on_with_a_token(const char* folder);
int counts(const char* folder);
int reads_by_a_dialect(const char* folder);
int makes_rows_of_elements(const char* folder);
int gives_lists_and_structs(const char* folder);
int writes_documents(const char* folder);
int chooses_rows(const char* folder);
int refuses_descriptions(const char* folder);
int asks_for_zones(const char* folder);
int waits_for_pipes(const char* folder);
int starts_again_with_wider_types(const char* folder);
int streams(const char* folder);
int reports_what_ended_it(const char* folder);
int thins_series(const char* folder);
int makes_intervals(const char* folder);
int takes_names_that_are_no_text(const char* folder);
int stays_in_its_process(const char* folder);
int respects_struct_size(const char* folder);
int matches_paths(const char* folder);
int fetches_inputs(const char* folder);
int tells_the_last_failure(const char* folder);
}

namespace {

// 0, or the line of abi.c that was not as expected.
int in_folder(int (*step)(const char*)) {
    const archives::folder f;
    return step(f.path().c_str());
}

}  // namespace

TEST_CASE("columns as Arrow data, bad records, notes") { CHECK(in_folder(extracts_columns) == 0); }
TEST_CASE("CSV and NDJSON, quarantine") { CHECK(in_folder(extracts_text) == 0); }
TEST_CASE("going on with a token") { CHECK(in_folder(goes_on_with_a_token) == 0); }
TEST_CASE("counts and progress") { CHECK(in_folder(counts) == 0); }
TEST_CASE("a dialect of the documents' format") { CHECK(in_folder(reads_by_a_dialect) == 0); }
TEST_CASE("rows that are elements of arrays") { CHECK(in_folder(makes_rows_of_elements) == 0); }
TEST_CASE("lists and structs") { CHECK(in_folder(gives_lists_and_structs) == 0); }
TEST_CASE("documents in another format") { CHECK(in_folder(writes_documents) == 0); }
TEST_CASE("some of the rows") { CHECK(in_folder(chooses_rows) == 0); }
TEST_CASE("every mistake in a description has its sentence") { CHECK(in_folder(refuses_descriptions) == 0); }
TEST_CASE("zones come from the caller") { CHECK(in_folder(asks_for_zones) == 0); }
TEST_CASE("silent pipes, patience, cancelling") { CHECK(in_folder(waits_for_pipes) == 0); }
TEST_CASE("a guess that does not hold") { CHECK(in_folder(starts_again_with_wider_types) == 0); }
TEST_CASE("Arrow streams") { CHECK(in_folder(streams) == 0); }
TEST_CASE("what ended the run") { CHECK(in_folder(reports_what_ended_it) == 0); }
TEST_CASE("intervals of time, and candles for a chart") { CHECK(in_folder(makes_intervals) == 0); }
TEST_CASE("series for a chart") { CHECK(in_folder(thins_series) == 0); }
TEST_CASE("names of files in hex") { CHECK(in_folder(takes_names_that_are_no_text) == 0); }
TEST_CASE("a child of fork() is refused") { CHECK(in_folder(stays_in_its_process) == 0); }
TEST_CASE("fills no more of a struct than the caller knows") { CHECK(in_folder(respects_struct_size) == 0); }
TEST_CASE("the sentence is that of the last failure") { CHECK(in_folder(tells_the_last_failure) == 0); }
TEST_CASE("inputs that the host fetches") { CHECK(in_folder(fetches_inputs) == 0); }
TEST_CASE("patterns of paths") { CHECK(in_folder(matches_paths) == 0); }
