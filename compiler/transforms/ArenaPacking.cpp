//===- ArenaPacking.cpp - buffers that share bytes ------------------------===//

#include "ArenaPacking.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle;

int64_t heddle::packBuffers(llvm::MutableArrayRef<PackedBuffer> buffers, int64_t alignment) {
  llvm::SmallVector<PackedBuffer *> bySize; // the largest buffer first
  for (PackedBuffer &buffer : buffers)
    bySize.push_back(&buffer);
  llvm::sort(bySize,
             [](PackedBuffer *a, PackedBuffer *b) { return std::pair(-a->size, a) < std::pair(-b->size, b); });

  int64_t total = 0;
  llvm::SmallVector<PackedBuffer *> placed; // sorted by offset
  for (PackedBuffer *buffer : bySize) {
    int64_t size = llvm::alignTo(buffer->size, alignment);
    buffer->offset = 0;
    for (PackedBuffer *other : placed) {
      if (other->last < buffer->first || buffer->last < other->first)
        continue;
      if (buffer->offset + size <= other->offset)
        break;
      int64_t end = other->offset + llvm::alignTo(other->size, alignment);
      buffer->offset = std::max(buffer->offset, end);
    }
    placed.insert(llvm::upper_bound(placed, buffer,
                                    [](PackedBuffer *a, PackedBuffer *b) { return a->offset < b->offset; }),
                  buffer);
    total = std::max(total, buffer->offset + size);
  }
  return total;
}
