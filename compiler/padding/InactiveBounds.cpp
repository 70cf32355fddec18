//===- InactiveBounds.cpp - ranges of values in padded batches ------------===//
//
// Inactive rows are skipped only if no result depends on them. The proof
// relies on the rule that a product with zero is zero, which is true only if
// the other factor is finite. The functions here compute ranges of values,
// which prove that factors are finite. Weights are assumed to be valid numbers
// (Bounds.h), and layers with valid operands are assumed to yield valid
// numbers. Rows are only combined with rows of the same batch entry, so a NaN
// in an entry that is computed as a whole reaches no other entry.
//
//===----------------------------------------------------------------------===//

#include "InactivePositions.h"

#include "Notes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
/// Returns tags of a value that mark no dimension as batch or positions.
static PositionTags noTags(Value value) { return PositionTags(typeOf(value).getRank(), '-'); }

/// Returns whether ranges may leave out the elements of batch entries that are computed as a whole. This requires that
/// entries with invalid inputs are computed as a whole, and that the tags identify the batch entry of an element.
bool InactivePositions::knowsEntry(StringRef tags) const {
  return whole.empty && (batchTag == '-' || tags.find_first_of("bx") != StringRef::npos);
}

/// Returns whether boundsOf() proves that the elements of `value` are valid numbers (Bounds.h).
bool InactivePositions::isValid(Value value, StringRef tags) {
  std::optional<Bounds> found = boundsOf(value, tags);
  return found && found->isValid();
}

std::optional<Bounds> InactivePositions::boundsOf(Value value, StringRef tags) {
  auto [entry, isNew] = bounds.try_emplace({value.getAsOpaquePointer(), tags.str()}, std::nullopt);
  if (isNew)
    entry->second = computeBounds(value, tags);
  return entry->second;
}

/// Computes a range for boundsOf(), which caches it.
std::optional<Bounds> InactivePositions::computeBounds(Value value, StringRef tags) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return boundConstant(constant);
  if (!type)
    return boundType(value.getType());
  if (auto input = dyn_cast<BlockArgument>(value))
    return boundInput(input, tags);
  auto reshaped = [&](auto reshape, bool expanded) {
    Value source = reshape.getSrc();
    std::optional<PositionTags> before = reshapeTags(tags, type.getShape(), typeOf(source).getShape(),
                                                     reshape.getReassociationIndices(), /*expands=*/!expanded);
    return boundsOf(source, before.value_or(noTags(source)));
  };
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  std::optional<Bounds> found =
      llvm::TypeSwitch<Operation *, std::optional<Bounds>>(op)
          .Case([&](WeightOp) { return boundType(type.getElementType()).value_or(Bounds::valid()); })
          .Case(
              [&](DequantizeOp widen) { return widen.isPlain() ? boundsOf(widen.getInput(), tags) : Bounds::valid(); })
          .Case([&](LayerOpInterface layer) { return number == 0 ? boundLayer(layer, tags) : std::nullopt; })
          .Case([&](linalg::LinalgOp loops) { return boundLoops(loops, number, tags); })
          .Case([&](tensor::ExpandShapeOp expand) { return reshaped(expand, /*expanded=*/true); })
          .Case([&](tensor::CollapseShapeOp collapse) { return reshaped(collapse, /*expanded=*/false); })
          .Case([&](tensor::ExtractSliceOp slice) {
            Value source = slice.getSource();
            bool isWhole = slice.getDroppedDims().none() &&
                           llvm::all_of(llvm::zip(tags, slice.getStaticSizes(), typeOf(source).getShape()), [](auto dim) {
                             return std::get<0>(dim) == '-' || std::get<1>(dim) == std::get<2>(dim);
                           });
            return boundsOf(source, isWhole ? tags.str() : noTags(source));
          })
          .Case([&](tensor::ConcatOp concat) {
            PositionTags its = tags[concat.getDim()] == '-' ? tags.str() : noTags(value);
            std::optional<Bounds> all = boundsOf(concat.getInputs().front(), its);
            for (Value input : concat.getInputs().drop_front()) {
              std::optional<Bounds> next = boundsOf(input, its);
              all = all && next ? std::optional(joined(*all, *next)) : std::nullopt;
            }
            return all;
          })
          .Default(std::optional<Bounds>());
  return found ? found : boundType(type.getElementType());
}

