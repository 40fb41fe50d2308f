// Elements of arrays by their form, whatever form that is: the walk is the judge.
#include "extract/element_forms.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/json/kernels.hpp"
#include "engine/json/project.hpp"
#include "engine/simd/dispatch.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

TEST_CASE("an element that has a known form has the values that the walk finds") {
    const std::vector<std::string> elements = {
        R"({"a": 1, "b": "x", "c": [1, {"d": 2}]})",
        R"({"a": 22.5, "b": "yy\"]}", "c": [1, {"d": [2, "}"]}]})",
        R"({"a": {"x": 1}, "b": null, "c": null})",
        R"({"a": {"x": [1]}, "b": {"y": {"z": 1}}, "c": []})",
        R"({"a": null, "b": 5, "c": [7]})",
        R"({"b": 5, "a": 1})",
        R"({"a": 1, "b": 5, "a": {"x": 3}})",
        R"({"a": {"x": 3}, "a": {}, "b": 1})",
        R"({"\u0061": {"x": 3}, "b": 1})",
        R"({})",
        R"([])",
        R"([1])",
        R"(5)",
        R"("text")",
        R"(null)",
        R"({ "a" : 1 , "b" : "x" , "c" : [ 1 ] })",
        R"({"a":-0.5e+10,"b":true})",
        R"({"a":)" + std::string(80, ' ') + R"(1,"b":2})",
        R"({")" + std::string(80, 'k') + R"(":1,"a":2})",
    };
    const std::vector<std::vector<std::string_view>> wants = {{"a", "b", "c"}, {"a.x", "b"},   {"a", "a.x"}, {"c[0]", "c[1].d"},
                                                              {"$"},           {"b.y.z", "a"}, {"zz"},       {}};
    for (const auto& paths : wants) {
        json::projection wanted;
        context ctx;
        REQUIRE(json::projection::compile(paths, wanted, ctx) == errc::ok);
        element_forms forms(wanted.plan());
        std::size_t matched = 0;
        // Each element behind each other one, so that each is met with the form of each; with and without room behind
        // it.
        for (std::size_t i = 0; i < elements.size(); ++i) {
            for (std::size_t j = 0; j < elements.size(); ++j) {
                const std::string text =
                    "[" + elements[i] + "," + elements[j] + "," + elements[j] + "]" + (j % 2 ? std::string(64, ' ') : "");
                const char* const end = text.data() + text.size();
                const char* p = text.data() + 1;
                for (int k = 0; k < 3; ++k) {
                    json::harvest walked;
                    walked.begin(wanted.plan(), text.data());
                    const char* const behind = json::walk(wanted.plan(), 0, p, end, 0, walked);
                    REQUIRE(behind != nullptr);
                    std::vector<json::slice> found(paths.size(), json::slice{1, 2}), want;
                    for (std::size_t n = 0; n < paths.size(); ++n) want.push_back(walked.slices(n)[0]);
                    if (const char* const met = forms.match(p, end, text.data(), found.data()); met != nullptr) {
                        ++matched;
                        CHECK(met == behind);
                        CHECK(walked.blocked() == json::nowhere);
                        CHECK((found == want));
                    } else {
                        forms.learn(p, behind, text.data(), want.data(), walked.blocked() != json::nowhere);
                    }
                    p = behind + 1;
                }
            }
        }
        CHECK(matched > 20);
    }
}

