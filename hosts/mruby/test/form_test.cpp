#include "answers.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

TEST_CASE("queries") {
    const auto v = usual_vm();
    check(*v, {{"Query.parse('a=1&b=2&a=3&c&d=%zz%41+x&=5&&e=')",
                R"({"a"=>"3", "b"=>"2", "c"=>nil, "d"=>"%zzA x", ""=>"5", "e"=>""})"},
               {"Query.parse_all('a=1&a=2&b')", R"({"a"=>["1", "2"], "b"=>[nil]})"},
               {"[Query.parse(nil), Query.parse(''), Query.parse('&&')]", "[{}, {}, {}]"},
               {"Query.parse('a%3Db=c%26d%00')", R"({"a=b"=>"c&d\x00"})"},
               {"Query.build('a b' => 'c', 'd' => [1, 2])", "\"a+b=c&d=1&d=2\""},
               {"Query.parse(1)", "TypeError: Integer cannot be converted to String"}});
}

TEST_CASE("Rack's nesting") {
    const auto v = usual_vm();
    check(*v, {{"Query.parse_nested('a[b][]=1&a[b][]=2&k=v&q[w]=e')", R"({"a"=>{"b"=>["1", "2"]}, "k"=>"v", "q"=>{"w"=>"e"}})"},
               {"Query.parse_nested('x[][y]=1&x[][z]=2&x[][y]=3')", R"({"x"=>[{"y"=>"1", "z"=>"2"}, {"y"=>"3"}]})"},
               {"Query.parse_nested('x[][y][z]=1&x[][y][w]=2')", R"({"x"=>[{"y"=>{"z"=>"1", "w"=>"2"}}]})"},
               {"Query.parse_nested('a[]=1&a[]&b[=2&[]=3&]=4&=5&c]=6')", R"({"a"=>["1", nil], "b["=>"2", "c"=>"6"})"},
               {"Query.parse_nested('a=1&a[b]=2')", "Query::ParameterTypeError: expected Hash (got String) for param `a'"},
               {"Query.parse_nested('a[b]=1&a[]=2')", "Query::ParameterTypeError: expected Array (got Hash) for param `a'"}});
}

TEST_CASE("limits") {
    const auto v = usual_vm();
    check(*v, {{"Query.parse('a&' * 5000)", "Query::LimitError: there are too many parameters"},
               {"Query.parse('a=1&b=2', parameters: 2).size", "2"},
               {"Query.parse('a=1&b=2&c', parameters: 2)", "Query::LimitError: there are too many parameters"},
               {"Query.parse_nested('a' + '[b]' * 31 + '=1').size", "1"},
               {"Query.parse_nested('a' + '[b]' * 32 + '=1')", "Query::LimitError: parameters are nested too deeply"},
               {"Query.parse_nested('a' + '[]' * 100_000 + '=1')", "{\"a\"=>[{}]}"},
               {"Query.parse('a', parameters: -1)", "ArgumentError: parameters: takes a number from 0"}});
}

TEST_CASE("cookies read") {
    const auto v = usual_vm();
    check(*v, {{R"(Cookies.parse("a=1; b=\"x y\"; a=2;c=%41+ ; junk; =x; d=e=f;"))",
                R"({"a"=>"1", "b"=>"x y", "c"=>"A+", "d"=>"e=f"})"},
               {"[Cookies.parse(nil), Cookies.parse(';;')]", "[{}, {}]"}});
}

