//===- ForallIterations.h - iterations of parallel loops --------*- C++ -*-===//

#ifndef HEDDLE_FORALLITERATIONS_H
#define HEDDLE_FORALLITERATIONS_H

#include "Extent.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace heddle {

/// The number of iterations in each dimension of a loop whose bounds are constants; nothing if a bound is not constant.
std::optional<llvm::SmallVector<int64_t>> getFixedExtents(mlir::scf::ForallOp forall);
/// Returns the number of iterations in each dimension of a loop whose upper bounds may depend on the call's sizes. In a
/// dimension with such a bound, the loop must begin at 0 and have step 1; otherwise returns nothing.
std::optional<llvm::SmallVector<Extent>> getExtents(mlir::scf::ForallOp forall);

/// The number of iterations of a loop on buffers.
struct ForallCount {
  llvm::SmallVector<Extent> extents; // the iterations in each dimension
  int64_t fixed = 1;                 // the product of the constant extents
  bool isFixed = true;               // whether all extents are constant
};
/// Counts the iterations of a loop. Emits an error at the loop if it is a loop on tensors, or if the passes that
/// outline loops do not support its bounds.
mlir::FailureOr<ForallCount> countIterations(mlir::scf::ForallOp forall);

/// Emits the induction variables of iteration number `iteration`, counted in row-major order. The lower bounds and
/// steps of the loop must be constants. `extent` returns the number of iterations in a dimension; it is not called for
/// the outermost dimension.
llvm::SmallVector<mlir::Value> emitInductionVariables(mlir::OpBuilder &builder, mlir::scf::ForallOp forall,
                                                      mlir::Value iteration,
                                                      llvm::function_ref<mlir::Value(unsigned)> extent);
/// Emits the induction variables of iteration number `iteration` of a loop whose bounds are all constants.
llvm::SmallVector<mlir::Value> emitInductionVariables(mlir::OpBuilder &builder, mlir::scf::ForallOp forall,
                                                      mlir::Value iteration);

} // namespace heddle

#endif // HEDDLE_FORALLITERATIONS_H
