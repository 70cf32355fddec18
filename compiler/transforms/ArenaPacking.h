//===- ArenaPacking.h - buffers that share bytes ----------------*- C++ -*-===//

#ifndef HEDDLE_TRANSFORMS_ARENAPACKING_H
#define HEDDLE_TRANSFORMS_ARENAPACKING_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace heddle {

inline constexpr int64_t bufferAlignment = 64;

/// A buffer that is needed at the times first..last, both included.
struct PackedBuffer {
  int64_t size = 0;
  int64_t first = 0, last = 0;
  int64_t offset = 0; // what packBuffers finds
};

/// Gives each buffer an aligned offset such that no two that are needed at the
/// same time overlap; returns the bytes that all of them take, a multiple of
/// the alignment. Largest first, each at the lowest offset that is free.
int64_t packBuffers(llvm::MutableArrayRef<PackedBuffer> buffers, int64_t alignment = bufferAlignment);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ARENAPACKING_H
