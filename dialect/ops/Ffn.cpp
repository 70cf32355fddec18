//===- Ffn.cpp -----------------------------------------------------------===//

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

LogicalResult FfnOp::verify() { return success(); }
