// What extract() is given, as the engine takes it. Everything here throws nanobind's exceptions.
#pragma once
#include <nanobind/nanobind.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "extract/column.hpp"

namespace kumihimo::inline v0::python {

[[noreturn]] void refuse(const std::string& why);  // ValueError

/// "[NAME=]PATH[:TYPE]", or a tuple (name, path, type).
extract::column_spec field_of(nanobind::handle given);

/// File names are bytes; Python shows them with surrogateescape.
nanobind::str file_text(const std::string& s);
/// Names of files as the system has them, from str (surrogateescape), bytes or os.PathLike; patterns for them likewise.
std::vector<std::string> file_names(nanobind::handle given);

/// The rules of a zone from Python's database; ValueError where it has none of that name.
std::shared_ptr<const extract::zone> zone_of(const std::string& name);

/// What a word stands for.
template <class T>
T chosen(const char* what, const std::string& name, std::initializer_list<std::pair<const char*, T>> of) {
    std::string all;
    for (const auto& [n, value] : of) {
        if (name == n) return value;
        all += std::string(all.empty() ? "'" : ", '") + n + "'";
    }
    refuse(std::string(what) + " is one of " + all + ", not '" + name + "'");
}

}  // namespace kumihimo::inline v0::python
