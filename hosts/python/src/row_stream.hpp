// The rows of a session as an Arrow C stream.
#pragma once
#include <nanobind/nanobind.h>

#include <memory>

#include "src/session.hpp"

namespace kumihimo::inline v0::python {

/// A PyCapsule with an ArrowArrayStream. It keeps the session, and reads on whatever thread its consumer calls it.
nanobind::object row_stream(std::shared_ptr<session> s);
/// A PyCapsule with an ArrowSchema.
nanobind::object row_schema(const extract::schema& of);

}  // namespace kumihimo::inline v0::python
