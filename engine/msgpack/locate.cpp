#include "engine/msgpack/locate.hpp"

#include <string>
#include <utility>

#include "engine/core/path_text.hpp"
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

    try {
        std::string path = "$";
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const frame& f = frames[i];
            if (f.index == static_cast<std::uint64_t>(-1)) break;
            if (!f.map) {
                add_index(path, f.index);
            } else if (f.in_key) {
                break;  // the failure is in a key: its map is the place
            } else if (f.key_is_text) {
                add_key(path, {reinterpret_cast<const char*>(f.key), f.key_size});
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

}  // namespace kumihimo::inline v0::msgpack
