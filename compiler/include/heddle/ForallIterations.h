//===- ForallIterations.h - iterations of parallel loops --------*- C++ -*-===//

#ifndef HEDDLE_FORALLITERATIONS_H
#define HEDDLE_FORALLITERATIONS_H

#include "Extent.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace heddle {

/// The number of iterations in each dimension of a loop whose bounds and steps are constants; otherwise nothing.
std::optional<llvm::SmallVector<int64_t>> getFixedExtents(mlir::scf::ForallOp forall);
/// Returns the number of iterations in each dimension of a loop whose upper bounds may depend on the call's sizes.
/// Returns nothing unless all lower bounds and steps are constants and, in each dimension whose upper bound is not a
/// constant, the loop begins at 0 and has step 1.
std::optional<llvm::SmallVector<Extent>> getExtents(mlir::scf::ForallOp forall);

/// The number of iterations of a loop on buffers.
struct ForallCount {
  llvm::SmallVector<Extent> extents; // the iterations in each dimension
  int64_t fixed = 1;                 // the product of the constant extents
  bool isFixed = true;               // whether all extents are constant
};
/// Counts the iterations of a loop. Emits an error at the loop if it is a loop on tensors, or if getExtents returns
/// nothing for it.
mlir::FailureOr<ForallCount> countIterations(mlir::scf::ForallOp forall);

/// Emits the induction variables of iteration number `iteration`, counted in row-major order. The lower bounds and
/// steps of the loop must be constants. `extent` returns the number of iterations in a dimension; it is not called for
/// the outermost dimension.
llvm::SmallVector<mlir::Value> emitInductionVariables(mlir::OpBuilder &builder, mlir::scf::ForallOp forall,
                                                      mlir::Value iteration,
                                                      llvm::function_ref<mlir::Value(unsigned)> extent);
/// Emits the induction variables of iteration number `iteration` of a loop whose bounds and steps are all
/// constants.
llvm::SmallVector<mlir::Value> emitInductionVariables(mlir::OpBuilder &builder, mlir::scf::ForallOp forall,
                                                      mlir::Value iteration);

} // namespace heddle

#endif // HEDDLE_FORALLITERATIONS_H
