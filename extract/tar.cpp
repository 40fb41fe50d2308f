#include "extract/tar.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "engine/scalar/utf8.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();
constexpr const char* no_header =
    "the tar is damaged: no header with a valid check sum is here; it is read on from the next one";
constexpr const char* cut_in_header = "the tar is cut off inside a header";
constexpr const char* no_end =
    "the tar has no end mark: it is cut off, or was never finished; its whole entries are read, for the others copy or "
    "download "
    "it again";
constexpr const char* behind_end = "something that is no tar follows the tar's end";
constexpr const char* bad_number = "the tar's header has no valid size";
constexpr const char* bad_extra = "an extended header of the tar is damaged";
constexpr const char* long_extra = "an extended header of the tar is larger than any name";
constexpr const char* sparse = "the entry is a sparse file, which is not read; pack it again without --sparse";
constexpr const char* parted = "the entry continues on another volume of the tar; join the volumes first";

struct place {
    std::size_t at, size;
};
constexpr place name_at{0, 100}, size_at{124, 12}, sum_at{148, 8}, mark_at{257, 6}, prefix_at{345, 155};
constexpr std::size_t type_at = 156, old_map_goes_on = 482, map_goes_on = 504;

bool zero(const unsigned char* block) noexcept {
    return block[0] == 0 && std::memcmp(block, block + 1, tar_reader::block - 1) == 0;
}

// Octal digits among blanks and zeros, or GNU's binary form, which its first bit marks. `nowhere`: neither.
std::uint64_t number(const unsigned char* block, place where) noexcept {
    const unsigned char* p = block + where.at;
    if ((p[0] & 0x80) != 0) {
        std::uint64_t n = p[0] & 0x7f;
        for (std::size_t i = 1; i < where.size; ++i) {
            if (n >> 55 != 0) return nowhere;
            n = n << 8 | p[i];
        }
        return n;
    }
    std::size_t i = 0;
    while (i < where.size && p[i] == ' ') ++i;
    std::uint64_t n = 0;
    for (; i < where.size && p[i] >= '0' && p[i] <= '7'; ++i) n = n << 3 | static_cast<std::uint64_t>(p[i] - '0');
    for (; i < where.size; ++i)
        if (p[i] != ' ' && p[i] != 0) return nowhere;
    return n;
}

// The sum of all bytes with blanks in the sum's place. Some old writers took bytes for signed.
bool sums_up(const unsigned char* block) noexcept {
    const std::uint64_t said = number(block, sum_at);
    std::uint64_t sum = 0;
    std::int64_t other = 0;
    for (std::size_t i = 0; i < tar_reader::block; ++i) {
        const unsigned char c = i >= sum_at.at && i < sum_at.at + sum_at.size ? ' ' : block[i];
        sum += c;
        other += static_cast<signed char>(c);
    }
    return said == sum || (other >= 0 && said == static_cast<std::uint64_t>(other));
}

bool marked(const unsigned char* block) noexcept { return std::memcmp(block + mark_at.at, "ustar", 5) == 0; }

// Whether it begins with a name: signs, then nothing but zeros. What begins like JSON is believed to be one only by
// its sum.
bool named(const unsigned char* block) noexcept {
    if (block[0] == 0 || std::strchr("{[\"", block[0]) != nullptr) return false;
    const unsigned char *p = block, *const end = block + name_at.size;
    while (p != end && *p >= ' ') ++p;
    return std::all_of(p, end, [](unsigned char c) { return c == 0; });
}

std::string_view text(const unsigned char* block, place where) noexcept {
    const char* p = reinterpret_cast<const char*>(block) + where.at;
    return {p, ::strnlen(p, where.size)};
}

// What extended headers said of the entry that follows them.
struct wish {
    std::string name, sparse_name;
    std::uint64_t size = nowhere;
    bool named = false, sparse = false;
};

// Records of the form "27 path=some/where.json\n", where the number is the record's length.
bool read_pax(std::string_view all, wish& to) {
    while (!all.empty()) {
        std::size_t n = 0, i = 0;
        for (; i < all.size() && all[i] >= '0' && all[i] <= '9'; ++i) {
            n = n * 10 + static_cast<std::size_t>(all[i] - '0');
            if (n > all.size()) return false;
        }
        if (i == 0 || i >= n || all[i] != ' ' || all[n - 1] != '\n') return false;
        const std::string_view record = all.substr(i + 1, n - i - 2);
        all.remove_prefix(n);
        const std::size_t equals = record.find('=');
        if (equals == record.npos) return false;
        const std::string_view key = record.substr(0, equals);
        std::string_view value = record.substr(equals + 1);
        if (key == "path") {
            to.name = value.substr(0, value.find('\0'));
            to.named = true;
        } else if (key == "size") {
            std::uint64_t size = 0;
            if (value.empty() || value.size() > 18) return false;
            for (const char c : value) {
                if (c < '0' || c > '9') return false;
                size = size * 10 + static_cast<std::uint64_t>(c - '0');
            }
            to.size = size;
        } else if (key.substr(0, 11) == "GNU.sparse.") {
            to.sparse = true;
            if (key == "GNU.sparse.name") to.sparse_name = value;
        }
    }
    return true;
}

}  // namespace

