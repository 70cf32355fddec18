//===- Exp.cpp - exponentials for softmax ---------------------------------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

/// NaN where the operation's result is undefined.
static double expNonPositive(double x) { return x > 0 ? std::nan("") : std::exp(x); }
static double exp2NonPositive(double x) { return x > 0 ? std::nan("") : std::exp2(x); }

void heddle::registerExpReference(MLIRContext *context) {
  attachFloat<ExpNonPositiveOp, expNonPositive>(context);
  attachFloat<Exp2NonPositiveOp, exp2NonPositive>(context);
}
