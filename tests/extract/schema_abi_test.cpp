// Runs tests/extract/schema_abi.c, which is compiled as C.
#include <doctest/doctest.h>

#include "archives.hpp"

extern "C" int finds_schemas(const char* folder);

TEST_CASE("schemas, and types out of all documents") {
    const archives::folder f;
    CHECK(finds_schemas(f.path().c_str()) == 0);
}
