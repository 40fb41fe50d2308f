#include "engine/cbor/locate.hpp"

#include <string>
#include <utility>

#include "engine/cbor/check.hpp"
#include "engine/core/path_text.hpp"
#include "engine/core/stack.hpp"
#include "engine/scalar/utf8.hpp"

namespace kumihimo::inline v0::cbor {
namespace {

using kind = header::kind;

struct frame {
    std::uint64_t left;          // items still to come, keys too
    std::uint64_t index;         // of the current item or pair
    const unsigned char* key;    // the current pair's header, where it is text
    const unsigned char* after;  // its end
    bool map;
    bool open;    // of indefinite length
    bool in_key;  // the current item is a key
};

/// A key's text, its chunks joined.
std::string text_of(const frame& f) {
    std::string joined;
    const header h = read_header(f.key, f.after);
    const unsigned char* p = f.key + h.size;
    fault ignored;
    pieces(p, f.after, h, ignored, [&](const unsigned char* b, std::size_t n) {
        joined.append(reinterpret_cast<const char*>(b), n);
        return errc::ok;
    });
    return joined;
}

}  // namespace

void locate(bytes document, context& ctx, std::size_t from) noexcept {
    const unsigned char* const begin = document.data();
    const unsigned char* const e = begin + document.size();
    const unsigned char* p = begin + from;
    const std::size_t offset = ctx.failure.offset;
    if (offset == failure::nowhere || offset < from) return;
    stack<frame> frames;
    const unsigned char* tagged = nullptr;

    for (;;) {
        if (!frames.empty() && tagged != p) {
            frame& f = frames.top();
            const bool ends = f.open ? p != e && *p == 0xff && static_cast<std::size_t>(p - begin) < offset : f.left == 0;
            if (ends) {
                p += f.open;
                frames.pop();
                if (frames.empty()) break;
                continue;
            }
            f.in_key = f.map && (f.left & 1) == 0;
            f.index += f.in_key || !f.map;
            --f.left;
            if (f.in_key) f.key = nullptr;
        }
        const header h = read_header(p, e);
        if (h.is == kind::cut || h.is == kind::reserved || h.is == kind::stop) break;
        const unsigned char* next = p + h.size;
        fault ignored;
        if (h.string() && pieces(next, e, h, ignored, [](const unsigned char*, std::size_t) { return errc::ok; }) != errc::ok)
            break;
        if (static_cast<std::size_t>(next - begin) > offset) break;  // the failure is in this item, or at its header
        if (!frames.empty() && frames.top().in_key && h.is == kind::text && tagged != p) {
            frames.top().key = p;
            frames.top().after = next;
        }
        p = next;
        if (h.is == kind::tag) {
            tagged = p;
        } else if (h.container()) {
            const bool map = h.is == kind::map;
            if (h.argument > static_cast<std::uint64_t>(e - p)) break;
            const std::uint64_t left = h.indefinite ? ~std::uint64_t{1} : h.argument * (map ? 2 : 1);
            if (!frames.push({left, static_cast<std::uint64_t>(-1), nullptr, nullptr, map, h.indefinite, false})) return;
        } else if (frames.empty()) {
            break;
        }
    }

    try {
        std::string path = "$";
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const frame& f = frames[i];
            if (f.index == static_cast<std::uint64_t>(-1)) break;
            if (!f.map) {
                add_index(path, f.index);
                continue;
            }
            if (f.in_key) break;  // the failure is in a key: its map is the place
            const std::string key = f.key == nullptr ? std::string() : text_of(f);
            if (f.key != nullptr && scalar::utf8_valid_prefix(key.data(), key.size()) == key.size()) {
                add_key(path, key);
            } else {
                path += '{';
                path += std::to_string(f.index);
                path += '}';
            }
        }
        shorten_path(path);
        ctx.failure.path = std::move(path);
    } catch (...) {  // memory is out: an error without a path beats a crash
        ctx.failure.path.clear();
    }
}

}  // namespace kumihimo::inline v0::cbor
