// Writes and reads documents as tagged, layout safe, against MessagePack, both ours: the same verbs into both writers,
// both readers into the same sink.
//
//      bench_tagged [--quick]
//
// A shape is a list of documents. They are kept as verbs in a flat list, so that the source costs next to nothing, and
// every document gets a writer and a reader of its own, as a host's dumps and loads do. Rivals take turns within a
// round; a round's figure is its thread CPU time; the median of the rounds' ratios is printed.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/timing.hpp"
#include "engine/core/buffer.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"
#include "engine/tagged/reader.hpp"
#include "engine/tagged/writer.hpp"

using namespace kumihimo;

namespace {

struct step {
    enum { i64, f64, str, key, array, map, end, null, yes } verb;
    std::uint32_t size = 0;
    union {
        std::int64_t n = 0;
        double x;
        const char* s;
    };
};

/// Documents as verbs, and the texts they point to.
struct shape {
    std::string name;
    std::vector<std::vector<step>> documents;
    std::vector<std::string> texts;

    std::vector<step>& add() { return documents.emplace_back(); }
    static step of(std::int64_t n) { return {step::i64, 0, {n}}; }
    static step real(double x) {
        step s{step::f64, 0, {0}};
        s.x = x;
        return s;
    }
    step text_of(std::string t, bool key) {
        texts.push_back(std::move(t));
        return {key ? step::key : step::str,
                static_cast<std::uint32_t>(texts.back().size()),
                {static_cast<std::int64_t>(texts.size() - 1)}};
    }
    step text(std::string t) { return text_of(std::move(t), false); }
    step key(std::string t) { return text_of(std::move(t), true); }
    static step open(bool map, std::int64_t n) { return {map ? step::map : step::array, 0, {n}}; }
    static step close() { return {step::end, 0, {0}}; }
    /// Numbers of texts become pointers, once no text moves any more.
    void settle() {
        for (auto& d : documents)
            for (step& s : d)
                if (s.verb == step::str || s.verb == step::key) s.s = texts[static_cast<std::size_t>(s.n)].data();
    }
};

template <class K>
errc play(const std::vector<step>& steps, K& to) {
    for (const step& s : steps) {
        switch (s.verb) {
            case step::i64: KUMIHIMO_TRY(to.i64(s.n)); break;
            case step::f64: KUMIHIMO_TRY(to.f64(s.x)); break;
            case step::str: KUMIHIMO_TRY(to.str(text(s.s, s.size, encoding::ascii))); break;
            case step::key: KUMIHIMO_TRY(to.key(text(s.s, s.size, encoding::ascii))); break;
            case step::array: KUMIHIMO_TRY(to.array({s.n})); break;
            case step::map: KUMIHIMO_TRY(to.map({s.n})); break;
            case step::end: KUMIHIMO_TRY(to.end()); break;
            case step::null: KUMIHIMO_TRY(to.null()); break;
            case step::yes: KUMIHIMO_TRY(to.boolean(true)); break;
        }
    }
    return errc::ok;
}

/// What every value adds. Sums, so that no value waits for the last one.
struct checksum_sink {
    std::uint64_t sum = 0;
    void add(std::uint64_t x) { sum += x * 0x9E3779B97F4A7C15u; }
    void add(text t) { add(t.size == 0 ? 0 : t.size + static_cast<unsigned char>(t.view()[t.size - 1])); }
    errc null() { return add(1), errc::ok; }
    errc boolean(bool b) { return add(b ? 2 : 3), errc::ok; }
    errc i64(std::int64_t n) { return add(static_cast<std::uint64_t>(n)), errc::ok; }
    errc u64(std::uint64_t n) { return add(n), errc::ok; }
    errc f64(double x) { return add(std::bit_cast<std::uint64_t>(x)), errc::ok; }
    errc big(text t) { return add(t), errc::ok; }
    errc str(text t) { return add(t), errc::ok; }
    errc bin(bytes b) { return add(b.size()), errc::ok; }
    errc time(const instant&) { return errc::ok; }
    errc ext(int, bytes) { return errc::ok; }
    errc array(count) { return add(4), errc::ok; }
    errc map(count) { return add(5), errc::ok; }
    errc key(text t) { return add(t), errc::ok; }
    errc key(next_value) { return errc::ok; }
    errc end() { return add(6), errc::ok; }
};

volatile std::uint64_t kept;

/// All documents one behind the other in `out`, and where they end. False when one was refused.
template <class Writer>
bool write_all(const shape& from, buffer& out, std::vector<std::size_t>& ends) {
    out.clear();
    ends.clear();
    for (const auto& document : from.documents) {
        context ctx;
        Writer to(out, ctx);
        bytes written;
        if (play(document, to) != errc::ok || to.finish(written) != errc::ok) return false;
        ends.push_back(out.size());
    }
    return true;
}
template <class Reader>
bool read_all(const buffer& in, const std::vector<std::size_t>& ends, std::uint64_t& sum) {
    checksum_sink to;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        context ctx;
        Reader from({reinterpret_cast<const unsigned char*>(in.data()) + begin, end - begin}, ctx);
        if (from.feed(to) != errc::ok) return false;
        begin = end;
    }
    sum = to.sum;
    return true;
}

