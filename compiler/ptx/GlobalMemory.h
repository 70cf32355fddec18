//===- GlobalMemory.h - memory that all workgroups share --------*- C++ -*-===//

#ifndef HEDDLE_PTX_GLOBALMEMORY_H
#define HEDDLE_PTX_GLOBALMEMORY_H

#include "Shadow.h"

#include <memory>

namespace heddle::ptx {

/// How an instruction accesses memory: a load reads, a store writes, an atomic operation updates.
enum class Use : uint8_t { Read, Write, Update };

/// An allocation of the interpreted device, with a record of the last accesses to each word (Shadow.h). Offsets and
/// sizes are in bytes.
class Memory {
public:
  /// Allocates memory of `size` bytes, whose contents count as unwritten. Returns null if the host has too little
  /// memory.
  static std::unique_ptr<Memory> create(uint64_t size);

  uint64_t size() const { return total; }
  char *at(uint64_t offset) { return bytes.get() + offset; }

  /// Records an access of a lane at the current time of the clock, and returns its conflict with earlier accesses. A
  /// read of bytes that nobody has written is a conflict, too. The access must be aligned and at most 32 bytes long.
  Conflict access(Use use, const Clock &clock, uint64_t offset, unsigned bytes, unsigned lane);
  /// Records that the host has written these bytes before the next kernel.
  void noteHostWrite(uint64_t offset, uint64_t size);
  /// Replaces all stamps by hostStamp (see Clock::needsRestart).
  void resetToHost();

private:
  static constexpr uint64_t pageSize = 1 << 14;
  struct Free {
    void operator()(char *bytes) const;
  };
  /// A page of memory. It has a shadow if a kernel has accessed it or the host has written a part of it, unless the
  /// host has written the whole page since then. Without a shadow, the host has written the whole page or nothing of
  /// it, and `writer` is the stamp of all its bytes.
  struct Page {
    Stamp writer = 0;
    std::unique_ptr<Shadow> shadow;
  };

  Memory() = default;
  /// Returns the shadow of a page, and creates it if the page has none.
  Shadow &shadowOf(Page &page);

  uint64_t total = 0; // the size that `create` was called with
  std::unique_ptr<char[], Free> bytes;
  std::vector<Page> pages;
};

/// The range of an allocation that a launch passes to a kernel as one parameter.
struct View {
  Memory *memory;
  uint64_t offset, size; // in bytes
  /// Whether the memory is a state. A kernel may read rows of a state that nobody has written, as long as the values do
  /// not matter (Undefined.h).
  bool mayBeUnfilled = false;
};

/// The addresses that kernels use. Each view has its own range of 2^slotBits addresses, so that an access beyond the
/// end of a view does not reach another view. The windows of shared and local memory in the generic address space are
/// below all views.
constexpr unsigned slotBits = 40;
constexpr uint64_t sharedWindow = uint64_t(1) << 39;
constexpr uint64_t localWindow = sharedWindow + (uint64_t(1) << 38);

/// Returns the address at which view `index` begins. Since GPUs allocate memory at multiples of 256, the address has
/// the same remainder modulo 256 as on a GPU, and alignment checks give the same results.
inline uint64_t addressOf(size_t index, const View &view) {
  return (uint64_t(index + 1) << slotBits) + view.offset % 256;
}

} // namespace heddle::ptx

#endif // HEDDLE_PTX_GLOBALMEMORY_H
