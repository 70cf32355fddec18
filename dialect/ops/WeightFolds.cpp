//===- WeightFolds.cpp - folds operations into weight recipes -------------===//

#include "DequantizeViews.h"
#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace heddle;

/// Returns the recipe with one more step. Transpositions and reshapes are merged with a last step of the same kind.
static ArrayAttr append(ArrayAttr recipe, Attribute step) {
  SmallVector<Attribute> steps(recipe.getValue());
  MLIRContext *context = recipe.getContext();
  if (auto transpose = dyn_cast<TransposeStepAttr>(step)) {
    SmallVector<int64_t> permutation(transpose.getPermutation());
    if (auto last = steps.empty() ? nullptr : dyn_cast<TransposeStepAttr>(steps.back())) {
      for (int64_t &entry : permutation)
        entry = last.getPermutation()[entry];
      steps.pop_back();
    }
    if (llvm::is_sorted(permutation)) // the identity
      return ArrayAttr::get(context, steps);
    step = TransposeStepAttr::get(context, permutation);
  }
  if (isa<ReshapeStepAttr>(step) && !steps.empty() && isa<ReshapeStepAttr>(steps.back()))
    steps.pop_back();
  steps.push_back(step);
  return ArrayAttr::get(context, steps);
}

/// Replaces `op`, an operation on `source`, by a weight with the name of `weight` and the recipe `recipe`. If `source`
/// is `weight` widened by a heddle.dequantize, the new weight is widened, too.
static void replace(Operation *op, Value source, WeightOp weight, ArrayAttr recipe, PatternRewriter &rewriter) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (storedValue(source) != source)
    type = type.clone(weight.getType().getElementType());
  Value stored = WeightOp::create(rewriter, op->getLoc(), type, weight.getNameAttr(), recipe);
  rewriter.replaceOp(op, widenedLike(rewriter, stored, source));
}

/// Replaces `op` by the weight of `source` with one more step in its recipe. Fails if `source` is neither a weight nor
/// a widened weight, or if the result of `op` has no static shape. A cast of a widened weight is not folded either:
/// `replace` would ignore the type to which it converts.
static LogicalResult fold(Operation *op, Value source, Attribute step, PatternRewriter &rewriter) {
  auto weight = storedValue(source).getDefiningOp<WeightOp>();
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!weight || !type || !type.hasStaticShape() || (isa<CastStepAttr>(step) && weight != source.getDefiningOp()))
    return failure();
  replace(op, source, weight, append(weight.getRecipe(), step), rewriter);
  return success();
}

static LogicalResult foldTranspose(linalg::TransposeOp op, PatternRewriter &rewriter) {
  if (!op.hasPureTensorSemantics())
    return failure();
  return fold(op, op.getInput(), TransposeStepAttr::get(op.getContext(), op.getPermutation()), rewriter);
}

template <typename ReshapeOp>
static LogicalResult foldReshape(ReshapeOp op, PatternRewriter &rewriter) {
  return fold(op, op.getSrc(), ReshapeStepAttr::get(op.getContext(), op.getResultType().getShape()), rewriter);
}

bool heddle::isOfEveryCall(tensor::ExtractSliceOp op) {
  // A slice that depends on sizes in ranges is not folded into the recipe: the whole weight is stored.
  Sizes sizes(op);
  auto isFixed = [&](int64_t number) { return sizes.of(number).isFixed(); };
  return llvm::all_of(op.getType().getShape(), isFixed) && llvm::all_of(op.getStaticOffsets(), isFixed);
}

bool heddle::isRecipeStep(tensor::ExtractSliceOp op) {
  return isOfEveryCall(op) && !ShapedType::isDynamicShape(op.getStaticOffsets()) &&
         !ShapedType::isDynamicShape(op.getStaticSizes()) && op.hasUnitStride();
}

static LogicalResult foldSlice(tensor::ExtractSliceOp op, PatternRewriter &rewriter) {
  auto weight = storedValue(op.getSource()).getDefiningOp<WeightOp>();
  if (!weight || !isRecipeStep(op))
    return failure();
  MLIRContext *context = op.getContext();
  ArrayAttr recipe =
      append(weight.getRecipe(), SliceStepAttr::get(context, op.getStaticOffsets(), op.getStaticSizes()));
  if (op.getType().getShape() != op.getStaticSizes()) // the slice drops dimensions of size 1
    recipe = append(recipe, ReshapeStepAttr::get(context, op.getType().getShape()));
  replace(op, op.getSource(), weight, recipe, rewriter);
  return success();
}

/// Folds conversions of floats, which round to nearest even both at run time and in recipes.
template <typename ConvertOp>
static LogicalResult foldCast(ConvertOp op, PatternRewriter &rewriter) {
  return fold(op, op.getIn(), CastStepAttr::get(op.getContext(), getElementTypeOrSelf(op.getType())), rewriter);
}

/// Folds a concatenation of weights whose stored element types are equal into the recipe of the first weight.
static LogicalResult foldConcat(tensor::ConcatOp op, PatternRewriter &rewriter) {
  if (!op.getResultType().hasStaticShape() || op.getInputs().size() < 2)
    return failure();
  SmallVector<Attribute> parts;
  for (Value input : op.getInputs()) {
    auto weight = storedValue(input).getDefiningOp<WeightOp>();
    if (!weight || getElementTypeOrSelf(storedValue(input)) != getElementTypeOrSelf(storedValue(op.getInputs()[0])))
      return failure();
    parts.push_back(rewriter.getArrayAttr({weight.getNameAttr(), weight.getRecipe()}));
  }
  auto step = ConcatStepAttr::get(op.getContext(), op.getDim(), rewriter.getArrayAttr(ArrayRef(parts).drop_front()));
  return fold(op, op.getInputs().front(), step, rewriter);
}

void WeightOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(foldTranspose).add(foldSlice).add(foldConcat);
  patterns.add(foldReshape<tensor::ExpandShapeOp>).add(foldReshape<tensor::CollapseShapeOp>);
  patterns.add(foldCast<arith::ExtFOp>).add(foldCast<arith::TruncFOp>);
  populateViewsOfDequantized(patterns);
}