bool run(shape& s, int rounds) {
    s.settle();
    buffer ours, theirs;
    std::vector<std::size_t> our_ends, their_ends;
    std::uint64_t our_sum = 0, their_sum = 0;
    bench::contest writing, reading;
    bool good = true;
    const auto timed = [&](auto work) {
        const double begin = bench::cpu_us();
        good = work() && good;
        return bench::cpu_us() - begin;
    };
    for (int i = 0; i < rounds; ++i) {
        // Who comes first finds the source in colder caches, so the two change places.
        double ours_took = 0, theirs_took = 0;
        const auto write_ours = [&] { ours_took = timed([&] { return write_all<tagged::writer>(s, ours, our_ends); }); };
        const auto write_theirs = [&] {
            theirs_took = timed([&] { return write_all<msgpack::writer>(s, theirs, their_ends); });
        };
        i % 2 == 0 ? (write_ours(), write_theirs()) : (write_theirs(), write_ours());
        writing.add(ours_took, theirs_took);
        const auto read_ours = [&] { ours_took = timed([&] { return read_all<tagged::reader>(ours, our_ends, our_sum); }); };
        const auto read_theirs = [&] {
            theirs_took = timed([&] { return read_all<msgpack::reader>(theirs, their_ends, their_sum); });
        };
        i % 2 == 0 ? (read_ours(), read_theirs()) : (read_theirs(), read_ours());
        reading.add(ours_took, theirs_took);
        if (!good || our_sum != their_sum) {
            std::fprintf(stderr, "%s: the two sides differ\n", s.name.c_str());
            return false;
        }
        kept = kept + our_sum;
    }
    std::printf("%-14s write %8.1f us, msgpack %8.1f us   read %8.1f us, msgpack %8.1f us   %9zu bytes, msgpack %9zu\n",
                s.name.c_str(), writing.ours(), writing.theirs(), reading.ours(), reading.theirs(), ours.size(), theirs.size());
    writing.print("tagged.write." + s.name, "msgpack");
    reading.print("tagged.read." + s.name, "msgpack");
    return true;
}