/// Returns the range of an input: the range that the module declares, or the range of an integer type. The elements of
/// other inputs are unknown, but the generated code checks the inputs in `validInputs`: batch entries in which such an
/// input has invalid elements are computed as a whole.
std::optional<Bounds> InactivePositions::boundInput(BlockArgument input, StringRef tags) {
  auto type = typeOf(input);
  auto func = dyn_cast<func::FuncOp>(input.getOwner()->getParentOp());
  if (auto range = func ? notes::range.get(func, input.getArgNumber()) : std::nullopt)
    return Bounds{double(range->low), double(range->high)};
  if (std::optional<Bounds> integers = boundType(type.getElementType()))
    return integers;
  if (!knowsEntry(tags) || type.getRank() == 0 || type.getDimSize(0) != batch || (batch > 1 && tags[0] != 'b'))
    return std::nullopt;
  validInputs.insert(input);
  return Bounds::valid();
}

/// Returns the range of the first result of a layer. If all operands are valid and the layer computes valid numbers
/// from valid operands, this is the range of valid numbers; otherwise it is unknown.
std::optional<Bounds> InactivePositions::boundLayer(LayerOpInterface layer, StringRef tags) {
  Operation *op = layer;
  if (auto attention = dyn_cast<AttentionOp>(op))
    return boundAttention(attention, tags);
  if (!layer.staysValid())
    return std::nullopt;
  for (OpOperand &operand : op->getOpOperands()) {
    PositionTags its = noTags(operand.get());
    OperandRows rows = layer.getOperandRows(operand);
    if (!rows.dims.empty())
      for (auto [from, to] : llvm::zip_equal(rows.dims, layer.getResultRows()))
        its[from] = tags[to];
    if (!isValid(operand.get(), its))
      return std::nullopt;
  }
  return Bounds::valid();
}

/// Returns the range of the bias that is added to scores, at active and inactive keys; {0, 0} if there is no bias.
std::optional<Bounds> InactivePositions::boundBias(AttentionOp op, const PositionTags &tags) {
  Value bias = op.getBias();
  if (!bias)
    return Bounds{0, 0};
  auto at = [&](bool active) -> std::optional<Bounds> {
    Known added = valueAt(bias, scoreTags(bias), active);
    return added.kind == Known::Number ? boundConstant(added.number) : std::nullopt;
  };
  std::optional<Bounds> inactive = at(false), active = at(true);
  if (inactive && active)
    return joined(*inactive, *active);
  PositionTags its = noTags(bias);
  if (its.size() == 4 && typeOf(bias).getDimSize(0) == batch)
    its[0] = tags[0];
  return boundsOf(bias, its);
}

/// Returns whether all scores of a row may be -inf. `bias` is the range of the bias. If `hasActiveKey` is true, the
/// batch entry of the row has an active key.
bool InactivePositions::mayBeEmpty(AttentionOp op, Bounds bias, bool hasActiveKey) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool removes = op.getMask() && op.getMaskedScoreValue() == -infinity, causal = op.getCausal() != Causal::None;
  if (op.getKeyLengths() || op.getWindow())
    return true;
  AttentionOp::Extents sizes = op.getSizes();
  if (causal && op.getCausal() != Causal::UpperLeft && sizes.queries != sizes.keys)
    return true;
  bool lowers = bias.low == -infinity;
  if (!removes && !lowers)
    return false;
  if (causal || !hasActiveKey || (removes && maskAt(op, /*active=*/true) != true))
    return true;
  if (!lowers)
    return false;
  Known added = valueAt(op.getBias(), scoreTags(op.getBias()), /*active=*/true);
  std::optional<Bounds> active = added.kind == Known::Number ? boundConstant(added.number) : std::nullopt;
  return !active || !active->isFinite();
}

