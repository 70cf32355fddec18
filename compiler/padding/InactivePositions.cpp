//===- InactivePositions.cpp - values that no output depends on -----------===//
//
// The analysis examines all direct and indirect uses of a value in its block. If the value is an operand of a layer
// that computes each row separately, of an elementwise loop or of a reshape, or the query of an attention, the result
// has corresponding rows, whose uses are examined in turn. The proof succeeds if each chain of uses ends at an
// operation whose results do not depend on inactive rows.
//
//===----------------------------------------------------------------------===//

#include "InactivePositions.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// Returns whether any dimension counts batch entries or positions.
static bool hasTags(StringRef tags) { return tags.find_first_not_of('-') != StringRef::npos; }

InactivePositions::InactivePositions(Value flags, int64_t lowestFlag, int64_t highestFlag, WholeEntries whole)
    : flags(flags), batch(shapeOf(flags).front()), positions(shapeOf(flags).back()), lowestFlag(lowestFlag),
      highestFlag(highestFlag), whole(whole), batchTag(batch > 1 ? 'b' : '-'),
      positionTag(positions > 1 ? 's' : '-') {}

std::optional<PositionTags> heddle::reshapeTags(StringRef tags, ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                                                ArrayRef<ReassociationIndices> groups, bool expands) {
  PositionTags result(to.size(), '-');
  for (auto [number, group] : llvm::enumerate(groups)) {
    ReassociationIndices one = {int64_t(number)};
    auto large = [](ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
      return llvm::to_vector(llvm::make_filter_range(dims, [=](int64_t dim) { return shape[dim] != 1; }));
    };
    SmallVector<int64_t> source = large(from, expands ? one : group), target = large(to, expands ? group : one);
    std::string before;
    for (int64_t dim : source)
      before += tags[dim];
    if (!hasTags(before))
      continue;
    bool sameSizes = source.size() == target.size() &&
                     llvm::all_of(llvm::zip(source, target), [&](auto pair) {
                       return from[std::get<0>(pair)] == to[std::get<1>(pair)];
                     });
    std::string after = sameSizes ? before : before == "bs" ? "x" : before == "x" ? "bs" : "";
    if (after.size() != target.size())
      return std::nullopt;
    for (auto [dim, tag] : llvm::zip(target, after))
      result[dim] = tag;
  }
  return result;
}

PositionTags InactivePositions::rowTags(size_t rank, ArrayRef<unsigned> rows) const {
  PositionTags tags(rank, '-');
  tags[rows[0]] = batchTag;
  tags[rows[1]] = positionTag;
  return tags;
}

/// Returns the tags of a mask or bias of an attention, whose dimensions are the last ones of [B, H, Sq, Skv]. B counts
/// batch entries, and Skv counts the positions of keys; H and Sq have no tags.
PositionTags InactivePositions::scoreTags(Value operand) const {
  ArrayRef<int64_t> shape = shapeOf(operand);
  PositionTags tags(shape.size(), '-');
  if (!shape.empty() && shape.back() != 1)
    tags.back() = positionTag;
  if (shape.size() == 4 && shape[0] != 1)
    tags[0] = batchTag;
  return tags;
}

/// Returns the tags of `flags`.
PositionTags InactivePositions::flagTags() const {
  PositionTags tags(shapeOf(flags).size(), '-');
  tags.front() = batchTag;
  tags.back() = positionTag;
  return tags;
}

