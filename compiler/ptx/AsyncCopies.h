//===- AsyncCopies.h - copies that land when they are waited for -*- C++ -*-===//

#ifndef HEDDLE_PTX_ASYNCCOPIES_H
#define HEDDLE_PTX_ASYNCCOPIES_H

#include "Program.h"

namespace heddle::ptx {

/// What cp.async of one warp began. Each lane commits groups of copies of its own and waits for all but its last ones.
/// A copy reads its source when it begins and writes when it is waited for: the latest that a GPU may do it.
class AsyncCopies {
public:
  struct Copy {
    unsigned lane;
    uint64_t to; // in shared memory
    unsigned bytes;
    const Instruction *instruction;
    unsigned group;
    char contents[16];
  };

  void clear();
  /// Of the lane's open group.
  void begin(Copy copy);
  void commit(Lanes lanes);
  /// Lets the copies of all but the last `pending` groups of each lane land; of open groups as well where `open`.
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
  /// The copy that is to write this byte; null where none is.
  const Copy *find(uint64_t place) const;

private:
  std::vector<Copy> copies;
  std::array<unsigned, warpSize> committed = {}; // groups
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_ASYNCCOPIES_H
