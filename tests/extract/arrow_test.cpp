#include "extract/arrow.hpp"

#include <cerrno>
#include <cstring>

#include "tests/extract/rows.hpp"

using namespace rows;

namespace {

template <class T>
bool released(const T& s) {
    return s.release == nullptr;
}

/// What every consumer may rely on, checked from the specification and not from the exporter's code.
void check_array(const ArrowSchema& s, const ArrowArray& a, bool rows = true) {
    INFO(s.name << " " << s.format);
    CHECK(!released(a));
    CHECK(a.offset == 0);
    CHECK(a.dictionary == nullptr);
    CHECK(s.dictionary == nullptr);
    CHECK(a.null_count >= 0);
    CHECK(a.null_count <= a.length);
    REQUIRE(s.n_children == a.n_children);
    const std::string format = s.format;
    const auto n = static_cast<std::size_t>(a.length);
    const std::size_t bytes = (n + 7) / 8;
    if (format == "+s" && rows) {
        REQUIRE(a.n_buffers == 1);
        CHECK(a.buffers[0] == nullptr);
        CHECK(a.null_count == 0);
        for (std::int64_t i = 0; i < a.n_children; ++i) {
            CHECK(a.children[i]->length == a.length);
            check_array(*s.children[i], *a.children[i], false);
        }
        return;
    }
    CHECK(s.flags == ARROW_FLAG_NULLABLE);
    const auto* validity = static_cast<const unsigned char*>(a.buffers[0]);
    if (validity == nullptr) {
        CHECK(a.null_count == 0);
    } else {
        std::int64_t set = 0;
        for (std::size_t i = 0; i < n; ++i) set += validity[i / 8] >> (i % 8) & 1;
        CHECK(a.length - set == a.null_count);
        if (n % 8 != 0) CHECK((validity[bytes - 1] >> (n % 8)) == 0);  // padding bits
    }
    if (format == "+s") {
        REQUIRE(a.n_buffers == 1);
        REQUIRE(a.n_children > 0);
        for (std::int64_t i = 0; i < a.n_children; ++i) {
            CHECK(a.children[i]->length == a.length);
            check_array(*s.children[i], *a.children[i], false);
        }
    } else if (format == "+l") {
        REQUIRE(a.n_buffers == 2);
        REQUIRE(a.n_children == 1);
        CHECK(std::string(s.children[0]->name) == "item");
        const auto* offsets = static_cast<const std::int32_t*>(a.buffers[1]);
        REQUIRE(offsets != nullptr);
        CHECK(reinterpret_cast<std::uintptr_t>(offsets) % 8 == 0);
        CHECK(offsets[0] == 0);
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(offsets[i] <= offsets[i + 1]);
            if (validity != nullptr && (validity[i / 8] >> (i % 8) & 1) == 0) CHECK(offsets[i] == offsets[i + 1]);
        }
        CHECK(offsets[n] == a.children[0]->length);
        check_array(*s.children[0], *a.children[0], false);
    } else if (format == "u") {
        REQUIRE(a.n_buffers == 3);
        const auto* offsets = static_cast<const std::int32_t*>(a.buffers[1]);
        REQUIRE(offsets != nullptr);
        REQUIRE(a.buffers[2] != nullptr);
        CHECK(reinterpret_cast<std::uintptr_t>(offsets) % 8 == 0);
        CHECK(offsets[0] == 0);
        for (std::size_t i = 0; i < n; ++i) CHECK(offsets[i] <= offsets[i + 1]);
    } else {
        REQUIRE(a.n_buffers == 2);
        REQUIRE(a.buffers[1] != nullptr);
        CHECK(reinterpret_cast<std::uintptr_t>(a.buffers[1]) % 8 == 0);
    }
}

std::string metadata(const ArrowSchema& s) {
    std::string out;
    const char* p = s.metadata;
    if (p == nullptr) return out;
    const auto number = [&] {
        std::int32_t n;
        std::memcpy(&n, p, sizeof n);
        p += sizeof n;
        return n;
    };
    const auto text = [&] {
        const auto n = static_cast<std::size_t>(number());
        out.append(p, n);
        p += n;
    };
    for (std::int32_t pairs = number(); pairs > 0; --pairs) {
        text();
        out += '=';
        text();
        out += ';';
    }
    return out;
}

