//===- StoreWeights.cpp - layer weights in half the bytes -----------------===//

#include "heddle/LowPrecision.h"

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The number of times that a value, or a view of it, is an operand of a product, of a lookup, and of other operations.
struct Uses {
  int64_t products = 0, lookups = 0, others = 0;
};
} // namespace

/// Adds the uses of `value` and of its views to `uses`.
static void countUses(Value value, Uses &uses) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
    bool isInit = linalgOp && linalgOp.isDpsInit(&use);
    auto layer = dyn_cast<LayerOpInterface>(user);
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp>(user) ||
        (isa<linalg::TransposeOp, linalg::BroadcastOp>(user) && !isInit))
      countUses(user->getResult(0), uses);
    else if (isa<tensor::ExtractOp>(user))
      ++uses.lookups;
    else if (layer ? layer.getOperandRole(use) == OperandRole::Weight
                   : linalgOp && !isInit && linalg::isaContractionOpInterface(linalgOp))
      ++uses.products;
    else
      ++uses.others;
  }
}

void heddle::storeLayerWeights(ModuleOp module, Type element) {
  SmallVector<std::pair<WeightOp, Uses>> found;
  DenseSet<Attribute> layers; // names of weights that are multiplied
  module.walk([&](WeightOp weight) {
    RankedTensorType type = cast<RankedTensorType>(weight.getType());
    if (!type.getElementType().isF32() || type.getRank() < 2)
      return;
    Uses uses;
    countUses(weight, uses);
    if (uses.others)
      return;
    found.push_back({weight, uses});
    if (uses.products)
      layers.insert(weight.getNameAttr());
  });
  for (auto [weight, uses] : found) {
    // A table that is only looked up remains in f32, unless it is a layer's weight as well (tied embeddings).
    if (!layers.contains(weight.getNameAttr()))
      continue;
    RankedTensorType type = cast<RankedTensorType>(weight.getType());
    OpBuilder b(weight);
    SmallVector<Attribute> steps(weight.getRecipe().begin(), weight.getRecipe().end());
    steps.push_back(CastStepAttr::get(b.getContext(), element));
    Value narrow =
        WeightOp::create(b, weight.getLoc(), type.clone(element), weight.getNameAttr(), b.getArrayAttr(steps));
    weight.replaceAllUsesWith(DequantizeOp::create(b, weight.getLoc(), type, narrow).getResult());
    weight.erase();
  }
}
