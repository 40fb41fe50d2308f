#include "engine/cbor/sort.hpp"

#include <algorithm>
#include <cstring>

#include "engine/cbor/check.hpp"
#include "engine/core/buffer.hpp"

namespace kumihimo::inline v0::cbor {
namespace {

struct pair {
    std::size_t offset;
    std::size_t key;   // bytes of the key
    std::size_t size;  // bytes of key and value
};

}  // namespace

/// How long a key is; it was written by us.
std::size_t sorter::length(const entry& key, const unsigned char* data, std::size_t end) const noexcept {
    if (key.size != 0) return key.size;
    const unsigned char* const p = data + key.offset;
    const unsigned char* const e = data + end;
    const header h = read_header(p, e);
    if (h.is == header::kind::integer) return h.size;
    if (h.string() && !h.indefinite) return h.size + static_cast<std::size_t>(h.argument);
    const unsigned char* behind = p;
    fault ignored;
    check(behind, e, {.text = false, .depth = static_cast<std::size_t>(-1)}, ignored);
    return static_cast<std::size_t>(behind - p);
}

void sorter::widen(char* data, std::size_t size, major m, std::uint64_t n, unsigned wider) noexcept {
    const level& now = levels_.top();
    char* const content = data + now.header + 1;
    if (wider != 0) {
        std::memmove(content + wider, content, size - now.header - 1);
        for (std::size_t i = now.first; i < keys_.size(); ++i) keys_[i].offset += wider;
    }
    char whole[longest_header];
    head(whole, m, n);
    std::memcpy(data + now.header, whole, 1 + wider);
}

errc sorter::close(char* data, std::size_t size, bool length_first) noexcept {
    const level now = levels_.top();
    levels_.pop();
    const std::size_t n = keys_.size() - now.first;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(data);
    // Negative, 0 or positive.
    const auto compare = [&](const pair& a, const pair& b) {
        if (length_first && a.key != b.key) return a.key < b.key ? -1 : 1;
        const int order = std::memcmp(data + a.offset, data + b.offset, std::min(a.key, b.key));
        return order != 0 ? order : a.key < b.key ? -1 : a.key > b.key;
    };
    const auto pair_at = [&](std::size_t i) -> pair {
        const entry& key = keys_[now.first + i];
        const std::size_t end = i + 1 < n ? keys_[now.first + i + 1].offset : size;
        return {key.offset, length(key, bytes, end), end - key.offset};
    };

    bool sorted = true;
    if (n > 1) {
        pair last = pair_at(0);
        for (std::size_t i = 1; i < n && sorted; ++i) {
            const pair next = pair_at(i);
            const int order = compare(last, next);
            if (order == 0) return errc::duplicate;
            sorted = order < 0;
            last = next;
        }
    }
    if (!sorted) {
        stack<pair> pairs;
        for (std::size_t i = 0; i < n; ++i)
            if (!pairs.push(pair_at(i))) return errc::memory;
        std::sort(pairs.data(), pairs.data() + n, [&](const pair& a, const pair& b) { return compare(a, b) < 0; });
        buffer whole;
        for (std::size_t i = 0; i < n; ++i) {
            if (i != 0 && compare(pairs[i - 1], pairs[i]) == 0) return errc::duplicate;
            if (!whole.append(data + pairs[i].offset, pairs[i].size)) return errc::memory;
        }
        std::memcpy(data + keys_[now.first].offset, whole.data(), whole.size());
    }
    while (keys_.size() > now.first) keys_.pop();
    if (!keys_.empty() && keys_.top().offset == now.header) keys_.top().size = size - now.header;
    return errc::ok;
}

}  // namespace kumihimo::inline v0::cbor
