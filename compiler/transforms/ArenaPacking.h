//===- ArenaPacking.h - buffers that share bytes ----------------*- C++ -*-===//

#ifndef HEDDLE_TRANSFORMS_ARENAPACKING_H
#define HEDDLE_TRANSFORMS_ARENAPACKING_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace heddle {

/// The alignment of buffers in the arena, in bytes: the size of a cache line.
inline constexpr int64_t bufferAlignment = 64;

/// A buffer that is live at the times first..last, both inclusive.
struct PackedBuffer {
  int64_t size = 0;            // in bytes, or in another unit in which packBuffers then returns offsets
  int64_t first = 0, last = 0; // points in time, such as those of a Timeline (ArenaScope.h)
  int64_t offset = 0; // set by packBuffers
};

/// Assigns each buffer an aligned offset, so that buffers that are live at the same time do not overlap. Places the
/// largest buffers first, each at the lowest free offset. Returns the total size, which is a multiple of the alignment.
int64_t packBuffers(llvm::MutableArrayRef<PackedBuffer> buffers, int64_t alignment = bufferAlignment);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ARENAPACKING_H
