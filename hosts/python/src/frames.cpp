#include "src/frames.hpp"

#include <nanobind/stl/string.h>

#include <cmath>
#include <span>
#include <string>

#include "src/arguments.hpp"
#include "src/exclusive.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace kumihimo::inline v0::python {
namespace {

std::string names() {
    std::string all;
    for (const frame::codec* const f : frame::all()) all += std::string(all.empty() ? "'" : ", '") + std::string(f->name) + "'";
    return all;
}

const frame::codec& named(nb::handle value) {
    const frame::codec* codec = nullptr;
    if (!read_frame(value.ptr(), codec)) throw nb::python_error();
    if (codec == nullptr) throw nb::value_error(("frame is one of " + names()).c_str());
    return *codec;
}

int level_of(nb::handle value, const frame::codec& codec) {
    int level = frame::usual_level;
    if (!read_frame_level(value.ptr(), &codec, level)) throw nb::python_error();
    return level;
}

[[noreturn]] void fail(const context& ctx, errc e, nb::handle data, const frame::codec& codec) {
    raise_decode(ctx, e, data.ptr(), {}, codec.name.data());
    throw nb::python_error();
}

nb::bytes as_bytes_object(const buffer& b) { return nb::bytes(b.data() == nullptr ? "" : b.data(), b.size()); }

nb::bytes pack(nb::handle data, nb::handle frame, nb::handle level) {
    const frame::codec& codec = named(frame);
    const int chosen_level = level_of(level, codec);
    input_bytes input;
    if (!input.open(data.ptr(), true)) throw nb::python_error();
    context ctx;
    buffer out;
    errc e;
    {
        const unlocked free;
        e = frame::pack(codec, input.get(), out, chosen_level, ctx);
    }
    if (e != errc::ok) fail(ctx, e, nb::none(), codec);
    return as_bytes_object(out);
}

nb::bytes unpack(nb::handle data, nb::handle frame, std::uint64_t size) {
    const frame::codec* codec = nullptr;
    if (!read_frame(frame.ptr(), codec)) throw nb::python_error();
    input_bytes input;
    if (!input.open(data.ptr(), false)) throw nb::python_error();
    if (codec == nullptr) codec = frame::recognise(input.get());
    if (codec == nullptr) throw nb::value_error(("the bytes begin as no frame does: they are none of " + names()).c_str());
    context ctx;
    ctx.limits.size = size;
    buffer out;
    errc e;
    {
        const unlocked free;
        e = frame::unpack(*codec, input.get(), out, ctx);
    }
    if (e != errc::ok) fail(ctx, e, data, *codec);
    return as_bytes_object(out);
}

class packer {
public:
    packer(nb::handle frame, nb::handle level) : codec_(named(frame)), packer_(codec_, ctx_, level_of(level, codec_)) {}
    packer(const packer&) = delete;

    nb::bytes feed(nb::handle chunk) {
        input_bytes input;
        if (!input.open(chunk.ptr(), true)) throw nb::python_error();
        return run([&](buffer& out) { return packer_.feed(input.get(), out); });
    }
    nb::bytes flush() {
        return run([&](buffer& out) { return packer_.flush(out); });
    }
    nb::bytes finish() {
        return run([&](buffer& out) { return packer_.finish(out); });
    }

private:
    template <class F>
    nb::bytes run(F work) {
        const exclusive::use alone(at_work_);
        buffer out;
        errc e;
        {
            const unlocked free;
            e = work(out);
        }
        if (e != errc::ok) fail(ctx_, e, nb::none(), codec_);
        return as_bytes_object(out);
    }
    exclusive at_work_;
    context ctx_;
    const frame::codec& codec_;
    frame::packer packer_;
};

class unpacker {
public:
    unpacker(nb::handle frame, std::uint64_t size) : codec_(named(frame)), unpacker_(codec_, ctx_) { ctx_.limits.size = size; }
    unpacker(const unpacker&) = delete;

    nb::bytes feed(nb::handle chunk) {
        input_bytes input;
        if (!input.open(chunk.ptr(), false)) throw nb::python_error();
        const exclusive::use alone(at_work_);
        buffer out;
        errc e;
        {
            const unlocked free;
            e = unpacker_.feed(input.get(), out);
        }
        if (e != errc::ok) fail(ctx_, e, nb::none(), codec_);
        return as_bytes_object(out);
    }
    void finish() {
        const exclusive::use alone(at_work_);
        if (const errc e = unpacker_.finish(); e != errc::ok) fail(ctx_, e, nb::none(), codec_);
    }

private:
    exclusive at_work_;
    context ctx_;
    const frame::codec& codec_;
    frame::unpacker unpacker_;
};

nb::object name_of(const frame::codec* codec) {
    return codec == nullptr ? nb::object(nb::none()) : nb::object(nb::str(codec->name.data(), codec->name.size()));
}

}  // namespace

bool unframed_bytes::open(PyObject* from, bool text_allowed) noexcept { return input_.open(from, text_allowed); }

