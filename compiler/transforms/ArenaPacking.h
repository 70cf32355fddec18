//===- ArenaPacking.h - buffers that share bytes ----------------*- C++ -*-===//

#ifndef HEDDLE_TRANSFORMS_ARENAPACKING_H
#define HEDDLE_TRANSFORMS_ARENAPACKING_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace heddle {

inline constexpr int64_t bufferAlignment = 64;

/// A buffer that is live at the times first..last, both inclusive.
struct PackedBuffer {
  int64_t size = 0;
  int64_t first = 0, last = 0;
  int64_t offset = 0; // set by packBuffers
};

/// Assigns each buffer an aligned offset so that buffers which are live at the same time do not overlap. Returns the
/// total number of bytes, a multiple of the alignment. Places the largest buffers first, each at the lowest free
/// offset.
int64_t packBuffers(llvm::MutableArrayRef<PackedBuffer> buffers, int64_t alignment = bufferAlignment);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ARENAPACKING_H
