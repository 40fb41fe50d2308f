#include "../library/multipart.hpp"

#include <vector>

#include "answers.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

namespace {

const std::string usual_type = "multipart/form-data; boundary=X";

struct outcome_of {
    std::vector<multipart_part> parts;
    std::string error;
    std::shared_ptr<const std::string> body;  // what the parts are places in
};

outcome_of all(const std::string& body, const std::string& type = usual_type, const multipart_limits& limits = {}) {
    outcome_of r;
    multipart_boundary boundary;
    if (const char* why = find_boundary(type, boundary)) {
        r.error = why;
        return r;
    }
    r.body = std::make_shared<const std::string>(body);
    multipart_reader reader(*r.body, boundary, limits);
    for (multipart_part p; reader.next(p);) r.parts.push_back(p);
    if (reader.error() != nullptr) r.error = reader.error();
    return r;
}

std::string part(const std::string& disposition, const std::string& body, const std::string& more = "") {
    return "--X\r\nContent-Disposition: form-data; " + disposition + "\r\n" + more + "\r\n" + body + "\r\n";
}
const std::string end = "--X--\r\n";

}  // namespace

TEST_CASE("boundaries") {
    multipart_boundary b;
    const auto of = [&](const char* type) {
        return find_boundary(type, b) == nullptr ? std::string(b.text, b.size) : std::string("-");
    };
    CHECK(of("multipart/form-data; boundary=abc") == "abc");
    CHECK(of("Multipart/Form-Data ; charset=utf-8; BOUNDARY=\"a b;c\"") == "a b;c");
    CHECK(of("multipart/form-data; boundary=\"a\\\"b\"") == "a\"b");
    CHECK(of(("multipart/form-data; boundary=" + std::string(70, 'b')).c_str()) == std::string(70, 'b'));
    for (const char* bad :
         {"", "text/plain; boundary=a", "multipart/mixed; boundary=a", "multipart/form-data",
          "multipart/form-data; boundary=", "multipart/form-data; boundary=a; boundary=b", "multipart/form-data; boundary=\"a",
          "multipart/form-data; boundary=\"a \"", "multipart/form-data; boundary", "multipart/form-data; boundary=\"a\"b",
          "multipart/form-data; boundary=a\tb"}) {
        INFO(bad);
        CHECK(of(bad) == "-");
    }
    CHECK(of(("multipart/form-data; boundary=" + std::string(71, 'b')).c_str()) == "-");
}

TEST_CASE("parts") {
    const outcome_of r =
        all("preamble\r\n" + part("name=\"a\"", "hello") +
            part("name=b; filename=\"f.txt\"", "line\r\n--Xy\r\n--X-\r\n", "Content-Type: text/plain; charset=x\r\n") +
            part("name=\"empty\"", "") + "--X-- \r\nepilogue --X");
    CHECK(r.error == "");
    REQUIRE(r.parts.size() == 3);
    CHECK(r.parts[0].name == "a");
    CHECK(r.parts[0].body == "hello");
    CHECK(r.parts[0].filename.data() == nullptr);
    CHECK(r.parts[1].name == "b");
    CHECK(r.parts[1].filename == "f.txt");
    CHECK(r.parts[1].type == "text/plain; charset=x");
    CHECK(r.parts[1].body == "line\r\n--Xy\r\n--X-\r\n");
    CHECK(r.parts[2].body == "");
    CHECK(all(end).parts.empty());
    CHECK(all("--X--").error == "");
    CHECK(all("--X \t\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n--X--").parts.size() == 1);
    CHECK(all("--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n--X--").parts.at(0).body == "");
    CHECK(all(part("name=\"a\"; filename=\"\"", "") + end).parts.at(0).filename.data() != nullptr);
}

