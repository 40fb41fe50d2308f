// The layout `study`, recorded: fields are sorted and lengths stand before what they count, so nothing can be written
// before the document is whole. Values are encoded as they come, into `bytes_`; what they are is a list of nodes.
//
//      {"b":[1,2],"a":null}    map | b array | element 1 | element 2 | a null       in the order of arrival, each with its
//      parent
//
// finish() adds up sizes from the last node to the first, sorts every map's fields and writes from the outside in:
// linear, but for the sort, whatever the nesting.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "engine/core/stack.hpp"
#include "engine/scalar/integer.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/tagged/header.hpp"
#include "engine/tagged/scratch.hpp"
#include "engine/tagged/study.hpp"

namespace kumihimo::inline v0::tagged {

/// Appends text to `to` as UTF-8, checked unless it says ascii. The context has the sentence of a refusal.
template <class Memory>
errc add_utf8(text t, scratch<Memory>& to, context& ctx) noexcept {
    const bool wide = t.charset == encoding::utf16;
    if (t.size > static_cast<std::size_t>(-1) / 4) return ctx.fail(errc::memory, failure::nowhere, "out of memory");
    // One more, as an empty buffer has no place for nothing.
    char* const p = to.reserve(1 + (wide ? scalar::utf8_bound_of_utf16(t.size) : scalar::utf8_bound_of_latin1(t.size)));
    if (p == nullptr) return ctx.fail(errc::memory, failure::nowhere, "out of memory");
    if (wide) {
        std::size_t written = 0;
        if (scalar::utf16_to_utf8(static_cast<const char16_t*>(t.data), t.size, p, written) != errc::ok) {
            return ctx.fail(errc::encoding, failure::nowhere, "a string holds half a surrogate pair");
        }
        to.commit(p + written);
        return errc::ok;
    }
    const char* const s = static_cast<const char*>(t.data);
    if (t.charset == encoding::latin1) {
        to.commit(scalar::latin1_to_utf8(s, t.size, p));
        return errc::ok;
    }
    if (t.charset == encoding::utf8 && scalar::utf8_valid_prefix(s, t.size) != t.size) {
        return ctx.fail(errc::encoding, failure::nowhere, "a string is not valid UTF-8");
    }
    if (t.size != 0) std::memcpy(p, s, t.size);
    to.commit(p + t.size);
    return errc::ok;
}

/// Takes verbs whose order somebody else has checked. `Memory` is that of a stack (core/stack.hpp).
template <class Memory = heap>
class basic_study_recorder {
public:
    /// For a document that goes to `out`, or to another output of its kind.
    template <output B>
    basic_study_recorder(context& ctx, B& out) noexcept
        : ctx_(ctx),
          bytes_(memory_of(out)),
          nodes_(memory_of(out)),
          kids_(memory_of(out)),
          names_(memory_of(out)),
          slots_(memory_of(out)),
          levels_(memory_of(out)),
          entries_(memory_of(out)) {}

    void clear() noexcept {
        bytes_.clear();
        nodes_.clear();
        names_.clear();
        slots_.clear();
        open_ = no_node;
        name_ = no_name;
        naming_ = false;
    }

