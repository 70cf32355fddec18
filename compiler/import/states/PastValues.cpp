//===- PastValues.cpp - values for the past of each sequence --------------===//

#include "PastValues.h"

#include "sizes/EmitSizes.h"

#include "Heddle.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

bool PastSizes::has(Type type) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::any_of(tensor.getShape(), [&](int64_t extent) { return has(dimOf(extent)); });
}

std::optional<int64_t> PastSizes::extent(int64_t number) const {
  Dim dim = dimOf(number);
  if (!has(dim))
    return number;
  SizeExpression behind = dim.asExpression() - SizeExpression::size(past);
  bool isState = behind == SizeExpression(0) || behind == rows.asExpression();
  return isState ? std::optional(numberOf(capacity)) : std::nullopt;
}

std::optional<RankedTensorType> PastSizes::type(Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape;
  for (int64_t number : tensor.getShape())
    if (std::optional<int64_t> is = extent(number))
      shape.push_back(*is);
    else
      return std::nullopt;
  return tensor.clone(shape);
}

PastValues::PastValues(func::FuncOp main, const PastSizes &sizes, const Sequences &sequences)
    : loc(main.getLoc()), sizes(sizes), sequences(sequences),
      batch(cast<RankedTensorType>(sizes.lengths.getType()).getDimSize(0)) {
  for (Operation &op : main.front()) {
    if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>))
      continue;
    auto size = dyn_cast<SizeOp>(op);
    bool depends = size ? size.getName() == sizes.name
                        : llvm::any_of(op.getOperands(), [&](Value value) { return dependsOnPast(value); });
    if (depends)
      scalars.insert(op.result_begin(), op.result_end());
  }
}

InFlightDiagnostic PastValues::refuse(Operation *op) const {
  InFlightDiagnostic error = emitError(loc);
  error << "--state: ";
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
    error << "node '" << name.getName().getValue() << "': ";
  return error;
}

bool PastValues::isConcerned(Operation *op) const {
  llvm::SetVector<Value> reads(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), reads);
  auto depends = [&](Value value) {
    return dependsOnPast(value) || isPostponed(value) || made.count({value, unchanged}) || sizes.has(value.getType());
  };
  if (llvm::any_of(reads, depends) || llvm::any_of(op->getResultTypes(), [&](Type type) { return sizes.has(type); }))
    return true;
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  return slice && llvm::any_of(slice.getStaticOffsets(), [&](int64_t offset) {
           return !ShapedType::isDynamic(offset) && sizes.has(dimOf(offset));
         });
}

void PastValues::postpone(Operation *op) {
  for (Value result : op->getResults())
    postponed.insert(result);
}

std::optional<Value> PastValues::find(Value value) const {
  if (Value by = made.lookup({value, unchanged}))
    return by;
  return isPostponed(value) ? std::nullopt : std::optional(value);
}

Value PastValues::rebuild(Operation *op, Operation *place) {
  SequencePlace at = sequences.of(op->getResult(0));
  Form form = sequences.isOne() || at.inner != 1 ? unchanged : Form(at.dim);
  Builder b(op->getLoc(), loc.getContext());
  b.setInsertionPoint(place);
  return build(op, form, b);
}

Value PastValues::make(Value value, Form form, Operation *place) {
  if (Value known = made.lookup({value, form}))
    return known;
  Operation *op = value.getDefiningOp();
  Builder b(op->getLoc(), loc.getContext());
  b.setInsertionPoint(place);
  Value result = build(op, form, b);
  return result ? made[{value, form}] = result : Value();
}

RankedTensorType PastValues::typeOf(Operation *op, Form form) const {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<RankedTensorType> is = sizes.type(type);
  if (!is) {
    for (int64_t extent : type.getShape())
      if (!sizes.extent(extent)) {
        refuse(op) << "a dimension of size '" << dimOf(extent).text()
                   << "' is not supported: if the past is a state, a dimension that depends on it must have the size "
                      "of the past, or of the past and the new rows";
        return {};
      }
  }
  if (form != prepended)
    return *is;
  SmallVector<int64_t> shape = {batch};
  llvm::append_range(shape, is->getShape());
  return is->clone(shape);
}

Value PastValues::broadcastTo(Value value, RankedTensorType type, Form form, Builder &b) {
  Value empty = tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  return linalg::BroadcastOp::create(b, value, empty, ArrayRef<int64_t>{form == prepended ? 0 : form})->getResult(0);
}

