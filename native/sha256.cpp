// Bindings of the hashes. anaphor/_native.pyi has the types.
#include "sha256.hpp"

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace nb = nanobind;
using namespace anaphor;

namespace {

// The memory of Python objects, for as long as they are hashed.
class Buffers {
 public:
  Buffers() = default;
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers() {
    for (Py_buffer& view : views_) PyBuffer_Release(&view);
  }

  MessagePart add(nb::handle object) {
    Py_buffer view;
    if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
    views_.push_back(view);
    const bool widened = view.itemsize == 2;
    return {view.buf, static_cast<size_t>(view.len) / (widened ? 2 : 1), widened};
  }

 private:
  std::vector<Py_buffer> views_;
};

// The first 12 hex digits of each message's hash. None where hashing them one by one is faster.
nb::object digests(nb::list messages) {
  nb::list found;
#if defined(ANAPHOR_SHA256_LANES)
  if (!hashes_together()) return nb::none();
  Buffers buffers;
  std::vector<Message> all;
  for (nb::handle message : messages) {
    std::vector<MessagePart> parts;
    for (nb::handle part : nb::cast<nb::list>(message)) parts.push_back(buffers.add(part));
    all.emplace_back(std::move(parts));
  }
  for (const Sha256& hash : hash_messages(all, best_blocks())) {
    std::string digits;
    for (size_t k = 0; k < 12; ++k) digits += "0123456789abcdef"[hash[k / 8] >> (28 - 4 * (k % 8)) & 15];
    found.append(digits.c_str());
  }
  return std::move(found);
#else
  return nb::none();
#endif
}

}  // namespace

void bind_sha256(nb::module_& m) { m.def("digests", &digests, nb::arg("messages")); }
