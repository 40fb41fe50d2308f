// What extract() is given, as the engine takes it: one JSON description (extract/description.hpp). Everything here
// throws nanobind's exceptions.
#pragma once
#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
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
    void put(const char* name, const std::string& value);
    void put(const char* name, std::uint64_t value);
    void put(const char* name, std::optional<std::uint64_t> value);
    void put(const char* name, std::optional<std::int64_t> value);
    void put(const char* name, bool value);
    void put(const char* name, double value);
    void put_texts(const char* name, nanobind::handle given);
    /// Names of files as the system has them, from str (surrogateescape), bytes or os.PathLike; patterns for them
    /// likewise.
    void put_names(const char* name, nanobind::handle given);
    /// Each "[NAME=]PATH[:TYPE]", or a tuple (name, path, type).
    void put_fields(nanobind::list given);
    std::string_view finish();

private:
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
