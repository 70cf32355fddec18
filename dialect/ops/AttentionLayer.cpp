//===- AttentionLayer.cpp - layer interface of attention ------------------===//

#include "Shapes.h"

using namespace mlir;
using namespace heddle;

ArrayRef<OperandRole> AttentionOp::getOperandRoles() {
  static constexpr OperandRole roles[] = {OperandRole::Query,     OperandRole::Key,  OperandRole::Value,
                                          OperandRole::ScoreBias, OperandRole::Mask, OperandRole::KeyLengths,
                                          OperandRole::ScoreRead};
  return roles;
}

/// Returns the dimensions of an operand or result that index rows: batch entry and position. All heads of a position
/// together are one row, as in the result of a projection.
static SmallVector<unsigned> rowsIn(Layout layout) { return {0, layout == Layout::Bhsd ? 2u : 1u}; }

SmallVector<unsigned> AttentionOp::getResultRows() { return rowsIn(getResultLayout()); }

OperandRows AttentionOp::getOperandRows(OpOperand &operand) {
  switch (getOperandRole(operand)) {
  case OperandRole::Query:
    return {rowsIn(getQueryLayout())};
  case OperandRole::Key:
    return {rowsIn(getKeyLayout()), /*rowwise=*/false};
  case OperandRole::Value:
    return {rowsIn(getValueLayout()), /*rowwise=*/false};
  default:
    return {};
  }
}

/// Rows of padding cannot be skipped if the second result, the probabilities, is needed for all queries.
bool AttentionOp::canLeaveRowsOut() { return !getWithWeights(); }

/// Counts the pairs of a query and a key, for one batch entry and head, that `causal` and `window` do not remove.
/// `key_lengths` is ignored, because its values are known at run time only.
static double countPairs(AttentionOp op, const AttentionOp::Extents &sizes) {
  bool windowed = op.getWindow().has_value(), causal = op.getCausal() != Causal::None;
  if (!windowed && !causal)
    return double(sizes.queries) * double(sizes.keys);
  double pairs = 0;
  for (int64_t i = 0; i < sizes.queries; ++i) {
    int64_t position = op.getCausal() == Causal::UpperLeft ? i : i + sizes.keys - sizes.queries;
    int64_t first = 0, last = sizes.keys - 1;
    if (causal)
      last = std::min(last, position);
    if (op.getWindowLeft() >= 0)
      first = std::max(first, position - op.getWindowLeft());
    if (op.getWindowRight() >= 0)
      last = std::min(last, position + op.getWindowRight());
    pairs += double(std::max<int64_t>(0, last - first + 1));
  }
  return pairs;
}

double AttentionOp::getMultiplyAdds() {
  Extents sizes = getSizes();
  for (int64_t size : {sizes.batch, sizes.queryHeads, sizes.queries, sizes.keys, sizes.headSize, sizes.valueSize})
    if (isDynamic(size))
      return 0;
  return double(sizes.batch * sizes.queryHeads) * countPairs(*this, sizes) * double(sizes.headSize + sizes.valueSize);
}
