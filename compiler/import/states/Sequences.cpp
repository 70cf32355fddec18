//===- Sequences.cpp - dimensions of sequences ----------------------------===//

#include "Sequences.h"

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace heddle;

static constexpr SequencePlace mixed{SequencePlace::Mixed};

SmallVector<Value> heddle::tensorsReadBy(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return llvm::to_vector(llvm::make_filter_range(values, [](Value value) { return isa<TensorType>(value.getType()); }));
}

/// Returns the place of sequences after an expansion, which splits dimension `place.dim`. Since sequences are the
/// outermost index in this dimension, the first of the resulting dimensions with an extent other than 1 is the
/// dimension of sequences. Returns `mixed` if this dimension does not separate the sequences.
static SequencePlace expand(SequencePlace place, tensor::ExpandShapeOp op, int64_t batch) {
  int64_t inside = batch * place.inner;
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  const ReassociationIndices group = op.getReassociationIndices()[place.dim]; // a copy, because the list is temporary
  for (int64_t dim : group) {
    if (shape[dim] == 1)
      continue;
    if (shape[dim] % batch != 0 || inside % shape[dim] != 0)
      return mixed;
    return {SequencePlace::Apart, unsigned(dim), shape[dim] / batch};
  }
  return mixed;
}

/// Returns the place of sequences after a collapse, which merges dimension `place.dim` with other dimensions. Returns
/// `mixed` unless `place.dim` is the outermost of these dimensions, apart from dimensions of extent 1.
static SequencePlace collapse(SequencePlace place, tensor::CollapseShapeOp op) {
  ArrayRef<int64_t> shape = op.getSrcType().getShape();
  for (auto [to, group] : llvm::enumerate(op.getReassociationIndices())) {
    ArrayRef<int64_t> dims(group);
    size_t own = size_t(llvm::find(dims, int64_t(place.dim)) - dims.begin());
    if (own == dims.size())
      continue;
    SequencePlace result{SequencePlace::Apart, unsigned(to), place.inner};
    for (int64_t dim : dims.drop_front(own + 1))
      result.inner *= shape[dim];
    bool isOutermost = llvm::all_of(dims.take_front(own), [&](int64_t dim) { return shape[dim] == 1; });
    return isOutermost ? result : mixed;
  }
  return mixed;
}

/// For a linalg operation, finds the dimension of the result that is indexed by the same loop as `place.dim` of the
/// operand.
static SequencePlace follow(SequencePlace place, linalg::LinalgOp op, OpOperand &operand, unsigned result) {
  auto loop = dyn_cast<AffineDimExpr>(op.getMatchingIndexingMap(&operand).getResult(place.dim));
  if (!loop || op.getIteratorTypesArray()[loop.getPosition()] != utils::IteratorType::parallel)
    return mixed;
  ArrayRef<AffineExpr> results = op.getMatchingIndexingMap(op.getDpsInitOperand(result)).getResults();
  const auto *found = llvm::find(results, AffineExpr(loop));
  return found == results.end() ? mixed
                                : SequencePlace{SequencePlace::Apart, unsigned(found - results.begin()), place.inner};
}

/// For a layer, finds the dimension of the result that has the same rows as dimension `place.dim` of the operand.
/// Returns `mixed` if the layer combines rows of different sequences.
static SequencePlace follow(SequencePlace place, LayerOpInterface layer, OpOperand &operand, unsigned result) {
  OperandRows rows = layer.getOperandRows(operand);
  const auto *found = llvm::find(rows.dims, place.dim);
  SmallVector<unsigned> results = layer.getResultRows();
  size_t number = size_t(found - rows.dims.begin());
  bool keepsEntries = rows.rowwise || (number == 0 && rows.dims.size() > 1 && place.inner == 1);
  if (result != 0 || found == rows.dims.end() || number >= results.size() || !keepsEntries)
    return mixed;
  return {SequencePlace::Apart, results[number], place.inner};
}

/// Returns the dimension of sequences in the result if `place` is their dimension in `operand`.
static SequencePlace follow(SequencePlace place, OpOperand &operand, OpResult result, int64_t batch) {
  Operation *op = operand.getOwner();
  if (auto loops = dyn_cast<linalg::LinalgOp>(op))
    return follow(place, loops, operand, result.getResultNumber());
  if (auto layer = dyn_cast<LayerOpInterface>(op))
    return follow(place, layer, operand, result.getResultNumber());
  if (auto expands = dyn_cast<tensor::ExpandShapeOp>(op))
    return expand(place, expands, batch);
  if (auto collapses = dyn_cast<tensor::CollapseShapeOp>(op))
    return collapse(place, collapses);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return concat.getDim() == place.dim ? mixed : place;
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return softmax.getDimension() == place.dim ? mixed : place;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    bool isWhole = slice.getStaticOffsets()[place.dim] == 0 && slice.getStaticStrides()[place.dim] == 1 &&
                   slice.getStaticSizes()[place.dim] == slice.getSourceType().getDimSize(place.dim);
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    if (!isWhole || dropped.test(place.dim))
      return mixed;
    unsigned before = 0;
    for (unsigned dim = 0; dim < place.dim; ++dim)
      before += dropped.test(dim);
    return {SequencePlace::Apart, place.dim - before, place.inner};
  }
  return OpTrait::hasElementwiseMappableTraits(op) || isa<CheckedIndexOp>(op) ? place : mixed;
}

SequencePlace Sequences::find(OpResult result) const {
  Operation *op = result.getOwner();
  SequencePlace found;
  for (Value value : tensorsReadBy(op))
    if (SequencePlace place = of(value); place.kind == SequencePlace::Mixed)
      return mixed;
    else if (place.kind == SequencePlace::Apart && isOne())
      found = place;
    else if (place.kind == SequencePlace::Apart && !llvm::is_contained(op->getOperands(), value))
      return mixed; // the body reads elements at computed indices, perhaps of other sequences
  if (isOne())
    return found;
  for (OpOperand &operand : op->getOpOperands()) {
    SequencePlace place = of(operand.get());
    if (place.kind == SequencePlace::None)
      continue;
    SequencePlace next = follow(place, operand, result, batch);
    if (found.kind != SequencePlace::None && !(next == found))
      return mixed;
    found = next;
  }
  return found;
}

Sequences::Sequences(func::FuncOp main, ArrayRef<BlockArgument> inputs, int64_t batch) : batch(batch) {
  for (BlockArgument input : inputs)
    places[input] = {SequencePlace::Apart, 0, 1};
  for (Operation &op : main.front())
    for (OpResult result : op.getResults())
      if (isa<TensorType>(result.getType()))
        places[result] = find(result);
}
