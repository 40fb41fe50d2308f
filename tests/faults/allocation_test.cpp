// Memory runs out at every single allocation of every operation: the answer is errc::memory (or the document's own
// error), no exception leaves the engine, and nothing leaks.
//
// This program's malloc family counts and fails on demand; operator new comes through it too.
#include <doctest/doctest.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "engine/cbor/format.hpp"
#include "engine/cbor/reader.hpp"
#include "engine/cbor/writer.hpp"
#include "engine/core/pipe.hpp"
#include "engine/core/trace.hpp"
#include "engine/json/check.hpp"
#include "engine/json/project.hpp"
#include "engine/json/reader.hpp"
#include "engine/json/writer.hpp"
#include "engine/msgpack/format.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/writer.hpp"
#include "engine/simd/dispatch.hpp"
#include "engine/tagged/reader.hpp"
#include "engine/tagged/writer.hpp"
#include "engine/tape/abi.h"
#include "engine/tape/cursor.hpp"
#include "engine/tape/tape.hpp"
#include "hosts/plain/build.hpp"
#include "hosts/plain/walk.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KUMIHIMO_OWN_MALLOC 0  // sanitizers bring their own
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define KUMIHIMO_OWN_MALLOC 0
#endif
#endif
#if !defined(KUMIHIMO_OWN_MALLOC)
#if defined(__GLIBC__)
#define KUMIHIMO_OWN_MALLOC 1
#else
#define KUMIHIMO_OWN_MALLOC 0
#endif
#endif

namespace {

struct {
    bool armed = false;
    bool stays_out = false;  // all calls fail from the chosen one on; else that one alone
    long until_failure = 0;
    bool failed = false;
    long live = 0;
} memory;

[[maybe_unused]] bool refuse() noexcept {
    if (!memory.armed) return false;
    if (memory.failed ? !memory.stays_out : --memory.until_failure > 0) return false;
    memory.failed = true;
    errno = ENOMEM;
    return true;
}

}  // namespace

#if KUMIHIMO_OWN_MALLOC
extern "C" {
void* __libc_malloc(std::size_t) noexcept;
void* __libc_calloc(std::size_t, std::size_t) noexcept;
void* __libc_realloc(void*, std::size_t) noexcept;
void* __libc_memalign(std::size_t, std::size_t) noexcept;
void __libc_free(void*) noexcept;

void* malloc(std::size_t n) noexcept {
    if (refuse()) return nullptr;
    void* p = __libc_malloc(n);
    memory.live += p != nullptr;
    return p;
}
void* calloc(std::size_t n, std::size_t size) noexcept {
    if (refuse()) return nullptr;
    void* p = __libc_calloc(n, size);
    memory.live += p != nullptr;
    return p;
}
void* realloc(void* old, std::size_t n) noexcept {
    if (refuse()) return nullptr;
    void* p = __libc_realloc(old, n);
    memory.live += old == nullptr && p != nullptr;
    return p;
}
void* aligned_alloc(std::size_t alignment, std::size_t n) noexcept {
    if (refuse()) return nullptr;
    void* p = __libc_memalign(alignment, n);
    memory.live += p != nullptr;
    return p;
}
int posix_memalign(void** out, std::size_t alignment, std::size_t n) noexcept {
    if (refuse()) return ENOMEM;
    *out = __libc_memalign(alignment, n);
    memory.live += *out != nullptr;
    return *out != nullptr ? 0 : ENOMEM;
}
void free(void* p) noexcept {
    memory.live -= p != nullptr;
    __libc_free(p);
}
}
#endif

using namespace kumihimo;

