// Open containers, a byte each, for the kernels that match brackets as codes (avx512/check.hpp, avx2/check.hpp).
//
// An opening bracket's code is pushed; a closing one's is compared with the top and pops it, in one step without
// branches. Below the floor lie bytes that match nothing, enough for a window of stray closing brackets.
struct bracket_stack {
    static constexpr std::size_t floor = 80, inline_size = 1024 + 256;
    u8 inline_bytes[inline_size];
    u8* bytes = inline_bytes;
    std::size_t capacity = inline_size;
    std::size_t top = floor;
    std::size_t highest = floor;

    bracket_stack() { __builtin_memset(inline_bytes, 0xFF, floor); }
    bracket_stack(const bracket_stack&) = delete;
    bracket_stack& operator=(const bracket_stack&) = delete;
    ~bracket_stack() {
        if (bytes != inline_bytes) std::free(bytes);
    }
    [[gnu::cold, gnu::noinline]] bool grow() {
        u8* to = static_cast<u8*>(std::malloc(capacity * 2));
        if (to == nullptr) return false;
        __builtin_memcpy(to, bytes, capacity);
        if (bytes != inline_bytes) std::free(bytes);
        bytes = to;
        capacity *= 2;
        return true;
    }
};
