//===- ExpandConversions.cpp - conversions of f16 and bf16 ----------------===//
//
// If the CPU has no instruction for a conversion, LLVM calls a library function
// for each element. This pass replaces such conversions by arithmetic of
// integers and f32.
//
//===----------------------------------------------------------------------===//

#include "ExpandConversions.h"

#include "heddle/Passes.h"

#include "transforms/ForProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace heddle;

namespace heddle {
#define GEN_PASS_DEF_EXPANDCONVERSIONS
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {
/// Builds arithmetic of 32-bit integers and f32, on scalars or vectors of one length.
struct BitBuilder : ImplicitLocOpBuilder {
  BitBuilder(Operation *op, PatternRewriter &rewriter)
      : ImplicitLocOpBuilder(op->getLoc(), rewriter), type(op->getResult(0).getType()) {}

  /// Returns `element`, or a vector of it with the shape of the result.
  Type as(Type element) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? Type(shaped.clone(element)) : element;
  }
  /// Returns the constant `value` as i32, or a vector with this constant in each lane.
  Value bits(uint32_t value) {
    TypedAttr attribute = getI32IntegerAttr(int32_t(value));
    if (auto shaped = dyn_cast<ShapedType>(as(getI32Type())))
      attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
    return arith::ConstantOp::create(*this, attribute);
  }
  Value bitcast(Value value, Type element) { return createOrFold<arith::BitcastOp>(as(element), value); }
  /// word returns the bits of an f32 as i32; number returns the f32 with these bits.
  Value word(Value f32) { return bitcast(f32, getI32Type()); }
  Value number(Value word) { return bitcast(word, getF32Type()); }
  /// wordOf returns the bits of an f16 or bf16 as i32; narrowOf returns the f16 or bf16 with these bits.
  Value wordOf(Value narrow) {
    return arith::ExtUIOp::create(*this, as(getI32Type()), bitcast(narrow, getI16Type()));
  }
  Value narrowOf(Value word, Type element) {
    return bitcast(arith::TruncIOp::create(*this, as(getI16Type()), word), element);
  }
  Value add(Value a, Value b) { return arith::AddIOp::create(*this, a, b); }
  Value both(Value a, Value b) { return arith::AndIOp::create(*this, a, b); }
  Value either(Value a, Value b) { return arith::OrIOp::create(*this, a, b); }
  Value left(Value a, unsigned by) { return arith::ShLIOp::create(*this, a, bits(by)); }
  Value right(Value a, unsigned by) { return arith::ShRUIOp::create(*this, a, bits(by)); }
  Value atLeast(Value a, uint32_t limit) {
    return arith::CmpIOp::create(*this, arith::CmpIPredicate::uge, a, bits(limit));
  }
  Value select(Value condition, Value a, Value b) { return arith::SelectOp::create(*this, condition, a, b); }

  Value fromBF16(Value narrow) { return number(left(wordOf(narrow), 16)); }
  Value fromF16(Value narrow);
  Value toBF16(Value wide);
  Value toF16(Value wide);
  Value toF32ByOdd(Value wide);

  Type type; // the type of the operation's result
};
} // namespace

/// Converts f16 to f32. Moves the exponent and the fraction to their positions in an f32. Because f16 and f32 have
/// different exponent biases, the value of this f32 is too small by a factor of 2^112, by which it is then multiplied.
Value BitBuilder::fromF16(Value narrow) {
  Value word = wordOf(narrow), moved = left(both(word, bits(0x7fff)), 13);
  Value factor = number(bits(uint32_t(127 + 112) << 23));
  Value finite = this->word(arith::MulFOp::create(*this, number(moved), factor));
  Value special = either(moved, bits(0x7f800000)); // infinities and NaN
  Value result = select(atLeast(moved, uint32_t(0x7c00) << 13), special, finite);
  return number(either(result, left(both(word, bits(0x8000)), 16)));
}

/// Converts f32 to bf16: returns the upper half of the bits, rounded to nearest, ties to even. A NaN is not rounded.
/// Instead, a fraction bit of its upper half is set, since the bits that make it a NaN may be in the lower half only.
Value BitBuilder::toBF16(Value wide) {
  Value word = this->word(wide), upper = right(word, 16);
  Value rounded = right(add(add(word, bits(0x7fff)), both(upper, bits(1))), 16);
  Value isNaN = arith::CmpFOp::create(*this, arith::CmpFPredicate::UNO, wide, wide);
  return narrowOf(select(isNaN, either(upper, bits(0x40)), rounded), getBF16Type());
}

