#include "extract/report.hpp"

#include <cstring>

#include "engine/json/locate.hpp"
#include "engine/scalar/utf8.hpp"

namespace kumihimo::inline v0::extract {
namespace {

bool put(buffer& out, std::string_view s) { return out.append(s.data(), s.size()); }

// A JSON string. Bytes that are not UTF-8 (file names may hold any) become U+FFFD, one for one.
bool put_string(buffer& out, std::string_view s) {
    if (!put(out, "\"")) return false;
    std::size_t valid = scalar::utf8_valid_prefix(s.data(), s.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
        const unsigned char c = static_cast<unsigned char>(s[i]);
        bool ok = true;
        if (i == valid) {
            ok = put(out, "\xef\xbf\xbd");
            valid = i + 1 + scalar::utf8_valid_prefix(s.data() + i + 1, s.size() - i - 1);
        } else if (c == '"' || c == '\\') {
            const char two[2] = {'\\', s[i]};
            ok = out.append(two, 2);
        } else if (c < 0x20) {
            static constexpr char hex[] = "0123456789abcdef";
            const char six[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
            ok = out.append(six, 6);
        } else {
            ok = out.append(&s[i], 1);
        }
        if (!ok) return false;
    }
    return put(out, "\"");
}

bool put_member(buffer& out, std::string_view key, std::string_view value) {
    return put(out, out.size() != 0 && out.data()[out.size() - 1] == '{' ? "" : ",") && put_string(out, key) && put(out, ":") &&
           put_string(out, value);
}

bool put_member(buffer& out, std::string_view key, std::uint64_t value) {
    return put(out, ",") && put_string(out, key) && put(out, ":") && put(out, std::to_string(value));
}

bool put_base64(buffer& out, bytes data) {
    static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < data.size(); i += 3) {
        const std::size_t left = data.size() - i;
        const unsigned three = static_cast<unsigned>(data[i] << 16) | (left > 1 ? static_cast<unsigned>(data[i + 1] << 8) : 0) |
                               (left > 2 ? data[i + 2] : 0);
        const char four[4] = {digits[three >> 18], digits[three >> 12 & 63], left > 1 ? digits[three >> 6 & 63] : '=',
                              left > 2 ? digits[three & 63] : '='};
        if (!out.append(four, 4)) return false;
    }
    return true;
}

std::string_view scope_name(report::scope s) {
    return s == report::scope::document ? "document" : s == report::scope::entry ? "entry" : "input";
}

}  // namespace

std::string report::text() const {
    std::string s = archive == "-" ? "standard input" : archive;
    if (!entry.empty()) s += ": " + entry;
    if (offset != nowhere) {
        s += ": byte " + std::to_string(offset);
        if (about == scope::entry) s += " of the archive";
        if (line != 0) s += " (line " + std::to_string(line) + ", column " + std::to_string(column) + ")";
    }
    if (!path.empty()) s += ", at " + path;
    return s.empty() ? message : s + ": " + message;
}

report report_document(const origin& at, bytes document, const failure& why, std::string message) {
    report r;
    r.about = report::scope::document;
    r.code = why.code;
    r.archive = at.archive;
    r.entry = at.entry;
    r.document = at.offset;
    const std::size_t inside = why.offset == failure::nowhere ? 0 : why.offset;
    r.offset = at.offset + inside;
    json::place where{why.line, why.column};
    if (why.line == 0) where = json::locate(document, inside);
    r.line = (at.line == 0 ? 1 : at.line) + where.line - 1;
    r.column = where.column;
    r.path = why.path;
    r.message = message.empty() ? why.what : static_cast<std::string&&>(message);
    return r;
}

report report_input(report::scope of, std::string_view archive, std::string_view entry, const failure& why) {
    report r;
    r.about = of;
    r.code = why.code;
    r.archive = archive;
    r.entry = entry;
    if (why.offset != failure::nowhere) r.offset = why.offset;
    r.line = why.line;
    r.column = why.column;
    r.message = why.what;
    // Outside of documents a path means nothing; sources leave the operating system's word there.
    if (!why.path.empty()) r.message += ": " + why.path;
    return r;
}

bool write_report(const report& what, const bytes* document, buffer& out) {
    bool ok = put(out, "{") && put_member(out, "archive", what.archive) && put_member(out, "entry", what.entry) &&
              put_member(out, "scope", scope_name(what.about)) && put_member(out, "error", name(what.code)) &&
              put_member(out, "message", what.message);
    if (what.document != report::nowhere) ok = ok && put_member(out, "document_offset", what.document);
    if (what.offset != report::nowhere) ok = ok && put_member(out, "offset", what.offset);
    if (what.line != 0) ok = ok && put_member(out, "line", what.line) && put_member(out, "column", what.column);
    if (!what.path.empty()) ok = ok && put_member(out, "path", what.path);
    if (document != nullptr) {
        const char* text = reinterpret_cast<const char*>(document->data());
        if (scalar::utf8_valid_prefix(text, document->size()) == document->size())
            ok = ok && put_member(out, "document", std::string_view(text, document->size()));
        else
            ok = ok && put(out, ",\"document_base64\":\"") && put_base64(out, *document) && put(out, "\"");
    }
    return ok && put(out, "}\n");
}

}  // namespace kumihimo::inline v0::extract
