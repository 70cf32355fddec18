//===- ScaleLimit.h - scales that products cannot take ----------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_SCALELIMIT_H
#define HEDDLE_COMPILE_SCALELIMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"

namespace heddle {

/// The scales of weights of layers that multiply integers. A product is a sum of 32 bits times a scale, times the row's
/// step (RoundedProducts.cpp): with a larger scale than 2^96 the first of these may be infinite though the result is not.
/// Scales that are no weights are in no product of integers (StoredWeight.cpp): few numbers of a module, and what it computes.
class ScaleLimit {
public:
  /// Notes those that a module has whose layers are not lowered yet.
  void find(mlir::ModuleOp module);
  /// Those of another class of sizes as well.
  void add(const ScaleLimit &other) {
    made.insert_range(other.made.keys());
    given.insert_range(other.given.keys());
  }

  /// An error at `loc` where `entry` of the weight table (WeightTable.h), whose bytes these are, is one of them, and an
  /// element is too large.
  mlir::LogicalResult check(mlir::Location loc, mlir::DictionaryAttr entry, llvm::ArrayRef<char> bytes) const;

private:
  llvm::StringSet<> made, given; // weights whose scales are computed here; scales that a file has
};

} // namespace heddle

#endif // HEDDLE_COMPILE_SCALELIMIT_H
