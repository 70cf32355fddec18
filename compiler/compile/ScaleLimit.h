//===- ScaleLimit.h - limits the scales of int8 weights ---------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_SCALELIMIT_H
#define HEDDLE_COMPILE_SCALELIMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"

namespace heddle {

/// Checks the scales of weights in layers that compute in int8. An element of the result is a 32-bit sum of integers
/// times the scale of the weight, times the scale of the row (RoundedProducts.cpp). If the scale of the weight is
/// larger than 2^96, the first of these two products may be infinite although the result is finite. Only scales that
/// are weights have to be checked: layers whose scales are constants or computed values do not multiply integers
/// (StoredWeight.cpp).
class ScaleLimit {
public:
  /// Collects the scales in a module. Its layers must not be lowered yet.
  void find(mlir::ModuleOp module);
  /// Adds the scales of another class of sizes.
  void add(const ScaleLimit &other) {
    made.insert_range(other.made.keys());
    given.insert_range(other.given.keys());
  }

  /// Emits an error at `loc` if `entry` of the weight table (WeightTable.h) contains collected scales and an element is
  /// too large. `bytes` are the elements of the entry.
  mlir::LogicalResult check(mlir::Location loc, mlir::DictionaryAttr entry, llvm::ArrayRef<char> bytes) const;

private:
  // `made`: names of weights whose scales the compiler computes. `given`: names of scales that a file contains.
  llvm::StringSet<> made, given;
};

} // namespace heddle

#endif // HEDDLE_COMPILE_SCALELIMIT_H
