#include "engine/frame/frame.hpp"

#include <algorithm>
#include <cstring>

#include "engine/frame/library.hpp"

namespace kumihimo::inline v0::frame {
namespace {

constexpr const codec* table[] = {&gzip, &zstd, &lz4};
constexpr const codec* readable_table[] = {&gzip, &zstd, &lz4, &xz, &bzip2};
constexpr const char* bomb = "the data expands beyond the allowed ratio, as a decompression bomb does";
constexpr const char* too_large = "the data expands beyond the size limit";
constexpr const char* no_memory = "out of memory";

// How many bytes of text so many packed ones may give.
std::uint64_t most(std::uint64_t packed, const limits& allowed) noexcept {
    const std::uint64_t ratio = std::max<std::uint64_t>(allowed.ratio, 1);
    const std::uint64_t by_ratio = packed > UINT64_MAX / ratio ? UINT64_MAX : packed * ratio;
    return std::max<std::uint64_t>(by_ratio, allowed.ratio_floor);
}

bool level_of(const codec& by, int& level) noexcept {
    if (level == usual_level) level = by.usual;
    return level >= by.lowest && level <= by.highest;
}

// Which bytes a frame may begin with. Most documents have no frame, and their first byte says so. Made when the
// program is loaded: the guard of one that is made when it is first asked would stay shut where a host jumps out of
// the making.
struct first_bytes {
    bool frame[256] = {};
    first_bytes() noexcept {
        for (unsigned i = 0; i < 256; ++i) {
            const auto byte = static_cast<unsigned char>(i);
            frame[i] = skippable({&byte, 1}) != codec::match::no;
            for (const codec* c : table) frame[i] |= c->begins({&byte, 1}) != codec::match::no;
        }
    }
};
const first_bytes first;

}  // namespace

std::span<const codec* const> all() noexcept { return table; }
std::span<const codec* const> readable() noexcept { return readable_table; }

const codec* by_name(std::string_view name) noexcept {
    for (const codec* c : table)
        if (c->name == name) return c;
    return nullptr;
}

// In any case: DATA.JSON.GZ is a gzip file, too.
const codec* by_ending(std::string_view file, std::span<const codec* const> among) noexcept {
    const auto same = [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a + 32 == b); };
    for (const codec* c : among) {
        if (file.size() <= c->ending.size()) continue;
        const std::string_view end = file.substr(file.size() - c->ending.size());
        if (std::equal(end.begin(), end.end(), c->ending.begin(), same)) return c;
    }
    return nullptr;
}

// Skippable frames (RFC 8878, 3.1.2) belong to zstd and lz4 alike; what stands behind them decides, and zstd where
// that is not at hand: pzstd begins its files with one.
const codec* recognise(bytes head) noexcept {
    if (head.empty() || !first.frame[head[0]]) return nullptr;
    for (bytes at = head; skippable(at) == codec::match::yes;) {
        if (at.size() < 8) return &zstd;
        const std::uint64_t length = 8 + std::uint64_t{little(at.data() + 4)};
        if (length >= at.size()) return &zstd;
        at = at.subspan(static_cast<std::size_t>(length));
        if (skippable(at) != codec::match::yes) return lz4.recognises(at) ? &lz4 : &zstd;
    }
    for (const codec* c : table)
        if (c->recognises(head)) return c;
    return nullptr;
}

errc choose_level(const codec* by, double asked, int& level, const char*& what) noexcept {
    if (by == nullptr) {
        what = "frame_level is the level of a frame, and none is named";
        return errc::misuse;
    }
    if (!(asked >= by->lowest && asked <= by->highest)) {  // which NaN is not
        what = by->levels;
        return errc::range;
    }
    level = static_cast<int>(asked);
    return errc::ok;
}

bool available(const codec& by) noexcept {
    errc code = errc::ok;
    const char* what = "";
    return by.expand(limits{}, code, what) != nullptr || code == errc::memory;
}

errc unpacker::fail(errc code, std::uint64_t offset, const char* what) noexcept {
    failed_ = code;
    return ctx_->fail(code, static_cast<std::size_t>(offset), what);
}

