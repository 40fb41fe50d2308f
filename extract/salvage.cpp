#include "extract/salvage.hpp"

#include <poll.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "extract/entry_text.hpp"
#include "extract/inflate.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::size_t block = std::size_t{1} << 18, local_size = 30;
constexpr std::uint32_t local_mark = 0x04034b50, descriptor_mark = 0x08074b50;

std::uint32_t u16(const unsigned char* p) noexcept { return static_cast<std::uint32_t>(p[0] | p[1] << 8); }
std::uint32_t u32(const unsigned char* p) noexcept { return u16(p) | u16(p + 2) << 16; }
std::uint64_t u64(const unsigned char* p) noexcept { return u32(p) | static_cast<std::uint64_t>(u32(p + 4)) << 32; }

constexpr const char* cut_in_header = "the archive is cut off inside the header of this entry";
constexpr const char* no_end = "where this entry ends cannot be found: the archive is damaged";
constexpr const char* no_entry = "the archive is damaged: no entry begins here; it is read on from the next one";

}  // namespace

proof prove(byte_source& from, const expanding_source* members, int wake, const std::atomic<bool>* cancelled) {
    proof p;
    const std::unique_ptr<char[]> data(new char[block]);
    for (;;) {
        pollfd waiting{wake, POLLIN, 0};
        if ((cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) || (wake >= 0 && ::poll(&waiting, 1, 0) > 0)) {
            p.good = 0;
            p.code = errc::host;
            p.why.code = errc::host;
            p.why.what = "the run was cancelled";
            return p;
        }
        context ctx;
        std::size_t got = 0;
        const errc e = from.read(data.get(), block, got, ctx);
        if (e == errc::ok && got != 0) continue;
        if (e == errc::ok || (e == errc::truncated && members != nullptr)) return p;
        p.good = members != nullptr ? members->proven() : 0;
        p.code = e;
        p.why = ctx.failure;
        return p;
    }
}

errc proven_source::read(char* to, std::size_t room, std::size_t& got, context& ctx) {
    got = 0;
    if (of_.code != errc::ok && seen_ >= of_.good) {
        ctx.failure = of_.why;
        return of_.code;
    }
    KUMIHIMO_TRY(from_->read(to, static_cast<std::size_t>(std::min<std::uint64_t>(room, of_.good - seen_)), got, ctx));
    seen_ += got;
    return errc::ok;
}

zip_walk::zip_walk(bytes file, const expansion& allowed)
    : file_(file), allowed_(allowed), budget_(std::uint64_t{16} * file.size()) {}

// Whether anything of an archive begins there, or the file ends, perhaps inside of such a mark.
bool zip_walk::headed(std::uint64_t at) const noexcept {
    if (at > file_.size()) return false;
    const unsigned char* p = file_.data() + at;
    if (file_.size() - at < 4) {
        const bytes left = file_.subspan(at);
        return left.empty() || (left[0] == 'P' && (left.size() == 1 || left[1] == 'K'));
    }
    const std::uint32_t marks[] = {local_mark, 0x02014b50, 0x05054b50, 0x06054b50, 0x06064b50};
    return std::find(std::begin(marks), std::end(marks), u32(p)) != std::end(marks);
}

