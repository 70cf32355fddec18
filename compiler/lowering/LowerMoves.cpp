//===- LowerMoves.cpp - concatenation, padding and returned views ---------===//

#include "TileTasks.h"

#include "ops/TensorViews.h"

using namespace mlir;
using namespace heddle;

/// Emits a copy as a linalg.generic. No canonicalization pattern can fold the copy, since it is lowered before patterns
/// run again.
static Value emitCopy(RewriterBase &b, Location loc, Value source, Value target) {
  auto type = cast<RankedTensorType>(target.getType());
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> parallel(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, type, source, target, maps, parallel,
                                   [](OpBuilder &body, Location where, ValueRange arguments) {
                                     linalg::YieldOp::create(body, where, arguments[0]);
                                   })
      .getResult(0);
}

/// Replaces a concatenation by a copy of each operand to its slice of the result.
static void lowerConcat(RewriterBase &b, tensor::ConcatOp concat) {
  b.setInsertionPoint(concat);
  Location loc = concat.getLoc();
  RankedTensorType type = concat.getResultType();
  Value dest = emitDestination(b, concat.getResult(), type);
  int64_t at = 0;
  for (Value input : concat.getInputs()) {
    auto part = cast<RankedTensorType>(input.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
    offsets[concat.getDim()] = b.getIndexAttr(at);
    at += part.getDimSize(concat.getDim());
    Value slice = emitSlice(b, loc, dest, offsets, part.getShape());
    dest = emitInsert(b, loc, emitCopy(b, loc, input, slice), dest, offsets, part.getShape());
  }
  b.replaceOp(concat, dest);
}

/// Replaces padding by a fill of the result and a copy of the source. Leaves padding that has no constant value or no
/// static shape unchanged.
static void lowerPad(RewriterBase &b, tensor::PadOp pad) {
  auto type = cast<RankedTensorType>(pad.getResultType());
  auto source = cast<RankedTensorType>(pad.getSource().getType());
  Value value = pad.getConstantPaddingValue();
  if (!value || !type.hasStaticShape() || !source.hasStaticShape())
    return;
  b.setInsertionPoint(pad);
  Location loc = pad.getLoc();
  Value dest = emitDestination(b, pad.getResult(), type);
  dest = linalg::FillOp::create(b, loc, value, dest).getResult(0);
  SmallVector<OpFoldResult> offsets = pad.getMixedLowPad();
  Value slice = emitSlice(b, loc, dest, offsets, source.getShape());
  b.replaceOp(pad, emitInsert(b, loc, emitCopy(b, loc, pad.getSource(), slice), dest, offsets, source.getShape()));
}

/// Copies returned values to the out arguments (the arguments into which a kernel writes its results) if they are
/// constants, slices, or views of constants or of arguments that the kernel does not write to. These values then need
/// no buffers of their own.
static void copyReturnedViews(RewriterBase &b, func::FuncOp func) {
  Operation *terminator = func.front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value root = operand.get();
    bool sliced = false;
    while (Operation *op = root.getDefiningOp()) {
      if (!isView(op))
        break;
      sliced |= isa<tensor::ExtractSliceOp>(op);
      root = op->getOperand(0);
    }
    bool writable = false;
    if (auto argument = dyn_cast<BlockArgument>(root))
      if (auto attr = func.getArgAttrOfType<BoolAttr>(argument.getArgNumber(), "bufferization.writable"))
        writable = attr.getValue();
    bool view = (isa<BlockArgument>(root) && !writable) || sliced ||
                (root.getDefiningOp() && root.getDefiningOp()->hasTrait<OpTrait::ConstantLike>());
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    unsigned results = func.getNumResults(), arguments = func.getNumArguments();
    if (!view || !type || arguments < results)
      continue;
    unsigned number = arguments - results + operand.getOperandNumber();
    BlockArgument out = func.getArgument(number);
    if (!out.use_empty() || out.getType() != type || !func.getArgAttr(number, "bufferization.writable"))
      continue;
    b.setInsertionPoint(terminator);
    Value copy = emitCopy(b, func.getLoc(), operand.get(), out);
    b.modifyOpInPlace(terminator, [&] { operand.set(copy); });
  }
}

void heddle::lowerMoves(RewriterBase &rewriter, func::FuncOp func) {
  for (Operation &op : llvm::make_early_inc_range(func.front()))
    if (auto concat = dyn_cast<tensor::ConcatOp>(op))
      lowerConcat(rewriter, concat);
    else if (auto pad = dyn_cast<tensor::PadOp>(op))
      lowerPad(rewriter, pad);
  copyReturnedViews(rewriter, func);
}

void heddle::lowerMovesInTasks(RewriterBase &rewriter, func::FuncOp func) {
  func.walk([&](tensor::PadOp pad) {
    if (pad->getParentOfType<scf::ForallOp>())
      lowerPad(rewriter, pad);
  });
}
