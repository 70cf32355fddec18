//===- Linear.cpp -----------------------------------------------------------===//

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

LogicalResult LinearOp::verify() { return success(); }
