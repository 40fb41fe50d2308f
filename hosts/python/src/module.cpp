// The extension module kumihimo._core: the one file that spells the public surface.
#include <libdeflate.h>
#include <nanobind/nanobind.h>

#include "engine/simd/dispatch.hpp"
#include "src/extraction.hpp"
#include "src/lazy.hpp"
#include "src/partial.hpp"
#include "src/state.hpp"

namespace nb = nanobind;

NB_MODULE(_core, m) {
    m.doc() = "The compiled part of kumihimo.";
    m.attr("__version__") = KUMIHIMO_VERSION;
    m.def(
        "inflate_library", [] { return "libdeflate " LIBDEFLATE_VERSION_STRING; }, "What whole buffers are inflated with.");
    // The module keeps the state alive: classes and functions only point to it.
    const nb::object shared = nb::steal(kumihimo::python::new_state());
    if (!shared.is_valid() || !kumihimo::python::add_codec(m.ptr(), shared.ptr())) nb::raise_python_error();
    m.attr("_state") = shared;
    kumihimo::python::add_partial(m, kumihimo::python::state_of(shared.ptr()));
    kumihimo::python::add_lazy(m, kumihimo::python::state_of(shared.ptr()));
    kumihimo::python::add_extraction(m);
    m.def(
        "kernel", [] { return kumihimo::simd::active().name; }, "The instruction set that is in use, such as 'avx512'.");
    m.def(
        "kernels",
        [] {
            nb::list out;
            for (const auto* k : kumihimo::simd::available()) out.append(k->name);
            return out;
        },
        "The instruction sets that this machine can use, the best last.");
    m.def(
        "use_kernel", [](const char* name) { return kumihimo::simd::use(name); }, nb::arg("name"),
        "Makes the whole process use one instruction set; False if this machine has none of that name. For tests and benches.");
}
