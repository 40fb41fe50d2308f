// Scripts: files that a request leads to, and code that the configuration names.
#pragma once
#include "httpd.hpp"
// mruby's headers last
#include "hosts/mruby/vm/vm.hpp"

namespace kumihimo::inline v0::apache {

/// Code named in the configuration, for as long as the configuration lives.
struct code {
    const char* file = nullptr;  // the script; of inline code, the configuration file it stands in
    const char* key = nullptr;   // of inline code: what tells it from others
    const char* text = nullptr;  // of inline code
    std::size_t size = 0;
    int first_line = 1;
    bool read_once = false;  // `cache`
};

/// Reads the code of a directive and checks that it compiles. Null if it does, or what is wrong, with file and line.
const char* check(const cmd_parms*, const code&);
/// The same for a file.
const char* check_file(const cmd_parms*, const char* path);

/// What a script was read from, while a run wants it.
struct source {
    request_rec* r = nullptr;
    const apache::code* inline_code = nullptr;
    const char* file = nullptr;
    int status = 0;  // the HTTP status that says why it cannot be read
};

/// The script that the request's file is: httpd has looked at it already (r->finfo).
mruby::script script_of_file(source&, mruby::script::reuse);
/// Code of the configuration. A file is looked at, unless it is read once.
mruby::script script_of(source&, const code&, mruby::script::reuse);

}  // namespace kumihimo::inline v0::apache