    errc null() noexcept { return number(published::null, 0); }
    errc i64(std::int64_t n) noexcept {
        return number(n == static_cast<std::int32_t>(n) ? published::int32 : published::int64, zigzag(n));
    }
    errc u64(std::uint64_t n) noexcept {
        if (n <= INT64_MAX) return i64(static_cast<std::int64_t>(n));
        char digits[scalar::integer_room];
        return big({digits, static_cast<std::size_t>(scalar::write_u64(digits, n) - digits)});
    }
    errc f64(double x) noexcept {
        if (!std::isfinite(x)) return null();
        KUMIHIMO_TRY(keyless());
        char* const to = bytes_.reserve(8);
        if (to == nullptr) return no_memory();
        bytes_.commit(store(to, std::bit_cast<std::uint64_t>(x)));
        return add(published::real, 8);
    }
    errc big(std::string_view digits) noexcept {
        KUMIHIMO_TRY(keyless());
        char* const to = bytes_.reserve(digits.size() + longest_varint);
        if (to == nullptr) return no_memory();
        char* const from = store_varint(to, digits.size());
        std::memcpy(from, digits.data(), digits.size());
        bytes_.commit(from + digits.size());
        return add(published::digits, bytes_.size() - static_cast<std::size_t>(to - bytes_.data()));
    }
    errc str(text t) noexcept {
        if (naming_) {
            naming_ = false;
            return key(t);
        }
        const std::size_t begin = bytes_.size();
        KUMIHIMO_TRY(add_utf8(t, bytes_, ctx_));
        const std::size_t n = bytes_.size() - begin, prefix = varint_size(n);
        char* const to = bytes_.reserve(prefix);
        if (to == nullptr) return no_memory();
        char* const text = bytes_.data() + begin;
        std::memmove(text + prefix, text, n);
        store_varint(text, n);
        bytes_.commit(to + prefix);
        return add(published::string, prefix + n);
    }
    /// What the layout has no type for.
    errc none(const char* what) noexcept { return ctx_.fail(errc::unsupported, failure::nowhere, what); }

    errc key(text t) noexcept {
        const std::size_t begin = bytes_.size();
        KUMIHIMO_TRY(add_utf8(t, bytes_, ctx_));
        return find_name(begin, bytes_.size() - begin);
    }
    errc key_is_next() noexcept {
        naming_ = true;
        return errc::ok;
    }
    errc open(bool map) noexcept {
        KUMIHIMO_TRY(keyless());
        KUMIHIMO_TRY(add(map ? published::message : published::array, 0));
        open_ = nodes_.size() - 1;
        return errc::ok;
    }
    errc end() noexcept {
        open_ = nodes_[open_].parent;
        return errc::ok;
    }

    /// Appends the document, or the name of one that is a lone key.
    template <output B>
    errc finish(B& out) noexcept {
        if (nodes_.empty()) return append(out, names_[0].offset, names_[0].size);
        KUMIHIMO_TRY(arrange());
        const bool map = nodes_[0].type == published::message;
        const std::uint64_t table = table_size();
        const std::uint64_t whole =
            (map ? nodes_[0].size : whole_size(nodes_[0])) + (names_.empty() ? 0 : 4 + varint_size(table) + table);
        if (whole > ctx_.limits.size) {
            return ctx_.fail(errc::size, failure::nowhere, "the document is larger than the limit");
        }
        if (whole == 0) return none("the layout study has no bytes for an empty map as a document");
        char* const begin = out.reserve(static_cast<std::size_t>(whole));
        if (begin == nullptr) return no_memory();
        char* to = begin;
        if (!map) to = put_node(to, nodes_[0], nodes_[0].type);
        KUMIHIMO_TRY(put_inside(to));
        if (!names_.empty()) KUMIHIMO_TRY(put_table(to, table));
        out.commit(to);
        return errc::ok;
    }

private:
    static constexpr std::uint64_t no_node = static_cast<std::uint64_t>(-1);
    static constexpr std::uint32_t no_name = static_cast<std::uint32_t>(-1);

    struct node {
        std::uint64_t parent;
        std::uint64_t payload;  // where in bytes_; of a container where in kids_
        std::uint64_t size;     // bytes of the payload; of a container without its length
        std::uint64_t kids;     // nodes directly inside
        std::uint32_t tag;      // a field's; of an element its type
        std::uint8_t type;
    };
    struct name {
        std::uint64_t offset;  // in bytes_
        std::uint64_t size;
        std::uint32_t hash;   // 24 bits
        std::uint32_t types;  // a bit for each that it stands before
    };
    struct entry {
        std::int32_t tag;
        std::uint32_t name;
    };
    struct level {
        std::uint64_t at, end;  // in kids_
        std::uint64_t index;    // of the element that comes next
        bool map;
    };

    static bool container(const node& n) noexcept { return n.type == published::message || n.type == published::array; }
    static std::uint64_t whole_size(const node& n) noexcept { return 4 + (container(n) ? varint_size(n.size) : 0) + n.size; }

