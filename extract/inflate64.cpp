#include "extract/inflate64.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "extract/salvage.hpp"

namespace kumihimo::inline v0::extract {
namespace {

// Of a code: the least value, and how many bits are added to it.
struct range {
    std::uint32_t base;
    std::uint8_t extra;
};
constexpr unsigned first_length = 257, end_of_block = 256;
constexpr range lengths[] = {{3, 0},  {4, 0},  {5, 0},  {6, 0},   {7, 0},   {8, 0},   {9, 0},   {10, 0},  {11, 1}, {13, 1},
                             {15, 1}, {17, 1}, {19, 2}, {23, 2},  {27, 2},  {31, 2},  {35, 3},  {43, 3},  {51, 3}, {59, 3},
                             {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {3, 16}};
constexpr range distances[] = {{1, 0},      {2, 0},      {3, 0},      {4, 0},     {5, 1},     {7, 1},     {9, 2},
                               {13, 2},     {17, 3},     {25, 3},     {33, 4},    {49, 4},    {65, 5},    {97, 5},
                               {129, 6},    {193, 6},    {257, 7},    {385, 7},   {513, 8},   {769, 8},   {1025, 9},
                               {1537, 9},   {2049, 10},  {3073, 10},  {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12},
                               {16385, 13}, {24577, 13}, {32769, 14}, {49153, 14}};

// The lowest n bits in the other order.
constexpr unsigned mirrored(unsigned bits, unsigned n) noexcept {
    unsigned out = 0;
    for (unsigned i = 0; i < n; ++i) out |= (bits >> i & 1) << (n - 1 - i);
    return out;
}

}  // namespace

bool deflate_code::build(const std::uint8_t* lengths_of, unsigned n) noexcept {
    std::array<std::uint32_t, longest + 1> count{};
    for (unsigned i = 0; i < n; ++i) ++count[lengths_of[i]];
    const unsigned words = n - count[0];
    std::uint32_t word = 0, index = 0;  // the first word of a length, and its symbol's place
    std::array<std::uint32_t, longest + 1> next{};
    for (unsigned length = 1; length <= longest; ++length) {
        word <<= 1;
        next[length] = word;
        place_[length] = static_cast<std::int32_t>(index) - static_cast<std::int32_t>(word);
        word += count[length];
        index += count[length];
        if (word > 1u << length) return false;  // more words than there can be
        end_[length] = word << (longest - length);
    }
    if (word != 1u << longest && !(words == 0 || (words == 1 && count[1] == 1))) return false;
    quick_.fill(none);
    for (unsigned i = 0; i < n; ++i) {
        const unsigned length = lengths_of[i];
        if (length == 0) continue;
        const std::uint32_t mine = next[length]++;
        symbols_[static_cast<std::size_t>(place_[length] + static_cast<std::int32_t>(mine))] = static_cast<std::uint16_t>(i);
        if (length > quick_bits) continue;
        for (unsigned at = mirrored(mine, length); at < quick_size; at += 1u << length)
            quick_[at] = static_cast<std::uint16_t>(i << 4 | length);
    }
    return true;
}

// Words of all lengths, one behind the other, are numbers that grow: the first length whose end lies behind these bits
// is it.
unsigned deflate_code::find_long(std::uint64_t bits) const noexcept {
    const unsigned ahead = mirrored(static_cast<unsigned>(bits), longest);
    for (unsigned length = 1; length <= longest; ++length) {
        if (ahead >= end_[length]) continue;
        const auto word = static_cast<std::int32_t>(ahead >> (longest - length));
        return static_cast<unsigned>(symbols_[static_cast<std::size_t>(place_[length] + word)]) << 4 | length;
    }
    return none;
}

inflate64_source::inflate64_source(byte_source& from, const expansion& allowed) noexcept
    : from_(&from),
      allowed_(allowed),
      window_(new (std::nothrow) unsigned char[window]),
      input_(new (std::nothrow) unsigned char[piece]) {}

// As many bits as have room, 57 at least unless the input ends.
void inflate64_source::fill() {
    while (bits_ <= 56) {
        if (at_ == end_) {
            if (ended_) return;
            std::size_t got = 0;
            if (from_->read(reinterpret_cast<char*>(input_.get()), piece, got, below_) != errc::ok) {
                ended_ = true;
                fail(trouble::source);
                return;
            }
            at_ = 0;
            end_ = got;
            fed_ += got;
            ended_ = got == 0;
            if (ended_) return;
        }
        hold_ |= std::uint64_t{input_[at_++]} << bits_;
        bits_ += 8;
    }
}

// Up to 16 bits.
bool inflate64_source::take(unsigned n, unsigned& value) {
    if (bits_ < n) fill();
    if (bits_ < n) return fail(trouble::cut);
    value = static_cast<unsigned>(hold_ & ((std::uint64_t{1} << n) - 1));
    hold_ >>= n;
    bits_ -= n;
    return true;
}

bool inflate64_source::symbol(const deflate_code& by, unsigned& value) {
    if (bits_ < deflate_code::longest) fill();
    const unsigned found = by.find(hold_), length = found & 15;
    // Behind the input's end stand zeros, which are no bits of it.
    if (bits_ < (found == deflate_code::none ? deflate_code::longest : length)) return fail(trouble::cut);
    if (found == deflate_code::none) return fail(trouble::damaged);
    hold_ >>= length;
    bits_ -= length;
    value = found >> 4;
    return true;
}

bool inflate64_source::begin_block() {
    unsigned last = 0, type = 0;
    if (!take(1, last) || !take(2, type)) return false;
    last_ = last != 0;
    if (type == 0) {
        unsigned size = 0, again = 0, rest = 0;
        if (!take(bits_ % 8, rest) || !take(16, size) || !take(16, again)) return false;
        if ((size ^ again) != 0xffff) return fail(trouble::damaged);
        left_ = size;
        step_ = step::stored;
        return true;
    }
    if (type == 3) return fail(trouble::damaged);
    if (type == 2) {
        if (!read_codes()) return false;
    } else {
        std::array<std::uint8_t, deflate_code::most> all;
        std::fill(all.begin(), all.begin() + 144, std::uint8_t{8});
        std::fill(all.begin() + 144, all.begin() + 256, std::uint8_t{9});
        std::fill(all.begin() + 256, all.begin() + 280, std::uint8_t{7});
        std::fill(all.begin() + 280, all.end(), std::uint8_t{8});
        lengths_.build(all.data(), deflate_code::most);
        std::fill(all.begin(), all.begin() + 32, std::uint8_t{5});
        distances_.build(all.data(), 32);
    }
    left_ = 0;
    step_ = step::symbols;
    return true;
}

// Lengths of the words of both codes, packed by a third.
bool inflate64_source::read_codes() {
    constexpr unsigned order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    constexpr unsigned most_lengths = 286;
    unsigned n_lengths = 0, n_distances = 0, n_order = 0;
    if (!take(5, n_lengths) || !take(5, n_distances) || !take(4, n_order)) return false;
    n_lengths += 257, n_distances += 1, n_order += 4;
    if (n_lengths > most_lengths) return fail(trouble::damaged);
    std::array<std::uint8_t, std::size(order)> of_order{};
    for (unsigned i = 0; i < n_order; ++i) {
        unsigned length = 0;
        if (!take(3, length)) return false;
        of_order[order[i]] = static_cast<std::uint8_t>(length);
    }
    deflate_code packed;
    if (!packed.build(of_order.data(), std::size(order))) return fail(trouble::damaged);
    std::array<std::uint8_t, most_lengths + 32> all{};
    for (unsigned n = 0; n < n_lengths + n_distances;) {
        unsigned said = 0, again = 0;
        if (!symbol(packed, said)) return false;
        if (said < 16) {
            all[n++] = static_cast<std::uint8_t>(said);
            continue;
        }
        if (said == 16 && n == 0) return fail(trouble::damaged);
        if (!take(said == 16 ? 2 : said == 17 ? 3 : 7, again)) return false;
        again += said == 18 ? 11 : 3;
        if (again > n_lengths + n_distances - n) return fail(trouble::damaged);
        const std::uint8_t length = said == 16 ? all[n - 1] : std::uint8_t{0};
        std::fill_n(all.begin() + n, again, length);
        n += again;
    }
    if (all[end_of_block] == 0 || !lengths_.build(all.data(), n_lengths) ||
        !distances_.build(all.data() + n_lengths, n_distances))
        return fail(trouble::damaged);
    return true;
}

void inflate64_source::put(unsigned char c, char* to, std::size_t& got) noexcept {
    window_[produced_++ % window] = c;
    to[got++] = static_cast<char>(c);
}

bool inflate64_source::copy_stored(char* to, std::size_t room, std::size_t& got) {
    while (left_ != 0 && got < room) {
        unsigned c = 0;
        if (!take(8, c)) return false;
        put(static_cast<unsigned char>(c), to, got);
        --left_;
    }
    if (left_ == 0) step_ = last_ ? step::end : step::header;
    return true;
}

// What has not yet been given of a repetition, in stretches that neither overlap nor cross the window's end.
void inflate64_source::repeat(char* to, std::size_t room, std::size_t& got) noexcept {
    while (left_ != 0 && got < room) {
        const std::size_t here = produced_ % window, there = (produced_ - distance_) % window;
        const std::size_t n = std::min(
            {static_cast<std::size_t>(left_), room - got, static_cast<std::size_t>(distance_), window - here, window - there});
        std::memcpy(to + got, window_.get() + there, n);
        std::memcpy(window_.get() + here, to + got, n);
        got += n;
        produced_ += n;
        left_ -= static_cast<std::uint32_t>(n);
    }
}

bool inflate64_source::expand(char* to, std::size_t room, std::size_t& got) {
    for (;;) {
        repeat(to, room, got);
        if (got == room) return true;
        unsigned said = 0, more = 0;
        if (!symbol(lengths_, said)) return false;
        if (said < end_of_block) {
            put(static_cast<unsigned char>(said), to, got);
            continue;
        }
        if (said == end_of_block) {
            step_ = last_ ? step::end : step::header;
            return true;
        }
        if (said - first_length >= std::size(lengths)) return fail(trouble::damaged);
        const range length = lengths[said - first_length];
        if (!take(length.extra, more)) return false;
        const std::uint32_t n = length.base + more;
        if (!symbol(distances_, said)) return false;
        const range back = distances[said];
        if (!take(back.extra, more)) return false;
        distance_ = back.base + more;
        if (distance_ > produced_) return fail(trouble::damaged);
        left_ = n;
    }
}

errc inflate64_source::read(char* to, std::size_t room, std::size_t& got, context& ctx) {
    got = 0;
    if (!window_ || !input_) return ctx.fail(errc::memory, 0, "no memory for the decompressor; use fewer --jobs (jobs)");
    while (got < room && step_ != step::end && trouble_ == trouble::none) {
        switch (step_) {
            case step::header: begin_block(); break;
            case step::stored: copy_stored(to, room, got); break;
            case step::symbols: expand(to, room, got); break;
            case step::end: break;
        }
    }
    if (allowed_.excessive(taken(), produced_)) return ctx.fail(errc::size, taken(), bomb);
    if (got != 0) return errc::ok;  // what came before a fault counts; the fault is said at the next call
    switch (trouble_) {
        case trouble::none: return errc::ok;
        case trouble::cut: return ctx.fail(errc::truncated, taken(), cut_off);
        case trouble::damaged:
            return ctx.fail(errc::syntax, taken(), "the compressed data is damaged; copy or download the archive again");
        case trouble::source: ctx.failure = below_.failure; return below_.failure.code;
    }
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
