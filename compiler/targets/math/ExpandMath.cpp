//===- ExpandMath.cpp - math functions as arithmetic ----------------------===//

#include "Erf.h"

#include "heddle/Passes.h"

#include "Heddle.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using heddle::MathBuilder, heddle::roundBiased;

namespace heddle {
#define GEN_PASS_DEF_EXPANDMATH
#include "heddle/Passes.h.inc"
} // namespace heddle

namespace {

/// The constants of exp for one floating-point type.
struct ExpConstants {
  double magic;   // 1.5 x 2^mantissaBits: adding it rounds a number to an integer, which is in the low bits of the sum
  double lowest;  // for a smaller x, exp(x) is denormal, and the result is 0
  double highest; // the largest x for which exp(x) is finite
  unsigned mantissaBits;
  double ln2High, ln2Low;        // log(2) as a sum, where ln2High has few digits
  ArrayRef<double> coefficients; // of the polynomial for exp(r) with |r| <= ln(2)/2, highest power first
};

// The polynomial for f32 is the minimax polynomial of degree 5 among those that start with 1 + r. Its relative error is
// 1.1e-7, and 1.9e-7 with rounding. The polynomial for f64 is the Taylor polynomial of degree 12; its error is 2e-16.
constexpr double coefficients32[] = {0x1.10625p-7, 0x1.572a64p-5, 0x1.5557bp-3, 0x1.fffdfcp-2, 1.0, 1.0};
constexpr double coefficients64[] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                                     1.0 / 5040,      1.0 / 720,      1.0 / 120,     1.0 / 24,     1.0 / 6,
                                     0.5,             1.0,            1.0};

const ExpConstants constants32 = {12582912.0, -87.33654, 0x1.62e42ep6, 23, 0.693359375, -2.12194440e-4, coefficients32};
const ExpConstants constants64 = {6755399441055744.0,   -708.3964185322641,  709.782712893384, 52,
                                  6.93147180369123816490e-01, 1.90821492927058770002e-10, coefficients64};

// Coefficients of 2^r for |r| <= 1/2, highest power first: the minimax polynomial of degree 5 with 2^0 = 1. Its
// relative error is 1.1e-7, and 1.7e-7 with rounding.
constexpr double coefficientsExp2[] = {0.00132647005, 0.00967153441, 0.0555073395, 0.240222424, 0.693147004, 1.0};

/// Computes 2^x for x <= 0, for attention, as 2^n 2^r with n = round(x). The result is 0 for x < -126.5. The code
/// multiplies by 2^n, because an addition of n to the exponent field could change a NaN to a number.
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

/// Computes exp(x) for x <= 0, for softmax, as ExpandNonPositiveExp2 computes 2^(x log2(e)). Because of the rounding
/// error of log2(e), the relative error grows linearly with -x. This is accepted, because the result is small where -x
/// is large.
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

/// Computes exp(x) = 2^n exp(r) with n = round(x / ln 2). The code adds n to the exponent field of exp(r), which gives
/// an arbitrary value if x is out of range or NaN. Two selects replace this value: by 0 if exp(x) is below the smallest
/// normal number, and by x + inf, which is inf or NaN, if x is too large or NaN.
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
    // Adding n to the exponent field of p does not overflow, because p is in [0.7, 1.42].
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

/// Replaces erf of f32, unless it has the fast-math flag afn. This flag marks the GELU of a linear layer of low
/// precision. The pass heddle-expand-dots, which expands the products of such layers, replaces this erf, too, and can
/// use a table for it (targets/cpu/ExpandGelu.h).
struct ExpandErf : OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() || isLeft(op))
      return rewriter.notifyMatchFailure(op, "not f32, or left to the target");
    MathBuilder b(op, rewriter);
    rewriter.replaceOp(op, emitErf(b, op.getOperand()));
    return success();
  }

  static bool isLeft(math::ErfOp op) { return bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn); }
};

// Coefficients of (log(1 + f) - f + f^2/2) / f^3 for |f| <= 1/3, highest power first: the minimax polynomial of degree
// 6.
constexpr double logCoefficients[] = {0x1.1b1a6ap-3,  -0x1.35c394p-3, 0x1.1f934ep-3, -0x1.515832p-3,
                                      0x1.99c342p-3, -0x1.000b26p-2, 0x1.555528p-2};

