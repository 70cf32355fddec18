//===- BlockEpilogue.cpp - epilogues of products, in registers ------------===//

#include "BlockVectorizer.h"
#include "FoldVectorizer.h"

using namespace mlir;
using namespace heddle;

/// Returns whether `op` has one result and a body that can be vectorised, and reads `value` once, indexed by a
/// permutation of all loops of `op`. Along the loop over the last dimension of `value`, every other input must be
/// uniform or contiguous, and the result contiguous.
static bool canBeEpilogue(linalg::GenericOp op, Value value, int64_t rank) {
  if (!op || !op.hasPureTensorSemantics() || op.getNumLoops() != rank || op->getNumResults() != 1 ||
      llvm::count(op->getOperands(), value) != 1 || opWithoutForm(op))
    return false;
  OpOperand *from = llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) { return operand.get() == value; });
  AffineMap map = op.getMatchingIndexingMap(from);
  if (!map.isPermutation())
    return false;
  AffineExpr lane = map.getResult(map.getNumResults() - 1);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap other = op.getMatchingIndexingMap(&operand);
    std::optional<unsigned> at = other.getResultPosition(lane);
    if (!other.isProjectedPermutation() || (at && *at + 1 != other.getNumResults()) ||
        (op.isDpsInit(&operand) && !at))
      return false;
  }
  return true;
}

SmallVector<linalg::GenericOp> heddle::epilogueOf(linalg::LinalgOp op, const VectorOptions &options) {
  SmallVector<linalg::GenericOp> epilogue;
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 || op.getNumReductionLoops() == 0 ||
      planFold(op, options))
    return {};
  Value value = op->getResult(0);
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  auto next = [&](Operation *user) {
    auto generic = dyn_cast<linalg::GenericOp>(user);
    return generic && generic->getBlock() == op->getBlock() && canBeEpilogue(generic, value, rank) ? generic : nullptr;
  };
  // First, find the chain of elementwise ops that update the value in place.
  while (value.hasOneUse()) {
    linalg::GenericOp user = next(*value.user_begin());
    if (!user || user.getNumReductionLoops() || user.getDpsInits()[0] != value)
      break;
    epilogue.push_back(user);
    value = user->getResult(0);
  }
  // Then find an op that reduces the value. If the value has other users, they must follow this op, since this op is
  // moved into the loops.
  Operation *first = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    if (ancestor && (!first || ancestor->isBeforeInBlock(first)))
      first = ancestor;
  }
  if (linalg::GenericOp user = first ? next(first) : nullptr)
    if (user.getNumReductionLoops() && user.getDpsInits()[0] != value)
      epilogue.push_back(user);
  return epilogue;
}

/// Emits the epilogue for the register tile `values`, and replaces `values` by the results of the epilogue's
/// elementwise ops. An op that reduces the values writes a tensor of its own, carried[1].
void BlockVectorizer::emitEpilogue(SmallVector<Value> &values) {
  Value current = op->getResult(0);
  AffineMap produced = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (linalg::GenericOp next : epilogue) {
    BlockVectorizer inner(rewriter, next, options);
    inner.b.restoreInsertionPoint(b.saveInsertionPoint());
    OpOperand *from = llvm::find_if(next->getOpOperands(), [&](OpOperand &operand) { return operand.get() == current; });
    AffineMap map = next.getMatchingIndexingMap(from);
    for (unsigned i = 0; i < map.getNumResults(); ++i) {
      unsigned mine = produced.getDimPosition(i), its = map.getDimPosition(i);
      inner.base[its] = base[mine];
      if (mine == lane)
        inner.lane = its;
      else if (row && mine == *row)
        inner.row = its;
    }
    inner.rows = rows;
    inner.vectors = vectors;
    inner.width = width;
    inner.outputs.push_back(Output{/*reduced=*/true, /*fill=*/Value(), /*firstCarried=*/1});
    inner.carried.push_back(carried[next.isDpsInit(from) ? 0 : 1]);
    inner.carried.append(values);
    if (next.isDpsInit(from)) {
      inner.preload();
      inner.emitBody();
      values.assign(inner.carried.begin() + 1, inner.carried.end());
      current = next->getResult(0);
    } else {
      inner.gather(*from, values);
      carried[1] = inner.carried[0];
    }
    b.restoreInsertionPoint(inner.b.saveInsertionPoint());
  }
}

/// The op of this vectorizer must be an epilogue op that reduces the register tile `values`, which it reads as its
/// operand `from`. Emits the op: loads the partial result of the reduction over the previous register tiles, combines
/// it with the values, and stores the new partial result.
void BlockVectorizer::gather(OpOperand &from, ArrayRef<Value> values) {
  for (int64_t u = 0; u < rows; ++u)
    for (int64_t j = 0; j < vectors; ++j)
      loaded[{from.getOperandNumber(), u, j}] = values[u * vectors + j];
  preload();
  OpOperand &init = *op.getDpsInitOperand(0);
  bool shared = !row || !op.getMatchingIndexingMap(&init).isFunctionOfDim(*row);
  SmallVector<Value> sums;
  for (int64_t u = 0; u < (shared ? 1 : rows); ++u)
    for (int64_t j = 0; j < vectors; ++j)
      sums.push_back(load(init, carried[0], u, j));
  for (int64_t u = 0; u < rows; ++u)
    for (int64_t j = 0; j < vectors; ++j) {
      Value &sum = sums[(shared ? 0 : u * vectors) + j];
      carried[1 + u * vectors + j] = sum;
      sum = emitBody(u, j)[0];
    }
  for (auto [i, sum] : llvm::enumerate(sums))
    store(0, sum, i / vectors, i % vectors);
}
