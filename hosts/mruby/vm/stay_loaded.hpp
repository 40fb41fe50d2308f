// Keeps this module in memory to the end of the process.
#pragma once

namespace kumihimo::inline v0::mruby {

/// Handlers of signals, a thread, and the destructor of a pthread key are in this module's code, and none of them
/// keeps glibc from unloading it; httpd -X does unload modules. False: the loader cannot keep it.
bool stay_loaded() noexcept;

}  // namespace kumihimo::inline v0::mruby
