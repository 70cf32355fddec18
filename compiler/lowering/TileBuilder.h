//===- TileBuilder.h - a builder of linalg ops on slices --------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_TILEBUILDER_H
#define HEDDLE_COMPILER_LOWERING_TILEBUILDER_H

#include "Extent.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// The loops that index an operand: for each dimension of the operand, the number of a loop of the op.
using LoopDims = llvm::SmallVector<unsigned>;

/// Emits the linalg ops of a lowering, and slices and index arithmetic around them. Shapes are static, except those of
/// slices whose sizes are known only at run time.
class TileBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  // These functions emit constants, and the value of an extent.
  mlir::Value index(int64_t value);
  mlir::Value index(mlir::OpFoldResult value);
  mlir::Value index(const Extent &extent) { return extent.emitValue(*this, getLoc()); }
  mlir::Value real(double value, mlir::Type type);
  /// Converts between floating-point types; returns `value` itself if it has type `type`.
  mlir::Value cast(mlir::Value value, mlir::Type type);
  // Arithmetic on values of type index.
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, int64_t y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);

  /// Emit a new tensor, uninitialised or filled with `value`.
  mlir::Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  mlir::Value filled(llvm::ArrayRef<int64_t> shape, double value, mlir::Type element);

  /// Returns the slice of `from` at `offsets`. The slice has only the dimensions of `from` that are listed in `keep`;
  /// all other dimensions must have size 1 in `sizes`.
  mlir::Value slice(mlir::Value from, llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<Extent> sizes,
                    llvm::ArrayRef<unsigned> keep);
  /// Inserts `tile` into `into`, at the position that slice() reads for equal offsets and sizes. Returns the result.
  mlir::Value insert(mlir::Value tile, mlir::Value into, llvm::ArrayRef<mlir::OpFoldResult> offsets,
                     llvm::ArrayRef<Extent> sizes);
  /// Writes `tile` to a slice of `into` as the last operation of a task (tensor.parallel_insert_slice); `into` is an
  /// output that several tasks share.
  void insertInParallel(mlir::Value tile, mlir::Value into, llvm::ArrayRef<mlir::OpFoldResult> offsets,
                        llvm::ArrayRef<Extent> sizes);

  /// Emits the body of a linalg.generic, given the elements of all operands (inputs first), and returns the elements of
  /// the outputs.
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(TileBuilder &, mlir::ValueRange)>;
  /// A body for generic() that returns the first input, so that the op is a copy.
  static llvm::SmallVector<mlir::Value> same(TileBuilder &, mlir::ValueRange args) { return {args[0]}; }
  /// Emits a linalg.generic and returns its results. `iterators` contains one letter per loop, 'p' (parallel) or 'r'
  /// (reduction). `dims` contains a list of loops for each operand, inputs first.
  llvm::SmallVector<mlir::Value> generic(llvm::StringRef iterators, llvm::ArrayRef<LoopDims> dims,
                                         mlir::ValueRange inputs, mlir::ValueRange outputs, Body body);
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_TILEBUILDER_H
