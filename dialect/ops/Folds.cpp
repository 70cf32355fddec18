//===- Folds.cpp - removal of neutral operands ----------------------------===//

#include "Folds.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

/// Removes `operand` if it is present and a constant whose elements all satisfy `neutral`. Returns whether it was
/// removed.
static bool drop(Operation *op, MutableOperandRange operand, PatternRewriter &rewriter,
                 function_ref<bool(const APFloat &)> neutral) {
  if (operand.empty())
    return false;
  DenseFPElementsAttr values;
  Value value = static_cast<OperandRange>(operand).front();
  if (!matchPattern(value, m_Constant(&values)) || !llvm::all_of(values.getValues<APFloat>(), neutral))
    return false;
  rewriter.modifyOpInPlace(op, [&] { operand.clear(); });
  return true;
}

bool heddle::dropZero(Operation *op, MutableOperandRange operand, PatternRewriter &rewriter) {
  return drop(op, operand, rewriter, [](const APFloat &value) { return value.isZero(); });
}

bool heddle::dropOne(Operation *op, MutableOperandRange operand, PatternRewriter &rewriter) {
  return drop(op, operand, rewriter, [](const APFloat &value) { return value.isExactlyValue(1.0); });
}
