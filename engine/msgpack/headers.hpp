// How MessagePack's values begin, for a projection by headers (json/project_headers.hpp).
#pragma once
#include <string_view>

#include "engine/core/opening.hpp"
#include "engine/json/project_headers.hpp"
#include "engine/msgpack/boundary.hpp"
#include "engine/msgpack/header.hpp"
#include "engine/msgpack/locate.hpp"
#include "engine/msgpack/reader.hpp"
#include "engine/msgpack/skip.hpp"

namespace kumihimo::inline v0::msgpack {

struct headers {
    using reader = msgpack::reader;
    using boundary = msgpack::boundary;

    static opening open(const unsigned char* p, const unsigned char* e) noexcept {
        if (p != e && *p == 0xc0) return {opening::kind::null, false, 1, 0};
        const header h = read_header(p, e);
        if (h.is == header::kind::map) return {opening::kind::map, false, h.size, h.values / 2};
        if (h.is == header::kind::array) return {opening::kind::array, false, h.size, h.values};
        return {};
    }
    static bool closes(const unsigned char*) noexcept { return false; }

    static const unsigned char* text_key(const unsigned char* p, const unsigned char* e, std::string_view& text) noexcept {
        const header h = read_header(p, e);
        if (h.is != header::kind::str || h.payload > static_cast<std::uint64_t>(e - p) - h.size) return nullptr;
        text = {reinterpret_cast<const char*>(p) + h.size, static_cast<std::size_t>(h.payload)};
        return p + h.size + h.payload;
    }

    static const unsigned char* skip(const unsigned char* p, const unsigned char* e, molds& known, bool& starved) noexcept {
        return msgpack::skip(p, e, known, starved);
    }
    static const unsigned char* pass(const unsigned char* p, const unsigned char* e, std::size_t depth, molds& known,
                                     bool& starved) noexcept {
        return msgpack::pass(p, e, depth, known, starved);
    }
    static void locate(bytes document, context& ctx) noexcept { msgpack::locate(document, ctx); }
};
static_assert(json::value_headers<headers>);

}  // namespace kumihimo::inline v0::msgpack
