#include "stay_loaded.hpp"

#include <dlfcn.h>
#include <link.h>

namespace kumihimo::inline v0::mruby {

bool stay_loaded() noexcept {
    Dl_info here{};
    link_map* object = nullptr;
    if (dladdr1(reinterpret_cast<void*>(&stay_loaded), &here, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0)
        return false;
    if (object->l_name[0] == '\0') return true;  // the program itself
    return dlopen(object->l_name, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
}

}  // namespace kumihimo::inline v0::mruby
