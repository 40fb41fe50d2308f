// Paths as text, and reading a file whole.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace kumihimo::inline v0::mruby {

/// Without ".", ".." and doubled slashes: "/a/b/../c//d" is "/a/c/d". Text only: no file is looked at.
std::string plain_path(std::string_view path);

/// Whether the plain path is the folder, or under it.
bool is_under(std::string_view path, std::string_view folder) noexcept;

/// Reads a regular file of `most` bytes at most. 0, or errno's number: EISDIR and EINVAL for what is no regular file, EFBIG for
/// a larger one.
int read_whole(const char* path, std::size_t most, std::string& text);

}  // namespace kumihimo::inline v0::mruby
