#include "order.hpp"

namespace kumihimo::inline v0::perl {
namespace {

// The first eight bytes, as a number that compares as they do.
std::uint64_t head(const HEK* key) {
    char first[8] = {};
    std::memcpy(first, HEK_KEY(key), std::min<std::size_t>(static_cast<std::size_t>(HEK_LEN(key)), 8));
    std::uint64_t v;
    std::memcpy(&v, first, 8);
    if constexpr (std::endian::native == std::endian::little) v = __builtin_bswap64(v);
    return v;
}

struct sortable {
    std::uint64_t head;
    HE* entry;
};

// The next character, which is a byte or, in a key that is utf8, a sequence of bytes.
UV character(const U8*& p, const U8* end, bool wide) {
    if (!wide || UTF8_IS_INVARIANT(*p)) return *p++;
    const std::size_t n = std::min<std::size_t>(UTF8SKIP(p), static_cast<std::size_t>(end - p));
    UV c = *p & (n >= 7 ? 0 : 0x7F >> n);
    for (std::size_t i = 1; i < n; ++i) c = c << 6 | (p[i] & 0x3F);
    p += n;
    return c;
}

bool mixed_less(const HE* a, const HE* b) {
    const HEK *ka = HeKEY_hek(a), *kb = HeKEY_hek(b);
    const U8 *p = reinterpret_cast<const U8*>(HEK_KEY(ka)), *q = reinterpret_cast<const U8*>(HEK_KEY(kb));
    const U8 *const pe = p + HEK_LEN(ka), *const qe = q + HEK_LEN(kb);
    const bool pw = HEK_UTF8(ka) != 0, qw = HEK_UTF8(kb) != 0;
    while (p < pe && q < qe) {
        const UV x = character(p, pe, pw), y = character(q, qe, qw);
        if (x != y) return x < y;
    }
    return p >= pe && q < qe;
}

bool bytes_less(const sortable& a, const sortable& b) {
    if (a.head != b.head) return a.head < b.head;
    const auto la = static_cast<std::size_t>(HeKLEN(a.entry)), lb = static_cast<std::size_t>(HeKLEN(b.entry));
    const int c = std::memcmp(HeKEY(a.entry), HeKEY(b.entry), std::min(la, lb));
    return c != 0 ? c < 0 : la < lb;
}

}  // namespace

void key_order::sort_by_text(HE** list, std::size_t n) {
    bool wide = false;
    for (std::size_t i = 0; i < n; ++i) wide = wide || HeKUTF8(list[i]) != 0;
    if (wide) {
        std::sort(list, list + n, mixed_less);
        return;
    }
    sortable here[most];
    sortable* const by_head = n <= most ? here : static_cast<sortable*>(safemalloc(n * sizeof(sortable)));
    // std::sort neither allocates nor calls Perl.
    for (std::size_t i = 0; i < n; ++i) by_head[i] = {head(HeKEY_hek(list[i])), list[i]};
    std::sort(by_head, by_head + n, bytes_less);
    for (std::size_t i = 0; i < n; ++i) list[i] = by_head[i].entry;
    if (by_head != here) Safefree(by_head);
}

void key_order::learn(pTHX_ HE** list, std::size_t n, U32 sum) {
    const std::size_t places = std::bit_ceil(n * 2);
    // A scalar of a key that came as UTF-8 and is kept as Latin-1 is a copy and does not hold the key.
    for (std::size_t i = 0; i < n; ++i)
        if (HEK_WASUTF8(HeKEY_hek(list[i]))) return;
    const std::size_t size = sizeof(shape) + places * sizeof(shape::place);
    shape* const s = static_cast<shape*>(safemalloc(size));
    std::memset(static_cast<void*>(s), 0, size);
    s->sum = sum;
    s->n = static_cast<U32>(n);
    s->mask = static_cast<U32>(places - 1);
    for (std::size_t i = 0; i < n; ++i) {
        HEK* const key = HeKEY_hek(list[i]);
        std::size_t slot = HEK_HASH(key) & s->mask;
        while (s->places[slot].key != nullptr) slot = (slot + 1) & s->mask;
        s->places[slot] = {key, i, newSVhek(key)};
    }
    shape*& slot = shapes_[sum % count];
    if (slot != nullptr) forget(aTHX_ slot);
    slot = s;
}

void key_order::forget(pTHX_ shape* s) {
    for (std::size_t i = 0; i <= s->mask; ++i) SvREFCNT_dec(s->places[i].keeps);
    Safefree(s);
}

void key_order::clear(pTHX) {
    for (shape*& s : shapes_) {
        if (s != nullptr) forget(aTHX_ s);
        s = nullptr;
    }
}

}  // namespace kumihimo::inline v0::perl