bool zip_walk::next(zip_entry& out) {
    out = {};
    const std::uint64_t from = at_;
    const void* found = at_ >= file_.size() ? nullptr : ::memmem(file_.data() + at_, file_.size() - at_, "PK\3\4", 4);
    if (found == nullptr) {
        at_ = file_.size();
        if (from == 0 || from == file_.size() || headed(from)) return false;
        out.header = from;
        out.lost = no_entry;
        return true;
    }
    at_ = static_cast<std::uint64_t>(static_cast<const unsigned char*>(found) - file_.data());
    if (from != 0 && at_ != from) {
        // The archive's directory stands behind all entries; what looks like one inside of its comments is none.
        if (headed(from)) {
            at_ = file_.size();
            return false;
        }
        out.header = from;
        out.lost = no_entry;
        return true;
    }
    std::uint64_t data = 0;
    out.header = at_;
    if (!header(out, data)) {
        at_ = file_.size();
        return true;
    }
    const bool later = (out.flags & 8) != 0 && out.packed == 0 && out.size == 0 && out.crc == 0;
    if (later) {
        if (!described(out, data)) at_ = out.cut ? file_.size() : data;
        return true;
    }
    const std::uint64_t left = file_.size() - data;
    if (out.packed > left) {
        // Cut off; but a damaged length would say the same, so another header behind it is worth more.
        if (::memmem(file_.data() + data, left, "PK\3\4", 4) != nullptr) {
            out.lost = no_end;
            at_ = data;
        } else {
            out.cut = true;
            out.packed = left;
            at_ = file_.size();
        }
        return true;
    }
    at_ = data + out.packed;
    if ((out.flags & 8) != 0) {
        zip_entry same = out;
        if (descriptor(same, data, at_)) at_ = same.packed_end;
    }
    if (!headed(at_) && !whole(out, data)) {
        out.lost = no_end;
        at_ = data;
    }
    return true;
}

// Reads the local header. False when it is cut off.
bool zip_walk::header(zip_entry& out, std::uint64_t& data) {
    const std::uint64_t left = file_.size() - at_;
    const unsigned char* p = file_.data() + at_;
    out.lost = cut_in_header;
    if (left < local_size) return false;
    const std::uint32_t name = u16(p + 26), extra = u16(p + 28);
    if (left - local_size < name) return false;
    out.name = {reinterpret_cast<const char*>(p) + local_size, name};
    if (left - local_size - name < extra) return false;
    out.lost = nullptr;
    out.flags = static_cast<std::uint16_t>(u16(p + 6));
    out.method = static_cast<std::uint16_t>(u16(p + 8));
    out.time = static_cast<std::uint16_t>(u16(p + 10));
    out.crc = u32(p + 14);
    out.packed = u32(p + 18);
    out.size = u32(p + 22);
    data = at_ + local_size + name + extra;
    if (out.method == zip_entry::aes) read_aes(file_.subspan(static_cast<std::size_t>(data - extra), extra), out);
    const unsigned char* e = p + local_size + name;
    for (std::uint32_t n = extra; n >= 4;) {
        const std::uint32_t length = u16(e + 2);
        if (length > n - 4) break;
        if (u16(e) == 1) {
            std::uint32_t at = 4;
            if (out.size == 0xffffffff && at + 8 <= length + 4) out.size = u64(e + at), at += 8;
            if (out.packed == 0xffffffff && at + 8 <= length + 4) out.packed = u64(e + at);
        }
        e += 4 + length;
        n -= 4 + length;
    }
    return true;
}

// Whether a data descriptor stands at `at` that says what is known of the entry: crc and lengths, of 32 or 64 bits,
// with or without the mark. Its end is left in packed_end.
bool zip_walk::descriptor(zip_entry& out, std::uint64_t data, std::uint64_t at) const noexcept {
    for (const bool marked : {true, false})
        for (const std::uint32_t width : {4u, 8u}) {
            const std::uint64_t length = (marked ? 4 : 0) + 4 + 2 * width;
            if (at > file_.size() || file_.size() - at < length) continue;
            const unsigned char* p = file_.data() + at;
            if (marked && u32(p) != descriptor_mark) continue;
            if (marked) p += 4;
            const std::uint64_t packed = width == 4 ? u32(p + 4) : u64(p + 4), size = width == 4 ? u32(p + 8) : u64(p + 12);
            if (u32(p) != out.crc || packed != at - data || size != out.size || !headed(at + length)) continue;
            out.packed_end = at + length;
            return true;
        }
    return false;
}

