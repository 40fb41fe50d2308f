// The frame that a stream may be in: its pieces are unpacked before anything looks for documents in them, so much at a time.
//
//      as they came    | packed | packed       |
//      looked at       | text | text | text | te ...      each of `room` bytes at most, however much a packed piece holds
//
// The first bytes tell the frame, and they may come one by one.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#include "engine/frame/frame.hpp"

#include "document.hpp"

namespace kumihimo::inline v0::perl {

class stream_frame {
public:
    stream_frame() {
        ctx_.limits.size = static_cast<std::size_t>(-1) >> 1;  // of the stream; a document's is looked at apart
    }
    stream_frame(const stream_frame&) = delete;
    stream_frame& operator=(const stream_frame&) = delete;
    ~stream_frame() {
        dTHX;
        SvREFCNT_dec(packed_);
    }

    /// A piece as it came; `piece` is then what of it can be looked at now, and next() gives more.
    void take(pTHX_ SV*& piece) {
        if (!told_) tell(aTHX_ piece);
        if (from_ == nullptr) return;
        std::swap(piece, packed_);
        at_ = 0;
        if (piece == nullptr) piece = newSV(room + 1);
        sv_setpvs(piece, "");
    }
    /// No piece follows. The same for the bytes that were too few to tell a frame.
    void end(pTHX_ SV* piece) {
        if (told_ || held_ == 0) return;
        told_ = true;
        sv_setpvn(piece, head_, held_);
    }
    /// The text that comes next, in place of what is in `to`; false where there is none.
    bool next(pTHX_ SV* to) {
        if (from_ == nullptr || packed_ == nullptr) return false;
        char* const text = SvGROW(to, room + 1);
        bytes left = bytes(reinterpret_cast<const unsigned char*>(SvPVX_const(packed_)), SvCUR(packed_)).subspan(at_);
        std::size_t got = 0;
        failed_ = from_->expand(left, text, room, got);
        at_ = SvCUR(packed_) - left.size();
        text[got] = '\0';
        SvCUR_set(to, got);
        return got != 0;
    }
    /// Why next() gave none, or, at the end of the stream, why it is none; the caller's to count. Null where all is well.
    SV* failure(pTHX_ bool ended) {
        if (from_ == nullptr) return nullptr;
        if (ended && failed_ == errc::ok) failed_ = from_->finish();
        return failed_ == errc::ok ? nullptr : sentence_of(aTHX_ ctx_);
    }

private:
    static constexpr std::size_t room = std::size_t{256} << 10;

    void tell(pTHX_ SV* piece) {
        if (held_ != 0) sv_insert(piece, 0, 0, head_, held_);
        held_ = 0;
        const bytes head(reinterpret_cast<const unsigned char*>(SvPVX_const(piece)), SvCUR(piece));
        const frame::codec* const as = frame::recognise(head);
        const auto waits = [&](const frame::codec* one) { return one->begins(head) == frame::codec::match::more; };
        if (as == nullptr && head.size() < sizeof head_ && std::any_of(frame::all().begin(), frame::all().end(), waits)) {
            held_ = head.size();
            std::copy(head.begin(), head.end(), head_);
            SvCUR_set(piece, 0);
            return;
        }
        told_ = true;
        if (as == nullptr) return;
        from_.reset(new (std::nothrow) frame::unpacker(*as, ctx_));
        if (from_ == nullptr) Perl_croak(aTHX_ "out of memory");
    }

    context ctx_;
    std::unique_ptr<frame::unpacker> from_;
    errc failed_ = errc::ok;
    bool told_ = false;
    char head_[4];  // what came before it is told
    std::size_t held_ = 0;
    SV* packed_ = nullptr;  // the piece that is being unpacked
    std::size_t at_ = 0;    // how much of it is done
};

}  // namespace kumihimo::inline v0::perl
