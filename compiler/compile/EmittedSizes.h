//===- EmittedSizes.h - emits the computation of extents --------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_EMITTEDSIZES_H
#define HEDDLE_COMPILE_EMITTEDSIZES_H

#include "SizeNumber.h"

#include "heddle/SizeArithmetic.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <memory>
#include <tuple>

namespace heddle {

/// Emits the computation of extents, and of numbers that depend on sizes, at the beginning of a function. The function
/// loads the sizes of a call from the arena (the memory of the call). Each computation is emitted once. The results are
/// null if the function does not have the arena as an argument.
class EmittedSizes {
public:
  explicit EmittedSizes(std::unique_ptr<SizeArithmetic> arithmetic) : arithmetic(std::move(arithmetic)) {}

  /// Returns the value of an extent, as an integer of the width that the target uses for sizes.
  mlir::Value of(const Extent &extent);
  /// Returns the value, of type `type`, that replaces a constant. `number` is the constant as a function of sizes.
  mlir::Value of(const SizeNumber &number, mlir::Type type);

private:
  mlir::Value compute(const SizeNumber &number, mlir::Type type);

  std::unique_ptr<SizeArithmetic> arithmetic;
  // The values that were emitted: sizes by name, extents by the number that represents them in types, and constants by
  // their extent (as such a number), their addend and the type.
  llvm::StringMap<mlir::Value> loaded;
  llvm::DenseMap<int64_t, mlir::Value> extents;
  std::map<std::tuple<int64_t, int64_t, const void *>, mlir::Value> numbers;
};

} // namespace heddle

#endif // HEDDLE_COMPILE_EMITTEDSIZES_H
