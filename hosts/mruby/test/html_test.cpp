#include "answers.hpp"

using namespace kumihimo::mruby;
using namespace kumihimo::mruby::test;

TEST_CASE("escaped and back") {
    const auto v = usual_vm();
    check(*v,
          {{R"(HTML.escape("<a href='x'>\"&\"</a>"))", R"("&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;&lt;/a&gt;")"},
           {"HTML.escape(nil) + HTML.escape(:a) + HTML.escape(1)", "\"a1\""},
           {"HTML.escape('plain')", "\"plain\""},
           {"CGI.escapeHTML('<') + CGI.h('>') + ERB::Util.h('&') + ERB::Util.html_escape('\"') + Rack::Utils.escape_html('<')",
            "\"&lt;&gt;&amp;&quot;&lt;\""},
           {"HTML.unescape('&lt;&#65;&#x42;&quot;&amp;amp;&bogus;&#xffffffff;&apos;&#39;&#xd800;&#;&#x;&')",
            R"("<AB\"&amp;&bogus;&#xffffffff;''&#xd800;&#;&#x;&")"},
           {"CGI.unescapeHTML('&#x1F600;') == \"\\xf0\\x9f\\x98\\x80\"", "true"},
           {"CGI.unescapeHTML('&#0000000065;&#x' + '0' * 50 + '42;&#00000001114112;')", R"("AB&#00000001114112;")"},
           {"HTML.unescape('&#9') + HTML.unescape('&#99999999999;')", "\"&#9&#99999999999;\""}});
}

TEST_CASE("at every place of a vector") {
    const auto v = usual_vm();
    CHECK(
        answered(*v, "(0..40).all? { |i| HTML.escape('a' * i + '<' + 'b' * (40 - i)) == 'a' * i + '&lt;' + 'b' * (40 - i) }") ==
        "true");
    CHECK(answered(*v,
                   "(0..40).all? { |i| s = 'a' * i + '&\"' + 'b' * (40 - i); HTML.unescape(HTML.escape(s)) == s && "
                   "CGI.unescape(CGI.escape(s)) == s }") == "true");
}