namespace {

/// Runs `work` with the first allocation failing, then the second, and so on until none is left to fail. Without a
/// failure the answer is `expected`; with one it is errc::memory, or `expected` where only the error's detail was
/// lost, or where the work can do without that memory (std::stable_sort can) and has checked its result.
template <class F>
void sweep(F work, errc expected = errc::ok, [[maybe_unused]] bool can_do_without = false) {
#if !KUMIHIMO_OWN_MALLOC
    MESSAGE("not proven: a sanitizer owns malloc in this build");
    CHECK(work() == expected);
#else
    CHECK(work() == expected);  // whatever is made once per process is made now
    for (const bool stays_out : {false, true}) {
        for (long n = 1;; ++n) {
            const long live = memory.live;
            memory.armed = true;
            memory.stays_out = stays_out;
            memory.until_failure = n;
            memory.failed = false;
            bool thrown = false;
            errc code = errc::ok;
            try {
                code = work();
            } catch (...) {
                thrown = true;
            }
            memory.armed = false;
            const long leaked = memory.live - live;
            const bool failed = memory.failed;
            CAPTURE(n);
            CAPTURE(stays_out);
            CHECK_MESSAGE(!thrown, "an exception left the engine");
            CHECK(leaked == 0);
            if (!failed) {
                CHECK(code == expected);
                break;
            }
            CAPTURE(std::string(name(code)));
            if (!thrown) CHECK((code == errc::memory || ((expected != errc::ok || can_do_without) && code == expected)));
            REQUIRE(n < 100000);
        }
    }
#endif
}

bytes as_bytes(std::string_view s) { return {reinterpret_cast<const unsigned char*>(s.data()), s.size()}; }

/// A document that makes every part allocate: deep, with escapes, long strings, many members.
std::string large_json() {
    std::string s = "{\"escaped \\u00e9\\n\":\"" + std::string(300, 'x') + "\\t\",\"numbers\":[";
    for (int i = 0; i < 200; ++i) s += std::to_string(i * 1001) + ",-1.5e10,123456789012345678901234567890,";
    s += "0],\"deep\":" + std::string(300, '[') + std::string(300, ']');
    for (int i = 0; i < 50; ++i) s += ",\"key" + std::to_string(i) + "\":{\"a\":[null,true,\"\\ud83d\\ude00\"]}";
    return s + "}";
}

const std::string& json_document() {
    static const std::string s = large_json();
    return s;
}

const std::string& msgpack_document() {
    static const std::string s = [] {
        context ctx;
        buffer out;
        json::reader from(as_bytes(json_document()), ctx);
        msgpack::writer to(out, ctx, msgpack::big_text);
        bytes b;
        if (pipe(from, to, b) != errc::ok) std::abort();
        // An array around it, and what JSON cannot say.
        std::string d = "\x94";
        d.append(reinterpret_cast<const char*>(b.data()), b.size());
        d += std::string("\xd4\x05\x0a\xc4\x02\x00\xff\x81\x90\xd6\xff\x00\x00\x00\x01", 15);
        return d;
    }();
    return s;
}

}  // namespace

TEST_CASE("reading JSON") {
    sweep([] {
        context ctx;
        json::reader from(as_bytes(json_document()), ctx);
        null_sink to;
        return from.feed(to);
    });
    sweep([] {
        context ctx;
        json::reader from(as_bytes(json_document()), ctx, json::unique_keys);
        null_sink to;
        return from.feed(to);
    });
    sweep([] {
        context ctx;
        json::reader from(as_bytes(json_document()), ctx);
        plain::builder to(ctx);
        return from.feed(to);
    });
    static const std::string deep = std::string(1000, '[') + std::string(1000, ']');
    sweep([] {
        context ctx;
        json::reader from(as_bytes(deep), ctx);
        null_sink to;
        return from.feed(to);
    });
}

TEST_CASE("broken JSON: the error is told, or memory") {
    static const std::string broken = json_document().substr(0, json_document().size() - 20) + "\x01";
    sweep(
        [] {
            context ctx;
            json::reader from(as_bytes(broken), ctx);
            null_sink to;
            return from.feed(to);
        },
        errc::syntax);
    sweep(
        [] {
            context ctx;
            return json::check(as_bytes(broken), ctx);
        },
        errc::syntax);
}

TEST_CASE("writing JSON") {
    sweep([] {
        context ctx;
        buffer out;
        json::reader from(as_bytes(json_document()), ctx);
        json::writer to(out, ctx, json::pretty);
        bytes b;
        return pipe(from, to, b);
    });
}

/// A burst that was refused memory once asks again for the next value: then the text must be whole all the same.
static errc as_at_first(std::string& first, bytes b) {
    const std::string_view now(reinterpret_cast<const char*>(b.data()), b.size());
    if (first.empty()) first = now;
    return now == first ? errc::ok : errc::host;
}

TEST_CASE("writing a host's values as JSON") {
    static const plain::value value = [] {
        context ctx;
        json::reader from(as_bytes(json_document()), ctx);
        plain::builder to(ctx);
        if (from.feed(to) != errc::ok) std::abort();
        return to.take();
    }();
    sweep(
        [] {
            static std::string first;
            context ctx;
            buffer out;
            plain::walker from(value, ctx);
            json::writer to(out, ctx);
            bytes b;
            KUMIHIMO_TRY(pipe(from, to, b));
            return as_at_first(first, b);
        },
        errc::ok, true);
    sweep(
        [] {  // what has no verb in a burst, each through a writer of its own
            static const plain::value rare{
                plain::map{{plain::value{std::int64_t{1}}, plain::value{std::uint64_t{1} << 63}},
                           {plain::value{plain::string("k")}, plain::value{plain::big{std::string(300, '1')}}},
                           {plain::value{plain::string("b")}, plain::value{plain::bin(400)}},
                           {plain::value{true}, plain::value{plain::string(std::string(5000, '\n'))}}}};
            static const json::dialect lowering = [] {
                json::dialect d = json::compact;
                d.keys = json::other_keys::text;
                d.binary = json::binary::base64;
                return d;
            }();
            static std::string first;
            context ctx;
            buffer out;
            plain::walker from(rare, ctx);
            json::writer to(out, ctx, lowering);
            bytes b;
            KUMIHIMO_TRY(pipe(from, to, b));
            return as_at_first(first, b);
        },
        errc::ok, true);
}

