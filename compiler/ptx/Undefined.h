//===- Undefined.h - registers loaded from unwritten memory -----*- C++ -*-===//
//
// A load may read memory that nobody has written if no result depends on the
// values: kernels pad blocks, and compilers load four elements where only three
// are used. The registers that receive such values are undefined, and so are
// results that depend on them. If an undefined register is stored in shared or
// local memory, these bytes count as unwritten. It is an error if an undefined
// value is stored in a buffer, is used as an address, or decides a branch.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PTX_UNDEFINED_H
#define HEDDLE_PTX_UNDEFINED_H

#include "Program.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle::ptx {

/// The undefined registers of a warp.
class Undefined {
public:
  /// The origin of an undefined value: a load of bytes that nobody has written, the lane that loaded them, the number
  /// of the bytes, their offset `place`, and their state space.
  struct Origin {
    const Instruction *load = nullptr;
    unsigned lane = 0, bytes = 0;
    uint64_t place = 0;
    Space space = Space::Shared;
    size_t buffer = 0; // in global memory, the index of the buffer that contains the bytes
  };

  bool empty() const { return values.empty(); }
  void clear() { values.clear(); }
  /// Returns the lanes in which a register is undefined.
  Lanes of(Row row) const {
    auto found = values.find(row);
    return found == values.end() ? 0 : found->second.lanes;
  }
  const Origin &originOf(Row row) const { return values.find(row)->second.origin; }
  /// Marks a register as undefined in the lanes `undefined`, and as defined in the other lanes of `lanes`. Does not
  /// change lanes outside of `lanes`.
  void set(Row row, Lanes lanes, Lanes undefined, const Origin &origin);

private:
  struct Value {
    Lanes lanes;
    Origin origin; // the origin of the value in one of these lanes
  };
  llvm::DenseMap<Row, Value> values;
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_UNDEFINED_H
