//===- Precision.cpp - layers' weights in fewer bits ----------------------===//

#include "Precision.h"

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// Whether all that becomes of the value, through views, is multiplied and summed up. A table that is looked up, or
/// added, keeps its digits.
static bool onlyMultiplies(Value value) {
  return !value.use_empty() && llvm::all_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp>(user))
      return onlyMultiplies(user->getResult(0));
    auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
    if (linalgOp && linalgOp.isDpsInit(&use))
      return false;
    if (isa<linalg::TransposeOp, linalg::BroadcastOp>(user))
      return onlyMultiplies(user->getResult(0));
    if (auto layer = dyn_cast<LayerOpInterface>(user))
      return layer.getOperandRole(use) == OperandRole::Weight;
    return linalgOp && linalg::isaContractionOpInterface(linalgOp);
  });
}

static void storeIn(ModuleOp module, Type element) {
  module.walk([&](WeightOp weight) {
    RankedTensorType type = cast<RankedTensorType>(weight.getType());
    if (!type.getElementType().isF32() || type.getRank() < 2 || !onlyMultiplies(weight))
      return;
    OpBuilder b(weight);
    SmallVector<Attribute> steps(weight.getRecipe().begin(), weight.getRecipe().end());
    steps.push_back(CastStepAttr::get(b.getContext(), element));
    Value narrow = WeightOp::create(b, weight.getLoc(), type.clone(element), weight.getNameAttr(), b.getArrayAttr(steps));
    weight.replaceAllUsesWith(WidenOp::create(b, weight.getLoc(), type, narrow).getResult());
    weight.erase();
  });
}

void heddle::storeLayerWeights(Model &model, StringRef precision) {
  if (precision == "f32")
    return;
  MLIRContext *context = model.module->getContext();
  storeIn(*model.module, precision == "f16" ? Type(Float16Type::get(context)) : BFloat16Type::get(context));
  if (!model.importAgain)
    return;
  model.importAgain = [again = std::move(model.importAgain),
                       precision = precision.str()](const SizeOptions &sizes) -> FailureOr<Model> {
    FailureOr<Model> imported = again(sizes);
    if (succeeded(imported))
      storeLayerWeights(*imported, precision);
    return imported;
  };
}
