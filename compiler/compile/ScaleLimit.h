//===- ScaleLimit.h - limits scales of int8 weights -------------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_SCALELIMIT_H
#define HEDDLE_COMPILE_SCALELIMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"

namespace heddle {

/// Checks the scales and minima of weights in layers that compute in int8. An element of the result is a 32-bit sum of
/// integers times the scale of the weight, plus a sum of the row's integers times the minimum of the weight if there is
/// one, all times the scale of the row (RoundedProducts.cpp). If the scale or the magnitude of the minimum is larger
/// than 2^96, one of the first two products may be infinite although the result is finite. Only scales and minima that
/// are weights have to be checked: layers for which they are constants or computed values do not multiply integers
/// (StoredWeight.cpp).
class ScaleLimit {
public:
  /// Collects the scales and minima in a module. Its layers must not be lowered yet.
  void find(mlir::ModuleOp module);
  /// Adds the scales and minima of another class of sizes.
  void add(const ScaleLimit &other) {
    made.insert_range(other.made.keys());
    given.insert_range(other.given.keys());
    minima.insert_range(other.minima.keys());
  }

  /// Emits an error at `loc` if `entry` of the weight table (WeightTable.h) contains collected scales or minima
  /// and an element is too large. `bytes` are the elements of the entry.
  mlir::LogicalResult check(mlir::Location loc, mlir::DictionaryAttr entry, llvm::ArrayRef<char> bytes) const;

private:
  // `made`: names of weights whose scales the compiler computes. `given` and `minima`: names of scales
  // and of minima that a file contains.
  llvm::StringSet<> made, given, minima;
};

} // namespace heddle

#endif // HEDDLE_COMPILE_SCALELIMIT_H
