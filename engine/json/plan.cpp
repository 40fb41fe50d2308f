// Compiling paths into a plan: subset construction over (path, step) pairs.
#include "engine/json/plan.hpp"

#include <new>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/json/project.hpp"

namespace kumihimo::inline v0::json {
namespace {

using position = std::pair<std::uint32_t, std::uint32_t>;  // path, steps taken
using positions = std::vector<position>;                   // sorted: the meaning of a state

constexpr std::size_t most_states = 65536;

struct compiler {
    const std::vector<path>& paths;
    const std::span<const std::uint32_t> openings;
    plan& out;
    std::map<positions, std::uint32_t> known;
    std::vector<positions> pending;  // by state
    std::vector<std::size_t> key_offsets;

    std::uint32_t state_of(positions&& p) {
        if (p.empty()) return nowhere;
        const auto [at, fresh] = known.try_emplace(std::move(p), static_cast<std::uint32_t>(pending.size()));
        if (fresh) pending.push_back(at->first);
        return at->second;
    }

    plan::live::kind kind_of(position at) const {
        const path& p = paths[at.first];
        std::size_t first = p.size(), last = p.size();
        for (std::size_t i = 0; i < p.size(); ++i)
            if (p[i].type == step::kind::each) {
                last = i;
                if (first == p.size()) first = i;
            }
        if (last == p.size() || last + 1 < at.second) return plan::live::kind::slot;
        if (last + 1 == at.second) return plan::live::kind::fresh;
        return first < at.second ? plan::live::kind::nested : plan::live::kind::list;
    }

    void expand(std::uint32_t number) {
        const positions here = pending[number];
        plan::state s{};
        s.first_end = static_cast<std::uint32_t>(out.ends.size());
        s.first_live = static_cast<std::uint32_t>(out.lives.size());
        std::set<std::string> keys;
        std::set<std::uint64_t> indexes;
        for (const position& at : here) {
            out.lives.push_back({at.first, kind_of(at)});
            const path& p = paths[at.first];
            if (at.second == p.size()) {
                out.ends.push_back(at.first);
                continue;
            }
            const step& next = p[at.second];
            if (next.type == step::kind::key || next.type == step::kind::either) keys.insert(next.key);
            if (next.type == step::kind::index || next.type == step::kind::either) indexes.insert(next.index);
        }
        s.end_count = static_cast<std::uint32_t>(out.ends.size()) - s.first_end;
        s.live_count = static_cast<std::uint32_t>(out.lives.size()) - s.first_live;

        // Sorted by length, then text: find() relies on it.
        std::vector<std::string> sorted(keys.begin(), keys.end());
        std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
        s.first_key = static_cast<std::uint32_t>(out.keys.size());
        for (const std::string& k : sorted) {
            positions to;
            for (const position& at : here) {
                const path& p = paths[at.first];
                if (at.second == p.size()) continue;
                const step& next = p[at.second];
                if ((next.type == step::kind::key || next.type == step::kind::either) && next.key == k)
                    to.push_back({at.first, at.second + 1});
            }
            bool plain = true;
            for (char c : k) plain = plain && c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20;
            key_offsets.push_back(out.texts.size());
            out.texts += k;
            plan::key made{};
            made.length = static_cast<std::uint32_t>(k.size());
            made.target = state_of(std::move(to));
            made.plain = plain;
            made.make_marks(k);
            out.keys.push_back(made);
        }
        s.key_count = static_cast<std::uint32_t>(out.keys.size()) - s.first_key;

        s.first_index = static_cast<std::uint32_t>(out.indexes.size());
        positions every;
        for (const std::uint64_t n : indexes) {
            positions to;
            for (const position& at : here) {
                const path& p = paths[at.first];
                if (at.second == p.size()) continue;
                const step& next = p[at.second];
                const bool numbered = next.type == step::kind::index || next.type == step::kind::either;
                if (next.type == step::kind::each || (numbered && next.index == n)) to.push_back({at.first, at.second + 1});
            }
            out.indexes.push_back({n, state_of(std::move(to))});
        }
        for (const position& at : here)
            if (at.second < paths[at.first].size() && paths[at.first][at.second].type == step::kind::each)
                every.push_back({at.first, at.second + 1});
        s.index_count = static_cast<std::uint32_t>(out.indexes.size()) - s.first_index;
        s.each = state_of(std::move(every));
        s.opening = s.end_count != 0 && !s.wants_members() && !s.wants_elements() &&
                    std::all_of(out.ends.begin() + s.first_end, out.ends.end(), [this](std::uint32_t path) {
                        return std::find(openings.begin(), openings.end(), path) != openings.end();
                    });
        out.states.push_back(s);
    }

    bool run() {
        positions root;
        for (std::uint32_t i = 0; i < paths.size(); ++i) root.push_back({i, 0});
        known.emplace(root, 0);
        pending.push_back(root);
        for (std::uint32_t i = 0; i < pending.size(); ++i) {
            if (pending.size() > most_states) return false;
            expand(i);
        }
        for (std::size_t i = 0; i < out.keys.size(); ++i) out.keys[i].text = out.texts.data() + key_offsets[i];
        for (const path& p : paths) {
            bool wild = false;
            for (const step& s : p) wild = wild || s.type == step::kind::each;
            out.wild.push_back(wild);
        }
        return true;
    }
};

}  // namespace

errc projection::compile(std::span<const std::string_view> texts, projection& out, context& ctx,
                         std::span<const std::uint32_t> openings) try {
    const auto steps = std::make_shared<std::vector<path>>(texts.size());
    std::vector<path>& paths = *steps;
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (const errc e = parse(texts[i], paths[i], ctx); e != errc::ok) {
            if (ctx.failure.path.empty()) ctx.failure.path = texts[i];
            return e;
        }
    auto made = std::make_shared<json::plan>();
    compiler c{paths, openings, *made, {}, {}, {}};
    if (!c.run())
        return ctx.fail(errc::size, failure::nowhere,
                        "the paths mix [*] and numbers in too many ways; split them into several projections");
    out.plan_ = std::move(made);
    out.paths_ = steps;
    return errc::ok;
} catch (const std::bad_alloc&) {
    return ctx.fail(errc::memory, failure::nowhere, "out of memory while compiling paths");
}

std::uint32_t plan::find(const state& s, const char* text, std::size_t length) const {
    const key* k = keys.data() + s.first_key;
    std::size_t n = s.key_count;
    // Halve until a short linear look is cheaper.
    while (n > 8) {
        const std::size_t half = n / 2;
        const bool below = k[half].length != length ? k[half].length < length
                                                    : std::char_traits<char>::compare(k[half].text, text, length) < 0;
        if (below) {
            k += half;
            n -= half;
        } else {
            n = half + 1;
        }
    }
    for (std::size_t i = 0; i < n; ++i)
        if (k[i].length == length && std::char_traits<char>::compare(k[i].text, text, length) == 0)
            return static_cast<std::uint32_t>(k + i - keys.data());
    return nowhere;
}

std::uint32_t plan::find(const state& s, std::uint64_t element) const {
    const index* first = indexes.data() + s.first_index;
    const index* last = first + s.index_count;
    const index* found = std::lower_bound(first, last, element, [](const index& i, std::uint64_t n) { return i.element < n; });
    return found != last && found->element == element ? found->target : s.each;
}

}  // namespace kumihimo::inline v0::json
