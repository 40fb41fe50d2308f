// doctest's own part and its main: compiled once, as it takes longer than most tests, and linked by every test
// program.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
