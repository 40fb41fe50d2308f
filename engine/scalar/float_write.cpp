#include "engine/scalar/float_write.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace kumihimo::inline v0::scalar {

char* write_f64(char* to, double x, float_layout layout) noexcept {
    if (layout == float_layout::perl15 || layout == float_layout::g17)
        return std::to_chars(to, to + 32, x, std::chars_format::general, layout == float_layout::perl15 ? 15 : 17).ptr;
    if (x == 0 && layout == float_layout::ecmascript) {
        *to++ = '0';
        return to;
    }
    char d[40];
    char* e = std::to_chars(d, d + 40, x, std::chars_format::scientific).ptr;
    char* p = d;
    if (*p == '-') {
        *to++ = '-';
        ++p;
    }
    char* mark = p;
    char digits[20];
    int n = 0;
    for (; *mark != 'e'; ++mark)
        if (*mark != '.') digits[n++] = *mark;
    *e = 0;
    const int point = std::atoi(mark + 1) + 1;
    const bool es = layout == float_layout::ecmascript;
    if (es ? point > -6 && point <= 21 : point > -4 && point <= 16) {
        if (point <= 0) {
            *to++ = '0';
            *to++ = '.';
            for (int i = point; i < 0; ++i) *to++ = '0';
            for (int i = 0; i < n; ++i) *to++ = digits[i];
            return to;
        }
        for (int i = 0; i < n || i < point; ++i) {
            if (i == point) *to++ = '.';
            *to++ = i < n ? digits[i] : '0';
        }
        if (n <= point && !es) {
            *to++ = '.';
            *to++ = '0';
        }
        return to;
    }
    *to++ = digits[0];
    if (n > 1 || layout == float_layout::ruby) *to++ = '.';
    if (n == 1 && layout == float_layout::ruby) *to++ = '0';
    for (int i = 1; i < n; ++i) *to++ = digits[i];
    *to++ = 'e';
    const int x10 = point - 1;
    *to++ = x10 < 0 ? '-' : '+';
    const int a = x10 < 0 ? -x10 : x10;
    if (a < 10 && !es) *to++ = '0';
    return std::to_chars(to, to + 4, a).ptr;
}

}  // namespace kumihimo::inline v0::scalar
