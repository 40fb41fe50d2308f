// Rows into intervals: what each aggregate is, which rows are late, what stands in gaps, and what is too much.
#include "extract/resample.hpp"

#include <algorithm>
#include <map>

#include "extract/candle_series.hpp"
#include "tests/extract/rows.hpp"

using namespace rows;

namespace {

struct asked {
    std::vector<std::string> fields;
    std::string every = "1min";
    x::gaps between = x::gaps::skip;
    std::uint64_t open = 1'000'000, limit = UINT64_MAX;
    std::string time = "t:timestamp";
};

x::resampling how(const asked& a) {
    x::resampling r;
    std::string why;
    REQUIRE(x::parse_interval(a.every, r.every, why) == errc::ok);
    r.time = field(a.time);
    r.between = a.between;
    r.open = a.open;
    r.limit = a.limit;
    for (const std::string& text : a.fields) {
        x::resampling::field f;
        std::string_view left = text;
        REQUIRE(x::split_aggregate(left, f.how));
        f.of = field(left);
        f.named = left.find('=') != std::string_view::npos;
        r.fields.push_back(std::move(f));
    }
    return r;
}

// What comes out of documents, each text one batch of lines: CSV below its header; an error is its sentence.
struct outcome {
    std::string csv;
    std::vector<std::string> left;
    std::uint64_t timeless = 0;
};
outcome resampled(const asked& a, const std::vector<std::vector<std::string>>& batches) {
    x::resampling r = how(a);
    std::vector<x::column_spec> columns;
    std::string why;
    REQUIRE(r.columns(columns, why) == errc::ok);
    const auto s = schema(std::move(columns), true);
    std::unique_ptr<x::resampler> made;
    outcome out;
    if (x::resampler::make(r, *s, nullptr, made, why) != errc::ok) return {"! " + why, {}, 0};
    buffer text;
    REQUIRE(x::write_csv_header(*made->columns(), text) == errc::ok);
    const auto take = [&] {
        for (std::unique_ptr<x::batch> got;;) {
            if (const errc e = made->take(got, why); e != errc::ok) {
                out.csv += "! " + why;
                return false;
            }
            if (!got) return true;
            out.csv += csv(*got);
        }
    };
    for (const auto& documents : batches) {
        x::batch b(s, json::level::strict);
        for (const std::string& d : documents) {
            context ctx;
            INFO(d);
            REQUIRE(b.append(as_bytes(d), {"in", {}, 0}, ctx) == errc::ok);
        }
        std::vector<x::resampler::refused> left;
        made->add(b, false, left);
        for (const auto& one : left) out.left.push_back(std::to_string(one.row) + ": " + one.why);
        if (!take()) return out;
    }
    made->finish();
    out.timeless = made->timeless();
    if (take()) out.csv.insert(0, text.data(), text.size());
    return out;
}

std::string at(const char* clock, const std::string& v) {
    return std::string("{\"t\":\"2016-12-25T") + clock + "Z\",\"v\":" + v + "}";
}

}  // namespace

TEST_CASE("a candle by time, whatever the order of the rows") {
    const asked a{.fields = {"v:int64:ohlc", "sum=v:int64:sum", "n=v:int64:count", "mean=v:int64:mean"}};
    const std::string wanted =
        "t,open,high,low,close,sum,n,mean\n"
        "2016-12-25T00:00:00Z,5,9,1,3,18,4,4.5\n"
        "2016-12-25T00:02:00Z,7,7,7,7,7,1,7.0\n";
    const std::string five = at("00:00:00", "5"), nine = at("00:00:10", "9"), one = at("00:00:20", "1"),
                      three = at("00:00:59", "3"), seven = at("00:02:00", "7");
    CHECK(resampled(a, {{five, nine, one, three, seven}}).csv == wanted);
    CHECK(resampled(a, {{seven, three}, {one, nine}, {five}}).csv == wanted);
    CHECK(resampled(a, {{three}, {seven}, {five, one, nine}}).csv == wanted);
    // Of one time the first is the earliest and the last the latest; null counts for nothing, and so does a row
    // without a time.
    const outcome o =
        resampled({.fields = {"v:int64:ohlc", "n=v:int64:count"}},
                  {{at("00:00:00", "2"), at("00:00:00", "1"), at("00:00:00", "null"), "{\"v\":9}", at("00:01:00", "null")}});
    CHECK(o.csv == "t,open,high,low,close,n\n2016-12-25T00:00:00Z,2,2,1,1,2\n2016-12-25T00:01:00Z,,,,,0\n");
    CHECK(o.timeless == 1);
}

