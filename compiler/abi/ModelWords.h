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

/// What the memory of states begins with. Behind it: the sizes in ranges that it was initialised for, those that it does
/// not depend on at their least; at InterfaceStates::filled how much of each sequence is filled.
struct StateHeader {
  uint64_t magic, mark; // stateMagic, getStateMark
  uint64_t bytes;       // of the whole memory, as it is used
  uint64_t batch, capacity;
  uint64_t broken; // not 0: a call did not end well, states that it was to replace are no more
  void *onDevice; // struct heddle_memory: where the tensors are, of a library for a device
  uint64_t reserved[1];
};
inline constexpr uint64_t stateMagic = 0x3153454c44444548; // "HEDDLES1"
/// Of the model, whatever CPU its code is for.
uint64_t getStateMark(const ModelInterface &interface);

/// How many words the caller has: some are left for later versions.
inline uint64_t modelWords(const ModelInterface &interface) { return interface.device ? 12 : 4; }
static_assert(offsetof(ModelWords, device) <= 4 * 8 && sizeof(ModelWords) <= 12 * 8, "as modelWords says");

} // namespace heddle

#endif // HEDDLE_ABI_MODELWORDS_H
