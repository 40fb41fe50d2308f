// How CBOR's items begin, for a projection by headers (json/project_headers.hpp).
#pragma once
#include <string_view>

#include "engine/cbor/boundary.hpp"
#include "engine/cbor/header.hpp"
#include "engine/cbor/locate.hpp"
#include "engine/cbor/reader.hpp"
#include "engine/cbor/skip.hpp"
#include "engine/core/opening.hpp"
#include "engine/json/project_headers.hpp"

namespace kumihimo::inline v0::cbor {

struct headers {
    using reader = cbor::reader;
    using boundary = cbor::boundary;

    static opening open(const unsigned char* p, const unsigned char* e) noexcept {
        using kind = header::kind;
        const unsigned char* at = p;
        header h = read_header(at, e);
        while (h.is == kind::tag && h.argument == tags::self_described) {  // which says nothing about the item
            at += h.size;
            h = read_header(at, e);
        }
        if (h.is == kind::map || h.is == kind::array) {
            const auto size = static_cast<std::size_t>(at - p) + h.size;
            return {h.is == kind::map ? opening::kind::map : opening::kind::array, h.indefinite, size, h.argument};
        }
        const bool null = h.is == kind::simple && (h.argument == 22 || h.argument == 23) && h.size == 1;
        return {null ? opening::kind::null : opening::kind::other, false, 0, 0};
    }
    static bool closes(const unsigned char* p) noexcept { return *p == 0xff; }

    static const unsigned char* text_key(const unsigned char* p, const unsigned char* e, std::string_view& text) noexcept {
        const header h = read_header(p, e);
        if (h.is != header::kind::text || h.indefinite || h.argument > static_cast<std::uint64_t>(e - p) - h.size)
            return nullptr;
        text = {reinterpret_cast<const char*>(p) + h.size, static_cast<std::size_t>(h.argument)};
        return p + h.size + h.argument;
    }

    static const unsigned char* skip(const unsigned char* p, const unsigned char* e, molds& known, bool& starved) noexcept {
        return cbor::skip(p, e, known, starved);
    }
    static const unsigned char* pass(const unsigned char* p, const unsigned char* e, std::size_t depth, molds& known,
                                     bool& starved) noexcept {
        return cbor::pass(p, e, depth, known, starved);
    }
    static void locate(bytes document, context& ctx) noexcept { cbor::locate(document, ctx); }
};
static_assert(json::value_headers<headers>);

}  // namespace kumihimo::inline v0::cbor
