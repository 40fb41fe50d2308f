// UTF-8 validation of a whole run, on the ISA's utf8_checker. The last partial block is padded with blanks, which
// close nothing and continue nothing: a sequence that is cut off is seen as broken.
inline bool utf8(const char* data, std::size_t size) {
    utf8_checker check;
    std::size_t at = 0;
    for (; size - at >= 64; at += 64) {
        const block b = block::load(data + at);
        if (b.high() == 0)
            check.ascii();
        else
            check.next(b);
    }
    if (at < size) {
        alignas(64) char tail[64];
        __builtin_memset(tail, ' ', 64);
        __builtin_memcpy(tail, data + at, size - at);
        check.next(block::load(tail));
    }
    return check.ok();
}
