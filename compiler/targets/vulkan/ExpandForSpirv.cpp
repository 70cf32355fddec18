//===- ExpandForSpirv.cpp - operations that SPIR-V lacks ------------------===//

#include "heddle/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_EXPANDFORSPIRV
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {

/// Replaces trunc(x) by floor(|x|) with the sign of x.
struct ExpandTrunc : OpRewritePattern<math::TruncOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::TruncOp op, PatternRewriter &b) const override {
    Value x = op.getOperand(), magnitude = math::AbsFOp::create(b, op.getLoc(), x);
    Value below = math::FloorOp::create(b, op.getLoc(), magnitude);
    b.replaceOpWithNewOp<math::CopySignOp>(op, below, x);
    return success();
  }
};

/// Replaces comparisons whose predicate is always true or always false by constants.
struct ExpandConstantComparison : OpRewritePattern<arith::CmpFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpFOp op, PatternRewriter &b) const override {
    bool isTrue = op.getPredicate() == arith::CmpFPredicate::AlwaysTrue;
    if (!isTrue && op.getPredicate() != arith::CmpFPredicate::AlwaysFalse)
      return failure();
    TypedAttr value = b.getBoolAttr(isTrue);
    if (auto shaped = dyn_cast<ShapedType>(op.getType()))
      value = DenseElementsAttr::get(shaped, isTrue);
    b.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};

bool isBoolean(Type type) { return getElementTypeOrSelf(type).isInteger(1); }

/// Replaces arithmetic of 1-bit integers by arithmetic of 32-bit integers. This is necessary because 1-bit integers
/// become booleans of SPIR-V, which are not integers.
struct WidenBooleans : RewritePattern {
  explicit WidenBooleans(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &b) const override {
    bool isUnsigned =
        isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, arith::ShRUIOp, arith::MaxUIOp, arith::MinUIOp>(op);
    bool isSigned = isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
                        arith::FloorDivSIOp, arith::ShLIOp, arith::ShRSIOp, arith::MaxSIOp, arith::MinSIOp, arith::CmpIOp,
                        math::AbsIOp, arith::FPToSIOp, arith::FPToUIOp, arith::SIToFPOp>(op);
    auto compare = dyn_cast<arith::CmpIOp>(op);
    if (compare && !llvm::is_contained({arith::CmpIPredicate::slt, arith::CmpIPredicate::sle, arith::CmpIPredicate::sgt,
                                        arith::CmpIPredicate::sge},
                                       compare.getPredicate()))
      return failure();
    bool reads = llvm::any_of(op->getOperandTypes(), isBoolean);
    bool yields = !compare && llvm::any_of(op->getResultTypes(), isBoolean);
    if ((!isSigned && !isUnsigned) || (!reads && !yields))
      return failure();
    Location loc = op->getLoc();
    auto wide = [&](Type type) -> Type {
      auto shaped = dyn_cast<ShapedType>(type);
      return shaped ? Type(shaped.clone(b.getI32Type())) : Type(b.getI32Type());
    };
    Operation *widened = b.clone(*op);
    b.setInsertionPoint(widened);
    for (OpOperand &operand : widened->getOpOperands())
      if (Type type = operand.get().getType(); isBoolean(type))
        operand.set(isUnsigned ? arith::ExtUIOp::create(b, loc, wide(type), operand.get()).getResult()
                               : arith::ExtSIOp::create(b, loc, wide(type), operand.get()).getResult());
    b.setInsertionPoint(op);
    Type type = op->getResult(0).getType();
    Value result = widened->getResult(0);
    if (yields) {
      result.setType(wide(type));
      result = arith::TruncIOp::create(b, loc, type, result);
    }
    b.replaceOp(op, result);
    return success();
  }
};

struct ExpandForSpirv : heddle::impl::ExpandForSpirvBase<ExpandForSpirv> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandTrunc, ExpandConstantComparison, WidenBooleans>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
