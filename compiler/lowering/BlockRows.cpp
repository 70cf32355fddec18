//===- BlockRows.cpp - block_rows, match_rows and match_few_rows ----------===//

#include "Emit.h"
#include "TransformOps.h"

#include "Sizes.h"
#include "ops/TensorViews.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace heddle;

/// Returns the number of rows of the layer, the product of all dimensions of its result but the last; 0 if the result
/// has a dynamic dimension.
static int64_t countRows(Operation *layer) {
  auto type = cast<RankedTensorType>(layer->getResult(0).getType());
  return type.hasStaticShape() ? type.getNumElements() / std::max<int64_t>(type.getShape().back(), 1) : 0;
}

/// Returns the largest divisor of `rows` that is at most `maximum`.
static int64_t blockSize(int64_t rows, int64_t maximum) {
  int64_t size = std::min(maximum, rows);
  while (rows % size)
    --size;
  return size;
}

/// Replaces a layer by tasks, each of which contains the layer for one block of rows. A layer whose rows fit into one
/// block does not change.
DiagnosedSilenceableFailure transforms::BlockRowsOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                Operation *target,
                                                                transform::TransformState &state) {
  if (!isa<LinearOp, FfnOp>(target))
    return emitDefiniteFailure("expects heddle.linear or heddle.ffn as target, found ") << target->getName();
  FailureOr<int64_t> maximum = getInteger(state, getRows());
  if (failed(maximum) || *maximum <= 0)
    return emitDefiniteFailure("expects a positive integer as rows");
  int64_t rows = countRows(target);
  if (rows == 0)
    return emitDefiniteFailure("expects static shapes, found result ") << target->getResult(0).getType();
  int64_t size = blockSize(rows, *maximum);
  if (size == rows)
    return DiagnosedSilenceableFailure::success();

  Location loc = target->getLoc();
  auto type = cast<RankedTensorType>(target->getResult(0).getType());
  // Each operand that has rows, with its reshape to a matrix [rows, width].
  SmallVector<std::pair<Value, Value>> operands;
  for (OpOperand &operand : target->getOpOperands())
    if (!cast<LayerOpInterface>(target).getOperandRows(operand).dims.empty()) {
      int64_t width = cast<RankedTensorType>(operand.get().getType()).getShape().back();
      operands.emplace_back(operand.get(), emitReshape(rewriter, loc, operand.get(), {rows, width}));
    }
  int64_t columns = type.getShape().back();
  Value dest = emitDestination(rewriter, target->getResult(0), RankedTensorType::get({rows, columns}, type.getElementType()));
  Value result = emitTasks(
      rewriter, loc, {rows / size}, dest, {size, columns}, [&](OpBuilder &b, ValueRange ivs, Value out) {
        OpFoldResult zero = b.getIndexAttr(0), row = emitAffine(b, loc, ivs[0], size, 0);
        IRMapping mapping;
        for (auto [whole, flat] : operands)
          if (!mapping.contains(whole)) {
            int64_t width = cast<RankedTensorType>(flat.getType()).getDimSize(1);
            mapping.map(whole, emitSlice(b, loc, flat, {row, zero}, {size, width}));
          }
        Operation *layer = b.clone(*target, mapping);
        layer->getResult(0).setType(RankedTensorType::get({size, columns}, type.getElementType()));
        return TaskTile{layer->getResult(0), {row, zero}};
      });
  rewriter.replaceOp(target, emitReshape(rewriter, loc, result, type.getShape()));
  return DiagnosedSilenceableFailure::success();
}

/// Matches layers with a fixed number of rows, at least `at_least`, that can be cut into equal blocks of half of
/// `in_blocks_of` to `in_blocks_of` rows.
DiagnosedSilenceableFailure transforms::MatchRowsOp::matchOperation(Operation *current, transform::TransformResults &,
                                                                    transform::TransformState &) {
  if (!isa<LinearOp, FfnOp>(current))
    return emitSilenceableError() << "supports only heddle.linear and heddle.ffn, found " << current->getName();
  int64_t rows = countRows(current), block = rows ? blockSize(rows, getInBlocksOf()) : 0;
  if (!Sizes(current).of(rows).isFixed())
    return emitSilenceableError() << "needs a fixed number of rows, found a range";
  if (rows < int64_t(getAtLeast()))
    return emitSilenceableError() << "needs at least " << getAtLeast() << " rows, found " << rows;
  // Every block reads all weights. This still pays off if a block has half of `in_blocks_of` rows.
  if (2 * block < int64_t(getInBlocksOf()))
    return emitSilenceableError() << "needs rows that can be divided into equal blocks of " << getInBlocksOf() / 2
                                  << " to " << getInBlocksOf() << " rows, found " << rows << " rows";
  return DiagnosedSilenceableFailure::success();
}

/// Matches layers with a fixed number of rows, at most `at_most`. With `wide`, does not match a heddle.linear whose
/// rows and weight have the same 16-bit type.
DiagnosedSilenceableFailure transforms::MatchFewRowsOp::matchOperation(Operation *current,
                                                                       transform::TransformResults &,
                                                                       transform::TransformState &) {
  if (!isa<LinearOp, FfnOp>(current))
    return emitSilenceableError() << "supports only heddle.linear and heddle.ffn, found " << current->getName();
  Extent rows = Sizes(current).of(countRows(current));
  if (!rows.isFixed())
    return emitSilenceableError() << "needs a fixed number of rows, found a range";
  if (rows.high() > int64_t(getAtMost()))
    return emitSilenceableError() << "supports at most " << getAtMost() << " rows, found " << rows.high();
  if (auto linear = dyn_cast<LinearOp>(current); linear && getWide()) {
    Type element = findExactElement(linear.getInput());
    if (element.getIntOrFloatBitWidth() == 16 && element == findExactElement(linear.getWeight()))
      return emitSilenceableError() << "does not support products of " << debugString(element);
  }
  return DiagnosedSilenceableFailure::success();
}
