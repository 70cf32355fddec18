//===- ExpandRemainders.cpp - exact remainders of floats ------------------===//
//
// The remainder of a division x / y of two floats is itself a float, however
// large the quotient is. This pass computes it exactly, by a long division of
// the fractions as integers, several bits of the quotient at a time. The
// lowerings of upstream MLIR and LLVM for devices instead subtract
// y * trunc(x / y) from x. Their result is wrong if rounding changes the integer
// trunc(x / y) (the quotient of 1 and 0.1f is rounded to 10, although it is less
// than 10), or if the product is rounded.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

#include "heddle/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using heddle::MathBuilder;

namespace heddle {
#define GEN_PASS_DEF_EXPANDREMAINDERS
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {

/// The magnitude of a number: fraction 2^(exponent - c), where c is a constant of the type. Both members are integers
/// of the width of the type.
struct Parts {
  Value fraction, exponent;
};

/// Emits the remainder of two scalars by arithmetic of integers of the same width.
class Division {
public:
  explicit Division(MathBuilder &b) : b(b) {}

  /// Returns the remainder of x / y, with the sign of x.
  Value remainder(Value x, Value y);

private:
  /// Splits the bits of a magnitude. A denormal number has the exponent of the smallest normal numbers, and its
  /// fraction has no leading one.
  Parts split(Value magnitude) {
    Value field = b.shiftRight(magnitude, b.fractionBits());
    Value isNormal = isAbove(field, 0);
    Value fraction = b.andBits(magnitude, leadingOne() - 1);
    Value whole = b.make<arith::OrIOp>(fraction, b.integer(leadingOne()));
    return {b.select(isNormal, whole, fraction), b.select(isNormal, field, b.integer(1))};
  }
  Value join(Parts parts);
  /// Returns the remainder of left / right, which are integers.
  Value divide(Value left, Value right) { return b.make<arith::RemUIOp>(left, right); }
  Value isAbove(Value word, int64_t number) {
    return b.make<arith::CmpIOp>(arith::CmpIPredicate::ugt, word, b.integer(number));
  }
  int64_t leadingOne() const { return int64_t(1) << b.fractionBits(); }
  /// Returns by how many bits a fraction can be shifted left in a word.
  int64_t room() const { return int64_t(b.width) - b.fractionBits() - 1; }

  MathBuilder &b;
};

} // namespace

/// Returns the bits of the number with these parts. First shifts the fraction left until its leading one is the bit
/// `leadingOne()`, unless the number is denormal.
Value Division::join(Parts parts) {
  auto [fraction, exponent] = parts;
  for (int64_t by = b.isWide() ? 32 : 16; by > 0; by /= 2) {
    Value fits = b.make<arith::CmpIOp>(arith::CmpIPredicate::ult, fraction, b.integer(leadingOne() >> (by - 1)));
    Value moves = b.make<arith::AndIOp>(fits, isAbove(exponent, by));
    fraction = b.select(moves, b.shiftLeft(fraction, by), fraction);
    exponent = b.select(moves, b.addBits(exponent, b.integer(-by)), exponent);
  }
  // Adding the fraction with its leading one increments the exponent.
  Value word = b.addBits(b.shiftLeft(b.addBits(exponent, b.integer(-1)), b.fractionBits()), fraction);
  Value isZero = b.make<arith::CmpIOp>(arith::CmpIPredicate::eq, fraction, b.integer(0));
  return b.select(isZero, b.integer(0), word);
}

Value Division::remainder(Value x, Value y) {
  Value left = b.andBits(b.bitsOf(x), ~b.signMask()), right = b.andBits(b.bitsOf(y), ~b.signMask());
  Value sign = b.signBit(b.bitsOf(x));
  Parts dividend = split(left), divisor = split(right);
  // A divisor of 0 is replaced by 1, because integers cannot be divided by 0. The result is replaced by NaN below.
  Value by = b.make<arith::MaxUIOp>(divisor.fraction, b.integer(1));
  // The number of bits of the quotient that remain to be computed after the first division. It is 0 if the dividend has
  // the smaller exponent.
  Value bits = b.make<arith::SubIOp>(dividend.exponent, divisor.exponent);
  bits = b.make<arith::MaxSIOp>(bits, b.integer(0));
  Value rest = divide(dividend.fraction, by);
  rest = divide(b.make<arith::ShLIOp>(rest, b.make<arith::RemUIOp>(bits, b.integer(room()))), by);
  Value steps = b.make<arith::IndexCastOp>(b.getIndexType(), b.make<arith::DivUIOp>(bits, b.integer(room())));
  Value zero = b.make<arith::ConstantIndexOp>(0), one = b.make<arith::ConstantIndexOp>(1);
  auto loop = scf::ForOp::create(b, zero, steps, one, rest);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b, divide(b.shiftLeft(loop.getRegionIterArg(0), room()), by));
  }
  Value word = join({loop.getResult(0), divisor.exponent});
  Value isSmaller = b.make<arith::CmpIOp>(arith::CmpIPredicate::ult, left, right);
  word = b.select(isSmaller, left, word);
  // The remainder of infinity, of division by 0, and of NaN is NaN.
  int64_t infinity = b.wordOf(std::numeric_limits<double>::infinity());
  Value isWrong = b.make<arith::CmpIOp>(arith::CmpIPredicate::uge, left, b.integer(infinity));
  isWrong = b.make<arith::OrIOp>(isWrong, isAbove(right, infinity));
  isWrong = b.make<arith::OrIOp>(isWrong, b.make<arith::CmpIOp>(arith::CmpIPredicate::eq, right, b.integer(0)));
  Value nan = b.number(std::numeric_limits<double>::quiet_NaN());
  return b.select(isWrong, nan, b.ofBits(b.make<arith::OrIOp>(word, sign)));
}

namespace {

/// Replaces a remainder. Each element of a vector gets its own loop.
struct ExpandRemainder : OpRewritePattern<arith::RemFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::RemFOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!heddle::isF32OrF64(op) || (type ? type.isScalable() : isa<ShapedType>(op.getType())))
      return rewriter.notifyMatchFailure(op, "is neither f32 nor f64, nor a vector of these");
    MathBuilder b(op, rewriter);
    b.type = getElementTypeOrSelf(b.type);
    b.bits = getElementTypeOrSelf(b.bits);
    Division division(b);
    if (!type) {
      rewriter.replaceOp(op, division.remainder(op.getLhs(), op.getRhs()));
      return success();
    }
    SmallVector<Value> elements;
    SmallVector<int64_t> strides = computeStrides(type.getShape());
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      SmallVector<int64_t> place = delinearize(i, strides);
      elements.push_back(division.remainder(vector::ExtractOp::create(b, op.getLhs(), place),
                                            vector::ExtractOp::create(b, op.getRhs(), place)));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, elements);
    return success();
  }
};

struct ExpandRemainders : heddle::impl::ExpandRemaindersBase<ExpandRemainders> {
  void runOnOperation() override {
    // Use a driver that changes only remainders; the greedy driver would also fold constants.
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandRemainder>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
