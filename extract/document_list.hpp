// Documents that lie one behind the other in some text: how long each is, and where each came from. Names are kept
// once as long as they stay the same.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "extract/origin.hpp"

namespace kumihimo::inline v0::extract {

class document_list {
public:
    /// Copies the names. Throws std::bad_alloc.
    void add(std::uint64_t length, const origin& from) {
        item next{length, from.offset, {}, {}};
        const item* const last = items_.empty() ? nullptr : &items_.back();
        next.archive = last != nullptr && text(last->archive) == from.archive ? last->archive : kept(from.archive);
        next.entry = last != nullptr && text(last->entry) == from.entry ? last->entry : kept(from.entry);
        items_.push_back(next);
    }
    void clear() noexcept {
        items_.clear();
        names_.clear();
    }

    std::size_t size() const noexcept { return items_.size(); }
    std::uint64_t length(std::size_t i) const noexcept { return items_[i].length; }
    /// The texts live until the list changes.
    origin from(std::size_t i) const noexcept { return {text(items_[i].archive), text(items_[i].entry), items_[i].offset, 0}; }
    /// Bytes that the list holds, about.
    std::size_t bytes_used() const noexcept { return items_.size() * sizeof(item) + names_.size(); }
    /// Of these, bytes of names.
    std::size_t bytes_of_names() const noexcept { return names_.size(); }

private:
    struct place {
        std::size_t at = 0, size = 0;  // in names_
    };
    struct item {
        std::uint64_t length, offset;
        place archive, entry;
    };

    std::string_view text(place p) const noexcept { return std::string_view(names_).substr(p.at, p.size); }
    place kept(std::string_view name) {
        names_ += name;
        return {names_.size() - name.size(), name.size()};
    }

    std::vector<item> items_;
    std::string names_;
};

}  // namespace kumihimo::inline v0::extract
