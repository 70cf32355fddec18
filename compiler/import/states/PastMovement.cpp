//===- PastMovement.cpp - data movement with a past per sequence ----------===//
//
// Replaces reshapes, slices and concatenations that depend on the length of the past. In the replacement, the length of
// the past differs between sequences (PastValues.h).
//
//===----------------------------------------------------------------------===//

#include "PastValues.h"

using namespace mlir;
using namespace heddle;

Value PastValues::buildReshape(Operation *op, Form form, Builder &b) {
  bool expands = isa<tensor::ExpandShapeOp>(op);
  auto groups = expands ? cast<tensor::ExpandShapeOp>(op).getReassociationIndices()
                        : cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  auto longer = cast<RankedTensorType>((expands ? op->getResult(0) : op->getOperand(0)).getType());
  for (const ReassociationIndices &group : groups) {
    bool hasPast = llvm::any_of(group, [&](int64_t dim) { return sizes.has(dimOf(longer.getDimSize(dim))); });
    int64_t others = llvm::count_if(group, [&](int64_t dim) { return longer.getDimSize(dim) != 1; });
    if (hasPast && others > 1) {
      refuse(op) << "a dimension that combines positions of the past with other data is not supported";
      return {};
    }
  }
  RankedTensorType type = typeOf(op, form);
  if (!type)
    return {};
  Value source = op->getOperand(0);
  Form from = form;
  if (form >= 0 && isPostponed(source)) {
    // Dimension `form` of the result, which counts sequences, corresponds to a dimension of the source only if all
    // dimensions that are merged with it have extent 1.
    size_t group = 0;
    while (group < groups.size() && !(expands ? llvm::is_contained(groups[group], form) : int64_t(group) == form))
      ++group;
    int64_t others = llvm::count_if(groups[group], [&](int64_t dim) { return longer.getDimSize(dim) != 1; });
    if (others != 1)
      return diagonal(op->getResult(0), form, b);
    const auto *own = llvm::find_if(groups[group], [&](int64_t dim) { return longer.getDimSize(dim) != 1; });
    from = expands ? Form(group) : Form(*own);
    if (expands && *own != form)
      return diagonal(op->getResult(0), form, b);
  }
  Value is = operand(op, source, from, b);
  if (!is)
    return {};
  SmallVector<ReassociationIndices> moved;
  if (form == prepended) {
    moved.push_back({0});
    for (ReassociationIndices group : groups) {
      for (int64_t &dim : group)
        ++dim;
      moved.push_back(group);
    }
    if (groups.empty()) // either the source or the result has no dimensions
      for (int64_t dim = 1; dim < (expands ? type.getRank() : cast<RankedTensorType>(is.getType()).getRank()); ++dim)
        moved.front().push_back(dim);
  } else {
    moved.assign(groups.begin(), groups.end());
  }
  return expands ? Value(tensor::ExpandShapeOp::create(b, type, is, moved))
                 : Value(tensor::CollapseShapeOp::create(b, type, is, moved));
}

