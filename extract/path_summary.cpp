#include "extract/path_summary.hpp"

#include <algorithm>
#include <utility>

#include "extract/keyed_hash.hpp"

namespace kumihimo::inline v0::extract {
namespace {

constexpr std::uint32_t released = path_summary::none - 1;  // the parent of a node that is of no path

bool equal(const path_summary::example& a, const path_summary::example& b) noexcept {
    return a.type == b.type && a.cut == b.cut && a.text == b.text;
}

}  // namespace

void path_summary::clear(std::size_t most_keys) {
    most_keys_ = std::max<std::size_t>(most_keys, 1);
    nodes_.clear();
    unused_.clear();
    table_.clear();
    in_table_ = path_bytes_ = 0;
    position_ = documents_ = 0;
    document_ = 1;
    full_ = false;
    nodes_.emplace_back();
}

std::string path_summary::full_sentence(std::size_t most_keys) {
    return "the documents have more than " + std::to_string(most_paths) + " different paths, or paths of more than " +
           std::to_string(most_path_bytes >> 20) + " MB, although the keys of objects that have more than " +
           std::to_string(most_keys) + " count as one; lower --fold (fold)";
}

std::vector<std::uint32_t> path_summary::in_order(const node& of) const {
    std::vector<std::uint32_t> out;
    for (const std::uint32_t m : of.members)
        if (nodes_[m].values() != 0) out.push_back(m);
    std::sort(out.begin(), out.end(), [&](std::uint32_t a, std::uint32_t b) { return nodes_[a].first < nodes_[b].first; });
    return out;
}

// ------------------------------------------------------------------------------------------------- one value after the other

void path_summary::keep(node& n, kind k, std::string_view text) {
    std::size_t end = text.size();
    if (end > example_characters) {
        std::size_t characters = 0;
        for (end = 0; end < text.size(); ++end)
            if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80 && characters++ == example_characters) break;
    }
    const std::string_view shown = text.substr(0, end);
    const bool cut = end != text.size();
    for (const example& e : n.examples)
        if (e.type == k && e.cut == cut && e.text == shown) return;
    n.examples.push_back({k, cut, std::string(shown), position_});
}

std::uint32_t path_summary::find_member(std::uint32_t parent, std::uint32_t& next, std::string_view key) {
    if (nodes_[parent].any != none) return nodes_[parent].any;
    std::uint32_t found = look_up(parent, key);
    if (found == none) {
        if (nodes_[parent].members.size() == most_keys_) {
            fold(parent);
            return nodes_[parent].any;
        }
        if (key.size() <= most_path_bytes) found = add_member(parent, std::string(key), position_ + 1);
        if (found == none || too_large()) {
            full_ = true;
            return none;
        }
    }
    next = nodes_[found].place + 1;
    return found;
}

std::size_t path_summary::slot_of(std::uint32_t parent, std::string_view key) const noexcept {
    return (keyed_hash(key, hash_key::of_process()) + parent * 0x9E3779B97F4A7C15u) & (table_.size() - 1);
}

std::uint32_t path_summary::look_up(std::uint32_t parent, std::string_view key) const noexcept {
    if (table_.empty()) return none;
    for (std::size_t at = slot_of(parent, key); table_[at] != 0; at = (at + 1) & (table_.size() - 1)) {
        const std::uint32_t i = table_[at] - 1;
        if (nodes_[i].parent == parent && nodes_[i].place != none && same(nodes_[i].key, key)) return i;
    }
    return none;
}

void path_summary::put_in_table(std::uint32_t i) noexcept {
    std::size_t at = slot_of(nodes_[i].parent, nodes_[i].key);
    while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = i + 1;
    ++in_table_;
}

// The slot of a released node stays until then, and the node may be used again, also for an element: look_up()
// compares all of parent, place and key.
void path_summary::grow_table() {
    const std::size_t live = nodes_.size() - unused_.size();
    std::size_t n = 64;
    while (n < live * 4) n *= 2;
    table_.assign(n, 0);
    in_table_ = 0;
    std::vector<std::uint32_t> pending{0};
    while (!pending.empty()) {
        const node& one = nodes_[pending.back()];
        pending.pop_back();
        for (const std::uint32_t m : one.members) {
            put_in_table(m);
            pending.push_back(m);
        }
        if (one.element != none) pending.push_back(one.element);
        if (one.any != none) pending.push_back(one.any);
    }
}

std::uint32_t path_summary::add_node(std::uint32_t parent, std::string key, std::uint64_t first) {
    std::uint32_t i = 0;
    if (unused_.empty()) {
        i = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
    } else {
        i = unused_.back();
        unused_.pop_back();
        nodes_[i] = node();
    }
    node& n = nodes_[i];
    n.parent = parent;
    n.first = first;
    n.path_size = nodes_[parent].path_size + key.size() + 3;
    n.key = std::move(key);
    path_bytes_ += n.path_size;
    return i;
}