TEST_CASE("names and types") {
    CHECK(resampled({.fields = {"btc=v:float64:ohlc", "v:decimal(5,2):sum", "w=v:decimal(5,2):max"}}, {{at("00:00:00", "1.5")}})
              .csv == "t,btc_open,btc_high,btc_low,btc_close,v,w\n2016-12-25T00:00:00Z,1.5,1.5,1.5,1.5,1.50,1.50\n");
    CHECK(resampled({.fields = {"last=t:timestamp:last", "n=t:count"}, .every = "1day"},
                    {{at("10:00:01", "1"), at("10:00:02", "1")}})
              .csv == "t,last,n\n2016-12-25T00:00:00Z,2016-12-25T10:00:02Z,2\n");
    CHECK(resampled({.fields = {"v:string:ohlc"}}, {}).csv ==
          "! ohlc is of numbers and times, and column \"v\" is string: give the field a type, v:float64:ohlc");
    CHECK(resampled({.fields = {"v:decimal:sum"}}, {}).csv ==
          "! sum is of numbers, and column \"v\" is decimal text: give the field a type, v:decimal(38,8):sum");
    CHECK(resampled({.fields = {"t:timestamp:mean"}, .time = "at=t:timestamp"}, {}).csv.find("! mean is of numbers") == 0);
    CHECK(resampled({.fields = {"n=v[*]:count"}}, {{"{\"t\":\"2016-12-25T00:00:00Z\",\"v\":[1,2]}"}}).csv ==
          "t,n\n2016-12-25T00:00:00Z,1\n");
    std::vector<x::column_spec> columns;
    std::string why;
    CHECK(how({.fields = {"v:int64:min", "v:int64:max"}}).columns(columns, why) == errc::misuse);
    CHECK(why == "two columns are named \"v\"; rename one, other=PATH");
}

TEST_CASE("first and last are of any type") {
    const std::string a = at("00:00:01", "[\"x\"]"), b = at("00:00:05", "[\"a longer text than a string holds within\",null]"),
                      c = at("00:00:03", "[]"), d = at("00:03:00", "null");
    for (const std::string type : {"json", "list[string]"}) {
        const asked how{.fields = {"f=v:" + type + ":first", "l=v:" + type + ":last", "n=v:count"}, .between = x::gaps::carry};
        const std::string wanted =
            "t,f,l,n\n"
            "2016-12-25T00:00:00Z,\"[\"\"x\"\"]\",\"[\"\"a longer text than a string holds within\"\",null]\",3\n"
            "2016-12-25T00:01:00Z,\"[\"\"a longer text than a string holds within\"\",null]\",\"[\"\"a longer text than a "
            "string holds within\"\",null]\",0\n"
            "2016-12-25T00:02:00Z,\"[\"\"a longer text than a string holds within\"\",null]\",\"[\"\"a longer text than a "
            "string holds within\"\",null]\",0\n"
            "2016-12-25T00:03:00Z,\"[\"\"a longer text than a string holds within\"\",null]\",\"[\"\"a longer text than a "
            "string holds within\"\",null]\",0\n";
        CHECK(resampled(how, {{a, b, c, d}}).csv == wanted);
        CHECK(resampled(how, {{c}, {b}, {a}, {d}}).csv == wanted);
    }
    CHECK(resampled({.fields = {"v:bool:open", "w=v:bool:close"}}, {{at("00:00:00", "true"), at("00:00:01", "false")}}).csv ==
          "t,v,w\n2016-12-25T00:00:00Z,true,false\n");
}

