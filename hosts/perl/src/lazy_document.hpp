// What the places of a lazy document (lazy.cpp) share: its text, its tape, and what is known of both.
#pragma once
#include <memory>
#include <new>

#include "engine/scalar/integer.hpp"
#include "engine/tape/cursor.hpp"
#include "engine/tape/lookup.hpp"

#include "any_row.hpp"

namespace kumihimo::inline v0::perl {

struct lazy_document {
    ~lazy_document() {
        dTHX;
        SvREFCNT_dec(text);
    }
    bytes input() const noexcept { return {reinterpret_cast<const unsigned char*>(SvPVX_const(text)), SvCUR(text)}; }

    SV* text = nullptr;
    const format_row* format = nullptr;
    const void* dialect = nullptr;  // of the row
    value_options options;
    bool other_keys = false;  // some keys are not text
    context ctx;
    std::unique_ptr<tape::recorder> tape;
    tape::view view;
    tape::element_marks marks;
    tape::kept_spans spans;
    std::size_t users = 0;  // of one thread
};

/// Reads the document onto its tape. Null, or the sentence of why not, the caller's to count.
[[gnu::noinline]] inline SV* record(pTHX_ lazy_document& d) {
    try {
        d.tape = std::make_unique<tape::recorder>(d.ctx, d.input());
        errc e = d.format->record(d.input(), d.ctx, d.dialect, *d.tape);
        if (e == errc::ok) e = d.tape->finish(d.view);
        if (e != errc::ok) return sentence_of(aTHX_ d.ctx);
        for (std::size_t i = 0; i != d.view.size && !d.format->text; ++i)
            d.other_keys =
                d.other_keys || ((d.view.nodes[i].flags() & tape::is_key) != 0 && d.view.nodes[i].is() != tape::kind::str);
        return nullptr;
    } catch (const std::bad_alloc&) {
        return newSVpvs("out of memory");
    }
}

// The tape does not keep the places, since few ask; for the first who does the document is read once more, with them,
// and they are kept. An empty span when memory is out.
[[gnu::noinline]] inline tape::span span_of_place(lazy_document& d, std::size_t wanted) noexcept {
    if (d.spans.known()) return d.spans.span_of(wanted);
    try {
        context ctx;
        ctx.limits = d.ctx.limits;
        tape::recorder again(ctx, d.input(), true);
        tape::view found;
        if (d.format->record(d.input(), ctx, d.dialect, again) != errc::ok || again.finish(found) != errc::ok) return {};
        d.spans.keep(found);
        return found.spans[wanted];
    } catch (const std::bad_alloc&) {
        return {};
    }
}

/// The key that a place of a map has in a Perl hash, which is text (build_any.hpp makes the same of it): a text of the
/// document or of `room`. Of a container or an extension none: it has no data.
inline text text_of_key(const lazy_document& d, tape::cursor key, char (&room)[scalar::integer_room]) noexcept {
    const tape::node& n = d.view.nodes[key.index()];
    const auto written = [&](const char* end) { return text(room, static_cast<std::size_t>(end - room), encoding::ascii); };
    switch (key.is()) {
        case tape::kind::str:
        case tape::kind::big: return d.view.as_text(n);
        case tape::kind::bin: {
            const bytes b = d.view.as_bytes(n);
            const char* const p = reinterpret_cast<const char*>(b.data());
            return text(p, b.size(), is_ascii(p, b.size()) ? encoding::ascii : encoding::latin1);
        }
        case tape::kind::null: return text("", 0, encoding::ascii);
        case tape::kind::boolean: return n.payload != 0 ? text("true", 4, encoding::ascii) : text("false", 5, encoding::ascii);
        case tape::kind::i64: return written(scalar::write_i64(room, static_cast<std::int64_t>(n.payload)));
        case tape::kind::u64: return written(scalar::write_u64(room, n.payload));
        default: return {};
    }
}

}  // namespace kumihimo::inline v0::perl