std::uint32_t path_summary::add_member(std::uint32_t parent, std::string key, std::uint64_t first) {
    const std::uint32_t i = add_node(parent, std::move(key), first);
    nodes_[i].place = static_cast<std::uint32_t>(nodes_[parent].members.size());
    nodes_[parent].members.push_back(i);
    if ((in_table_ + 1) * 2 > table_.size())
        grow_table();  // which finds it among the members
    else
        put_in_table(i);
    return i;
}

std::uint32_t path_summary::add_element(std::uint32_t array) {
    const std::uint32_t i = add_node(array, {}, position_ + 1);
    nodes_[array].element = i;
    full_ = full_ || too_large();
    return full_ ? none : i;
}

// ----------------------------------------------------------------------------------------------------------------- whole trees

// What stood at each key of the object stands at its member `*` from now on.
void path_summary::fold(std::uint32_t object) {
    if (nodes_[object].any != none) return;
    const std::uint32_t any = add_node(object, {}, UINT64_MAX);
    nodes_[object].any = any;
    const std::vector<std::uint32_t> members = std::exchange(nodes_[object].members, {});
    for (const std::uint32_t m : members) absorb(*this, m, any, 0);
    for (const std::uint32_t m : members) release(m);
}

void path_summary::release(std::uint32_t subtree) {
    std::vector<std::uint32_t> pending{subtree};
    while (!pending.empty()) {
        const std::uint32_t i = pending.back();
        pending.pop_back();
        node& n = nodes_[i];
        pending.insert(pending.end(), n.members.begin(), n.members.end());
        if (n.element != none) pending.push_back(n.element);
        if (n.any != none) pending.push_back(n.any);
        path_bytes_ -= n.path_size;
        n = node();
        n.parent = released;
        unused_.push_back(i);
    }
}

bool path_summary::unite(const path_summary& later) {
    absorb(later, 0, 0, position_);
    position_ += later.position_;
    documents_ += later.documents_;
    full_ = full_ || later.full_ || too_large();
    return !full_;
}

// Adds a subtree of another summary, or of this one, whose positions begin behind `base`.
void path_summary::absorb(const path_summary& from, std::uint32_t theirs, std::uint32_t ours, std::uint64_t base) {
    const std::size_t floor = to_absorb_.size();
    to_absorb_.push_back({theirs, ours});
    while (to_absorb_.size() > floor) {
        const pair p = to_absorb_.back();
        to_absorb_.pop_back();
        absorb_values(from.nodes_[p.theirs], nodes_[p.ours], base);
        if (const std::uint32_t e = from.nodes_[p.theirs].element; e != none) {
            if (nodes_[p.ours].element == none) {
                const std::uint32_t mine = add_node(p.ours, {}, UINT64_MAX);
                nodes_[p.ours].element = mine;
            }
            to_absorb_.push_back({e, nodes_[p.ours].element});
        }
        absorb_members(from, p.theirs, p.ours);
    }
}

void path_summary::absorb_members(const path_summary& from, std::uint32_t theirs, std::uint32_t ours) {
    if (const std::uint32_t any = from.nodes_[theirs].any; any != none) {
        fold(ours);
        to_absorb_.push_back({any, nodes_[ours].any});
        return;
    }
    const std::size_t count = from.nodes_[theirs].members.size();
    if (nodes_[ours].any == none) {
        std::size_t all = nodes_[ours].members.size();
        for (std::size_t k = 0; k < count && all <= most_keys_; ++k)
            all += look_up(ours, from.nodes_[from.nodes_[theirs].members[k]].key) == none;
        if (all > most_keys_) fold(ours);
    }
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint32_t m = from.nodes_[theirs].members[k];
        std::uint32_t mine = nodes_[ours].any;
        if (mine == none) mine = look_up(ours, from.nodes_[m].key);
        if (mine == none) mine = add_member(ours, from.nodes_[m].key, UINT64_MAX);
        to_absorb_.push_back({m, mine});
    }
}

void path_summary::absorb_values(const node& theirs, node& ours, std::uint64_t base) {
    if (theirs.last == 0) return;
    ours.first = std::min(ours.first, theirs.first + base);
    ours.last = std::max(ours.last, theirs.last + base);
    ours.documents += theirs.documents;
    ours.repeated += theirs.repeated;
    ours.seen.unite(theirs.seen);
    for (std::size_t k = 0; k < kinds; ++k) ours.count[k] += theirs.count[k];
    // Those that come first in both are among those that come first in each.
    for (const example& e : theirs.examples) {
        const std::uint64_t at = e.at + base;
        if (ours.examples.size() == most_examples && at > ours.examples.back().at) break;
        const auto known =
            std::find_if(ours.examples.begin(), ours.examples.end(), [&](const example& o) { return equal(o, e); });
        if (known == ours.examples.end()) {
            ours.examples.push_back(e);
            ours.examples.back().at = at;
        } else {
            known->at = std::min(known->at, at);
        }
        std::sort(ours.examples.begin(), ours.examples.end(), [](const example& a, const example& b) { return a.at < b.at; });
        if (ours.examples.size() > most_examples) ours.examples.pop_back();
    }
}

}  // namespace kumihimo::inline v0::extract