std::string tar_name(std::string_view stored) {
    while (stored.size() > 2 && stored[0] == '.' && stored[1] == '/') stored.remove_prefix(2);
    if (scalar::utf8_valid_prefix(stored.data(), stored.size()) == stored.size()) return std::string(stored);
    std::string name;
    for (const char c : stored) {
        const auto b = static_cast<unsigned char>(c);
        if (b < 0x80) {
            name += c;
        } else {
            name += static_cast<char>(0xc0 | b >> 6);
            name += static_cast<char>(0x80 | (b & 0x3f));
        }
    }
    return name;
}

bool tar_reader::recognises(bytes head) noexcept {
    // Of text that has the mark at that place only the check sum knows.
    if (head.size() >= 263 && marked(head.data()) && named(head.data())) return true;
    // The old form: a name, a plain kind, and the check sum is right.
    if (head.size() < block || head[0] == 0) return false;
    const unsigned char kind = head[type_at];
    return (kind == 0 || (kind >= '0' && kind <= '7')) && number(head.data(), size_at) != nowhere && sums_up(head.data());
}

tar_reader::found tar_reader::over(found how) noexcept {
    over_ = true;
    left_ = padding_ = 0;
    return how;
}

// As many of n bytes as there are.
errc tar_reader::take(char* to, std::size_t n, std::size_t& got, context& ctx) {
    got = 0;
    if (at_hand_) {
        got = static_cast<std::size_t>(std::min<std::uint64_t>(n, file_.size() - std::min<std::uint64_t>(at_, file_.size())));
        if (got != 0) std::memcpy(to, file_.data() + at_, got);
    }
    while (!at_hand_ && got < n) {
        std::size_t came = 0;
        if (const errc e = from_->read(to + got, n - got, came, ctx); e != errc::ok) {
            source_failed_ = true;
            return e;
        }
        if (came == 0) break;
        got += came;
    }
    at_ += got;
    return errc::ok;
}

errc tar_reader::skip(std::uint64_t n, context& ctx) {
    if (at_hand_) {
        at_ += std::min<std::uint64_t>(n, file_.size() - at_);
        return errc::ok;
    }
    constexpr std::size_t room = std::size_t{64} << 10;
    if (n == 0) return errc::ok;
    const std::unique_ptr<char[]> dropped(new char[std::min<std::uint64_t>(n, room)]);
    while (n != 0) {
        const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(n, room));
        std::size_t got = 0;
        KUMIHIMO_TRY(take(dropped.get(), want, got, ctx));
        if (got == 0) break;
        n -= got;
    }
    return errc::ok;
}

// The data of an extended header. errc::size: it is too long, and was passed over; errc::truncated: the tar ends in
// it.
errc tar_reader::extra(const unsigned char* header, std::string& to, context& ctx) {
    const std::uint64_t size = number(header, size_at);
    to.clear();
    if (size == nowhere) return errc::syntax;
    const std::uint64_t whole = (size + block - 1) / block * block;
    if (size > most_extra) {
        const errc e = skip(whole, ctx);
        return e == errc::ok ? errc::size : e;
    }
    to.resize(static_cast<std::size_t>(size));
    std::size_t got = 0;
    KUMIHIMO_TRY(take(to.data(), to.size(), got, ctx));
    if (got < to.size()) return errc::truncated;
    return skip(whole - size, ctx);
}

// GNU's old sparse files have more of their map behind the header. False: the source failed.
bool tar_reader::long_map(const unsigned char* header, context& ctx) {
    bool more = header[old_map_goes_on] != 0;
    while (more) {
        unsigned char next[block];
        std::size_t got = 0;
        if (take(reinterpret_cast<char*>(next), block, got, ctx) != errc::ok) return false;
        more = got == block && next[map_goes_on] != 0;
    }
    return true;
}

bytes tar_reader::data(const tar_entry& e) const noexcept {
    if (e.data > file_.size()) return {};
    return file_.subspan(static_cast<std::size_t>(e.data),
                         static_cast<std::size_t>(std::min<std::uint64_t>(e.size, file_.size() - e.data)));
}

errc tar_reader::read(char* to, std::size_t room, std::size_t& got, context& ctx) {
    got = 0;
    if (left_ == 0) return errc::ok;
    const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(room, left_));
    if (at_hand_) {
        KUMIHIMO_TRY(take(to, want, got, ctx));
    } else {
        if (const errc e = from_->read(to, want, got, ctx); e != errc::ok) {
            source_failed_ = true;
            return e;
        }
        at_ += got;
    }
    left_ -= got;
    return got == 0 && want != 0 ? ctx.fail(errc::truncated, at_, tar_cut_off) : errc::ok;
}