/// Returns the range of an attention's result. The elements of the result are weighted means of elements of the values,
/// unless all scores of a row may be -inf (mayBeEmpty) and such a row yields NaN.
std::optional<Bounds> InactivePositions::boundAttention(AttentionOp op, StringRef tags) {
  if (op.hasScore() || op.hasProbability())
    return std::nullopt;
  PositionTags entry(4, '-');
  if (tags[0] == batchTag)
    entry = rowTags(4, {0u, op.getResultRows()[1]});
  auto isRowsValid = [&](OpOperand &operand) {
    PositionTags its(4, '-');
    if (tags[0] == batchTag)
      its = rowTags(4, cast<LayerOpInterface>(op.getOperation()).getOperandRows(operand).dims);
    return isValid(operand.get(), its);
  };
  std::optional<Bounds> bias = boundBias(op, entry);
  if (!bias || !(bias->high < std::numeric_limits<double>::infinity()) || !isRowsValid(op.getQueryMutable()) ||
      !isRowsValid(op.getKeyMutable()) || !isRowsValid(op.getValueMutable()))
    return std::nullopt;
  if (op.getEmptyRow() == EmptyRow::Nan && mayBeEmpty(op, *bias, knowsEntry(tags)))
    return std::nullopt;
  return Bounds::valid();
}

/// Returns the range of result `number` of a linalg op, from the ranges of the scalars in its body.
std::optional<Bounds> InactivePositions::boundLoops(linalg::LinalgOp op, unsigned number, StringRef tags) {
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
  PositionTags loopTags(op.getNumLoops(), '-');
  if (out.isProjectedPermutation())
    for (auto [expr, tag] : llvm::zip(out.getResults(), tags))
      loopTags[cast<AffineDimExpr>(expr).getPosition()] = tag;
  Value yielded = op.getBlock()->getTerminator()->getOperand(number);
  std::optional<Bounds> start = boundsOf(op.getDpsInitOperand(number)->get(), tags);
  if (op.getNumLoops() == op.getNumParallelLoops()) {
    ScalarBounds body{op, loopTags, start, {}};
    return boundScalar(body, yielded);
  }
  if (!start || !start->isValid())
    return std::nullopt;
  // By induction: if one iteration maps a range into itself, all iterations stay within it.
  for (Bounds within : {Bounds{0, Bounds::valid().high}, Bounds::valid()}) {
    if (start->low < within.low)
      continue;
    ScalarBounds body{op, loopTags, within, {}};
    std::optional<Bounds> next = boundScalar(body, yielded);
    if (next && next->low >= within.low && next->high <= within.high)
      return within;
  }
  return std::nullopt;
}

/// Returns the range of a scalar that the body of a linalg op uses or computes, and caches it in `body`.
std::optional<Bounds> InactivePositions::boundScalar(ScalarBounds &body, Value scalar) {
  auto [entry, isNew] = body.known.try_emplace(scalar.getAsOpaquePointer(), std::nullopt);
  if (!isNew)
    return entry->second;
  return entry->second = computeScalarBounds(body, scalar);
}

/// Computes a result of boundScalar().
std::optional<Bounds> InactivePositions::computeScalarBounds(ScalarBounds &body, Value scalar) {
  linalg::LinalgOp op = body.op;
  auto argument = dyn_cast<BlockArgument>(scalar);
  if (argument && argument.getOwner() == op.getBlock()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (op.isDpsInit(operand))
      return body.carried;
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    if (!type)
      return boundsOf(operand->get(), "");
    AffineMap map = op.getMatchingIndexingMap(operand);
    PositionTags tags(type.getRank(), '-');
    if (map.isProjectedPermutation(/*allowZeroInResults=*/true))
      for (auto [i, expr] : llvm::enumerate(map.getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          tags[i] = body.loopTags[dim.getPosition()];
    return boundsOf(operand->get(), tags);
  }
  Operation *inner = scalar.getDefiningOp();
  if (!inner || inner->getBlock() != op.getBlock() || inner->hasTrait<OpTrait::ConstantLike>())
    return boundsOf(scalar, "");
  if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
    return boundsOf(extract.getTensor(), noTags(extract.getTensor()));
  SmallVector<std::optional<Bounds>> operands;
  for (Value operand : inner->getOperands())
    operands.push_back(boundScalar(body, operand));
  return boundResult(*inner, operands);
}
