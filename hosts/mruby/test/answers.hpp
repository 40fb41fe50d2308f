// Expressions and what `p` prints of them, or the exception's "Class: message": for the tests of the library.
#pragma once
#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

#include "scripts.hpp"

namespace kumihimo::inline v0::mruby::test {

struct answer {
    const char* code;
    const char* printed;
};

inline std::string answered(vm& in, const std::string& code) {
    const result r = run(in, "begin\np((" + code + "))\nrescue Exception => e\nputs e.class.to_s + ': ' + e.message\nend");
    std::string out = r.end ? r.out : r.end.message;
    if (!out.empty() && out.back() == '\n') out.pop_back();
    return out;
}

inline void check(vm& in, std::initializer_list<answer> all) {
    for (const answer& a : all) {
        INFO(a.code);
        CHECK(answered(in, a.code) == a.printed);
    }
}

}  // namespace kumihimo::inline v0::mruby::test
