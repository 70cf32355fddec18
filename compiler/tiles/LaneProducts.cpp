//===- LaneProducts.cpp - products of tiles -------------------------------===//

#include "LaneCode.h"

#include "kinds/FragmentCode.h"
#include "support/KeepRolled.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

/// The number of steps that are unrolled. More steps stay a loop: LLVM and ptxas would bring more loads forward than
/// there are registers.
static constexpr int64_t unrolledSteps = 4;

/// Each warp adds the products of its blocks, step by step along the depth of the kind.
LogicalResult LaneCode::product(linalg::MatmulOp op) {
  FailureOr<Fragment> sums = findFragment(op, op.getOutputs()[0]);
  if (failed(sums))
    return failure();
  const FragmentLayout &layout = sums->layout;
  auto code = dyn_cast<FragmentCode>(layout.getKind());
  if (!isWorkgroupTile(op.getInputs()[0]) || !isWorkgroupTile(op.getInputs()[1]))
    return op.emitError("is a product of what are not whole tiles in workgroup memory");
  auto left = cast<MemRefType>(op.getInputs()[0].getType()), right = cast<MemRefType>(op.getInputs()[1].getType());
  int64_t depth = left.getDimSize(1), step = layout.getKind().getShape()[2];
  if (!code || op.hasUserDefinedMaps() || !left.hasStaticShape() || !right.hasStaticShape() || depth % step != 0 ||
      left.getElementType() != layout.getKind().getElementOf(FragmentRole::Left) ||
      right.getElementType() != layout.getKind().getElementOf(FragmentRole::Right))
    return op.emitError() << "is no product of " << layout.getKind();
  beforeReads();
  auto emitStep = [&](Value start) {
    auto load = [&](FragmentRole role, Value buffer, Value row, Value column) {
      return code.emitLoad(b, role, FragmentSource{buffer, emitLane(b, thread), row, column});
    };
    SmallVector<SmallVector<Value>> factors;
    for (int64_t down = 0; down < layout.getDown(); ++down)
      factors.push_back(load(FragmentRole::Left, op.getInputs()[0], layout.emitRow(b, thread, down), start));
    for (int64_t across = 0; across < layout.getAcross(); ++across) {
      SmallVector<Value> columns =
          load(FragmentRole::Right, op.getInputs()[1], start, layout.emitColumn(b, thread, across));
      for (int64_t down = 0; down < layout.getDown(); ++down) {
        int64_t first = layout.getFirst(down, across);
        SmallVector<Value> elements;
        for (int64_t i = 0; i < layout.getCountInBlock(); ++i)
          elements.push_back(this->load(sums->registers, first + i));
        for (auto [i, sum] : llvm::enumerate(code.emitProduct(b, factors[down], columns, elements)))
          store(sum, sums->registers, first + int64_t(i));
      }
    }
  };
  if (depth / step <= unrolledSteps) {
    for (int64_t start = 0; start < depth; start += step)
      emitStep(constant(start));
    return success();
  }
  auto loop = scf::ForOp::create(b, constant(0), constant(depth), constant(step));
  loop->setAttr("llvm.loop_annotation", keepRolled(b.getContext()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  emitStep(loop.getInductionVar());
  return success();
}
