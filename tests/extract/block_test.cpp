// Block files: what is written is read back, block by block, with the origins; what is no index, or a damaged one, is
// told apart. What a whole run makes of such files: hosts/python/test/repack_test.py.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "archives.hpp"
#include "extract/block.hpp"
#include "extract/block_packer.hpp"
#include "extract/rewrite.hpp"

using namespace kumihimo;
using namespace kumihimo::extract;

namespace {

bytes as_bytes(std::string_view s) { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }
std::string_view as_text(bytes b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

struct one {
    std::string text, archive, entry;
    std::uint64_t offset = 0;
};

const std::vector<one> mixed = {{"\x01", "day.zip", "a/001.json", 0},
                                {"\x02\x03", "day.zip", "a/002.json", 0},
                                {"abc", "day.zip", "a/002.json", 17},
                                {"\xc0", "day.zip", "a/002.json", 4000000000},
                                {"x", "night.zip", "a/002.json", 5},
                                {"y", "night.zip", "", 5},
                                {"z", "-", "", 1234567},
                                {"zz", "-", "", 1234568},
                                {"zzz", std::string("b\xe9\0c", 4), "", 0}};

std::string text_of(const std::vector<one>& all) {
    std::string s;
    for (const one& d : all) s += d.text;
    return s;
}

document_list listed(const std::vector<one>& all) {
    document_list out;
    for (const one& d : all) out.add(d.text.size(), {d.archive, d.entry, d.offset, 0});
    return out;
}

std::string written(const frame::codec& as, const std::vector<one>& all, bool start = true) {
    buffer out;
    context ctx;
    if (start) out.append(block_file_start(as).data(), block_file_start(as).size());
    REQUIRE(write_block(as, frame::usual_level, "msgpack", as_bytes(text_of(all)), listed(all), out, ctx) == errc::ok);
    return {out.data(), out.size()};
}

packing packing_of(const frame::codec& as) { return &as == &frame::zstd ? packing::zstd : packing::lz4; }
const frame::codec* const both[] = {&frame::zstd, &frame::lz4};

void expect_origins(const packed_block& b, const std::vector<one>& all) {
    block_origins from;
    from.open(b);
    // In order, and then any which way.
    for (std::size_t k = 0; k < all.size() * 2; ++k) {
        const std::size_t i = k < all.size() ? k : (k * 7) % all.size();
        origin o;
        REQUIRE(from.at(i, o));
        CHECK(o.archive == all[i].archive);
        CHECK(o.entry == all[i].entry);
        CHECK(o.offset == all[i].offset);
    }
    origin o;
    CHECK(!from.at(all.size(), o));
}

std::string unpacked(const frame::codec& as, std::string_view file) {
    buffer out;
    context ctx;
    REQUIRE(frame::unpack(as, as_bytes(file), out, ctx) == errc::ok);
    return {out.data() == nullptr ? "" : out.data(), out.size()};
}

}  // namespace

TEST_CASE("what is written is read") {
    for (const frame::codec* as : both) {
        const std::string file = written(*as, mixed) + written(*as, {mixed[4]}, false);
        CHECK(block_walk::begins(as_bytes(file), packing_of(*as)));
        CHECK(frame::recognise(as_bytes(file)) == as);
        CHECK(unpacked(*as, file) == text_of(mixed) + mixed[4].text);
        block_walk walk(as_bytes(file), packing_of(*as), {});
        packed_block b;
        context ctx;
        REQUIRE(walk.next(b, ctx) == block_walk::found::block);
        CHECK(b.lengths.size() == mixed.size());
        CHECK(b.size == text_of(mixed).size());
        CHECK(b.at == block_file_start(*as).size());
        CHECK(b.check == crc32(0, b.packed));
        CHECK(unpacked(*as, as_text(b.packed)) == text_of(mixed));
        expect_origins(b, mixed);
        REQUIRE(walk.next(b, ctx) == block_walk::found::block);
        CHECK(b.text_at == text_of(mixed).size());
        CHECK(b.before == mixed.size());
        expect_origins(b, {mixed[4]});
        CHECK(walk.next(b, ctx) == block_walk::found::end);
        CHECK(walk.at() == file.size());
    }
}

TEST_CASE("what is no block is a stream") {
    for (const frame::codec* as : both) {
        const std::string plain = archives::framed(*as, "\x01"), blocks = written(*as, mixed);
        packed_block b;
        context ctx;
        CHECK(!block_walk::begins(as_bytes(plain), packing_of(*as)));
        CHECK(!block_walk::begins(as_bytes(blocks), packing::gzip));
        CHECK(!block_walk::begins({}, packing_of(*as)));
        const std::string joined = blocks + plain;
        block_walk walk(as_bytes(joined), packing_of(*as), {});
        CHECK(walk.next(b, ctx) == block_walk::found::block);
        CHECK(walk.next(b, ctx) == block_walk::found::plain);
        CHECK(walk.at() == blocks.size());
        CHECK(walk.documents() == mixed.size());
        // Of another format than the one that is stated, or cut off.
        CHECK(block_walk(as_bytes(blocks), packing_of(*as), "cbor").next(b, ctx) == block_walk::found::plain);
        CHECK(block_walk(as_bytes(blocks), packing_of(*as), "msgpack").next(b, ctx) == block_walk::found::block);
        for (std::size_t n = block_file_start(*as).size() + 1; n < blocks.size(); ++n)
            CHECK(block_walk(as_bytes(blocks).first(n), packing_of(*as), {}).next(b, ctx) == block_walk::found::plain);
        CHECK(ctx.failure.code == errc::ok);
    }
}

TEST_CASE("a damaged index is told, whichever byte it is") {
    for (const frame::codec* as : both) {
        const std::string good = written(*as, mixed);
        const std::size_t begin = block_file_start(*as).size() + 17;
        packed_block b;
        context ctx;
        block_walk first(as_bytes(good), packing_of(*as), {});
        REQUIRE(first.next(b, ctx) == block_walk::found::block);
        const auto end = static_cast<std::size_t>(b.packed.data() - as_bytes(good).data());
        for (std::size_t i = begin; i < end; ++i) {
            std::string bad = good;
            bad[i] = static_cast<char>(bad[i] ^ 0x41);
            context why;
            const block_walk::found said = block_walk(as_bytes(bad), packing_of(*as), {}).next(b, why);
            INFO(i);
            // What is packed otherwise may be the same text, whose check sum is right.
            CHECK((said == block_walk::found::damaged || said == block_walk::found::block));
            if (said == block_walk::found::damaged) CHECK(why.failure.offset == block_file_start(*as).size());
            if (said == block_walk::found::block) expect_origins(b, mixed);
        }
    }
}

TEST_CASE("blocks are as large as asked for, in order, however many threads pack them") {
    std::string why;
    const auto to = rewriter_to("msgpack", "", why);
    REQUIRE(to != nullptr);
    std::vector<one> all;
    for (int i = 0; i < 3000; ++i)
        all.push_back({std::string(static_cast<std::size_t>(i % 50 + 1), static_cast<char>('a' + i % 7)), "a.zip",
                       std::to_string(i) + ".json", 0});
    for (const frame::codec* as : {&frame::gzip, &frame::zstd, &frame::lz4, static_cast<const frame::codec*>(nullptr)}) {
        std::string files[3];
        for (const unsigned threads : {0u, 1u, 4u}) {
            block_packer packer({.to = to, .frame = as, .size = 4096}, threads);
            std::string& file = files[threads == 0 ? 0 : threads == 1 ? 1 : 2];
            buffer out;
            context ctx;
            const auto take = [&] {
                for (;;) {
                    const progress p = packer.take(out, std::chrono::milliseconds(1000), ctx);
                    REQUIRE(p != progress::waiting);
                    if (p == progress::end) return;
                    file.append(out.data(), out.size());
                }
            };
            for (std::size_t i = 0; i < all.size(); i += 100) {
                const std::vector<one> some(all.begin() + static_cast<std::ptrdiff_t>(i),
                                            all.begin() + static_cast<std::ptrdiff_t>(i + 100));
                packer.add(as_bytes(text_of(some)), listed(some));
                if (packer.full()) take();
            }
            packer.finish();
            take();
            CHECK(ctx.failure.code == errc::ok);
        }
        CHECK(files[0] == files[1]);
        CHECK(files[0] == files[2]);
        CHECK((as == nullptr ? files[0] : unpacked(*as, files[0])) == text_of(all));
        if (as == nullptr || !has_index(*as)) continue;
        block_walk walk(as_bytes(files[0]), packing_of(*as), {});
        packed_block b;
        context ctx;
        std::size_t i = 0;
        for (; walk.next(b, ctx) == block_walk::found::block; i += b.lengths.size()) {
            CHECK(b.size <= 4096);
            expect_origins(b, {all.begin() + static_cast<std::ptrdiff_t>(i),
                               all.begin() + static_cast<std::ptrdiff_t>(i + b.lengths.size())});
        }
        CHECK(i == all.size());
    }
}

TEST_CASE("an index stays within what is read, however long the names are") {
    std::string why;
    const auto to = rewriter_to("msgpack", "", why);
    std::vector<one> all;
    for (int i = 0; i < 200; ++i) all.push_back({"x", "a.zip", std::string(60000, 'e') + std::to_string(i), 0});
    for (const frame::codec* as : both) {
        block_packer packer({.to = to, .frame = as, .size = block_options::largest}, 0);
        packer.add(as_bytes(text_of(all)), listed(all));
        packer.finish();
        std::string file;
        buffer out;
        context ctx;
        while (packer.take(out, std::chrono::milliseconds(0), ctx) == progress::ready) file.append(out.data(), out.size());
        block_walk walk(as_bytes(file), packing_of(*as), {});
        packed_block b;
        std::size_t i = 0, blocks = 0;
        for (; walk.next(b, ctx) == block_walk::found::block; ++blocks) {
            expect_origins(b, {all.begin() + static_cast<std::ptrdiff_t>(i),
                               all.begin() + static_cast<std::ptrdiff_t>(i + b.lengths.size())});
            i += b.lengths.size();
        }
        CHECK(i == all.size());
        CHECK(blocks == 3);
    }
}

TEST_CASE("what stands behind a damaged index is a stream") {
    for (const frame::codec* as : both) {
        std::string file = written(*as, mixed);
        file[block_file_start(*as).size() + 20] ^= 1;
        block_walk walk(as_bytes(file), packing_of(*as), {});
        packed_block b;
        context ctx;
        CHECK(walk.next(b, ctx) == block_walk::found::damaged);
        for (int i = 0; i < 3; ++i) CHECK(walk.next(b, ctx) == block_walk::found::plain);
        CHECK(walk.at() == block_file_start(*as).size());
    }
}

TEST_CASE("a packer that is left while blocks wait") {
    std::string why;
    block_packer packer({.to = rewriter_to("json", "", why), .frame = &frame::zstd, .size = 4096}, 4);
    std::vector<one> all(200, {std::string(100, 'x'), "a", "b", 0});
    for (int i = 0; i < 20; ++i) packer.add(as_bytes(text_of(all)), listed(all));
    CHECK(packer.full());
}

TEST_CASE("documents are rewritten as convert does it") {
    std::string why;
    context ctx;
    buffer out;
    const auto text = [&](const char* format, const char* dialect, std::string_view document) {
        out.clear();
        ctx.clear();
        const auto to = rewriter_to(format, dialect, why);
        REQUIRE(to != nullptr);
        REQUIRE(out.append("before", 6));
        const errc e = to->write(as_bytes(document), nullptr, out, ctx);
        if (e != errc::ok) CHECK(out.size() == 6);
        return e == errc::ok ? std::string(out.data() + 6, out.size() - 6) : std::string(ctx.failure.what);
    };
    CHECK(text("json", "", " { \"b\": 1.10, \"a\" : [ ] ,\n\"b\":1E400}") == "{\"b\":1.10,\"a\":[],\"b\":1E400}\n");
    CHECK(text("msgpack", "", "{\"b\":1,\"b\":-0}") ==
          "\x82\xa1"
          "b\x01\xa1"
          "b" +
              std::string(1, 0));
    CHECK(text("msgpack", "", "123456789012345678901") == "MessagePack has no number of this size");
    CHECK(text("msgpack", "lenient", "123456789012345678901") ==
          "\xb5"
          "123456789012345678901");
    CHECK(text("cbor", "", "123456789012345678901") == std::string("\xc2\x49\x06\xb1\x4e\x9f\x81\x2f\x36\x6c\x35", 11));
    for (const char* const binary : {"msgpack", "cbor", "tagged"})
        for (const char* const dialect : {"", "lenient"})
            if (rewriter_to(binary, dialect, why) != nullptr)
                CHECK(text(binary, dialect, "1E400") == "a number is larger than a double can hold");
    CHECK(rewriter_to("xml", "", why) == nullptr);
    CHECK(why == "to is no format that is known: 'xml'");
    CHECK(rewriter_to("tagged", "other", why) == nullptr);
    CHECK(why == "to_dialect of 'tagged' is one of 'safe', 'study'");
}
