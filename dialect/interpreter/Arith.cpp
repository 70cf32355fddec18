//===- Arith.cpp - evaluation of arith ops --------------------------------===//
//
// Most ops are described by a function of scalars. A lane function (LaneFunction in EvaluateInterface.h) applies it to
// n elements of each operand at a time. Floats of all types are doubles; if the interpreter computes in f32, results
// are rounded to f32 (roundsToF32 in Models.h).
//
//===----------------------------------------------------------------------===//

#include "interpreter/Models.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace heddle;

//===- Floats --------------------------------------------------------------===//

static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }
static double remainder_(double a, double b) { return std::fmod(a, b); }
static double negate(double a) { return -a; }
static double same(double a) { return a; } // extf, truncf: Evaluator::run and ElementProgram::run round the result

// If an operand is NaN, maximum and minimum return NaN, but maxnum and minnum return the other operand.
static double maximum(double a, double b) { return a > b || std::isnan(a) ? a : b; }
static double minimum(double a, double b) { return a < b || std::isnan(a) ? a : b; }
static double maxnum(double a, double b) { return std::fmax(a, b); }
static double minnum(double a, double b) { return std::fmin(a, b); }

//===- Integers ------------------------------------------------------------===//

// The operands are integers of `w` bits in the form in which a Tensor stores them: sign-extended to 64 bits, and 0 or 1
// for i1. The results are wrapped to the width of the op's result later (integerLanes in Models.h).

// These functions compute in uint64_t, in which overflow wraps around.
static int64_t addI(int64_t a, int64_t b, unsigned) { return uint64_t(a) + uint64_t(b); }
static int64_t subI(int64_t a, int64_t b, unsigned) { return uint64_t(a) - uint64_t(b); }
static int64_t mulI(int64_t a, int64_t b, unsigned) { return uint64_t(a) * uint64_t(b); }
static int64_t andI(int64_t a, int64_t b, unsigned) { return a & b; }
static int64_t orI(int64_t a, int64_t b, unsigned) { return a | b; }
static int64_t xorI(int64_t a, int64_t b, unsigned) { return a ^ b; }
static int64_t maxS(int64_t a, int64_t b, unsigned w) { return signedValue(a, w) > signedValue(b, w) ? a : b; }
static int64_t minS(int64_t a, int64_t b, unsigned w) { return signedValue(a, w) < signedValue(b, w) ? a : b; }
static int64_t maxU(int64_t a, int64_t b, unsigned w) { return unsignedValue(a, w) > unsignedValue(b, w) ? a : b; }
static int64_t minU(int64_t a, int64_t b, unsigned w) { return unsignedValue(a, w) < unsignedValue(b, w) ? a : b; }

// A shift by at least the width is poison in MLIR; here its result is 0.
static int64_t shiftLeft(int64_t a, int64_t b, unsigned w) { return unsignedValue(b, w) >= w ? 0 : uint64_t(a) << b; }
static int64_t shiftRightS(int64_t a, int64_t b, unsigned w) {
  return unsignedValue(b, w) >= w ? 0 : signedValue(a, w) >> b;
}
static int64_t shiftRightU(int64_t a, int64_t b, unsigned w) {
  return unsignedValue(b, w) >= w ? 0 : unsignedValue(a, w) >> b;
}

static int64_t signExtend(int64_t a, unsigned w) { return signedValue(a, w); }
static int64_t zeroExtend(int64_t a, unsigned w) { return unsignedValue(a, w); }
static int64_t truncate(int64_t a, unsigned) { return a; }

// The caller, `division`, has excluded divisors of 0 and, for signed division, the quotient of the lowest int64_t and
// -1.
static int64_t divS(int64_t a, int64_t b, unsigned) { return a / b; }
static int64_t remS(int64_t a, int64_t b, unsigned) { return a % b; }
static int64_t divU(int64_t a, int64_t b, unsigned w) { return unsignedValue(a, w) / unsignedValue(b, w); }
static int64_t remU(int64_t a, int64_t b, unsigned w) { return unsignedValue(a, w) % unsignedValue(b, w); }
static int64_t floorDivS(int64_t a, int64_t b, unsigned) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
static int64_t ceilDivS(int64_t a, int64_t b, unsigned) { return a / b + (a % b != 0 && (a < 0) == (b < 0)); }
static int64_t ceilDivU(int64_t a, int64_t b, unsigned w) {
  return unsignedValue(a, w) / unsignedValue(b, w) + (unsignedValue(a, w) % unsignedValue(b, w) != 0);
}

/// Returns the lane function of a division or remainder. A divisor of 0 and an overflow of 64 bits are errors.
template <auto function, bool isSigned>
static LaneFunction division(Operation *op, Evaluator &) {
  unsigned width = integerWidth(op->getOperand(0).getType());
  return [=](ArrayRef<Column> in, ArrayRef<Column> out, int64_t n) -> LogicalResult {
    for (int64_t i = 0; i < n; ++i) {
      int64_t a = in[0].ints[i], b = in[1].ints[i];
      if (b == 0)
        return op->emitOpError("divides by zero");
      if (isSigned && a == std::numeric_limits<int64_t>::min() && b == -1)
        return op->emitOpError("overflows");
      out[0].ints[i] = wrapInteger(function(a, b, width), width);
    }
    return success();
  };
}