std::vector<shape> shapes(std::size_t scale) {
    std::mt19937_64 random(5);
    const auto word = [&](std::size_t n) {
        std::string t(n, ' ');
        for (char& c : t) c = static_cast<char>('a' + random() % 26);
        return t;
    };
    std::vector<shape> all;
    const auto fresh = [&](const char* name) -> shape& {
        all.emplace_back().name = name;
        return all.back();
    };
    {
        shape& s = fresh("rows");  // a table: rows of equal keys
        auto& d = s.add();
        const auto n = static_cast<std::int64_t>(2000 * scale);
        d.push_back(shape::open(false, n));
        for (std::int64_t i = 0; i < n; ++i) {
            d.push_back(shape::open(true, 6));
            d.push_back(s.key("id")), d.push_back(shape::of(i));
            d.push_back(s.key("name")), d.push_back(s.text(word(6 + random() % 12)));
            d.push_back(s.key("price")), d.push_back(shape::real(static_cast<double>(random() % 10000) / 100));
            d.push_back(s.key("quantity")), d.push_back(shape::of(static_cast<std::int64_t>(random() % 300)));
            d.push_back(s.key("available")), d.push_back({step::yes, 0, {0}});
            d.push_back(s.key("address")), d.push_back(shape::open(true, 2));
            d.push_back(s.key("city")), d.push_back(s.text(word(8)));
            d.push_back(s.key("zip")), d.push_back(shape::of(static_cast<std::int64_t>(random() % 100000)));
            d.push_back(shape::close()), d.push_back(shape::close());
        }
        d.push_back(shape::close());
    }
    {
        shape& s = fresh("optional");  // rows that leave fields out, so that no key is where the last row had it
        auto& d = s.add();
        const auto n = static_cast<std::int64_t>(2000 * scale);
        d.push_back(shape::open(false, n));
        for (std::int64_t i = 0; i < n; ++i) {
            const unsigned which = random() % 256;
            d.push_back(shape::open(true, std::popcount(which)));
            for (int f = 0; f < 8; ++f) {
                if ((which >> f & 1) == 0) continue;
                d.push_back(s.key("field_" + std::to_string(f)));
                d.push_back(shape::of(static_cast<std::int64_t>(random() % 1000)));
            }
            d.push_back(shape::close());
        }
        d.push_back(shape::close());
    }
    {
        shape& s = fresh("unique_keys");  // a dictionary
        auto& d = s.add();
        const auto n = static_cast<std::int64_t>(20000 * scale);
        d.push_back(shape::open(true, n));
        for (std::int64_t i = 0; i < n; ++i) d.push_back(s.key(word(10))), d.push_back(shape::of(i));
        d.push_back(shape::close());
    }
    {
        shape& s = fresh("unique_rows");  // small maps, and no key comes twice
        auto& d = s.add();
        const auto n = static_cast<std::int64_t>(2500 * scale);
        d.push_back(shape::open(false, n));
        for (std::int64_t i = 0; i < n; ++i) {
            d.push_back(shape::open(true, 4));
            for (int k = 0; k < 4; ++k) d.push_back(s.key(word(10))), d.push_back(shape::of(i));
            d.push_back(shape::close());
        }
        d.push_back(shape::close());
    }
    {
        shape& s = fresh("messages");  // of 72 bytes as MessagePack
        for (std::size_t i = 0; i < 2000 * scale; ++i) {
            auto& d = s.add();
            d.push_back(shape::open(true, 5));
            d.push_back(s.key("id")), d.push_back(shape::of(1000000 + static_cast<std::int64_t>(i)));
            d.push_back(s.key("type")), d.push_back(s.text("update"));
            d.push_back(s.key("value")), d.push_back(shape::real(static_cast<double>(random() % 10000) / 100));
            d.push_back(s.key("user")), d.push_back(s.text(word(11)));
            d.push_back(s.key("tags")), d.push_back(shape::open(false, 2));
            d.push_back(s.text("red")), d.push_back(s.text("blue"));
            d.push_back(shape::close()), d.push_back(shape::close());
        }
    }
    {
        shape& s = fresh("envelopes");  // small messages with a map inside
        for (std::size_t i = 0; i < 2000 * scale; ++i) {
            auto& d = s.add();
            d.push_back(shape::open(true, 3));
            d.push_back(s.key("seq")), d.push_back(shape::of(static_cast<std::int64_t>(i)));
            d.push_back(s.key("kind")), d.push_back(s.text("order"));
            d.push_back(s.key("body")), d.push_back(shape::open(true, 3));
            d.push_back(s.key("item")), d.push_back(s.text(word(9)));
            d.push_back(s.key("count")), d.push_back(shape::of(static_cast<std::int64_t>(random() % 100)));
            d.push_back(s.key("price")), d.push_back(shape::real(static_cast<double>(random() % 10000) / 100));
            d.push_back(shape::close()), d.push_back(shape::close());
        }
    }
    {
        shape& s = fresh("scalars");  // a document each
        for (std::size_t i = 0; i < 4000 * scale; ++i) {
            auto& d = s.add();
            if (i % 3 == 0) d.push_back(shape::of(static_cast<std::int64_t>(random() % 100000)));
            if (i % 3 == 1) d.push_back(s.text(word(8)));
            if (i % 3 == 2) d.push_back(shape::real(0.5));
        }
    }
    {
        shape& s = fresh("floats");
        auto& d = s.add();
        const auto n = static_cast<std::int64_t>(20000 * scale);
        d.push_back(shape::open(false, n));
        for (std::int64_t i = 0; i < n; ++i) d.push_back(shape::real(static_cast<double>(random()) / 1e9));
        d.push_back(shape::close());
    }
    {
        shape& s = fresh("integers");
        auto& d = s.add();
        const auto n = static_cast<std::int64_t>(20000 * scale);
        d.push_back(shape::open(false, n));
        for (std::int64_t i = 0; i < n; ++i) d.push_back(shape::of(static_cast<std::int64_t>(random()) >> random() % 64));
        d.push_back(shape::close());
    }
    {
        shape& s = fresh("pairs");  // arrays of two, as coordinates are
        auto& d = s.add();
        const auto n = static_cast<std::int64_t>(5000 * scale);
        d.push_back(shape::open(false, n));
        for (std::int64_t i = 0; i < n; ++i) {
            d.push_back(shape::open(false, 2));
            d.push_back(shape::real(static_cast<double>(i))), d.push_back(shape::real(-static_cast<double>(i)));
            d.push_back(shape::close());
        }
        d.push_back(shape::close());
    }
    {
        shape& s = fresh("long_text");
        auto& d = s.add();
        const auto n = static_cast<std::int64_t>(100 * scale);
        d.push_back(shape::open(false, n));
        for (std::int64_t i = 0; i < n; ++i) d.push_back(s.text(word(4000)));
        d.push_back(shape::close());
    }
    {
        shape& s = fresh("short_text");
        auto& d = s.add();
        const auto n = static_cast<std::int64_t>(10000 * scale);
        d.push_back(shape::open(false, n));
        for (std::int64_t i = 0; i < n; ++i) d.push_back(s.text(word(random() % 40)));
        d.push_back(shape::close());
    }
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    bool quick = false;
    for (int i = 1; i < argc; ++i) quick = quick || std::string_view(argv[i]) == "--quick";
    bool good = true;
    for (shape& s : shapes(1)) good = run(s, quick ? 41 : 201) && good;
    return good ? 0 : 1;
}
