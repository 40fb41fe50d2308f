// Runs tests/engine/abi.c. The build compiles that file as C, where it can; the header must be C, not only look like
// it.
#include <doctest/doctest.h>

extern "C" {
int abi_reads_and_looks(void);
int abi_writes_its_own_tape(void);
int abi_reports_errors(void);
int abi_lists_formats(void);
int abi_respects_struct_size(void);
int abi_packs_and_unpacks(void);
int abi_converts(void);
int abi_follows_paths(void);
int abi_reads_parts(void);
int abi_finds_ends(void);
}

// 0, or the line of abi.c that was not as expected.
TEST_CASE("reads, looks, writes, reads again") { CHECK(abi_reads_and_looks() == 0); }
TEST_CASE("writes a tape made by the caller") { CHECK(abi_writes_its_own_tape() == 0); }
TEST_CASE("reports errors") { CHECK(abi_reports_errors() == 0); }
TEST_CASE("lists formats and dialects") { CHECK(abi_lists_formats() == 0); }
TEST_CASE("fills no more of a struct than the caller knows") { CHECK(abi_respects_struct_size() == 0); }
TEST_CASE("packs and unpacks") { CHECK(abi_packs_and_unpacks() == 0); }
TEST_CASE("converts every format") { CHECK(abi_converts() == 0); }
TEST_CASE("follows paths") { CHECK(abi_follows_paths() == 0); }
TEST_CASE("reads parts of documents") { CHECK(abi_reads_parts() == 0); }
TEST_CASE("finds where the documents of a stream end") { CHECK(abi_finds_ends() == 0); }