template <class T>
T value(const ArrowArray& a, std::size_t i) {
    T v;
    std::memcpy(&v, static_cast<const char*>(a.buffers[1]) + i * sizeof(T), sizeof v);
    return v;
}
std::string utf8(const ArrowArray& a, std::size_t i) {
    const auto from = value<std::int32_t>(a, i), to = value<std::int32_t>(a, i + 1);
    return {static_cast<const char*>(a.buffers[2]) + from, static_cast<std::size_t>(to - from)};
}
bool valid(const ArrowArray& a, std::size_t i) {
    return a.buffers[0] == nullptr || (static_cast<const unsigned char*>(a.buffers[0])[i / 8] >> (i % 8) & 1) != 0;
}

const std::initializer_list<std::string_view> fields{"i:int64",
                                                     "f:float64",
                                                     "d:decimal",
                                                     "p:decimal(10,2)",
                                                     "b:bool",
                                                     "s:string",
                                                     "at:timestamp",
                                                     "zone=at:timestamp[+09:00]",
                                                     "ns=at:timestamp[ns]",
                                                     "n:timestamp[naive]",
                                                     "j:json"};
constexpr std::string_view document =
    R"({"i":-7,"f":0.5,"d":0.00070,"p":-12.5,"b":true,"s":"é\n","at":"1970-01-01T00:00:01.5Z","n":"1970-01-01T00:00:02","j":[1]})";

}  // namespace

TEST_CASE("schema") {
    ArrowSchema s;
    REQUIRE(x::to_arrow(*schema(fields, true), &s) == errc::ok);
    CHECK(std::string(s.format) == "+s");
    CHECK(s.flags == 0);
    std::string formats;
    for (std::int64_t i = 0; i < s.n_children; ++i) {
        formats += std::string(s.children[i]->name) + '=' + s.children[i]->format + ' ';
        CHECK(s.children[i]->flags == ARROW_FLAG_NULLABLE);
        CHECK(s.children[i]->n_children == 0);
    }
    CHECK(formats ==
          "i=l f=g d=u p=d:10,2 b=b s=u at=tsu:UTC zone=tsu:+09:00 ns=tsn:UTC n=tsu: j=u archive=u entry=u offset=l ");
    CHECK(metadata(*s.children[10]) == "ARROW:extension:name=arrow.json;ARROW:extension:metadata=;");
    CHECK(s.children[5]->metadata == nullptr);
    // A consumer may take a child away and release it later, on its own.
    ArrowSchema taken = *s.children[3];
    s.children[3]->release = nullptr;
    s.release(&s);
    CHECK(released(s));
    CHECK(std::string(taken.name) == "p");
    taken.release(&taken);
    CHECK(released(taken));
}

