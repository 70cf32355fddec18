//===- Math.cpp - evaluation of math ops ----------------------------------===//

#include "interpreter/Models.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

// The functions of libm compute in double. If the interpreter computes in f32, their results are then rounded to f32
// (floatLanes in Models.h).
static double absolute(double x) { return std::fabs(x); }
static double arcCosine(double x) { return std::acos(x); }
static double arcCosineH(double x) { return std::acosh(x); }
static double arcSine(double x) { return std::asin(x); }
static double arcSineH(double x) { return std::asinh(x); }
static double arcTangent(double x) { return std::atan(x); }
static double arcTangentH(double x) { return std::atanh(x); }
static double arcTangent2(double y, double x) { return std::atan2(y, x); }
static double cubeRoot(double x) { return std::cbrt(x); }
static double ceiling(double x) { return std::ceil(x); }
static double clamp(double x, double low, double high) { return std::fmin(std::fmax(x, low), high); }
static double copySign(double x, double sign) { return std::copysign(x, sign); }
static double cosine(double x) { return std::cos(x); }
static double cosineH(double x) { return std::cosh(x); }
static double sine(double x) { return std::sin(x); }
static double sineH(double x) { return std::sinh(x); }
static double tangent(double x) { return std::tan(x); }
static double tangentH(double x) { return std::tanh(x); }
static double errorFunction(double x) { return std::erf(x); }
static double errorFunctionC(double x) { return std::erfc(x); }
static double exponential(double x) { return std::exp(x); }
static double exponential2(double x) { return std::exp2(x); }
static double exponentialM1(double x) { return std::expm1(x); }
static double floor_(double x) { return std::floor(x); }
static double multiplyAdd(double a, double b, double c) { return std::fma(a, b, c); }
static double logarithm(double x) { return std::log(x); }
static double logarithm10(double x) { return std::log10(x); }
static double logarithm1P(double x) { return std::log1p(x); }
static double logarithm2(double x) { return std::log2(x); }
static double power(double x, double y) { return std::pow(x, y); }
static double round_(double x) { return std::round(x); }
static double roundEven(double x) { return std::nearbyint(x); } // ties to even is the default rounding mode
static double reciprocalRoot(double x) { return 1 / std::sqrt(x); }
static double squareRoot(double x) { return std::sqrt(x); }
static double roundTowardZero(double x) { return std::trunc(x); }

static int64_t absoluteI(int64_t x, unsigned width) { return signedValue(x, width) < 0 ? -uint64_t(x) : x; }

/// Returns the function that evaluates math.fpowi, a float to the power of an integer, for n elements at a time.
static LaneFunction powerOfInteger(Operation *op, Evaluator &evaluator) {
  bool toF32 = roundsToF32(op->getResult(0).getType(), evaluator);
  return [=](ArrayRef<Column> in, ArrayRef<Column> out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      double value = std::pow(in[0].floats[i], double(in[1].ints[i]));
      out[0].floats[i] = toF32 ? double(float(value)) : value;
    }
    return success();
  };
}

/// Returns the function that evaluates an op with an i1 result, such as math.isnan, for n elements at a time.
template <bool (*predicate)(double)>
static LaneFunction classify(Operation *, Evaluator &) {
  return [](ArrayRef<Column> in, ArrayRef<Column> out, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      out[0].ints[i] = predicate(in[0].floats[i]);
    return success();
  };
}
static bool isNan(double x) { return std::isnan(x); }
static bool isInf(double x) { return std::isinf(x); }
static bool isFinite(double x) { return std::isfinite(x); }

void heddle::registerMathModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    using namespace math;
    attachFloat<AbsFOp, absolute>(context);
    attachFloat<AcosOp, arcCosine>(context);
    attachFloat<AcoshOp, arcCosineH>(context);
    attachFloat<AsinOp, arcSine>(context);
    attachFloat<AsinhOp, arcSineH>(context);
    attachFloat<AtanOp, arcTangent>(context);
    attachFloat<AtanhOp, arcTangentH>(context);
    attachFloat<Atan2Op, arcTangent2>(context);
    attachFloat<CbrtOp, cubeRoot>(context);
    attachFloat<CeilOp, ceiling>(context);
    attachFloat<ClampFOp, clamp>(context);
    attachFloat<CopySignOp, copySign>(context);
    attachFloat<CosOp, cosine>(context);
    attachFloat<CoshOp, cosineH>(context);
    attachFloat<SinOp, sine>(context);
    attachFloat<SinhOp, sineH>(context);
    attachFloat<TanOp, tangent>(context);
    attachFloat<TanhOp, tangentH>(context);
    attachFloat<ErfOp, errorFunction>(context);
    attachFloat<ErfcOp, errorFunctionC>(context);
    attachFloat<ExpOp, exponential>(context);
    attachFloat<Exp2Op, exponential2>(context);
    attachFloat<ExpM1Op, exponentialM1>(context);
    attachFloat<FloorOp, floor_>(context);
    attachFloat<FmaOp, multiplyAdd>(context);
    attachFloat<LogOp, logarithm>(context);
    attachFloat<Log10Op, logarithm10>(context);
    attachFloat<Log1pOp, logarithm1P>(context);
    attachFloat<Log2Op, logarithm2>(context);
    attachFloat<PowFOp, power>(context);
    attachFloat<RoundOp, round_>(context);
    attachFloat<RoundEvenOp, roundEven>(context);
    attachFloat<RsqrtOp, reciprocalRoot>(context);
    attachFloat<SqrtOp, squareRoot>(context);
    attachFloat<TruncOp, roundTowardZero>(context);
    attachInteger<AbsIOp, absoluteI>(context);
    attachLanes<FPowIOp, powerOfInteger>(context);
    attachLanes<IsNaNOp, classify<isNan>>(context);
    attachLanes<IsInfOp, classify<isInf>>(context);
    attachLanes<IsFiniteOp, classify<isFinite>>(context);
  });
}
