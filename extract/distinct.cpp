#include "extract/distinct.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "extract/cell.hpp"
#include "extract/keyed_hash.hpp"

namespace kumihimo::inline v0::extract {
std::string distinct_rows::refusal(const std::vector<std::string>& columns, const schema& of) {
    for (const std::string& name : columns) {
        const auto all = of.columns();
        if (std::any_of(all.begin(), all.end(), [&](const column_spec& c) { return c.name == name; })) continue;
        std::string why = "distinct has no column \"" + name + "\" to look at; there are ";
        std::size_t shown = 0;
        for (const column_spec& c : all) {
            if (++shown > 10) return why + ", ...";
            why += (shown > 1 ? ", \"" : "\"") + c.name + '"';
        }
        return all.empty() ? "distinct needs columns: name the fields" : why;
    }
    return {};
}

// Columns may change under the rows, but not those that are here by name.
void distinct_rows::bind(const schema& of) {
    bound_ = &of;
    columns_.clear();
    for (const std::string& name : names_)
        for (std::size_t i = 0; i < of.columns().size(); ++i)
            if (of.columns()[i].name == name) columns_.push_back(i);
}

void distinct_rows::make_key(const batch& rows, std::size_t row) {
    key_.clear();
    for (const std::size_t i : columns_) {
        const column& c = rows.at(i);
        const bool there = c.valid(row);
        key_ += static_cast<char>(there);
        if (!there) continue;
        const auto put = [this](const auto v) { key_.append(reinterpret_cast<const char*>(&v), sizeof v); };
        switch (c.kind()) {
            case column::layout::eight: put(c.i64(row)); break;
            case column::layout::sixteen: put(c.i128(row)); break;
            case column::layout::bit: key_ += static_cast<char>(c.boolean(row)); break;
            case column::layout::text: {
                const std::string_view text = c.text(row);
                put(static_cast<std::uint32_t>(text.size()));
                key_ += text;
                break;
            }
            case column::layout::list:
            case column::layout::structure: {
                text_.clear();
                if (!write_json(text_, c, row, rows.of().columns()[i])) throw std::bad_alloc();
                put(static_cast<std::uint32_t>(text_.size()));
                key_.append(text_.data(), text_.size());
            }
        }
    }
}

bool distinct_rows::grow() {
    const std::size_t n = slots_.empty() ? 1024 : slots_.size() * 2;
    // Both tables are there while rows move over.
    if ((n + slots_.size()) * sizeof(slot) + keys_.capacity() > most_) return false;
    std::vector<slot> all(n);
    for (const slot& s : slots_) {
        if (s.at == 0) continue;
        std::size_t at = s.hash & (n - 1);
        while (all[at].at != 0) at = (at + 1) & (n - 1);
        all[at] = s;
    }
    slots_ = std::move(all);
    return true;
}

// Whether the key at hand is new.
bool distinct_rows::add(std::uint64_t hash) {
    if (count_ * 4 >= slots_.size() * 3 && !grow()) {
        full_ = true;
        return false;
    }
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at].at != 0; at = (at + 1) & (slots_.size() - 1)) {
        const slot& s = slots_[at];
        if (s.hash == hash && s.size == key_.size() && std::memcmp(keys_.data() + s.at - 1, key_.data(), s.size) == 0)
            return false;
    }
    if (keys_.capacity() - keys_.size() < key_.size()) {
        const std::size_t more = std::max(keys_.capacity() / 2, key_.size());
        // The keys move, too.
        const std::size_t room = most_ - std::min(most_, slots_.size() * sizeof(slot) + keys_.capacity());
        if (keys_.size() + key_.size() > room) {
            full_ = true;
            return false;
        }
        keys_.reserve(std::min(room, keys_.capacity() + more));
    }
    slots_[at] = {hash, keys_.size() + 1, static_cast<std::uint32_t>(key_.size())};
    keys_ += key_;
    ++count_;
    return true;
}

errc distinct_rows::filter(batch& rows, std::uint64_t limit) {
    if (bound_ != &rows.of()) bind(rows.of());
    kept_.clear();
    for (std::size_t r = 0; r < rows.rows() && kept_.size() < limit; ++r) {
        make_key(rows, r);
        if (add(keyed_hash(key_, hash_key::of_process()))) kept_.push_back(static_cast<std::uint32_t>(r));
        if (full_) return errc::size;
    }
    rows.retain(kept_);
    return errc::ok;
}

}  // namespace kumihimo::inline v0::extract
