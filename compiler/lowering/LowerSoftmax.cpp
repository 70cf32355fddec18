//===- LowerSoftmax.cpp - transform.heddle.lower_softmax ------------------===//

#include "RowLayers.h"
#include "RowOps.h"
#include "TileTasks.h"
#include "TransformOps.h"

#include "Sizes.h"

#include <limits>

using namespace mlir;
using namespace heddle;

/// Lowers a softmax in the case that the size of its dimension, or of a later dimension, lies in a range. Decomposes
/// the softmax into linalg ops and lowers each of them to tasks. With `apart`, leaves these ops to
/// transform.heddle.lower_elements.
static LogicalResult lowerAnySoftmax(RewriterBase &b, linalg::SoftmaxOp softmax, const Sizes &sizes, bool apart) {
  Operation *before = softmax->getPrevNode();
  b.setInsertionPoint(softmax);
  FailureOr<SmallVector<Value>> parts = softmax.decomposeOperation(b);
  if (failed(parts))
    return failure();
  SmallVector<linalg::GenericOp> ops;
  for (Operation *op = before ? before->getNextNode() : &softmax->getBlock()->front(); op != softmax;
       op = op->getNextNode()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      ops.push_back(generic);
    // The upstream decomposition starts the maximum from NaN. Heddle lowers the maximum to a comparison and a select,
    // which would keep this NaN.
    APFloat start(0.0);
    if (auto fill = dyn_cast<linalg::FillOp>(op);
        fill && matchPattern(fill.value(), m_ConstantFloat(&start)) && start.isNaN()) {
      OpBuilder at(fill);
      fill.getInputsMutable().assign(
          emitFloat(at, softmax.getLoc(), fill.value().getType(), -std::numeric_limits<double>::infinity()));
    }
  }
  b.replaceOp(softmax, *parts);
  return success(apart || llvm::all_of(llvm::reverse(ops), [&](linalg::GenericOp op) {
    return succeeded(lowerAnyBox(b, op, sizes));
  }));
}

DiagnosedSilenceableFailure transforms::LowerSoftmaxOp::applyToOne(transform::TransformRewriter &b, Operation *target,
                                                                   transform::TransformState &state) {
  FailureOr<int64_t> rows = getInteger(state, getRows());
  if (failed(rows) || *rows <= 0)
    return emitDefiniteFailure("expects a positive integer as rows");
  auto softmax = dyn_cast<linalg::SoftmaxOp>(target);
  if (!softmax)
    return emitDefiniteFailure("expects linalg.softmax as target, found ") << target->getName();
  auto type = dyn_cast<RankedTensorType>(softmax.getInput().getType());
  if (!type || !type.hasStaticShape())
    return emitDefiniteFailure("expects a tensor of static shape, found ") << softmax.getInput().getType();
  Location loc = softmax.getLoc();
  if (getStreams())
    requestStreaming(target);
  int64_t outer = 1, size = 1, inner = 1, dimension = softmax.getDimension();
  for (auto [i, extent] : llvm::enumerate(type.getShape()))
    (static_cast<int64_t>(i) < dimension ? outer : static_cast<int64_t>(i) == dimension ? size : inner) *= extent;

  Sizes inRange(softmax);
  // With `apart` (each tile is a task), the length of a row may lie in a range: the threads of a workgroup share the
  // row, and only the sums of the row are in workgroup memory.
  if ((!inRange.of(size).isFixed() && !getApart()) || !inRange.of(inner).isFixed()) {
    if (failed(lowerAnySoftmax(b, softmax, inRange, getApart()))) {
      Extent extent = inRange.of(inRange.of(size).isFixed() ? inner : size);
      return emitDefiniteFailure() << "softmax does not support size '" << extent.sizes().front()
                                   << "', which lies in a range";
    }
    return DiagnosedSilenceableFailure::success();
  }

  SmallVector<int64_t> shape = inner == 1 ? SmallVector<int64_t>{outer, size} : SmallVector<int64_t>{outer, size, inner};
  Value input = emitReshape(b, loc, softmax.getInput(), shape);
  Value dest = emitDestination(b, softmax->getResult(0), RankedTensorType::get(shape, type.getElementType()));
  OpFoldResult zero = b.getIndexAttr(0);
  if (inner == 1)
    dest = emitRowTasks(b, loc, dest, *rows, getApart(), [&](OpBuilder &body, OpFoldResult row, int64_t count, Value tile) {
      Value x = emitSlice(body, loc, input, {row, zero}, {count, size});
      return emitSoftmaxTile(body, loc, {x, tile, /*alongRows=*/true, getStreams()},
                             [&](double value) { return emitFilled(body, loc, count, type.getElementType(), value); });
    });
  else {
    dest =
        emitTasks(b, loc, inRange.of(outer), dest, {0, size, inner}, [&](OpBuilder &body, ValueRange ivs, Value out) {
          SmallVector<OpFoldResult> place = {ivs[0], zero, zero};
          Value x = emitSlice(body, loc, input, place, {0, size, inner});
          Value tile = emitSlice(body, loc, out, place, {0, size, inner});
          Value result = emitSoftmaxTile(body, loc, {x, tile, /*alongRows=*/false}, [&](double value) {
            return emitFilled(body, loc, inner, type.getElementType(), value);
          });
          return TaskTile{result, place};
        });
  }
  b.replaceOp(softmax, emitReshape(b, loc, dest, type.getShape()));
  return DiagnosedSilenceableFailure::success();
}

/// Matches ops whose result is so large that it should bypass the caches.
DiagnosedSilenceableFailure transforms::MatchStreamsOp::matchOperation(Operation *current,
                                                                       transform::TransformResults &,
                                                                       transform::TransformState &) {
  auto type = current->getNumResults() ? dyn_cast<RankedTensorType>(current->getResult(0).getType()) : RankedTensorType();
  if (!type || !type.hasStaticShape() || type.getRank() == 0 || !type.getElementType().isIntOrFloat())
    return emitSilenceableError() << "needs a result of static shape";
  auto softmax = dyn_cast<linalg::SoftmaxOp>(current);
  if (softmax && int64_t(softmax.getDimension()) + 1 != type.getRank())
    return emitSilenceableError() << "supports only a softmax along the last dimension, found dimension "
                                  << softmax.getDimension();
  if (!Sizes(current).of(type.getShape().back()).isFixed())
    return emitSilenceableError() << "needs rows of a fixed length, found a range";
  int64_t element = type.getElementTypeBitWidth() / 8;
  int64_t bytes = Sizes(current).of(type.getNumElements() * element).low(); // the smallest size in the range
  if (bytes < int64_t(getAtLeast()))
    return emitSilenceableError() << "needs a result of at least " << getAtLeast()
                                  << " bytes, which does not fit into caches, found " << bytes << " bytes";
  if (int64_t row = type.getShape().back() * element; row % 64 != 0)
    return emitSilenceableError() << "needs rows whose length is a multiple of 64 bytes, found " << row << " bytes";
  return DiagnosedSilenceableFailure::success();
}
