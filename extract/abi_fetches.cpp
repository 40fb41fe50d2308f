// Of the C ABI: the inputs that the host brings.
#include <unistd.h>

#include <new>
#include <string>

#include "extract/abi_state.hpp"

using namespace kumihimo;
using extract::fetch_list;

namespace {

std::uint32_t next(fetch_list& list, kumihimo_text* input) {
    std::string path;
    switch (list.next(path)) {
        case fetch_list::said::path:
            input->bytes.clear();
            if (input->bytes.append(path.data(), path.size())) return KUMIHIMO_OK;
            list.refuse(path, "no memory for its name");
            return KUMIHIMO_MEMORY;
        case fetch_list::said::nothing_now: return KUMIHIMO_EXTRACT_WAITING;
        case fetch_list::said::over: break;
    }
    return KUMIHIMO_EXTRACT_END;
}

}  // namespace

extern "C" {

void kumihimo_fetches_free(kumihimo_fetches* f) { delete f; }

uint32_t kumihimo_fetches_next(kumihimo_fetches* f, kumihimo_text* input) {
    const std::shared_ptr<fetch_list> list = f->of.lock();
    if (list == nullptr) return KUMIHIMO_EXTRACT_END;
    try {
        return next(*list, input);
    } catch (const std::bad_alloc&) {
        return KUMIHIMO_MEMORY;
    }
}

int kumihimo_fetches_over(kumihimo_fetches* f) { return f->of.expired() ? 1 : 0; }

uint32_t kumihimo_fetches_give(kumihimo_fetches* f, const char* input, size_t input_size, int file) {
    const std::shared_ptr<fetch_list> list = f->of.lock();
    if (list == nullptr) {
        ::close(file);
        return KUMIHIMO_EXTRACT_END;
    }
    list->give({input, input_size}, file);
    return KUMIHIMO_OK;
}

uint32_t kumihimo_fetches_refuse(kumihimo_fetches* f, const char* input, size_t input_size, const char* why, size_t why_size) {
    const std::shared_ptr<fetch_list> list = f->of.lock();
    if (list == nullptr) return KUMIHIMO_EXTRACT_END;
    try {
        list->refuse({input, input_size}, {why, why_size});
        return KUMIHIMO_OK;
    } catch (const std::bad_alloc&) {
        list->refuse({input, input_size}, {});
        return KUMIHIMO_MEMORY;
    }
}

}  // extern "C"
