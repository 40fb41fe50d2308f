// The extension module kumihimo._core: the one file that spells the public surface.
#include <nanobind/nanobind.h>

#include "engine/simd/dispatch.hpp"
#include "src/state.hpp"

namespace nb = nanobind;

NB_MODULE(_core, m) {
    m.doc() = "The compiled part of kumihimo.";
    if (!kumihimo::python::add_codec(m.ptr())) nb::raise_python_error();
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
