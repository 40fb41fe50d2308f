// Frames (engine/frame) for Python: documents that are compressed, told by their first bytes, and pack, unpack,
// Packer, Unpacker.
#pragma once
#include <Python.h>
#include <nanobind/nanobind.h>

#include "engine/core/buffer.hpp"
#include "engine/frame/frame.hpp"
#include "src/guard.hpp"

namespace kumihimo::inline v0::python {

/// input_bytes, without the frame where there is one. No document of any format begins as a frame does and goes on, so
/// the magic alone tells.
class unframed_bytes {
public:
    /// False with a Python error pending.
    bool open(PyObject* from, bool text_allowed) noexcept;
    /// After open(): unpacks what is in a frame; false with a Python error pending. Other threads run meanwhile.
    bool unframe(PyObject* from, const limits& allowed);
    bytes get() const noexcept { return framed_ ? plain() : input_.get(); }
    /// What an error shows of `from` is get(): for raise_decode(), `from` where that is it, else null.
    PyObject* shown(PyObject* from) const noexcept { return framed_ ? nullptr : from; }

private:
    bytes plain() const noexcept { return {reinterpret_cast<const unsigned char*>(plain_.data()), plain_.size()}; }
    input_bytes input_;
    buffer plain_;
    bool framed_ = false;
};

/// The frame that `value` names, nullptr for None or null; false with an error pending where there is no such frame.
bool read_frame(PyObject* value, const frame::codec*& out);
/// A level of that frame; None or null is its usual one.
bool read_frame_level(PyObject* value, const frame::codec* codec, int& out);

/// `document`, a new reference that is taken over, in a frame, as bytes; null with an error pending.
PyObject* framed(PyObject* document, const frame::codec* codec, int level);

/// Adds frames, pack, unpack, Packer, Unpacker. Throws nanobind's exceptions.
void add_frames(nanobind::module_& m);

}  // namespace kumihimo::inline v0::python
