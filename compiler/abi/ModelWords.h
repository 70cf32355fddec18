//===- ModelWords.h - what init leaves for a call ---------------*- C++ -*-===//

#ifndef HEDDLE_ABI_MODELWORDS_H
#define HEDDLE_ABI_MODELWORDS_H

#include "ModelInterface.h"

#include <cstddef>

namespace heddle {

/// `struct NAME`, opaque words of the caller's. Only entry points look into it, by offsetof.
struct ModelWords {
  const void *weights;
  uint64_t mark;    // getModelMark, once init ran
  uint64_t variant; // its number
  // Of a library for a device:
  void *device; // struct heddle_device, the host program's
  void *memories[deviceMemoryCount];
  void *code;     // as its `load` returned it
  void *launches; // as its `record` did
};

/// How many words the caller has: some are left for later versions.
inline uint64_t modelWords(const ModelInterface &interface) { return interface.device ? 12 : 4; }
static_assert(offsetof(ModelWords, device) <= 4 * 8 && sizeof(ModelWords) <= 12 * 8, "as modelWords says");

} // namespace heddle

#endif // HEDDLE_ABI_MODELWORDS_H
