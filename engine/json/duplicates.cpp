#include "engine/json/duplicates.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <string_view>

#include "engine/json/scan.hpp"
#include "engine/json/string.hpp"

namespace kumihimo::inline v0::json {
namespace {

struct entry {
    std::size_t object;  // offset of its opening bracket
    std::size_t key;     // offset of the opening quote
    std::string_view name;
    std::size_t spelled = 0;  // 1-based place among the unescaped names, which move while they are gathered
};

// Behind white space, and behind comments where they are granted; a broken comment is the reader's to refuse, so here
// it is the end.
std::size_t after_space(std::string_view d, std::size_t i, const read_dialect& granted) {
    const char *const end = d.data() + d.size(), *p = d.data() + i;
    for (;;) {
        p = skip_space(p, end);
        if (!granted.comments || p == end || *p != '/') break;
        p = comment_end(p, end, granted);
        if (p == nullptr) p = end;
    }
    return static_cast<std::size_t>(p - d.data());
}

// Half pairs are keys of their own: spelled as UTF-16 they stay distinct.
std::string spell(std::string_view raw) {
    std::string out(raw.size() + unescape_slack, '\0');
    const unescaped u = unescape(raw.data(), raw.data() + raw.size(), raw.data() + raw.size(), out.data(), half_pair::report);
    if (u.end == nullptr) return std::string(raw);
    if (!u.half) {
        out.resize(static_cast<std::size_t>(u.end - out.data()));
        return out;
    }
    if (scalar::utf8_valid_prefix(raw.data(), raw.size()) != raw.size()) return std::string(raw);
    std::u16string wide(raw.size(), u'\0');
    wide.resize(static_cast<std::size_t>(unescape_utf16(raw.data(), raw.data() + raw.size(), wide.data()) - wide.data()));
    out.assign(1, '\xFF');
    out.append(reinterpret_cast<const char*>(wide.data()), wide.size() * 2);
    return out;
}

void gather(std::string_view d, std::size_t from, const read_dialect& granted, std::vector<entry>& out) {
    std::vector<std::size_t> open;  // offsets of the open brackets
    for (std::size_t i = from;;) {
        i = after_space(d, i, granted);
        if (i >= d.size()) return;
        const char c = d[i];
        if (c == '"') {
            const scanned s = scan_string(d.data() + i + 1, d.data() + d.size(), granted.control_characters);
            if (s.end == nullptr) return;
            const std::size_t quote = i;
            i = after_space(d, static_cast<std::size_t>(s.end - d.data()) + 1, granted);
            if (i < d.size() && d[i] == ':' && !open.empty()) {
                const std::string_view raw(d.data() + quote + 1, static_cast<std::size_t>(s.end - d.data()) - quote - 1);
                out.push_back({open.back(), quote, raw, s.escaped ? std::size_t{1} : 0});
                ++i;
            }
        } else {
            if (c == '{' || c == '[') open.push_back(i);
            if ((c == '}' || c == ']') && !open.empty()) open.pop_back();
            if (open.empty() && (c == '}' || c == ']')) return;
            ++i;
        }
    }
}

}  // namespace

errc find_duplicates(bytes document, std::size_t from, const read_dialect& granted, duplicates& found) {
    try {
        std::vector<entry> keys;
        gather({reinterpret_cast<const char*>(document.data()), document.size()}, from, granted, keys);
        std::vector<std::string> names;
        for (entry& k : keys)
            if (k.spelled != 0) {
                names.push_back(spell(k.name));
                k.spelled = names.size();
            }
        for (entry& k : keys)
            if (k.spelled != 0) k.name = names[k.spelled - 1];
        std::sort(keys.begin(), keys.end(), [](const entry& a, const entry& b) {
            if (a.object != b.object) return a.object < b.object;
            if (const int order = a.name.compare(b.name); order != 0) return order < 0;
            return a.key < b.key;
        });
        for (std::size_t i = 1; i < keys.size(); ++i)
            if (keys[i - 1].object == keys[i].object && keys[i - 1].name == keys[i].name) {
                found.overridden.push_back(keys[i - 1].key);
                found.first_again = std::min(found.first_again, keys[i].key);
            }
        std::sort(found.overridden.begin(), found.overridden.end());
        return errc::ok;
    } catch (const std::bad_alloc&) {
        return errc::memory;
    }
}

}  // namespace kumihimo::inline v0::json
