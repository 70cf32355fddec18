//===- Weight.cpp - a tensor of the weight store --------------------------===//

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

LogicalResult WeightOp::verify() { return success(); }
