//===- ExpandMath.cpp - math functions as arithmetic ----------------------===//

#include "heddle/Passes.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_EXPANDMATH
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {

/// Adding 1.5 x 2^23 rounds to an integer in the low bits; 127 is the exponent's bias.
constexpr double roundBiased = 12582912.0 + 127.0;

/// Builds f32 or f64 arithmetic, scalar or on vectors, in place of `op`.
struct MathBuilder : ImplicitLocOpBuilder {
  MathBuilder(Operation *op, PatternRewriter &rewriter)
      : ImplicitLocOpBuilder(op->getLoc(), rewriter), type(op->getResult(0).getType()),
        bits(getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth())) {
    if (auto vector = dyn_cast<VectorType>(type))
      bits = vector.clone(bits);
  }

  Value number(double value) { return constant(type, getFloatAttr(getElementTypeOrSelf(type), value)); }
  Value integer(int64_t value) { return constant(bits, getIntegerAttr(getElementTypeOrSelf(bits), value)); }

  /// The polynomial at x, highest power first.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value p = number(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      p = math::FmaOp::create(*this, p, x, number(coefficient));
    return p;
  }

  /// The larger one, x where it is NaN.
  Value noLessThan(double lowest, Value x) {
    Value below = arith::CmpFOp::create(*this, arith::CmpFPredicate::OLT, x, number(lowest));
    return arith::SelectOp::create(*this, below, number(lowest), x);
  }

  /// p 2^n, n being in the low bits of the f32 `shifted`, to which `roundBiased` was added. The power
  /// of n = -127 has the bits of 0.
  Value timesPower(Value p, Value shifted) {
    Value power = arith::ShLIOp::create(*this, arith::BitcastOp::create(*this, bits, shifted), integer(23));
    return arith::MulFOp::create(*this, p, arith::BitcastOp::create(*this, type, power));
  }

  Type type, bits; // of the result, and integers as wide

private:
  Value constant(Type of, TypedAttr value) {
    if (auto shaped = dyn_cast<ShapedType>(of))
      value = DenseElementsAttr::get(shaped, Attribute(value));
    return arith::ConstantOp::create(*this, value);
  }
};

/// How exp is computed in one floating-point type.
struct ExpConstants {
  double magic;      // 1.5 x 2^mantissaBits: adding it rounds to an integer in the low bits
  double lowest;     // x below this has no normal result
  double highest;    // the largest x with a finite result: from the next on, n and p would overflow into NaN
  unsigned mantissaBits;
  double ln2High, ln2Low;
  ArrayRef<double> coefficients; // of exp(r) for |r| <= ln(2)/2, highest power first
};

// f32: minimax of degree 5 among those that start with 1 + r, relative error 1.1e-7, with
// rounding 1.9e-7. f64: Taylor to degree 12, 2e-16.
constexpr double coefficients32[] = {0x1.10625p-7, 0x1.572a64p-5, 0x1.5557bp-3, 0x1.fffdfcp-2, 1.0, 1.0};
constexpr double coefficients64[] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                                     1.0 / 5040,      1.0 / 720,      1.0 / 120,     1.0 / 24,     1.0 / 6,
                                     0.5,             1.0,            1.0};

const ExpConstants constants32 = {12582912.0, -87.33654, 0x1.62e42ep6, 23, 0.693359375, -2.12194440e-4, coefficients32};
const ExpConstants constants64 = {6755399441055744.0,   -708.3964185322641,  709.782712893384, 52,
                                  6.93147180369123816490e-01, 1.90821492927058770002e-10, coefficients64};

// 2^r for |r| <= 1/2, minimax of degree 5 with 2^0 = 1, relative error 1.7e-7, highest power first.
constexpr double coefficientsExp2[] = {0.00132647005, 0.00967153441, 0.0555073395, 0.240222424, 0.693147004, 1.0};