/// Replaces a slice of a table whose offset or size depends on the past. An example is the slice with the position
/// embeddings of the new rows. Since each sequence has its own offset, the elements are looked up one by one. Emits an
/// error and returns null for other slices.
Value PastValues::buildLookup(tensor::ExtractSliceOp op, Form form, Builder &b) {
  RankedTensorType type = typeOf(op, form), table = op.getSourceType();
  if (!type)
    return {};
  if (sequences.of(op.getSource()).kind != SequencePlace::None || isPostponed(op.getSource()) || sizes.has(table) ||
      (form == unchanged && !sequences.isOne())) {
    refuse(op) << "a slice whose offset or size depends on the past is supported only if it takes rows of a table";
    return {};
  }
  SmallVector<int64_t> starts; // each offset; if it depends on the past, the constant that is added to the past
  for (auto [dim, offset] : llvm::enumerate(op.getStaticOffsets())) {
    Dim at = dimOf(offset), size = dimOf(op.getStaticSizes()[dim]), from = at;
    if (sizes.has(at))
      from = Dim(at.asExpression() - SizeExpression::size(sizes.past));
    std::optional<int64_t> start = from.number();
    Dim maximum = sizes.has(at)     ? sizes.capacity - sizes.rows + from + size
               : sizes.has(size) ? from + sizes.capacity
                                 : from + size;
    if (!start || op.getStaticStrides()[dim] != 1 || (sizes.has(at) && sizes.has(size))) {
      refuse(op) << "the slice that begins at '" << at.text() << "' is not supported for a past that is a state";
      return {};
    }
    if (maximum > dimOf(table.getDimSize(unsigned(dim)))) {
      refuse(op) << "a table has " << dimOf(table.getDimSize(unsigned(dim))).text()
                 << " positions, fewer than the capacity, " << sizes.capacity.text();
      return {};
    }
    starts.push_back(*start);
  }
  unsigned loops = unsigned(type.getRank()), lead = form == prepended;
  AffineExpr sequence = form == unchanged ? AffineExpr() : b.getAffineDimExpr(lead ? 0 : unsigned(form));
  auto [lengths, map] = lengthsFor(loops, sequence, form, b);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  AffineMap maps[] = {map, b.getMultiDimIdentityMap(loops)};
  SmallVector<utils::IteratorType> parallel(loops, utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  auto body = [&](OpBuilder &inner, Location loc, ValueRange args) {
    Value past = arith::IndexCastOp::create(inner, loc, inner.getIndexType(), args[0]);
    SmallVector<Value> at;
    unsigned loop = lead;
    for (auto [dim, start] : llvm::enumerate(starts)) {
      Value place = arith::ConstantIndexOp::create(inner, loc, start);
      if (!dropped.test(dim))
        place = start == 0 ? Value(linalg::IndexOp::create(inner, loc, loop))
                           : Value(arith::AddIOp::create(inner, loc, place, linalg::IndexOp::create(inner, loc, loop)));
      loop += !dropped.test(dim);
      if (sizes.has(dimOf(op.getStaticOffsets()[dim])))
        place = arith::AddIOp::create(inner, loc, past, place);
      at.push_back(place);
    }
    linalg::YieldOp::create(inner, loc, tensor::ExtractOp::create(inner, loc, op.getSource(), at).getResult());
  };
  return linalg::GenericOp::create(b, type, lengths, empty, maps, parallel, body).getResult(0);
}

Value PastValues::buildSlice(tensor::ExtractSliceOp op, Form form, Builder &b) {
  if (!op.getOffsets().empty() || !op.getSizes().empty() || !op.getStrides().empty()) {
    refuse(op) << "a slice with computed offsets, sizes or strides is not supported";
    return {};
  }
  if (llvm::any_of(op.getStaticOffsets(), [&](int64_t offset) { return sizes.has(dimOf(offset)); }) ||
      (!sizes.has(op.getSourceType()) && sizes.has(op.getType()) && !isPostponed(op.getSource())))
    return buildLookup(op, form, b);
  for (auto [dim, size] : llvm::enumerate(op.getStaticSizes())) {
    int64_t extent = op.getSourceType().getDimSize(unsigned(dim));
    if ((sizes.has(dimOf(extent)) || sizes.has(dimOf(size))) && (extent != size || op.getStaticOffsets()[dim] != 0)) {
      refuse(op) << "a slice that takes only some positions of the past is not supported";
      return {};
    }
  }
  RankedTensorType type = typeOf(op, form);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  if (!type)
    return {};
  if (form >= 0 && isPostponed(op.getSource()))
    return diagonal(op.getResult(), form, b);
  Value source = operand(op, op.getSource(), form, b);
  if (!source)
    return {};
  SmallVector<int64_t> offsets, counts, strides;
  if (form == prepended)
    offsets.push_back(0), counts.push_back(batch), strides.push_back(1);
  llvm::append_range(offsets, op.getStaticOffsets());
  llvm::append_range(strides, op.getStaticStrides());
  for (int64_t size : op.getStaticSizes())
    counts.push_back(*sizes.extent(size));
  auto attributes = [&](ArrayRef<int64_t> numbers) {
    return llvm::map_to_vector(numbers, [&](int64_t number) -> OpFoldResult { return b.getIndexAttr(number); });
  };
  return tensor::ExtractSliceOp::create(b, type, source, attributes(offsets), attributes(counts), attributes(strides));
}

Value PastValues::buildConcat(tensor::ConcatOp op, Form form, Builder &b) {
  RankedTensorType type = typeOf(op, form);
  if (!type)
    return {};
  if (sizes.has(dimOf(cast<RankedTensorType>(op.getType()).getDimSize(unsigned(op.getDim()))))) {
    refuse(op) << "a concatenation with the past is supported only if it appends new rows to an input and its result "
                  "is an output";
    return {};
  }
  // If the concatenated dimension itself indexes the sequences, the parts do not have one entry for each sequence. In
  // this case, `diagonal` builds the whole concatenation for each sequence, and selects entry i for sequence i.
  if (form == int64_t(op.getDim()))
    return diagonal(op.getResult(), form, b);
  SmallVector<Value> parts;
  for (Value part : op.getInputs())
    if (Value is = operand(op, part, form, b))
      parts.push_back(is);
    else
      return {};
  return tensor::ConcatOp::create(b, type, op.getDim() + (form == prepended), parts);
}
