//===- ModelWords.h - the state of an initialised model ---------*- C++ -*-===//

#ifndef HEDDLE_ABI_MODELWORDS_H
#define HEDDLE_ABI_MODELWORDS_H

#include "ModelInterface.h"

#include <cstddef>

namespace heddle {

/// The content of `struct NAME`, opaque words in the caller's memory. Only entry points access it, by offsetof.
struct ModelWords {
  const void *weights;
  uint64_t fingerprint; // getModelFingerprint, after init
  uint64_t variant; // the number of the selected variant
  // The rest is used by a library for a device only.
  void *device; // the host program's struct heddle_device
  void *memories[deviceMemoryCount];
  void *code;     // returned by its `load`
  void *launches; // returned by its `record`
};

/// The header of a state's memory. Behind it are the sizes in ranges that it was initialised for (the minimum for sizes
/// that it does not depend on), and at InterfaceStates::filled the number of filled rows of each sequence.
struct StateHeader {
  uint64_t magic, fingerprint; // stateMagic, getStateFingerprint
  uint64_t bytes;       // the size of the memory that is used
  uint64_t batch, capacity;
  uint64_t incomplete; // not 0 if a call failed while it replaced states, whose content is then lost
  void *onDevice; // for a device: the struct heddle_memory with the tensors
  uint64_t reserved[1];
};
inline constexpr uint64_t stateMagic = 0x3153454c44444548; // "HEDDLES1"
/// Identifies the model, whatever CPU its code is for.
uint64_t getStateFingerprint(const ModelInterface &interface);

/// The number of words in the caller's memory; some are reserved for later versions.
inline uint64_t modelWords(const ModelInterface &interface) { return interface.device ? 12 : 4; }
static_assert(offsetof(ModelWords, device) <= 4 * 8 && sizeof(ModelWords) <= 12 * 8, "as modelWords says");

} // namespace heddle

#endif // HEDDLE_ABI_MODELWORDS_H
