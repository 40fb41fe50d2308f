// The tape: one document's verbs as flat 16-byte nodes. What push cannot do is done here: look at a document twice,
// from the middle, or only in part (tape/cursor.hpp), hand it over a C boundary in one piece (tape/abi.h), feed it
// again (player).
//
//      {"id": 7, "tags": ["a"]}          a node   63            24 23  16 15   8 7    0
//                                                 +---------------+------+------+------+
//      0  map    length 2  payload 6              | length        | aux  | flags| kind |  head
//      1  str    "id", key                        +---------------+------+------+------+
//      2  i64    payload 7                        | payload                            |
//      3  str    "tags", key                      +------------------------------------+
//      4  array  length 1  payload 6
//      5  str    "a"                     one node per verb, in the order of the verbs
//      6  end    payload 4
//      7  end    payload 0
//
//      kind         length              aux      payload
//      null                                      0
//      boolean                                   0 or 1
//      i64 u64 f64                               its 64 bits
//      big str bin  bytes                        offset of the bytes: in the input, or in the arena where flags say so
//      ext          bytes               type     likewise
//      time         (aux too: 48 bits)           seconds; nanoseconds in the lower 30 of the 48 bits, above them the offset
//                                                in seconds, 18 bits two's complement; the instant's kind in flags 5 to 7
//      array map    values, pairs                index of its end node
//      end                                       index of the node it closes
//
// Strings point into the input where the source's text lies there (the recorder compares addresses), so a document
// without escapes copies nothing; what a reader had to rewrite, and what comes from a host, goes into the tape's own
// arena, as UTF-8. The input must then outlive the tape.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#include "engine/core/buffer.hpp"
#include "engine/core/located.hpp"
#include "engine/core/order.hpp"
#include "engine/core/source.hpp"
#include "engine/core/stack.hpp"
#include "engine/scalar/utf8.hpp"

namespace kumihimo::inline v0::tape {

enum class kind : std::uint8_t { null, boolean, i64, u64, f64, big, str, bin, time, ext, array, map, end };

/// What users are told that a value is.
constexpr const char* name_of(kind k) noexcept {
    switch (k) {
        case kind::null: return "null";
        case kind::boolean: return "boolean";
        case kind::str: return "string";
        case kind::array: return "array";
        case kind::map: return "object";
        case kind::bin: return "binary";
        case kind::time: return "time";
        case kind::ext: return "extension";
        default: return "number";
    }
}

enum flag : std::uint8_t {
    is_key = 1,    // of the next value
    in_arena = 2,  // the bytes are in the arena, not in the input
    is_ascii = 4,  // known to be ASCII
};

struct node {
    static constexpr std::uint64_t longest = (std::uint64_t{1} << 40) - 1;

    std::uint64_t head = 0;
    std::uint64_t payload = 0;

    static constexpr std::uint64_t pack(kind k, unsigned flags = 0, std::uint64_t length = 0, unsigned aux = 0) noexcept {
        return length << 24 | std::uint64_t{aux & 255} << 16 | (flags & 255) << 8 | static_cast<std::uint64_t>(k);
    }
    constexpr kind is() const noexcept { return static_cast<kind>(head & 255); }
    constexpr unsigned flags() const noexcept { return head >> 8 & 255; }
    constexpr unsigned aux() const noexcept { return head >> 16 & 255; }
    constexpr std::uint64_t length() const noexcept { return head >> 24; }
    constexpr bool container() const noexcept { return is() == kind::array || is() == kind::map; }
    constexpr bool has_bytes() const noexcept {
        return is() == kind::str || is() == kind::big || is() == kind::bin || is() == kind::ext;
    }
};
static_assert(sizeof(node) == 16);

/// Which bytes of the input a node stands for: of a container all of it.
struct span {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// A recorded document, looked at: plain pointers, trusted (see check()), alive as long as its recorder and its input.
struct view {
    const node* nodes = nullptr;
    std::size_t size = 0;  // nodes
    bytes input;
    bytes arena;
    const span* spans = nullptr;  // one per node; nullptr when they were not recorded

    const unsigned char* data(const node& n) const noexcept {
        return ((n.flags() & in_arena) != 0 ? arena.data() : input.data()) + n.payload;
    }
    text as_text(const node& n) const noexcept {
        return {data(n), static_cast<std::size_t>(n.length()), (n.flags() & is_ascii) != 0 ? encoding::ascii : encoding::utf8};
    }
    bytes as_bytes(const node& n) const noexcept { return {data(n), static_cast<std::size_t>(n.length())}; }
    static instant as_instant(const node& n) noexcept {
        const std::uint64_t packed = n.head >> 16;
        return {static_cast<std::int64_t>(n.payload), static_cast<std::uint32_t>(packed & 0x3fffffff),
                static_cast<std::int32_t>(static_cast<std::int64_t>(packed << 16) >> 46),
                static_cast<instant::kind>(n.flags() >> 5)};
    }
};

/// The sink that records. One document; clear() makes room for the next and keeps the memory.
class recorder {
public:
    /// Text within `input` is pointed at, all other text is copied. With `places` the tape also keeps each value's
    /// bytes, for sources that tell them (core/located.hpp; all readers do): 16 bytes more per node, and JSON is then
    /// read byte by byte.
    explicit recorder(context& ctx, bytes input = {}, bool places = false) noexcept
        : ctx_(ctx), order_(ctx), input_(input), places_(places) {}

