#include "engine/cbor/duplicates.hpp"

#include <algorithm>
#include <cstring>

#include "engine/cbor/identities.hpp"
#include "engine/cbor/reader.hpp"
#include "engine/cbor/tagged.hpp"
#include "engine/cbor/writer.hpp"

namespace kumihimo::inline v0::cbor {
namespace {

using kind = header::kind;
using value_of = identities::value_of;

struct frame {
    std::uint64_t left;
    std::size_t first;    // of this map's keys in the stack of all open maps' keys
    std::size_t names;    // where their names begin
    std::size_t start;    // where it begins in the document, with tags that say nothing
    std::size_t payload;  // where it begins without those
    std::size_t content;  // where its header ends
    std::size_t items;    // the first of its items that have identities
    bool map;
    bool numbered;  // it is a key, or in one: what it is equal to is asked for
    value_of value;
};

struct key {
    std::size_t offset;  // in the document
    std::size_t name;    // its name's place and length
    std::size_t size;
};

/// Begins the name of a key that has an identity: no item begins so.
constexpr char numbered_name = '\xff';

/// Whether the bytes of this item are its deterministic encoding. The usual keys are as they should be: short strings,
/// and integers in their shortest form.
bool plain(const header& h) noexcept {
    if (h.is == kind::simple) return true;
    return (h.is == kind::integer || (h.string() && !h.indefinite)) && h.size == 1 + width_of(h.argument);
}

/// How many items a container has; of an open end more than there can be, and even.
std::uint64_t items_of(const header& h) noexcept {
    return h.indefinite ? ~std::uint64_t{1} : h.argument * (h.is == kind::map ? 2 : 1);
}

/// Where the item ends; it is well-formed. False: memory is out.
bool find_end(const unsigned char* p, const unsigned char* e, const header& h, const unsigned char*& end) noexcept {
    end = p + h.size;
    if (h.string() && !h.indefinite) end += h.argument;
    if (!h.indefinite && !h.container() && h.is != kind::tag) return true;
    end = p;
    fault ignored;
    return check(end, e, {.text = false, .depth = static_cast<std::size_t>(-1)}, ignored) == errc::ok;
}

/// Appends the deterministic encoding of the item [p, e). `valued` is false where it has none: what has no value here
/// (a date that is none, a map with a key twice).
bool encode(const unsigned char* p, const unsigned char* e, buffer& names, bool& valued) noexcept {
    valued = true;
    if (plain(read_header(p, e))) return names.append(p, static_cast<std::size_t>(e - p));
    context ctx;
    ctx.limits.depth = static_cast<std::size_t>(-1);  // the document's was looked at
    reader from({p, static_cast<std::size_t>(e - p)}, ctx, {.invalid = invalid_text::keep, .undefined = undefined_value::ext});
    constexpr dialect names_dialect{.keys = key_order::bytewise, .invalid = invalid_text::keep};
    basic_writer<buffer> to(names, ctx, names_dialect);
    const std::size_t before = names.size();
    bytes ignored;
    if (from.feed(to) == errc::ok && to.finish(ignored) == errc::ok) return true;
    names.commit(names.data() + before);
    valued = false;
    return ctx.failure.code != errc::memory;
}

/// Whether the tag with this header makes a number or a moment of the container that is its content.
bool has_meaning(const unsigned char* p, const unsigned char* e, const header& h) noexcept {
    fault ignored;
    p += h.size;
    content in(p, e, ignored, false);
    if (h.argument == tags::decimal || h.argument == tags::bigfloat) {
        numeral number;
        return in.fraction(h.argument == tags::decimal, number);
    }
    instant at;
    bool known = false;
    return h.argument == tags::extended_time && in.extended_time(at, known) && known;
}

/// Whether the item is a container behind tags that make no other value of it; then `inner` is its header, and
/// `behind` where that lies.
bool tagged_container(const unsigned char* p, const unsigned char* e, const header& h, header& inner,
                      const unsigned char*& behind) noexcept {
    for (inner = h, behind = p; inner.is == kind::tag; inner = read_header(behind, e)) behind += inner.size;
    return h.is == kind::tag && inner.container() && !has_meaning(p, e, h);
}

/// Whether the item is an ext that carries such a container as its bytes: the same value as that container itself.
bool carries_container(const unsigned char* p, const unsigned char* e, const header& h, bytes& carried_item) noexcept {
    if (h.is != kind::tag || h.argument != (tags::typed | ext_item)) return false;
    p += h.size;
    const header string = read_header(p, e);
    if (string.is != kind::bytes || string.indefinite) return false;
    p += string.size;
    e = p + string.argument;
    carried_item = {p, static_cast<std::size_t>(string.argument)};
    header inner;
    const unsigned char* behind = p;
    if (!tagged_container(p, e, read_header(p, e), inner, behind) || !carried(p, e)) return false;
    fault ignored;
    return check(p, e, {.text = false, .depth = static_cast<std::size_t>(-1)}, ignored) == errc::ok && p == e;
}

/// Whether the container with this header is shallow and has no map with a container as key in it, and no container
/// behind a tag, as most compound keys are: such a one is written anew as scalars are, since nothing in it is looked
/// at more than some times. Equal keys are alike in that. False: memory is out.
bool find_simple(const unsigned char* p, const unsigned char* e, header h, bool& simple) noexcept {
    struct level {
        std::uint64_t left;
        bool map;
    };
    constexpr std::size_t deepest = 4;
    level levels[deepest];
    std::size_t depth = 0;
    do {
        if (h.is == kind::stop) {
            ++p;
            --depth;
        } else if (h.container()) {
            const bool map = h.is == kind::map;
            const std::uint64_t left = items_of(h);
            simple = depth < deepest && (depth == 0 || !levels[depth - 1].map || (levels[depth - 1].left & 1) != 0);
            if (!simple) return true;
            if (depth != 0) --levels[depth - 1].left;
            levels[depth++] = {left, map};
            p += h.size;
        } else if (h.is == kind::tag && h.argument == tags::self_described) {
            p += h.size;
        } else {
            header inner;
            const unsigned char* behind = p;
            bytes item;
            simple = !tagged_container(p, e, h, inner, behind) && !carries_container(p, e, h, item);
            if (!simple) return true;
            --levels[depth - 1].left;
            if (!find_end(p, e, h, p)) return false;
        }
        while (depth != 0 && levels[depth - 1].left == 0) --depth;
        h = read_header(p, e);
    } while (depth != 0);
    return true;
}

/// The number of a well-formed item's bytes, as it is found where the item stands in the document. False: memory is
/// out.
bool number_of_bytes(bytes item, identities& known, std::uint32_t& out) noexcept {
    struct level {
        std::uint64_t left;
        std::size_t items;
        const unsigned char* start;
        const unsigned char* content;
    };
    const unsigned char* p = item.data();
    const unsigned char* const e = p + item.size();
    stack<level, 16> outer;
    level now{1, known.size(), p, p};
    for (;;) {
        header h = read_header(p, e);
        if (h.is == kind::stop) {
            ++p;
            now.left = 0;
        } else {
            const unsigned char* const start = p;
            for (; h.is == kind::tag && h.argument == tags::self_described; h = read_header(p, e)) p += h.size;
            --now.left;
            header inner;
            const unsigned char* behind = p;
            if (h.container() || tagged_container(p, e, h, inner, behind)) {
                if (!h.container()) {
                    h = inner;
                    p = behind;
                }
                p += h.size;
                if (!outer.push(now)) return false;
                now = {items_of(h), known.size(), start, p};
            } else {
                if (!find_end(p, e, h, p)) return false;
                if (!known.scalar({start, static_cast<std::size_t>(p - start)}, identities::none)) return false;
            }
        }
        while (now.left == 0) {
            if (outer.empty()) {
                out = known.take().own;
                return true;
            }
            identities::identity is{};
            const bytes head{now.start, static_cast<std::size_t>(now.content - now.start)};
            if (!known.close(now.items, head, value_of::nothing, 0, is) || !known.add(is)) return false;
            now = outer.top();
            outer.pop();
        }
    }
}

}  // namespace

errc find_duplicates(const unsigned char* const begin, const unsigned char* const e, std::size_t from,
                     duplicates& found) noexcept {
    stack<frame, 16> outer;
    stack<key> keys;
    buffer names;
    identities known;
    frame now{1, 0, 0, 0, 0, 0, 0, false, false, value_of::array};
    const unsigned char* p = begin + from;
    const unsigned char* tagged = nullptr;

    // The keys of `now`, once all have come.
    const auto compare_keys = [&] {
        if (keys.size() - now.first >= 2) {
            key* const first = keys.data() + now.first;
            key* const last = keys.data() + keys.size();
            const auto order = [&](const key& a, const key& b) {
                const int c = std::memcmp(names.data() + a.name, names.data() + b.name, std::min(a.size, b.size));
                return c != 0 ? c < 0 : a.size != b.size ? a.size < b.size : a.offset < b.offset;
            };
            std::sort(first, last, order);
            for (const key* k = first; k < last - 1; ++k) {
                if (k->size != k[1].size || std::memcmp(names.data() + k->name, names.data() + k[1].name, k->size) != 0)
                    continue;
                if (now.value == value_of::map) now.value = value_of::nothing;
                found.first_again = std::min(found.first_again, k[1].offset);
                if (!found.overridden.push(k->offset)) return false;
            }
        }
        while (keys.size() > now.first) keys.pop();
        names.commit(names.data() + now.names);
        return true;
    };

    const auto name_by_number = [&](std::size_t start, const identities::identity& is) {
        const std::size_t before = names.size();
        const bool valued = is.value != identities::none;
        const std::uint32_t name[] = {valued, valued ? is.value : is.own};
        return names.append(&numbered_name, 1) && names.append(name, sizeof name) &&
               keys.push({start, before, names.size() - before});
    };

    // An item without an identity of its own, or a scalar within a key: [start, end) with tags that say nothing, [p,
    // end) without.
    const auto name_item = [&](const unsigned char* start, const header& h, bool key) {
        const unsigned char* end = p;
        if (!find_end(p, e, h, end)) return false;
        const std::size_t before = names.size();
        const bytes own{start, static_cast<std::size_t>(end - start)};
        if (bytes item; carries_container(p, e, h, item)) {
            std::uint32_t value = 0;
            if (!number_of_bytes(item, known, value) || !known.scalar(own, value)) return false;
            const identities::identity is = known.take();
            if (now.numbered && !known.add(is)) return false;
            return !key || name_by_number(static_cast<std::size_t>(start - begin), is);
        }
        bool valued = true;
        if (!encode(p, end, names, valued)) return false;
        if (now.numbered) {
            const bytes encoded{reinterpret_cast<const unsigned char*>(names.data()) + before, names.size() - before};
            if (!known.scalar(own, encoded, valued)) return false;
        }
        if (!key) {
            names.commit(names.data() + before);
            return true;
        }
        if (!valued && !names.append(own.data(), own.size())) return false;
        return keys.push({static_cast<std::size_t>(start - begin), before, names.size() - before});
    };

    // The container `now`, which has an identity, ended in `around`.
    const auto name_container = [&](const frame& around) {
        identities::identity is{};
        const bytes head{begin + now.start, now.content - now.start};
        if (!known.close(now.items, head, now.value, now.payload - now.start, is)) return false;
        if (around.numbered && !known.add(is)) return false;
        return !around.map || (around.left & 1) == 0 || name_by_number(now.start, is);
    };

    for (;;) {
        header h = read_header(p, e);
        if (h.is == kind::stop) {
            ++p;
            now.left = 0;
        } else {
            const unsigned char* const start = p;
            const bool key = now.map && tagged != p && (now.left & 1) == 0;
            bool numbered = false, behind_tags = false, as_bytes = false;
            const unsigned char* payload = p;
            if (key || (now.numbered && tagged != p)) {
                while (h.is == kind::tag && h.argument == tags::self_described) {
                    p += h.size;
                    h = read_header(p, e);
                }
                payload = p;
                // Keys that are containers are walked for maps of their own too.
                bool simple = false;
                if (h.container() && !now.numbered && !find_simple(p, e, h, simple)) return errc::memory;
                header inner;
                const unsigned char* behind = p;
                behind_tags = tagged_container(p, e, h, inner, behind);
                numbered = (h.container() && !simple) || behind_tags;
                if (!numbered && !name_item(start, h, key)) return errc::memory;
                if (behind_tags) {
                    as_bytes = carried(p, e);
                    h = inner;
                    p = behind;
                }
            }
            p += h.size;
            if (h.is == kind::tag) {
                tagged = p;
                continue;
            }
            --now.left;
            if (h.string()) {
                fault ignored;
                pieces(p, e, h, ignored, [](const unsigned char*, std::size_t) { return errc::ok; });
            } else if (h.container()) {
                if (!outer.push(now)) return errc::memory;
                const bool map = h.is == kind::map;
                const value_of own = map ? value_of::map : value_of::array;
                now = {items_of(h),
                       keys.size(),
                       names.size(),
                       static_cast<std::size_t>(start - begin),
                       static_cast<std::size_t>(payload - begin),
                       static_cast<std::size_t>(p - begin),
                       known.size(),
                       map,
                       numbered,
                       as_bytes      ? value_of::bytes
                       : behind_tags ? value_of::nothing
                                     : own};
            }
        }
        while (now.left == 0) {
            if (now.map && !compare_keys()) return errc::memory;
            if (outer.empty()) {
                if (!found.overridden.empty())
                    std::sort(found.overridden.data(), found.overridden.data() + found.overridden.size());
                return errc::ok;
            }
            if (now.numbered && !name_container(outer.top())) return errc::memory;
            now = outer.top();
            outer.pop();
        }
    }
}

}  // namespace kumihimo::inline v0::cbor