TEST_CASE("a value of JSON that its writer refuses") {
    sweep(
        [] {
            context ctx;
            buffer out;
            msgpack::reader from(as_bytes(msgpack_document()), ctx);
            json::writer to(out, ctx);
            bytes b;
            return pipe(from, to, b);
        },
        errc::unsupported);
}

TEST_CASE("MessagePack") {
    sweep([] {
        context ctx;
        buffer out;
        msgpack::reader from(as_bytes(msgpack_document()), ctx);
        msgpack::writer to(out, ctx);
        bytes b;
        return pipe(from, to, b);
    });
    sweep([] {  // late counts
        context ctx;
        buffer out;
        json::reader from(as_bytes(json_document()), ctx);
        msgpack::writer to(out, ctx, msgpack::big_text);
        bytes b;
        return pipe(from, to, b);
    });
    sweep([] {
        context ctx;
        msgpack::reader from(as_bytes(msgpack_document()), ctx);
        plain::builder to(ctx);
        KUMIHIMO_TRY(from.feed(to));
        const plain::value v = to.take();
        return v.as<plain::array>() != nullptr ? errc::ok : errc::host;
    });
    static const std::string cut = msgpack_document().substr(0, msgpack_document().size() - 3);
    sweep(
        [] {
            context ctx;
            msgpack::reader from(as_bytes(cut), ctx);
            null_sink to;
            return from.feed(to);
        },
        errc::truncated);
}

TEST_CASE("CBOR's keys within keys") {
    // {{{...: 0, 1: [n, "text"]}: 0, ...}: 0, ...}, and the same again as another key of the map around both.
    static const auto nested = [](char innermost) {
        std::string s(60, '\xa2');
        s += innermost;
        for (int i = 0; i < 60; ++i) s += std::string("\x00\x01\x82\x18", 4) + static_cast<char>(30 + i) + "\x64text";
        return s;
    };
    static const std::string once = "\xa2" + nested('\xa0') + '\x01' + nested('\x80') + '\x02';
    static const std::string twice = "\xa2" + nested('\xa0') + '\x01' + nested('\xa0') + '\x02';
    sweep([] {
        context ctx;
        buffer out;
        cbor::reader from(as_bytes(once), ctx, cbor::unique_keys);
        cbor::writer to(out, ctx, cbor::deterministic);
        bytes b;
        return pipe(from, to, b);
    });
    sweep(
        [] {
            context ctx;
            cbor::reader from(as_bytes(twice), ctx, cbor::unique_keys);
            null_sink to;
            return from.feed(to);
        },
        errc::duplicate);
}

TEST_CASE("tagged") {
    const auto written = [](const tagged::dialect& as) {
        // Rows of many names, so that the writer's table of them grows.
        std::string lines = "array\n";
        for (int i = 0; i < 3; ++i) {
            lines += "map\nend\n";
        }
        for (int i = 0; i < 20; ++i) {
            lines += "map\n";
            for (int k = 0; k < 100; ++k) lines += "key \"name" + std::to_string(k) + "\"\narray\ni64 1\nend\n";
            lines += "end\n";
        }
        lines += "end\n";
        context ctx;
        buffer out;
        trace_source from(lines, ctx);
        tagged::writer to(out, ctx, as);
        bytes b;
        if (pipe(from, to, b) != errc::ok) std::abort();
        return std::string(reinterpret_cast<const char*>(b.data()), b.size());
    };
    static const std::string safe = written(tagged::safe), study = written(tagged::study);
    static const std::string* document = nullptr;
    for (const std::string* each : {&safe, &study}) {
        document = each;
        sweep([] {
            context ctx;
            buffer out;
            tagged::reader from(as_bytes(*document), ctx);
            tagged::writer to(out, ctx, tagged::safe);
            bytes b;
            return pipe(from, to, b);
        });
        sweep([] {
            context ctx;
            buffer out;
            tagged::reader from(as_bytes(*document), ctx);
            tagged::writer to(out, ctx, tagged::study);
            bytes b;
            return pipe(from, to, b);
        });
        static std::string cut;
        cut = document->substr(0, document->size() - 1);
        sweep(
            [] {
                context ctx;
                tagged::reader from(as_bytes(cut), ctx);
                null_sink to;
                return from.feed(to);
            },
            errc::truncated);
    }
}

