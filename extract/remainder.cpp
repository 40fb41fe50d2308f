#include "extract/remainder.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine/json/plan.hpp"
#include "engine/json/scan.hpp"
#include "extract/text_of_json.hpp"

namespace kumihimo::inline v0::extract {
namespace {

/// Whether these n bytes are the text. Gaps are short: two loads that overlap cost less than a call.
bool same(const std::string& text, const char* p, std::size_t n) noexcept {
    if (text.size() != n) return false;
    const char* const t = text.data();
    if (n < 8 || n > 16) return std::memcmp(t, p, n) == 0;
    std::uint64_t a, b, c, d;
    std::memcpy(&a, t, 8);
    std::memcpy(&b, p, 8);
    std::memcpy(&c, t + n - 8, 8);
    std::memcpy(&d, p + n - 8, 8);
    return ((a ^ b) | (c ^ d)) == 0;
}

/// Behind the string that begins at p.
const char* skip_string(const char* p, const char* end) noexcept {
    for (++p; p < end; ++p) {
        if (*p == '\\')
            ++p;
        else if (*p == '"')
            return p + 1;
    }
    return end;
}

/// Behind the value that begins at p, in a valid document.
const char* skip_value(const char* p, const char* end) noexcept {
    if (p == end) return end;
    if (*p == '"') return skip_string(p, end);
    if (*p != '{' && *p != '[') {
        while (p != end && *p != ',' && *p != '}' && *p != ']' && !json::is_space(*p)) ++p;
        return p;
    }
    for (std::size_t depth = 0; p < end;) {
        switch (*p) {
            case '"': p = skip_string(p, end); continue;
            case '{':
            case '[': ++depth; break;
            case '}':
            case ']':
                if (--depth == 0) return p + 1;
                break;
            default: break;
        }
        ++p;
    }
    return end;
}

/// Whether a gap only leads to the value behind it: brackets, commas, and keys of which each opens an object that is
/// still open at the gap's end, but the last, whose value begins there.
bool leads_on(const char* p, const char* end, bool last) noexcept {
    std::size_t opened = 0;
    for (;;) {
        p = json::skip_space(p, end);
        if (p == end) return last && opened == 0;
        switch (*p) {
            case ',': ++p; continue;
            case '{':
                ++opened;
                ++p;
                continue;
            case '}':
                if (opened != 0) return false;  // something empty, or all of it null
                ++p;
                continue;
            case '"': break;
            default: return false;
        }
        p = json::skip_space(skip_string(p, end), end);
        if (p == end || *p != ':') return false;
        p = json::skip_space(p + 1, end);
        if (p == end) return !last;
        if (*p != '{') return false;
    }
}

}  // namespace

remainder::remainder(const schema& of)
    : plan_(&of.paths().plan()),
      fields_(of.fields()),
      order_(of.fields()),
      gaps_((of.fields() + 1) * known),
      oldest_(of.fields() + 1) {
    std::iota(order_.begin(), order_.end(), 0u);
    found_.reserve(fields_);
}

// The values by their place. Documents of one kind have one order, so the last one's is tried first.
void remainder::locate(const json::projector& found) {
    found_.clear();
    bool sorted = true;
    for (const std::uint32_t i : order_) {
        const json::slice s = found.value(i);
        if (s.length == 0) continue;
        sorted = sorted && (found_.empty() || found_.back().offset < s.offset);
        found_.push_back({s.offset, s.length, i});
    }
    if (sorted) return;
    std::sort(found_.begin(), found_.end(), [](const present& a, const present& b) { return a.offset < b.offset; });
    // Columns that are absent here keep their order, behind the others.
    std::vector<bool> here(fields_);
    for (const present& p : found_) here[p.column] = true;
    std::stable_partition(order_.begin(), order_.end(), [&](std::uint32_t i) { return here[i]; });
    std::transform(found_.begin(), found_.end(), order_.begin(), [](const present& p) { return p.column; });
}

// Documents like the last one: the same columns in the same order, and every gap is known.
bool remainder::alike(bytes document, const json::projector& found) const {
    const char* const begin = reinterpret_cast<const char*>(document.data());
    std::uint64_t at = 0;
    std::uint32_t before = edge;
    const auto knows = [&](std::size_t column, std::uint64_t to) {
        for (std::size_t g = column * known; g < (column + 1) * known; ++g)
            if (gaps_[g].before == before && same(gaps_[g].text, begin + at, static_cast<std::size_t>(to - at))) return true;
        return false;
    };
    for (const std::uint32_t i : order_) {
        const json::slice s = found.value(i);
        if (s.length == 0) continue;
        if (s.offset < at || !knows(i, s.offset)) return false;
        at = s.offset + s.length;
        before = i;
    }
    return knows(fields_, document.size());
}

bool remainder::none(bytes document, const json::projector& found) {
    if (alike(document, found)) [[likely]]
        return true;
    locate(found);
    const char* const begin = reinterpret_cast<const char*>(document.data());
    const char* at = begin;
    std::uint32_t before = edge;
    for (std::size_t k = 0; k <= found_.size(); ++k) {
        const bool last = k == found_.size();
        const std::size_t column = last ? fields_ : found_[k].column;
        const char* const to = last ? begin + document.size() : begin + found_[k].offset;
        if (to < at) return false;  // a column within another: the walk knows
        const std::string_view text(at, static_cast<std::size_t>(to - at));
        gap* const these = &gaps_[column * known];
        bool seen = false;
        for (std::size_t g = 0; g < known && !seen; ++g) seen = these[g].before == before && these[g].text == text;
        if (!seen) {
            if (!leads_on(at, to, last)) return false;
            if (text.size() <= longest_gap) {
                gap& g = these[oldest_[column]++ % known];
                g.before = before;
                g.text = text;
            }
        }
        if (last) return true;
        at = to + found_[k].length;
        before = found_[k].column;
    }
    return true;
}

void remainder::remember(bytes document) {
    const char* const begin = reinterpret_cast<const char*>(document.data());
    std::uint64_t at = 0;
    std::uint32_t before = edge;
    for (std::size_t k = 0; k <= found_.size(); ++k) {
        const bool last = k == found_.size();
        const std::size_t column = last ? fields_ : found_[k].column;
        const std::uint64_t to = last ? document.size() : found_[k].offset;
        if (to < at) return;
        const std::string_view text(begin + at, static_cast<std::size_t>(to - at));
        gap* const these = &gaps_[column * known];
        bool seen = text.size() > longest_gap;
        for (std::size_t g = 0; g < known && !seen; ++g) seen = these[g].before == before && these[g].text == text;
        if (!seen) {
            gap& g = these[oldest_[column]++ % known];
            g.before = before;
            g.text = text;
        }
        if (last) return;
        at = to + found_[k].length;
        before = found_[k].column;
    }
}

// The state behind a key (with its quotes), or json::nowhere.
std::uint32_t remainder::target(std::uint32_t state, std::string_view key) {
    const json::plan::state& s = plan_->states[state];
    std::string_view text;
    if (!plain_text(inside_of(key), key_, text)) return json::nowhere;
    const std::uint32_t k = plan_->find(s, text.data(), text.size());
    return k == json::nowhere ? k : plan_->keys[k].target;
}

// Writes the objects that are open in the document and not yet in `out`.
void remainder::open(std::string& out) {
    for (frame& f : frames_) {
        if (f.open) continue;
        f.open = true;
        f.from = out.size();
        if (!f.key.empty()) {
            if (out.back() != '{') out += ',';
            out.append(f.key);
            out += ':';
        }
        out += '{';
    }
}

void remainder::put(std::string& out, std::string_view key, std::string_view value) {
    if (out.back() != '{') out += ',';
    out.append(key);
    out += ':';
    out.append(value);
}

// Ends the innermost object. One whose members were all taken back is nothing.
void remainder::close(std::string& out) {
    const frame f = frames_.back();
    frames_.pop_back();
    if (!f.open) return;
    out += '}';
    if (f.live == 0) {
        dropped_.push_back({f.from, out.size()});
    } else if (!frames_.empty()) {
        ++frames_.back().live;
        written(f.state, {f.from, out.size()});
    }
}

void remainder::written(std::uint32_t state, stretch at) {
    if (latest_[state].from == nothing) touched_.push_back(state);
    latest_[state] = at;
}

// The key has come again in the innermost object. A state is met below one parent only, so what stands behind the
// object's beginning is its own.
void remainder::take_back(std::uint32_t state) {
    stretch& old = latest_[state];
    if (old.from == nothing || old.from < frames_.back().begun || old.to == 0) return;
    dropped_.push_back(old);
    old.to = 0;
    --frames_.back().live;
}

// Takes out what was taken back, however often and wherever: a pass over `out` for all of it.
void remainder::drop(std::string& out) {
    if (dropped_.empty()) return;
    std::sort(dropped_.begin(), dropped_.end(), [](const stretch& a, const stretch& b) { return a.from < b.from; });
    std::size_t to = dropped_[0].from, at = to;
    const auto keep = [&](std::size_t end) {
        if (end <= at) return;
        if (to != 0 && out[to - 1] == '{' && out[at] == ',') ++at;  // what was first is gone, and its comma is not its own
        std::memmove(out.data() + to, out.data() + at, end - at);
        to += end - at;
        at = end;
    };
    for (const stretch& d : dropped_) {
        keep(d.from);
        at = std::max(at, d.to);
    }
    keep(out.size());
    out.resize(to);
    dropped_.clear();
}

bool remainder::walk(bytes document, const std::vector<bool>& astray, std::string& out) {
    const char* p = reinterpret_cast<const char*>(document.data());
    const char* const end = p + document.size();
    const auto held = [&](std::uint32_t state) {  // by a column that ends there
        const json::plan::state& s = plan_->states[state];
        for (std::uint32_t i = 0; i < s.end_count; ++i)
            if (astray.empty() || !astray[plan_->ends[s.first_end + i]]) return true;
        return false;
    };
    p = json::skip_space(p, end);
    if (p == end || held(0)) return false;
    if (*p != '{') {
        if (*p == 'n') return false;
        out.append(p, static_cast<std::size_t>(skip_value(p, end) - p));
        return true;
    }
    bool left = false;
    frames_.clear();
    dropped_.clear();
    latest_.resize(plan_->states.size());
    for (const std::uint32_t state : touched_) latest_[state] = {};
    touched_.clear();
    frames_.push_back({0, false, {}, out.size()});
    ++p;
    while (!frames_.empty() && p < end) {
        p = json::skip_space(p, end);
        if (p == end) break;
        if (*p == ',') {
            ++p;
            continue;
        }
        if (*p == '}') {
            close(out);
            ++p;
            continue;
        }
        const char* const key_at = p;
        p = skip_string(p, end);
        const std::string_view key(key_at, static_cast<std::size_t>(p - key_at));
        p = json::skip_space(p, end);
        if (p < end) p = json::skip_space(p + 1, end);  // the colon
        if (p == end) break;
        const std::uint32_t state = target(frames_.back().state, key);
        const bool object = *p == '{';
        if (state != json::nowhere) take_back(state);
        if (state != json::nowhere && held(state)) {
            p = skip_value(p, end);
        } else if (state != json::nowhere && plan_->states[state].wants_members() && object) {
            frames_.push_back({state, false, key, out.size()});
            ++p;
        } else if (state != json::nowhere && *p == 'n') {
            p = skip_value(p, end);
        } else {
            const char* const to = skip_value(p, end);
            left = true;
            open(out);
            const std::size_t from = out.size();
            put(out, key, {p, static_cast<std::size_t>(to - p)});
            ++frames_.back().live;
            if (state != json::nowhere) written(state, {from, out.size()});
            p = to;
        }
    }
    drop(out);
    return left;
}

}  // namespace kumihimo::inline v0::extract