void unpacker::restart() noexcept {
    if (library_) library_->restart();
    taken_ = produced_ = proven_ = members_ = 0;
    held_ = 0;
    between_ = drained_ = true;
    padding_ = false;
    failed_ = errc::ok;
}

// One call to the library; counts, and tests the limits.
errc unpacker::run(bytes in, char* to, std::size_t room, step& done) noexcept {
    if (!library_) {
        errc code = errc::ok;
        const char* what = "";
        library_ = codec_->expand(ctx_->limits, code, what);
        if (!library_) return fail(code, failure::nowhere, what);
        if (trusted_) library_->trust();
    }
    // One byte beyond a limit is enough to see that it is passed.
    const limits& allowed = ctx_->limits;
    const std::uint64_t end = std::min<std::uint64_t>(allowed.size, most(taken_ + in.size(), allowed));
    const std::uint64_t left = end > produced_ ? end - produced_ : 0;
    const bool bounded = room != 0 && left < room;
    if (bounded) room = static_cast<std::size_t>(left) + 1;
    const char* what = "";
    const errc code = library_->expand(in, to, room, done, what);
    taken_ += done.taken;
    produced_ += done.given;
    drained_ = done.given < room;
    if (produced_ > allowed.size) return fail(errc::size, taken_, too_large);
    if (produced_ > most(taken_, allowed)) return fail(errc::size, taken_, bomb);
    if (code != errc::ok) return fail(code, taken_, what);
    if (done.ended) {
        between_ = drained_ = true;
        ++members_;
        proven_ = produced_;
    }
    return errc::ok;
}

// Between members: another one, padding, or something else.
errc unpacker::begin(bytes& in) noexcept {
    if (codec_->padded && members_ != 0 && held_ == 0) {
        const auto* const text = std::find_if(in.data(), in.data() + in.size(), [](unsigned char c) { return c != 0; });
        const std::size_t zeros = static_cast<std::size_t>(text - in.data());
        padding_ = padding_ || zeros != 0;
        taken_ += zeros;
        in = in.subspan(zeros);
        if (in.empty()) return errc::ok;
        if (padding_ && !codec_->padded_between) return fail(errc::trailing, taken_, codec_->after);
    }
    codec::match is = codec::match::more;
    if (held_ == 0 && in.size() >= sizeof head_) {
        is = codec_->begins(in);
    } else {
        while (is == codec::match::more && !in.empty()) {
            head_[held_++] = in[0];
            in = in.subspan(1);
            is = codec_->begins({head_, held_});
        }
        if (is == codec::match::more) return errc::ok;
    }
    if (is == codec::match::no)
        return members_ == 0 ? fail(errc::syntax, 0, codec_->other) : fail(errc::trailing, taken_, codec_->after);
    between_ = drained_ = false;
    bytes head{head_, held_};
    held_ = 0;
    char nothing = 0;
    while (!head.empty()) {
        step done;
        KUMIHIMO_TRY(run(head, &nothing, 0, done));
        if (done.taken == 0) return fail(errc::syntax, taken_, codec_->other);
        head = head.subspan(done.taken);
        drained_ = true;  // so few bytes hold no text
    }
    return errc::ok;
}

errc unpacker::expand(bytes& in, char* to, std::size_t room, std::size_t& got) noexcept {
    got = 0;
    if (failed_ != errc::ok) return failed_;
    while (got < room) {
        if (between_) {
            if (in.empty() || (single_ && members_ != 0)) return errc::ok;
            KUMIHIMO_TRY(begin(in));
            continue;
        }
        if (in.empty() && drained_) return errc::ok;
        step done;
        const errc code = run(in, to + got, room - got, done);
        in = in.subspan(done.taken);
        got += done.given;
        KUMIHIMO_TRY(code);
        if (done.taken == 0 && done.given == 0 && !done.ended) {
            if (in.empty()) return errc::ok;
            return fail(errc::syntax, taken_, codec_->other);  // no library does that; a loop without end would be worse
        }
    }
    return errc::ok;
}