TEST_CASE("values arrive without being copied") {
    const auto of = schema(fields, true);
    x::batch b(of, json::level::strict);
    context ctx;
    for (int round = 0; round < 100; ++round) {
        if (round % 3 == 1)
            REQUIRE(b.append_null({"z", "", 5, 0}, ctx) == errc::ok);
        else
            REQUIRE(b.append(as_bytes(document), {"a.zip", "e", static_cast<std::uint64_t>(round), 0}, ctx) == errc::ok);
    }
    context failed;  // leaves bits behind the last row that the export must not show
    CHECK(b.append(as_bytes(R"({"i":1,"f":1,"d":1,"p":1,"b":true,"s":"x","at":"x"})"), {}, failed) == errc::type);
    const char* const arena = b.at(5).arena().data();
    const char* const doubles = b.at(1).fixed().data();

    ArrowSchema s;
    ArrowArray a;
    REQUIRE(x::to_arrow(*of, &s) == errc::ok);
    REQUIRE(x::to_arrow(b, &a) == errc::ok);
    check_array(s, a);
    CHECK(a.length == 100);
    CHECK(a.children[5]->buffers[2] == arena);
    CHECK(a.children[1]->buffers[1] == doubles);
    CHECK(a.children[11]->buffers[0] == nullptr);  // no null, no bitmap
    for (std::size_t i = 0; i < 100; ++i) {
        const bool null = i % 3 == 1;
        for (int c = 0; c < 11; ++c) CHECK(valid(*a.children[c], i) == !null);
        CHECK(value<std::int64_t>(*a.children[13], i) == (null ? 5 : static_cast<std::int64_t>(i)));
        CHECK(utf8(*a.children[11], i) == (null ? "z" : "a.zip"));
        CHECK(valid(*a.children[12], i) == !null);
        if (null) continue;
        CHECK(value<std::int64_t>(*a.children[0], i) == -7);
        CHECK(value<double>(*a.children[1], i) == 0.5);
        CHECK(utf8(*a.children[2], i) == "0.00070");
        CHECK((value<__int128>(*a.children[3], i) == -1250));
        CHECK(((static_cast<const unsigned char*>(a.children[4]->buffers[1])[i / 8] >> (i % 8)) & 1) == 1);
        CHECK(utf8(*a.children[5], i) == "é\n");
        CHECK(value<std::int64_t>(*a.children[6], i) == 1500000);
        CHECK(value<std::int64_t>(*a.children[7], i) == 1500000);
        CHECK(value<std::int64_t>(*a.children[8], i) == 1500000000);
        CHECK(value<std::int64_t>(*a.children[9], i) == 2000000);
        CHECK(utf8(*a.children[10], i) == "[1]");
    }

    // The batch is empty and works on; what was exported does not change.
    CHECK(b.rows() == 0);
    REQUIRE(b.append(as_bytes(R"({"s":"other"})"), {}, ctx) == errc::ok);
    CHECK(utf8(*a.children[5], 0) == "é\n");
    ArrowArray second;
    REQUIRE(x::to_arrow(b, &second) == errc::ok);
    check_array(s, second);
    CHECK(utf8(*second.children[5], 0) == "other");

    ArrowArray child = *a.children[5];  // moved out, outlives its parent
    a.children[5]->release = nullptr;
    a.release(&a);
    CHECK(released(a));
    CHECK(utf8(child, 99) == "é\n");
    child.release(&child);
    CHECK(released(child));
    second.release(&second);
    s.release(&s);
}

TEST_CASE("lists and structs") {
    const auto of = schema({"n:list[int64]", "d:list[list[decimal]]", "s:struct[a:bool,b:struct[t:list[string],j:json]]"});
    x::batch b(of, json::level::strict);
    const std::initializer_list<std::string_view> documents{
        R"({"n":[1,null,3],"d":[[1.10],[],null,[2,3e5]],"s":{"a":true,"b":{"t":["x","yz"],"j":[1]}}})",
        R"({"n":[],"d":null,"s":{"b":{"t":null}}})",
        R"({})",
        R"({"n":[4],"d":[],"s":{"b":null,"a":null}})",
    };
    ArrowSchema s;
    ArrowArray a;
    REQUIRE(x::to_arrow(*of, &s) == errc::ok);
    CHECK(std::string(s.children[0]->format) == "+l");
    CHECK(std::string(s.children[0]->children[0]->format) == "l");
    CHECK(metadata(*s.children[1]->children[0]->children[0]) == "kumihimo:type=decimal;");
    CHECK(std::string(s.children[2]->format) == "+s");
    CHECK(std::string(s.children[2]->children[0]->name) == "a");
    CHECK(std::string(s.children[2]->children[1]->children[1]->name) == "j");
    CHECK(metadata(*s.children[2]->children[1]->children[1]) == "ARROW:extension:name=arrow.json;ARROW:extension:metadata=;");
    REQUIRE(x::to_arrow(b, &a) == errc::ok);  // without rows
    check_array(s, a);
    a.release(&a);
    for (int round = 0; round < 100; ++round)
        for (const std::string_view d : documents) {
            context ctx;
            REQUIRE(b.append(as_bytes(d), {}, ctx) == errc::ok);
        }
    context failed;  // half of it is written
    CHECK(b.append(as_bytes(R"({"n":[9,9,9],"d":[[9]],"s":{"a":true,"b":{"t":["z",[]]}}})"), {}, failed) == errc::type);
    REQUIRE(x::to_arrow(b, &a) == errc::ok);
    check_array(s, a);
    CHECK(a.length == 400);
    CHECK(a.children[0]->null_count == 100);
    CHECK(a.children[0]->children[0]->length == 400);
    CHECK(a.children[0]->children[0]->null_count == 100);
    CHECK(value<std::int64_t>(*a.children[0]->children[0], 4) == 1);
    CHECK(a.children[1]->null_count == 200);
    CHECK(a.children[1]->children[0]->null_count == 100);
    CHECK(utf8(*a.children[1]->children[0]->children[0], 0) == "1.10");
    CHECK(utf8(*a.children[1]->children[0]->children[0], 299) == "3e5");
    CHECK(a.children[2]->null_count == 100);
    CHECK(a.children[2]->children[1]->null_count == 200);
    ArrowArray taken = *a.children[1];  // moved out with what is in it
    a.children[1]->release = nullptr;
    a.release(&a);
    check_array(*s.children[1], taken, false);
    taken.release(&taken);
    REQUIRE(b.append(as_bytes(*documents.begin()), {}, failed) == errc::ok);
    REQUIRE(x::to_arrow(b, &a) == errc::ok);
    check_array(s, a);
    CHECK(value<std::int64_t>(*a.children[0]->children[0], 2) == 3);
    a.release(&a);
    s.release(&s);
}