/// The logarithm of 2 to some base is powerHigh + powerLow, where powerHigh has so few digits that its product with an
/// exponent is exact. `unit` is the factor that converts a natural logarithm to this base.
struct LogConstants {
  double powerHigh, powerLow, unit;
};
constexpr LogConstants natural = {0.693359375, -2.12194440e-4, 1}, binary = {1, 0, 1 / llvm::numbers::ln2},
                       decimal = {0x1.344p-2, 4.60503898e-6, 1 / llvm::numbers::ln10};

/// Computes log(x) = e log(2) + log(1 + f) for x = 2^e (1 + f), where 1 + f lies between 2/3 and 4/3. In this range,
/// the subtraction that gives f is exact. Near x = 1, e is 0, so the two terms do not cancel. The relative error is
/// 1.5e-7, also for denormal numbers.
template <typename Op, const LogConstants &constants>
struct ExpandLog : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    MathBuilder b(op, rewriter);
    // A denormal number is scaled to a normal one, and the exponent is corrected afterwards.
    Value input = op.getOperand();
    Value small = b.compare(arith::CmpFPredicate::OLT, input, 0x1p-126);
    Value x = b.select(small, b.mul(input, b.number(0x1p23)), input);
    Value moved = b.select(small, b.number(-23.0), b.number(0.0));
    Value word = b.bitsOf(x);
    // Subtract the bits of 2/3. The bits above the fraction of the difference are then e.
    Value above = b.addBits(word, b.integer(-0x3f2aaaab));
    Value e = b.make<arith::ShRSIOp>(above, b.integer(23));
    Value scaled = b.make<arith::SubIOp>(word, b.shiftLeft(e, 23));
    Value f = b.sub(b.ofBits(scaled), b.number(1.0));
    Value power = b.add(b.make<arith::SIToFPOp>(b.type, e), moved);
    Value p = b.polynomial(f, logCoefficients);
    p = b.fma(p, f, b.number(-0.5));
    Value result = b.fma(p, b.mul(f, f), f);
    if (constants.unit != 1)
      result = b.mul(result, b.number(constants.unit));
    if (constants.powerLow != 0)
      result = b.fma(power, b.number(constants.powerLow), result);
    result = b.fma(power, b.number(constants.powerHigh), result);
    // Replace the result for 0, negative numbers, infinity and NaN.
    double infinity = std::numeric_limits<double>::infinity();
    result = b.select(b.compare(arith::CmpFPredicate::OLT, input, infinity), result, input);
    Value positive = b.compare(arith::CmpFPredicate::UGT, input, 0.0);
    Value zero = b.compare(arith::CmpFPredicate::OEQ, input, 0.0);
    Value rest = b.select(zero, b.number(-infinity), b.number(std::numeric_limits<double>::quiet_NaN()));
    rewriter.replaceOp(op, b.select(positive, result, rest));
    return success();
  }
};

struct ExpandMath : heddle::impl::ExpandMathBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandNonPositiveExp, ExpandNonPositiveExp2>(&getContext(), /*benefit=*/3);
    patterns.add<ExpandExp, ExpandErf, ExpandLog<math::LogOp, natural>, ExpandLog<math::Log2Op, binary>,
                 ExpandLog<math::Log10Op, decimal>>(&getContext(), /*benefit=*/2);
    heddle::populateExpandTrigonometric(patterns, /*benefit=*/2);
    heddle::populateExpandArc(patterns, /*benefit=*/2);
    heddle::populateExpandHyperbolic(patterns, /*benefit=*/2);
    heddle::populateExpandCubeRoot(patterns, /*benefit=*/2);
    heddle::populateExpandPower(patterns, /*benefit=*/2);
    heddle::populateExpandDoubleLogarithm(patterns, /*benefit=*/2);
    heddle::populateExpandDouble(patterns, /*benefit=*/2);
    // Leave sqrt, rsqrt and absf to the conversions to LLVM and SPIR-V. The conversion to LLVM replaces rsqrt by
    // 1 / sqrt for vectors of any length; upstream's polynomial approximation of rsqrt supports only vectors of 8.
    // Do not use upstream's expansion of erf: Heddle's patterns replace each erf except those that ExpandErf leaves to
    // the pass heddle-expand-dots.
    auto notNative = [](StringRef name) {
      return name != math::SqrtOp::getOperationName() && name != math::RsqrtOp::getOperationName() &&
             name != math::AbsFOp::getOperationName() && name != math::ErfOp::getOperationName();
    };
    populateMathF32ExpansionPatterns(patterns, notNative);
    populateMathPolynomialApproximationPatterns(patterns, notNative);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