std::optional<PositionTags> InactivePositions::guessTags(LayerOpInterface layer) const {
  auto type = dyn_cast<RankedTensorType>(layer->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  SmallVector<unsigned> rows = layer.getResultRows();
  llvm::erase_if(rows, [&](unsigned dim) { return type.getDimSize(dim) == 1; });
  PositionTags tags(type.getRank(), '-');
  std::string wanted;
  for (char tag : {batchTag, positionTag})
    if (tag != '-')
      wanted += tag;
  if (wanted == "bs" && rows.size() == 1 && type.getDimSize(rows[0]) == batch * positions) {
    tags[rows[0]] = 'x';
    return tags;
  }
  if (wanted.empty() || rows.size() != wanted.size())
    return std::nullopt;
  for (auto [dim, tag] : llvm::zip(rows, wanted)) {
    if (type.getDimSize(dim) != (tag == 'b' ? batch : positions))
      return std::nullopt;
    tags[dim] = tag;
  }
  return tags;
}

bool InactivePositions::isIgnored(Value value, StringRef tags) {
  if (!hasTags(tags))
    return false;
  auto [entry, isNew] = ignored.try_emplace({value.getAsOpaquePointer(), tags.str()}, false);
  if (isNew) // uses follow their value in the block, so the recursion ends
    entry->second = llvm::all_of(value.getUses(), [&](OpOperand &use) { return ignores(use, tags); });
  return entry->second;
}

bool InactivePositions::ignores(OpOperand &use, StringRef tags) {
  Operation *op = use.getOwner();
  if (op->getBlock() != use.get().getParentBlock())
    return false;
  auto reshape = [&](auto reshape, bool expands) {
    std::optional<PositionTags> after = reshapeTags(tags, shapeOf(reshape.getSrc()), shapeOf(reshape.getResult()),
                                                    reshape.getReassociationIndices(), expands);
    return after && isIgnored(reshape.getResult(), *after);
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](LayerOpInterface layer) { return rowsIgnore(layer, use, tags); })
      .Case([&](linalg::LinalgOp loops) { return loopsIgnore(loops, use, tags); })
      .Case([&](tensor::ExpandShapeOp expand) { return reshape(expand, /*expands=*/true); })
      .Case([&](tensor::CollapseShapeOp collapse) { return reshape(collapse, /*expands=*/false); })
      .Case([&](tensor::ExtractSliceOp slice) {
        RankedTensorType source = slice.getSourceType();
        llvm::SmallBitVector dropped = slice.getDroppedDims();
        PositionTags after;
        for (int64_t dim = 0; dim < source.getRank(); ++dim) {
          if (tags[dim] != '-' && slice.getStaticSizes()[dim] != source.getDimSize(dim))
            return false;
          if (!dropped.test(dim))
            after += tags[dim];
        }
        return isIgnored(slice.getResult(), after);
      })
      .Default(false);
}

/// Returns whether the layer ignores inactive rows of the operand `use`, or whether the corresponding rows of the
/// layer's result are ignored. If OperandRows::rowwise is set, row i of the operand influences only row i of the
/// result.
bool InactivePositions::rowsIgnore(LayerOpInterface layer, OpOperand &use, StringRef tags) {
  OperandRows rows = layer.getOperandRows(use);
  if (layer->getNumResults() != 1 || rows.dims.empty())
    return false;
  if (!rows.rowwise) {
    auto attention = dyn_cast<AttentionOp>(layer.getOperation());
    return attention && tags == rowTags(tags.size(), rows.dims) && keysIgnore(attention, use);
  }
  PositionTags rest = tags.str(), after(cast<RankedTensorType>(layer->getResult(0).getType()).getRank(), '-');
  for (auto [from, to] : llvm::zip_equal(rows.dims, layer.getResultRows()))
    std::swap(rest[from], after[to]);
  return !hasTags(rest) && isIgnored(layer->getResult(0), after);
}

bool InactivePositions::loopsIgnore(linalg::LinalgOp op, OpOperand &use, StringRef tags) {
  AffineMap map = op.getMatchingIndexingMap(&use);
  PositionTags loops(op.getNumLoops(), '-');
  for (auto [expr, tag] : llvm::zip(map.getResults(), tags)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (tag != '-' && (!dim || loops[dim.getPosition()] != '-'))
      return false;
    if (tag != '-')
      loops[dim.getPosition()] = tag;
  }
  Scalars scalars;
  evaluateBody(op, loops, /*active=*/false, &use, scalars);
  for (auto [number, yielded] : llvm::enumerate(op.getBlock()->getTerminator()->getOperands())) {
    if (lookup(yielded, scalars).kind != Known::Depends)
      continue;
    // Each inactive row must influence only one row of the result.
    AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
    if (!out.isProjectedPermutation() || number >= op->getNumResults())
      return false;
    PositionTags after;
    for (AffineExpr expr : out.getResults())
      after += loops[cast<AffineDimExpr>(expr).getPosition()];
    for (unsigned loop = 0; loop < loops.size(); ++loop)
      if (loops[loop] != '-' && !out.isFunctionOfDim(loop))
        return false;
    if (!isIgnored(op->getResult(number), after))
      return false;
  }
  return true;
}