/// 2^x of what is at most 0, as softmax needs it: 2^n 2^r with n = round(x); below 2^-126.5 it is 0.
/// Multiplying by 2^n, rather than adding n to the exponent, keeps every NaN.
struct ExpandNonPositiveExp2 : OpRewritePattern<heddle::Exp2NonPositiveOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(heddle::Exp2NonPositiveOp op, PatternRewriter &rewriter) const override {
    MathBuilder b(op, rewriter);
    Value x = b.noLessThan(-127.0, op.getOperand()), magic = b.number(roundBiased);
    Value shifted = arith::AddFOp::create(b, x, magic);
    Value r = arith::SubFOp::create(b, x, arith::SubFOp::create(b, shifted, magic));
    rewriter.replaceOp(op, b.timesPower(b.polynomial(r, coefficientsExp2), shifted));
    return success();
  }
};

/// exp likewise, with n = round(x log2(e)). The error of log2(e) makes the relative error grow with -x,
/// as the result shrinks.
struct ExpandNonPositiveExp : OpRewritePattern<heddle::ExpNonPositiveOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(heddle::ExpNonPositiveOp op, PatternRewriter &rewriter) const override {
    MathBuilder b(op, rewriter);
    Value x = b.noLessThan(-88.029692, op.getOperand()); // -127 log(2)
    Value magic = b.number(roundBiased), log2e = b.number(llvm::numbers::log2e);
    Value shifted = math::FmaOp::create(b, x, log2e, magic);
    Value n = arith::SubFOp::create(b, shifted, magic);
    Value r = math::FmaOp::create(b, x, log2e, arith::NegFOp::create(b, n));
    rewriter.replaceOp(op, b.timesPower(b.polynomial(r, coefficientsExp2), shifted));
    return success();
  }
};

/// exp(x) = 2^n exp(r) with n = round(x / ln 2). Out of range anything may come out, and of a
/// NaN, whose payload would go into the exponent: two selects put 0 and x + inf there, which is
/// inf or NaN. A result below the smallest normal number is 0.
struct ExpandExp : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    const ExpConstants &c = element.isF32() ? constants32 : constants64;
    MathBuilder b(op, rewriter);
    Value x = op.getOperand(), magic = b.number(c.magic);
    Value shifted = math::FmaOp::create(b, x, b.number(1.4426950408889634), magic);
    Value n = arith::SubFOp::create(b, shifted, magic);
    Value r = math::FmaOp::create(b, n, b.number(-c.ln2High), x);
    r = math::FmaOp::create(b, n, b.number(-c.ln2Low), r);
    Value p = b.polynomial(r, c.coefficients);
    // p is in [0.7, 1.42], so adding n to its exponent field stays in range.
    Value exponent = arith::ShLIOp::create(b, arith::BitcastOp::create(b, b.bits, shifted), b.integer(c.mantissaBits));
    Value scaled = arith::AddIOp::create(b, arith::BitcastOp::create(b, b.bits, p), exponent);
    Value result = arith::BitcastOp::create(b, b.type, scaled);
    Value below = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, b.number(c.lowest));
    Value inside = arith::CmpFOp::create(b, arith::CmpFPredicate::OLE, x, b.number(c.highest));
    Value outside = arith::AddFOp::create(b, x, b.number(std::numeric_limits<double>::infinity()));
    result = arith::SelectOp::create(b, below, b.number(0.0), result);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, inside, result, outside);
    return success();
  }
};

// erf(x)/x on |x| <= 3.8, where erf reaches 1 in f32, as a polynomial of degree 14 in t = 2 (x/3.8)^2 - 1, highest
// power first: minimax 6.5e-8 of erf. Powers of t, which stays in [-1, 1], rather than of x^2, whose terms would
// cancel. Computed in f32: absolute error 2.1e-7, relative 3e-7 down to the smallest normal number.
constexpr double erfEnd = 3.8;
constexpr double erfCoefficients[] = {0.00111471652,  -0.00276698777, 0.00208686991,  -0.00309232995, 0.0102767637,
                                      -0.0185622685,  0.0265081059,   -0.0388198346,  0.0551085733,   -0.0725454539,
                                      0.0908260196,   -0.111182436,   0.137739822,    -0.185641289,   0.372107625};

