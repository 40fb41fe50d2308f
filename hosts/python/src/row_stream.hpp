// The rows of an extraction as an Arrow C stream.
#pragma once
#include <nanobind/nanobind.h>

#include "extract/abi.h"

namespace kumihimo::inline v0::python {

/// A PyCapsule with an ArrowArrayStream. It keeps the extraction, and reads on whatever thread its consumer calls it.
nanobind::object row_stream(kumihimo_extraction* x);
/// A PyCapsule with an ArrowSchema.
nanobind::object row_schema(kumihimo_extraction* x);

}  // namespace kumihimo::inline v0::python
