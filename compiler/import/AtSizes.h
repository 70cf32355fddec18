//===- AtSizes.h - a model in ranges at some of its sizes -------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ATSIZES_H
#define HEDDLE_IMPORT_ATSIZES_H

#include "heddle/Import.h"
#include "onnx/Constants.h"

#include "SizeNumbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle {

/// What numbers, constants and operations of a model are where its sizes, which lie in ranges, are `values`.
class AtSizes {
public:
  AtSizes(mlir::ModuleOp model, llvm::ArrayRef<int64_t> values, const ConstantRules &rules);

  /// Of an extent. A number of the model that is a multiple of the prime by chance becomes another.
  int64_t of(int64_t number) const;
  onnx::Numbers of(llvm::ArrayRef<int64_t> shape) const {
    return llvm::map_to_vector(shape, [&](int64_t number) { return of(number); });
  }
  /// A constant that has sizes: what its rule says, or else its beginning; null where that is shorter.
  mlir::DenseElementsAttr of(mlir::arith::ConstantOp constant) const;
  /// Of a number, or each element of a constant, that is computed from sizes; null where it cannot be.
  mlir::Attribute computed(mlir::Attribute number, mlir::Type type) const;
  /// What `op` gives out unchanged, or reshaped: a causal mask of one element masks nothing, so an importer leaves it
  /// out. Null where it is something else.
  mlir::Value viewedBy(mlir::Operation *op) const;

private:
  mlir::Value reshapedBy(mlir::Operation *op) const;
  mlir::DenseElementsAttr constantOf(mlir::Value value) const;

  Sizes sizes;
  llvm::ArrayRef<int64_t> values;
  llvm::DenseMap<mlir::Operation *, const ConstantRule *> ruleOf;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_ATSIZES_H
