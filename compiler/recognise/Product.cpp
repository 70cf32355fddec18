//===- Product.cpp - contractions as products of matrices -----------------===//

#include "Match.h"

using namespace mlir;
using namespace heddle;

/// Returns the position of each of `loops` among the results of `map`. The list is empty if a loop is missing.
static SmallVector<int64_t> positionsOf(ArrayRef<unsigned> loops, AffineMap map) {
  SmallVector<int64_t> positions;
  for (unsigned loop : loops) {
    auto position = map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
    if (!position)
      return {};
    positions.push_back(*position);
  }
  return positions;
}

std::optional<Product> heddle::matchProduct(Operation *op, StringRef &reason) {
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!linalgOp || !linalg::isaContractionOpInterface(linalgOp) || linalgOp.getNumDpsInputs() != 2) {
    reason = "not a product of matrices";
    return std::nullopt;
  }
  if (!hasStaticShapes(op) || !linalgOp.hasPureTensorSemantics()) {
    reason = "its tensors do not have static sizes above 0";
    return std::nullopt;
  }
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  for (Value operand : linalgOp.getDpsInputs())
    if (!isa<FloatType>(element) || getElementTypeOrSelf(operand.getType()) != element) {
      reason = "not a product of matrices of one floating-point type";
      return std::nullopt;
    }
  if (matchNumber(linalgOp.getDpsInits()[0]) != 0.0) {
    reason = "the product is added to something other than 0";
    return std::nullopt;
  }
  FailureOr<linalg::ContractionDimensions> dims = linalg::inferContractionDims(linalgOp);
  if (failed(dims) || dims->m.size() != 1 || dims->n.size() != 1 || dims->k.size() != 1) {
    reason = "not a product of matrices with one dimension each for the rows, the columns and the sum";
    return std::nullopt;
  }
  SmallVector<AffineMap> maps = linalgOp.getIndexingMapsArray();
  auto loops = [&](unsigned row, unsigned column) {
    SmallVector<unsigned> order(dims->batch.begin(), dims->batch.end());
    order.append({row, column});
    return order;
  };
  Product product{op, {}, 0, 0, 0, positionsOf(loops(dims->m[0], dims->k[0]), maps[0]),
                  positionsOf(loops(dims->k[0], dims->n[0]), maps[1])};
  // The loops of `dims->batch` must be in the order of the result's dimensions.
  SmallVector<int64_t> results = positionsOf(loops(dims->m[0], dims->n[0]), maps[2]);
  bool ordered = !results.empty() && llvm::equal(results, llvm::seq<int64_t>(0, results.size()));
  if (!ordered || product.lhsOrder.empty() || product.rhsOrder.empty() ||
      maps[2].getNumResults() != results.size() || maps[0].getNumResults() != product.lhsOrder.size() ||
      maps[1].getNumResults() != product.rhsOrder.size()) {
    reason = "not a product of matrices whose result has the dimensions in the order batch, rows, columns";
    return std::nullopt;
  }
  ArrayRef<int64_t> shape = cast<RankedTensorType>(product.result().getType()).getShape();
  product.batch.assign(shape.begin(), shape.end() - 2);
  product.m = shape[shape.size() - 2];
  product.n = shape.back();
  product.k = cast<RankedTensorType>(product.lhs().getType()).getDimSize(product.lhsOrder.back());
  return product;
}

/// Returns the view of `value` with its batch dimensions reshaped to `batch`. `order` contains the indices of the
/// dimensions of `value`: first the batch dimensions, then the two dimensions of the matrix. Returns nothing if strides
/// cannot express the view.
static std::optional<View> operandView(Value value, ArrayRef<int64_t> order, ArrayRef<int64_t> batch,
                                       bool throughFactors) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  unsigned leading = order.size() - 2;
  bool inOrder = llvm::equal(order.drop_back(2), llvm::seq<int64_t>(0, leading));
  SmallVector<int64_t> sizes;
  if (!inOrder) {
    View view = traceView(value, throughFactors).transposed(order);
    sizes.assign(batch.begin(), batch.end());
    sizes.append({view.sizes[leading], view.sizes[leading + 1]});
    return view.reshaped(sizes);
  }
  sizes.assign(batch.begin(), batch.end());
  sizes.append(shape.begin() + leading, shape.end());
  std::optional<View> view = traceViewAs(value, sizes, throughFactors);
  if (!view)
    return std::nullopt;
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, batch.size()));
  for (int64_t position : order.take_back(2))
    permutation.push_back(position - leading + batch.size());
  return view->transposed(permutation);
}

std::optional<View> Product::lhsView(ArrayRef<int64_t> batch, bool throughFactors) const {
  return operandView(lhs(), lhsOrder, batch, throughFactors);
}
std::optional<View> Product::rhsView(ArrayRef<int64_t> batch, bool throughFactors) const {
  return operandView(rhs(), rhsOrder, batch, throughFactors);
}
