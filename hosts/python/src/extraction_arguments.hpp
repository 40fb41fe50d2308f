// What extract() is given, as the engine takes it: one JSON description (extract/description.hpp). Everything here
// throws nanobind's exceptions.
#pragma once
#include <nanobind/nanobind.h>

#include <string_view>

#include "engine/core/buffer.hpp"
#include "engine/core/context.hpp"
#include "engine/json/writer.hpp"
#include "src/extraction_guard.hpp"

namespace kumihimo::inline v0::python {

/// The description, member by member.
class description {
public:
    description();
    /// Each as what it is in Python: a text, a number, true or false, a list of texts or names; None as if it was not
    /// given. Which there are, and what each may be, the engine says.
    void put_options(nanobind::kwargs given);
    /// Names of files as the system has them, from str (surrogateescape), bytes or os.PathLike; patterns for them
    /// likewise.
    void put_names(std::string_view name, nanobind::handle given);
    /// Each "[NAME=]PATH[:TYPE]", or a tuple (name, path, type).
    void put_fields(nanobind::list given);
    std::string_view finish();

private:
    void put(std::string_view name, std::string_view value);
    void put_option(std::string_view name, nanobind::handle value);
    void key(std::string_view name);
    void value(std::string_view text);
    void must(errc e) const;

    buffer out_;
    context ctx_;
    json::writer to_{out_, ctx_};
};

/// Looks up the rules of the zones that the extraction asks for in Python's database; ValueError where it has none of
/// a name.
void put_zones(kumihimo_extraction* x);

}  // namespace kumihimo::inline v0::python