/// Converts f32 to f16, rounded to nearest, ties to even. There are three ranges: numbers that overflow (and NaN),
/// normal numbers of f16, and denormal numbers of f16. Denormal numbers are multiples of 2^-24. Adding 1/2 to a small
/// f32 rounds it to such a multiple, because 2^-24 is the value of the last bit of an f32 between 1/2 and 1.
Value BitBuilder::toF16(Value wide) {
  Value word = this->word(wide), magnitude = both(word, bits(0x7fffffff));
  Value infinity = bits(0x7c00);
  Value large = select(atLeast(magnitude, 0x7f800001), either(infinity, bits(0x200)), infinity);
  Value odd = both(right(magnitude, 13), bits(1));
  Value normal = right(add(add(magnitude, bits((uint32_t(15 - 127) << 23) + 0xfff)), odd), 13);
  Value half = bits(uint32_t(126) << 23); // the bits of 1/2
  Value sum = arith::AddFOp::create(*this, number(magnitude), number(half));
  Value small = arith::SubIOp::create(*this, this->word(sum), half);
  Value result = select(atLeast(magnitude, uint32_t(127 - 14) << 23), normal, small);
  result = select(atLeast(magnitude, uint32_t(127 + 16) << 23), large, result);
  return narrowOf(either(result, right(both(word, bits(0x80000000)), 16)), getF16Type());
}

/// Converts f64 to f32 by rounding to odd: truncates, and sets the last bit to 1 if the result is not exact. Rounding
/// the result to f16 or bf16 then gives the same number as rounding the f64 directly.
Value BitBuilder::toF32ByOdd(Value wide) {
  Value near = arith::TruncFOp::create(*this, as(getF32Type()), wide);
  Value back = arith::ExtFOp::create(*this, wide.getType(), near);
  Value inexact = arith::CmpFOp::create(*this, arith::CmpFPredicate::ONE, back, wide);
  // `near` is rounded to nearest. If it was rounded away from zero, the bits of the truncated number are those of
  // `near` minus 1.
  auto magnitude = [&](Value x) -> Value {
    auto zero = getFloatAttr(getF64Type(), 0.0);
    TypedAttr attribute = zero;
    if (auto shaped = dyn_cast<ShapedType>(x.getType()))
      attribute = DenseElementsAttr::get(shaped, Attribute(zero));
    Value negative = arith::CmpFOp::create(*this, arith::CmpFPredicate::OLT, x,
                                           arith::ConstantOp::create(*this, attribute));
    return select(negative, arith::NegFOp::create(*this, x), x);
  };
  Value away = arith::CmpFOp::create(*this, arith::CmpFPredicate::OGT, magnitude(back), magnitude(wide));
  Value word = this->word(near);
  Value less = select(away, add(word, bits(~uint32_t(0))), word);
  return number(select(inexact, either(less, bits(1)), word));
}

namespace {
// In the two patterns below, `hasHalf` means that the CPU has instructions that convert between f16 and f32.
/// Expands conversions from f16 or bf16 to f32 or f64.
struct ExpandWidening : OpRewritePattern<arith::ExtFOp> {
  ExpandWidening(MLIRContext *context, bool hasHalf) : OpRewritePattern(context), hasHalf(hasHalf) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn()), to = getElementTypeOrSelf(op.getType());
    BitBuilder b(op, rewriter);
    Value wide;
    if (from.isBF16())
      wide = b.fromBF16(op.getIn());
    else if (from.isF16() && !hasHalf)
      wide = b.fromF16(op.getIn());
    else if (from.isF16() && to.isF64())
      wide = arith::ExtFOp::create(b, b.as(b.getF32Type()), op.getIn());
    else
      return rewriter.notifyMatchFailure(op, "the CPU has an instruction");
    if (!to.isF32())
      wide = arith::ExtFOp::create(b, op.getType(), wide);
    rewriter.replaceOp(op, wide);
    return success();
  }

  bool hasHalf;
};

