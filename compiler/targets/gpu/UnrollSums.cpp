//===- UnrollSums.cpp - unrolls sums by four ------------------------------===//
//
// This pass unrolls loops of a GPU kernel that add products of neighbouring
// scalars of a row to sums in registers. After unrolling by four, a later pass
// (WidenAccesses.cpp) can load four neighbouring scalars as one vector.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_UNROLLSUMS
#include "heddle/Passes.h.inc"
} // namespace heddle

static constexpr int64_t steps = 4; // the unroll factor: the number of f32 elements in a load of 128 bits

/// Returns whether consecutive iterations of a loop read neighbouring scalars of a buffer.
static bool readsAlongRows(scf::ForOp loop) {
  return llvm::any_of(loop.getOps<memref::LoadOp>(), [&](memref::LoadOp load) {
    return !load.getIndices().empty() && load.getIndices().back() == loop.getInductionVar();
  });
}

/// Returns whether a thread executes the loop, the loop carries only vectors and reads along rows, and its number of
/// iterations is a multiple of `steps`.
static bool isSum(scf::ForOp loop) {
  std::optional<APInt> count = loop.getStaticTripCount();
  return loop->getParentOfType<scf::ForallOp>() && readsAlongRows(loop) && loop.getNumResults() > 0 &&
         llvm::all_of(loop.getResultTypes(), llvm::IsaPred<VectorType>) && count && count->getZExtValue() % steps == 0;
}

namespace {
struct UnrollSums : heddle::impl::UnrollSumsBase<UnrollSums> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (isSum(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (failed(loopUnrollByFactor(loop, steps)))
        return signalPassFailure();
  }
};
} // namespace
