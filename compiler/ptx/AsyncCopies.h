//===- AsyncCopies.h - async copies to shared memory ------------*- C++ -*-===//

#ifndef HEDDLE_PTX_ASYNCCOPIES_H
#define HEDDLE_PTX_ASYNCCOPIES_H

#include "Program.h"

namespace heddle::ptx {

/// The copies that cp.async instructions of one warp have begun and not yet completed. Each lane commits its own groups
/// of copies, and waits for all of its groups except the last few. This interpreter reads the source of a copy when the
/// copy begins, and writes the destination when the lane waits for the copy. On a GPU, the write may happen at any time
/// before the end of the wait.
class AsyncCopies {
public:
  struct Copy {
    unsigned lane;                  // the lane that began the copy
    uint64_t to;                    // the offset of the destination in shared memory, in bytes
    unsigned bytes;                 // the number of bytes to write, at most 16
    const Instruction *instruction; // the cp.async instruction
    unsigned group;                 // the number of groups that the lane had committed when the copy began
    char contents[16];              // the bytes to write
  };

  /// Removes all copies without completing them, for a new workgroup.
  void clear();
  /// Adds a copy to the open group of its lane, and sets Copy::group.
  void begin(Copy copy);
  /// Closes the open group of each lane, and begins a new one.
  void commit(Lanes lanes);
  /// Completes the copies in all but the last `pending` committed groups of each lane: calls `land` for each completed
  /// copy, which must write the contents, and removes the copy. If `open` is true, completes all copies of the lanes,
  /// including copies that are not committed.
  template <typename Land> void wait(Lanes lanes, unsigned pending, bool open, Land land) {
    size_t kept = 0;
    for (Copy &copy : copies) {
      bool isLane = lanes >> copy.lane & 1;
      if (isLane && (open || copy.group + pending < committed[copy.lane]))
        land(copy);
      else
        copies[kept++] = copy;
    }
    copies.resize(kept);
  }
  /// Returns the copy that will write the byte at offset `place` of shared memory, or null if there is none.
  const Copy *find(uint64_t place) const;

private:
  std::vector<Copy> copies;
  std::array<unsigned, warpSize> committed = {}; // the number of groups that each lane has committed
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_ASYNCCOPIES_H