tar_reader::found tar_reader::next(tar_entry& out, context& ctx) {
    out = {};
    if (over_) return found::end;
    if (skip(left_ + padding_, ctx) != errc::ok) return over(found::fault);
    left_ = padding_ = 0;
    wish said;
    out.header = at_;
    bool first = true;
    const auto lose = [&](errc code, const char* why) {
        if (out.lost != nullptr) return;
        out.lost = why;
        out.code = code;
    };
    for (;;) {
        std::size_t got = block;
        if (held_) {
            held_ = false;
        } else {
            if (take(reinterpret_cast<char*>(head_), block, got, ctx) != errc::ok) return over(found::fault);
        }
        const std::uint64_t here = at_ - got;
        if (first) out.header = here;
        if (got == 0 || (got < block && std::all_of(head_, head_ + got, [](unsigned char c) { return c == 0; }))) {
            if (zeros_ && first) return over(found::end);
            ctx.fail(errc::truncated, here, first ? no_end : cut_in_header);
            return over(found::fault);
        }
        if (got < block) {
            // A few bytes behind the end are no archive that was cut off.
            ctx.fail(zeros_ ? errc::trailing : errc::truncated, here, zeros_ ? behind_end : cut_in_header);
            return over(found::fault);
        }
        if (zero(head_)) {
            zeros_ = true;
            if (!first) lose(errc::syntax, bad_extra);
            if (out.lost != nullptr) return found::entry;
            continue;
        }
        if (!sums_up(head_)) {
            if (zeros_) {
                ctx.fail(errc::trailing, here, behind_end);
                failure why = ctx.failure;
                ctx.clear();
                // A stream's own check sum stands at its end.
                if (skip(nowhere, ctx) == errc::ok) ctx.failure = why;
                return over(found::fault);
            }
            lose(errc::syntax, no_header);
            // Headers stand at whole blocks; the next one that adds up is one.
            for (;;) {
                if (take(reinterpret_cast<char*>(head_), block, got, ctx) != errc::ok) return over(found::fault);
                if (got < block) break;
                if (!zero(head_) && marked(head_) && sums_up(head_)) {
                    held_ = true;
                    break;
                }
                zeros_ = zero(head_);
            }
            return found::entry;
        }
        zeros_ = false;
        const unsigned char kind = head_[type_at];
        if (kind == 'L' || kind == 'K' || kind == 'x' || kind == 'X' || kind == 'g') {
            std::string more;
            unsigned char header[block];
            std::memcpy(header, head_, block);
            first = false;
            const errc e = extra(header, more, ctx);
            if (e == errc::truncated && !source_failed_) {
                ctx.fail(errc::truncated, here, cut_in_header);
                return over(found::fault);
            }
            if (source_failed_) return over(found::fault);
            if (e == errc::size) lose(errc::size, long_extra);
            if (e == errc::syntax) lose(errc::syntax, bad_number);
            if (e != errc::ok) continue;
            if (kind == 'L') {
                said.name = more.substr(0, more.find('\0'));
                said.named = true;
            } else if (kind == 'x' || kind == 'X') {
                if (!read_pax(more, said)) lose(errc::syntax, bad_extra);
            }
            continue;
        }
        std::uint64_t size = number(head_, size_at);
        if (said.size != nowhere) size = said.size;
        if (!said.sparse_name.empty()) {
            said.name = said.sparse_name;
            said.named = true;
        }
        if (!said.named) {
            if (marked(head_) && head_[mark_at.at + 5] == 0) said.name = text(head_, prefix_at);
            if (!said.name.empty()) said.name += '/';
            said.name += text(head_, name_at);
        }
        out.name = tar_name(said.name);
        // Links, devices and folders have no data, whatever their size says; all kinds that are not known have.
        const bool empty = kind >= '1' && kind <= '6';
        const bool folder = (kind == 0 || kind == '0') && !out.name.empty() && out.name.back() == '/';
        if (size == nowhere) {
            lose(errc::syntax, bad_number);
            size = 0;
        }
        if (empty || folder) size = 0;
        if ((kind == 'S' || said.sparse) && !empty) lose(errc::unsupported, sparse);
        if (kind == 'S' && !long_map(head_, ctx)) return over(found::fault);
        if (kind == 'M') lose(errc::unsupported, parted);
        out.file = !empty && !folder && kind != 'D' && kind != 'V';
        out.size = size;
        out.data = at_;
        left_ = size;
        padding_ = (block - size % block) % block;
        return found::entry;
    }
}

}  // namespace kumihimo::inline v0::extract
