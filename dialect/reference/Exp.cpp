//===- Exp.cpp - the meaning of the exp operations ------------------------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

/// The operations are undefined for positive operands. Their results are NaN here, so tests detect such operands.
static double expNonPositive(double x) { return x > 0 ? std::nan("") : std::exp(x); }
static double exp2NonPositive(double x) { return x > 0 ? std::nan("") : std::exp2(x); }

void heddle::registerExpReference(MLIRContext *context) {
  attachFloat<ExpNonPositiveOp, expNonPositive>(context);
  attachFloat<Exp2NonPositiveOp, exp2NonPositive>(context);
}
