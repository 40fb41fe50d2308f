#include "answers.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

TEST_CASE("percent") {
    const auto v = usual_vm();
    check(*v,
          {{R"(URI.encode_www_form_component("a b*-._~/é\0"))", R"("a+b*-._%7E%2F%C3%A9%00")"},
           {R"(URI.encode_uri_component("a b~*"))", R"("a%20b~%2A")"},
           {R"(CGI.escape("a b~*"))", R"("a+b~%2A")"},
           {R"(URI.escape("http://x/a b?c=d&é"))", R"("http://x/a%20b?c=d&%C3%A9")"},
           {R"(URI.decode_www_form_component("a+b%20%41%e3"))", R"("a b A\xe3")"},
           {R"(URI.decode_www_form_component("%4"))", "ArgumentError: invalid %-encoding (%4)"},
           {R"(URI.decode_uri_component("a+b%20"))", R"("a+b ")"},
           {R"(CGI.unescape("a+b%2"))", R"("a b%2")"},
           {R"(URI.unescape("a+%zz%2f"))", R"("a+%zz/")"},
           {R"(URI.encode_www_form({"a" => 1, "b c" => "d&e", "f" => nil, "g" => [1, 2]}))", R"("a=1&b+c=d%26e&f&g=1&g=2")"},
           {R"(URI.encode_www_form([["x", "y"], [:z, 3]]))", R"("x=y&z=3")"},
           {R"(URI.encode_www_form([["a", []], ["b", 1]]))", R"("&b=1")"},
           {R"(URI.encode_www_form([["b", 1], ["a", []], ["c", 2]]))", R"("b=1&&c=2")"},
           {R"([URI.encode_www_form("a" => []), URI.encode_www_form("a" => [], "b" => []), URI.encode_www_form({})])",
            R"(["", "&", ""])"},
           {R"(URI.encode_www_form("z" => 1, "a" => [1, nil, [2, [3]]]))", R"("z=1&a=1&a&a=%5B2%2C+%5B3%5D%5D")"},
           {R"(URI.encode_www_form("x"))", "NoMethodError: undefined method 'to_a'"},
           {R"(URI.decode_www_form("a=1&b=2%20x&c"))", R"([["a", "1"], ["b", "2 x"], ["c", ""]])"}});
}

TEST_CASE("what a to_s takes away is still written, and what it leaves is not") {
    const auto v = usual_vm();
    check(*v, {{R"~(
        class Thief
          def to_s
            $list.clear
            GC.enable; GC.start
            $others = (1..3000).map { |i| "other #{i}" * 20 }
            "k"
          end
        end
        $list = []
        3.times { |i| $list << "value #{i} " * 3 }
        URI.encode_www_form([[Thief.new, $list]]))~",
                R"("k=value+0+value+0+value+0+")"}});
}

TEST_CASE("an address is taken apart as it was given") {
    const auto v = usual_vm();
    check(*v, {{R"~(
        class URI::Generic
          def initialize
            $text.replace("mailto:" + "y" * 10)
            GC.enable; GC.start
            $others = (1..3000).map { |i| "other #{i}" * 20 }
          end
        end
        class String
          def downcase; $text.replace(""); GC.enable; GC.start; $others = (1..3000).map { |i| "other #{i}" * 20 }; "down"; end
        end
        $text = "http://h/" + "x" * 300
        u = URI.parse($text)
        [u.to_s, u.scheme, u.path])~",
                R"(["mailto:yyyyyyyyyy", "mailto", "yyyyyyyyyy"])"}});
}