bool unframed_bytes::unframe(PyObject* from, const limits& allowed) {
    const frame::codec* const codec = frame::recognise(input_.get());
    if (codec == nullptr) [[likely]]
        return true;
    context ctx;
    ctx.limits = allowed;
    errc e;
    {
        const unlocked free;
        e = frame::unpack(*codec, input_.get(), plain_, ctx);
    }
    framed_ = true;
    if (e == errc::ok) return true;
    raise_decode(ctx, e, from, input_.get(), codec->name.data());
    return false;
}

nb::tuple rows(std::span<const frame::codec* const> of) {
    nb::list all;
    for (const frame::codec* const f : of) {
        nb::dict one;
        one["name"] = name_of(f);
        one["ending"] = nb::str(f->ending.data(), f->ending.size());
        one["media_type"] = nb::str(f->media.data(), f->media.size());
        one["levels"] = nb::make_tuple(f->lowest, f->highest);
        one["usual_level"] = f->usual;
        one["available"] = frame::available(*f);
        all.append(one);
    }
    return nb::tuple(all);
}

bool read_frame(PyObject* value, const frame::codec*& out) {
    if (value == nullptr || value == Py_None) return true;
    if (PyUnicode_Check(value)) {
        for (const frame::codec* const f : frame::all()) {
            if (PyUnicode_CompareWithASCIIString(value, f->name.data()) != 0) continue;
            out = f;
            return true;
        }
    }
    PyErr_Format(PyExc_ValueError, "frame is one of %s", names().c_str());
    return false;
}

bool read_frame_level(PyObject* value, const frame::codec* codec, int& out) {
    if (value == nullptr || value == Py_None) return true;
    int beyond = 0;
    const long n = PyLong_AsLongAndOverflow(value, &beyond);
    if (n == -1 && beyond == 0 && PyErr_Occurred()) return false;
    const char* what = "";
    const double asked = beyond == 0 ? static_cast<double>(n) : beyond * HUGE_VAL;
    if (frame::choose_level(codec, asked, out, what) == errc::ok) return true;
    PyErr_SetString(PyExc_ValueError, what);
    return false;
}

PyObject* framed(PyObject* document, const frame::codec* codec, int level) {
    if (codec == nullptr || document == nullptr) return document;
    const ref whole(document);
    const bytes content(reinterpret_cast<const unsigned char*>(PyBytes_AS_STRING(document)),
                        static_cast<std::size_t>(PyBytes_GET_SIZE(document)));
    context ctx;
    buffer out;
    errc e;
    {
        const unlocked free;
        e = frame::pack(*codec, content, out, level, ctx);
    }
    if (e != errc::ok) {
        raise_encode(ctx, e);
        return nullptr;
    }
    return PyBytes_FromStringAndSize(out.data(), static_cast<Py_ssize_t>(out.size()));
}

void add_frames(nb::module_& m) {
    m.def(
        "frames", [] { return rows(frame::all()); },
        "The frames there are: a tuple with a dict for each, of name, ending (of files), media_type, levels (lowest and "
        "highest), usual_level,\n"
        "and whether its library is there (available).");
    m.def(
        "readable_frames", [] { return rows(frame::readable()); }, "Those, and what is read only.");
    m.def("pack", pack, "data"_a, "frame"_a, "level"_a = nb::none(),
          "`data` (bytes-like or str) in a frame ('gzip', 'zstd', 'lz4'), as bytes.");
    m.def("unpack", unpack, "data"_a, "frame"_a = nb::none(), "size"_a = limits{}.size,
          "What is in the frames of `data`, one behind the other, as bytes; the frame is told by the first bytes where it is "
          "not named.\n\n"
          "size: more bytes than that are refused. Raises DecodeError for what is damaged, cut off or larger.");
    m.def(
        "frame_of_path",
        [](nb::handle path) {
            PyObject* as_bytes = nullptr;
            if (PyUnicode_FSConverter(path.ptr(), &as_bytes) == 0) throw nb::python_error();
            const ref held(as_bytes);
            return name_of(frame::by_ending(
                std::string_view(PyBytes_AS_STRING(as_bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(as_bytes)))));
        },
        "path"_a, "The name of the frame whose ending a path has, or None.");
    m.def(
        "frame_of_bytes",
        [](nb::handle data) {
            input_bytes input;
            if (!input.open(data.ptr(), false)) throw nb::python_error();
            return name_of(frame::recognise(input.get()));
        },
        "data"_a, "The name of the frame that bytes begin with, or None.");
    nb::class_<packer>(m, "Packer", "Packs a stream: feed() it in pieces, finish() at the end.")
        .def(nb::init<nb::handle, nb::handle>(), "frame"_a, "level"_a = nb::none())
        .def("feed", &packer::feed, "chunk"_a, "What the packed stream is so far, as far as it has not been given yet.")
        .def("flush", &packer::flush, "The same, so that all that was fed can be unpacked.")
        .def("finish", &packer::finish, "The end of the member; what is fed later begins another one.");
    nb::class_<unpacker>(m, "Unpacker", "Unpacks a stream: feed() it in pieces, finish() at the end.")
        .def(nb::init<nb::handle, std::uint64_t>(), "frame"_a, "size"_a = limits{}.size)
        .def("feed", &unpacker::feed, "chunk"_a, "All that the bytes so far hold, as far as it has not been given yet.")
        .def("finish", &unpacker::finish, "Raises DecodeError where the stream is cut off.");
}

}  // namespace kumihimo::inline v0::python
