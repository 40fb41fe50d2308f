#include "decimal.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace kumihimo::inline v0::ruby {
namespace {

// Where the first field after obj is; -1: BigDecimal was not learnt. Written before the type, which is looked at
// first.
std::atomic<std::ptrdiff_t> fields_at{-1};
std::atomic<const rb_data_type_t*> decimal_type{nullptr};

constexpr std::size_t word_digits = 9;
constexpr std::size_t head = 3 * sizeof(std::size_t) + 2 * sizeof(short);
constexpr int finite_sign = 2, zero_sign = 1;  // negative for negative numbers

const char* memory_of(VALUE v) noexcept {
#ifdef RTYPEDDATA_GET_DATA
    return static_cast<const char*>(RTYPEDDATA_GET_DATA(v));
#else
    return static_cast<const char*>(RTYPEDDATA_DATA(v));
#endif
}

void write_word(std::uint32_t word, char* to) noexcept {
    for (std::size_t i = word_digits; i-- > 0; word /= 10) to[i] = static_cast<char>('0' + word % 10);
}

/// `size`: how much of the memory may be read.
std::size_t write_fields(const char* p, std::size_t size, char* to) noexcept {
    if (size < head) return 0;
    std::size_t words;
    std::ptrdiff_t exponent;
    short sign;
    std::memcpy(&words, p + sizeof(std::size_t), sizeof words);
    std::memcpy(&exponent, p + 2 * sizeof(std::size_t), sizeof exponent);
    std::memcpy(&sign, p + 3 * sizeof(std::size_t), sizeof sign);
    char* at = to;
    if (sign < 0) *at++ = '-';
    if (sign == zero_sign || sign == -zero_sign) {
        std::memcpy(at, "0.0", 3);
        return static_cast<std::size_t>(at + 3 - to);
    }
    constexpr std::size_t most = 12;  // words, on either side of the point: well within the room
    if ((sign != finite_sign && sign != -finite_sign) || words == 0 || words > most || words > (size - head) / 4) return 0;
    if (exponent > static_cast<std::ptrdiff_t>(most) || exponent < -static_cast<std::ptrdiff_t>(most)) return 0;
    const auto word = [&](std::size_t i) {
        std::uint32_t w = 0;
        if (i < words) std::memcpy(&w, p + head + 4 * i, 4);
        return w;
    };
    char digits[word_digits];
    // Before the point: as many words as the exponent says, without the zeros in front.
    std::size_t next = 0;
    if (exponent <= 0) *at++ = '0';
    for (std::ptrdiff_t i = 0; i < exponent; ++i) {
        write_word(word(next++), digits);
        std::size_t skipped = 0;
        if (i == 0)
            while (skipped < word_digits - 1 && digits[skipped] == '0') ++skipped;
        std::memcpy(at, digits + skipped, word_digits - skipped);
        at += word_digits - skipped;
    }
    *at++ = '.';
    char* const point = at;
    for (std::ptrdiff_t i = exponent; i < 0; ++i, at += word_digits) std::memset(at, '0', word_digits);
    for (; next < words; at += word_digits) write_word(word(next++), at);
    while (at > point && at[-1] == '0') --at;
    if (at == point) *at++ = '0';
    return static_cast<std::size_t>(at - to);
}

bool is_learnt(VALUE v, const rb_data_type_t* type) noexcept {
    return RB_TYPE_P(v, T_DATA) && RTYPEDDATA_P(v) && RTYPEDDATA_TYPE(v) == type;
}

bool is_text(VALUE string, const char* p, std::size_t n) {
    return RB_TYPE_P(string, T_STRING) && static_cast<std::size_t>(RSTRING_LEN(string)) == n &&
           std::memcmp(RSTRING_PTR(string), p, n) == 0;
}

bool reads_all(std::ptrdiff_t offset, VALUE numbers) {
    char text[decimal_room];
    for (long i = 0; i < RARRAY_LEN(numbers); ++i) {
        const VALUE v = RARRAY_AREF(numbers, i);
        const rb_data_type_t* const type = RTYPEDDATA_TYPE(v);
        const std::size_t size = type->function.dsize(memory_of(v));
        if (size <= static_cast<std::size_t>(offset)) return false;
        const std::size_t n = write_fields(memory_of(v) + offset, size - static_cast<std::size_t>(offset), text);
        if (!is_text(rb_funcall(v, rb_intern("to_s"), 0), text, n)) return false;
    }
    return true;
}

}  // namespace

bool learn_decimals(VALUE klass) {
    if (decimal_type.load() != nullptr) return true;
    static const char* const samples[] = {"0",
                                          "-0",
                                          "1",
                                          "-1",
                                          "19.99",
                                          "107910.55",
                                          "100",
                                          "1000000000",
                                          "999999999.999999999",
                                          "-123456789012345678901234567890.1234567890123456789",
                                          "0.1",
                                          "0.000000001",
                                          "0.0000000000000000012",
                                          "-0.5",
                                          "1e20",
                                          "1e-20",
                                          "4503599627370496.25",
                                          "1000000000000000000000.000000000000000001"};
    const VALUE numbers = rb_ary_new();
    for (const char* const sample : samples) {
        const VALUE text = rb_str_new_cstr(sample);
        const VALUE v = rb_funcall(rb_mKernel, rb_intern("BigDecimal"), 1, text);
        if (rb_obj_class(v) != klass || !RB_TYPE_P(v, T_DATA) || !RTYPEDDATA_P(v)) return false;
        if (RTYPEDDATA_TYPE(v)->function.dsize == nullptr) return false;
        rb_ary_push(numbers, v);
    }
    for (const std::ptrdiff_t offset : {static_cast<std::ptrdiff_t>(sizeof(VALUE)), std::ptrdiff_t{0}}) {
        if (!reads_all(offset, numbers)) continue;
        fields_at.store(offset);
        decimal_type.store(RTYPEDDATA_TYPE(RARRAY_AREF(numbers, 0)));
        return true;
    }
    return false;
}

std::size_t write_decimal(VALUE v, char* to) noexcept {
    const rb_data_type_t* const type = decimal_type.load(std::memory_order_acquire);
    if (type == nullptr || !is_learnt(v, type)) return 0;
    // Its own words are within its own memory: what was proven of the samples.
    return write_fields(memory_of(v) + fields_at.load(std::memory_order_relaxed), static_cast<std::size_t>(-1), to);
}

}  // namespace kumihimo::inline v0::ruby
