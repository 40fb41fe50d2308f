// Cookies: a header's pairs against a split byte by byte; and whatever Cookies.make is given, it makes one header with
// the attributes asked for and no more, whose cookie is read again as the same.
#include <algorithm>
#include <utility>

#include "../library/form.hpp"
#include "../library/token.hpp"
#include "ruby.hpp"

using namespace fuzz;

namespace {

std::string_view trimmed(std::string_view s) {
    const std::size_t begin = s.find_first_not_of(" \t"), end = s.find_last_not_of(" \t");
    return begin == s.npos ? std::string_view() : s.substr(begin, end - begin + 1);
}

std::vector<std::pair<std::string_view, std::string_view>> pairs_of(std::string_view header) {
    std::vector<std::pair<std::string_view, std::string_view>> pairs;
    for (const std::string_view one : split(header, ';', header.size() + 1)) {
        const auto two = split(trimmed(one), '=', 2);
        if (two.size() != 2 || two[0].empty()) continue;
        std::string_view v = two[1];
        if (v.size() > 1 && v[0] == '"' && v[v.size() - 1] == '"') v = v.substr(1, v.size() - 2);
        pairs.emplace_back(two[0], v);
    }
    return pairs;
}

void read(std::string_view header) {
    const auto pairs = pairs_of(header);
    std::size_t n = 0;
    std::string_view name, value;
    for (mruby::cookie_reader c(header); c.next(name, value); ++n) {
        expect_within(name, header);
        expect_within(value, header);
        expect(n < pairs.size(), "more cookies");
        expect_equal(name, pairs[n].first, "another name");
        expect_equal(value, pairs[n].second, "another value");
    }
    expect(n == pairs.size(), "fewer cookies");
    ruby in(header.size() % 3 == 0);
    const mrb_value all = in.must("Cookies", "parse", in.string(header));
    std::vector<std::string_view> seen;
    for (std::size_t i = 0; i < pairs.size() && i < 1000; ++i) {
        if (std::find(seen.begin(), seen.end(), pairs[i].first) != seen.end()) continue;
        seen.push_back(pairs[i].first);
        const mrb_value v = mrb_hash_fetch(in.state(), all, in.string(pairs[i].first), mrb_nil_value());
        expect_equal(text_of(v), plain_decode(pairs[i].second, false), "another value, or not the first");
    }
    expect(mrb_hash_size(in.state(), all) == static_cast<mrb_int>(seen.size()), "another number of names");
}

// flags, then name, value, path, domain, expires and SameSite, with NULs between them.
void make(unsigned flags, std::string_view rest) {
    const auto fields = split(rest, '\0', 6);
    if (fields.size() < 2) return;
    ruby in(rest.size() % 3 == 0);
    const mrb_value options = mrb_hash_new(in.state());
    const char* const names[] = {"path", "domain", "expires", "same_site"};
    const char* const written[] = {"Path=", "Domain=", "Expires=", "SameSite="};
    std::vector<const char*> attributes;
    for (std::size_t i = 0; i < 4; ++i) {
        if ((flags >> i & 1) == 0 || fields.size() <= i + 2) continue;
        in.set(options, names[i], in.string(fields[i + 2]));
        attributes.push_back(written[i]);
    }
    const std::pair<const char*, const char*> switches[] = {
        {"secure", "Secure"}, {"http_only", "HttpOnly"}, {"partitioned", "Partitioned"}};
    for (std::size_t i = 0; i < 3; ++i) {
        if ((flags >> (4 + i) & 1) == 0) continue;
        in.set(options, switches[i].first, mrb_true_value());
        attributes.push_back(switches[i].second);
    }
    if ((flags & 128) != 0) in.set(options, "raw", mrb_true_value());

    const mrb_value name = in.string(fields[0]), value = in.string(fields[1]);
    const mrb_value arguments[] = {name, value, options};
    mrb_value made;
    if (!in.call(made, "ArgumentError", "Cookies", "make", arguments, 3)) return;
    const std::string_view header = text_of(made);
    expect(mruby::is_token(fields[0]), "a name that is none");
    for (const char c : header) expect(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "a control character in a header");
    const auto parts = split(header, ';', header.size() + 1);
    expect(parts.size() == attributes.size() + 1, "attributes that nobody asked for");
    for (const char* const wanted : attributes) {
        const auto is = [&](std::string_view part) {
            return trimmed(part).substr(0, std::string_view(wanted).size()) == wanted;
        };
        expect(std::count_if(parts.begin() + 1, parts.end(), is) == 1, "an attribute is not there, or twice");
    }
    const mrb_value again = mrb_hash_fetch(in.state(), in.must("Cookies", "parse", in.string(parts[0])), name, mrb_nil_value());
    const std::string sent = (flags & 128) != 0 ? plain_decode(fields[1], false) : std::string(fields[1]);
    expect_equal(text_of(again), sent, "read again, it is another cookie");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    read(text);
    if (size != 0) make(data[0], text.substr(1));
    return 0;
}