TEST_CASE("sums are exact, or none") {
    const std::string most = "9223372036854775807", least = "-9223372036854775808";
    // Beyond 64 bits on the way, but not at the end.
    CHECK(resampled({.fields = {"v:int64:sum"}},
                    {{at("00:00:00", most), at("00:00:01", most), at("00:00:02", least), at("00:00:03", least)}})
              .csv == "t,v\n2016-12-25T00:00:00Z,-2\n");
    const outcome o = resampled({.fields = {"v:int64:sum"}}, {{at("00:00:00", most), at("00:00:01", "1")}});
    CHECK(o.csv ==
          "! the sum for \"v\" in the interval that begins 2016-12-25T00:00:00Z is more than its type holds (int64): give the "
          "field another one, PATH:decimal(38,0):sum or PATH:float64:sum");
    CHECK(resampled({.fields = {"v:decimal(38,0):sum"}}, {{at("00:00:00", most), at("00:00:01", "1")}}).csv ==
          "t,v\n2016-12-25T00:00:00Z,9223372036854775808\n");
    const std::string nines(38, '9');
    CHECK(resampled({.fields = {"v:decimal(38,0):sum"}}, {{at("00:00:00", nines), at("00:00:01", "1")}})
              .csv.rfind("! the sum", 0) == 0);
    CHECK(resampled({.fields = {"v:decimal(38,0):sum"}},
                    {{at("00:00:00", nines), at("00:00:01", nines), at("00:00:02", "-" + nines), at("00:00:03", "-" + nines)}})
              .csv.rfind("! the sum", 0) == 0);  // of which 128 bits have no room on the way
    CHECK(resampled({.fields = {"v:float64:sum"}}, {{at("00:00:00", "1e308"), at("00:00:01", "1e308")}})
              .csv.rfind("! the sum", 0) == 0);
    // A double's sum keeps what is small beside what is large.
    CHECK(resampled({.fields = {"v:float64:sum"}}, {{at("00:00:00", "1e16"), at("00:00:01", "1"), at("00:00:02", "-1e16")}})
              .csv == "t,v\n2016-12-25T00:00:00Z,1.0\n");
    // Means of integers are rounded once.
    CHECK(resampled({.fields = {"v:int64:mean"}}, {{at("00:00:00", "9007199254740993"), at("00:00:01", "9007199254740992"),
                                                    at("00:00:02", "9007199254740993")}})
              .csv == "t,v\n2016-12-25T00:00:00Z,9007199254740992.0\n");
    CHECK(resampled({.fields = {"v:int64:mean"}}, {{at("00:00:00", least), at("00:00:01", least)}}).csv ==
          "t,v\n2016-12-25T00:00:00Z,-9.223372036854776e+18\n");
}

TEST_CASE("as many intervals wait as are asked for") {
    asked a{.fields = {"v:int64:sum"}, .open = 2};
    const std::vector<std::string> in_order{at("00:00:00", "1"), at("00:01:00", "2"), at("00:02:00", "4"), at("00:01:30", "8")};
    CHECK(resampled(a, {in_order}).csv == "t,v\n2016-12-25T00:00:00Z,1\n2016-12-25T00:01:00Z,10\n2016-12-25T00:02:00Z,4\n");
    std::vector<std::string> late = in_order;
    late.push_back(at("00:00:59", "16"));
    // However the rows come.
    for (const auto& batches :
         {std::vector<std::vector<std::string>>{late}, {{late[0], late[1], late[2]}, {late[3], late[4]}}}) {
        const outcome o = resampled(a, batches);
        REQUIRE(o.left.size() == 1);
        CHECK(o.left[0].find(
                  "its time is 2016-12-25T00:00:59Z, and the interval that begins 2016-12-25T00:00:00Z is closed, for 2 "
                  "later ones are open: raise --open-intervals (open_intervals), or sort the inputs by time") !=
              std::string::npos);
        CHECK(o.csv == "t,v\n2016-12-25T00:00:00Z,1\n2016-12-25T00:01:00Z,10\n2016-12-25T00:02:00Z,4\n");
    }
    // One that never began is closed as well when so many later ones are open.
    CHECK(resampled(a, {{at("00:05:00", "1"), at("00:07:00", "1"), at("00:03:00", "1"), at("00:06:00", "1")}}).left.size() ==
          1);
    a.limit = 2;
    CHECK(resampled(a, {in_order}).csv == "t,v\n2016-12-25T00:00:00Z,1\n2016-12-25T00:01:00Z,10\n");
}