/// Returns whether the attention operation ignores inactive rows of `use`, which is its operand for keys or values. If
/// the mask replaces the scores of inactive positions, their keys have no influence, but their values may have. Without
/// `whole.empty`, keys and values could therefore get different activity masks. With `whole.empty`, they get the same
/// activity mask, so this property of keys is used only then.
bool InactivePositions::keysIgnore(AttentionOp op, OpOperand &use) {
  bool replaced = &use == &op.getKeyMutable() && whole.empty && op.getMask() && maskAt(op, /*active=*/false) == false;
  return replaced || removesInactiveKeys(op);
}

/// Returns the mask's value at inactive (or active) keys; nullopt if the value is unknown or differs between these keys
/// or between queries.
std::optional<bool> InactivePositions::maskAt(AttentionOp op, bool active) {
  Known flag = valueAt(op.getMask(), scoreTags(op.getMask()), active);
  auto number = flag.kind == Known::Number ? dyn_cast<IntegerAttr>(flag.number) : nullptr;
  return number ? std::optional(!number.getValue().isZero()) : std::nullopt;
}

/// Returns whether no inactive key influences the used part of the result. A score of -inf always removes a key. A
/// score that is the lowest finite number removes a key if the query has any higher score. The query has such a score
/// if it attends to all keys and its batch entry has an active key, or if it attends to the key at its own position.
/// (That key is active, since only active rows of the result are used.) For the attention `whole.low`, any finite
/// masked score removes a key, since entries with other scores that are nearly as low are computed as a whole.
bool InactivePositions::removesInactiveKeys(AttentionOp op) {
  if (op.hasProbability()) // the region may yield a probability other than 0 for a removed key
    return false;
  auto isFinite = [&](OpOperand &operand) {
    auto layer = cast<LayerOpInterface>(op.getOperation());
    return isValid(operand.get(), rowTags(4, layer.getOperandRows(operand).dims));
  };
  if (op == whole.low)
    return op.getSizes().batch == batch && maskAt(op, false) == false && maskAt(op, true) == true &&
           isFinite(op.getValueMutable());
  Value bias = op.getBias(), mask = op.getMask();
  auto scoreOf = [&](bool active) -> std::optional<double> {
    if (mask) {
      std::optional<bool> kept = maskAt(op, active);
      if (!kept)
        return std::nullopt;
      if (!*kept)
        return op.getMaskedScoreValue();
    }
    if (op.hasScore())
      return std::nullopt;
    if (!bias)
      return active ? std::optional(0.0) : std::nullopt;
    Known added = valueAt(bias, scoreTags(bias), active);
    auto number = added.kind == Known::Number ? dyn_cast<FloatAttr>(added.number) : nullptr;
    return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
  };
  std::optional<double> inactive = scoreOf(false);
  if (!inactive || !(*inactive <= -double(std::numeric_limits<float>::max())))
    return false;
  if (*inactive == -std::numeric_limits<double>::infinity())
    return true;
  std::optional<double> active = scoreOf(true);
  AttentionOp::Extents sizes = op.getSizes();
  if (!active || std::abs(*active) >= 1e30 || op.getKeyLengths())
    return false;
  // A value is multiplied even by a probability of 0, and a bias does not remove a score of NaN.
  bool replaces = mask && maskAt(op, /*active=*/false) == false;
  if (!isFinite(op.getValueMutable()) ||
      (!replaces && !(isFinite(op.getQueryMutable()) && isFinite(op.getKeyMutable()))))
    return false;
  if (whole.empty)
    return op.getCausal() == Causal::None && !op.getWindow();
  return sizes.queries == sizes.keys && isIgnored(op.getResult(), rowTags(4, op.getResultRows()));
}
