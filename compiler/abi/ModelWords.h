//===- ModelWords.h - words of models and headers of states -----*- C++ -*-===//

#ifndef HEDDLE_ABI_MODELWORDS_H
#define HEDDLE_ABI_MODELWORDS_H

#include "ModelInterface.h"

#include <cstddef>

namespace heddle {

/// The content of `struct NAME`, opaque words in the caller's memory. Only entry points access them, by offsetof.
struct ModelWords {
  const void *weights;  // the address of the weights, after the header of their block; null if there are none
  uint64_t fingerprint; // getModelFingerprint() if the model is initialised
  uint64_t variant; // the number of the selected variant
  // The following members are used only by a library for a device.
  void *device; // the host program's struct heddle_device
  void *memories[deviceMemoryCount]; // the struct heddle_memory of each DeviceMemory
  void *code;                        // the struct heddle_code that device->load returned
  void *launches;                    // the struct heddle_launches that device->record returned
};

/// The header of a state's memory. The header is followed by the values of the sizes in ranges for which the memory was
/// initialised (the minimum for a size on which the memory does not depend). The numbers of filled rows, one word for
/// each sequence, start at the offset InterfaceStates::filled.
struct StateHeader {
  uint64_t magic, fingerprint; // stateMagic, getStateFingerprint()
  uint64_t bytes;              // the number of bytes of the memory that the state uses
  uint64_t batch, capacity; // the numbers of sequences, and of rows for which each has room (0: no rows)
  uint64_t incomplete; // not 0 if a call failed while it replaced states; their content is lost
  void *onDevice;      // in a library for a device: the struct heddle_memory with the tensors
  uint64_t reserved[1];
};
inline constexpr uint64_t stateMagic = 0x3153454c44444548; // "HEDDLES1"
/// Returns a number that identifies the model, the layout of its states and, in a library for a device, the kind of
/// device. The number does not depend on the CPU for which the code is compiled.
uint64_t getStateFingerprint(const ModelInterface &interface);

/// Returns the number of 64-bit words of `struct NAME`. Some of them are reserved for later versions.
inline uint64_t modelWords(const ModelInterface &interface) { return interface.device ? 12 : 4; }
static_assert(offsetof(ModelWords, device) <= 4 * 8 && sizeof(ModelWords) <= 12 * 8,
              "ModelWords must not exceed modelWords()");

} // namespace heddle

#endif // HEDDLE_ABI_MODELWORDS_H
