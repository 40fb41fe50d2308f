#include "engine/msgpack/locate.hpp"

#include <charconv>
#include <string_view>

#include "engine/core/buffer.hpp"
#include "engine/core/stack.hpp"
#include "engine/msgpack/header.hpp"
#include "engine/scalar/utf8.hpp"

namespace kumihimo::inline v0::msgpack {
namespace {

struct frame {
    std::uint64_t left;        // values still to come, keys too
    std::uint64_t index;       // of the current value or pair
    const unsigned char* key;  // the current pair's, where it is text
    std::size_t key_size;
    bool map;
    bool key_is_text;
    bool in_key;  // the current value is a key
};

bool plain_name(std::string_view s) noexcept {
    if (s.empty() || (s[0] >= '0' && s[0] <= '9')) return false;
    for (const char c : s) {
        if (!(c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return false;
    }
    return true;
}

bool add(buffer& to, std::string_view s) noexcept { return to.append(s.data(), s.size()); }

bool add_number(buffer& to, std::uint64_t n) noexcept {
    char d[24];
    return to.append(d, static_cast<std::size_t>(std::to_chars(d, d + sizeof d, n).ptr - d));
}

bool add_name(buffer& to, std::string_view name) noexcept {
    if (plain_name(name)) return add(to, ".") && add(to, name);
    if (!add(to, "[\"")) return false;
    for (const char c : name) {
        if ((c == '"' || c == '\\') && !add(to, "\\")) return false;
        if (static_cast<unsigned char>(c) < 0x20 ? !add(to, "?") : !to.append(&c, 1)) return false;
    }
    return add(to, "\"]");
}

}  // namespace

void locate(bytes document, context& ctx, std::size_t from) noexcept {
    const unsigned char* const begin = document.data();
    const unsigned char* const e = begin + document.size();
    const unsigned char* p = begin + from;
    const std::size_t offset = ctx.failure.offset;
    if (offset == failure::nowhere || offset < from) return;
    stack<frame> frames;

    for (;;) {
        if (!frames.empty()) {
            frame& f = frames.top();
            if (f.left == 0) {
                frames.pop();
                if (frames.empty()) break;
                continue;
            }
            f.in_key = f.map && (f.left & 1) == 0;
            f.index += f.in_key || !f.map;
            --f.left;
        }
        const header h = read_header(p, e);
        const bool whole = h.is != header::kind::cut && h.payload <= static_cast<std::uint64_t>(e - p) - h.size;
        if (!frames.empty() && frames.top().in_key) {
            frame& f = frames.top();
            f.key_is_text = whole && h.is == header::kind::str &&
                            scalar::utf8_valid_prefix(reinterpret_cast<const char*>(p) + h.size, h.payload) == h.payload;
            f.key = p + h.size;
            f.key_size = h.payload;
        }
        if (!whole || h.is == header::kind::reserved) break;
        const unsigned char* const next = p + h.size + h.payload;
        const bool container = h.is == header::kind::array || h.is == header::kind::map;
        if (static_cast<std::size_t>(next - begin) > offset) break;  // the failure is in this value, or at its header
        p = next;
        if (container) {
            if (!frames.push({h.values, static_cast<std::uint64_t>(-1), nullptr, 0, h.is == header::kind::map, false, false}))
                return;
        } else if (frames.empty()) {
            break;
        }
    }

    buffer path;
    if (!add(path, "$")) return;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const frame& f = frames[i];
        if (f.index == static_cast<std::uint64_t>(-1)) break;
        bool ok;
        if (!f.map) {
            ok = add(path, "[") && add_number(path, f.index) && add(path, "]");
        } else if (f.in_key) {
            break;  // the failure is in a key: its map is the place
        } else if (f.key_is_text) {
            ok = add_name(path, {reinterpret_cast<const char*>(f.key), f.key_size});
        } else {
            ok = add(path, "{") && add_number(path, f.index) && add(path, "}");
        }
        if (!ok) return;
    }
    try {
        ctx.failure.path.assign(path.data(), path.size());
    } catch (...) {  // memory is out: an error without a path beats a crash
        ctx.failure.path.clear();
    }
}

}  // namespace kumihimo::inline v0::msgpack
