// Where the system calls of system_calls.cpp come back from the kernel with a descriptor that nobody knows of yet.
#pragma once

extern "C" [[gnu::visibility("hidden")]] const char kumihimo_opened[];
