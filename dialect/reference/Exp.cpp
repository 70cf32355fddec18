//===- Exp.cpp - the meaning of the exp operations ------------------------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

/// The results are NaN for positive operands, for which the operations are undefined.
static double expNonPositive(double x) { return x > 0 ? std::nan("") : std::exp(x); }
static double exp2NonPositive(double x) { return x > 0 ? std::nan("") : std::exp2(x); }

void heddle::registerExpReference(MLIRContext *context) {
  attachFloat<ExpNonPositiveOp, expNonPositive>(context);
  attachFloat<Exp2NonPositiveOp, exp2NonPositive>(context);
}
