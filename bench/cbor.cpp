// Reads and writes CBOR against our own MessagePack: the same values, shape by shape, in the same process.
//
//      bench_cbor [--quick]
//
// Reading ends in a checksum over every value and every byte of text. Writing replays recorded verbs: into the writer
// with counts known, into the writer with counts that come late, and into the burst that hosts use. Both sides'
// documents are read again and their traces compared before anything is timed. Rivals take turns within a round, each
// with a pass that is not timed before the one that is; a round's figure is its thread CPU time; the median of the
// rounds' ratios is printed.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/timing.hpp"
#include "engine/cbor/burst.hpp"
#include "engine/cbor/reader.hpp"
#include "engine/cbor/writer.hpp"
#include "engine/core/pipe.hpp"
#include "engine/core/trace.hpp"
#include "engine/msgpack/burst.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"

using namespace kumihimo;

namespace {

/// What every value adds. Sums, so that neither side waits for its own last value.
struct checksum_sink {
    std::uint64_t sum = 0;

    void add(std::uint64_t x) { sum += x * 0x9E3779B97F4A7C15u; }
    void bytes_of(const void* data, std::size_t n) {
        const char* const p = static_cast<const char*>(data);
        std::uint64_t h = n;
        for (std::size_t i = 0; i + 8 <= n; i += 8) h += word(p + i);
        if (n >= 8) {
            h += word(p + n - 8);
        } else {
            for (std::size_t i = 0; i < n; ++i) h = h * 31 + static_cast<unsigned char>(p[i]);
        }
        add(h);
    }
    static std::uint64_t word(const char* p) {
        std::uint64_t w;
        std::memcpy(&w, p, 8);
        return w;
    }
    errc null() { return add(1), errc::ok; }
    errc boolean(bool b) { return add(b ? 2 : 3), errc::ok; }
    errc i64(std::int64_t n) { return add(static_cast<std::uint64_t>(n)), errc::ok; }
    errc u64(std::uint64_t n) { return add(n), errc::ok; }
    errc f64(double x) { return add(std::bit_cast<std::uint64_t>(x)), errc::ok; }
    errc big(text t) { return bytes_of(t.data, t.size), errc::ok; }
    errc str(text t) { return bytes_of(t.data, t.size), errc::ok; }
    errc bin(bytes b) { return bytes_of(b.data(), b.size()), errc::ok; }
    errc time(const instant& t) { return add(static_cast<std::uint64_t>(t.seconds)), errc::ok; }
    errc ext(int type, bytes b) { return add(static_cast<std::uint64_t>(type)), bytes_of(b.data(), b.size()), errc::ok; }
    errc array(count) { return add(4), errc::ok; }
    errc map(count) { return add(5), errc::ok; }
    errc key(text t) { return bytes_of(t.data, t.size), errc::ok; }
    errc key(next_value) { return add(6), errc::ok; }
    errc end() { return errc::ok; }
};
static_assert(sink<checksum_sink>);

/// Verbs as data, to be replayed without the cost of a walk.
struct verb {
    enum class kind : std::uint8_t { null, boolean, i64, u64, f64, str, bin, key, array, map, end };
    kind is = kind::null;
    bool map = false;
    std::size_t size = 0;
    union {
        std::int64_t i64 = 0;
        double f64;
        const char* at;
    };
};

class recording {
public:
    explicit recording(std::size_t room) { held_.reserve(room); }

    void null() { add(verb::kind::null); }
    void boolean(bool b) { add(verb::kind::boolean).i64 = b; }
    void i64(std::int64_t n) { add(verb::kind::i64).i64 = n; }
    void f64(double x) { add(verb::kind::f64).f64 = x; }
    void str(std::string_view s) { keep(add(verb::kind::str), s); }
    void bin(std::string_view s) { keep(add(verb::kind::bin), s); }
    void key(std::string_view s) { keep(add(verb::kind::key), s); }
    void array(std::size_t n) { add(verb::kind::array).size = n; }
    void map(std::size_t n) { add(verb::kind::map).size = n; }
    void end(bool map) { add(verb::kind::end).map = map; }

