// What the tests of conditions share: compiling one, and what it says of a document.
#pragma once
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>

#include "extract/condition.hpp"
#include "extract/judge.hpp"
#include "rows.hpp"

namespace judged {

using namespace kumihimo;
using namespace kumihimo::extract;
using rows::as_bytes;

inline std::shared_ptr<const condition> compiled(std::string_view text) {
    std::shared_ptr<const condition> c;
    std::string why;
    const errc e = condition::compile(text, c, why);
    INFO(text << "\n" << why);
    REQUIRE(e == errc::ok);
    return c;
}

// "yes", "no", or the sentence about the document with its place.
inline std::string said(std::string_view text, std::string_view document) {
    judge j(compiled(text), json::level::strict);
    context ctx;
    REQUIRE(j.look(as_bytes(document), ctx) == errc::ok);
    bool holds = false;
    if (j.decide(holds, ctx) == errc::ok) {
        CHECK(j.explanation().empty());
        return holds ? "yes" : "no";
    }
    CHECK_FALSE(holds);
    return std::string(name(ctx.failure.code)) + " at " + std::to_string(ctx.failure.offset) + ", " + ctx.failure.path + ": " +
           j.explanation();
}

inline std::string refusal(std::string_view text) {
    std::shared_ptr<const condition> c;
    std::string why;
    INFO(text);
    CHECK(condition::compile(text, c, why) == errc::misuse);
    CHECK_FALSE(c);
    return why;
}

inline constexpr const char* document =
    R"({"n":5,"big":9007199254740993,"t":"jpy","e":"\u006apy","empty":"","yes":true,"no":false,"nil":null,)"
    R"("o":{"x":-1.5,"a.b":1,"and":2},"list":[1,2,null],"trades":[{"p":10,"s":"a"},{"p":20},{"p":null}],"none":[],"z":"日本",)"
    R"("deep":[{"l":[1,2]},{"l":[]},{"l":[3]}],"é":1,"a-b":1,"q":"5.00","quotes":[{"p":"1.5"},{"p":3}]})";

}  // namespace judged