// Finds the end of an entry whose lengths stand behind its data. False: it is cut off or lost.
bool zip_walk::described(zip_entry& out, std::uint64_t data) {
    const bytes rest = file_.subspan(data);
    const auto lost = [&] {
        out.lost = no_end;
        return false;
    };
    // Cut off is only the last one; what runs on into another is damaged.
    const auto cut = [&] {
        for (const char* mark : {"PK\3\4", "PK\1\2"})
            if (::memmem(rest.data(), rest.size(), mark, 4) != nullptr) return lost();
        out.cut = true;
        out.packed = rest.size();
        out.size = 1;
        return false;
    };
    if (out.sealed() || !out.readable() || out.method == zip_entry::lzma) return lost();
    if (out.method == zip_entry::stored) {
        for (std::size_t at = 0; at < rest.size();) {
            // Many entries may look at the same bytes, so what is looked at counts.
            const std::size_t within = static_cast<std::size_t>(std::min<std::uint64_t>(rest.size() - at, budget_));
            const void* found = ::memmem(rest.data() + at, within, "PK\7\10", 4);
            const std::size_t seen =
                found == nullptr ? within
                                 : static_cast<std::size_t>(static_cast<const unsigned char*>(found) - rest.data()) - at;
            budget_ -= seen;
            at += seen;
            if (found == nullptr) {
                if (at == rest.size()) break;
                return lost();
            }
            zip_entry e = out;
            e.packed = e.size = at;
            const bool said = rest.size() - at >= 16 && u32(rest.data() + at + 8) == static_cast<std::uint32_t>(at);
            if (said && budget_ >= at) {
                budget_ -= at;
                e.crc = crc32(0, rest.first(at));
                if (descriptor(e, data, data + at)) {
                    out = e;
                    at_ = e.packed_end;
                    return true;
                }
            }
            at += 4;
            budget_ -= std::min<std::uint64_t>(budget_, 4);
        }
        return cut();
    }
    memory_source raw(rest.first(static_cast<std::size_t>(std::min<std::uint64_t>(rest.size(), budget_))));
    source_chain chain;
    expanding_source& expanded = expand(chain, raw, packing_of(out), allowed_, true);
    const std::unique_ptr<char[]> room(new char[block]);
    std::uint32_t sum = 0;
    for (;;) {
        context ctx;
        std::size_t got = 0;
        const errc e = expanded.read(room.get(), block, got, ctx);
        sum = crc32(sum, {reinterpret_cast<const unsigned char*>(room.get()), got});
        if (e == errc::ok && got != 0 && expanded.produced() <= allowed_.size) continue;
        budget_ -= std::min(budget_, expanded.taken());
        if (e == errc::truncated && expanded.taken() == rest.size()) return cut();
        if (e != errc::ok || got != 0) return lost();
        break;
    }
    out.crc = sum;
    out.packed = expanded.taken();
    out.size = expanded.produced();
    if (descriptor(out, data, data + out.packed)) {
        at_ = out.packed_end;
        return true;
    }
    // All of the data is there, and its check sum is what was cut off.
    if (file_.size() - data - out.packed < 24) return cut();
    return lost();
}

// Whether the data is what the header says.
bool zip_walk::whole(const zip_entry& entry, std::uint64_t data) {
    const bytes packed = file_.subspan(data, entry.packed);
    if (budget_ < packed.size()) return false;
    budget_ -= packed.size();
    if (entry.method == zip_entry::stored) return entry.size == entry.packed && crc32(0, packed) == entry.crc;
    if (!entry.readable() || entry.sealed()) return false;
    source_chain chain;
    expanding_source* const expanded = entry_text(chain, packed, entry, {}, allowed_).expanding;
    if (expanded == nullptr) return false;
    const std::unique_ptr<char[]> room(new char[block]);
    std::uint32_t sum = 0;
    for (;;) {
        context ctx;
        std::size_t got = 0;
        if (expanded->read(room.get(), block, got, ctx) != errc::ok || expanded->produced() > entry.size) return false;
        if (got == 0) return expanded->produced() == entry.size && sum == entry.crc;
        sum = crc32(sum, {reinterpret_cast<const unsigned char*>(room.get()), got});
    }
}

}  // namespace kumihimo::inline v0::extract