    template <class W>
    errc into(W& to, bool counts) const {
        using enum verb::kind;
        errc code = errc::ok;
        for (const verb& v : verbs_) {
            const count n{counts ? static_cast<std::int64_t>(v.size) : count::unknown};
            switch (v.is) {
                case null: code = to.null(); break;
                case boolean: code = to.boolean(v.i64 != 0); break;
                case verb::kind::i64: code = to.i64(v.i64); break;
                case u64: code = to.u64(static_cast<std::uint64_t>(v.i64)); break;
                case verb::kind::f64: code = to.f64(v.f64); break;
                case str: code = to.str({v.at, v.size, encoding::ascii}); break;
                case bin: code = to.bin({reinterpret_cast<const unsigned char*>(v.at), v.size}); break;
                case key: code = to.key({v.at, v.size, encoding::ascii}); break;
                case array: code = to.array(n); break;
                case verb::kind::map: code = to.map(n); break;
                case end: code = to.end(); break;
            }
            if (code != errc::ok) return code;
        }
        return code;
    }
    template <class T>
    bool burst_into(T b) const {
        using enum verb::kind;
        bool good = true;
        for (const verb& v : verbs_) {
            switch (v.is) {
                case null: good = b.null(); break;
                case boolean: good = b.boolean(v.i64 != 0); break;
                case verb::kind::i64: good = b.i64(v.i64); break;
                case u64: good = b.u64(static_cast<std::uint64_t>(v.i64)); break;
                case verb::kind::f64: good = b.f64(v.f64); break;
                case str: good = b.str(v.at, v.size); break;
                case bin: good = b.bin(v.at, v.size); break;
                case key: good = b.key(v.at, v.size); break;
                case array: good = b.open(false, v.size); break;
                case verb::kind::map: good = b.open(true, v.size); break;
                case end: good = b.close(v.map); break;
            }
            if (!good) return false;
        }
        b.stop();
        return true;
    }

private:
    verb& add(verb::kind is) {
        verbs_.emplace_back();
        verbs_.back().is = is;
        return verbs_.back();
    }
    void keep(verb& v, std::string_view s) {
        if (held_.size() + s.size() > held_.capacity()) std::abort();  // the pieces must not move
        v.at = held_.data() + held_.size();
        v.size = s.size();
        held_.append(s);
    }
    std::vector<verb> verbs_;
    std::string held_;
};

/// A stream of `documents` equal in shape, each one value.
struct shape {
    const char* name;
    recording verbs{std::size_t{1} << 23};
    std::size_t documents = 1;  // the verbs are written so many times
};

std::vector<shape> shapes() {
    std::mt19937_64 random(8949);
    std::vector<shape> all;
    const auto word = [&] {
        std::string s;
        for (std::size_t n = 3 + random() % 12; n > 0; --n) s += static_cast<char>('a' + random() % 26);
        return s;
    };
    const auto start = [&](const char* name) -> recording& {
        all.emplace_back();
        all.back().name = name;
        return all.back().verbs;
    };
    {
        recording& v = start("rows");  // a table: every row has the same keys
        v.array(5000);
        for (int i = 0; i < 5000; ++i) {
            v.map(6);
            v.key("id"), v.i64(100000 + i);
            v.key("name"), v.str(word());
            v.key("price"), v.f64(static_cast<double>(random() % 100000) / 100);
            v.key("amount"), v.i64(static_cast<std::int64_t>(random() % 50));
            v.key("open"), v.boolean(random() % 2 == 0);
            v.key("note"), v.null();
            v.end(true);
        }
        v.end(false);
    }
    {
        recording& v = start("keys");  // no key comes twice
        v.map(30000);
        for (int i = 0; i < 30000; ++i) v.key(word() + std::to_string(i)), v.i64(i);
        v.end(true);
    }
    {
        recording& v = start("small");  // messages of about 72 bytes
        v.map(5);
        v.key("type"), v.str("trade");
        v.key("symbol"), v.str("BTC_JPY");
        v.key("price"), v.f64(1234567.25);
        v.key("size"), v.f64(0.01);
        v.key("sequence"), v.i64(1482625280);
        v.end(true);
        all.back().documents = 5000;
    }
    {
        recording& v = start("scalars");
        v.array(60000);
        for (int i = 0; i < 20000; ++i) {
            v.i64(static_cast<std::int64_t>(random()) >> random() % 64);
            v.i64(static_cast<std::int64_t>(random() % 20));
            if (random() % 2 == 0) {
                v.boolean(random() % 2 == 0);
            } else {
                v.null();
            }
        }
        v.end(false);
    }
    {
        recording& v = start("integers");
        v.array(60000);
        for (int i = 0; i < 60000; ++i) v.i64(static_cast<std::int64_t>(random() >> 1) >> random() % 63);
        v.end(false);
    }
    {
        recording& v = start("floats");  // need 64 bits
        v.array(60000);
        for (int i = 0; i < 60000; ++i) v.f64(static_cast<double>(random() % 10000000) / 100 + 0.001);
        v.end(false);
    }
    {
        recording& v = start("short_floats");  // 16 bits are enough for some, 32 for others
        v.array(60000);
        for (int i = 0; i < 60000; ++i) v.f64(static_cast<double>(random() % 40000) / 8);
        v.end(false);
    }
    {
        recording& v = start("long_text");
        v.array(200);
        for (int i = 0; i < 200; ++i) {
            std::string s;
            while (s.size() < 2000 + random() % 30000) s += word() + ' ';
            v.str(s);
        }
        v.end(false);
    }
    {
        recording& v = start("words");
        v.array(40000);
        for (int i = 0; i < 40000; ++i) v.str(word());
        v.end(false);
    }
    {
        recording& v = start("bytes");
        v.array(20000);
        for (int i = 0; i < 20000; ++i) v.bin(word() + word() + word());
        v.end(false);
    }
    {
        recording& v = start("nested");  // small containers
        v.array(10000);
        for (int i = 0; i < 10000; ++i)
            v.array(2), v.i64(i % 100), v.map(1), v.key("a"), v.array(0), v.end(false), v.end(true), v.end(false);
        v.end(false);
    }
    return all;
}

template <class Writer>
std::string written(const shape& s, bool counts) {
    context ctx;
    buffer out;
    Writer to(out, ctx);
    for (std::size_t i = 0; i < s.documents; ++i) {
        bytes document;
        if (s.verbs.into(to, counts) != errc::ok || to.finish(document) != errc::ok) return {};
    }
    return {out.data(), out.size()};
}
template <class Reader>
std::string traced(const std::string& documents) {
    context ctx;
    Reader from({reinterpret_cast<const unsigned char*>(documents.data()), documents.size()}, ctx);
    std::string all;
    while (from.more()) {
        buffer out;
        trace_sink to(out, ctx, {.counts = false});
        if (from.next(to) != errc::ok) return {};
        all += to.view();
    }
    return all;
}

volatile std::uint64_t kept;

template <class Ours, class Theirs>
void race(const std::string& task, int rounds, Ours ours, Theirs theirs) {
    bench::contest times;
    // Without the pass before it, a side finds its buffer in or out of the cache by who came last: burst.floats took
    // 85 us or 150 us, by turns.
    const auto timed = [](auto& pass) {
        pass();
        const double start = bench::cpu_us();
        pass();
        return bench::cpu_us() - start;
    };
    for (int i = 0; i < rounds; ++i) {
        const double first = i % 2 == 0 ? timed(ours) : timed(theirs);
        const double second = i % 2 == 0 ? timed(theirs) : timed(ours);
        times.add(i % 2 == 0 ? first : second, i % 2 == 0 ? second : first);
    }
    std::printf("%-28s cbor %8.1f us   msgpack %8.1f us\n", task.c_str(), times.ours(), times.theirs());
    times.print(task, "msgpack");
}

template <class Reader>
void read(const std::string& documents) {
    context ctx;
    checksum_sink to;
    Reader from({reinterpret_cast<const unsigned char*>(documents.data()), documents.size()}, ctx);
    while (from.more())
        if (from.next(to) != errc::ok) return;
    kept = kept + to.sum;
}

template <class Writer>
void write(const shape& s, buffer& out, bool counts) {
    out.clear();
    context ctx;
    Writer to(out, ctx);
    for (std::size_t i = 0; i < s.documents; ++i) {
        bytes document;
        if (s.verbs.into(to, counts) != errc::ok || to.finish(document) != errc::ok) return;
    }
    kept = kept + out.size();
}

template <class Burst, class D>
void burst(const shape& s, buffer& out, const D& as) {
    out.clear();
    for (std::size_t i = 0; i < s.documents; ++i) s.verbs.burst_into(Burst(out, as));
    kept = kept + out.size();
}

}  // namespace

