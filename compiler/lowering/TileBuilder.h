//===- TileBuilder.h - short forms for linalg on slices ----------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_TILEBUILDER_H
#define HEDDLE_COMPILER_LOWERING_TILEBUILDER_H

#include "Extent.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

using Dims = llvm::SmallVector<unsigned>;

/// Writes the linalg ops of one lowering. Everything has a static shape but slices of sizes that only the call knows.
class TileBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  mlir::Value index(int64_t value);
  mlir::Value index(mlir::OpFoldResult value);
  mlir::Value index(const Extent &extent) { return extent.emitValue(*this, getLoc()); }
  mlir::Value real(double value, mlir::Type type);
  /// Between floating-point types; nothing where the type is the same.
  mlir::Value cast(mlir::Value value, mlir::Type type);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, int64_t y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);

  mlir::Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  mlir::Value filled(llvm::ArrayRef<int64_t> shape, double value, mlir::Type element);

  /// The slice of `from`, whose type has for `sizes` what types have for these; unit dimensions that are not in `keep` go.
  mlir::Value slice(mlir::Value from, llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<Extent> sizes,
                    llvm::ArrayRef<unsigned> keep);
  /// `tile` back to where slice() with the same arguments took it from.
  mlir::Value insert(mlir::Value tile, mlir::Value into, llvm::ArrayRef<mlir::OpFoldResult> offsets,
                     llvm::ArrayRef<Extent> sizes);
  /// The same at the end of a task, in what it shares with others.
  void insertInParallel(mlir::Value tile, mlir::Value into, llvm::ArrayRef<mlir::OpFoldResult> offsets,
                        llvm::ArrayRef<Extent> sizes);

  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(TileBuilder &, mlir::ValueRange)>;
  /// The body of a copy: the first input as it is.
  static llvm::SmallVector<mlir::Value> same(TileBuilder &, mlir::ValueRange args) { return {args[0]}; }
  /// A linalg.generic. Iterators: one letter per loop, 'p' or 'r'. Dims: the loops
  /// that index each operand, inputs first.
  llvm::SmallVector<mlir::Value> generic(llvm::StringRef iterators, llvm::ArrayRef<Dims> dims,
                                         mlir::ValueRange inputs, mlir::ValueRange outputs, Body body);
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_TILEBUILDER_H
