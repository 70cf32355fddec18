//===- ExpandGelu.cpp - GELU of low-precision layers ----------------------===//
//
// In a layer of low precision, the products take so little time that a GELU
// that uses the polynomial of erf would take a fifth of the layer's time.
// Therefore this file computes GELU as max(x, 0) minus |x| times the tail of
// the normal distribution beyond |x|. The tail is approximated by a polynomial
// of degree 4 in each of 16 intervals of |x|. The coefficients of one power
// are in the lanes of a register, so one instruction looks up a coefficient
// for 16 numbers. (A table for both signs of x would have twice as many
// intervals and need a lookup with three operands, which on Zen 4 competes
// with multiply-adds.)
//
//===----------------------------------------------------------------------===//

#include "ExpandGelu.h"

#include "targets/math/Erf.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

static constexpr int64_t lanes = 16, intervals = lanes, degree = 4;
/// The number of intervals per unit of |x|: interval n contains each x for which |x| times intervalsPerUnit lies
/// between n - 1/2 and n + 1/2. The last interval also contains all larger |x|. There the tail is taken as 0.
static constexpr double intervalsPerUnit = 2.8125;

/// The coefficients for each interval, highest power first. The variable of a polynomial is |x| times intervalsPerUnit
/// minus the number of the interval, from -1/2 to 1/2. Each polynomial interpolates the tail at the zeros of the
/// Chebyshev polynomial of degree 5.
static constexpr double coefficients[intervals][degree + 1] = {
    {0, 0.002971048, 0, -0.141845047, 0.5},
    {-0.000253205188, 0.002438467, 0.00841677282, -0.133156776, 0.361086726},
    {-0.000363977335, 0.00114628708, 0.0139258541, -0.110156588, 0.238507688},
    {-0.000297723396, -0.000224710879, 0.015228481, -0.0803073049, 0.143061191},
    {-0.000134506758, -0.00110095914, 0.0130447475, -0.0515936203, 0.077480875},
    {1.47650408e-05, -0.00132240891, 0.00923171639, -0.0292100143, 0.037720181},
    {8.956698e-05, -0.00108820398, 0.00552708562, -0.0145733841, 0.0164486952},
    {9.50765025e-05, -0.000702396093, 0.00283511332, -0.00640736613, 0.00640715053},
    {6.73212708e-05, -0.000372962473, 0.0012554049, -0.00248248316, 0.00222444721},
    {3.68977016e-05, -0.000166667145, 0.000482226082, -0.000847573567, 0.000687137945},
    {1.6485028e-05, -6.34905446e-05, 0.000161218253, -0.000255005201, 0.000188590609},
    {6.15477666e-06, -2.07837456e-05, 4.70222258e-05, -6.76078125e-05, 4.59362454e-05},
    {1.94760173e-06, -5.87801242e-06, 1.1986067e-05, -1.57948762e-05, 9.92076366e-06},
    {5.27019495e-07, -1.44171906e-06, 2.67368796e-06, -3.25163387e-06, 1.89825494e-06},
    {1.22693237e-07, -3.07531167e-07, 5.22459175e-07, -5.89857734e-07, 3.21592182e-07},
    {0.0, 0.0, 0.0, 0.0, 0.0},
};

/// Calls an LLVM intrinsic that returns a vector.
static Value call(MathBuilder &b, StringRef intrinsic, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, b.type, b.getStringAttr(intrinsic), operands).getResult(0);
}

/// Returns an integer constant of `bits` bits.
static Value constant(MathBuilder &b, unsigned bits, int64_t value) {
  Type type = b.getIntegerType(bits);
  return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
}
/// Returns the operand of 512-bit intrinsics that selects the current rounding mode.
static Value currentRounding(MathBuilder &b) { return constant(b, 32, 4); }

/// Returns the smaller of |x| and `end`, or `end` if x is NaN.
static Value magnitudeUpTo(MathBuilder &b, Value x, double end) {
  constexpr int64_t minMagnitude = 2, noSign = 2 << 2; // fields of the immediate operand of vrangeps
  Value all = constant(b, lanes, -1); // the mask of all lanes
  return call(b, "llvm.x86.avx512.mask.range.ps.512",
              {x, b.number(end), constant(b, 32, minMagnitude | noSign), b.number(0.0), all, currentRounding(b)});
}

