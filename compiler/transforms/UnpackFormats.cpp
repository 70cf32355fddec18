//===- UnpackFormats.cpp - unpacks weights in block formats ---------------===//

#include "heddle/Passes.h"

#include "Heddle.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_UNPACKFORMATS
#include "heddle/Passes.h.inc"
} // namespace heddle

using namespace heddle;

/// Returns a heddle.weight that contains the codes, the scales or the offsets (`part`) of the blocks in `bytes`. It is
/// transposed if the result of `op` is.
static Value unpack(OpBuilder &b, DequantizeOp op, WeightOp bytes, FormatPart part) {
  SmallVector<Attribute> steps(bytes.getRecipe().getValue());
  auto step = UnpackStepAttr::get(op.getContext(), *op.getFormat(), part);
  steps.push_back(step);
  SmallVector<int64_t> shape(bytes.getType().getShape());
  Type element = bytes.getType().getElementType();
  [[maybe_unused]] std::string complaint = step.applyTo(shape, element);
  assert(complaint.empty() && "the constraints of heddle.dequantize are those of the step");
  if (op.getTransposed()) {
    std::swap(shape[0], shape[1]);
    steps.push_back(TransposeStepAttr::get(op.getContext(), {1, 0}));
  }
  return WeightOp::create(b, op.getLoc(), RankedTensorType::get(shape, element), bytes.getNameAttr(),
                          b.getArrayAttr(steps));
}

static LogicalResult unpack(DequantizeOp op) {
  auto bytes = op.getInput().getDefiningOp<WeightOp>();
  if (!bytes)
    return op.emitOpError("has a format, which is supported only for weights");
  OpBuilder b(op);
  Format format = *op.getFormat();
  Value codes = unpack(b, op, bytes, FormatPart::Codes), scales = unpack(b, op, bytes, FormatPart::Scales);
  Value minima = format.hasOffset() ? unpack(b, op, bytes, FormatPart::Offsets) : Value();
  SmallVector<int64_t> block(cast<RankedTensorType>(op.getType()).getRank(), 1);
  (op.getTransposed() ? block.front() : block.back()) = format.getGroupLength();
  Value unpacked = DequantizeOp::create(b, op.getLoc(), op.getType(), codes, scales, /*zero_points=*/Value(), minima,
                                        /*outliers=*/Value(), block, /*outlier_rows=*/ArrayRef<int64_t>());
  op.replaceAllUsesWith(unpacked);
  op.erase();
  if (bytes->use_empty())
    bytes.erase();
  return success();
}

namespace {
struct UnpackFormats : heddle::impl::UnpackFormatsBase<UnpackFormats> {
  void runOnOperation() override {
    SmallVector<DequantizeOp> found;
    getOperation().walk([&](DequantizeOp op) {
      if (op.getFormat())
        found.push_back(op);
    });
    for (DequantizeOp op : found)
      if (failed(unpack(op)))
        return signalPassFailure();
  }
};
} // namespace