    errc no_memory() noexcept { return ctx_.fail(errc::memory, failure::nowhere, "out of memory"); }
    /// No value but text can be a name.
    errc keyless() noexcept { return naming_ ? none("the layout study has text as names, nothing else") : errc::ok; }

    errc number(published::type type, std::uint64_t n) noexcept {
        KUMIHIMO_TRY(keyless());
        char* const to = bytes_.reserve(longest_varint);
        if (to == nullptr) return no_memory();
        char* const end = store_varint(to, n);
        bytes_.commit(end);
        return add(type, static_cast<std::size_t>(end - to));
    }

    /// The node of the value whose payload is the last `size` bytes.
    errc add(published::type type, std::size_t size) noexcept {
        node n{open_, bytes_.size() - size, size, 0, type, type};
        if (name_ != no_name) {
            n.tag = published::field_tag(names_[name_].hash, type);
            names_[name_].types |= 1u << type;
            name_ = no_name;
        }
        if (open_ != no_node) {
            node& outer = nodes_[open_];
            if (outer.type == published::array && outer.kids == published::most_elements) {
                return ctx_.fail(errc::size, failure::nowhere, "an array holds more values than the layout study can number");
            }
            ++outer.kids;
        }
        return nodes_.push(n) ? errc::ok : no_memory();
    }

    /// The name of the last n bytes, by its hash: open addressing in slots_, whose entries are name + 1.
    errc find_name(std::size_t begin, std::size_t n) noexcept {
        const char* const s = bytes_.data() + begin;
        const std::uint32_t hash = published::hash({s, n}) & 0xffffff;
        if (hash == 0 && open_ == 0) {
            return none("a field whose name's hash is 0 would make the document another value in the layout study");
        }
        if (names_.size() * 2 >= slots_.size()) KUMIHIMO_TRY(grow());
        const std::size_t last = slots_.size() - 1;
        std::size_t slot = spread(hash) & last;
        for (; slots_[slot] != 0; slot = (slot + 1) & last) {
            const name& known = names_[slots_[slot] - 1];
            if (known.hash != hash) continue;
            if (known.size != n || std::memcmp(bytes_.data() + known.offset, s, n) != 0) {
                return none("two names have the same hash of 24 bits, which the layout study cannot tell apart");
            }
            name_ = slots_[slot] - 1;
            bytes_.commit(bytes_.data() + begin);
            return errc::ok;
        }
        if (names_.size() >= no_name - 1 || !names_.push({begin, n, hash, 0})) return no_memory();
        name_ = static_cast<std::uint32_t>(names_.size() - 1);
        slots_[slot] = name_ + 1;
        return errc::ok;
    }
    static std::size_t spread(std::uint32_t hash) noexcept { return hash ^ hash >> 12; }
    errc grow() noexcept {
        const std::size_t want = slots_.empty() ? 64 : slots_.size() * 2;
        slots_.clear();
        for (std::size_t i = 0; i < want; ++i)
            if (!slots_.push(0)) return no_memory();
        for (std::size_t i = 0; i < names_.size(); ++i) {
            std::size_t slot = spread(names_[i].hash) & (want - 1);
            while (slots_[slot] != 0) slot = (slot + 1) & (want - 1);
            slots_[slot] = static_cast<std::uint32_t>(i + 1);
        }
        return errc::ok;
    }

