//===- EmittedSizes.h - computes extents in code ----------------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_EMITTEDSIZES_H
#define HEDDLE_COMPILE_EMITTEDSIZES_H

#include "SizeNumber.h"

#include "heddle/SizeArithmetic.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <memory>
#include <tuple>

namespace heddle {

/// Emits the computation of extents and numbers from the sizes in the arena, each one once, at the beginning of a
/// function. The results are null if the function does not take the arena.
class EmittedSizes {
public:
  explicit EmittedSizes(std::unique_ptr<SizeArithmetic> arithmetic) : arithmetic(std::move(arithmetic)) {}

  mlir::Value of(const Extent &extent);
  /// The value that replaces a constant of this type, given as a function of sizes.
  mlir::Value of(const SizeNumber &number, mlir::Type type);

private:
  mlir::Value compute(const SizeNumber &number, mlir::Type type);

  std::unique_ptr<SizeArithmetic> arithmetic;
  llvm::StringMap<mlir::Value> loaded;
  llvm::DenseMap<int64_t, mlir::Value> extents;
  std::map<std::tuple<int64_t, int64_t, const void *>, mlir::Value> numbers;
};

} // namespace heddle

#endif // HEDDLE_COMPILE_EMITTEDSIZES_H
