// A script's file, read whole: never half of an old and half of a new one.
#pragma once
#include <string>

#include "vm.hpp"

namespace kumihimo::inline v0::mruby {

/// "No such file or directory" ...
const char* text_of_error(int code) noexcept;

/// Opens, looks at what was opened (a regular file), reads it, and reads again while it changes meanwhile. `as_read`
/// is the stamp of what was read: times in microseconds, as httpd has them. False: `error` says why, and errno is kept
/// (ENOMEM where there is no memory for the text).
bool read_file(const char* name, std::string& text, stamp& as_read, std::string& error) noexcept;
/// The same of a file that somebody has opened.
bool read_file(int file, std::string& text, stamp& as_read, std::string& error) noexcept;

}  // namespace kumihimo::inline v0::mruby