/// Returns, for each lane, the coefficient of this power for the interval whose number is in the lowest four bits of
/// `index`.
static Value lookUp(MathBuilder &b, Value index, int64_t power) {
  SmallVector<float> table;
  for (const auto &ofInterval : coefficients)
    table.push_back(float(ofInterval[degree - power]));
  Value all = arith::ConstantOp::create(b, DenseElementsAttr::get(cast<VectorType>(b.type), ArrayRef(table)));
  return call(b, "llvm.x86.avx512.permvar.sf.512", {all, index});
}

/// Emits GELU of 16 numbers.
static Value emitGelu(MathBuilder &b, Value x) {
  // Adding `magic`, 1.5 x 2^23, rounds a small number to an integer, which is then in the lowest bits of the sum.
  Value scale = b.number(intervalsPerUnit), magic = b.number(12582912.0);
  Value t = magnitudeUpTo(b, x, (intervals - 1) / intervalsPerUnit);
  Value shifted = b.fma(t, scale, magic);
  Value rest = b.fma(t, scale, b.make<arith::NegFOp>(b.sub(shifted, magic)));
  Value index = b.bitsOf(shifted), tail = lookUp(b, index, degree);
  for (int64_t power = degree - 1; power >= 0; --power)
    tail = b.fma(tail, rest, lookUp(b, index, power));
  // Compute max(x, 0) as x - min(x, 0), so that NaN stays NaN and -infinity gives NaN, as in the formula of GELU.
  Value below = call(b, "llvm.x86.avx512.min.ps.512", {x, b.number(0.0), currentRounding(b)});
  return b.fma(b.make<arith::NegFOp>(t), tail, b.sub(x, below));
}

/// Returns x if `value` is the product of x and the constant `factor`, else null.
static Value otherFactor(Value value, double factor) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  APFloat found(0.0f);
  if (!product || !matchPattern(product.getRhs(), m_ConstantFloat(&found)) || found.convertToFloat() != float(factor))
    return {};
  return product.getLhs();
}

/// Returns x and the last operation of GELU if `erf` is part of x / 2 erf(x / sqrt(2)) + x / 2, else nulls.
static std::pair<Value, Operation *> findGelu(math::ErfOp erf) {
  Value x = otherFactor(erf.getOperand(), std::sqrt(2.0) / 2);
  auto sum = erf->hasOneUse() ? dyn_cast<vector::FMAOp>(*erf->user_begin()) : vector::FMAOp();
  if (!x || !sum || sum.getLhs() != sum.getAcc() || sum.getRhs() != erf.getResult() ||
      otherFactor(sum.getLhs(), 0.5) != x)
    return {};
  return {x, sum};
}

namespace {
/// Replaces a GELU of a vector of up to 16 f32 by the code of emitGelu if the CPU can look up numbers in a register.
/// Replaces any other erf of f32 by the polynomial of emitErf.
struct ExpandGelu : OpRewritePattern<math::ErfOp> {
  ExpandGelu(MLIRContext *context, bool hasLookups) : OpRewritePattern(context), hasLookups(hasLookups) {}

  LogicalResult matchAndRewrite(math::ErfOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    MathBuilder b(op, rewriter);
    auto type = dyn_cast<VectorType>(op.getType());
    auto [x, gelu] = findGelu(op);
    if (!hasLookups || !x || type.getRank() != 1 || type.isScalable() || type.getDimSize(0) > lanes) {
      rewriter.replaceOp(op, emitErf(b, op.getOperand()));
      return success();
    }
    // If the vector has fewer than 16 numbers, fill the other lanes with zeros. Their results are not used.
    int64_t count = type.getDimSize(0), zero = 0, one = 1;
    rewriter.setInsertionPoint(gelu);
    b.type = VectorType::get(ArrayRef(lanes), b.getF32Type());
    b.bits = VectorType::get(ArrayRef(lanes), b.getI32Type());
    if (count < lanes)
      x = vector::InsertStridedSliceOp::create(b, x, b.number(0.0), ArrayRef(zero), ArrayRef(one));
    Value result = emitGelu(b, x);
    if (count < lanes)
      result = vector::ExtractStridedSliceOp::create(b, result, ArrayRef(zero), ArrayRef(count), ArrayRef(one));
    rewriter.replaceOp(gelu, result);
    return success();
  }

private:
  bool hasLookups; // whether the CPU can look up numbers in a register (feature avx512dq)
};
} // namespace

void heddle::populateExpandGelu(RewritePatternSet &patterns, bool hasLookups) {
  patterns.add<ExpandGelu>(patterns.getContext(), hasLookups);
}
