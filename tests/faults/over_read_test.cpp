// No kernel reads a byte outside its input: every input lies against a page that cannot be touched, once before it and
// once behind it. A read outside ends the test with a segmentation fault.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "bench/frames.hpp"
#include "engine/json/boundary.hpp"
#include "engine/json/element_shape.hpp"
#include "engine/json/index.hpp"
#include "engine/json/kernels.hpp"
#include "engine/json/project.hpp"
#include "engine/simd/dispatch.hpp"
#include "tests/guarded.hpp"

using namespace kumihimo;

namespace {

std::vector<std::string> inputs() {
    std::vector<std::string> all{""};
    std::mt19937_64 random(5);
    const std::string frame = bench::frames(1)[0].text;
    for (std::size_t n = 1; n <= 700; ++n) all.push_back(frame.substr(0, n));              // broken off anywhere
    for (std::size_t n = 1; n <= 200; ++n) all.push_back(frame.substr(frame.size() - n));  // and begun anywhere
    for (std::size_t n = 0; n < 200; ++n) all.push_back("{\"timestamp\": \"" + std::string(n, 'x') + "\"}");
    for (std::size_t n = 0; n < 140; ++n) {
        all.push_back("[" + std::string(n, ' ') + "]");
        all.push_back("{\"a\":" + std::string(n + 1, '1') + "}");
        all.push_back(std::string(n, ' ') + "true");
        all.push_back(std::string(n, ' ') + "12.5e3");
        all.push_back(std::string(n, ' ') + "\"\xe6\xbc\xa2");
        all.push_back(std::string(n, ' ') + "\"\\ud83d\\ude0");
        all.push_back(std::string(n, ' ') + "\\");
        all.push_back("{\"k\":\"" + std::string(n, '\\'));
        all.push_back(std::string(n, '['));
        all.push_back("{\"\\u0061" + std::string(n, 'b') + "\":\"\xf0\x9f\x98\x80\"}");
        all.push_back("{\"" + std::string(n, 'k') + "\":" + std::string(n, '\n') + "null}");
    }
    all.push_back(frame);
    for (int i = 0; i < 300; ++i) {
        std::string s(random() % 300, ' ');
        for (char& c : s) c = static_cast<char>(random());
        all.push_back(s);
    }
    return all;
}

/// Elements that are one value each, of any length, wherever one may begin.
void pass_elements(const json::kernels& k, const char* at, std::size_t size) {
    const json::element_shape::stretch one{0, 0, 0, 0, 0, 0, 1, true};
    const std::uint32_t path = 0;
    const json::element_shape shape{&one, 1, nullptr, nullptr, &path};
    std::vector<json::element_value> values(json::element_run::most);
    std::vector<std::uint32_t> begins(json::element_run::most);
    for (std::size_t i = 0; i < size; ++i) {
        json::element_run run{at, 0, at + i, at + size, values.data(), begins.data(), 0, json::element_run::most, true};
        k.elements(shape, run);
        CHECK(run.at <= run.end);
    }
}

}  // namespace

TEST_CASE("every kernel stays inside its input") {
    const std::string_view texts[] = {"last_price.price",
                                      "timestamp",
                                      "a",
                                      "ab",
                                      "asks[*][0]",
                                      "k",
                                      "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"};
    json::projection wanted;
    context ctx;
    REQUIRE(json::projection::compile(texts, wanted, ctx) == errc::ok);
    guarded room(1 << 13);
    std::size_t accepted = 0;
    const std::vector<std::string> all = inputs();
    for (const auto* k : simd::available()) {
        for (const std::string& s : all) {
            accepted += k->utf8(room.at_end(s), s.size());
            accepted += k->utf8(room.at_start(s), s.size());
        }
    }
    for (const auto* k : json::available_kernels()) {
        json::harvest found;
        bool may_overflow = false;
        for (const std::string& s : all) {
            for (const bool behind : {false, true}) {
                const char* at = behind ? room.at_end(s) : room.at_start(s);
                accepted += k->check(at, s.size(), 64, may_overflow);
                accepted += k->project_strict(wanted.plan(), at, s.size(), found);
                accepted += k->project_structural(wanted.plan(), at, s.size(), found);
                accepted += k->project_trusted(wanted.plan(), at, s.size(), found);
                json::boundary state;
                accepted += k->boundary(state, at, s.size()) != 0;
                for (const std::size_t chunk : {s.size(), std::size_t{64}}) {  // whole, and in the smallest pieces
                    json::token_index carried;
                    std::vector<std::uint32_t> entries(chunk + json::token_index::slack);
                    bool good = true;
                    for (std::size_t from = 0; good && (from < s.size() || from == 0); from += chunk) {
                        const std::size_t to = std::min(from + chunk, s.size());
                        good = k->index(carried, at, from, to, to == s.size(), entries.data()) != nullptr;
                        if (to == s.size()) break;
                    }
                    accepted += good;
                }
            }
            pass_elements(*k, room.at_end(s), s.size());
        }
    }
    CHECK(accepted > all.size());
}
