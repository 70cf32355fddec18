//===- Exp.cpp - reference of the exponentials of a softmax ---------------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

/// NaN where the operation leaves the result open.
static double expNonPositive(double x) { return x > 0 ? std::nan("") : std::exp(x); }
static double exp2NonPositive(double x) { return x > 0 ? std::nan("") : std::exp2(x); }

void heddle::registerExpReference(MLIRContext *context) {
  attachFloat<ExpNonPositiveOp, expNonPositive>(context);
  attachFloat<Exp2NonPositiveOp, exp2NonPositive>(context);
}