/// One polynomial over the whole range: upstream's chooses every coefficient among those of four intervals.
struct ExpandErf : OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    MathBuilder b(op, rewriter);
    // NaN compares false with both limits, so it passes.
    auto limit = [&](arith::CmpFPredicate beyond, Value end, Value x) -> Value {
      return arith::SelectOp::create(b, arith::CmpFOp::create(b, beyond, end, x), end, x);
    };
    Value x = limit(arith::CmpFPredicate::OLT, b.number(erfEnd), op.getOperand());
    x = limit(arith::CmpFPredicate::OGT, b.number(-erfEnd), x);
    Value square = arith::MulFOp::create(b, x, x);
    Value t = math::FmaOp::create(b, square, b.number(2 / (erfEnd * erfEnd)), b.number(-1.0));
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, x, b.polynomial(t, erfCoefficients));
    return success();
  }
};

// (log(1 + f) - f + f^2/2) / f^3 on |f| <= 1/3, minimax of degree 6, highest power first.
constexpr double logCoefficients[] = {0x1.1b1a6ap-3,  -0x1.35c394p-3, 0x1.1f934ep-3, -0x1.515832p-3,
                                      0x1.99c342p-3, -0x1.000b26p-2, 0x1.555528p-2};

/// log(x) = e log(2) + log(1 + f) where x = 2^e (1 + f) with 1 + f from 2/3 to 4/3: then f is
/// exact, and near x = 1 nothing cancels. Relative error 1.5e-7, denormals included.
struct ExpandLog : OpRewritePattern<math::LogOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::LogOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    MathBuilder b(op, rewriter);
    auto compare = [&](arith::CmpFPredicate predicate, Value left, double right) -> Value {
      return arith::CmpFOp::create(b, predicate, left, b.number(right));
    };

    // A denormal is made a normal number, its exponent put right afterwards.
    Value input = op.getOperand();
    Value small = compare(arith::CmpFPredicate::OLT, input, 0x1p-126);
    Value x = arith::SelectOp::create(b, small, arith::MulFOp::create(b, input, b.number(0x1p23)), input);
    Value moved = arith::SelectOp::create(b, small, b.number(-23.0), b.number(0.0));
    Value word = arith::BitcastOp::create(b, b.bits, x);
    // The bits of 2/3: what lies above them counts the powers of two.
    Value above = arith::SubIOp::create(b, word, b.integer(0x3f2aaaab));
    Value e = arith::ShRSIOp::create(b, above, b.integer(23));
    Value scaled = arith::SubIOp::create(b, word, arith::ShLIOp::create(b, e, b.integer(23)));
    Value f = arith::SubFOp::create(b, arith::BitcastOp::create(b, b.type, scaled), b.number(1.0));
    Value power = arith::AddFOp::create(b, arith::SIToFPOp::create(b, b.type, e), moved);
    Value p = b.polynomial(f, logCoefficients);
    p = math::FmaOp::create(b, p, f, b.number(-0.5));
    Value square = arith::MulFOp::create(b, f, f);
    Value result = math::FmaOp::create(b, p, square, f);
    // log(2) in two parts, the first short enough that its product with e is exact.
    result = math::FmaOp::create(b, power, b.number(-2.12194440e-4), result);
    result = math::FmaOp::create(b, power, b.number(0.693359375), result);
    // 0, numbers below it, infinity and NaN.
    double infinity = std::numeric_limits<double>::infinity();
    Value finite = compare(arith::CmpFPredicate::OLT, input, infinity);
    result = arith::SelectOp::create(b, finite, result, input);
    Value positive = compare(arith::CmpFPredicate::UGT, input, 0.0);
    Value zero = compare(arith::CmpFPredicate::OEQ, input, 0.0);
    Value rest = arith::SelectOp::create(b, zero, b.number(-infinity), b.number(std::numeric_limits<double>::quiet_NaN()));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, positive, result, rest);
    return success();
  }
};

struct ExpandMath : heddle::impl::ExpandMathBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandNonPositiveExp, ExpandNonPositiveExp2>(&getContext(), /*benefit=*/3);
    patterns.add<ExpandExp, ExpandErf, ExpandLog>(&getContext(), /*benefit=*/2);
    // rsqrt becomes 1 / sqrt, on any vector; upstream's approximation takes one of 8 only.
    auto notNative = [](StringRef name) {
      return name != math::SqrtOp::getOperationName() && name != math::RsqrtOp::getOperationName() &&
             name != math::AbsFOp::getOperationName();
    };
    populateMathF32ExpansionPatterns(patterns, notNative);
    populateMathPolynomialApproximationPatterns(patterns, notNative);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
