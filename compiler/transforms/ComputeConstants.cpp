//===- ComputeConstants.cpp - constants whose shape depends on sizes ------===//
//
// A library cannot store a constant whose shape depends on sizes that are known only in a call. If all elements of such
// a constant are equal, the pass heddle-compute-constants replaces the constant by a loop that writes these elements in
// each call. Operations that can use the element as a scalar keep the constant as their operand.
//
//===----------------------------------------------------------------------===//

#include "heddle/Passes.h"

#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_COMPUTECONSTANTS
#include "heddle/Passes.h.inc"
} // namespace heddle

/// Returns whether the operation can use the constant's single element directly, whatever the constant's shape is.
static bool takesNumber(Operation *user) {
  return isa<linalg::LinalgOp, linalg::SoftmaxOp, tensor::ConcatOp, tensor::PadOp>(user);
}

/// Emits a loop that writes the constant's single element to each element of a new tensor.
static Value emitElements(OpBuilder &b, arith::ConstantOp op, DenseElementsAttr elements) {
  auto type = cast<RankedTensorType>(op.getType());
  Location loc = op.getLoc();
  Value number = arith::ConstantOp::create(b, loc, elements.getSplatValue<TypedAttr>());
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, type, ValueRange(), empty, b.getMultiDimIdentityMap(type.getRank()), iterators,
      [&](OpBuilder &inner, Location loc, ValueRange) { linalg::YieldOp::create(inner, loc, number); });
  return generic.getResult(0);
}

namespace {
struct ComputeConstants : heddle::impl::ComputeConstantsBase<ComputeConstants> {
  void runOnOperation() override {
    Sizes sizes(getOperation());
    if (sizes.empty())
      return;
    for (auto op : llvm::make_early_inc_range(getOperation().getOps<arith::ConstantOp>())) {
      auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
      if (!elements || !elements.isSplat() ||
          llvm::all_of(elements.getType().getShape(), [&](int64_t extent) { return sizes.of(extent).isFixed(); }) ||
          llvm::all_of(op->getUsers(), takesNumber))
        continue;
      OpBuilder b(op);
      op.getResult().replaceUsesWithIf(emitElements(b, op, elements),
                                       [](OpOperand &use) { return !takesNumber(use.getOwner()); });
    }
  }
};
} // namespace
