//===- Undefined.h - values that nobody wrote -------------------*- C++ -*-===//
//
// A load may read what nobody wrote as long as nothing comes of it: kernels pad blocks, and compilers load four
// elements where three are used. So registers have such values, results that depend on them are such, and what is
// stored of them leaves memory as unwritten as before. An error is what would show: in a buffer, in an address, or in
// the way that threads go.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PTX_UNDEFINED_H
#define HEDDLE_PTX_UNDEFINED_H

#include "Program.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle::ptx {

/// The registers of a warp that have no value.
class Undefined {
public:
  /// A load that read what nobody wrote: so many bytes, in this lane, at this place.
  struct Origin {
    const Instruction *load = nullptr;
    unsigned lane = 0, bytes = 0;
    uint64_t place = 0;
    Space space = Space::Shared;
    size_t buffer = 0; // which one, in global memory
  };

  bool empty() const { return values.empty(); }
  void clear() { values.clear(); }
  /// Lanes of a register that have no value.
  Lanes of(Row row) const {
    auto found = values.find(row);
    return found == values.end() ? 0 : found->second.lanes;
  }
  const Origin &originOf(Row row) const { return values.find(row)->second.origin; }
  /// Of these lanes of a register, those of `undefined` have no value now, and the others one.
  void set(Row row, Lanes lanes, Lanes undefined, const Origin &origin);

private:
  struct Value {
    Lanes lanes;
    Origin origin; // of one of them
  };
  llvm::DenseMap<Row, Value> values;
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_UNDEFINED_H
