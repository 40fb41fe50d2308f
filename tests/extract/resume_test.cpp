// An extraction that goes on where another one stood gives what that one would have given: from every place, of every
// kind of input, with any number of threads. What lies behind is not read again.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "archives.hpp"
#include "extract/description.hpp"
#include "extract/hex.hpp"
#include "extract/resume.hpp"
#include "extract/session.hpp"
#include "rows.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

using step = session::step;
constexpr std::chrono::milliseconds long_enough{10'000};

// White space that can be packed, but not to nothing as a bomb.
std::string white(std::size_t n) {
    std::string out(n, ' ');
    std::uint32_t state = 1;
    for (char& c : out) {
        state = state * 1664525 + 1013904223;
        if ((state >> 31) != 0) c = '\t';
    }
    return out;
}

struct ways {
    const std::string blank = white(4'000);
    archives::folder f;
    std::vector<std::string> paths;
    int n = 0;

    std::string one(std::size_t wide = 0) {
        ++n;
        if (n % 411 == 0) return "{\"a\":tru}";
        return "{\"a\":" + std::to_string(n) + ",\"b\":[" + std::to_string(n) + "]" + blank.substr(0, wide) + "}";
    }
    std::string lines(int of, std::size_t wide = 0) {
        std::string out;
        for (int i = 0; i < of; ++i) out += one(wide) + (i % 7 == 0 ? "\n\n" : "\n");
        return out;
    }
    std::string array(int of, std::size_t wide = 0) {
        std::string out = "[";
        for (int i = 0; i < of; ++i) out += (i == 0 ? "" : ",\n ") + one(wide);
        return out + "]\n\n";
    }
    void add(const std::string& content) { paths.push_back(f.write(std::to_string(1000 + paths.size()), content)); }

    ways() {
        for (int i = 0; i < 3; ++i) add(one());
        add(lines(30'000));
        add(archives::gzip(lines(4'200, 4'000)));  // over 16 MB: a stream of several pieces
        add(archives::zstd(array(4'200, 4'000)));
        add(array(20'000));
        std::vector<archives::member> members;
        for (int i = 0; i < 60; ++i) members.push_back({std::to_string(i), lines(20, 4'000)});
        members.push_back({.name = "damaged", .content = lines(5), .crc = 1});
        const std::string zip = archives::zip(members, {.prefix = std::string(200'000, 'x')});
        add(zip);
        add(zip.substr(0, zip.size() * 2 / 3));  // without its directory
        add("");
        paths.push_back(f.path() + "/missing");
        for (int i = 0; i < 3; ++i) add(one());
    }
};

struct given {
    std::vector<std::string> texts, reports;
    std::vector<std::string> tokens;  // tokens[i]: behind texts[i], empty where there is none
    std::string quarantine, failure;
    std::vector<std::size_t> told, aside;  // reports and bytes put aside behind texts[i]
    counters end;
    std::vector<std::string> notes;
};

request asked(const std::vector<std::string>& paths, const std::string& more, const std::string& token = {}) {
    std::string d = "{\"inputs\":[";
    for (std::size_t i = 0; i < paths.size(); ++i) d += (i == 0 ? "\"" : ",\"") + paths[i] + "\"";
    d += "]," + more + (token.empty() ? "" : ",\"resume_token\":\"" + token + "\"") + "}";
    request out;
    std::string why;
    const errc e = read_description({reinterpret_cast<const unsigned char*>(d.data()), d.size()}, out, why);
    INFO(why);
    REQUIRE(e == errc::ok);
    return out;
}

void read_on(session& s, given& out) {
    trouble why;
    buffer text;
    for (;;) {
        const step got = s.next(text, true, long_enough, why);
        if (got == step::waiting) continue;
        if (got == step::failed) out.failure = why.what;
        if (got != step::ready) break;
        out.texts.emplace_back(text.data() == nullptr ? "" : text.data(), text.size());
        for (const report& r : s.take_reports()) out.reports.push_back(r.text());
        const buffer put = s.take_quarantine();
        if (put.size() != 0) out.quarantine.append(put.data(), put.size());
        out.tokens.push_back(s.resume_token());
        out.told.push_back(out.reports.size());
        out.aside.push_back(out.quarantine.size());
    }
    for (const report& r : s.take_reports()) out.reports.push_back(r.text());
    const buffer put = s.take_quarantine();
    if (put.size() != 0) out.quarantine.append(put.data(), put.size());
    out.end = s.progress();
    out.notes = s.notes();
}

given extract_all(const std::vector<std::string>& paths, const std::string& more, const std::string& token = {}) {
    session s(asked(paths, more, token));
    trouble why;
    step begun = step::waiting;
    while (begun == step::waiting) begun = s.start(long_enough, why);
    INFO(why.what);
    REQUIRE(begun == step::ready);
    given out;
    read_on(s, out);
    return out;
}

std::string joined(const std::vector<std::string>& texts, std::size_t from = 0) {
    std::string out;
    for (std::size_t i = from; i < texts.size(); ++i) out += texts[i];
    return out;
}

// What comes behind each token that `want` has seen is the rest of it.
void goes_on_everywhere(const std::vector<std::string>& paths, const std::string& more, const given& want, std::size_t every) {
    std::size_t tried = 0;
    for (std::size_t i = 0; i < want.tokens.size(); i += i + every < want.tokens.size() ? every : 1) {
        if (want.tokens[i].empty()) continue;
        ++tried;
        const std::string jobs = ",\"jobs\":" + std::to_string(1 + i % 4);
        const given rest = extract_all(paths, more + jobs, want.tokens[i]);
        INFO(i << " of " << want.tokens.size());
        CHECK((joined(rest.texts) == joined(want.texts, i + 1)));
        CHECK(rest.reports ==
              std::vector<std::string>(want.reports.begin() + static_cast<std::ptrdiff_t>(want.told[i]), want.reports.end()));
        CHECK((rest.quarantine == want.quarantine.substr(want.aside[i])));
        CHECK(rest.failure == want.failure);
        CHECK(rest.end.rows == want.end.rows);
        CHECK(rest.end.documents == want.end.documents);
        CHECK(rest.end.bytes == want.end.bytes);
        CHECK(rest.end.bad == want.end.bad);
        CHECK(rest.notes == want.notes);
    }
    CHECK(tried >= 3);
}

}  // namespace

TEST_CASE("from every place comes the rest") {
    const ways w;
    for (const std::string form : {"\"csv\"", "\"ndjson\""}) {
        const std::string more =
            "\"form\":" + form + ",\"fields\":[\"a:int64\",\"b:json\"],\"source\":true,\"on_error\":\"quarantine\"";
        const given want = extract_all(w.paths, more + ",\"jobs\":2");
        CHECK(want.tokens.size() > 15);
        CHECK(want.reports.size() > 50);
        CHECK(want.tokens.back() != "");
        goes_on_everywhere(w.paths, more, want, 3);
    }
}

TEST_CASE("with limits and with columns that are guessed") {
    const ways w;
    for (const std::string more :
         {"\"limit\":33333", "\"limit_per_archive\":3000", "\"where\":\"a > 57000\"", "\"sample_rows\":0.01,\"seed\":7",
          "\"fields\":[\"a\",\"missing\"],\"rewritable\":true", "\"rewritable\":true,\"sample\":20"}) {
        const std::string all = more + ",\"form\":\"csv\",\"on_error\":\"skip\",\"source\":true";
        const given want = extract_all(w.paths, all + ",\"jobs\":1");
        INFO(more);
        CHECK(want.end.rows > 0);
        goes_on_everywhere(w.paths, all, want, 11);
    }
}

TEST_CASE("a pause comes though no row does") {
    const ways w;
    const given want = extract_all(
        w.paths, "\"form\":\"csv\",\"fields\":[\"a:json\"],\"where\":\"a < 0\",\"on_error\":\"skip\",\"pause_every\":1");
    CHECK(want.end.rows == 0);
    CHECK(want.texts.size() > 10);
    CHECK(std::count(want.tokens.begin(), want.tokens.end(), "") == 0);
}

TEST_CASE("what lies behind is not read again") {
    archives::folder f;
    std::vector<std::string> paths;
    std::string line;
    for (int k = 0; k < 4; ++k) {
        std::string lines;
        for (int i = 0; i < 99'000; ++i) lines += "{\"a\":" + std::to_string(k * 100'000 + i) + "}\n";
        paths.push_back(f.write("in" + std::to_string(k), lines));
    }
    const std::string more = "\"form\":\"csv\",\"fields\":[\"a:int64\"],\"jobs\":1";
    const given want = extract_all(paths, more);
    // The last token within the third file: the two before it, and its own beginning, become what no reader would
    // take.
    std::size_t i = want.tokens.size();
    resume_state at;
    do {
        at = {};
        REQUIRE(i-- != 0);
        REQUIRE(read_token(want.tokens[i], at));
    } while (at.point.at.input != 2 || at.point.at.done == 0);
    for (int k = 0; k < 3; ++k) {
        std::fstream file(paths[static_cast<std::size_t>(k)], std::ios::in | std::ios::out | std::ios::binary);
        file << std::string(k < 2 ? 1'000'000 : 200'000, '!');
    }
    const given rest = extract_all(paths, more, want.tokens[i]);
    CHECK((joined(rest.texts) == joined(want.texts, i + 1)));
    CHECK(rest.reports.empty());
    CHECK(rest.failure == "");
}

TEST_CASE("columns that are widened later stand in the token") {
    archives::folder f;
    std::string lines;
    for (int i = 0; i < 60'000; ++i)
        lines += "{\"a\":" + std::to_string(i) + (i > 30'000 && i % 1000 == 1 ? ".5" : "") +
                 ",\"t\":\"2020-01-01T00:00:" + (i % 60 < 10 ? "0" : "") + std::to_string(i % 60) + (i < 100 ? ".5" : "") +
                 "+09:00\"" + (i > 40'000 ? ",\"late\":true" : "") + "}\n";
    const std::vector<std::string> paths{f.write("in.ndjson", lines)};
    const std::string more = "\"form\":\"csv\",\"rewritable\":true,\"sample\":50";
    session first(asked(paths, more));
    trouble why;
    while (first.start(long_enough, why) == step::waiting) {
    }
    given before;
    read_on(first, before);
    REQUIRE(first.contradiction() != "");
    const std::unique_ptr<session> wider = first.again();
    REQUIRE(wider);
    const std::string start = wider->resume_token();
    given want;
    read_on(*wider, want);
    CHECK(wider->contradiction() == "");
    CHECK(wider->columns()->fields() == 3);
    // From its beginning, and from every place in it.
    const given again = extract_all(paths, more, start);
    CHECK((joined(again.texts) == joined(want.texts)));
    CHECK(again.notes == want.notes);
    goes_on_everywhere(paths, more, want, 1);
}

TEST_CASE("calculated columns stand in the token as what they are") {
    const std::string_view document = R"({"a":7,"b":2,"a - b":"key","s":"1.5","l":[3,4],"at":"02/Jan/2024","deep":{"a":1}})";
    std::vector<column_spec> fields;
    for (const std::string_view text :
         {"spread:int64 := a - b", "a - b:string", "best:float64 := coalesce(l[0], b)", "x:decimal := s:decimal",
          "last=l[-1]:int64", "all=$..a", "at := strptime(at, '%d/%b/%Y')", "sums:list[int64] := l"})
        fields.push_back(rows::field(text));
    fields[0].guess = std::make_shared<column_spec>(fields[0]);
    resume_state state, read;
    state.has_columns = true;
    state.fields = fields;
    REQUIRE(read_token(write_token(state), read));
    std::shared_ptr<const schema> sampled, columns;
    std::string why;
    REQUIRE(schema::make({}, false, sampled, why) == errc::ok);
    const errc e = restore_columns(read, *sampled, false, nullptr, columns, why);
    INFO(why);
    REQUIRE(e == errc::ok);
    const auto want = rows::schema(fields);
    CHECK(columns->same(*want));
    CHECK(rows::csv(rows::filled(columns, {document})) == rows::csv(rows::filled(want, {document})));
    CHECK(rows::csv(rows::filled(columns, {document})).starts_with("5,key,3.0,1.5,4,"));
}

TEST_CASE("what is no token is refused") {
    archives::folder f;
    const std::vector<std::string> paths{f.write("in.ndjson", "{\"a\":1}\n{\"a\":2}\n")};
    const given want = extract_all(paths, "\"form\":\"csv\",\"fields\":[\"a\"],\"rewritable\":true");
    REQUIRE(want.tokens.size() == 1);
    const std::string good = want.tokens[0];
    resume_state state;
    REQUIRE(read_token(good, state));
    CHECK(state.point.rows == 2);
    CHECK(state.point.at.input == 1);
    for (std::size_t n = 0; n < good.size(); ++n) {
        resume_state broken;
        CHECK(!read_token(std::string_view(good).substr(0, n), broken));
    }
    // Any byte may be another: it is a token or not, and what it says can be asked for.
    std::string json;
    REQUIRE(from_hex(good, json));
    state.has_columns = true;
    state.fields.resize(1);
    state.fields[0].name = state.fields[0].path = "a";
    state.fields[0].type = column_type::timestamp;
    state.fields[0].inferred = true;
    state.fields[0].guess = std::make_shared<column_spec>(state.fields[0]);
    state.notes = {"one", "two"};
    std::string full;
    REQUIRE(from_hex(write_token(state), full));
    for (std::size_t at = 0; at < full.size(); ++at) {
        for (const char c : {'0', '9', '[', ']', ',', '"', 'f', '-'}) {
            std::string other = full;
            other[at] = c;
            resume_state read;
            if (!read_token(to_hex(other), read)) continue;
            std::shared_ptr<const schema> sampled, columns;
            std::string why;
            REQUIRE(schema::make({}, false, sampled, why) == errc::ok);
            const errc e = restore_columns(read, *sampled, false, nullptr, columns, why);
            CHECK((e == errc::ok) == (columns != nullptr));
        }
    }
    // Another version, and a place that is not there.
    CHECK(!read_token(to_hex("[1" + json.substr(2)), state));
    CHECK(!read_token(to_hex("[3" + json.substr(2)), state));
    state = {};
    state.point.at.input = 9;
    session s(asked(paths, "\"form\":\"csv\",\"fields\":[\"a:int64\"]", write_token(state)));
    trouble why;
    CHECK(s.start(long_enough, why) == step::failed);
    CHECK(why.code == errc::misuse);
    state.point.at = {0, 0, 77};
    const given beyond_it = extract_all(paths, "\"form\":\"csv\",\"fields\":[\"a:int64\"]", write_token(state));
    CHECK(beyond_it.failure.find("it ends where reading was to go on") != std::string::npos);
    for (const std::string more : {"\"distinct\":[\"a\"]", "\"chart\":100"}) {
        const std::string request = "\"form\":\"csv\",\"fields\":[\"a:int64\"]," + more;
        session refused(asked(paths, request, good));
        CHECK(refused.start(long_enough, why) == step::failed);
        CHECK(why.what.starts_with("resume_token is not for "));
        // Who keeps what was read is told before anything is.
        session keeps(asked(paths, request + ",\"pause_every\":1"));
        CHECK(keeps.start(long_enough, why) == step::failed);
        CHECK(why.code == errc::misuse);
        CHECK(why.what.starts_with("resume is not for "));
    }
}
