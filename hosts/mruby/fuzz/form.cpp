// Queries and forms: the reader's pairs, Query's three ways and URI's, against a split byte by byte; what is built of
// them and read again is the same.
#include <algorithm>
#include <optional>
#include <utility>

#include "../library/form.hpp"
#include "ruby.hpp"

using namespace fuzz;

namespace {

struct pair {
    std::string_view key;
    std::optional<std::string_view> value;
};

std::vector<pair> pairs_of(std::string_view text) {
    std::vector<pair> pairs;
    for (const std::string_view one : split(text, '&', text.size() + 1)) {
        if (one.empty()) continue;
        const auto two = split(one, '=', 2);
        pairs.push_back({two[0], two.size() == 2 ? std::optional(two[1]) : std::nullopt});
    }
    return pairs;
}

void expect_value(mrb_value v, const std::optional<std::string_view>& is) {
    if (!is) return expect(mrb_nil_p(v), "a name without a value has one");
    expect_equal(text_of(v), plain_decode(*is, true), "another value");
}

// Every name once, in the order of its first coming; its values in theirs.
void expect_all(ruby& in, mrb_value all, mrb_value last, const std::vector<pair>& pairs) {
    std::vector<std::pair<std::string, std::vector<const pair*>>> names;
    for (const pair& p : pairs) {
        const std::string name = plain_decode(p.key, true);
        auto at = std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.first == name; });
        if (at == names.end()) at = names.insert(at, {name, {}});
        at->second.push_back(&p);
    }
    const mrb_value keys = mrb_hash_keys(in.state(), all);
    expect(in.same(keys, mrb_hash_keys(in.state(), last)), "parse and parse_all find other names");
    expect(RARRAY_LEN(keys) == static_cast<mrb_int>(names.size()), "another number of names");
    for (mrb_int i = 0; i < RARRAY_LEN(keys); ++i) {
        const mrb_value key = RARRAY_PTR(keys)[i], list = mrb_hash_get(in.state(), all, key);
        const auto& [name, values] = names[static_cast<std::size_t>(i)];
        expect_equal(text_of(key), name, "another name");
        expect(mrb_array_p(list) && RARRAY_LEN(list) == static_cast<mrb_int>(values.size()), "another number of values");
        for (std::size_t k = 0; k < values.size(); ++k) expect_value(RARRAY_PTR(list)[k], values[k]->value);
        expect_value(mrb_hash_get(in.state(), last, key), values.back()->value);
    }
}

// Strings and nil only, no deeper than the limit; how many. A name's brackets make two levels of a[][b].
std::size_t leaves(ruby& in, mrb_value v, int depth) {
    expect(depth <= 2 * 32 + 1, "nested deeper than the limit");
    if (mrb_nil_p(v) || mrb_string_p(v)) return 1;
    const mrb_value list = mrb_hash_p(v) ? mrb_hash_values(in.state(), v) : v;
    expect(mrb_array_p(list), "neither text nor a container");
    std::size_t n = 0;
    for (mrb_int i = 0; i < RARRAY_LEN(list); ++i) n += leaves(in, RARRAY_PTR(list)[i], depth + 1);
    return n;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::vector<pair> pairs = pairs_of(text);
    std::size_t n = 0;
    std::string_view key, value;
    for (mruby::query_reader q(text); q.next(key, value); ++n) {
        expect_within(key, text);
        expect_within(value, text);
        expect(n < pairs.size(), "more pairs");
        expect_equal(key, pairs[n].key, "another key");
        expect((value.data() != nullptr) == pairs[n].value.has_value(), "with an equals sign or without");
        expect_equal(value, pairs[n].value.value_or(""), "another value");
    }
    expect(n == pairs.size(), "fewer pairs");

    ruby in(size % 3 == 0);
    const mrb_value query = in.string(text);
    mrb_value all, last, nested;
    const bool few = pairs.size() <= 4096;
    expect(in.call(all, "Query::LimitError", "Query", "parse_all", query) == few, "the limit of parameters");
    expect(in.call(last, "Query::LimitError", "Query", "parse", query) == few, "the limit of parameters");
    const bool through = in.call(nested, "Query::LimitError Query::ParameterTypeError", "Query", "parse_nested", query);
    if (!few) return 0;
    expect_all(in, all, last, pairs);
    if (through)
        expect(leaves(in, nested, 0) <= pairs.size() + static_cast<std::size_t>(mrb_hash_empty_p(in.state(), nested)),
               "values from nowhere");
    const bool flat = std::none_of(pairs.begin(), pairs.end(), [](const pair& p) {
        const std::string name = plain_decode(p.key, true);
        return name.empty() || name.find_first_of("[]") != name.npos;
    });
    if (flat) expect(through && in.same(nested, last), "without brackets nothing is nested");

    const mrb_value built = in.must("Query", "build", all);
    expect(in.same(in.must("Query", "parse_all", built), all), "built and read again, it is another query");
    const mrb_value list = in.must("URI", "decode_www_form", query), form = in.must("URI", "encode_www_form", list);
    expect(in.same(in.must("URI", "decode_www_form", form), list), "a form written and read is another");
    return 0;
}