/// Expands conversions from f32 or f64 to f16 or bf16.
struct ExpandNarrowing : OpRewritePattern<arith::TruncFOp> {
  ExpandNarrowing(MLIRContext *context, bool hasHalf) : OpRewritePattern(context), hasHalf(hasHalf) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn()), to = getElementTypeOrSelf(op.getType());
    if (!to.isF16() && !to.isBF16())
      return rewriter.notifyMatchFailure(op, "the CPU has an instruction");
    if (isForProducts(op))
      return rewriter.notifyMatchFailure(op, "heddle-expand-dots replaces it");
    BitBuilder b(op, rewriter);
    Value wide = op.getIn();
    if (from.isF64())
      wide = b.toF32ByOdd(wide);
    else if (to.isF16() && hasHalf)
      return rewriter.notifyMatchFailure(op, "the CPU has an instruction");
    if (to.isBF16())
      wide = b.toBF16(wide);
    else
      wide = hasHalf ? arith::TruncFOp::create(b, op.getType(), wide).getResult() : b.toF16(wide);
    rewriter.replaceOp(op, wide);
    return success();
  }

  bool hasHalf;
};

/// Converts integers to f16 or bf16 by way of f64. The conversion to f64 is exact for integers up to 2^53.
template <typename Op> struct ExpandInteger : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type to = getElementTypeOrSelf(op.getType());
    if (!to.isF16() && !to.isBF16())
      return rewriter.notifyMatchFailure(op, "the CPU has an instruction");
    BitBuilder b(op, rewriter);
    Value wide = Op::create(b, b.as(b.getF64Type()), op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), wide);
    return success();
  }
};

/// Converts f32 to bf16 for operands of bf16 products (ForProducts.h). The CPU's instruction for this conversion
/// returns 0 for denormal numbers. This is accepted, because the instructions for products treat denormal numbers as 0,
/// too.
struct ExpandForDots : OpRewritePattern<arith::TruncFOp> {
  ExpandForDots(MLIRContext *context, bool hasInstruction)
      : OpRewritePattern(context), hasInstruction(hasInstruction) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!isForProducts(op))
      return rewriter.notifyMatchFailure(op, "not for products");
    BitBuilder b(op, rewriter);
    auto type = dyn_cast<VectorType>(op.getType());
    if (!hasInstruction || !type || type.getRank() != 1 || type.isScalable()) {
      rewriter.replaceOp(op, b.toBF16(op.getIn()));
      return success();
    }
    constexpr int64_t lanes = 16, one = 1, zero = 0;
    auto vectorOf = [](Type element) { return VectorType::get({lanes}, element); };
    Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
    for (int64_t first = 0, all = type.getDimSize(0); first < all; first += lanes) {
      int64_t count = std::min(lanes, all - first);
      Value part = b.createOrFold<vector::ExtractStridedSliceOp>(op.getIn(), ArrayRef(first), ArrayRef(count),
                                                                 ArrayRef(one));
      if (count < lanes) { // fill the other lanes with zeros; their results are not used
        Value whole = arith::ConstantOp::create(b, b.getZeroAttr(vectorOf(b.getF32Type())));
        part = vector::InsertStridedSliceOp::create(b, part, whole, ArrayRef(zero), ArrayRef(one));
      }
      // The pass in ConvertToLLVM.cpp converts the type bf16 to i16, but the result of the intrinsic is bf16. So
      // convert the result to i16 by an operation of the LLVM dialect, and back to bf16 by an operation that the pass
      // in ConvertToLLVM.cpp lowers.
      StringAttr name = b.getStringAttr("llvm.x86.avx512bf16.cvtneps2bf16.512");
      Value narrow = LLVM::CallIntrinsicOp::create(b, vectorOf(b.getBF16Type()), name, part).getResult(0);
      Value words = LLVM::BitcastOp::create(b, vectorOf(b.getI16Type()), narrow);
      part = arith::BitcastOp::create(b, narrow.getType(), words);
      if (count < lanes)
        part = vector::ExtractStridedSliceOp::create(b, part, ArrayRef(zero), ArrayRef(count), ArrayRef(one));
      result = count == all ? part
                            : Value(vector::InsertStridedSliceOp::create(b, part, result, ArrayRef(first),
                                                                         ArrayRef(one)));
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  bool hasInstruction;
};

struct ExpandConversions : heddle::impl::ExpandConversionsBase<ExpandConversions> {
  using ExpandConversionsBase::ExpandConversionsBase;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandWidening, ExpandNarrowing>(&getContext(), half);
    patterns.add<ExpandInteger<arith::SIToFPOp>, ExpandInteger<arith::UIToFPOp>>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

void heddle::populateExpandForDots(RewritePatternSet &patterns, bool hasInstruction) {
  patterns.add<ExpandForDots>(patterns.getContext(), hasInstruction);
}
