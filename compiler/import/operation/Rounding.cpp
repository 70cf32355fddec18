//===- Rounding.cpp - knobs for layers in low precision -------------------===//

#include "Rounding.h"

#include "StoreInBytes.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

static constexpr int64_t blockSize = 32; // with rounding=int8-block, the number of elements that share a scale
static constexpr int64_t middle = 128;   // the zero point of unsigned bytes

LayerRounding::LayerRounding(OperationBuilder &builder, int64_t k) : builder(builder) {
  Knobs &knobs = builder.knobs;
  enum Kind : unsigned { None, Int8, Block, Tensor, BF16, F16 };
  unsigned kind = knobs.choice("rounding", {"none", "int8", "int8-block", "int8-tensor", "bf16", "f16"});
  int64_t count = knobs.size("outliers", 0);
  std::optional<double> scale = knobs.number("activation_scale", "a scale of its own for each row", {"0.02", "0.1"});
  if (kind && !builder.element.isF32())
    knobs.refuse("rounding", "supported only for rows of f32");
  if (count && (!kind || count >= k))
    knobs.refuse("outliers", "expected a rounding other than none, and fewer outlier channels than columns");
  if (scale && (kind != Int8 || !(float(*scale) > 0) || std::isinf(float(*scale))))
    knobs.refuse("activation_scale", "expected one positive and finite scale for all rows, and rounding=int8");
  SmallVector<int64_t> outliers;
  for (int64_t i = 0; i < count; ++i)
    outliers.push_back(i * k / count);
  MLIRContext *context = builder.main.getContext();
  Type bytes = IntegerType::get(context, 8, IntegerType::Unsigned);
  FloatAttr given = scale ? builder.main.getF32FloatAttr(float(*scale)) : FloatAttr();
  if (kind == Int8 || kind == Tensor)
    rounding = RowRoundingAttr::get(context, bytes, 0, outliers, kind == Tensor, given, given ? middle : 0);
  if (kind == Block)
    rounding = RowRoundingAttr::get(context, IntegerType::get(context, 8), blockSize, outliers);
  if (kind == BF16 || kind == F16)
    rounding = RowRoundingAttr::get(
        context, kind == BF16 ? Type(BFloat16Type::get(context)) : Type(Float16Type::get(context)), 0, outliers);
}

Value LayerRounding::stored(Value weight) const {
  auto constant = weight.getDefiningOp<WeightOp>();
  if (!rounding || !constant)
    return weight;
  MainBuilder &b = builder.main;
  MLIRContext *context = b.getContext();
  auto type = cast<RankedTensorType>(weight.getType());
  if (Type narrow = rounding.getElement(); !rounding.isInteger()) {
    Value stored = WeightOp::create(b, type.clone(narrow), constant.getNameAttr(),
                                    b.getArrayAttr({CastStepAttr::get(context, narrow)}));
    return DequantizeOp::create(b, b.getLoc(), type, stored);
  }
  int64_t block = rounding.getBlock() ? rounding.getBlock() : type.getDimSize(0);
  return storeInBytes(b, constant, {block, 1}, rounding.getOutliers());
}
