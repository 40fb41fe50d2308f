#include "engine/cbor/identities.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kumihimo::inline v0::cbor {

bool identities::begin(list what, std::size_t size) noexcept {
    // With its size first no list is the beginning of another one.
    begun_ = lists_.size();
    const std::uint64_t whole = size;
    return lists_.reserve(sizeof whole + 1 + size) != nullptr && lists_.append(&whole, sizeof whole) && lists_.append(&what, 1);
}

bool identities::number(std::uint32_t& out) noexcept {
    const std::size_t size = lists_.size() - begun_;
    const auto* const all = reinterpret_cast<const unsigned char*>(lists_.data());
    const unsigned char* const list = all + begun_;
    std::size_t at = 0;
    unsigned char mask = 0;
    if (!places_.empty()) {
        // The only list that can be the same.
        branch b = root_;
        while ((b & 1) == 0) {
            const node& n = nodes_[b >> 1];
            b = n.next[n.at < size && (list[n.at] & n.mask) != 0];
        }
        const unsigned char* const other = all + places_[b >> 1];
        std::uint64_t length = 0;
        std::memcpy(&length, other, sizeof length);
        const std::size_t least = std::min(size, static_cast<std::size_t>(length) + sizeof length + 1);
        at = static_cast<std::size_t>(std::mismatch(list, list + least, other).first - list);
        if (at == least) {
            out = b >> 1;
            lists_.commit(lists_.data() + begun_);
            return true;
        }
        mask = std::bit_floor(static_cast<unsigned char>(list[at] ^ other[at]));
    }
    constexpr std::size_t most = none >> 1;
    out = static_cast<std::uint32_t>(places_.size());
    if (places_.size() >= most || !places_.push(begun_)) return false;
    const branch leaf = out << 1 | 1;
    if (mask == 0) {
        root_ = leaf;
        return true;
    }
    // Bits are looked at in their order, the highest of a byte first.
    if (!nodes_.push({at, mask, {leaf, leaf}})) return false;
    branch* to = &root_;
    while ((*to & 1) == 0) {
        node& n = nodes_[*to >> 1];
        if (n.at > at || (n.at == at && n.mask < mask)) break;
        to = &n.next[n.at < size && (list[n.at] & n.mask) != 0];
    }
    nodes_.top().next[(list[at] & mask) == 0] = *to;
    *to = static_cast<branch>((nodes_.size() - 1) << 1);
    return true;
}

bool identities::number(list what, bytes content, std::uint32_t& out) noexcept {
    return begin(what, content.size()) && lists_.append(content.data(), content.size()) && number(out);
}

bool identities::scalar(bytes own, bytes encoded, bool valued) noexcept {
    identity is{none, 0};
    if (!number(list::item, own, is.own)) return false;
    if (valued && !number(list::item, encoded, is.value)) return false;
    return items_.push(is);
}

bool identities::scalar(bytes own, std::uint32_t value) noexcept {
    identity is{value, 0};
    return number(list::item, own, is.own) && items_.push(is);
}

bool identities::number_own(std::size_t first, bytes head, std::uint32_t& out) noexcept {
    const std::size_t n = items_.size() - first;
    if (!begin(list::own, head.size() + n * sizeof out) || !lists_.append(head.data(), head.size())) return false;
    for (std::size_t i = first; i < items_.size(); ++i)
        if (!lists_.append(&items_[i].own, sizeof items_[i].own)) return false;
    return number(out);
}

bool identities::close(std::size_t first, bytes head, value_of what, std::size_t payload, identity& out) noexcept {
    const std::size_t n = items_.size() - first;
    const identity* const items = items_.data() + first;
    if (!number_own(first, head, out.own)) return false;
    out.value = none;
    const bool valued = std::none_of(items, items + n, [](const identity& i) { return i.value == none; });
    if (what == value_of::bytes) {
        if (!number_own(first, head.subspan(payload), out.value)) return false;
    } else if (valued && what == value_of::map) {
        pairs_.clear();
        for (std::size_t i = 0; i < n; i += 2)
            if (!pairs_.push(std::uint64_t{items[i].value} << 32 | items[i + 1].value)) return false;
        std::sort(pairs_.data(), pairs_.data() + pairs_.size());
        const auto* const sorted = reinterpret_cast<const unsigned char*>(pairs_.data());
        if (!number(list::map, {sorted, pairs_.size() * sizeof(std::uint64_t)}, out.value)) return false;
    } else if (valued && what == value_of::array) {
        if (!begin(list::array, n * sizeof out.value)) return false;
        for (std::size_t i = 0; i < n; ++i)
            if (!lists_.append(&items[i].value, sizeof items[i].value)) return false;
        if (!number(out.value)) return false;
    }
    while (items_.size() > first) items_.pop();
    return true;
}

}  // namespace kumihimo::inline v0::cbor
