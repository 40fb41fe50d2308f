// Text with % and &, there and back and against a walk byte by byte; addresses, whose parts make the whole again, and
// which are joined as RFC 3986 writes it down (5.2).
#include <cstring>

#include "../library/escape.hpp"
#include "ruby.hpp"

using namespace fuzz;

namespace {

void percent(std::string_view s) {
    constexpr std::string_view unreserved = "-._~", reserved = ":/?#[]@!$&'()*+,;=%";
    for (const auto style : {mruby::percent::form, mruby::percent::query, mruby::percent::component, mruby::percent::address}) {
        const bool form = style == mruby::percent::form, plus = form || style == mruby::percent::query,
                   address = style == mruby::percent::address;
        std::string wanted;
        for (const char c : s) {
            const bool alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            const auto in = [c](std::string_view set) { return c != '\0' && set.find(c) != set.npos; };
            char hex[4];
            std::snprintf(hex, sizeof hex, "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
            if (alnum || in(form ? "*-._" : unreserved) || (address && in(reserved)))
                wanted += c;
            else
                wanted += plus && c == ' ' ? "+" : hex;
        }
        std::string made(mruby::percent_encoded_size(s, style), '\0');
        expect(mruby::percent_encode(s, style, made.data()) == made.data() + made.size(), "another size than was said");
        expect_equal(made, wanted, "encoded otherwise");
        expect(address || mruby::percent_valid(made), "what was encoded is not valid");
        if (address) continue;  // keeps %
        expect_equal(plain_decode(made, plus), s, "the walk byte by byte is wrong");
        char* const end = mruby::percent_decode(made, plus, made.data());  // in its own place
        expect_equal({made.data(), static_cast<std::size_t>(end - made.data())}, s, "encoded and decoded, it is another");
    }
    for (const bool plus : {false, true}) {
        std::string out(s.size(), '\0');
        const char* const end = mruby::percent_decode(s, plus, out.data());
        expect_equal({out.data(), static_cast<std::size_t>(end - out.data())}, plain_decode(s, plus), "decoded otherwise");
    }
}

void html(std::string_view s) {
    std::string wanted;
    for (const char c : s)
        wanted += c == '&'    ? "&amp;"
                  : c == '<'  ? "&lt;"
                  : c == '>'  ? "&gt;"
                  : c == '"'  ? "&quot;"
                  : c == '\'' ? "&#39;"
                              : std::string(1, c);
    std::string made(mruby::html_escaped_size(s), '\0');
    expect(mruby::html_escape(s, made.data()) == made.data() + made.size(), "another size than was said");
    expect_equal(made, wanted, "escaped otherwise");
    const char* end = mruby::html_unescape(made, made.data());
    expect_equal({made.data(), static_cast<std::size_t>(end - made.data())}, s, "escaped and back, it is another");
    std::string out(s.size(), '\0');
    end = mruby::html_unescape(s, out.data());
    expect(end <= out.data() + out.size(), "longer than it was");
    if (s.find('&') == s.npos)
        expect_equal({out.data(), static_cast<std::size_t>(end - out.data())}, s, "nothing is escaped, and it is another");
}

// --- RFC 3986, 5.2 and 5.3, as it is written there --------------------------------------------------------------------------

struct address {
    bool scheme = false, authority = false, query = false, fragment = false;
    std::string of_scheme, of_authority, path, of_query, of_fragment;
};

// By the expression of appendix B: ^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?
address parts_of(std::string s) {
    address a;
    const std::size_t end = s.find_first_of(":/?#");
    a.scheme = end != s.npos && end != 0 && s[end] == ':';
    if (a.scheme) a.of_scheme = s.substr(0, end), s.erase(0, end + 1);
    a.fragment = s.find('#') != s.npos;
    if (a.fragment) a.of_fragment = s.substr(s.find('#') + 1), s.erase(s.find('#'));
    a.query = s.find('?') != s.npos;
    if (a.query) a.of_query = s.substr(s.find('?') + 1), s.erase(s.find('?'));
    a.authority = s.substr(0, 2) == "//";
    if (a.authority) {
        s.erase(0, 2);
        a.of_authority = s.substr(0, s.find('/'));
        s.erase(0, a.of_authority.size());
    }
    a.path = s;
    return a;
}

// A path that begins with two slashes would be read as an authority: RFC 3986 forbids it (3.3), and leaves joining one
// open.
std::string whole_of(const address& a) {
    return (a.scheme ? a.of_scheme + ":" : "") +
           (a.authority                  ? "//" + a.of_authority
            : a.path.rfind("//", 0) == 0 ? "/."
                                         : "") +
           a.path + (a.query ? "?" + a.of_query : "") + (a.fragment ? "#" + a.of_fragment : "");
}

std::string without_dots(std::string in) {
    std::string out;
    const auto starts = [&](const char* with) { return in.rfind(with, 0) == 0; };
    const auto drop_last = [&] { out.erase(out.rfind('/') == out.npos ? 0 : out.rfind('/')); };
    while (!in.empty()) {
        if (starts("../")) {
            in.erase(0, 3);
        } else if (starts("./")) {
            in.erase(0, 2);
        } else if (starts("/./")) {
            in.replace(0, 3, "/");
        } else if (in == "/.") {
            in = "/";
        } else if (starts("/../")) {
            in.replace(0, 4, "/");
            drop_last();
        } else if (in == "/..") {
            in = "/";
            drop_last();
        } else if (in == "." || in == "..") {
            in.clear();
        } else {
            const std::size_t end = in.find('/', 1);
            out += in.substr(0, end);
            in.erase(0, end == in.npos ? in.size() : end);
        }
    }
    return out;
}

std::string joined(const address& base, const address& r) {
    address t = r;
    t.path = without_dots(r.path);
    if (!r.scheme) {
        t.scheme = base.scheme;
        t.of_scheme = base.of_scheme;
        if (!r.authority) {
            t.authority = base.authority;
            t.of_authority = base.of_authority;
            if (r.path.empty()) {
                t.path = base.path;
                if (!r.query) t.query = base.query, t.of_query = base.of_query;
            } else if (r.path[0] != '/') {
                const bool bare = base.authority && base.path.empty();
                const std::size_t slash = base.path.rfind('/');
                t.path = without_dots((bare ? "/" : slash == base.path.npos ? "" : base.path.substr(0, slash + 1)) + r.path);
            }
        }
    }
    return whole_of(t);
}

void addresses(std::string_view text) {
    ruby in(text.size() % 3 == 0);
    mrb_value parsed, whole;
    constexpr const char* refused = "URI::InvalidURIError";
    const bool good = in.call(parsed, refused, "URI", "parse", in.string(text));
    if (good) {
        const address a = parts_of(std::string(text));
        expect_equal(text_of(in.ask(parsed, "to_s")), text, "an address is written as another");
        expect_equal(text_of(in.ask(parsed, "path")), a.path, "another path");
        const auto part = [&](const char* name, bool there, std::string_view is) {
            const mrb_value v = in.ask(parsed, name);
            expect(mrb_nil_p(v) != there, "a part from nowhere, or lost");
            if (there) expect_equal(text_of(v), is, "another part");
        };
        part("query", a.query, a.of_query);
        part("fragment", a.fragment, a.of_fragment);
        const mrb_value host = in.ask(parsed, "host"), port = in.ask(parsed, "port");
        expect(mrb_nil_p(host) != a.authority, "a host from nowhere, or lost");
        if (a.authority) expect(a.of_authority.find(text_of(host)) != std::string::npos, "a host from elsewhere");
        expect(mrb_nil_p(port) || (mrb_integer(port) >= 0 && mrb_integer(port) <= 65535), "a port that is none");
        const std::string target = std::string(a.path.empty() ? "/" : a.path) + (a.query ? "?" + a.of_query : "");
        expect_equal(text_of(in.ask(parsed, "request_uri")), target, "another request");
    }
    // Joined to an address that has all parts, and to one without a path.
    for (const char* const base : {"http://a/b/c/d;p?q", "http://a", "mailto:x/y", "file:///a/../b"}) {
        const bool through = in.call(whole, refused, "URI", "join", in.string(base), in.string(text));
        expect(through == good, "joined, and no address; or the other way round");
        if (!through) continue;
        expect_equal(text_of(in.ask(whole, "to_s")), joined(parts_of(base), parts_of(std::string(text))), "joined otherwise");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    percent(text);
    html(text);
    addresses(text);
    return 0;
}
