//===- StoredWeight.cpp - a weight whose products are dots ----------------===//

#include "StoredWeight.h"
#include "Emit.h"
#include "panels/CallerWeights.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace heddle;

static constexpr int64_t dotDepth = 4; // of bytes
/// Sums of products of bytes are i32: 255 x 127 each.
static constexpr int64_t longestContraction = (int64_t(1) << 31) / (255 * 128);

static std::string whyNoIntegers(DequantizeOp weight, RowRoundingAttr rounding) {
  int64_t k = cast<RankedTensorType>(weight.getType()).getDimSize(0), block = rounding.getBlock();
  if (weight.isPlain() || weight.getZeroPoints() || weight.getMinima() || weight.getBlock()[1] != 1)
    return "needs a weight of i8 with scales for each column and no zero points or minima";
  if (block ? weight.getBlock()[0] != block : weight.getBlock()[0] < k)
    return llvm::formatv("needs a scale for each {0} rows of the weight, found {1}", block ? block : k,
                         weight.getBlock()[0]);
  if (weight.getExactRows() != rounding.getExact())
    return "needs a weight whose exact rows are the exact columns of the input";
  if (block % dotDepth != 0 || (block && rounding.isUnsigned()))
    return llvm::formatv("is for blocks of a multiple of {0} numbers with a sign", dotDepth);
  if (k > longestContraction)
    return llvm::formatv("sums up at most {0} products in i32, found {1}", longestContraction, k);
  return "";
}

std::string heddle::whyNoDots(LinearOp linear) {
  std::optional<RowRoundingAttr> rounding = linear.getRounding();
  if (!rounding)
    return "is for a layer that rounds its rows";
  if (rounding->getPerTensor() || rounding->getStep())
    return "is for rows with steps of their own";
  auto type = cast<RankedTensorType>(linear.getWeight().getType());
  auto weight = linear.getWeight().getDefiningOp<DequantizeOp>();
  if (!weight || type.getRank() != 2 || !type.hasStaticShape() || !weight->hasOneUse() ||
      !weight.getInput().hasOneUse() || failed(findCallerWeights(weight.getInput())))
    return "needs a constant weight that is stored in fewer bits";
  if (rounding->isInteger())
    return whyNoIntegers(weight, *rounding);
  if (!weight.isPlain() || getElementTypeOrSelf(weight.getInput()) != rounding->getElement() ||
      !rounding->getElement().isBF16())
    return "needs rows that are rounded to bf16, and a weight of bf16";
  return "";
}

RoundedOperands heddle::packStoredWeight(RewriterBase &b, LinearOp linear, int64_t panel, int64_t abreast,
                                         UnsignedSide unsignedSide) {
  auto weight = linear.getWeight().getDefiningOp<DequantizeOp>();
  auto stored = cast<BlockArgument>(weight.getInput());
  auto type = cast<RankedTensorType>(stored.getType());
  Location loc = linear.getLoc();
  MLIRContext *context = b.getContext();
  int64_t k = type.getDimSize(0), n = type.getDimSize(1);
  RowRoundingAttr rounding = *linear.getRounding();
  ArrayRef<int64_t> exact = rounding.getExact();
  RoundedOperands operands;
  operands.depth = 32 / type.getElementTypeBitWidth();
  if (rounding.isInteger()) {
    operands.exactWeight = weight.getExact();
    operands.scales = rounding.getBlock() ? weight.getScales() : emitReshape(b, loc, weight.getScales(), {n});
    if (rounding.isUnsigned() || unsignedSide == UnsignedSide::Rows) {
      auto sums = RankedTensorType::get({1, n}, b.getI32Type());
      Value argument = addCallerWeight(b, stored, BlockSumsStepAttr::get(context, k), sums);
      operands.sums = emitReshape(b, loc, argument, {n});
    }
  } else if (!exact.empty()) {
    auto rows = type.clone({int64_t(exact.size()), n});
    Value taken = addCallerWeight(b, stored, TakeStepAttr::get(context, exact), rows);
    operands.exactWeight = DequantizeOp::create(b, loc, rows.clone(b.getF32Type()), taken);
  }

  // The matrix is gone before its type changes.
  Value matrix = linear.getWeight();
  Value none = tensor::EmptyOp::create(b, loc, cast<RankedTensorType>(matrix.getType()).getShape(),
                                       getElementTypeOrSelf(matrix));
  b.modifyOpInPlace(linear, [&] { linear.getWeightMutable().assign(none); });
  b.eraseOp(weight);
  auto extend = [&](Attribute step, RankedTensorType result) {
    extendCallerWeights(b, stored, *findCallerWeights(stored), step, result);
  };
  if (unsignedSide == UnsignedSide::Weight)
    extend(AddStepAttr::get(context, -128), type);
  auto step = PackStepAttr::get(context, panel, abreast, operands.depth);
  SmallVector<int64_t> shape = step.packedShape(k, n);
  extend(step, RankedTensorType::get(shape, type.getElementType()));
  shape[shape.size() - 2] *= shape.back();
  shape.pop_back();
  operands.weight = emitReshape(b, loc, stored, shape);
  return operands;
}
