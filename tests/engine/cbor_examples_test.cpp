// The examples of RFC 8949's appendix A: what each arrives as, and that it is written as it stood. Values that the
// model says otherwise (undefined, tags and simple values without a meaning) come back byte by byte through
// exact_read.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "engine/cbor/boundary.hpp"
#include "engine/cbor/reader.hpp"
#include "engine/cbor/writer.hpp"
#include "tests/engine/helpers.hpp"

using namespace kumihimo;
using namespace helpers;

namespace {

struct example {
    const char* hex;
    std::string trace;              // without counts, a line end after each verb but the last
    const char* written = nullptr;  // by `preferred` after standard_read, where not the same
};

std::string f64(const char* bits, const char* text) { return std::string("f64 0x") + bits + " " + text; }

const std::vector<example>& examples() {
    static const std::vector<example> all = [] {
        std::string long_array = "array\n";
        for (int i = 1; i <= 25; ++i) long_array += "i64 " + std::to_string(i) + "\n";
        long_array += "end";
        const char* const five =
            "map\nkey \"a\"\nstr \"A\"\nkey \"b\"\nstr \"B\"\nkey \"c\"\nstr \"C\"\nkey \"d\"\nstr \"D\"\nkey \"e\"\nstr "
            "\"E\"\nend";
        const char* const nested = "array\ni64 1\narray\ni64 2\ni64 3\nend\narray\ni64 4\ni64 5\nend\nend";
        const char* const mixed = "map\nkey \"a\"\ni64 1\nkey \"b\"\narray\ni64 2\ni64 3\nend\nend";
        const char* const pair = "array\nstr \"a\"\nmap\nkey \"b\"\nstr \"c\"\nend\nend";
        return std::vector<example>{
            {"00", "i64 0"},
            {"01", "i64 1"},
            {"0a", "i64 10"},
            {"17", "i64 23"},
            {"1818", "i64 24"},
            {"1819", "i64 25"},
            {"1864", "i64 100"},
            {"1903e8", "i64 1000"},
            {"1a000f4240", "i64 1000000"},
            {"1b000000e8d4a51000", "i64 1000000000000"},
            {"1bffffffffffffffff", "u64 18446744073709551615"},
            {"c249010000000000000000", "big 18446744073709551616"},
            {"3bffffffffffffffff", "big -18446744073709551616"},
            {"c349010000000000000000", "big -18446744073709551617"},
            {"20", "i64 -1"},
            {"29", "i64 -10"},
            {"3863", "i64 -100"},
            {"3903e7", "i64 -1000"},
            {"f90000", f64("0000000000000000", "0")},
            {"f98000", f64("8000000000000000", "-0")},
            {"f93c00", f64("3ff0000000000000", "1")},
            {"fb3ff199999999999a", f64("3ff199999999999a", "1.1")},
            {"f93e00", f64("3ff8000000000000", "1.5")},
            {"f97bff", f64("40effc0000000000", "65504")},
            {"fa47c35000", f64("40f86a0000000000", "100000")},
            {"fa7f7fffff", f64("47efffffe0000000", "3.4028234663852886e+38")},
            {"fb7e37e43c8800759c", f64("7e37e43c8800759c", "1e+300")},
            {"f90001", f64("3e70000000000000", "5.960464477539063e-8")},
            {"f90400", f64("3f10000000000000", "0.00006103515625")},
            {"f9c400", f64("c010000000000000", "-4")},
            {"fbc010666666666666", f64("c010666666666666", "-4.1")},
            {"f97c00", f64("7ff0000000000000", "inf")},
            {"f97e00", f64("7ff8000000000000", "nan")},
            {"f9fc00", f64("fff0000000000000", "-inf")},
            {"fa7f800000", f64("7ff0000000000000", "inf"), "f97c00"},
            {"fa7fc00000", f64("7ff8000000000000", "nan"), "f97e00"},
            {"faff800000", f64("fff0000000000000", "-inf"), "f9fc00"},
            {"fb7ff0000000000000", f64("7ff0000000000000", "inf"), "f97c00"},
            {"fb7ff8000000000000", f64("7ff8000000000000", "nan"), "f97e00"},
            {"fbfff0000000000000", f64("fff0000000000000", "-inf"), "f9fc00"},
            {"f4", "boolean false"},
            {"f5", "boolean true"},
            {"f6", "null"},
            {"f7", "null", "f6"},
            {"f0", "ext 24 0xf0"},
            {"f8ff", "ext 24 0xf8ff"},
            {"c074323031332d30332d32315432303a30343a30305a", "time utc 1363896240 0 0", "c11a514b67b0"},
            {"c11a514b67b0", "time utc 1363896240 0 0"},
            {"c1fb41d452d9ec200000", "time utc 1363896240 500000000 0"},
            {"d74401020304", "ext 24 0xd74401020304"},
            {"d818456449455446", "ext 24 0xd818456449455446"},
            {"d82076687474703a2f2f7777772e6578616d706c652e636f6d",
             "ext 24 0xd82076687474703a2f2f7777772e6578616d706c652e636f6d"},
            {"40", "bin 0x"},
            {"4401020304", "bin 0x01020304"},
            {"60", "str \"\""},
            {"6161", "str \"a\""},
            {"6449455446", "str \"IETF\""},
            {"62225c", "str \"\\\"\\\\\""},
            {"62c3bc", "str \"\\u{fc}\""},
            {"63e6b0b4", "str \"\\u{6c34}\""},
            {"64f0908591", "str \"\\u{10151}\""},
            {"80", "array\nend"},
            {"83010203", "array\ni64 1\ni64 2\ni64 3\nend"},
            {"8301820203820405", nested},
            {"98190102030405060708090a0b0c0d0e0f101112131415161718181819", long_array},
            {"a0", "map\nend"},
            {"a201020304", "map\nkey\ni64 1\ni64 2\nkey\ni64 3\ni64 4\nend"},
            {"a26161016162820203", mixed},
            {"826161a161626163", pair},
            {"a56161614161626142616361436164614461656145", five},
            {"5f42010243030405ff", "bin 0x0102030405", "450102030405"},
            {"7f657374726561646d696e67ff", "str \"streaming\"", "6973747265616d696e67"},
            {"9fff", "array\nend", "80"},
            {"9f018202039f0405ffff", nested, "8301820203820405"},
            {"9f01820203820405ff", nested, "8301820203820405"},
            {"83018202039f0405ff", nested, "8301820203820405"},
            {"83019f0203ff820405", nested, "8301820203820405"},
            {"9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", long_array,
             "98190102030405060708090a0b0c0d0e0f101112131415161718181819"},
            {"bf61610161629f0203ffff", mixed, "a26161016162820203"},
            {"826161bf61626163ff", pair, "826161a161626163"},
            {"bf6346756ef563416d7421ff", "map\nkey \"Fun\"\nboolean true\nkey \"Amt\"\ni64 -2\nend", "a26346756ef563416d7421"},
        };
    }();
    return all;
}

template <class R>
std::string lines(const std::string& document, const R& granted) {
    context ctx;
    cbor::reader from(as_bytes(document), ctx, granted);
    return trace(from, ctx, {.counts = false});
}

}  // namespace

