// Queries, cookies and multipart bodies: whatever comes, all that is given lies within the text, and reading ends.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "library/escape.hpp"
#include "library/form.hpp"

using namespace kumihimo::mruby;

namespace {

void within(std::string_view part, std::string_view whole) {
    if (part.data() == nullptr || part.empty()) return;
    if (part.data() < whole.data() || part.data() + part.size() > whole.data() + whole.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::string room(size + 8, '\0');
    std::string_view key, value;
    for (query_reader q(text); q.next(key, value);) {
        within(key, text);
        within(value, text);
        if (percent_decode(value, true, room.data()) > room.data() + value.size()) std::abort();
    }
    for (cookie_reader c(text); c.next(key, value);) {
        within(key, text);
        within(value, text);
    }
    if (html_unescape(text, room.data()) > room.data() + size) std::abort();
    std::string escaped(html_escaped_size(text), '\0');
    if (html_escape(text, escaped.data()) != escaped.data() + escaped.size()) std::abort();

    // The first line is the Content-Type, the rest the body.
    const std::size_t line = text.find('\n');
    multipart_boundary boundary;
    if (line == std::string_view::npos || find_boundary(text.substr(0, line), boundary) != nullptr) {
        boundary.text[0] = 'X';
        boundary.size = 1;
    }
    const std::string_view body = line == std::string_view::npos ? text : text.substr(line + 1);
    multipart_reader parts(body, boundary);
    std::size_t n = 0;
    for (multipart_part p; parts.next(p); ++n) {
        within(p.head, body);
        within(p.name, body);
        within(p.filename, body);
        within(p.type, body);
        within(p.body, body);
        if (multipart_text(p.name, false, room.data()) > room.data() + p.name.size()) std::abort();
        if (multipart_text(p.filename, true, room.data()) > room.data() + p.filename.size()) std::abort();
    }
    if (n > size / 8 + 1) std::abort();
    return 0;
}