    /// Sizes, and for every container the list of what is in it, maps sorted.
    errc arrange() noexcept {
        kids_.clear();
        std::uint64_t place = 0;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (i != 0 && !kids_.push(0)) return no_memory();
            if (!container(nodes_[i])) continue;
            nodes_[i].payload = place;
            place += nodes_[i].kids;
            nodes_[i].kids = 0;
        }
        for (std::size_t i = 1; i < nodes_.size(); ++i) {
            node& outer = nodes_[nodes_[i].parent];
            kids_[outer.payload + outer.kids++] = i;
        }
        for (std::size_t i = nodes_.size(); i-- > 1;) nodes_[nodes_[i].parent].size += whole_size(nodes_[i]);
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].type != published::message) continue;
            std::uint64_t* const first = kids_.data() + nodes_[i].payload;
            std::uint64_t* const last = first + nodes_[i].kids;
            std::sort(first, last, [this](std::uint64_t a, std::uint64_t b) {
                return static_cast<std::int32_t>(nodes_[a].tag) < static_cast<std::int32_t>(nodes_[b].tag);
            });
            for (const std::uint64_t* k = first; k != last && k + 1 != last; ++k) {
                if (nodes_[k[0]].tag >> 8 == nodes_[k[1]].tag >> 8) {
                    return ctx_.fail(errc::duplicate, failure::nowhere, "a map of the layout study has one field of a name");
                }
            }
        }
        return errc::ok;
    }

    /// The tag and the length or payload.
    char* put_node(char* to, const node& n, std::uint32_t tag) const noexcept {
        to = store(to, tag);
        if (container(n)) return store_varint(to, n.size);
        std::memcpy(to, bytes_.data() + n.payload, n.size);
        return to + n.size;
    }
    /// What is in the outermost container, and in what is in there.
    errc put_inside(char*& to) noexcept {
        levels_.clear();
        if (!enter(nodes_[0])) return no_memory();
        while (!levels_.empty()) {
            level& now = levels_.top();
            if (now.at == now.end) {
                levels_.pop();
                continue;
            }
            const node& n = nodes_[kids_[now.at++]];
            to = put_node(to, n, now.map ? n.tag : published::element_tag(now.index++, n.type));
            if (!enter(n)) return no_memory();
        }
        return errc::ok;
    }
    bool enter(const node& n) noexcept {
        return !container(n) || levels_.push({n.payload, n.payload + n.kids, 0, n.type == published::message});
    }

    std::uint64_t table_size() const noexcept {
        std::uint64_t size = 0;
        for (std::size_t i = 0; i < names_.size(); ++i) {
            size += static_cast<unsigned>(std::popcount(names_[i].types)) * (4 + varint_size(names_[i].size) + names_[i].size);
        }
        return size;
    }
    errc put_table(char*& to, std::uint64_t size) noexcept {
        entries_.clear();
        for (std::size_t i = 0; i < names_.size(); ++i) {
            for (unsigned type = 0; type <= published::digits; ++type) {
                if ((names_[i].types >> type & 1) == 0) continue;
                const auto tag = static_cast<std::int32_t>(published::field_tag(names_[i].hash, type));
                if (!entries_.push({tag, static_cast<std::uint32_t>(i)})) return no_memory();
            }
        }
        std::sort(entries_.data(), entries_.data() + entries_.size(), [](entry a, entry b) { return a.tag < b.tag; });
        to = store_varint(store(to, published::table_tag), size);
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            const name& n = names_[entries_[i].name];
            to = store_varint(store(to, static_cast<std::uint32_t>(entries_[i].tag)), n.size);
            if (n.size != 0) std::memcpy(to, bytes_.data() + n.offset, n.size);
            to += n.size;
        }
        return errc::ok;
    }
    template <output B>
    errc append(B& out, std::uint64_t offset, std::uint64_t n) noexcept {
        char* const to = out.reserve(n + 1);
        if (to == nullptr) return no_memory();
        if (n != 0) std::memcpy(to, bytes_.data() + offset, n);
        out.commit(to + n);
        return errc::ok;
    }

    context& ctx_;
    scratch<Memory> bytes_;
    stack<node, 0, Memory> nodes_;
    stack<std::uint64_t, 0, Memory> kids_;
    stack<name, 0, Memory> names_;
    stack<std::uint32_t, 0, Memory> slots_;
    stack<level, 0, Memory> levels_;
    stack<entry, 0, Memory> entries_;
    std::uint64_t open_ = no_node;
    std::uint32_t name_ = no_name;
    bool naming_ = false;
};
using study_recorder = basic_study_recorder<>;

}  // namespace kumihimo::inline v0::tagged
