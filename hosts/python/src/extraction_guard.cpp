#include "src/extraction_guard.hpp"

#include <new>

namespace nb = nanobind;

namespace kumihimo::inline v0::python {

owned_text new_text() {
    owned_text t(kumihimo_text_new());
    if (t == nullptr) throw std::bad_alloc();
    return t;
}

std::string_view bytes_of(const kumihimo_text* t) {
    std::size_t size = 0;
    const char* const data = kumihimo_text_data(t, &size);
    return {data, size};
}

report::report(const kumihimo_record& from)
    : place(from),
      archive(from.archive, from.archive_size),
      entry(from.entry, from.entry_size),
      path(from.path, from.path_size),
      message(from.message, from.message_size) {}

kumihimo_record report::record() const noexcept {
    kumihimo_record r = place;
    r.archive = archive.data(), r.archive_size = archive.size();
    r.entry = entry.data(), r.entry_size = entry.size();
    r.path = path.data(), r.path_size = path.size();
    r.message = message.data(), r.message_size = message.size();
    return r;
}

std::string report::text() const {
    const owned_text t = new_text();
    const kumihimo_record r = record();
    if (kumihimo_record_text(&r, t.get()) != KUMIHIMO_OK) throw std::bad_alloc();
    return std::string(bytes_of(t.get()));
}

nb::str file_text(std::string_view s) {
    PyObject* o = PyUnicode_DecodeFSDefaultAndSize(s.data(), static_cast<Py_ssize_t>(s.size()));
    if (o == nullptr) throw nb::python_error();
    return nb::steal<nb::str>(o);
}

void raise(kumihimo_extraction* x, std::uint32_t code) {
    std::uint32_t told = KUMIHIMO_OK;
    const auto about = x == nullptr || code == KUMIHIMO_EXTRACT_ELSEWHERE
                           ? owned_records()
                           : taken<owned_records>(told, [&](auto** out) { return kumihimo_extract_error_record(x, out); });
    if (about != nullptr && kumihimo_records_count(about.get()) != 0) {
        kumihimo_record r{};
        r.struct_size = sizeof r;
        kumihimo_records_at(about.get(), 0, &r);
        const ref type = package_attribute("kumihimo.errors", "ExtractionError");
        if (!type) throw nb::python_error();
        const nb::object error = nb::steal(PyObject_CallOneArg(type.get(), nb::cast(report(r)).ptr()));
        if (!error.is_valid()) throw nb::python_error();
        PyErr_SetObject(type.get(), error.ptr());
        throw nb::python_error();
    }
    if (x == nullptr || code == KUMIHIMO_MEMORY) throw std::bad_alloc();
    const owned_text why = new_text();
    if (kumihimo_extract_message(x, why.get()) == KUMIHIMO_MEMORY) throw std::bad_alloc();
    const std::string sentence(bytes_of(why.get()));
    if (code == KUMIHIMO_MISUSE) throw nb::value_error(sentence.c_str());
    PyErr_SetString(PyExc_RuntimeError, sentence.c_str());
    throw nb::python_error();
}

}  // namespace kumihimo::inline v0::python