TEST_CASE("gaps") {
    asked a{.fields = {"v:int64:ohlc", "sum=v:int64:sum", "n=v:int64:count", "mean=v:int64:mean"}};
    const std::vector<std::string> documents{at("00:00:00", "5"), at("00:00:01", "6"), at("00:02:00", "null"),
                                             at("00:03:00", "1")};
    a.between = x::gaps::empty;
    CHECK(resampled(a, {documents}).csv ==
          "t,open,high,low,close,sum,n,mean\n2016-12-25T00:00:00Z,5,6,5,6,11,2,5.5\n2016-12-25T00:01:00Z,,,,,0,0,\n"
          "2016-12-25T00:02:00Z,,,,,0,0,\n2016-12-25T00:03:00Z,1,1,1,1,1,1,1.0\n");
    a.between = x::gaps::carry;
    CHECK(resampled(a, {documents}).csv ==
          "t,open,high,low,close,sum,n,mean\n2016-12-25T00:00:00Z,5,6,5,6,11,2,5.5\n2016-12-25T00:01:00Z,6,6,6,6,0,0,6.0\n"
          "2016-12-25T00:02:00Z,6,6,6,6,0,0,6.0\n2016-12-25T00:03:00Z,1,1,1,1,1,1,1.0\n");
    CHECK(resampled({.fields = {"v:int64:max"}, .between = x::gaps::carry}, {documents}).csv.find("00:01:00Z,6\n") !=
          std::string::npos);
    a.open = 1000;
    const outcome o = resampled(a, {{at("00:00:00", "1"), "{\"t\":\"2017-12-25T00:00:00Z\",\"v\":1}"}});
    CHECK(
        o.csv.find(
            "! from 2016-12-25T00:01:00Z to 2017-12-25T00:00:00Z there are 525599 intervals without a row, and gaps of that "
            "many "
            "are not filled: leave them out (--gaps skip, gaps), or raise --open-intervals (open_intervals), which is 1000") !=
        std::string::npos);
}

TEST_CASE("a chart has neighbours as one where it has no room") {
    x::resampling r = how({.fields = {"v:int64:ohlc", "n=v:int64:sum"}});
    std::vector<x::column_spec> columns;
    std::string why;
    REQUIRE(r.columns(columns, why) == errc::ok);
    const auto s = schema(std::move(columns), true);
    std::unique_ptr<x::resampler> made;
    REQUIRE(x::resampler::make(r, *s, nullptr, made, why) == errc::ok);
    x::batch b(s, json::level::strict);
    // A thousand minutes, of which a hundred are missing.
    for (int i = 0; i < 1000; ++i) {
        if (i >= 400 && i < 500) continue;
        context ctx;
        const std::string d =
            "{\"t\":" + std::to_string(1482600000 + i * 60) + ",\"v\":" + std::to_string(i * 7919 % 1000) + "}";
        REQUIRE(b.append(as_bytes(d), {"in", {}, 0}, ctx) == errc::ok);
    }
    std::vector<x::resampler::refused> left;
    made->add(b, false, left);
    made->finish();
    x::candle_series chart(50, made->length(), made->roles(), INT64_MIN, INT64_MAX);
    for (std::unique_ptr<x::batch> got; made->take(got, why) == errc::ok && got;) chart.push(*got);
    REQUIRE(chart.length() == 16 * 60'000'000);
    std::map<std::int64_t, std::vector<int>> wanted;
    for (int i = 0; i < 1000; ++i)
        if (i < 400 || i >= 500) wanted[i / 16].push_back(i * 7919 % 1000);
    REQUIRE(chart.rows().size() == wanted.size());
    std::size_t k = 0;
    for (const auto& [number, values] : wanted) {
        CHECK(chart.value(k, 0) == values.front());
        CHECK(chart.value(k, 1) == *std::max_element(values.begin(), values.end()));
        CHECK(chart.value(k, 2) == *std::min_element(values.begin(), values.end()));
        CHECK(chart.value(k, 3) == values.back());
        double sum = 0;
        for (const int v : values) sum += v;
        CHECK(chart.value(k, 4) == sum);
        ++k;
    }
}