TEST_CASE("cookies made") {
    const auto v = usual_vm();
    check(*v, {{"Cookies.make('a', 'x y;')", "\"a=x%20y%3B\""},
               {"Cookies.make(:a, 1, path: '/', domain: 'example.org', max_age: 60, expires: Time.at(0), secure: true, "
                "http_only: true, same_site: :lax)",
                "\"a=1; Domain=example.org; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60; Secure; HttpOnly; "
                "SameSite=Lax\""},
               {"Cookies.make('a', 'b=c', raw: true, same_site: true, httponly: true)", "\"a=b=c; HttpOnly; SameSite=Strict\""},
               {"Cookies.make('__Host-a', '', path: '/', secure: true, partitioned: true)",
                "\"__Host-a=; Path=/; Secure; Partitioned\""}});
    for (const char* wrong :
         {"'a b', 1", "'', 1", R"("a\r\nX: y", 1)", "'a', 'b;c', raw: true", R"("a", "x", path: "/\r\nX: y")",
          "'a', 1, path: 'x'", "'a', 1, path: '/;x'", R"('a', 1, domain: "a\nb")", "'a', 1, domain: ''",
          "'a', 1, max_age: '1; x'", R"('a', 1, expires: "x\ny")", "'a', 1, expires: 10 ** 15", "'a', 1, same_site: 'None'",
          "'a', 1, same_site: 'x'", "'__Secure-a', 1", "'__Host-a', 1, secure: true", "'a', 1, partitioned: true"}) {
        INFO(wrong);
        CHECK(answered(*v, "Cookies.make(" + std::string(wrong) + ")").starts_with("ArgumentError: a cookie's "));
    }
}

TEST_CASE("options are those of the Hash, and are held while code of a script's runs") {
    const auto v = usual_vm();
    constexpr char lost[] =
        "def lost; $given.clear; GC.enable; GC.start; $others = (1..3000).map { |i| \"other #{i}\" * 20 }; nil; end;"
        "$given = Hash.new { lost }; $given[:path] = '/' + 'x' * 50; ";
    CHECK(answered(*v, std::string(lost) + "Cookies.make('a', 'b', $given)") == "\"a=b; Path=/" + std::string(50, 'x') + "\"");
    CHECK(answered(*v, std::string(lost) + "class Late; def to_s; lost; 'Lax'; end; def to_i; lost; 0; end; end; "
                                           "$given[:expires] = $given[:same_site] = Late.new; $given[:max_age] = 1 << 61; "
                                           "Cookies.make('a', 'b', $given)") ==
          "\"a=b; Path=/" + std::string(50, 'x') +
              "; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=2305843009213693952; SameSite=Lax\"");
    check(*v, {{"Query.parse('a=1&b=2', Hash.new(1)).size", "2"}});
}

TEST_CASE("Rack::Utils") {
    const auto v = usual_vm();
    check(*v, {{"Rack::Utils.parse_query('a=1&a=2&b=3')", R"({"a"=>["1", "2"], "b"=>"3"})"},
               {"Rack::Utils.parse_query('a=1;b=2; c=3&d', ';')", R"({"a"=>"1", "b"=>"2", "c"=>"3&d"})"},
               {"Rack::Utils.parse_query('a=1;b=2,  c=3; ;d', ';,')", R"({"a"=>"1", "b"=>"2", "c"=>"3", "d"=>nil})"},
               {"Rack::Utils.parse_query('a=1;b=2& c=3', nil)", R"({"a"=>"1;b=2", "c"=>"3"})"},
               {"Rack::Utils.parse_nested_query('a[]=1;a[]=2', ';')", R"({"a"=>["1", "2"]})"},
               {"Rack::Utils.parse_query('a', '')", "ArgumentError: the separator is empty"},
               {"Rack::Utils.parse_nested_query('a[b]=1')", R"({"a"=>{"b"=>"1"}})"},
               {"[Rack::Utils.status_code(:not_found), Rack::Utils.status_code(418), Rack::Utils.status_code('201')]",
                "[404, 418, 201]"},
               {"Rack::Utils.status_code(:no_such)", "ArgumentError: unrecognized status code :no_such"},
               {"[Rack::Utils.escape('a b'), Rack::Utils.escape_path('a b'), Rack::Utils.unescape('a+b'), "
                "Rack::Utils.unescape_path('a+b')]",
                R"(["a+b", "a%20b", "a b", "a+b"])"},
               {"Rack::Utils::HTTP_STATUS_CODES[503]", "\"Service Unavailable\""},
               {"Rack::Utils::HTTP_STATUS_CODES[1] = 2", "FrozenError: can't modify frozen Hash"}});
}
