// How a text is cut where its name says it.
#include "engine/formats.hpp"
#include "engine/frame/frame.hpp"
#include "extract/task.hpp"

namespace kumihimo::inline v0::extract {

cutting_rules reading::rules(std::string_view name) const noexcept {
    layout as = text_layout;
    if (as == layout::automatic && dialect && dialect->comments()) {
        // Where comments may stand nothing but the reader finds a document's end, so a text's bytes do not tell what
        // it is.
        if (const frame::codec* const packed = frame::by_ending(name, frame::readable()))
            name.remove_suffix(packed->ending.size());
        as = lines || lines_by_path(name) ? layout::lines : layout::document;
    }
    return {as, dialect.get()};
}

}  // namespace kumihimo::inline v0::extract