TEST_CASE("what is malformed is said") {
    const std::string good = part("name=\"a\"", "hello") + end;
    for (std::size_t n = 0; n + 4 < good.size(); ++n) {  // its last CRLF and dashes may be missing in part
        INFO(n);
        CHECK(all(good.substr(0, n)).error != "");
    }
    const auto error = [&](const std::string& body) { return all(body).error; };
    CHECK(error("--Y\r\n") == "the body does not hold the boundary");
    CHECK(error("--X\r\n\r\nx\r\n" + end) == "a part has no Content-Disposition");
    CHECK(error(part("filename=\"x\"", "") + end) == "a part has no name");
    CHECK(error(part("name=\"a\"; name=\"b\"", "") + end) == "a part's Content-Disposition says the same twice");
    CHECK(error(part("name=\"a", "") + end) == "a part's Content-Disposition is malformed");
    CHECK(error("--X\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\n\r\n" + end) ==
          "a part's Content-Disposition is not form-data");
    CHECK(error(part("name=\"a\"", "", "Content-Disposition: form-data; name=\"b\"\r\n") + end) ==
          "a part has two Content-Dispositions");
    CHECK(error(part("name=\"a\"", "", "Content-Type: multipart/mixed; boundary=Y\r\n") + end) ==
          "a part is itself multipart, which forms do not allow");
    CHECK(error(part("name=\"a\"", "", "Content-Transfer-Encoding: base64\r\n") + end) ==
          "a part has a Content-Transfer-Encoding, which forms do not allow");
    CHECK(error(part("name=\"a\"", "", " folded\r\n") + end) == "a part's header line is malformed");
    CHECK(error(part("name=\"a\"", "", "X\r\n") + end) == "a part's header line is malformed");
    CHECK(error(part("name=\"a\"", "", std::string("X: \0\r\n", 6)) + end) == "a part's header line holds a control character");
    CHECK(error("--X\nContent-Disposition: form-data; name=\"a\"\n\nx\n--X--\n") == "the body does not hold the boundary");
}

TEST_CASE("limits") {
    std::string many;
    for (int i = 0; i < 5; ++i) many += part("name=\"a\"", "12345");
    many += end;
    multipart_limits l;
    l.parts = 4;
    CHECK(all(many, usual_type, l).error == "there are too many parts");
    l = {};
    l.field = 4;
    CHECK(all(many, usual_type, l).error == "a part is too large");
    l = {};
    l.head = 10;
    CHECK(all(many, usual_type, l).error == "a part's header lines are too long");
    l = {};
    l.file = 1;
    CHECK(all(part("name=\"a\"; filename=\"f\"", "12") + end, usual_type, l).error == "a part is too large");
}

TEST_CASE("names and file names") {
    const auto text = [](std::string_view s, bool filename) {
        std::string to(s.size(), '\0');
        to.resize(static_cast<std::size_t>(multipart_text(s, filename, to.data()) - to.data()));
        return to;
    };
    CHECK(text("a\\\"b%22c%0D%0A%41", false) == "a\"b\"c\r\n%41");
    CHECK(text("C:\\dir\\x.txt", true) == "x.txt");
    CHECK(text("../../etc/passwd", true) == "passwd");
    CHECK(text("a/b\\\\c", true) == "c");
    CHECK(text("dir/", true) == "");
    CHECK(text("a/b", false) == "a/b");
}

TEST_CASE("near misses of the boundary take linear time") {
    std::string hostile = part("name=\"a\"", "");
    hostile.resize(hostile.size() - 2);
    for (int i = 0; i < 200'000; ++i) hostile += "\r\n--X  y";
    CHECK(all(hostile).error == "the body ends before its last boundary");
    CHECK(all("--X\r\n" + std::string(2'000'000, 'h')).error == "a part's header lines are too long");
}

TEST_CASE("in Ruby") {
    const auto v = usual_vm();
    const std::string body =
        R"(b = "--X\r\nContent-Disposition: form-data; name=\"a[x]\"\r\n\r\none\r\n--X\r\nContent-Disposition: form-data; name=\"a[y]\"; filename=\"d/f.txt\"\r\nContent-Type: text/plain\r\n\r\n" + "z" * 100 + "\r\n--X--"; )";
    const auto of = [&](const std::string& code) {
        return answered(*v, body + "t = 'multipart/form-data; boundary=X'; " + code);
    };
    CHECK(of("h = Multipart.parse(b, t); [h.keys, h['a[x]'], h['a[y]'].values_at(:filename, :type), "
             "h['a[y]'][:body] == 'z' * 100]") == R"([["a[x]", "a[y]"], "one", ["f.txt", "text/plain"], true])");
    CHECK(of("h = Multipart.parse_nested(b, t); [h['a']['x'], h['a']['y'][:filename]]") == R"(["one", "f.txt"])");
    CHECK(of("[Multipart.parse_all(b, t)['a[x]'], Multipart.parts(b, t).map { |p| p[:name] }]") ==
          R"([["one"], ["a[x]", "a[y]"]])");
    CHECK(of("x = Multipart.parse(b, t)['a[y]'][:body]; b[-60] = 'Q'; x == 'z' * 100") == "true");
    CHECK(of("Multipart.parse(b, t, parts: 1)") == "Multipart::Error: there are too many parts");
    CHECK(of("Multipart.parse(b, 'text/plain')") == "Multipart::Error: the Content-Type is not multipart/form-data");
    CHECK(of("Multipart.parse(b[0...-8], t)") == "Multipart::Error: the body ends before its last boundary");
}
