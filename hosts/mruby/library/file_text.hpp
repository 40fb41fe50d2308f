// Paths as text, and the bytes of files.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace kumihimo::inline v0::mruby {

/// Without ".", ".." and doubled slashes: "/a/b/../c//d" is "/a/c/d". Text only: no file is looked at.
std::string plain_path(std::string_view path);

/// Whether the plain path is the folder, or under it.
bool is_under(std::string_view path, std::string_view folder) noexcept;

/// What the last part of a path lies in: "." for a name alone.
std::string_view folder_of(std::string_view path) noexcept;

/// What read_part() has read, or how it failed.
struct part_read {
    int failed = 0;        // errno's number: EISDIR and EINVAL for what is no regular file
    std::size_t size = 0;  // bytes
    std::size_t room = 0;  // 0: these are all; else nothing is said about them, and so much room is to be brought
};

/// Reads a regular file from an offset on, `wanted` bytes at most, all in one opening: what is in `to` is of one file,
/// whoever puts another one in its place. Holds no memory.
part_read read_part(const char* path, std::size_t from, std::size_t wanted, char* to, std::size_t room) noexcept;

}  // namespace kumihimo::inline v0::mruby
