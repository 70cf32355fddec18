//===- Dot.cpp - the meaning of heddle.dot --------------------------------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

static LogicalResult evaluateDot(DotOp op, MutableArrayRef<Tensor> operands, Evaluator &evaluator,
                                 SmallVectorImpl<Tensor> &results) {
  const Tensor &lhs = operands[0], &rhs = operands[1];
  Tensor result = operands[2];
  int64_t count = lhs.size() / result.size(); // the number of products in each sum
  if (!lhs.isFloat()) {
    unsigned bits = integerWidth(op.getType());
    MutableArrayRef<int64_t> sums = result.mutableInts();
    for (int64_t i = 0; i < lhs.size(); ++i) {
      int64_t byte = op.getIsUnsigned() ? int64_t(unsignedValue(lhs.ints()[i], 8)) : lhs.ints()[i];
      sums[i / count] = wrapInteger(sums[i / count] + byte * rhs.ints()[i], bits);
    }
  } else {
    bool rounds = roundsToF32(op.getType(), evaluator);
    MutableArrayRef<double> sums = result.mutableFloats();
    for (int64_t i = 0; i < lhs.size(); ++i) {
      double sum = sums[i / count] + lhs.floats()[i] * rhs.floats()[i];
      sums[i / count] = rounds ? double(float(sum)) : sum;
    }
  }
  results.push_back(std::move(result));
  return success();
}

void heddle::registerDotReference(MLIRContext *context) { attach<DotOp, evaluateDot>(context); }