/// Returns the lane function of mului_extended, whose results are the low and the high half of a product.
static LaneFunction multiplyExtended(Operation *op, Evaluator &) {
  unsigned width = integerWidth(op->getOperand(0).getType());
  return [=](ArrayRef<Column> in, ArrayRef<Column> out, int64_t n) -> LogicalResult {
    for (int64_t i = 0; i < n; ++i) {
      auto product = static_cast<unsigned __int128>(unsignedValue(in[0].ints[i], width)) *
                     unsignedValue(in[1].ints[i], width);
      out[0].ints[i] = wrapInteger(int64_t(product), width);
      out[1].ints[i] = wrapInteger(int64_t(product >> width), width);
    }
    return success();
  };
}

//===- Conversions ---------------------------------------------------------===//

/// Returns the lane function of a conversion from integers to floats.
template <bool isSigned>
static LaneFunction integerToFloat(Operation *op, Evaluator &evaluator) {
  unsigned width = integerWidth(op->getOperand(0).getType());
  bool toF32 = roundsToF32(op->getResult(0).getType(), evaluator);
  return [=](ArrayRef<Column> in, ArrayRef<Column> out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      int64_t value = in[0].ints[i];
      double wide = isSigned ? double(signedValue(value, width)) : double(unsignedValue(value, width));
      out[0].floats[i] = toF32 ? double(float(wide)) : wide;
    }
    return success();
  };
}

/// Returns the lane function of a conversion from floats to integers, which rounds towards zero. For a value out of the
/// range of the integer type, MLIR's result is poison; here it is the nearest integer in the range, or 0 for NaN.
template <bool isSigned>
static LaneFunction floatToInteger(Operation *op, Evaluator &) {
  unsigned width = integerWidth(op->getResult(0).getType());
  double high = std::ldexp(1.0, isSigned ? width - 1 : width), low = isSigned ? -high : 0;
  return [=](ArrayRef<Column> in, ArrayRef<Column> out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      double value = std::trunc(in[0].floats[i]);
      uint64_t bits = 0;
      if (value >= high)
        bits = isSigned ? (uint64_t(1) << (width - 1)) - 1 : ~uint64_t(0);
      else if (value < 0)
        bits = value <= low ? uint64_t(int64_t(low)) : uint64_t(int64_t(value));
      else if (value >= 0)
        bits = uint64_t(value);
      out[0].ints[i] = wrapInteger(bits, width);
    }
    return success();
  };
}

/// Returns the lane function of arith.bitcast, which reinterprets bytes as another type of the same width.
static LaneFunction bitcast(Operation *op, Evaluator &) {
  Type from = getElementTypeOrSelf(op->getOperand(0)), to = getElementTypeOrSelf(op->getResult(0));
  return [=](ArrayRef<Column> in, ArrayRef<Column> out, int64_t n) -> LogicalResult {
    Tensor source = isa<FloatType>(from) ? Tensor({n}, from, std::vector<double>(in[0].floats, in[0].floats + n))
                                         : Tensor({n}, from, std::vector<int64_t>(in[0].ints, in[0].ints + n));
    FailureOr<Tensor> result = Tensor::fromBytes({n}, to, source.toBytes());
    if (failed(result))
      return op->emitError() << "the interpreter does not support a bitcast from " << from << " to " << to;
    if (result->isFloat())
      llvm::copy(result->floats(), out[0].floats);
    else
      llvm::copy(result->ints(), out[0].ints);
    return success();
  };
}

//===- Comparison and choice -----------------------------------------------===//

static bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse: return false;
  case P::OEQ: return a == b;
  case P::OGT: return a > b;
  case P::OGE: return a >= b;
  case P::OLT: return a < b;
  case P::OLE: return a <= b;
  case P::ONE: return !unordered && a != b;
  case P::ORD: return !unordered;
  case P::UEQ: return unordered || a == b;
  case P::UGT: return unordered || a > b;
  case P::UGE: return unordered || a >= b;
  case P::ULT: return unordered || a < b;
  case P::ULE: return unordered || a <= b;
  case P::UNE: return a != b;
  case P::UNO: return unordered;
  case P::AlwaysTrue: return true;
  }
  llvm_unreachable("all predicates are listed");
}

static bool compareIntegers(arith::CmpIPredicate predicate, int64_t a, int64_t b, unsigned width) {
  using P = arith::CmpIPredicate;
  int64_t sa = signedValue(a, width), sb = signedValue(b, width);
  uint64_t ua = unsignedValue(a, width), ub = unsignedValue(b, width);
  switch (predicate) {
  case P::eq: return ua == ub;
  case P::ne: return ua != ub;
  case P::slt: return sa < sb;
  case P::sle: return sa <= sb;
  case P::sgt: return sa > sb;
  case P::sge: return sa >= sb;
  case P::ult: return ua < ub;
  case P::ule: return ua <= ub;
  case P::ugt: return ua > ub;
  case P::uge: return ua >= ub;
  }
  llvm_unreachable("all predicates are listed");
}