    errc null() { return value(kind::null, 0); }
    errc boolean(bool b) { return value(kind::boolean, b ? 1 : 0); }
    errc i64(std::int64_t n) { return value(kind::i64, static_cast<std::uint64_t>(n)); }
    errc u64(std::uint64_t n) { return value(kind::u64, n); }
    errc f64(double x) { return value(kind::f64, std::bit_cast<std::uint64_t>(x)); }
    errc big(text lexeme) {
        KUMIHIMO_TRY(order_.value());
        return put_text(kind::big, lexeme, take_key());
    }
    errc str(text t) {
        KUMIHIMO_TRY(order_.value());
        return put_text(kind::str, t, take_key());
    }
    errc bin(bytes b) {
        KUMIHIMO_TRY(order_.value());
        return put_bytes(kind::bin, b.data(), b.size(), take_key());
    }
    errc time(const instant& t) {
        KUMIHIMO_TRY(order_.value());
        if (t.nanoseconds > 999'999'999 || t.offset < -86399 || t.offset > 86399) {
            return ctx_.fail(errc::range, failure::nowhere, "an instant's nanoseconds or offset are out of range");
        }
        const std::uint64_t packed = t.nanoseconds | (static_cast<std::uint64_t>(t.offset) & 0x3ffff) << 30;
        return put({node::pack(kind::time, take_key() | static_cast<unsigned>(t.clock) << 5) | packed << 16,
                    static_cast<std::uint64_t>(t.seconds)});
    }
    errc ext(int type, bytes b) {
        KUMIHIMO_TRY(order_.value());
        if (type < INT8_MIN || type > INT8_MAX) {
            return ctx_.fail(errc::range, failure::nowhere, "an extension's type is not within -128 and 127");
        }
        return put_bytes(kind::ext, b.data(), b.size(), take_key(), static_cast<unsigned>(type));
    }
    errc array(count n) { return open(kind::array, n); }
    errc map(count n) { return open(kind::map, n); }
    errc key(text t) {
        KUMIHIMO_TRY(order_.key());
        return put_text(kind::str, t, is_key);
    }
    errc key(next_value) {
        key_ = is_key;
        return order_.key_is_next();
    }
    errc end() {
        order::frame closed;
        KUMIHIMO_TRY(order_.end(closed));
        const std::uint64_t opener = closed.note;
        const std::uint64_t n = closed.map ? closed.seen / 2 : closed.seen;
        nodes_[opener].head |= n << 24;
        nodes_[opener].payload = nodes_.size();
        if (places_) spans_[opener].end = now_.end;
        return put({node::pack(kind::end), opener});
    }
    bool wants_places() const noexcept { return places_; }
    void at(std::size_t begin, std::size_t end) noexcept { now_ = {begin, end}; }

    /// The tape of a whole document, valid until the recorder's next verb or its end; misuse when the document is not
    /// whole.
    errc finish(view& out) noexcept {
        KUMIHIMO_TRY(order_.finish());
        out = {nodes_.data(), nodes_.size(), input_, arena(), places_ ? spans_.data() : nullptr};
        return errc::ok;
    }
    void clear(bytes input = {}) noexcept {
        order_.clear();
        nodes_.clear();
        spans_.clear();
        arena_.clear();
        input_ = input;
        key_ = 0;
    }

private:
    bytes arena() const noexcept { return {reinterpret_cast<const unsigned char*>(arena_.data()), arena_.size()}; }

