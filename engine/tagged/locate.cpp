#include "engine/tagged/locate.hpp"

#include <string>
#include <utility>

#include "engine/core/path_text.hpp"
#include "engine/core/stack.hpp"
#include "engine/scalar/utf8.hpp"
#include "engine/tagged/header.hpp"
#include "engine/tagged/study.hpp"

namespace kumihimo::inline v0::tagged {
namespace {

/// One container on the way to the failure.
struct step {
    static constexpr std::uint64_t none = static_cast<std::uint64_t>(-1);
    std::uint64_t index = none;          // of the current value or pair
    const unsigned char* key = nullptr;  // the current pair's, where it is text
    std::size_t key_size = 0;
    const unsigned char* end = nullptr;  // the container's, in the layout study
    std::uint32_t tag = 0;               // the current field's, in the layout study
    bool map = false;
    enum { value, key_value, key_due } now = value;
};

struct span {
    const unsigned char* data;
    std::size_t size;
};

bool is_text(const unsigned char* p, std::size_t n) noexcept {
    return scalar::utf8_valid_prefix(reinterpret_cast<const char*>(p), n) == n;
}

void write_path(const stack<step>& steps, context& ctx) noexcept {
    try {
        std::string path = "$";
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const step& s = steps[i];
            if (s.index == step::none || s.now == step::key_value) break;  // in a key: its map is the place
            if (!s.map) {
                add_index(path, s.index);
            } else if (s.key != nullptr) {
                add_key(path, {reinterpret_cast<const char*>(s.key), s.key_size});
            } else {
                path += '{';
                path += std::to_string(s.index);
                path += '}';
            }
        }
        shorten_path(path);
        ctx.failure.path = std::move(path);
    } catch (...) {  // memory is out: an error without a path beats a crash
        ctx.failure.path.clear();
    }
}

/// The layout safe. False when memory is out.
bool find(const unsigned char* p, const unsigned char* e, const unsigned char* failed, stack<step>& steps) noexcept {
    using kind = header::kind;
    stack<span> names;
    for (std::size_t i = 0; i < sizeof mark; ++i, ++p)
        if (p == e || *p != mark[i]) return true;
    for (;;) {
        const header h = read_header(p, e);
        if (h.is == kind::reserved || h.is == kind::cut || h.payload > static_cast<std::uint64_t>(e - p) - h.size) {
            if (steps.empty()) return true;
            step& s = steps.top();
            if (!s.map || s.now == step::key_due) ++s.index;
            if (s.now == step::key_due) s.now = step::key_value;  // a key that is not whole is no place of its own
            return true;
        }
        const unsigned char* const next = p + h.size + h.payload;
        const bool here = next > failed;  // the failure is in this piece
        step* const s = steps.empty() ? nullptr : &steps.top();
        if (s != nullptr && s->map && s->now == step::key_due && h.is != kind::end) {
            ++s->index;
            s->key = nullptr;
            s->now = step::key_value;
            if (here) return true;
            p = next;
            if (h.is == kind::key) continue;
            span name{next - h.payload, static_cast<std::size_t>(h.payload)};
            if (h.is == kind::new_name && !names.push(name)) return false;
            if (h.is == kind::name) name = h.number < names.size() ? names[h.number] : span{nullptr, 0};
            if (name.data != nullptr && is_text(name.data, name.size)) s->key = name.data, s->key_size = name.size;
            s->now = step::value;
            continue;
        }
        if (h.is == kind::end) {
            if (here || s == nullptr) return true;
            p = next;
            steps.pop();
        } else {
            if (s != nullptr && !s->map) ++s->index;
            if (here) return true;
            p = next;
            if (h.is == kind::array || h.is == kind::map) {
                step inner;
                inner.map = h.is == kind::map;
                inner.now = inner.map ? step::key_due : step::value;
                if (!steps.push(inner)) return false;
                continue;
            }
        }
        // A whole value has ended.
        if (steps.empty()) return true;
        step& outer = steps.top();
        if (outer.map) outer.now = outer.now == step::key_value ? step::value : step::key_due;
    }
}

/// The name that the table at [p, e) has for a tag, or nothing.
span name_of(const unsigned char* p, const unsigned char* e, std::uint32_t tag) noexcept {
    while (e - p >= 4) {
        bool broken = false;
        std::uint64_t n = 0;
        const unsigned char* const name = load_varint(p + 4, e, n, broken);
        if (name == nullptr || n > static_cast<std::uint64_t>(e - name)) break;
        if (load<std::uint32_t>(p) == tag) return is_text(name, n) ? span{name, static_cast<std::size_t>(n)} : span{nullptr, 0};
        p = name + n;
    }
    return {nullptr, 0};
}

/// The layout study. False when memory is out.
bool find_study(const unsigned char* p, const unsigned char* e, const unsigned char* failed, stack<step>& steps) noexcept {
    const auto whole = [&](const published::header& h, const unsigned char* at, const unsigned char* limit) {
        return h.is == published::header::kind::value && h.payload <= static_cast<std::uint64_t>(limit - at) - h.size;
    };
    // Where the names are, if the bytes get so far.
    const unsigned char *table = e, *table_end = e, *body_end = e;
    const bool map = e - p >= 4 && load<std::uint32_t>(p) >> 8 != 0;
    for (const unsigned char* at = p; at != e;) {
        const published::header h = published::read_header(at, e);
        if (!whole(h, at, e)) break;
        if (h.tag == published::table_tag) {
            body_end = at;
            table = at + h.size;
            table_end = table + h.payload;
            break;
        }
        at += h.size + h.payload;
    }
    if (failed >= body_end && table != e) return true;  // in the names
    if (map) {
        step outer;
        outer.map = true;
        outer.end = body_end;
        if (!steps.push(outer)) return false;
    }
    while (p < body_end) {
        while (!steps.empty() && p == steps.top().end) steps.pop();
        const unsigned char* const limit = steps.empty() ? body_end : steps.top().end;
        const published::header h = published::read_header(p, limit);
        if (!steps.empty()) {
            step& s = steps.top();
            ++s.index;
            s.tag = h.tag;
        }
        if (!whole(h, p, limit)) break;
        const bool container = h.type() == published::message || h.type() == published::array;
        const unsigned char* const next = p + h.size + (container ? 0 : h.payload);
        if (next > failed) break;
        p = next;
        if (!container) continue;
        step inner;
        inner.map = h.type() == published::message;
        inner.end = next + h.payload;
        if (!steps.push(inner)) return false;
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!steps[i].map || steps[i].index == step::none) continue;
        const span name = name_of(table, table_end, steps[i].tag);
        steps[i].key = name.data;
        steps[i].key_size = name.size;
    }
    return true;
}

}  // namespace

void locate(bytes document, context& ctx, std::size_t from) noexcept {
    const std::size_t offset = ctx.failure.offset;
    if (offset == failure::nowhere || offset < from) return;
    const unsigned char* const p = document.data() + from;
    const unsigned char* const e = document.data() + document.size();
    const unsigned char* const failed = document.data() + offset;
    stack<step> steps;
    if (p != e && *p == mark[0] ? find(p, e, failed, steps) : find_study(p, e, failed, steps)) write_path(steps, ctx);
}

}  // namespace kumihimo::inline v0::tagged