errc unpacker::feed(bytes chunk, buffer& out) noexcept {
    for (;;) {
        const std::size_t want = std::clamp<std::size_t>(chunk.size() * 4, 4096, std::size_t{1} << 20);
        char* const to = out.reserve(want);
        if (to == nullptr) return fail(errc::memory, taken_, no_memory);
        const std::size_t room = out.capacity() - out.size();
        std::size_t got = 0;
        const errc code = expand(chunk, to, room, got);
        out.commit(to + got);
        KUMIHIMO_TRY(code);
        if (got < room) return errc::ok;
    }
}

errc unpacker::finish() noexcept {
    if (failed_ != errc::ok) return failed_;
    return between() && members_ != 0 ? errc::ok : fail(errc::truncated, taken_ + held_, codec_->cut);
}

errc unpack(const codec& by, bytes in, buffer& out, context& ctx) noexcept {
    if (by.unpack != nullptr && by.unpack(in, out, ctx.limits)) return errc::ok;
    const std::size_t before = out.size();
    unpacker from(by, ctx);
    // What the frame announces may be a lie, so it is believed no further than the limits and the usual ratio.
    std::uint64_t want = by.announced(in);
    if (want == 0) want = in.size() * std::uint64_t{4};
    want = std::min(want, std::max<std::uint64_t>(in.size() * std::uint64_t{64}, 1 << 20));
    want = std::clamp<std::uint64_t>(std::min<std::uint64_t>(want, ctx.limits.size), 256, PTRDIFF_MAX);
    errc code = errc::ok;
    while (code == errc::ok) {
        char* const to = out.reserve(static_cast<std::size_t>(want));
        if (to == nullptr) {
            code = ctx.fail(errc::memory, static_cast<std::size_t>(from.taken()), no_memory);
            break;
        }
        const std::size_t room = out.capacity() - out.size();
        std::size_t got = 0;
        code = from.expand(in, to, room, got);
        out.commit(to + got);
        if (code == errc::ok && in.empty() && (from.between() || got < room)) {
            code = from.finish();
            break;
        }
        want = std::max<std::size_t>(out.size() - before, 4096);
    }
    if (code != errc::ok && out.size() != before) out.commit(out.data() + before);
    return code;
}

errc pack(const codec& by, bytes in, buffer& out, int level, context& ctx) noexcept {
    const std::size_t before = out.size();
    if (!level_of(by, level)) return ctx.fail(errc::range, failure::nowhere, by.levels);
    if (in.size() > ctx.limits.size) return ctx.fail(errc::size, ctx.limits.size, "the document is larger than the size limit");
    if (by.pack != nullptr && by.pack(in, out, level)) return errc::ok;
    packer to(by, ctx, level);
    errc code = to.feed(in, out);
    if (code == errc::ok) code = to.finish(out);
    if (code != errc::ok && out.size() != before) out.commit(out.data() + before);
    return code;
}

errc packer::run(bytes in, compressor::mode flush_mode, buffer& out) noexcept {
    if (failed_ != errc::ok) return failed_;
    const auto fail = [&](errc code, std::uint64_t offset, const char* what) {
        failed_ = code;
        return ctx_->fail(code, static_cast<std::size_t>(offset), what);
    };
    const char* what = "";
    if (!library_) {
        if (!level_of(*codec_, level_)) return fail(errc::range, failure::nowhere, codec_->levels);
        errc code = errc::ok;
        library_ = codec_->compress(level_, code, what);
        if (!library_) return fail(code, failure::nowhere, what);
    }
    if (in.size() > ctx_->limits.size - std::min<std::uint64_t>(fed_, ctx_->limits.size))
        return fail(errc::size, ctx_->limits.size, "the document is larger than the size limit");
    const errc code = library_->compress(in, flush_mode, out, what);
    if (code != errc::ok) return fail(code, fed_, what);
    fed_ = flush_mode == compressor::mode::finish ? 0 : fed_ + in.size();
    return errc::ok;
}

}  // namespace kumihimo::inline v0::frame