    unsigned take_key() noexcept {
        const unsigned k = key_;
        key_ = 0;
        return k;
    }
    errc value(kind k, std::uint64_t payload) noexcept {
        KUMIHIMO_TRY(order_.value());
        return put({node::pack(k, take_key()), payload});
    }
    errc open(kind k, count n) noexcept {
        KUMIHIMO_TRY(order_.value());
        KUMIHIMO_TRY(order_.open(k == kind::map, n, nodes_.size()));
        return put({node::pack(k, take_key()), 0});
    }
    errc put(node n) noexcept {
        if (!nodes_.push(n) || (places_ && !spans_.push(now_))) [[unlikely]]
            return no_memory();
        return errc::ok;
    }
    errc put_bytes(kind k, const void* data, std::size_t size, unsigned flags, unsigned aux = 0) noexcept {
        if (size > node::longest) return too_long();
        // Comparing addresses as numbers: the two may belong to different objects.
        const std::uintptr_t p = reinterpret_cast<std::uintptr_t>(data);
        const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(input_.data());
        if (p >= begin && p - begin <= input_.size() && size <= input_.size() - (p - begin) && !input_.empty()) {
            return put({node::pack(k, flags, size, aux), p - begin});
        }
        const std::size_t offset = arena_.size();
        if (!arena_.append(data, size)) [[unlikely]]
            return no_memory();
        return put({node::pack(k, flags | in_arena, size, aux), offset});
    }
    errc put_text(kind k, text t, unsigned flags) noexcept {
        if (t.charset == encoding::ascii) return put_bytes(k, t.data, t.size, flags | is_ascii);
        if (t.charset == encoding::utf8) return put_bytes(k, t.data, t.size, flags);
        const bool wide = t.charset == encoding::utf16;
        if (t.size > node::longest / 3) return too_long();
        const std::size_t offset = arena_.size();
        char* const to =
            arena_.reserve(1 + (wide ? scalar::utf8_bound_of_utf16(t.size) : scalar::utf8_bound_of_latin1(t.size)));
        if (to == nullptr) [[unlikely]]
            return no_memory();
        std::size_t n = 0;
        if (!wide) {
            n = static_cast<std::size_t>(scalar::latin1_to_utf8(static_cast<const char*>(t.data), t.size, to) - to);
        } else if (scalar::utf16_to_utf8(static_cast<const char16_t*>(t.data), t.size, to, n) != errc::ok) {
            return ctx_.fail(errc::encoding, failure::nowhere, "a string holds half a surrogate pair");
        }
        arena_.commit(to + n);
        return put({node::pack(k, flags | in_arena, n), offset});
    }
    [[gnu::cold]] errc no_memory() noexcept { return ctx_.fail(errc::memory, failure::nowhere, "out of memory"); }
    [[gnu::cold]] errc too_long() noexcept {
        return ctx_.fail(errc::size, failure::nowhere, "a string is longer than a tape's 2^40 bytes");
    }

    context& ctx_;
    order order_;
    bytes input_;
    stack<node> nodes_;
    stack<span> spans_;
    buffer arena_;
    span now_;
    unsigned key_ = 0;
    bool places_;
};
static_assert(located_sink<recorder>);

/// The source that plays a tape, or one value of it: any value is a document of its own.
class player {
public:
    explicit player(const view& from, std::size_t first = 0) noexcept : from_(from), first_(first) {}

    template <sink K>
    errc feed(K& to) {
        const node* n = from_.nodes + first_;
        const node* const last = n->container() ? from_.nodes + n->payload : n;
        for (;; ++n) {
            // The first node may itself be a key; played alone it is a value.
            if ((n->flags() & is_key) != 0 && n != from_.nodes + first_) {
                if (n->is() == kind::str) {
                    KUMIHIMO_TRY(to.key(from_.as_text(*n)));
                    continue;
                }
                KUMIHIMO_TRY(to.key(next_value{}));
            }
            switch (n->is()) {
                case kind::null: KUMIHIMO_TRY(to.null()); break;
                case kind::boolean: KUMIHIMO_TRY(to.boolean(n->payload != 0)); break;
                case kind::i64: KUMIHIMO_TRY(to.i64(static_cast<std::int64_t>(n->payload))); break;
                case kind::u64: KUMIHIMO_TRY(to.u64(n->payload)); break;
                case kind::f64: KUMIHIMO_TRY(to.f64(std::bit_cast<double>(n->payload))); break;
                case kind::big: KUMIHIMO_TRY(to.big(from_.as_text(*n))); break;
                case kind::str: KUMIHIMO_TRY(to.str(from_.as_text(*n))); break;
                case kind::bin: KUMIHIMO_TRY(to.bin(from_.as_bytes(*n))); break;
                case kind::time: KUMIHIMO_TRY(to.time(view::as_instant(*n))); break;
                case kind::ext: KUMIHIMO_TRY(to.ext(static_cast<std::int8_t>(n->aux()), from_.as_bytes(*n))); break;
                case kind::array: KUMIHIMO_TRY(to.array({static_cast<std::int64_t>(n->length())})); break;
                case kind::map: KUMIHIMO_TRY(to.map({static_cast<std::int64_t>(n->length())})); break;
                case kind::end: KUMIHIMO_TRY(to.end()); break;
            }
            if (n == last) return errc::ok;
        }
    }

private:
    view from_;
    std::size_t first_;
};
static_assert(source<player>);

/// Whether a tape from elsewhere is whole and consistent, so that cursor and player may trust it: kinds, nesting,
/// counts, keys, every offset. Failure: errc::syntax, ctx.failure.offset is the node's index. Texts are not checked
/// for UTF-8: their receiver does.
errc check(const view& tape, context& ctx) noexcept;

}  // namespace kumihimo::inline v0::tape
