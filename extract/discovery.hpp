// The columns of documents that nobody named fields of: their keys as a tree, and the sink that grows it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/core/sink.hpp"
#include "extract/infer.hpp"

namespace kumihimo::inline v0::extract {

/// The keys of all documents seen, as one tree, with what was seen at each place. Arrays are leaves.
struct field_tree {
    struct node {
        std::string key;
        std::vector<std::uint32_t> members;  // in the order first seen
        evidence seen;
        bool object = false;
        std::uint64_t present = 0;
        std::uint64_t counted = 0;  // the last document that was
    };

    std::vector<node> nodes{1};  // [0] is the document
    std::unordered_map<std::string, std::uint32_t> index;
    bool overflow = false;
    std::uint64_t document = 0;  // the one under way

    /// A value stands there. A key that comes twice is in one document all the same.
    void count(std::uint32_t at) {
        node& n = nodes[at];
        if (n.counted != document) ++n.present;
        n.counted = document;
    }

    /// Adds what was seen in documents behind these.
    void unite(const field_tree& later) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> pending{{0, 0}};  // theirs, ours
        while (!pending.empty()) {
            const auto [theirs, ours] = pending.back();
            pending.pop_back();
            const node& t = later.nodes[theirs];
            node& o = nodes[ours];
            o.seen.unite(t.seen);
            o.object = o.object || t.object;
            o.present += t.present;
            for (std::uint32_t k = 0; k < t.members.size(); ++k)
                if (const std::uint32_t mine = member(ours, k, later.nodes[t.members[k]].key); mine != 0)
                    pending.push_back({t.members[k], mine});
        }
        overflow = overflow || later.overflow;
        document += later.document;
    }

    std::uint32_t member(std::uint32_t parent, std::uint32_t expected, std::string_view key) {
        const node& p = nodes[parent];
        if (expected < p.members.size() && nodes[p.members[expected]].key == key) return p.members[expected];
        std::string name(reinterpret_cast<const char*>(&parent), sizeof parent);
        name += key;
        const auto [at, fresh] = index.try_emplace(std::move(name), static_cast<std::uint32_t>(nodes.size()));
        if (fresh) {
            if (nodes.size() > std::size_t{8} * inference::most_columns) {
                overflow = true;
                index.erase(at);
                return 0;
            }
            nodes.emplace_back();
            nodes.back().key = key;
            nodes[parent].members.push_back(at->second);
        }
        return at->second;
    }
};

/// The sink that grows the tree. Documents have been validated before, so nothing needs undoing.
class discovery {
public:
    explicit discovery(field_tree& to) : tree_(to) { ++tree_.document; }

    void begin() {
        open_.clear();
        inside_ = 0;
        at_ = 0;
    }

    errc null() { return errc::ok; }
    errc boolean(bool) { return leaf(evidence::boolean); }
    errc i64(std::int64_t n) {
        if (inside_ == 0 && !lost_) {
            tree_.nodes[at_].seen.whole(n);
            tree_.count(at_);
        }
        return errc::ok;
    }
    errc u64(std::uint64_t) { return leaf(evidence::huge_integer); }
    errc f64(double) { return leaf(evidence::fraction); }
    errc big(kumihimo::text lexeme) {
        if (inside_ == 0 && !lost_) {
            tree_.nodes[at_].seen.number(lexeme.view());
            tree_.count(at_);
        }
        return errc::ok;
    }
    errc str(kumihimo::text t) {
        if (inside_ == 0 && !lost_) {
            tree_.nodes[at_].seen.string(t.view());
            tree_.count(at_);
        }
        return errc::ok;
    }
    errc bin(bytes) { return leaf(evidence::text); }
    errc time(const instant&) { return leaf(evidence::text); }
    errc ext(int, bytes) { return leaf(evidence::container); }
    errc array(count) {
        if (inside_ == 0) leaf_always(evidence::container);
        ++inside_;
        return errc::ok;
    }
    errc map(count) {
        if (inside_ != 0 || lost_) {
            ++inside_;
            return errc::ok;
        }
        tree_.nodes[at_].object = true;
        tree_.count(at_);
        open_.push_back({at_, 0});
        return errc::ok;
    }
    errc key(kumihimo::text t) {
        if (inside_ != 0) return errc::ok;
        frame& f = open_.back();
        at_ = tree_.member(f.node, f.next++, t.view());
        lost_ = at_ == 0;
        return errc::ok;
    }
    errc key(next_value) { return errc::unsupported; }
    errc end() {
        if (inside_ != 0)
            --inside_;
        else
            open_.pop_back();
        return errc::ok;
    }

private:
    struct frame {
        std::uint32_t node;
        std::uint32_t next;  // member expected next: documents of one kind have one order
    };
    void leaf_always(evidence::kind k) {
        if (lost_) return;
        tree_.nodes[at_].seen.add(k);
        tree_.count(at_);
    }
    errc leaf(evidence::kind k) {
        if (inside_ == 0) leaf_always(k);
        return errc::ok;
    }

    field_tree& tree_;
    std::vector<frame> open_;
    std::size_t inside_ = 0;  // containers open in and below an array
    std::uint32_t at_ = 0;
    bool lost_ = false;  // below a key that the tree had no room for
};
static_assert(sink<discovery>);

}  // namespace kumihimo::inline v0::extract