TEST_CASE("every example is read") {
    CHECK(examples().size() == 81);
    for (const example& x : examples()) {
        CAPTURE(std::string(x.hex));
        CHECK(lines(unhex(x.hex), cbor::standard_read) == x.trace + "\n");
    }
}

TEST_CASE("every example is written, known counts and late ones") {
    for (const example& x : examples()) {
        CAPTURE(std::string(x.hex));
        const std::string expected = x.written == nullptr ? x.hex : x.written;
        CHECK(hex(write<cbor::writer>(x.trace + "\n", cbor::preferred)) == expected);
        context ctx;
        buffer out;
        const std::string document = unhex(x.hex);
        cbor::reader from(as_bytes(document), ctx);
        cbor::writer to(out, ctx);
        bytes written;
        REQUIRE(pipe(from, to, written) == errc::ok);
        CHECK(hex(as_string(written)) == expected);
    }
}

TEST_CASE("undefined is kept where it is asked for") {
    CHECK(lines(unhex("f7"), cbor::exact_read) == "ext 24 0xf7\n");
    CHECK(hex(write<cbor::writer>("ext 24 0xf7\n", cbor::preferred)) == "f7");
}

TEST_CASE("readers that insist take what the writers write and nothing else") {
    for (const example& x : examples()) {
        CAPTURE(std::string(x.hex));
        const std::string document = unhex(x.hex);
        const bool indefinite = std::string(x.hex).find("ff") != std::string::npos && x.written != nullptr && x.hex[0] != 'f';
        // 8301..9f..: the outer array is definite, an inner one is not.
        const bool preferred = x.written == nullptr || indefinite || x.hex[0] == 'c' || std::string(x.hex) == "f7";
        const bool deterministic = preferred && !indefinite;
        CHECK(lines(document, cbor::preferred_read).starts_with("error") != preferred);
        CHECK(lines(document, cbor::deterministic_read).starts_with("error") != deterministic);
        const std::string written = write<cbor::writer>(x.trace + "\n", cbor::deterministic);
        CHECK(lines(written, cbor::deterministic_read).starts_with("error") == false);
    }
}

TEST_CASE("every example cut anywhere is truncated, and the boundary finds its end") {
    for (const example& x : examples()) {
        CAPTURE(std::string(x.hex));
        const std::string document = unhex(x.hex);
        for (std::size_t n = 0; n < document.size(); ++n) {
            const std::vector<char> cut(document.begin(), document.begin() + static_cast<std::ptrdiff_t>(n));
            CHECK(lines({cut.data(), n}, cbor::standard_read).starts_with("error truncated "));
            // Two pieces, cut here; a document follows.
            cbor::boundary state;
            const std::string stream = document + '\x01';
            std::size_t used = state.next(stream.data(), n);
            CHECK(used == n);
            CHECK(!state.complete);
            used += state.next(stream.data() + n, stream.size() - n);
            CHECK(state.complete);
            CHECK(used == document.size());
        }
    }
}
