// Patterns as Ruby writes them, on texts of both kinds: the translation never makes PCRE2 fail where it should not be
// asked, and a match lies within its text.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "../library/pattern_cache.hpp"
#include "../library/pattern_syntax.hpp"

using namespace kumihimo::mruby;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const unsigned options = data[0] & 7;
    const std::string_view all(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::size_t end = all.find('\0');
    const std::string_view source = all.substr(0, end);
    const std::string_view text = end == std::string_view::npos ? std::string_view("abc \xc3\xa9 123\nx") : all.substr(end + 1);
    if (source.size() > 200 || text.size() > 200) return 0;
    std::string_view error;
    pattern* const p = find_pattern(source, options, error);
    if (p == nullptr) {
        if (error.empty()) std::abort();
        return 0;
    }
    const subject in(text);
    for (std::size_t from = 0; from <= text.size(); from += in.character(from)) {
        if (p->match(in, from) != matched::yes) break;
        for (unsigned g = 0; g < p->groups(); ++g) {
            const std::size_t b = pattern::offsets()[2 * g], e = pattern::offsets()[2 * g + 1];
            if ((b == pattern::unset) != (e == pattern::unset) || (b != pattern::unset && (b > e || e > text.size()))) {
                std::abort();
            }
        }
    }
    return 0;
}
