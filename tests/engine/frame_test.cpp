// Frames: both directions, whole and as streams, everything that can be wrong with one, and libraries that are not
// there.
#include "engine/frame/frame.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/frame/library.hpp"
#include "tests/engine/helpers.hpp"

using namespace kumihimo;
using frame::codec;
using helpers::as_bytes;

namespace {

struct result {
    errc code = errc::ok;
    std::string text;
    std::size_t offset = 0;
    std::string what;
};

result told(errc code, const buffer& out, const context& ctx) {
    CHECK(ctx.failure.code == code);
    return {code, {out.data() == nullptr ? "" : out.data(), out.size()}, ctx.failure.offset, ctx.failure.what};
}

result pack(const codec& c, std::string_view text, int level = frame::usual_level) {
    context ctx;
    buffer out;
    const errc code = frame::pack(c, as_bytes(text), out, level, ctx);
    return told(code, out, ctx);
}

result unpack(const codec& c, std::string_view packed, const limits& allowed = {}) {
    context ctx;
    ctx.limits = allowed;
    buffer out;
    const errc code = frame::unpack(c, as_bytes(packed), out, ctx);
    if (code != errc::ok) CHECK(out.size() == 0);
    return told(code, out, ctx);
}

// In pieces of at most so many bytes.
result streamed(const codec& c, std::string_view packed, std::size_t piece, const limits& allowed = {}) {
    context ctx;
    ctx.limits = allowed;
    buffer out;
    frame::unpacker from(c, ctx);
    errc code = errc::ok;
    for (std::size_t at = 0; at < packed.size() && code == errc::ok; at += piece)
        code = from.feed(as_bytes(packed.substr(at, piece)), out);
    if (code == errc::ok) code = from.finish();
    if (code == errc::ok) {
        CHECK(from.taken() == packed.size());
        CHECK(from.produced() == out.size());
        CHECK(from.proven() == out.size());
        CHECK(from.between());
    } else {
        CHECK(from.feed({}, out) == code);
        CHECK(from.finish() == code);
    }
    return told(code, out, ctx);
}

// Into a room of so many bytes at a time.
result pulled(const codec& c, std::string_view packed, std::size_t room) {
    context ctx;
    buffer out;
    frame::unpacker from(c, ctx);
    bytes in = as_bytes(packed);
    std::string text, piece(room, 0);
    for (;;) {
        std::size_t got = 0;
        errc code = from.expand(in, piece.data(), room, got);
        REQUIRE(got <= room);
        text.append(piece, 0, got);
        if (code == errc::ok && got < room) {
            CHECK(in.empty());
            code = from.finish();
            out.append(text.data(), text.size());
            return told(code, out, ctx);
        }
        if (code != errc::ok) return told(code, out, ctx);
    }
}

std::string sample(std::size_t n) {
    std::string s;
    for (std::size_t i = 0; s.size() < n; ++i)
        s += R"({"id":)" + std::to_string(i * 7919 % 10007) + R"(,"price":)" + std::to_string(i * i % 9973) + "},";
    s.resize(n);
    return s;
}

std::string noise(std::size_t n) {
    std::mt19937_64 r(7);
    std::string s(n, 0);
    for (char& c : s) c = static_cast<char>(r());
    return s;
}

const codec& gz = frame::gzip;

}  // namespace

TEST_CASE("the table") {
    CHECK(frame::all().size() == 3);
    for (const codec* c : frame::all()) {
        CAPTURE(c->name);
        CHECK(frame::by_name(c->name) == c);
        CHECK(frame::by_ending("data.json" + std::string(c->ending)) == c);
        CHECK(frame::by_ending(c->ending) == nullptr);  // a name that is nothing but its ending
        REQUIRE(frame::available(*c));
        CHECK(c->lowest <= c->usual);
        CHECK(c->usual <= c->highest);
        const std::string packed = pack(*c, "{}").text;
        CHECK(frame::recognise(as_bytes(packed)) == c);
        CHECK(c->recognises(as_bytes(packed).first(4)));
        for (std::size_t n = 0; n < 3; ++n) CHECK(c->begins(as_bytes(packed).first(n)) == codec::match::more);
    }
    CHECK(frame::by_name("brotli") == nullptr);
    CHECK(frame::by_name("") == nullptr);
    CHECK(frame::by_ending("data.json") == nullptr);
    CHECK(frame::recognise({}) == nullptr);
    CHECK(frame::recognise(as_bytes("{\"a\":1}")) == nullptr);
    CHECK(frame::recognise(as_bytes("\x1f\x8b")) == nullptr);
}