TEST_CASE("the trace, and a host's values") {
    static const plain::value value = [] {
        context ctx;
        msgpack::reader from(as_bytes(msgpack_document()), ctx);
        plain::builder to(ctx);
        if (from.feed(to) != errc::ok) std::abort();
        return to.take();
    }();
    sweep([] {
        context ctx;
        buffer out, again;
        plain::walker from(value, ctx);
        trace_sink lines(out, ctx);
        KUMIHIMO_TRY(from.feed(lines));
        trace_source back(lines.view(), ctx);
        trace_sink to(again, ctx);
        return back.feed(to);
    });
    sweep([] {  // a copy
        context ctx;
        plain::walker from(value, ctx);
        plain::builder to(ctx);
        return from.feed(to);
    });
}

TEST_CASE("the tape and the C ABI") {
    sweep([] {
        context ctx;
        tape::recorder record(ctx, as_bytes(msgpack_document()), true);
        msgpack::reader from(as_bytes(msgpack_document()), ctx);
        KUMIHIMO_TRY(from.feed(record));
        tape::view v;
        KUMIHIMO_TRY(record.finish(v));
        KUMIHIMO_TRY(tape::check(v, ctx));
        tape::player again(v);
        buffer out;
        msgpack::writer to(out, ctx);
        bytes b;
        return pipe(again, to, b);
    });
    sweep([] {
        kumihimo_document* const d = kumihimo_document_new();
        if (d == nullptr) return errc::memory;
        kumihimo_limits limits{};
        limits.struct_size = sizeof limits;
        limits.flags = KUMIHIMO_COPY_INPUT;
        kumihimo_error why{};
        why.struct_size = sizeof why;
        const std::string& s = json_document();
        std::uint32_t code = kumihimo_read(d, "json", nullptr, s.data(), s.size(), &limits, &why);
        if (code == KUMIHIMO_OK) {
            const kumihimo_tape t = kumihimo_document_tape(d);
            void* data = nullptr;
            std::size_t size = 0;
            code = kumihimo_write(&t, 0, "msgpack", "big_text", nullptr, &data, &size, &why);
            kumihimo_free(data);
        }
        kumihimo_document_free(d);
        return static_cast<errc>(code);
    });
}

TEST_CASE("projection") {
    const std::string best(simd::active().name);
    for (const simd::kernels* k : simd::available()) {
        CAPTURE(std::string(k->name));
        simd::use(k->name);
        for (const json::level how : {json::level::strict, json::level::structural, json::level::trusted}) {
            sweep(
                [how] {
                    context ctx;
                    const std::string_view paths[] = {"key7.a[2]", "numbers[*]", "/deep/0/0/0", "[\"escaped \u00e9\\n\"]"};
                    json::projection wanted;
                    KUMIHIMO_TRY(json::projection::compile(paths, wanted, ctx));
                    json::projector p(wanted, how);
                    KUMIHIMO_TRY(p.run(as_bytes(json_document()), ctx));
                    return p.values(1).size() == 601 && p.value(0).length == 14 ? errc::ok : errc::host;
                },
                errc::ok, true);
        }
        static const std::string deep = std::string(1000, '[') + std::string(1000, ']');
        sweep([] {
            context ctx;
            return json::check(as_bytes(deep), ctx);
        });
        for (const json::level how : {json::level::strict, json::level::structural}) {
            const std::string_view paths[] = {"a"};
            json::projection wanted;
            context compiling;
            REQUIRE(json::projection::compile(paths, wanted, compiling) == errc::ok);
            sweep([how, &wanted] {
                context ctx;
                json::projector p(wanted, how);
                return p.run(as_bytes(deep), ctx);
            });
        }
    }
    simd::use(best);
}

TEST_CASE("projection by headers") {
    // Open ends that lie deep in what no path leads to, behind an array of one form.
    static const std::string deep = "\xbf\x61x" + std::string(300, '\x9f') + "\x88" + std::string(8, '\x01') +
                                    std::string(300, '\xff') + "\x61y\x82\x01\x02\xff";
    const std::string_view paths[] = {"y[*]"};
    json::projection wanted;
    context compiling;
    REQUIRE(json::projection::compile(paths, wanted, compiling) == errc::ok);
    for (const json::level how : {json::level::strict, json::level::structural, json::level::trusted}) {
        sweep([how, &wanted] {
            context ctx;
            cbor::format::projector p(wanted, how);
            KUMIHIMO_TRY(p.run(as_bytes(deep), json::given::document, ctx));
            return p.values(0).size() == 2 ? errc::ok : errc::host;
        });
        sweep([how, &wanted] {
            context ctx;
            msgpack::format::projector p(wanted, how);
            return p.run(as_bytes(msgpack_document()), json::given::document, ctx);
        });
    }
}