TEST_CASE("no rows, no columns") {
    const auto of = schema(fields);
    x::batch b(of, json::level::strict);
    ArrowSchema s;
    ArrowArray a;
    REQUIRE(x::to_arrow(*of, &s) == errc::ok);
    REQUIRE(x::to_arrow(b, &a) == errc::ok);
    CHECK(a.length == 0);
    check_array(s, a);
    a.release(&a);
    s.release(&s);
    const auto bare = schema(std::vector<x::column_spec>{});
    x::batch none(bare, json::level::strict);
    context ctx;
    REQUIRE(none.append(as_bytes("{}"), {}, ctx) == errc::ok);
    REQUIRE(x::to_arrow(*bare, &s) == errc::ok);
    REQUIRE(x::to_arrow(none, &a) == errc::ok);
    CHECK(a.length == 1);
    CHECK(a.n_children == 0);
    check_array(s, a);
    a.release(&a);
    s.release(&s);
}

TEST_CASE("a stream") {
    const auto of = schema({"i:int64"});
    int given = 0;
    auto alive = std::make_shared<int>(0);
    ArrowArrayStream stream;
    REQUIRE(x::to_arrow(
                of,
                [&given, of, alive](std::unique_ptr<x::batch>& out, std::string& why) {
                    if (given == 3) {
                        why = "a.zip: e.json: broken";
                        return errc::syntax;
                    }
                    out = std::make_unique<x::batch>(of, json::level::strict);
                    context ctx;
                    return out->append(as_bytes("{\"i\":" + std::to_string(given++) + "}"), {}, ctx);
                },
                &stream) == errc::ok);
    ArrowSchema s;
    CHECK(stream.get_schema(&stream, &s) == 0);
    CHECK(std::string(s.children[0]->name) == "i");
    for (int i = 0; i < 3; ++i) {
        ArrowArray a;
        REQUIRE(stream.get_next(&stream, &a) == 0);
        check_array(s, a);
        CHECK(value<std::int64_t>(*a.children[0], 0) == i);
        a.release(&a);
    }
    CHECK(stream.get_last_error(&stream) == nullptr);
    ArrowArray a;
    CHECK(stream.get_next(&stream, &a) == EINVAL);
    CHECK(released(a));
    CHECK(std::string(stream.get_last_error(&stream)) == "a.zip: e.json: broken");
    CHECK(stream.get_next(&stream, &a) == EINVAL);  // and no end
    CHECK(released(a));
    CHECK(alive.use_count() == 2);
    stream.release(&stream);
    CHECK(released(stream));
    CHECK(alive.use_count() == 1);
    s.release(&s);
}

TEST_CASE("a stream ends") {
    ArrowArrayStream stream;
    REQUIRE(x::to_arrow(
                schema({"i:int64"}), [](std::unique_ptr<x::batch>&, std::string&) { return errc::ok; }, &stream) == errc::ok);
    ArrowArray a;
    CHECK(stream.get_next(&stream, &a) == 0);
    CHECK(released(a));
    stream.release(&stream);
}
