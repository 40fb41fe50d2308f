// Numbers, moments, base64 and paths from text: against the standard library, or there and back.
#include <bit>
#include <charconv>
#include <cmath>
#include <vector>

#include "engine/json/path.hpp"
#include "engine/scalar/base64.hpp"
#include "engine/scalar/float_read.hpp"
#include "engine/scalar/float_write.hpp"
#include "engine/scalar/integer.hpp"
#include "engine/scalar/time_text.hpp"
#include "engine/scalar/utf8.hpp"
#include "fuzz/support.hpp"

using namespace kumihimo;

namespace {

void numbers(const char* b, const char* e) {
    double x = 0;
    const errc code = scalar::read_f64(b, e, x);
    if (code == errc::ok) {
        double y = 0;
        const auto r = std::from_chars(b, e, y);
        if (r.ec == std::errc::result_out_of_range) y = std::fabs(x) < 1 ? std::copysign(0.0, *b == '-' ? -1 : 1) : x;
        fuzz::expect(r.ptr == e, "read_f64 takes what is no number");
        if (r.ec == std::errc{}) {
            fuzz::expect(std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y), "a double is not the nearest");
        }
    }
    std::int64_t n = 0, m = 0;
    const bool whole = scalar::read_i64(b, e, n);
    const auto r = std::from_chars(b, e, m);
    fuzz::expect(whole == (r.ec == std::errc{} && r.ptr == e && b != e), "read_i64 and from_chars disagree");
    if (whole) fuzz::expect(n == m, "read_i64 reads another number");
}

void doubles(std::uint64_t bits) {
    const double x = std::bit_cast<double>(bits);
    if (!std::isfinite(x)) return;
    using scalar::float_layout;
    for (const float_layout layout :
         {float_layout::ecmascript, float_layout::python, float_layout::ruby, float_layout::perl15, float_layout::g17,
          float_layout::cpanel15, float_layout::perl_shortest, float_layout::json_2_11, float_layout::json_2_12,
          float_layout::json_2_15, float_layout::orjson}) {
        char text[64];
        char* const end = scalar::write_f64(text, x, layout);
        fuzz::expect(end > text && end - text <= 32, "a double's text is too long");
        double y = 0;
        fuzz::expect(std::from_chars(text, end, y).ptr == end, "a double's text is no number");
        if (layout == float_layout::perl15 || layout == float_layout::cpanel15) continue;
        const bool zero = x == 0 && y == 0;  // ECMAScript drops the sign of minus zero
        fuzz::expect(zero || std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y),
                     "a double's text is another double");
    }
    char text[64];
    const std::string_view ours(text, static_cast<std::size_t>(scalar::write_f64(text, x, float_layout::ecmascript) - text));
    char reference[64];
    const std::string_view theirs(reference, static_cast<std::size_t>(trace_text::number(reference, x) - reference));
    if (x != 0) fuzz::expect_equal(ours, theirs, "the shortest text is another");
}

void moments(const char* b, const char* e) {
    instant at;
    if (scalar::read_time(b, e, at) != errc::ok) return;
    char text[scalar::time_room];
    char* const end = scalar::write_time(text, at);
    if (end == nullptr) return;  // a moment whose own clock shows a year beyond 9999
    fuzz::expect(static_cast<std::size_t>(end - text) <= sizeof text, "a moment's text is too long");
    instant again;
    fuzz::expect(scalar::read_time(text, end, again) == errc::ok, "a moment's text is not read again");
    if (at.offset % 60 == 0) fuzz::expect(at == again, "a moment changed on the way");
}

void encodings(const std::uint8_t* data, std::size_t size) {
    for (const auto alphabet : {scalar::base64_alphabet::standard, scalar::base64_alphabet::url}) {
        std::vector<char> text(scalar::base64_size(size, alphabet));
        char* const end = scalar::base64_encode(data, size, text.data(), alphabet);
        fuzz::expect(end == text.data() + text.size(), "base64_size is wrong");
        std::vector<unsigned char> back(scalar::base64_bound(text.size()) + 1);
        std::size_t n = 0;
        fuzz::expect(scalar::base64_decode(text.data(), text.size(), back.data(), n, alphabet) == errc::ok,
                     "base64 is not read again");
        fuzz::expect(n == size && std::equal(data, data + size, back.begin()), "base64 changed on the way");
        std::vector<unsigned char> any(scalar::base64_bound(size));
        n = 0;
        if (scalar::base64_decode(reinterpret_cast<const char*>(data), size, any.data(), n, alphabet) == errc::ok) {
            fuzz::expect(n <= any.size(), "base64_bound is wrong");
        }
    }
    const char* const s = reinterpret_cast<const char*>(data);
    std::vector<char16_t> wide(size);
    std::size_t units = 0;
    const bool valid = scalar::utf8_valid_prefix(s, size) == size;
    fuzz::expect((scalar::utf8_to_utf16(s, size, wide.data(), units) == errc::ok) == valid, "UTF-8 is judged in two ways");
    if (!valid) return;
    fuzz::expect(units == scalar::utf16_size(s, size), "utf16_size is wrong");
    std::vector<char> narrow(scalar::utf8_bound_of_utf16(units));
    std::size_t n = 0;
    fuzz::expect(scalar::utf16_to_utf8(wide.data(), units, narrow.data(), n) == errc::ok, "UTF-16 is not read again");
    fuzz::expect_equal({narrow.data(), n}, {s, size}, "UTF-8 changed on the way");
    fuzz::expect(scalar::utf8_size_of_utf16(wide.data(), units) == size, "utf8_size_of_utf16 is wrong");
}

void paths(std::string_view text) {
    context ctx;
    json::path p;
    const errc code = json::parse(text, p, ctx);
    if (code != errc::ok) {
        fuzz::expect(ctx.failure.code == code && ctx.failure.offset <= text.size(), "a path's failure is not complete");
        return;
    }
    for (const json::step& s : p) {
        if (s.type == json::step::kind::either) return;  // prints as its key
    }
    const std::string printed = json::print(p);
    json::path again;
    context ctx2;
    if (json::parse(printed, again, ctx2) != errc::ok) fuzz::stop("a printed path is refused", text, printed);
    if (again != p) fuzz::stop("a printed path is another", text, printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const char* const b = reinterpret_cast<const char*>(data);
    numbers(b, b + size);
    moments(b, b + size);
    encodings(data, size);
    paths({b, size});
    if (size >= 8) {
        std::uint64_t bits;
        std::memcpy(&bits, data, 8);
        doubles(bits);
    }
    return 0;
}