TEST_CASE("the parts of an address") {
    const auto v = usual_vm();
    const char parts[] =
        "->(u) { r = URI.parse(u); [r.scheme, r.userinfo, r.host, r.port, r.path, r.query, r.fragment, r.to_s == u] }";
    const auto of = [&](const std::string& u) { return answered(*v, std::string(parts) + ".call('" + u + "')"); };
    CHECK(of("HTTP://user:pw@example.org:8080/a/b?q=1#f") ==
          R"(["http", "user:pw", "example.org", 8080, "/a/b", "q=1", "f", true])");
    CHECK(of("https://x.org") == R"(["https", nil, "x.org", 443, "", nil, nil, true])");
    CHECK(of("mailto:a@b.c") == R"(["mailto", nil, nil, nil, "a@b.c", nil, nil, true])");
    CHECK(of("/rel?x") == R"([nil, nil, nil, nil, "/rel", "x", nil, true])");
    CHECK(of("http://[::1]:80/") == R"(["http", nil, "[::1]", 80, "/", nil, nil, true])");
    CHECK(of("?") == R"([nil, nil, nil, nil, "", "", nil, true])");
    check(*v, {{"URI('http://[::1]/').hostname", "\"::1\""},
               {"URI('http://a:b@c').user + URI('http://a:b@c').password", "\"ab\""},
               {"URI('http://h').request_uri", "\"/\""},
               {"[URI('a/b').relative?, URI('a:b').absolute?]", "[true, true]"},
               {"URI('http://h/x') == URI.parse('http://h/x')", "true"},
               {"URI.parse(nil)", "URI::InvalidURIError: bad URI(is not URI?): nil"},
               {"URI.parse(5)", "URI::InvalidURIError: bad URI(is not URI?): 5"},
               {"URI(nil)", "ArgumentError: bad argument (expected URI object or URI string)"},
               {"URI.parse('http://a b/')", "URI::InvalidURIError: bad URI(is not URI?): \"http://a b/\""},
               {"URI.parse('http://x:99999/').port", "URI::InvalidURIError: bad URI(is not URI?): \"http://x:99999/\""},
               {"URI.parse('http://[::1/').port", "URI::InvalidURIError: bad URI(is not URI?): \"http://[::1/\""},
               {"URI.parse('http://x/%zz')", "URI::InvalidURIError: bad URI(is not URI?): \"http://x/%zz\""}});
}

TEST_CASE("addresses joined, the examples of RFC 3986 5.4") {
    const auto v = usual_vm();
    for (const answer& a : std::initializer_list<answer>{{"g:h", "g:h"},
                                                         {"g", "http://a/b/c/g"},
                                                         {"./g", "http://a/b/c/g"},
                                                         {"g/", "http://a/b/c/g/"},
                                                         {"/g", "http://a/g"},
                                                         {"//g", "http://g"},
                                                         {"?y", "http://a/b/c/d;p?y"},
                                                         {"g?y", "http://a/b/c/g?y"},
                                                         {"#s", "http://a/b/c/d;p?q#s"},
                                                         {"g#s", "http://a/b/c/g#s"},
                                                         {";x", "http://a/b/c/;x"},
                                                         {"", "http://a/b/c/d;p?q"},
                                                         {".", "http://a/b/c/"},
                                                         {"./", "http://a/b/c/"},
                                                         {"..", "http://a/b/"},
                                                         {"../g", "http://a/b/g"},
                                                         {"../..", "http://a/"},
                                                         {"../../g", "http://a/g"},
                                                         {"../../../g", "http://a/g"},
                                                         {"/./g", "http://a/g"},
                                                         {"/../g", "http://a/g"},
                                                         {"g.", "http://a/b/c/g."},
                                                         {"..g", "http://a/b/c/..g"},
                                                         {"./../g", "http://a/b/g"},
                                                         {"./g/.", "http://a/b/c/g/"},
                                                         {"g/./h", "http://a/b/c/g/h"},
                                                         {"g/../h", "http://a/b/c/h"}}) {
        CHECK(answered(*v, "URI.join('http://a/b/c/d;p?q', '" + std::string(a.code) + "').to_s") ==
              "\"" + std::string(a.printed) + "\"");
    }
}

TEST_CASE("joined, a path does not become a host") {
    const auto v = usual_vm();
    check(*v,
          {{"URI.join('app:a/b', '..//host/c').to_s", "\"app:/.//host/c\""},
           {"u = URI.join('http://h/', 'app:/x/..//host'); [u.to_s, u.host, u.path]", "[\"app:/.//host\", nil, \"/.//host\"]"},
           {"URI.join('app:a/b', '..//host', 'c').to_s", "\"app:/.//c\""},
           {"URI.join('http://h/', '/..//x').to_s", "\"http://h//x\""}});
}
