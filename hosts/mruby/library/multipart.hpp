// multipart/form-data (RFC 7578, RFC 2046): the parts of a body that is at hand whole, as places in it. Linear in its
// size, whatever it holds. Holds no memory.
#pragma once
#include <cstddef>
#include <string_view>

namespace kumihimo::inline v0::mruby {

struct multipart_limits {
    std::size_t parts = 1024;
    std::size_t head = 16384;                  // bytes of a part's header lines
    std::size_t field = std::size_t{1} << 20;  // bytes of a part without a file name
    std::size_t file = ~std::size_t{0};        // bytes of a part with one
};

struct multipart_part {
    std::string_view head;      // its header lines
    std::string_view name;      // as it is written between its quotes: see multipart_text
    std::string_view filename;  // without data if there is none
    std::string_view type;      // of Content-Type; without data if there is none
    std::string_view body;
};

struct multipart_boundary {
    static constexpr std::size_t most = 70;
    char text[most] = {};
    std::size_t size = 0;
};

/// The boundary that a Content-Type names. Null, or what is wrong with it.
const char* find_boundary(std::string_view content_type, multipart_boundary&) noexcept;

class multipart_reader {
public:
    multipart_reader(std::string_view body, const multipart_boundary&, const multipart_limits& = {}) noexcept;
    /// False behind the last part, or at an error.
    bool next(multipart_part&) noexcept;
    /// What is wrong, or null.
    const char* error() const noexcept { return error_; }

private:
    bool fail(const char* why) noexcept;
    std::size_t delimiter(std::size_t from, std::size_t& behind, bool& last) const noexcept;
    bool read_head(std::string_view head, multipart_part&) noexcept;

    std::string_view body_;
    multipart_limits limits_;
    char line_[multipart_boundary::most + 4] = {};  // CRLF, two dashes, the boundary
    std::size_t line_size_ = 0;
    std::size_t at_ = 0, parts_ = 0;
    bool begun_ = false, ended_ = false;
    const char* error_ = nullptr;
};

/// What a name or a file name says: \" is a quote, and so is %22, as browsers write it. Writes no more bytes than
/// there are; returns the end. A file name loses its folders.
char* multipart_text(std::string_view quoted, bool is_filename, char* to) noexcept;

}  // namespace kumihimo::inline v0::mruby
