//===- GlobalMemory.h - memory that all workgroups share --------*- C++ -*-===//

#ifndef HEDDLE_PTX_GLOBALMEMORY_H
#define HEDDLE_PTX_GLOBALMEMORY_H

#include "Shadow.h"

#include <memory>

namespace heddle::ptx {

/// What is done to memory: by a load, a store or an atomic operation.
enum class Use : uint8_t { Read, Write, Update };

/// Bytes on the device, and who accessed them. What nobody wrote has no contents.
class Memory {
public:
  /// Null where there is too little memory.
  static std::unique_ptr<Memory> create(uint64_t size);

  uint64_t size() const { return total; }
  char *at(uint64_t offset) { return bytes.get() + offset; }

  Conflict access(Use use, const Clock &clock, uint64_t offset, unsigned bytes, unsigned lane);
  /// The host writes these, before what follows.
  void noteHostWrite(uint64_t offset, uint64_t size);
  /// See Clock::isWornOut.
  void settle();

private:
  static constexpr uint64_t pageSize = 1 << 14;
  struct Free {
    void operator()(char *bytes) const;
  };
  /// Pages that no kernel accessed are written as a whole, or not at all.
  struct Page {
    Stamp writer = 0;
    std::unique_ptr<Shadow> shadow;
  };

  Memory() = default;
  Shadow &shadowOf(Page &page);

  uint64_t total = 0;
  std::unique_ptr<char[], Free> bytes;
  std::vector<Page> pages;
};

/// A part of a memory that a kernel is passed.
struct View {
  Memory *memory;
  uint64_t offset, size;
  /// A state: rows that nobody filled may be read, as long as nothing comes of them (Undefined.h).
  bool mayBeUnfilled = false;
};

/// Addresses of kernels: each view has a range of its own, far from all others, so that what lies outside of it lies
/// outside of all. Below them all are windows of shared and local memory in the generic space.
constexpr unsigned slotBits = 40;
constexpr uint64_t sharedWindow = uint64_t(1) << 39;
constexpr uint64_t localWindow = sharedWindow + (uint64_t(1) << 38);

/// Where view `index` begins for a kernel; as far from a multiple of 256 as on a device.
inline uint64_t addressOf(size_t index, const View &view) {
  return (uint64_t(index + 1) << slotBits) + view.offset % 256;
}

} // namespace heddle::ptx

#endif // HEDDLE_PTX_GLOBALMEMORY_H
