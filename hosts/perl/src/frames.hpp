// Frames (engine/frame) for Perl: documents that are compressed, told by their first bytes when they are read.
#pragma once
#include <string_view>

#include "engine/frame/frame.hpp"

#include "document.hpp"

namespace kumihimo::inline v0::perl {

/// The options frame and frame_level of a call that writes.
class frame_options {
public:
    /// Whether the option is one of the two; then its value is kept.
    bool take(pTHX_ std::string_view option, SV* value);
    /// Croaks for a frame or a level that is none. To be asked before the document is made.
    void check(pTHX);
    /// The document in the frame, mortal; itself where none is named.
    SV* framed(pTHX_ SV* document) const;

private:
    SV* name_ = nullptr;
    SV* level_ = nullptr;
    const frame::codec* codec_ = nullptr;
    int chosen_level_ = frame::usual_level;
};

/// What is in the frames of those octets, mortal; the scalar itself where it begins as no frame does. No document of
/// any format begins as a frame does and goes on, so the first bytes alone tell. Null for what is damaged, cut off or
/// a bomb: `error` is then the sentence, with the place in the packed bytes, and the caller's to count.
SV* unframed(pTHX_ SV* octets, SV*& error);
/// The same; croaks with the sentence.
SV* unframed(pTHX_ SV* octets);

}  // namespace kumihimo::inline v0::perl
