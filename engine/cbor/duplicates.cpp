#include "engine/cbor/duplicates.hpp"

#include <algorithm>
#include <cstring>

#include "engine/cbor/reader.hpp"
#include "engine/cbor/writer.hpp"

namespace kumihimo::inline v0::cbor {
namespace {

using kind = header::kind;

struct frame {
    std::uint64_t left;
    std::size_t first;  // of this map's keys in the stack of all open maps' keys
    std::size_t names;  // where their encodings begin
    bool map;
    bool open;
};

struct key {
    std::size_t offset;  // in the document
    std::size_t name;    // its deterministic encoding's place and length
    std::size_t size;
};

/// The deterministic encoding of the item [p, e).
bool encode(const unsigned char* p, const unsigned char* e, buffer& names) noexcept {
    const header h = read_header(p, e);
    // The usual keys are as they should be: short text, and integers in their shortest form.
    const bool plain = (h.is == kind::text && !h.indefinite) || h.is == kind::integer;
    if (plain && h.size == 1 + width_of(h.argument)) return names.append(p, static_cast<std::size_t>(e - p));
    context ctx;
    ctx.limits.depth = static_cast<std::size_t>(-1);  // the document's was looked at
    reader from({p, static_cast<std::size_t>(e - p)}, ctx, {.invalid = invalid_text::keep, .undefined = undefined_value::ext});
    constexpr dialect as{.keys = key_order::bytewise, .invalid = invalid_text::keep};
    basic_writer<buffer> to(names, ctx, as);
    const std::size_t before = names.size();
    bytes ignored;
    if (from.feed(to) == errc::ok && to.finish(ignored) == errc::ok) return true;
    // What has no value here (a date that is none, a map with a key twice) is equal to its own bytes only.
    names.commit(names.data() + before);
    return ctx.failure.code != errc::memory && names.append(p, static_cast<std::size_t>(e - p));
}

}  // namespace

errc find_duplicates(const unsigned char* const begin, const unsigned char* const e, std::size_t from,
                     duplicates& found) noexcept {
    stack<frame, 16> outer;
    stack<key> keys;
    buffer names;
    frame now{1, 0, 0, false, false};
    const unsigned char* p = begin + from;
    const unsigned char* tagged = nullptr;
    const unsigned char* name = nullptr;  // the key under way

    // The keys of `now`, once all have come.
    const auto compare_keys = [&] {
        if (keys.size() - now.first < 2) {
            while (keys.size() > now.first) keys.pop();
            names.commit(names.data() + now.names);
            return true;
        }
        key* const first = keys.data() + now.first;
        key* const last = keys.data() + keys.size();
        const auto order = [&](const key& a, const key& b) {
            const int c = std::memcmp(names.data() + a.name, names.data() + b.name, std::min(a.size, b.size));
            return c != 0 ? c < 0 : a.size != b.size ? a.size < b.size : a.offset < b.offset;
        };
        std::sort(first, last, order);
        for (const key* k = first; k < last - 1; ++k) {
            if (k->size != k[1].size || std::memcmp(names.data() + k->name, names.data() + k[1].name, k->size) != 0) continue;
            found.first_again = std::min(found.first_again, k[1].offset);
            if (!found.overridden.push(k->offset)) return false;
        }
        while (keys.size() > now.first) keys.pop();
        names.commit(names.data() + now.names);
        return true;
    };

    for (;;) {
        const header h = read_header(p, e);
        if (h.is == kind::stop) {
            ++p;
            now.left = 0;
        } else {
            if (now.map && tagged != p) {
                if ((now.left & 1) == 0) {
                    // Keys that are containers are walked for maps of their own, and looked at as a whole here.
                    name = p;
                    const unsigned char* end = p;
                    fault ignored;
                    if (check(end, e, {.text = false, .depth = static_cast<std::size_t>(-1)}, ignored) != errc::ok)
                        return errc::memory;
                    const std::size_t before = names.size();
                    if (!encode(p, end, names)) return errc::memory;
                    if (!keys.push({static_cast<std::size_t>(name - begin), before, names.size() - before}))
                        return errc::memory;
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
                now = {h.indefinite ? ~std::uint64_t{1} : h.argument * (map ? 2 : 1), keys.size(), names.size(), map,
                       h.indefinite};
            }
        }
        while (now.left == 0) {
            if (now.map && !compare_keys()) return errc::memory;
            if (outer.empty()) {
                if (!found.overridden.empty())
                    std::sort(found.overridden.data(), found.overridden.data() + found.overridden.size());
                return errc::ok;
            }
            now = outer.top();
            outer.pop();
        }
    }
}

}  // namespace kumihimo::inline v0::cbor
