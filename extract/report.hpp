// What was wrong, and where: one bad document, one unreadable entry, one unreadable input. Made by workers, handed out
// in input order, complete in itself: it owns its texts.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/core/sink.hpp"
#include "extract/origin.hpp"

namespace kumihimo::inline v0::extract {

struct report {
    enum class scope : std::uint8_t {
        document,  // one record; offset counts in the decompressed entry (or the input itself)
        entry,     // a member of an archive; offset counts in the archive's own bytes
        input,     // a whole file or stream; offset counts in its own bytes
    };
    static constexpr std::uint64_t nowhere = static_cast<std::uint64_t>(-1);

    scope about = scope::document;
    errc code = errc::ok;
    std::string archive, entry;        // as in origin
    std::uint64_t document = nowhere;  // where the bad document begins; scope::document only
    std::uint64_t offset = nowhere;    // of the fault itself
    std::uint64_t line = 0;            // 1-based, in the entry; 0 where there are none
    std::uint64_t column = 0;          // 1-based, in bytes
    std::string path;                  // "$.asks[0][1]", empty where unknown
    std::string message;               // one sentence without position

    /// `day.zip: 0930.json: byte 1234 (line 1, column 1235), at $.asks[0]: a string is not closed`
    std::string text() const;
};

/// From the failure of a document that starts at `at` and of which `document` are the bytes. `message` replaces the
/// failure's own when it is not empty.
report report_document(const origin& at, bytes document, const failure& why, std::string message = {});

/// From a failure outside of any document.
report report_input(report::scope of, std::string_view archive, std::string_view entry, const failure& why);

/// Appends the report as one JSON line, with the document when one is given: as text ("document") when it is valid
/// UTF-8, else in base64 ("document_base64"). This is a quarantine file's record. False when memory is out.
bool write_report(const report& what, const bytes* document, buffer& out);

}  // namespace kumihimo::inline v0::extract
