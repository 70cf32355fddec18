//===- VectorReduction.cpp - evaluation of vector reductions --------------===//

#include "interpreter/Models.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;

/// Returns the combination of the lanes `a` and `b`, which are floats here and integers in the overload below. Emits an
/// error at `op` if `kind` is not supported for the type of the lanes.
static FailureOr<double> combine(vector::ReductionOp op, vector::CombiningKind kind, double a, double b) {
  switch (kind) {
  case vector::CombiningKind::ADD: return a + b;
  case vector::CombiningKind::MUL: return a * b;
  case vector::CombiningKind::MAXNUMF: return std::fmax(a, b);
  case vector::CombiningKind::MINNUMF: return std::fmin(a, b);
  case vector::CombiningKind::MAXIMUMF: return std::isnan(a) || a > b ? a : b;
  case vector::CombiningKind::MINIMUMF: return std::isnan(a) || a < b ? a : b;
  default: return op->emitError("the interpreter does not support this kind of reduction");
  }
}

static FailureOr<int64_t> combine(vector::ReductionOp op, vector::CombiningKind kind, int64_t a, int64_t b) {
  unsigned width = integerWidth(op.getType());
  switch (kind) {
  case vector::CombiningKind::ADD: return int64_t(uint64_t(a) + uint64_t(b));
  case vector::CombiningKind::MUL: return int64_t(uint64_t(a) * uint64_t(b));
  case vector::CombiningKind::AND: return a & b;
  case vector::CombiningKind::OR: return a | b;
  case vector::CombiningKind::XOR: return a ^ b;
  case vector::CombiningKind::MAXSI: return signedValue(a, width) > signedValue(b, width) ? a : b;
  case vector::CombiningKind::MINSI: return signedValue(a, width) < signedValue(b, width) ? a : b;
  case vector::CombiningKind::MAXUI: return unsignedValue(a, width) > unsignedValue(b, width) ? a : b;
  case vector::CombiningKind::MINUI: return unsignedValue(a, width) < unsignedValue(b, width) ? a : b;
  default: return op->emitError("the interpreter does not support this kind of reduction");
  }
}

/// Reduces the lanes from left to right. The first value is the accumulator in `start` or, if `start` is empty, the
/// first lane. `finish` rounds or wraps the result of each step to the type of the lanes.
template <typename T>
static FailureOr<T> reduceLanes(vector::ReductionOp op, ArrayRef<T> lanes, ArrayRef<T> start,
                                function_ref<T(T)> finish) {
  T value = start.empty() ? lanes.front() : start.front();
  for (T lane : start.empty() ? lanes.drop_front() : lanes) {
    FailureOr<T> next = combine(op, op.getKind(), value, lane);
    if (failed(next))
      return failure();
    value = finish(*next);
  }
  return value;
}

static LogicalResult reduce(vector::ReductionOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                            SmallVectorImpl<Tensor> &results) {
  const Tensor &lanes = operands[0];
  if (lanes.isFloat()) {
    bool narrow = roundsToF32(op.getType(), evaluator);
    FailureOr<double> value =
        reduceLanes<double>(op, lanes.floats(), op.getAcc() ? operands[1].floats() : ArrayRef<double>(),
                            [&](double x) { return narrow ? double(float(x)) : x; });
    if (succeeded(value))
      results.push_back(Tensor({}, lanes.elementType(), std::vector<double>{*value}));
    return value;
  }
  unsigned width = integerWidth(op.getType());
  FailureOr<int64_t> value =
      reduceLanes<int64_t>(op, lanes.ints(), op.getAcc() ? operands[1].ints() : ArrayRef<int64_t>(),
                           [&](int64_t x) { return wrapInteger(x, width); });
  if (succeeded(value))
    results.push_back(Tensor({}, lanes.elementType(), std::vector<int64_t>{*value}));
  return value;
}

void heddle::registerVectorReductionModels(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, vector::VectorDialect *) { attach<vector::ReductionOp, reduce>(context); });
}
