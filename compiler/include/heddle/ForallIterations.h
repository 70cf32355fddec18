//===- ForallIterations.h - iterations of parallel loops, counted -*- C++ -*-=//

#ifndef HEDDLE_FORALLITERATIONS_H
#define HEDDLE_FORALLITERATIONS_H

#include "Extent.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace heddle {

/// Iterations in each dimension of a loop whose bounds are constants; nothing where one is not.
std::optional<llvm::SmallVector<int64_t>> getFixedExtents(mlir::scf::ForallOp forall);
/// The same of a loop that may end where the call says, if it begins at 0 and goes by 1 there.
std::optional<llvm::SmallVector<Extent>> getExtents(mlir::scf::ForallOp forall);

/// How often a loop on buffers runs.
struct ForallCount {
  llvm::SmallVector<Extent> extents; // iterations in each dimension
  int64_t fixed = 1;                 // product of those that are
  bool isFixed = true;               // all of them are
};
/// Says at the loop why it is none that can be outlined.
mlir::FailureOr<ForallCount> countIterations(mlir::scf::ForallOp forall);

/// The induction variables of an iteration, which is counted in row-major order. Where the loop begins and how it steps
/// are constants; `extent` gives the iterations in a dimension, and is not asked for the outermost.
llvm::SmallVector<mlir::Value> emitInductionVariables(mlir::OpBuilder &builder, mlir::scf::ForallOp forall,
                                                      mlir::Value iteration,
                                                      llvm::function_ref<mlir::Value(unsigned)> extent);
/// The same where all bounds are constants.
llvm::SmallVector<mlir::Value> emitInductionVariables(mlir::OpBuilder &builder, mlir::scf::ForallOp forall,
                                                      mlir::Value iteration);

} // namespace heddle

#endif // HEDDLE_FORALLITERATIONS_H