Value PastValues::operand(Operation *op, Value value, Form form, Builder &b) {
  if (Value by = made.lookup({value, unchanged}))
    return by;
  if (isPostponed(value)) {
    if (form == unchanged) {
      refuse(op) << "a value that depends on the past is combined with a tensor that has the sequences and other "
                    "indices in one dimension";
      return {};
    }
    return make(value, form, &*b.getInsertionPoint());
  }
  if (form != prepended || !isa<TensorType>(value.getType()))
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape = {batch};
  llvm::append_range(shape, type.getShape());
  return broadcastTo(value, type.clone(shape), prepended, b);
}

std::pair<Value, AffineMap> PastValues::lengthsFor(unsigned loops, AffineExpr loop, Form form, Builder &b) {
  MLIRContext *context = b.getContext();
  if (form != unchanged)
    return {sizes.lengths, AffineMap::get(loops, 0, loop, context)};
  auto type = cast<RankedTensorType>(sizes.lengths.getType()).clone(ArrayRef<int64_t>());
  Value one = tensor::CollapseShapeOp::create(b, type, sizes.lengths, ArrayRef<ReassociationIndices>());
  return {one, AffineMap::get(loops, 0, context)};
}

Value PastValues::cloneScalar(Value scalar, Value past, OpBuilder &b) const {
  if (!dependsOnPast(scalar))
    return scalar;
  Operation *op = scalar.getDefiningOp();
  if (isa<SizeOp>(op))
    return past;
  IRMapping mapping;
  for (Value value : op->getOperands())
    mapping.map(value, cloneScalar(value, past, b));
  return b.clone(*op, mapping)->getResult(cast<OpResult>(scalar).getResultNumber());
}

Value PastValues::build(Operation *op, Form form, Builder &b) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return buildConstant(constant, form, b);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    RankedTensorType type = typeOf(op, form);
    return type ? Value(tensor::EmptyOp::create(b, type.getShape(), type.getElementType())) : Value();
  }
  if (auto loops = dyn_cast<linalg::LinalgOp>(op))
    return buildLoops(loops, form, b);
  if (OpTrait::hasElementwiseMappableTraits(op) || isa<CheckedIndexOp>(op))
    return buildElementwise(op, form, b);
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return buildReshape(op, form, b);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return buildSlice(slice, form, b);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return buildConcat(concat, form, b);
  refuse(op) << "'" << op->getName()
             << "' depends on the length of the past, in a way that is not supported for a past that is a state";
  return {};
}

Value PastValues::buildConstant(arith::ConstantOp op, Form form, Builder &b) {
  auto elements = dyn_cast<SplatElementsAttr>(op.getValue());
  RankedTensorType type = typeOf(op, form);
  if (!type || !elements) {
    if (type)
      refuse(op) << "a table whose last dimension has "
                 << dimOf(cast<RankedTensorType>(op.getType()).getShape().back()).text()
                 << " elements depends on the past, which is not supported";
    return {};
  }
  return arith::ConstantOp::create(b, elements.resizeSplat(type));
}

Value PastValues::buildElementwise(Operation *op, Form form, Builder &b) {
  RankedTensorType type = typeOf(op, form);
  if (!type)
    return {};
  IRMapping mapping;
  for (Value value : op->getOperands()) {
    if (dependsOnPast(value)) {
      refuse(op) << "a scalar operand that depends on the past is not supported";
      return {};
    }
    Value is = operand(op, value, form, b);
    if (!is)
      return {};
    mapping.map(value, is);
  }
  Operation *copy = b.clone(*op, mapping);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

/// Builds `value` in the form `prepended`, [batch] + the original shape. Then selects, for each index i of the original
/// dimension `form`, the entry that was computed for past[i].
Value PastValues::diagonal(Value value, Form form, Builder &b) {
  Value all = make(value, prepended, &*b.getInsertionPoint());
  RankedTensorType type = all ? typeOf(value.getDefiningOp(), form) : RankedTensorType();
  if (!type)
    return {};
  unsigned rank = unsigned(type.getRank());
  SmallVector<AffineExpr> exprs = {b.getAffineDimExpr(unsigned(form))};
  for (unsigned dim = 0; dim < rank; ++dim)
    exprs.push_back(b.getAffineDimExpr(dim));
  AffineMap maps[] = {AffineMap::get(rank, 0, exprs, b.getContext()), b.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> parallel(rank, utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  return linalg::GenericOp::create(
             b, type, all, empty, maps, parallel,
             [](OpBuilder &inner, Location loc, ValueRange args) { linalg::YieldOp::create(inner, loc, args[0]); })
      .getResult(0);
}
