//===- Undefined.h - registers loaded from unwritten memory -----*- C++ -*-===//
//
// An `ld` may read shared memory, local memory and states that nobody has
// written, as long as no result depends on the values. For example, kernels
// load whole blocks even if only a part of the last block contains data, and
// compilers load four elements where only three are used. A register that
// receives such a value is undefined, and so are results that depend on the
// register. Bytes of shared or local memory in which an undefined register is
// stored count as unwritten. It is an error if an undefined value is stored in
// a buffer, is used as an address or as the predicate of an instruction, or is
// an operand of an instruction that requires defined operands
// (Instruction::Flow in Program.h).
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
  /// The origin of an undefined value, for error messages: a lane has loaded bytes that nobody has written.
  struct Origin {
    const Instruction *load = nullptr;
    unsigned lane = 0, bytes = 0; // the lane, and the size of the loaded element in bytes
    uint64_t place = 0;           // the offset of the bytes in the memory or the buffer
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
  /// Returns the origin of a register that is undefined in at least one lane.
  const Origin &originOf(Row row) const { return values.find(row)->second.origin; }
  /// Marks a register as undefined in those of `lanes` that are in `undefined`, and as defined in the rest of `lanes`.
  /// Lanes that are not in `lanes` do not change. `origin` is unused if `undefined` is 0.
  void set(Row row, Lanes lanes, Lanes undefined, const Origin &origin);

private:
  struct Value {
    Lanes lanes;
    Origin origin; // the origin of an undefined value that the register has or had in one lane
  };
  llvm::DenseMap<Row, Value> values; // the registers that are undefined in at least one lane
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_UNDEFINED_H