int main(int argc, char** argv) {
    int rounds = 201;
    for (int i = 1; i < argc; ++i)
        if (std::string_view(argv[i]) == "--quick") rounds = 61;
    for (const shape& s : shapes()) {
        const std::string ours = written<cbor::writer>(s, true), theirs = written<msgpack::writer>(s, true);
        const std::string lines = traced<cbor::reader>(ours);
        buffer a, b;
        burst<cbor::burst<buffer>>(s, a, cbor::preferred);
        if (lines.empty() || lines != traced<msgpack::reader>(theirs) || ours != written<cbor::writer>(s, false) ||
            ours != std::string_view(a.data(), a.size())) {
            std::fprintf(stderr, "%s: the two sides wrote different values\n", s.name);
            return 1;
        }
        std::printf("%s: cbor %zu bytes, msgpack %zu bytes\n", s.name, ours.size(), theirs.size());
        const std::string shape = s.name;
        race(
            "cbor.read." + shape, rounds, [&] { read<cbor::reader>(ours); }, [&] { read<msgpack::reader>(theirs); });
        race(
            "cbor.write." + shape, rounds, [&] { write<cbor::writer>(s, a, true); },
            [&] { write<msgpack::writer>(s, b, true); });
        race(
            "cbor.write_late." + shape, rounds, [&] { write<cbor::writer>(s, a, false); },
            [&] { write<msgpack::writer>(s, b, false); });
        race(
            "cbor.burst." + shape, rounds, [&] { burst<cbor::burst<buffer>>(s, a, cbor::preferred); },
            [&] { burst<msgpack::burst<buffer>>(s, b, msgpack::standard); });
    }
    return 0;
}