namespace {

/// Each element of the array in `text`, behind its '[', by the walk alone: where it is, and its values by path.
struct walked_element {
    std::size_t begin;
    std::vector<json::slice> found;
    bool blocked;
};

std::vector<walked_element> walk_all(const json::projection& wanted, std::string_view text, std::size_t at) {
    std::vector<walked_element> all;
    const char* const end = text.data() + text.size();
    for (const char* p = json::skip_space(text.data() + at, end); *p != ']';) {
        json::harvest h;
        h.begin(wanted.plan(), text.data());
        const char* const behind = json::walk(wanted.plan(), 0, p, end, 0, h);
        REQUIRE(behind != nullptr);
        walked_element& e = all.emplace_back();
        e.begin = static_cast<std::size_t>(p - text.data());
        e.blocked = h.blocked() != json::nowhere;
        for (std::size_t n = 0; n < wanted.size(); ++n) e.found.push_back(h.slices(n)[0]);
        p = json::skip_space(behind, end);
        if (*p == ',') p = json::skip_space(p + 1, end);
    }
    return all;
}

/// Passes over the array in `text` in stretches of at most `limit`, and learns what stops it. How many elements were
/// passed.
std::size_t pass_all(element_forms& forms, const json::projection& wanted, std::string_view text, std::size_t at,
                     std::size_t limit) {
    const std::vector<walked_element> all = walk_all(wanted, text, at);
    std::vector<json::element_value> values(std::max<std::size_t>(wanted.size(), 1) * json::element_run::most);
    std::vector<std::uint32_t> begins(json::element_run::most);
    const char* const data = text.data();
    const char* const end = data + text.size();
    std::size_t passed = 0;
    for (std::size_t i = 0; i < all.size();) {
        json::element_run run{data + all[i].begin, 0, data + all[i].begin, end, values.data(), begins.data(), 0, limit, true};
        forms.pass(run, end);
        REQUIRE(i + run.count <= all.size());
        for (std::size_t k = 0; k < run.count; ++k) {
            const walked_element& want = all[i + k];
            CHECK(all[i].begin + begins[k] == want.begin);
            CHECK(!want.blocked);
            for (std::size_t n = 0; n < wanted.size(); ++n) {
                const json::element_value got = values[n * json::element_run::most + k];
                CHECK(got.length == want.found[n].length);
                if (got.length != 0) CHECK(all[i].begin + got.from == want.found[n].offset);
            }
        }
        passed += run.count;
        i += run.count;
        CHECK(run.more == (i < all.size()));
        CHECK(run.at == (run.more ? data + all[i].begin : data + text.rfind(']')));
        if (!run.more) break;
        if (run.count == limit) continue;
        const walked_element& e = all[i++];
        const char* const behind = json::skip_space(data + e.begin, end);
        json::harvest h;
        h.begin(wanted.plan(), data);
        forms.learn(behind, json::walk(wanted.plan(), 0, behind, end, 0, h), data, e.found.data(), e.blocked);
    }
    return passed;
}

/// A number, a word or a string: of the same length as those before, or of another one.
std::string some_value(std::uint64_t& state, unsigned field) {
    static const std::vector<std::string> odd = {"null",
                                                 "true",
                                                 "-1.5e+10",
                                                 "1e-8",
                                                 "\"\"",
                                                 R"("a\"b")",
                                                 R"("\\")",
                                                 "[]",
                                                 "{}",
                                                 R"([1, "]", {"a": "}"}])",
                                                 "7",
                                                 "\"" + std::string(70, 'x') + "\"",
                                                 "\"" + std::string(200, ',') + "\"",
                                                 std::string(90, '4'),
                                                 R"("null")",
                                                 "-0",
                                                 "[" + std::string(80, '1') + "]",
                                                 R"("\u00e9\u00e9")",
                                                 "\"\xc3\xa9, \\n\"",
                                                 R"("},{")",
                                                 R"("], ")"};
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto r = static_cast<unsigned>(state >> 33);
    if (r % 37 == 0) return odd[r / 37 % odd.size()];
    switch (field) {
        case 0: return std::to_string(100000 + r % 1000) + ".0";
        case 1: return r % 2 == 0 ? "\"ask\"" : "\"bid\"";
        case 2: return std::to_string(r % (r % 5 == 0 ? 10 : 100000));
        case 3: return "\"" + std::string(r % 9, 'n') + "\"";
        default: return r % 40 < 20 ? "1482" : "14829";
    }
}

}  // namespace

TEST_CASE("elements that are passed over at once have the values that the walk finds") {
    const std::vector<std::vector<std::string_view>> wants = {{"a", "c"}, {"b", "d", "d", "a"}, {"e"}, {}, {"a.x", "b"}, {"$"}};
    const std::string best(json::active_kernels().name);
    for (const json::kernels* k : json::available_kernels()) {
        REQUIRE(simd::use(k->name));
        std::uint64_t state = 7;
        for (const auto& paths : wants) {
            json::projection wanted;
            context ctx;
            REQUIRE(json::projection::compile(paths, wanted, ctx) == errc::ok);
            element_forms forms(wanted.plan());
            std::size_t passed = 0;
            for (int style = 0; style < 3; ++style) {
                const char* const comma = style == 0 ? "," : style == 1 ? ", " : " ,\n ";
                const char* const colon = style == 0 ? "\":" : style == 1 ? "\": " : "\" : ";
                for (int round = 0; round < 12; ++round) {
                    std::string text = "[";
                    for (int i = 0; i < 40 + round; ++i) {
                        text += i == 0 ? "" : comma;
                        if (state % 41 == 0) {
                            text += some_value(state, round % 5);
                            continue;
                        }
                        text += '{';
                        for (unsigned field = 0; field < (state % 31 == 0 ? 3u : 5u); ++field)
                            text += std::string(field == 0 ? "\"" : comma + std::string("\"")) +
                                    static_cast<char>('a' + field) + colon + some_value(state, field);
                        text += '}';
                    }
                    text += ']';
                    if (round % 2 == 0) text += std::string(300, ' ');
                    // In memory of its own size, so that a sanitizer sees what is read behind it.
                    const std::vector<char> exact(text.begin(), text.end());
                    passed +=
                        pass_all(forms, wanted, {exact.data(), exact.size()}, 1, round % 3 == 0 ? 5 : json::element_run::most);
                }
            }
            if (paths.empty() || paths[0] != "a.x") CHECK(passed > 600);  // of these `a` is no object, so no form is kept
        }
        // Arrays of what is no object.
        json::projection wanted;
        context ctx;
        const std::string_view all = "$";
        REQUIRE(json::projection::compile({&all, 1}, wanted, ctx) == errc::ok);
        element_forms forms(wanted.plan());
        for (int round = 0; round < 40; ++round) {
            std::string text = "[";
            for (int i = 0; i < 50; ++i) text += (i == 0 ? "" : round % 2 == 0 ? "," : ", ") + some_value(state, round % 5);
            pass_all(forms, wanted, text + "]", 1, json::element_run::most);
        }
    }
    simd::use(best);
}