static LaneFunction compareF(Operation *op, Evaluator &) {
  arith::CmpFPredicate predicate = cast<arith::CmpFOp>(op).getPredicate();
  return [=](ArrayRef<Column> in, ArrayRef<Column> out, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      out[0].ints[i] = compareFloats(predicate, in[0].floats[i], in[1].floats[i]);
    return success();
  };
}

static LaneFunction compareI(Operation *op, Evaluator &) {
  arith::CmpIPredicate predicate = cast<arith::CmpIOp>(op).getPredicate();
  unsigned width = integerWidth(op->getOperand(0).getType());
  return [=](ArrayRef<Column> in, ArrayRef<Column> out, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      out[0].ints[i] = compareIntegers(predicate, in[0].ints[i], in[1].ints[i], width);
    return success();
  };
}

static LaneFunction select(Operation *op, Evaluator &) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  return [=](ArrayRef<Column> in, ArrayRef<Column> out, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      if (isFloat)
        out[0].floats[i] = in[0].ints[i] ? in[1].floats[i] : in[2].floats[i];
      else
        out[0].ints[i] = in[0].ints[i] ? in[1].ints[i] : in[2].ints[i];
    return success();
  };
}

//===- Constants -----------------------------------------------------------===//

static LogicalResult constant(arith::ConstantOp op, MutableArrayRef<Tensor>, Evaluator &evaluator,
                              SmallVectorImpl<Tensor> &results) {
  FailureOr<Tensor> value = Tensor::fromAttribute(op.getValue());
  if (failed(value))
    return op.emitError() << "the interpreter does not support constants of type " << op.getType();
  if (roundsToF32(op.getType(), evaluator))
    for (double &element : value->mutableFloats())
      element = float(element); // changes only f64 constants: others have at most f32 precision
  results.push_back(*value);
  return success();
}

void heddle::registerArithModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    using namespace arith;
    attach<ConstantOp, constant>(context);

    attachFloat<AddFOp, add>(context);
    attachFloat<SubFOp, subtract>(context);
    attachFloat<MulFOp, multiply>(context);
    attachFloat<DivFOp, divide>(context);
    attachFloat<RemFOp, remainder_>(context);
    attachFloat<NegFOp, negate>(context);
    attachFloat<MaximumFOp, maximum>(context);
    attachFloat<MinimumFOp, minimum>(context);
    attachFloat<MaxNumFOp, maxnum>(context);
    attachFloat<MinNumFOp, minnum>(context);
    attachFloat<ExtFOp, same>(context);
    attachFloat<TruncFOp, same>(context);

    attachInteger<AddIOp, addI>(context);
    attachInteger<SubIOp, subI>(context);
    attachInteger<MulIOp, mulI>(context);
    attachInteger<AndIOp, andI>(context);
    attachInteger<OrIOp, orI>(context);
    attachInteger<XOrIOp, xorI>(context);
    attachInteger<MaxSIOp, maxS>(context);
    attachInteger<MinSIOp, minS>(context);
    attachInteger<MaxUIOp, maxU>(context);
    attachInteger<MinUIOp, minU>(context);
    attachInteger<ShLIOp, shiftLeft>(context);
    attachInteger<ShRSIOp, shiftRightS>(context);
    attachInteger<ShRUIOp, shiftRightU>(context);
    attachInteger<ExtSIOp, signExtend>(context);
    attachInteger<ExtUIOp, zeroExtend>(context);
    attachInteger<TruncIOp, truncate>(context);
    attachInteger<IndexCastOp, signExtend>(context);
    attachInteger<IndexCastUIOp, zeroExtend>(context);

    attachLanes<MulUIExtendedOp, multiplyExtended>(context);
    attachLanes<DivSIOp, division<divS, /*isSigned=*/true>>(context);
    attachLanes<RemSIOp, division<remS, /*isSigned=*/true>>(context);
    attachLanes<DivUIOp, division<divU, /*isSigned=*/false>>(context);
    attachLanes<RemUIOp, division<remU, /*isSigned=*/false>>(context);
    attachLanes<FloorDivSIOp, division<floorDivS, /*isSigned=*/true>>(context);
    attachLanes<CeilDivSIOp, division<ceilDivS, /*isSigned=*/true>>(context);
    attachLanes<CeilDivUIOp, division<ceilDivU, /*isSigned=*/false>>(context);

    attachLanes<SIToFPOp, integerToFloat<true>>(context);
    attachLanes<UIToFPOp, integerToFloat<false>>(context);
    attachLanes<FPToSIOp, floatToInteger<true>>(context);
    attachLanes<FPToUIOp, floatToInteger<false>>(context);
    attachLanes<BitcastOp, bitcast>(context);
    attachLanes<CmpFOp, compareF>(context);
    attachLanes<CmpIOp, compareI>(context);
    attachLanes<SelectOp, select>(context);
  });
}