TEST_CASE("what others wrote is read") {
    // gzip -n9, zstd and lz4 of `{"a":1}` and a line break.
    struct {
        const codec& as;
        const char* hex;
    } const made[] = {
        {frame::gzip, "1f8b0800000000000203ab564a54b232ace5020046a3e87408000000"},
        {frame::zstd, "28b52ffd04584100007b2261223a317d0ae2efece0"},
        {frame::lz4, "04224d186440a7080000807b2261223a317d0a00000000e139a569"},
    };
    for (const auto& m : made) {
        CAPTURE(m.as.name);
        const std::string packed = helpers::unhex(m.hex);
        CHECK(unpack(m.as, packed).text == "{\"a\":1}\n");
        CHECK(streamed(m.as, packed, 1).text == "{\"a\":1}\n");
    }
}

TEST_CASE("there and back, every level, every size, whole and in pieces") {
    std::vector<std::string> texts = {"", "x", sample(1000), sample(300'000), noise(70'000), std::string(200'000, ' ')};
    for (const codec* c : frame::all()) {
        std::vector<int> levels = {frame::usual_level};
        for (int l = std::max(c->lowest, 1); l <= c->highest; ++l) levels.push_back(l);
        if (c->lowest < 0) levels.insert(levels.end(), {-1, -7, c->lowest, 0});
        for (const int level : levels)
            for (const std::string& text : texts) {
                CAPTURE(c->name);
                CAPTURE(level);
                CAPTURE(text.size());
                if (level > 12 && text.size() > 100'000) continue;  // seconds each, and nothing new
                const result packed = pack(*c, text, level);
                REQUIRE(packed.code == errc::ok);
                CHECK(unpack(*c, packed.text).text == text);
                CHECK(streamed(*c, packed.text, 1 << 20).text == text);
                CHECK(pulled(*c, packed.text, 4096).text == text);
            }
        for (const int wrong : {c->lowest - 1, c->highest + 1, 1 << 20}) {
            CHECK(pack(*c, "x", wrong).code == errc::range);
            context ctx;
            buffer out;
            frame::packer to(*c, ctx, wrong);
            CHECK(to.feed(as_bytes("x"), out) == errc::range);
            CHECK(to.finish(out) == errc::range);
            CHECK(out.size() == 0);
        }
        CHECK(pack(*c, sample(300'000), c->highest).text != pack(*c, sample(300'000), 1).text);
    }
}

TEST_CASE("a text larger than every buffer on the way") {
    const std::string text = sample(20 << 20) + noise(3 << 20) + std::string(9 << 20, 'x');
    for (const codec* c : frame::all()) {
        CAPTURE(c->name);
        const std::string packed = pack(*c, text, 1).text;
        const auto same = [&](const result& r) { return r.code == errc::ok && r.text == text; };
        CHECK(same(unpack(*c, packed)));
        CHECK(same(streamed(*c, packed, 64 << 10)));
        const result p = pulled(*c, packed, 1 << 20);
        CHECK(p.what == "");
        CHECK(p.offset == failure::nowhere);
        CHECK(p.text.size() == text.size());
        CHECK(same(p));
        context ctx;
        buffer out;
        frame::packer to(*c, ctx, 1);
        for (std::size_t at = 0; at < text.size(); at += 5'000'011)
            REQUIRE(to.feed(as_bytes(std::string_view(text).substr(at, 5'000'011)), out) == errc::ok);
        REQUIRE(to.finish(out) == errc::ok);
        CHECK(same(unpack(*c, {out.data(), out.size()})));
    }
}

TEST_CASE("streams: every cut of the packed bytes, every size of room") {
    const std::string text = sample(700);
    for (const codec* c : frame::all()) {
        CAPTURE(c->name);
        const std::string packed = pack(*c, text).text;
        for (std::size_t cut = 0; cut <= packed.size(); ++cut) {
            context ctx;
            buffer out;
            frame::unpacker from(*c, ctx);
            REQUIRE(from.feed(as_bytes(packed).first(cut), out) == errc::ok);
            for (int again = 0; again < 40; ++again) REQUIRE(from.feed({}, out) == errc::ok);  // silence is no mistake
            REQUIRE(from.feed(as_bytes(packed).subspan(cut), out) == errc::ok);
            CHECK(from.finish() == errc::ok);
            CHECK(std::string(out.data(), out.size()) == text);
        }
        for (std::size_t room = 1; room < 800; room += room < 20 ? 1 : 97) CHECK(pulled(*c, packed, room).text == text);
        for (const std::size_t piece : {1, 2, 3, 5, 17}) CHECK(streamed(*c, packed, piece).text == text);
    }
}

TEST_CASE("packers: pieces, flushes, several members, and a buffer that holds something already") {
    const std::string text = sample(5000);
    for (const codec* c : frame::all()) {
        CAPTURE(c->name);
        context ctx;
        buffer out;
        out.append("before", 6);
        frame::packer to(*c, ctx);
        for (std::size_t at = 0; at < text.size(); at += 777)
            REQUIRE(to.feed(as_bytes(text).subspan(at, std::min<std::size_t>(777, text.size() - at)), out) == errc::ok);
        // What was flushed is there before the end is.
        REQUIRE(to.flush(out) == errc::ok);
        buffer seen;
        frame::unpacker from(*c, ctx);
        REQUIRE(from.feed(as_bytes({out.data(), out.size()}).subspan(6), seen) == errc::ok);
        CHECK(std::string(seen.data(), seen.size()) == text);
        CHECK(!from.between());
        REQUIRE(to.finish(out) == errc::ok);
        REQUIRE(to.feed(as_bytes("second"), out) == errc::ok);
        REQUIRE(to.finish(out) == errc::ok);
        REQUIRE(to.finish(out) == errc::ok);  // an empty one
        const std::string packed(out.data() + 6, out.size() - 6);
        CHECK(std::string(out.data(), 6) == "before");
        CHECK(unpack(*c, packed).text == text + "second");
        CHECK(streamed(*c, packed, 13).text == text + "second");
        seen.clear();
        seen.append("kept", 4);
        CHECK(frame::unpack(*c, as_bytes(packed), seen, ctx) == errc::ok);
        CHECK(std::string(seen.data(), seen.size()) == "kept" + text + "second");
        CHECK(frame::unpack(*c, as_bytes("nothing of the kind"), seen, ctx) == errc::syntax);
        CHECK(seen.size() == 4 + text.size() + 6);
    }
}

TEST_CASE("an unpacker begins again after anything") {
    for (const codec* c : frame::all()) {
        CAPTURE(c->name);
        const std::string packed = pack(*c, sample(3000)).text;
        for (std::size_t cut = 0; cut < packed.size(); cut += 7) {
            context ctx;
            buffer out;
            frame::unpacker from(*c, ctx);
            REQUIRE(from.feed(as_bytes(packed).first(cut), out) == errc::ok);
            if (cut % 2 != 0) from.feed(as_bytes(std::string(100, '\xff')), out);
            from.restart();
            ctx.clear();
            out.clear();
            CHECK(from.feed(as_bytes(packed), out) == errc::ok);
            CHECK(from.finish() == errc::ok);
            CHECK(std::string(out.data(), out.size()) == sample(3000));
        }
    }
}

TEST_CASE("members one behind the other, and what may not follow them") {
    const std::string a = sample(400), b = sample(90'000);
    for (const codec* c : frame::all()) {
        CAPTURE(c->name);
        const std::string one = pack(*c, a).text;
        const std::string many = one + pack(*c, b).text + pack(*c, "").text + one;
        CHECK(unpack(*c, many).text == a + b + a);
        for (const std::size_t piece : {1, 3, 1000, 1 << 20}) CHECK(streamed(*c, many, piece).text == a + b + a);
        for (const std::string_view after : {"x", "{\"a\":1}", "\x1f\x1f\x1f", "\x28\xb5xx", "\x04\x22..."})
            for (const std::size_t piece : {1, 2, 1 << 20}) {
                const std::string broken = one + std::string(after);
                const result r = streamed(*c, broken, piece);
                CHECK(r.code == errc::trailing);
                CHECK(r.offset >= one.size());
                CHECK(r.what == c->after);
                CHECK(unpack(*c, broken).code == errc::trailing);
                CHECK(r.text == a);  // a stream has given what was whole
            }
        const std::string zeros = one + std::string(5000, '\0');
        for (const std::size_t piece : {1, 4, 100, 1 << 20})
            CHECK(streamed(*c, zeros, piece).code == (c->padded ? errc::ok : errc::trailing));
        CHECK(unpack(*c, zeros).code == (c->padded ? errc::ok : errc::trailing));
        CHECK(unpack(*c, zeros + one).code == errc::trailing);
        CHECK(unpack(*c, std::string(3, '\0') + one).code == errc::syntax);
        CHECK(unpack(*c, std::string(64, '\0')).code == errc::syntax);
    }
}

TEST_CASE("skippable frames of zstd and lz4") {
    const auto skip = [](unsigned char kind, const std::string& what) {
        std::string s = {static_cast<char>(0x50 | kind), '\x2a', '\x4d', '\x18', static_cast<char>(what.size()), 0, 0, 0};
        return s + what;
    };
    for (const codec* c : {&frame::zstd, &frame::lz4}) {
        CAPTURE(c->name);
        const std::string one = pack(*c, "text").text;
        for (const std::string& s : {skip(0, ""), skip(15, "some bytes"), skip(3, std::string(200, 'x'))}) {
            CHECK(frame::recognise(as_bytes(s + one)) == c);
            CHECK(frame::recognise(as_bytes(s + s + one)) == c);
            const std::string mixed = s + one + s + s + one + s;
            CHECK(unpack(*c, mixed).text == "texttext");
            for (const std::size_t piece : {1, 2, 9, 1000}) CHECK(streamed(*c, mixed, piece).text == "texttext");
            CHECK(unpack(*c, mixed.substr(0, mixed.size() - 1)).code == errc::truncated);
        }
    }
    CHECK(frame::recognise(as_bytes(skip(1, "pzstd"))) == &frame::zstd);
    CHECK(frame::recognise(as_bytes(skip(1, "pzstd").substr(0, 4))) == &frame::zstd);
    CHECK(frame::recognise(as_bytes(skip(1, "pzstd").substr(0, 3))) == nullptr);
}

TEST_CASE("cut off anywhere") {
    const std::string text = sample(600);
    for (const codec* c : frame::all()) {
        CAPTURE(c->name);
        const std::string packed = pack(*c, text).text;
        for (std::size_t n = 0; n < packed.size(); ++n) {
            CAPTURE(n);
            const std::string cut = packed.substr(0, n);
            for (const result& r : {unpack(*c, cut), streamed(*c, cut, 1), streamed(*c, cut, 1000)}) {
                CHECK(r.code == errc::truncated);
                CHECK(r.offset == n);
                CHECK(r.what == c->cut);
            }
            CHECK(streamed(*c, packed + cut, 11).code == (n == 0 ? errc::ok : errc::truncated));
        }
    }
}

TEST_CASE("a changed byte is never taken for the text") {
    const std::string text = sample(600);
    for (const codec* c : frame::all()) {
        CAPTURE(c->name);
        for (const bool whole : {true, false}) {
            std::string packed;
            if (whole) {
                packed = pack(*c, text).text;
            } else {
                context ctx;
                buffer out;
                frame::packer to(*c, ctx);
                REQUIRE(to.feed(as_bytes(text), out) == errc::ok);
                REQUIRE(to.finish(out) == errc::ok);
                packed.assign(out.data(), out.size());
            }
            for (std::size_t i = 0; i < packed.size(); ++i)
                for (const int flip : {0x01, 0x80, 0xff}) {
                    CAPTURE(i);
                    std::string broken = packed;
                    broken[i] = static_cast<char>(broken[i] ^ flip);
                    const result r = unpack(*c, broken), s = streamed(*c, broken, 64);
                    CHECK(r.code == s.code);
                    if (r.code == errc::ok) {  // bits that say nothing about the text, such as gzip's time
                        CHECK(r.text == text);
                    } else {
                        CHECK(r.offset <= packed.size());
                        CHECK(!r.what.empty());
                    }
                }
        }
    }
}

TEST_CASE("check sums have words of their own") {
    const std::string text = noise(1000);
    for (const codec* c : frame::all()) {
        CAPTURE(c->name);
        std::string broken = pack(*c, text).text;
        char& last = broken[broken.size() - (c == &gz ? 8 : 4)];
        last = static_cast<char>(last ^ 1);
        const result r = unpack(*c, broken);
        CHECK(r.code == errc::syntax);
        CHECK(r.what.find("does not match its checksum") != std::string::npos);
    }
    std::string broken = pack(gz, text).text;
    broken.back() = 1;
    CHECK(unpack(gz, broken).what == "the text is not as long as the gzip member says");
    broken = pack(gz, text).text;
    broken[3] = '\xe0';
    CHECK(unpack(gz, broken).what == "the gzip header has flags that do not exist");
}

TEST_CASE("bombs and limits") {
    const std::string flat(40 << 20, ' ');
    for (const codec* c : frame::all()) {
        CAPTURE(c->name);
        const std::string packed = pack(*c, flat).text;
        const double ratio = static_cast<double>(flat.size()) / static_cast<double>(packed.size());
        limits allowed;
        allowed.ratio = static_cast<std::size_t>(ratio / 2);
        for (const result& r : {unpack(*c, packed, allowed), streamed(*c, packed, 100, allowed)}) {
            CHECK(r.code == errc::size);
            CHECK(r.what.find("ratio") != std::string::npos);
            CHECK(r.text.size() <= allowed.ratio_floor + (2 << 20));
        }
        allowed.ratio_floor = flat.size();
        CHECK(unpack(*c, packed, allowed).code == errc::ok);
        CHECK(streamed(*c, packed, 100, allowed).code == errc::ok);
        allowed = {};
        allowed.ratio = static_cast<std::size_t>(-1);
        CHECK(unpack(*c, packed, allowed).text == flat);
        for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1 << 20}, flat.size() - 1}) {
            allowed.size = size;
            for (const result& r : {unpack(*c, packed, allowed), streamed(*c, packed, 100, allowed)}) {
                CHECK(r.code == errc::size);
                CHECK(r.what.find("size limit") != std::string::npos);
                CHECK(r.text.size() <= size + 1);
            }
        }
        allowed.size = flat.size();
        CHECK(unpack(*c, packed, allowed).code == errc::ok);
        CHECK(streamed(*c, packed, 100, allowed).code == errc::ok);

        context ctx;
        ctx.limits.size = 10;
        buffer out;
        CHECK(frame::pack(*c, as_bytes("0123456789"), out, frame::usual_level, ctx) == errc::ok);
        const std::size_t before = out.size();
        CHECK(frame::pack(*c, as_bytes("0123456789a"), out, frame::usual_level, ctx) == errc::size);
        CHECK(out.size() == before);
        ctx.clear();
        frame::packer to(*c, ctx);
        CHECK(to.feed(as_bytes("0123456"), out) == errc::ok);
        CHECK(to.feed(as_bytes("0123456"), out) == errc::size);
        CHECK(to.finish(out) == errc::size);
    }
    // Memory that a frame asks for: level 22 looks 128 MB back, if it is not told how short the text is.
    context ctx;
    buffer out;
    frame::packer to(frame::zstd, ctx, 19);
    REQUIRE(to.feed(as_bytes(sample(100)), out) == errc::ok);
    REQUIRE(to.finish(out) == errc::ok);
    limits allowed;
    CHECK(unpack(frame::zstd, {out.data(), out.size()}, allowed).code == errc::ok);
    allowed.window = 1 << 20;
    const result r = streamed(frame::zstd, {out.data(), out.size()}, 5, allowed);
    CHECK(r.code == errc::size);
    CHECK(r.what.find("window") != std::string::npos);
}

TEST_CASE("a length that lies costs no memory") {
    // A zstd frame that announces 2^62 bytes and holds an empty block; an lz4 frame likewise, its header's check sum
    // not even right.
    const std::string lies = helpers::unhex("28b52ffd e0 0000000000000040 010000");
    CHECK(unpack(frame::zstd, lies).code != errc::ok);
    CHECK(unpack(frame::lz4, helpers::unhex("04224d18 6c 40 0000000000000040 00 00000000")).code != errc::ok);
    CHECK(frame::zstd.announced(as_bytes(lies)) == std::uint64_t{1} << 62);
    // 88 bytes are said, and there are none.
    const std::string empty = helpers::unhex("28b52ffd 21 00 58 010000");
    for (const result& r : {unpack(frame::zstd, empty), streamed(frame::zstd, empty, 1), streamed(frame::zstd, empty, 100)})
        CHECK(r.code == errc::syntax);
}

TEST_CASE("levels that callers ask for") {
    const auto chosen = [](const codec* by, double asked) {
        int level = frame::usual_level;
        const char* what = "";
        const errc code = frame::choose_level(by, asked, level, what);
        return code == errc::ok ? std::to_string(level) : std::string(name(code)) + ": " + what;
    };
    for (const codec* const c : frame::all()) {
        CAPTURE(c->name);
        const std::string none = "range: the levels of " + std::string(c->name) + " are " + std::to_string(c->lowest) + " to " +
                                 std::to_string(c->highest);
        for (const int level : {c->lowest, c->usual, c->highest}) CHECK(chosen(c, level) == std::to_string(level));
        for (const double asked : {c->lowest - 1.0, c->highest + 1.0, c->highest + 0.5, 1e300, -1e300, std::nan(""), 0x1p64})
            CHECK(chosen(c, asked) == none);
    }
    CHECK(chosen(nullptr, 3) == "misuse: frame_level is the level of a frame, and none is named");
}

TEST_CASE("a library that is not there says what to install") {
    struct {
        const codec& as;
        frame::library which;
        const char* install;
    } const all[] = {{frame::gzip, frame::library::zlib, "zlib1g"},
                     {frame::zstd, frame::library::libzstd, "libzstd1"},
                     {frame::lz4, frame::library::liblz4, "liblz4-1"}};
    frame::pretend_missing(frame::library::libdeflate, true);
    for (const auto& one : all) {
        const std::string packed = pack(one.as, "text").text;
        frame::pretend_missing(one.which, true);
        CHECK(!frame::available(one.as));
        for (const result& r : {pack(one.as, "text"), unpack(one.as, packed), streamed(one.as, packed, 1)}) {
            CHECK(r.code == errc::unsupported);
            CHECK(r.offset == failure::nowhere);
            CHECK(r.what == one.as.missing);
            CHECK(r.what.find(one.install) != std::string::npos);
            CHECK(r.text.empty());
        }
        CHECK(frame::recognise(as_bytes(packed)) == &one.as);  // it is told what it is all the same
        frame::pretend_missing(one.which, false);
        CHECK(unpack(one.as, packed).text == "text");
    }
    frame::pretend_missing(frame::library::libdeflate, false);
    void (*here)() = nullptr;
    const char* const names[] = {"libkumihimo-is-no-library.so.9", "libz.so.1"};
    const frame::function none[] = {frame::wanted("kumihimo_is_no_function", here)};
    CHECK(!frame::find(names, none));
}

TEST_CASE("with and without libdeflate: the same text, the same refusals") {
    const std::string text = sample(50'000), packed = pack(gz, text).text;
    std::vector<std::string> inputs = {packed, packed + packed,           packed + "x", packed.substr(0, 9000),
                                       "",     packed + std::string(9, 0)};
    for (std::size_t i = 0; i < packed.size(); i += 101) {
        inputs.push_back(packed);
        inputs.back()[i] ^= 5;
    }
    for (const std::string& in : inputs) {
        const result a = unpack(gz, in);
        frame::pretend_missing(frame::library::libdeflate, true);
        const result b = unpack(gz, in);
        CHECK(unpack(gz, pack(gz, text).text).text == text);
        frame::pretend_missing(frame::library::libdeflate, false);
        CHECK(a.code == b.code);
        CHECK(a.text == b.text);
        CHECK(a.offset == b.offset);
        CHECK(a.what == b.what);
    }
}

TEST_CASE("many threads at once") {
    std::vector<std::thread> threads;
    std::vector<int> good(8);
    for (std::size_t i = 0; i < good.size(); ++i)
        threads.emplace_back([&good, i] {
            for (int n = 0; n < 20; ++n)
                for (const codec* c : frame::all()) {
                    context ctx;
                    buffer packed, out;
                    const std::string text = sample(1000 + i);
                    if (frame::pack(*c, as_bytes(text), packed, frame::usual_level, ctx) == errc::ok &&
                        frame::unpack(*c, as_bytes({packed.data(), packed.size()}), out, ctx) == errc::ok &&
                        std::string_view(out.data(), out.size()) == text)
                        ++good[i];
                }
        });
    for (std::thread& t : threads) t.join();
    for (const int n : good) CHECK(n == 60);
}
