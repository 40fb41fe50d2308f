// The names of columns that are found, and not given: each another one.
#pragma once
#include <string>
#include <unordered_set>

#include "extract/schema.hpp"

namespace kumihimo::inline v0::extract {

/// The default name of a column or, where that is taken ("a.b" beside b in a), its path as it is printed, with a
/// number behind it if need be. It is taken then.
inline std::string unique_name(const json::path& path, const std::string& printed, std::unordered_set<std::string>& taken) {
    std::string name = default_name(path);
    if (taken.insert(name).second) return name;
    name = printed;
    for (int n = 2; !taken.insert(name).second; ++n) name = printed + '_' + std::to_string(n);
    return name;
}

}  // namespace kumihimo::inline v0::extract
